"""`TrinoDoor`: the port, its HTTP server in one thread, and how both end."""

from __future__ import annotations

import asyncio
import logging
import ssl
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqe.doors.addresses import Addresses
from sqe.doors.ports import address_of, listening
from sqe.limits import CallsAtOnce, Refusals

if TYPE_CHECKING:
    import socket

    import uvicorn
    from starlette.routing import Route

    from sqe.doors.http import GuardedProtocol
    from sqe.doors.tls.certificates import Certificates
    from sqe.doors.trino.app import Door
    from sqe.doors.trino.external import ExternalLogin
    from sqe.doors.trino.results import Address
    from sqe.identity.authenticator import Authenticator
    from sqe.query.handler import QueryHandler
    from sqe.sessions import Sessions

log = logging.getLogger("sqe.trino")

KEY = "coordinator.trino_http_port"

# Headers carry prepared statements and session properties; Trino's own server takes less.
MOST_HEADER_BYTES = 256 * 1024
# Bodies are statements: `query.max_sql_bytes` and what its own error shall be read by.
BODY_SLACK_BYTES = 64 * 1024

MOST_CONNECTIONS = 2000
MOST_CONNECTIONS_OF_ADDRESS = 1000
REQUEST_SECONDS = 10.0
STALLED_SECONDS = 60.0
KEEP_ALIVE_SECONDS = 30
STOP_SECONDS = 3


class TrinoDoor:
    """The port is bound by `start`; the HTTP server is imported in the thread, so that it delays nothing."""

    def __init__(
        self,
        *,
        handler: QueryHandler,
        sessions: Sessions,
        authenticator: Authenticator,
        host: str = "127.0.0.1",
        port: int = 0,
        anonymous: bool = False,
        tls: Certificates | None = None,
        addresses: Addresses | None = None,
        calls: CallsAtOnce | None = None,
        not_ready: Callable[[], str | None] = lambda: None,
        max_sql_bytes: int = 1 << 20,
        abandoned_seconds: float = 300.0,
        max_age_seconds: float = 8 * 3600.0,
        external: ExternalLogin | None = None,
        request_seconds: float = REQUEST_SECONDS,
    ) -> None:
        """`external` lets people log in by a browser while their client waits."""
        self._handler = handler
        self._sessions = sessions
        self._authenticator = authenticator
        self._host = host
        self._port = port
        self._anonymous = anonymous
        self._tls = tls
        self._addresses = addresses or Addresses()
        self._calls = calls or CallsAtOnce(0, Refusals())
        self._not_ready = not_ready
        self._max_body_bytes = max_sql_bytes + BODY_SLACK_BYTES
        self._abandoned_seconds = abandoned_seconds
        self._max_age_seconds = max_age_seconds
        self._external = external
        self._request_seconds = request_seconds
        self._bound: socket.socket | None = None
        self._server: uvicorn.Server | None = None
        self._door: Door | None = None
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()

    def start(self) -> None:
        self._bound = listening(self._host, self._port, KEY)
        self._thread = threading.Thread(target=self._serve, name="sqe-trino", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._bound.getsockname()[1]) if self._bound is not None else 0

    @property
    def address(self) -> str:
        assert self._bound is not None
        return address_of(self._bound)

    def drain(self) -> None:
        """New statements are refused; running ones go on, and their clients fetch what they have."""
        if self._door is not None:
            self._door.statements.drain()

    def unread(self) -> int:
        """Statements that still run, or have answers that their clients have not fetched."""
        return self._door.statements.unread if self._door is not None else 0

    def stop(self) -> None:
        """New statements are refused and running ones end with an error that their clients still read; then the port closes."""
        self._stopping.set()
        if self._door is not None:
            self._door.statements.close(STOP_SECONDS)
        if self._server is not None:
            self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
        if self._bound is not None:
            self._bound.close()
            self._bound = None

    def __enter__(self) -> TrinoDoor:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _serve(self) -> None:
        try:
            asyncio.run(self._until_stopped())
        except Exception:
            log.exception("the Trino door met a defect and is closed")

    async def _until_stopped(self) -> None:
        import uvicorn

        from sqe.doors.trino.app import application

        door = self._door = self._made()
        routes = [*door.routes(), *self._other_routes(door)]
        config = uvicorn.Config(
            application(routes),
            http=_protocol(self._request_seconds),
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # it would believe every client of this machine; `Addresses` knows the proxies
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=STOP_SECONDS,
            h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        )
        config.load()
        # Not by its own options, which make a context that cannot be replaced.
        config.ssl = self._tls.context if self._tls is not None else None
        self._server = server = uvicorn.Server(config)
        sweep = asyncio.create_task(door.statements.sweep())
        try:
            if not self._stopping.is_set() and self._bound is not None:
                await server.serve(sockets=[self._bound.dup()])
        finally:
            sweep.cancel()
            door.close()

    def _made(self) -> Door:
        from sqe.doors.trino.app import Door
        from sqe.doors.trino.callers import Callers
        from sqe.doors.trino.execution import Runner
        from sqe.doors.trino.statements import Statements

        callers = Callers(
            self._sessions,
            self._authenticator,
            anonymous=self._anonymous,
            addresses=self._addresses,
            max_age_seconds=self._max_age_seconds,
        )
        statements = Statements(Runner(self._handler, callers).run, self._calls, self._abandoned_seconds)
        return Door(
            callers,
            statements,
            max_body_bytes=self._max_body_bytes,
            trusts=self._addresses.trusts,
            challenge=self._external.challenges if self._external is not None else _challenges,
        )

    def _other_routes(self, door: Door) -> list[Route]:
        from sqe.doors.trino.info import Info

        routes = Info(door, self._handler, self._not_ready).routes()
        if self._external is not None:
            from sqe.doors.trino.oauth import ExternalRoutes

            routes += ExternalRoutes(door, self._external).routes()
        return routes


def _challenges(_: Address, __: str) -> list[str]:
    return ['Basic realm="SQE"', "Bearer"]


def _protocol(request_seconds: float) -> type[GuardedProtocol]:
    from sqe.doors.http import protocol

    base = protocol(
        request_seconds=request_seconds,
        stalled_seconds=STALLED_SECONDS,
        most_connections=MOST_CONNECTIONS,
        most_per_address=MOST_CONNECTIONS_OF_ADDRESS,
    )

    class WithCertificate(base):  # type: ignore[misc,valid-type]
        """Tells the application which certificate the client has shown, and until when it is good."""

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            tls: ssl.SSLObject | None = transport.get_extra_info("ssl_object")
            shown = tls.getpeercert(binary_form=True) if tls is not None else None
            if tls is not None and shown:
                facts = tls.getpeercert() or {}
                until = ssl.cert_time_to_seconds(str(facts["notAfter"])) if "notAfter" in facts else 0.0
                self.app_state: dict[str, Any] = {**self.app_state, "certificate": (shown, until)}

    return WithCertificate
