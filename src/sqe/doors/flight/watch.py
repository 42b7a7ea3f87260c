"""Notices that a client went away while its call is busy, and stops what the call was doing.

gRPC tells a server so only when it writes, and a statement may compute for minutes before its first row; ADBC cancels by
dropping the call. So one thread asks all busy calls a few times a second, which costs about a microsecond each.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyarrow import flight

if TYPE_CHECKING:
    from sqe.query.events import QueryEvent
    from sqe.query.handler import QueryHandler
    from sqe.session import Session

log = logging.getLogger("sqe.doors.flight")

INTERVAL_SECONDS = 0.2


class Watch:
    """Calls `gone` for every watched call whose client has left, again and again until the call ends.

    The thread lives from `start` to `stop` and sleeps while no call is busy.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._calls: dict[object, tuple[flight.ServerCallContext, Callable[[], None]]] = {}
        self._stopping = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="sqe-flight-watch", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        with self._changed:
            self._stopping = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    @contextmanager
    def watching(self, context: flight.ServerCallContext, gone: Callable[[], None]) -> Iterator[None]:
        """`context` belongs to gRPC and dies with its call: leave this block before the call ends."""
        key = object()
        with self._changed:
            self._calls[key] = (context, gone)
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._calls.pop(key, None)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._calls or self._stopping)
                if self._stopping:
                    return
                left = [gone for context, gone in self._calls.values() if context.is_cancelled()]
            for gone in left:
                self._call(gone)
            with self._changed:
                self._changed.wait_for(lambda: self._stopping, timeout=INTERVAL_SECONDS)

    def _call(self, gone: Callable[[], None]) -> None:
        try:
            gone()
        except Exception:  # one call's defect must not end the watch of the others
            log.exception("cancelling an abandoned call failed")


@dataclass
class _Submission:
    """A call of `submit` under way: which query it made, and whether somebody wants it gone already."""

    session: Session
    queries: set[str] = field(default_factory=set)
    unwanted: bool = False


class Submissions:
    """Cancels statements that `submit` is still planning or running: when the client leaves, or when it says so.

    The handler gives a query away only when `submit` returns, but it publishes the query's first event from the
    submitting thread, so the thread tells which call it belongs to.
    """

    def __init__(self, handler: QueryHandler, watch: Watch) -> None:
        self._handler = handler
        self._watch = watch
        self._thread = threading.local()
        self._lock = threading.Lock()
        self._running: list[_Submission] = []
        handler.events.subscribe(self._see)

    @contextmanager
    def watching(self, context: flight.ServerCallContext, session: Session) -> Iterator[None]:
        submission = self._thread.submission = _Submission(session)
        with self._lock:
            self._running.append(submission)
        try:
            with self._watch.watching(context, lambda: self._cancel(submission)):
                yield
        finally:
            self._thread.submission = None
            with self._lock:
                self._running.remove(submission)

    def cancel_all(self, session: Session) -> None:
        """Everything that the session is submitting now, from another call of the same client."""
        with self._lock:
            mine = [submission for submission in self._running if submission.session.id == session.id]
        for submission in mine:
            self._cancel(submission)

    def _see(self, event: QueryEvent) -> None:
        submission = getattr(self._thread, "submission", None)
        if submission is None or event.query_id in submission.queries:
            return
        submission.queries.add(event.query_id)
        if submission.unwanted:
            self._cancel(submission)

    def _cancel(self, submission: _Submission) -> None:
        submission.unwanted = True
        for query_id in list(submission.queries):
            self._handler.cancel(submission.session, query_id)
