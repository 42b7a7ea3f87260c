"""The embedded socket's extra: a client says at log-in which folders its session works on."""

from __future__ import annotations

import json

from sqe.config.catalogs import DEFAULT_NAME
from sqe.doors.flight.wire import SESSION_HEADER
from sqe.errors import INVALID_ARGUMENTS, SqeError


def chosen_catalogs(headers: dict[str, list[str]]) -> dict[str, dict[str, str]] | None:
    """The catalogs of a new session, from the session header; None when the client leaves it to the server."""
    values = headers.get(SESSION_HEADER)
    if not values:
        return None
    try:
        asked = json.loads(values[0])
        folders = {DEFAULT_NAME: asked["warehouse"], **asked.get("catalogs", {})}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _malformed() from None
    if not all(isinstance(name, str) and isinstance(folder, str) and folder for name, folder in folders.items()):
        raise _malformed()
    return {name: {"type": "sqlite", "path": folder} for name, folder in folders.items()}


def _malformed() -> SqeError:
    return SqeError(INVALID_ARGUMENTS, f"The header {SESSION_HEADER} is not well-formed")
