"""The daemon's life: listening at once, the engine when it is up, leaving when nobody needs it.

The shell socket is bound before anything heavy is imported, so clients wait on a connection and are told what they wait for.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqe import errors
from sqe.cli.installation import build
from sqe.doors.shell.door import ShellDoor
from sqe.doors.shell.host import Engine
from sqe.embedded.folder import RunFolder
from sqe.errors import SqeError
from sqe.version import __version__

if TYPE_CHECKING:
    from sqe.embedded.engine import EmbeddedServer

log = logging.getLogger("sqe.daemon")

DEFAULT_IDLE_SECONDS = 15 * 60

# How long a daemon whose engine did not come up waits for somebody to tell it to.
FAILURE_SECONDS = 5.0


def idle_seconds() -> float:
    """SQE_DAEMON_IDLE: how long the daemon stays without a client."""
    try:
        return float(os.environ.get("SQE_DAEMON_IDLE", ""))
    except ValueError:
        return DEFAULT_IDLE_SECONDS


class Daemon:
    """Implements the shell door's `Host`."""

    def __init__(self, folder: RunFolder, memory_limit: str = "") -> None:
        self.build = build()
        self._folder = folder
        self._memory_limit = memory_limit
        self._started = time.monotonic()
        self._changed = threading.Condition()
        self._notices: list[str] = []
        self._server: EmbeddedServer | None = None
        self._engine: Engine | None = None
        self._failure: SqeError | None = None
        self._leaving = threading.Event()
        self._leave_lock = threading.Lock()
        self._failure_told = threading.Event()
        self._door = ShellDoor(folder.listen(), self)

    def listen(self) -> None:
        self._door.start()

    def run(self) -> None:
        """Bring the engine up, serve until it is time to leave, take everything down."""
        try:
            self._bring_up()
            if self._engine is not None:
                self._wait_until_idle()
            else:
                self._tell_failure()
        finally:
            self.leave()
            self._take_down()

    # The door's host.

    def await_engine(self, notice: Callable[[str], None]) -> Engine:
        if self._engine is not None:
            return self._engine
        told = 0
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._engine or self._failure or len(self._notices) > told)  # noqa: B023
                news, engine, failure = self._notices[told:], self._engine, self._failure
            for text in news:
                notice(text)
            told += len(news)
            if engine is not None:
                return engine
            if failure is not None:
                self._failure_told.set()
                raise failure

    def throw_away_folder(self) -> str:
        return self._folder.new_throw_away()

    def status(self) -> dict[str, Any]:
        engine = self._engine
        return {
            "version": __version__,
            "pid": os.getpid(),
            "uptime": time.monotonic() - self._started,
            "ready": engine is not None,
            "sessions": len(engine.sessions) if engine else 0,
            "queries": self._running_queries(),
        }

    def busy(self) -> bool:
        return self._running_queries() > 0

    def leave(self) -> None:
        with self._leave_lock:
            if not self._leaving.is_set():
                self._door.close_listener()
                self._folder.release()
                self._leaving.set()
        with self._changed:
            self._failure = self._failure or SqeError(errors.SERVER_SHUTTING_DOWN, "The embedded engine is shutting down")
            self._changed.notify_all()

    # The engine.

    def _bring_up(self) -> None:
        try:
            from sqe.embedded.engine import EmbeddedServer

            server = EmbeddedServer(self._folder.paths, self._memory_limit, self._notify)
            self._server = server
            engine = server.start()
        except SqeError as error:
            log.error("the engine could not be started: %s", error)
            with self._changed:
                self._failure = error
                self._changed.notify_all()
            return
        with self._changed:
            self._engine = engine
            self._changed.notify_all()
        log.info("ready after %.2f s", time.monotonic() - self._started)

    def _notify(self, text: str) -> None:
        log.info("%s", text)
        with self._changed:
            self._notices.append(text)
            self._changed.notify_all()

    def _tell_failure(self) -> None:
        """The client that started us is on its way to connect; it shall hear the reason."""
        self._failure_told.wait(FAILURE_SECONDS)
        self._door.drain(FAILURE_SECONDS)

    def _take_down(self) -> None:
        self._door.stop()
        if self._server is not None:
            self._server.stop()

    # Idleness.

    def _wait_until_idle(self) -> None:
        limit = idle_seconds()
        needed = time.monotonic()
        while not self._leaving.wait(min(30.0, max(0.05, limit / 4))):
            self._door.sessions.keep_alive()
            if self._needed():
                needed = time.monotonic()
            elif time.monotonic() - needed >= limit:
                log.info("leaving after %.0f s without a client", limit)
                return

    def _needed(self) -> bool:
        return len(self._door) > 0 or (self._engine is not None and len(self._engine.sessions) > 0) or self.busy()

    def _running_queries(self) -> int:
        if self._engine is None:
            return 0
        return sum(1 for event in self._engine.handler.queries() if not event.state.ended)
