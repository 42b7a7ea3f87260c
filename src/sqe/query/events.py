"""What observers (log, metrics; later audit and lineage) learn about a query. Observers never influence it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from sqe.errors import SqeError
from sqe.identity import Identity

log = logging.getLogger("sqe.query")


class State(Enum):
    """The life of a query. FINISHED, FAILED and CANCELED are ends."""

    QUEUED = "QUEUED"
    PLANNING = "PLANNING"
    RUNNING = "RUNNING"
    FINISHED = "FINISHED"
    FAILED = "FAILED"
    CANCELED = "CANCELED"

    @property
    def ended(self) -> bool:
        return self in (State.FINISHED, State.FAILED, State.CANCELED)


@dataclass(frozen=True)
class QueryEvent:
    """A snapshot of one query at a change of its state."""

    query_id: str
    session_id: str
    identity: Identity
    door: str
    sql: str
    statement: str  # the statement class ("query", "insert", "ddl", …); "unknown" until it is classified
    state: State
    elapsed_seconds: float
    rows: int = 0
    bytes: int = 0
    affected_rows: int | None = None
    error: SqeError | None = None


Observer = Callable[[QueryEvent], None]


class Events:
    """Delivers events to observers; one that fails is logged and never disturbs the query."""

    def __init__(self) -> None:
        self._observers: list[Observer] = []

    def subscribe(self, observer: Observer) -> None:
        self._observers.append(observer)

    def publish(self, event: QueryEvent) -> None:
        for observer in self._observers:
            try:
                observer(event)
            except Exception:
                log.exception("an observer failed on query %s", event.query_id)
