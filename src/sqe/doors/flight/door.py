"""The Flight SQL door: where it listens and how it stops. The protocol is in server.py and what it calls."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from sqe.doors.flight.callers import Callers
from sqe.doors.flight.handles import Handles
from sqe.doors.flight.server import Server
from sqe.doors.flight.watch import Watch
from sqe.doors.tls.connections import Connections
from sqe.errors import CONFIGURATION_INVALID, SqeError
from sqe.identity.options import LoginOption, as_json

if TYPE_CHECKING:
    from sqe.doors.addresses import Addresses
    from sqe.doors.tls.certificates import Certificates
    from sqe.doors.tls.front import TlsFront
    from sqe.identity.authenticator import Authenticator
    from sqe.limits import CallsAtOnce
    from sqe.query.handler import QueryHandler
    from sqe.sessions import Sessions

_UNIX = "grpc+unix://"


class FlightDoor:
    """Serves Flight SQL on host and port, or at `location` (a unix socket: `grpc+unix:///path/flight.sock`).

    `anonymous` lets callers without credentials in. At a unix socket, which the file system protects, they also choose the
    folder of their warehouse. With `tls`, clients meet a `TlsFront`, and the server itself listens on a unix socket in a
    folder of its own, where it answers the front only.
    """

    def __init__(
        self,
        *,
        handler: QueryHandler,
        sessions: Sessions,
        authenticator: Authenticator,
        host: str = "127.0.0.1",
        port: int = 0,
        location: str | None = None,
        anonymous: bool = False,
        tls: Certificates | None = None,
        login_options: Sequence[LoginOption] = (),
        addresses: Addresses | None = None,
        calls: CallsAtOnce | None = None,
    ) -> None:
        self._handler = handler
        self._sessions = sessions
        self._connections = Connections() if tls is not None else None
        self._callers = Callers(
            sessions,
            authenticator,
            anonymous=anonymous,
            chooses_warehouse=anonymous and _is_unix(location),
            connections=self._connections,
            addresses=addresses,
            calls=calls,
        )
        self._host = host
        self._port = port
        self._location = location
        self._tls = tls
        self._login_options = as_json(login_options)
        self._handles = Handles()
        self._watch = Watch()
        self._server: Server | None = None
        self._front: TlsFront | None = None
        self._folder: Path | None = None  # of the socket behind the front

    def start(self) -> None:
        """Returns when the port answers; raises when it cannot be had."""
        where = self._behind_tls() if self._tls is not None else self._location or (self._host, self._port)
        try:
            self._server = Server(
                where,
                handler=self._handler,
                sessions=self._sessions,
                callers=self._callers,
                handles=self._handles,
                watch=self._watch,
                login_options=self._login_options,
            )
        except (pa.ArrowException, OSError, RuntimeError) as error:
            self._close_front()
            named = self._location or f"{self._host}:{self._port}"
            raise SqeError(
                CONFIGURATION_INVALID, f"The Flight SQL door cannot listen on {named}", hint="is the port in use?"
            ) from error
        self._watch.start()
        if self._front is not None:
            self._front.start()

    def _behind_tls(self) -> str:
        """Binds the front; where the server shall listen."""
        from sqe.doors.tls.front import TlsFront

        assert self._tls is not None
        assert self._connections is not None
        self._folder = Path(tempfile.mkdtemp(prefix="sqe-flight-"))  # mode 0700
        behind = self._folder / "flight.sock"
        try:
            self._front = TlsFront(
                self._tls, self._connections, host=self._host, port=self._port, key="coordinator.flight_sql_port", behind=behind
            )
        except SqeError:
            self._close_front()
            raise
        return f"{_UNIX}{behind}"

    def _close_front(self) -> None:
        if self._front is not None:
            self._front.stop()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def stop(self, grace_seconds: float = 5.0) -> None:
        """Ends calls: statements that run are cancelled, streams end with an error; then the port closes."""
        if self._server is None:
            return
        server, self._server = self._server, None
        if self._front is not None:
            self._front.stop_accepting()
        self._handles.close_all()
        # pyarrow's shutdown waits for the calls that are under way, and one may be stuck in its client.
        stopper = threading.Thread(target=server.shutdown, name="sqe-flight-stop", daemon=True)
        stopper.start()
        stopper.join(grace_seconds)
        self._watch.stop()
        self._close_front()
        if self._location and _is_unix(self._location):
            Path(self._location.removeprefix(_UNIX)).unlink(missing_ok=True)

    @property
    def port(self) -> int:
        if self._server is None:
            return 0
        return self._front.port if self._front is not None else self._server.port

    @property
    def address(self) -> str:
        """What a client connects to."""
        if self._location:
            return self._location
        scheme = "grpc+tls" if self._tls else "grpc"
        return f"{scheme}://{self._host}:{self.port}"

    def __enter__(self) -> FlightDoor:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _is_unix(location: str | None) -> bool:
    return location is not None and location.startswith(_UNIX)
