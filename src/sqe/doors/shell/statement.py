"""One statement of one connection: run, rendered, streamed, cancelled."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sqe import errors
from sqe.doors.shell import wire
from sqe.errors import SqeError
from sqe.render.writer import Layout, open_writer

if TYPE_CHECKING:
    from sqe.doors.shell.channel import Channel
    from sqe.doors.shell.host import Engine
    from sqe.query.running import Query
    from sqe.session import Session

log = logging.getLogger("sqe.doors.shell")

DOOR = "shell"

# A progress frame costs a call to the driver.
PROGRESS_SECONDS = 0.25


class RunningStatement:
    """`run` in one thread; `cancel` from another."""

    def __init__(self, engine: Engine, session: Session, channel: Channel, request: dict[str, Any]) -> None:
        self._engine = engine
        self._session = session
        self._channel = channel
        self._sql = str(request["sql"])
        self._layout = Layout(str(request.get("format", "table")), int(request.get("width", 0)))
        self._wants_progress = bool(request.get("progress"))
        self._ended = threading.Event()
        self._cancelled = False

    def run(self) -> None:
        """Answers with END or ERROR whatever happens, unless the client is gone."""
        started = time.monotonic()
        ticker = self._start_ticker()
        try:
            end = self._execute()
        except SqeError as error:
            self._fail(error, ticker)
            return
        except wire.ConnectionLost:
            raise
        except Exception:
            log.exception("a statement met a defect of the door")
            self._fail(errors.internal(), ticker)
            return
        finally:
            self._finish(ticker)
        end["elapsed"] = round(time.monotonic() - started, 6)
        self._channel.send(wire.END, end)

    def cancel(self) -> None:
        """Cancels the statement, even when the handler has not seen it yet; returns when it has ended."""
        self._cancelled = True
        while not self._ended.is_set():
            for event in self._engine.handler.queries():
                if event.session_id == self._session.id and not event.state.ended:
                    self._engine.handler.cancel(self._session, event.query_id)
            # A statement that is queued is not yet in the registry: then this is tried again.
            if self._ended.wait(0.05):
                return

    def _execute(self) -> dict[str, Any]:
        if self._cancelled:
            raise SqeError(errors.USER_CANCELED, "The statement was cancelled")
        with self._engine.handler.submit(self._session, self._sql, door=DOOR) as query:
            rows = self._stream(query) if query.schema.names else 0
            return {
                "statement": query.statement.value,
                "columns": len(query.schema.names),
                "rows": rows,
                "affected": query.affected_rows,
            }

    def _stream(self, query: Query) -> int:
        try:
            writer = open_writer(query.schema, self._layout, self._channel.output)
            rows = 0
            for batch in query.batches():
                rows += batch.num_rows
                writer.add(batch)
            writer.finish()
            return rows
        except pa.ArrowException as error:
            log.warning("query %s cannot be written as %s: %s", query.id, self._layout.format, error)
            text = f"The result cannot be written as {self._layout.format}: {str(error).splitlines()[0]}"
            raise SqeError(errors.NOT_SUPPORTED, text) from None

    def _start_ticker(self) -> threading.Thread | None:
        if not self._wants_progress:
            return None
        ticker = threading.Thread(target=self._tick, name="sqe-shell-progress", daemon=True)
        ticker.start()
        return ticker

    def _fail(self, error: SqeError, ticker: threading.Thread | None) -> None:
        self._finish(ticker)
        self._channel.send(wire.ERROR, {"code": error.code.name, "text": error_text(error)})

    def _finish(self, ticker: threading.Thread | None) -> None:
        """No progress frame may follow the end of the statement."""
        self._ended.set()
        if ticker is not None:
            ticker.join()

    def _tick(self) -> None:
        while not self._ended.wait(PROGRESS_SECONDS):
            progress = self._engine.handler.progress(self._session)
            if progress is None:
                continue
            step = {
                "completed": progress.completed_tasks,
                "total": progress.total_tasks,
                "active": progress.active_tasks,
                "rows": progress.rows,
            }
            try:
                self._channel.send(wire.PROGRESS, step)
            except wire.ConnectionLost:
                return


def error_text(error: SqeError) -> str:
    """The sentence without its code, which travels beside it."""
    return str(error).removeprefix(f"{error.code.name}: ")
