"""One statement on its way: its state, its rows, its end. Doors get it from the handler and must close it."""

from __future__ import annotations

import base64
import logging
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sqe import errors
from sqe.engine.driver import Driver
from sqe.engine.stream import RowStream
from sqe.engine.touched import NOTHING, Touched
from sqe.errors import SqeError
from sqe.query.admission import Turn
from sqe.query.events import QueryEvent, State
from sqe.query.statements import StatementClass
from sqe.session import Session
from sqe.sql.dialect import ResultColumn

log = logging.getLogger("sqe.query")

NO_COLUMNS = pa.schema([])
_DEEPEST_TYPE = 60  # Arrow's readers give up at 64


@dataclass(frozen=True)
class Progress:
    """How far Spark is with a statement."""

    completed_tasks: int
    total_tasks: int
    active_tasks: int
    rows: int


class Query:
    """Created by the handler only. Safe to cancel and to close from any thread."""

    def __init__(
        self,
        session: Session,
        sql: str,
        door: str,
        driver: Driver,
        turn: Turn,
        max_rows: int,
        on_change: Callable[[Query], None],
        id: str | None = None,
    ) -> None:
        # 128 random bits: the id is also the key to the rows on the driver's socket.
        self.id = id or secrets.token_hex(16)
        self.session = session
        self.sql = sql
        self.door = door
        self.turn = turn
        self.statement = StatementClass.UNKNOWN
        self.schema = NO_COLUMNS
        self.columns: tuple[ResultColumn, ...] | None = None  # in the words of the session's dialect, where that has its own
        self.affected_rows: int | None = None
        self.touched: Touched = NOTHING
        self.state = State.QUEUED
        self.error: SqeError | None = None
        self.rows = 0
        self.bytes = 0
        self.started = time.monotonic()
        self.created = time.time()
        self.planned: float | None = None  # when the schema was known
        self.streaming = False
        self._ended_at: float | None = None
        self._driver = driver
        self._max_rows = max_rows
        self._on_change = on_change
        self._lock = threading.RLock()  # held while observers are told: they see the states in their order
        self._stop_error: SqeError | None = None
        self._local: list[pa.RecordBatch] | None = None
        self._stream: RowStream | None = None
        self._in_engine = False

    # What the handler tells the query.

    def queued(self) -> None:
        self._on_change(self)

    def begin(self, state: State) -> None:
        with self._lock:
            self.check()
            self.state = state
            self._on_change(self)

    def check(self) -> None:
        """Raises what stopped the statement, if something did."""
        if self._stop_error is not None:
            raise self._stop_error

    def answered_locally(self, table: pa.Table) -> None:
        """The rows are here, made by SQE itself."""
        self.schema = table.schema
        self._local = table.to_batches()
        self.planned = time.monotonic()

    def answered_by_engine(self, answer: dict[str, Any]) -> None:
        self.schema = decode_schema(answer["schema"])
        self.affected_rows = answer["affected"]
        self.touched = Touched.of(answer)
        if answer.get("inline") is not None:
            self._in_engine = False
            with pa.ipc.open_stream(base64.b64decode(answer["inline"])) as reader:
                self._local = [batch for batch in reader if batch.num_rows]
        with self._lock:
            self.planned = time.monotonic()
            if self.schema.names:
                self.check()

    def kept_here(self) -> Iterator[pa.RecordBatch]:
        """The rows, for the handler itself: the client gets none of them."""
        with self._lock:
            self.check()
            self.streaming = True
        for batch in self._source():
            self.check()
            yield batch
        self.check()

    def wrote(self, rows: int) -> None:
        """The rows went elsewhere; the client learns their number."""
        self.schema, self._local, self.affected_rows, self.streaming = NO_COLUMNS, None, rows, False

    def entered_engine(self) -> None:
        with self._lock:
            self.check()
            self._in_engine = True

    def failed(self, error: SqeError) -> SqeError:
        """The statement's one end by failure; what stopped it (a limit, a cancel) is the better error to show."""
        shown = self._stop_error or error
        self.touched = error.touched or self.touched
        self._end(State.CANCELED if shown.code is errors.USER_CANCELED else State.FAILED, shown)
        return shown

    def finished(self) -> None:
        self._end(State.FINISHED, None)

    # What doors do with it.

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows, as they come. Leaving the iteration early cancels the job behind it."""
        with self._lock:
            if self.streaming:
                raise SqeError(errors.GENERIC_USER_ERROR, "The rows of this statement were taken already")
            self.check()
            self.streaming = True
        try:
            for batch in self._source():
                self.check()
                self.rows += batch.num_rows
                self.bytes += batch.get_total_buffer_size()  # nbytes crashes on empty lists of lists (pyarrow 26)
                if self._max_rows and self.rows > self._max_rows:
                    raise SqeError(
                        errors.EXCEEDED_RESULT_ROW_LIMIT, f"The result has more than {self._max_rows} rows", hint="add a LIMIT"
                    )
                yield batch
            self.check()
            self.finished()
        except SqeError as error:
            raise self.failed(error) from None
        except Exception:
            log.exception("the rows of query %s met a defect", self.id)
            raise self.failed(errors.internal()) from None
        finally:
            self.close()

    def read_all(self) -> pa.Table:
        return pa.Table.from_batches(self.batches(), self.schema)

    def cancel(self, reason: SqeError | None = None) -> None:
        with self._lock:
            if self.state.ended or self._stop_error:
                return
            self._stop_error = stop = reason or SqeError(errors.USER_CANCELED, "The statement was cancelled")
        self.turn.give_up(stop)
        if self.planned is None:
            self._tell_driver("cancel")  # `submit` is on its way in another thread and ends with this
            return
        # Ended here and now: a reader that stands still would never notice.
        self.failed(stop)

    def close(self) -> None:
        """Idempotent. A query that is not at its end is cancelled."""
        if self.state.ended:
            return
        if self.planned is not None and (self._local is not None or not self.schema.names):
            self.finished()
            return
        self.cancel()
        self.failed(self._stop_error or errors.internal())

    def progress(self) -> Progress:
        facts: dict[str, int] = {}
        if self._in_engine and not self.state.ended and self._driver.ready:
            try:
                facts = self._driver.call("progress", self.id)
            except SqeError as error:
                log.debug("no progress of %s: %s", self.id, error)
        return Progress(facts.get("completed_tasks", 0), facts.get("total_tasks", 0), facts.get("active_tasks", 0), self.rows)

    def snapshot(self) -> QueryEvent:
        elapsed = (self._ended_at or time.monotonic()) - self.started
        return QueryEvent(
            query_id=self.id,
            session_id=self.session.id,
            identity=self.session.identity,
            door=self.door,
            sql=self.sql,
            statement=self.statement.value,
            state=self.state,
            elapsed_seconds=elapsed,
            rows=self.rows,
            bytes=self.bytes,
            affected_rows=self.affected_rows,
            error=self.error,
            origin=self.session.origin,
            touched=self.touched,
            created=self.created,
        )

    def __enter__(self) -> Query:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _source(self) -> Iterator[pa.RecordBatch]:
        if self._local is not None:
            yield from self._local
            return
        if not self.schema.names:
            return
        stream = RowStream(self._driver.stream_socket, self.id)
        with self._lock:
            self._stream = stream
        try:
            yield from stream.batches()
            self._in_engine = False
        finally:
            with self._lock:
                self._stream = None
            stream.close()

    def _tell_driver(self, what: str) -> None:
        if not self._in_engine or not self._driver.ready:
            return
        try:
            self._driver.call(what, self.id)
        except SqeError as error:
            log.debug("%s of %s was not heard: %s", what, self.id, error)

    def _end(self, state: State, error: SqeError | None) -> None:
        with self._lock:
            if self.state.ended:
                return
            self.state = state
            self.error = error
            self._ended_at = time.monotonic()
            self._local = None
            if self._stream is not None:
                self._stream.abort()
            self._on_change(self)
        self._tell_driver("close")
        self._in_engine = False
        self.turn.leave()


def failed_preparation(session: Session, sql: str, error: SqeError, elapsed_seconds: float) -> QueryEvent:
    """For observers a statement that failed: the client will not come to run it."""
    return QueryEvent(
        query_id=secrets.token_hex(16),
        session_id=session.id,
        identity=session.identity,
        door=session.origin.door,
        sql=sql,
        statement=StatementClass.UNKNOWN.value,
        state=State.FAILED,
        elapsed_seconds=elapsed_seconds,
        error=error,
        origin=session.origin,
        touched=error.touched or NOTHING,
        only_prepared=True,
    )


def decode_schema(encoded: str) -> pa.Schema:
    try:
        schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(encoded)))
    except (pa.ArrowException, OSError):  # Arrow's reader of schemas goes so deep, that of rows half as deep
        raise _too_deep() from None
    if any(_depth(field.type) > _DEEPEST_TYPE for field in schema):
        raise _too_deep()
    return schema


def _depth(kind: pa.DataType) -> int:
    return 1 + max((_depth(kind.field(index).type) for index in range(kind.num_fields)), default=0)


def _too_deep() -> SqeError:
    return SqeError(errors.NOT_SUPPORTED, f"A column's type is nested more than {_DEEPEST_TYPE} levels deep")
