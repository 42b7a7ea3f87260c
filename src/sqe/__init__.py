"""SQE, the Sovereign Query Engine. `sqe.connect()` is the whole Python API; importing this module imports nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqe.version import __version__

if TYPE_CHECKING:
    from sqe.dbapi import Connection

__all__ = ["__version__", "connect"]

# DB-API 2.0 module globals.
apilevel = "2.0"
threadsafety = 1
paramstyle = "qmark"


def connect(uri: str | None = None, **options: Any) -> Connection:
    """Connect to the embedded engine (no `uri`) or to a server (`grpc://host:50051`)."""
    from sqe.dbapi import connect as open_connection

    return open_connection(uri, **options)
