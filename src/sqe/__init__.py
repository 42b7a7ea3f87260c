"""SQE, the Sovereign Query Engine. `sqe.connect()` is the whole Python API; importing this module imports nothing heavy."""

from __future__ import annotations

from sqe.version import __version__

# Not typing's: importing that takes the `sqe` command a third of the time that the interpreter takes to start.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sqe.dbapi import Connection

__all__ = ["__version__", "connect"]

# DB-API 2.0 module globals.
apilevel = "2.0"
threadsafety = 1
paramstyle = "qmark"


def __getattr__(name: str) -> Any:
    """What else PEP 249 wants beside `connect`, all of it capitalised: `except sqe.Error`. Loaded when it is asked for."""
    if name[:1].isupper():
        from sqe import dbapi

        return getattr(dbapi, name)
    raise AttributeError(f"module 'sqe' has no attribute {name!r}")


def connect(uri: str | None = None, **options: Any) -> Connection:
    """Connect to the embedded engine (no `uri`) or to a server (`grpc://host:50051`)."""
    from sqe.dbapi import connect as open_connection

    return open_connection(uri, **options)
