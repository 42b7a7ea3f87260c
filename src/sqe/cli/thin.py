"""The warm path: one connection to the embedded daemon, which plans, runs and renders; this side copies bytes."""

from __future__ import annotations

import os
from contextlib import suppress

from sqe.cli import daemon
from sqe.cli.backend import Failure, Summary
from sqe.cli.installation import build
from sqe.doors.shell import wire
from sqe.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from typing import Any

    from sqe.cli.backend import Output, Request

    Reach = Callable[[], tuple[socket.socket, daemon.DaemonPaths]]

# A daemon may leave (idle, another installation) between our connect and its answer; each try starts a fresh one.
TRIES = 3


def _no_notice(_: str) -> None:
    pass


class Connection:
    """A connection that has said nothing yet; `open_session` makes it a session."""

    def __init__(self, reach: Reach) -> None:
        self._reach = reach
        self._connect()

    @classmethod
    def to_daemon(cls, memory_limit: str) -> Connection:
        return cls(lambda: daemon.reach(memory_limit))

    def _connect(self) -> None:
        self.sock, self.paths = self._reach()
        self._reader = wire.Reader(self.sock)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.sock.close()

    def send(self, data: bytes) -> None:
        with suppress(OSError):
            # What the daemon said before it went is still there to be read; the reader reports the end.
            self.sock.sendall(data)

    def next(self) -> tuple[bytes, bytes]:
        return self._reader.next()

    def greet(self, hello: dict[str, Any], behind: bytes, notice: Callable[[str], object]) -> dict[str, Any]:
        """Say HELLO, with a statement right behind it, until a daemon of this installation answers; its WELCOME."""
        frames = wire.frame(wire.HELLO, hello) + behind
        for attempt in range(TRIES):
            if attempt:
                self.close()
                self._connect()
            self.send(frames)
            try:
                kind, payload = self._answer(notice)
            except wire.ConnectionLost:
                continue
            if kind == wire.WELCOME:
                return wire.fields(payload)
            if kind == wire.ERROR:
                raise failure(payload)
        raise Failure("SERVER_STARTING_UP", f"The embedded engine ended while it started; its log is {self.paths.log}")

    def wait_until_ready(self, notice: Callable[[str], object]) -> None:
        """Return when the daemon's engine is up."""
        self.greet(hello_without_session(), b"", notice)

    def _answer(self, notice: Callable[[str], object]) -> tuple[bytes, bytes]:
        while True:
            kind, payload = self.next()
            if kind != wire.NOTICE:
                return kind, payload
            notice(wire.fields(payload)["text"])


class ThinBackend:
    """A session on the daemon. Opened by its first statement; opened anew when the daemon is gone, with the state lost."""

    def __init__(self, reach: Reach, session: dict[str, Any]) -> None:
        self._reach = reach
        self._session = session
        self._connection: Connection | None = None
        self._names: Connection | None = None
        self._id = ""
        self._lost = False
        self._sending = False
        self._cancel_wanted = False

    def run(self, request: Request, output: Output) -> Summary:
        statement = wire.frame(
            wire.STATEMENT,
            {"sql": request.sql, "format": request.format, "width": request.width, "progress": request.progress},
        )
        if len(statement) > wire.MAX_PAYLOAD:
            raise Failure("QUERY_TEXT_TOO_LARGE", f"The statement has {len(request.sql)} characters, more than can be sent")
        try:
            self._begin(statement, output)
            return self._follow(output)
        except wire.ConnectionLost:
            self._drop()
            raise Failure(
                "REMOTE_HOST_GONE", "The embedded engine ended before it answered; the next statement starts a new one"
            ) from None
        except wire.WireError as error:
            self._drop()
            raise Failure("GENERIC_INTERNAL_ERROR", f"The embedded engine gave an answer that makes no sense: {error}") from None

    def _begin(self, statement: bytes, output: Output) -> None:
        if self._connection is None:
            self._open(statement, output)
            return
        self._sending, self._cancel_wanted = True, False
        self._connection.send(statement)
        self._sending = False
        if self._cancel_wanted:
            self.cancel()

    def open(self, output: Output) -> None:
        """Open the session before the first statement (the shell does, while its user reads the prompt)."""
        if self._connection is None:
            self._open(b"", output)

    def _open(self, behind: bytes, output: Output) -> None:
        connection = Connection(self._reach)
        try:
            welcome = connection.greet(hello_without_session() | self._session, behind, output.notice)
        except BaseException:
            connection.close()
            raise
        if self._lost:
            output.notice("A new session was opened: settings and temporary views of the old one are gone.")
        self._connection, self._id, self._lost = connection, welcome["session"], False

    def _follow(self, output: Output) -> Summary:
        assert self._connection is not None
        while True:
            kind, payload = self._connection.next()
            if kind == wire.OUTPUT:
                output.write(payload)
            elif kind == wire.END:
                end = wire.fields(payload)
                return Summary(end["statement"], end["columns"], end["rows"], end["affected"], end["elapsed"])
            elif kind == wire.ERROR:
                raise failure(payload)
            elif kind == wire.PROGRESS:
                step = wire.fields(payload)
                output.progress(step["completed"], step["total"], step["active"], step["rows"])
            elif kind == wire.NOTICE:
                output.notice(wire.fields(payload)["text"])

    def cancel(self) -> bool:
        if self._connection is None:
            return False
        # A signal handler may come here in the middle of a send: a frame inside a frame would be the end of the conversation.
        if self._sending:
            self._cancel_wanted = True
        else:
            self._connection.send(wire.frame(wire.CANCEL))
        return True

    def names(self, kind: str, path: list[str]) -> list[str]:
        """Names for completion, on a second connection to the same session: a running statement does not delay them."""
        if self._connection is None:
            return []
        try:
            if self._names is None:
                self._names = Connection(self._reach)
                self._names.greet(hello_without_session() | {"join": self._id}, b"", _no_notice)
            self._names.send(wire.frame(wire.NAMES, {"kind": kind, "path": path}))
            answer, payload = self._names.next()
            return list(wire.fields(payload)["names"]) if answer == wire.NAMES else []
        except (Failure, wire.ConnectionLost, wire.WireError):
            self._drop_names()
            return []

    def close(self) -> None:
        self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection, self._lost = None, True
        self._drop_names()

    def _drop_names(self) -> None:
        if self._names is not None:
            self._names.close()
            self._names = None


def hello_without_session() -> dict[str, Any]:
    return {"protocol": wire.PROTOCOL, "version": __version__, "build": build(), "pid": os.getpid()}


def failure(payload: bytes) -> Failure:
    error = wire.fields(payload)
    return Failure(error["code"], error["text"])
