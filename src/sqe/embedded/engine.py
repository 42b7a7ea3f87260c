"""The server inside the daemon: the same as `sqe-server`'s, with a Flight door on a unix socket that only its owner can reach."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sqe.doors.shell.host import Engine
from sqe.errors import CONFIGURATION_INVALID, SqeError

if TYPE_CHECKING:
    from sqe.cli.daemon import DaemonPaths
    from sqe.config import Settings
    from sqe.engine.driver import Driver
    from sqe.identity.authenticator import Authenticator
    from sqe.server import Door, Server


class EmbeddedServer:
    """`start` returns when the engine answers."""

    def __init__(self, paths: DaemonPaths, memory_limit: str, notify: Callable[[str], None]) -> None:
        self._paths = paths
        self._memory_limit = memory_limit
        self._notify = notify
        self._driver: Driver | None = None
        self._server: Server | None = None

    def start(self) -> Engine:
        from sqe.engine.launch import driver_of, import_arrow_alone, set_up

        settings = embedded_settings(self._memory_limit)
        # Before the start, so that whoever waits is told.
        set_up(settings, self._tell_once)
        self._driver = driver = driver_of(settings)
        driver.start()
        import_arrow_alone()
        from sqe.identity.provider import Nothing
        from sqe.server import Server

        authenticator = _authenticator(settings)
        self._server = server = Server(
            settings, doors=lambda server: self._doors(server, authenticator), own_files=True, driver=driver
        )
        server.start()
        server.await_ready()
        return Engine(server.handler, server.sessions, authenticator.log_in(Nothing()))

    def stop(self) -> None:
        started = self._server or self._driver
        if started is not None:
            started.stop()

    def _tell_once(self, line: str) -> None:
        self._notify(f"setting up, once: {line}")

    def _doors(self, server: Server, authenticator: Authenticator) -> Sequence[Door]:
        from sqe.doors.flight.door import FlightDoor

        location = f"grpc+unix://{self._paths.flight_socket}"
        return [
            FlightDoor(
                handler=server.handler, sessions=server.sessions, authenticator=authenticator, location=location, anonymous=True
            )
        ]


def embedded_settings(memory_limit: str) -> Settings:
    """The defaults of `sqe-server` and its environment variables, with what is different for one person at one machine."""
    from sqe.config import ConfigErrors, load

    flags: dict[str, Any] = {
        # One's own statement may take its time, and a shell may stay open over the weekend.
        "query.timeout": "0s",
        "session.max_age": "365d",
        # Nobody else is here to be protected.
        "session.max_per_user": 0,
        "rate_limit.queries_per_user": 0,
        "rate_limit.queries_per_session": 0,
        # The files are one's own.
        "files.allow_locations": True,
        "auth.providers": [{"type": "anonymous", "user": _user(), "roles": ["admin"]}],
        "auth.admin_roles": ["admin"],
    }
    if memory_limit:
        flags["engine.driver_memory"] = memory_limit
    try:
        return load(None, os.environ, flags)
    except ConfigErrors as errors:
        raise SqeError(CONFIGURATION_INVALID, "; ".join(str(problem) for problem in errors.problems)) from None


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())


def _authenticator(settings: Settings) -> Authenticator:
    from sqe.identity.authenticator import authenticator

    return authenticator(settings.auth)
