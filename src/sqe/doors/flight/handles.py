"""What a session has open at this door: queries waiting for their DoGet or streaming, and prepared statements.

Handles are random and looked up in the session that made them, so another session's ticket is simply not found. What a
client forgets does not stay: a query nobody fetched is closed after a time, both kinds have a limit, and everything goes
with its session.
"""

from __future__ import annotations

import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa

from sqe.errors import GENERIC_INSUFFICIENT_RESOURCES, NOT_FOUND, SqeError

if TYPE_CHECKING:
    from sqe.query.handler import Prepared
    from sqe.query.running import Query
    from sqe.session import Session

# A client fetches right after GetFlightInfo; the handler has its own, configurable limit for abandoned queries.
UNFETCHED_SECONDS = 600.0
MAX_UNFETCHED = 100
MAX_PREPARED = 1000


@dataclass
class OpenQuery:
    """A query that a ticket stands for. It streams once."""

    query: Query
    since: float = field(default_factory=time.monotonic)
    fetched: bool = False


@dataclass
class OpenPrepared:
    """A prepared statement and the parameters that DoPut bound to it."""

    prepared: Prepared
    parameters: pa.Table | None = None


class SessionHandles:
    """The open things of one session. Thread-safe: a client may use several calls at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queries: dict[bytes, OpenQuery] = {}
        self._prepared: dict[bytes, OpenPrepared] = {}

    def add_query(self, query: Query) -> bytes:
        handle = secrets.token_bytes(16)
        with self._lock:
            late = self._unfetched_too_long()
            for old in late:
                del self._queries[old[0]]
            self._queries[handle] = OpenQuery(query)
        for _, entry in late:
            entry.query.close()
        return handle

    def fetch(self, handle: bytes) -> Query:
        """The query of a ticket, once."""
        with self._lock:
            entry = self._queries.get(handle)
            if entry is None or entry.fetched:
                raise SqeError(NOT_FOUND, "The ticket is unknown, already used or expired")
            entry.fetched = True
            return entry.query

    def query(self, handle: bytes) -> Query | None:
        """The query of a ticket, waiting or streaming; for cancelling."""
        with self._lock:
            entry = self._queries.get(handle)
            return entry.query if entry else None

    def forget(self, handle: bytes) -> None:
        with self._lock:
            self._queries.pop(handle, None)

    def add_prepared(self, prepared: Prepared) -> bytes:
        handle = secrets.token_bytes(16)
        with self._lock:
            if len(self._prepared) >= MAX_PREPARED:
                raise SqeError(
                    GENERIC_INSUFFICIENT_RESOURCES, f"A session can hold {MAX_PREPARED} prepared statements", hint="close some"
                )
            self._prepared[handle] = OpenPrepared(prepared)
        return handle

    def prepared(self, handle: bytes) -> OpenPrepared:
        with self._lock:
            entry = self._prepared.get(handle)
        if entry is None:
            raise SqeError(NOT_FOUND, "The prepared statement is unknown or closed")
        return entry

    def close_prepared(self, handle: bytes) -> None:
        with self._lock:
            self._prepared.pop(handle, None)

    def close(self) -> None:
        with self._lock:
            queries = list(self._queries.values())
            self._queries.clear()
            self._prepared.clear()
        for entry in queries:
            entry.query.close()

    def _unfetched_too_long(self) -> list[tuple[bytes, OpenQuery]]:
        waiting = [(handle, entry) for handle, entry in self._queries.items() if not entry.fetched]  # oldest first
        now = time.monotonic()
        surplus = max(0, len(waiting) - MAX_UNFETCHED + 1)
        return waiting[:surplus] + [pair for pair in waiting[surplus:] if now - pair[1].since > UNFETCHED_SECONDS]


class Handles:
    """The handles of all sessions; those of a session that ended are closed when the next one comes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: dict[str, tuple[Session, SessionHandles]] = {}

    def of(self, session: Session) -> SessionHandles:
        with self._lock:
            known = self._sessions.get(session.id)
            if known is not None:
                return known[1]
            ended = [handles for other, handles in self._sessions.values() if other.closed]
            self._sessions = {key: pair for key, pair in self._sessions.items() if not pair[0].closed}
            fresh = SessionHandles()
            self._sessions[session.id] = (session, fresh)
        for handles in ended:
            handles.close()
        return fresh

    def close(self, session: Session) -> None:
        with self._lock:
            known = self._sessions.pop(session.id, None)
        if known is not None:
            known[1].close()

    def close_all(self) -> None:
        with self._lock:
            everyone = [handles for _, handles in self._sessions.values()]
            self._sessions.clear()
        for handles in everyone:
            handles.close()
