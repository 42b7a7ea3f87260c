"""The embedded engine behind `sqe.connect()`: the user's own daemon, reached by its Flight socket."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from sqe.client.flight import FlightClient
from sqe.doors.flight.wire import SESSION_HEADER
from sqe.errors import CODES, GENERIC_INTERNAL_ERROR, SqeError

# Well below the daemon's idle time: a notebook may rest over lunch without losing its session, as a shell may.
SIGN_OF_LIFE_SECONDS = 240.0


class EmbeddedClient(FlightClient):
    """A session on warehouse folders of this machine. Starts the daemon when it does not run, and keeps it while it is open."""

    def __init__(
        self,
        warehouse: str | Path | None = None,
        catalogs: Mapping[str, str] | None = None,
        memory_limit: str | None = None,
    ) -> None:
        socket = _flight_socket(memory_limit)
        super().__init__(f"grpc+unix://{socket}", session_headers={SESSION_HEADER: _session(warehouse, catalogs or {})})
        self._closing = threading.Event()
        threading.Thread(target=self._stay_alive, name="sqe-embedded-session", daemon=True).start()

    def close(self) -> None:
        self._closing.set()
        super().close()

    def _stay_alive(self) -> None:
        while not self._closing.wait(SIGN_OF_LIFE_SECONDS):
            with suppress(SqeError):
                self.options()


def _flight_socket(memory_limit: str | None) -> str:
    from sqe.cli.backend import Failure
    from sqe.cli.daemon import ensure_daemon

    try:
        return ensure_daemon(memory_limit).flight_socket
    except Failure as failure:
        raise SqeError(CODES.get(failure.code, GENERIC_INTERNAL_ERROR), failure.text) from None


def _session(warehouse: str | Path | None, catalogs: Mapping[str, str]) -> str:
    from sqe.cli.places import default_warehouse

    folders = {name: _absolute(folder) for name, folder in catalogs.items()}
    return json.dumps({"warehouse": _absolute(warehouse or default_warehouse()), "catalogs": folders})


def _absolute(folder: str | Path) -> str:
    return os.path.abspath(os.path.expanduser(folder))
