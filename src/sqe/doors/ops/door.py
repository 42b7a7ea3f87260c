"""`OpsDoor`: the health and the metrics port, served by one uvicorn in one thread."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from sqe.doors.ports import address_of, listening

if TYPE_CHECKING:
    import uvicorn

    from sqe.doors.tls.certificates import Certificates

log = logging.getLogger("sqe.ops")

# Probes and one Prometheus: whoever opens more connections than this is no operator, and never has all of them.
MOST_CONNECTIONS = 64
MOST_CONNECTIONS_OF_ADDRESS = 48
REQUEST_SECONDS = 10.0
STALLED_SECONDS = 30.0
STOP_SECONDS = 2

# Probes wait this long at most while the JVM boots, which has better use for the cores than importing an HTTP server.
ENGINE_FIRST_SECONDS = 2.0


class OpsDoor:
    """Ports are bound by `start`, so that one in use is known at once; the HTTP server is imported in the thread, when the
    engine is up or takes its time: uvicorn and Starlette need 200 ms of CPU that must not delay the server."""

    def __init__(
        self,
        *,
        host: str,
        health_port: int,
        metrics_port: int | None,
        not_ready: Callable[[], str | None],
        metrics: Callable[[], bytes],
        request_seconds: float = REQUEST_SECONDS,
        stalled_seconds: float = STALLED_SECONDS,
        tls: Certificates | None = None,
    ) -> None:
        """`not_ready` says why the server cannot serve (None: it can); `metrics_port` None leaves metrics closed."""
        self._host = host
        self._ports = {"coordinator.health_port": health_port}
        if metrics_port is not None:
            self._ports["coordinator.metrics_port"] = metrics_port
        self._not_ready = not_ready
        self._metrics = metrics
        self._tls = tls
        self._request_seconds = request_seconds
        self._stalled_seconds = stalled_seconds
        self._sockets: dict[str, socket.socket] = {}
        self._server: uvicorn.Server | None = None
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        try:
            for key, port in self._ports.items():
                self._sockets[key] = listening(self._host, port, key)
        except BaseException:
            self._close()
            raise
        self._thread = threading.Thread(target=self._serve, name="sqe-ops", daemon=True)
        self._thread.start()

    @property
    def health_address(self) -> str:
        return address_of(self._sockets["coordinator.health_port"])

    @property
    def metrics_address(self) -> str | None:
        bound = self._sockets.get("coordinator.metrics_port")
        return None if bound is None else address_of(bound)

    def stop(self) -> None:
        self._stopping.set()
        if self._server is not None:
            self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
        self._close()

    def _close(self) -> None:
        for bound in self._sockets.values():
            bound.close()
        self._sockets.clear()

    def _let_the_engine_go_first(self) -> None:
        deadline = time.monotonic() + ENGINE_FIRST_SECONDS
        while self._not_ready() is not None and time.monotonic() < deadline and not self._stopping.wait(0.05):
            pass

    def _serve(self) -> None:
        self._let_the_engine_go_first()
        import uvicorn

        from sqe.doors.http import protocol
        from sqe.doors.ops.apps import by_port, health_app, metrics_app

        apps = {"coordinator.health_port": health_app(self._not_ready), "coordinator.metrics_port": metrics_app(self._metrics)}
        config = uvicorn.Config(
            by_port({bound.getsockname()[1]: apps[key] for key, bound in self._sockets.items()}),
            http=protocol(
                request_seconds=self._request_seconds,
                stalled_seconds=self._stalled_seconds,
                most_connections=MOST_CONNECTIONS,
                most_per_address=MOST_CONNECTIONS_OF_ADDRESS,
            ),
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
        config.load()
        # Not by its own options, which make a context that cannot be replaced. Handshakes end after a minute (asyncio).
        config.ssl = self._tls.context if self._tls is not None else None
        self._server = uvicorn.Server(config)
        if not self._stopping.is_set():
            # uvicorn takes duplicates: it closes what it was given, and the addresses stay known until `stop`.
            self._server.run(sockets=[bound.dup() for bound in self._sockets.values()])
