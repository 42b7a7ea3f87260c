"""One client: its hello, its session, its statements. The connection's end is the end of all of them."""

from __future__ import annotations

import logging
import queue
import shutil
import socket
import threading
from typing import TYPE_CHECKING, Any

from sqe import errors
from sqe.doors.shell import wire
from sqe.doors.shell.channel import Channel
from sqe.doors.shell.host import Engine, Host
from sqe.errors import SqeError
from sqe.identity.login import Origin
from sqe.version import __version__

if TYPE_CHECKING:
    from sqe.doors.shell.door import SharedSessions
    from sqe.doors.shell.statement import RunningStatement
    from sqe.session import Session

log = logging.getLogger("sqe.doors.shell")

# The embedded catalog's name (SURFACE: `lake`), on the warehouse folder of the session.
DEFAULT_CATALOG = "lake"
ORIGIN = Origin("shell")


class Connection:
    """`serve` reads frames until the client goes; statements run in a second thread, so that CANCEL is heard."""

    def __init__(self, sock: socket.socket, host: Host, shared: SharedSessions) -> None:
        self._sock = sock
        self._host = host
        self._shared = shared
        self._channel = Channel(sock)
        self._reader = wire.Reader(sock)
        self._engine: Engine | None = None
        self._session: Session | None = None
        self._owns_session = False
        self._throw_away = ""
        self._statements: queue.SimpleQueue[RunningStatement | None] = queue.SimpleQueue()
        self._worker: threading.Thread | None = None
        self._running: RunningStatement | None = None
        self._stays = False  # the connection is left open for the process's end to close

    @property
    def session(self) -> Session | None:
        return self._session

    def serve(self) -> None:
        try:
            while True:
                kind, payload = self._reader.next()
                self._take(kind, payload)
        except wire.ConnectionLost:
            log.debug("a client left")
        except wire.WireError as error:
            log.warning("a client was dropped: %s", error)
        except Exception:
            log.exception("a connection met a defect")
        finally:
            self._end()

    def hang_up(self) -> bool:
        """False for a connection that waits for the process's end: it is not to be waited for."""
        if not self._stays:
            self._channel.hang_up()
        return not self._stays

    def _take(self, kind: bytes, payload: bytes) -> None:
        if kind == wire.CANCEL:
            self._cancel()
            return
        asked = wire.fields(payload)
        if kind == wire.STATUS:
            self._channel.send(wire.STATUS, self._host.status())
        elif kind == wire.LEAVE:
            self._stays = True
            self._host.leave()
        elif kind == wire.HELLO:
            self._hello(asked)
        elif self._engine is None or self._session is None:
            raise wire.WireError("no session was opened")
        elif kind == wire.STATEMENT:
            self._submit(self._engine, self._session, asked)
        elif kind == wire.NAMES:
            self._names(self._engine, self._session, asked)
        else:
            raise wire.WireError(f"unexpected frame {kind!r}")

    # The session.

    def _hello(self, asked: dict[str, Any]) -> None:
        if asked.get("protocol") != wire.PROTOCOL or asked.get("build") != self._host.build:
            self._other_installation()
        try:
            self._engine = self._host.await_engine(lambda text: self._channel.send(wire.NOTICE, {"text": text}))
            self._session = self._open(self._engine, asked)
        except SqeError as error:
            self._refuse(error)
        welcome = {"version": __version__, "session": self._session.id if self._session else ""}
        self._channel.send(wire.WELCOME, welcome)

    def _open(self, engine: Engine, asked: dict[str, Any]) -> Session | None:
        if joined := asked.get("join"):
            return self._shared.find(str(joined))
        if asked.get("memory"):
            self._throw_away = self._host.throw_away_folder()
        warehouse = self._throw_away or asked.get("warehouse")
        if not warehouse:
            return None
        paths = {DEFAULT_CATALOG: str(warehouse), **asked.get("catalogs", {})}
        catalogs = {name: {"type": "sqlite", "path": path} for name, path in paths.items()}
        session = engine.sessions.open(engine.login, catalogs=catalogs, default_catalog=DEFAULT_CATALOG, origin=ORIGIN)
        self._owns_session = True
        self._session = session
        self._shared.add(session)
        if dialect := asked.get("dialect"):
            quoted = str(dialect).replace("'", "")
            engine.handler.submit(session, f"SET sql_dialect = '{quoted}'", door="shell").close()
        return session

    def _other_installation(self) -> None:
        if self._host.busy():
            self._refuse(
                SqeError(
                    errors.QUERY_REJECTED,
                    f"The embedded daemon belongs to another installation (version {__version__}) and is running a statement",
                    hint="wait for it, or end it with: sqe daemon stop",
                )
            )
        self._host.leave()
        self._channel.send(wire.OTHER, {"version": __version__})
        raise wire.ConnectionLost

    def _refuse(self, error: SqeError) -> None:
        from sqe.doors.shell.statement import error_text

        self._channel.send(wire.ERROR, {"code": error.code.name, "text": error_text(error)})
        raise wire.ConnectionLost

    # Statements.

    def _submit(self, engine: Engine, session: Session, asked: dict[str, Any]) -> None:
        from sqe.doors.shell.statement import RunningStatement

        if self._worker is None:
            self._worker = threading.Thread(target=self._work, name="sqe-shell-statements", daemon=True)
            self._worker.start()
        # Known as running from here on: a CANCEL right behind the statement must find it.
        self._running = RunningStatement(engine, session, self._channel, asked)
        self._statements.put(self._running)

    def _work(self) -> None:
        while (statement := self._statements.get()) is not None:
            try:
                statement.run()
            except wire.ConnectionLost:
                return

    def _cancel(self) -> None:
        if self._running is not None:
            self._running.cancel()

    def _names(self, engine: Engine, session: Session, asked: dict[str, Any]) -> None:
        from sqe.doors.shell.names import names

        try:
            found = names(engine.handler, session, str(asked["kind"]), [str(part) for part in asked.get("path", [])])
        except SqeError as error:
            log.debug("no names for completion: %s", error)
            found = []
        self._channel.send(wire.NAMES, {"names": found})

    # The end.

    def _end(self) -> None:
        if self._stays:
            return
        self._channel.hang_up()
        self._cancel()
        self._statements.put(None)
        if self._worker is not None:
            self._worker.join()
        if self._owns_session and self._engine is not None and self._session is not None:
            self._shared.remove(self._session)
            self._engine.sessions.close(self._session)
        if self._throw_away:
            shutil.rmtree(self._throw_away, ignore_errors=True)
        self._sock.close()
