"""The embedded engine behind `sqe.connect()`: the user's own daemon, reached by its Flight socket."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from sqe.client.flight import FlightClient
from sqe.doors.flight.wire import SESSION_HEADER
from sqe.errors import CODES, GENERIC_INTERNAL_ERROR, SqeError


def embedded_client(
    warehouse: str | Path | None = None, catalogs: Mapping[str, str] | None = None, memory_limit: str | None = None
) -> FlightClient:
    """A session on a warehouse folder; starts the daemon when it does not run."""
    from sqe.cli.backend import Failure
    from sqe.cli.daemon import ensure_daemon
    from sqe.cli.places import default_warehouse

    try:
        paths = ensure_daemon(memory_limit)
    except Failure as failure:
        raise SqeError(CODES.get(failure.code, GENERIC_INTERNAL_ERROR), failure.text) from None
    session = {
        "warehouse": _absolute(warehouse or default_warehouse()),
        "catalogs": {name: _absolute(folder) for name, folder in (catalogs or {}).items()},
    }
    return FlightClient(f"grpc+unix://{paths.flight_socket}", session_headers={SESSION_HEADER: json.dumps(session)})


def _absolute(folder: str | Path) -> str:
    return os.path.abspath(os.path.expanduser(folder))
