"""What observers (log, metrics, audit; later lineage) learn about a query. Observers never influence it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sqe.engine.touched import NOTHING, Touched
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.identity.login import NOWHERE, Origin
from sqe.observers import Observers


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
    origin: Origin = NOWHERE
    touched: Touched = NOTHING  # known once the statement is analysed
    only_prepared: bool = False  # it failed before it could start: a Flight client learns the columns first
    created: float = 0.0  # seconds since 1970

    @property
    def reads(self) -> tuple[str, ...]:
        return self.touched.reads

    @property
    def writes(self) -> tuple[str, ...]:
        return self.touched.writes


Events = Observers[QueryEvent]
