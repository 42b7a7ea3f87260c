"""Statistics of small tables, computed after writes: what joins are planned by. Large tables have theirs on request (`CALL`)."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from sqe.errors import SqeError
from sqe.query.events import QueryEvent, State
from sqe.session import Session

log = logging.getLogger("sqe.query")

# Below, plans are as good without: the JVM part takes as many distinct values as rows then (ScanStatistics.fewRows).
FEWEST_ROWS = 10_000
# A quarter more or fewer rows than were counted change no plan.
_CHANGE = 1.25
# Tables that wait, and tables that are remembered: small, because each is only an optimisation that was missed.
_MOST_WAITING = 100
_MOST_REMEMBERED = 1000
_LOOK_SECONDS = 0.1
# On a server that always runs something, it is done all the same.
_MOST_PATIENCE_SECONDS = 60.0


class Statements(Protocol):
    """What the query handler does for us."""

    @property
    def running(self) -> int: ...

    def submit_aside(self, session: Session, sql: str) -> None: ...


@dataclass(frozen=True)
class _Written:
    session_id: str
    table: str
    rows: int


class TableStatistics:
    """Owned by the server. Observes statements; one thread computes, as the user who wrote and with that user's rights.

    Nobody waits for it and nothing fails by it: it begins when no statement runs (or after a minute), and a table is left as it
    is when its user may not maintain it, the session is gone, or the catalog refuses. A commit of statistics conflicts with no
    write: Iceberg tries both again on the newest metadata.
    """

    def __init__(self, statements: Statements, session: Callable[[str], Session | None], most_bytes: int) -> None:
        self._statements = statements
        self._session = session
        self._most_bytes = most_bytes
        self._waiting: queue.Queue[_Written | None] = queue.Queue(_MOST_WAITING)
        self._looked: OrderedDict[tuple[str, str], int] = OrderedDict()  # session, table → rows when it was looked at
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sqe-statistics", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Returns when the thread is gone; what it computes must have been cancelled before, by closing the handler."""
        self._stopping.set()
        with suppress(queue.Full):  # the thread has something to wake up by then
            self._waiting.put_nowait(None)
        if self._thread.is_alive():
            self._thread.join()

    def observe(self, event: QueryEvent) -> None:
        """On the thread of the statement: a few comparisons."""
        touched = event.touched
        if event.state is not State.FINISHED or len(touched.writes) != 1 or self._stopping.is_set():
            return
        if touched.written_rows >= FEWEST_ROWS and 0 < touched.written_bytes <= self._most_bytes:
            written = _Written(event.session_id, touched.writes[0], touched.written_rows)
            if not self._looked_lately(written):
                try:
                    self._waiting.put_nowait(written)
                except queue.Full:
                    log.debug("too many tables wait for their statistics")

    def _looked_lately(self, written: _Written) -> bool:
        rows = self._looked.get((written.session_id, written.table), 0)
        return rows <= written.rows * _CHANGE and written.rows <= rows * _CHANGE

    def _run(self) -> None:
        while not self._stopping.is_set():
            written = self._waiting.get()
            if written is not None and self._quiet() and not self._looked_lately(written):
                self._compute(written)

    def _quiet(self) -> bool:
        """Waits until no statement runs, or for long enough; False when the server stops."""
        deadline = time.monotonic() + _MOST_PATIENCE_SECONDS
        while self._statements.running and time.monotonic() < deadline:
            if self._stopping.wait(_LOOK_SECONDS):
                return False
        return not self._stopping.is_set()

    def _compute(self, written: _Written) -> None:
        session = self._session(written.session_id)
        if session is None or session.closed:
            return
        self._looked[written.session_id, written.table] = written.rows
        while len(self._looked) > _MOST_REMEMBERED:
            self._looked.popitem(last=False)
        try:
            call = session.ask("statisticsCall", written.table)["call"]
            if call is not None:
                self._statements.submit_aside(session, call)
        except SqeError as error:
            log.debug("%s has no new statistics: %s", written.table, error.code.name)
        except Exception:
            log.exception("the statistics of a table could not be computed")
