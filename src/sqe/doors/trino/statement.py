"""One statement between the thread that runs it and the client that polls for it.

The thread adds chunks of rows and waits when a few lie there unread; the client takes all that lie there as its next page. The
page that was taken last is kept, because a client whose connection broke asks for it again.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Any

from sqe import errors
from sqe.doors.trino.callers import KnownLogin
from sqe.doors.trino.changes import NONE, Changes
from sqe.doors.trino.pages import Chunk, data_of
from sqe.doors.trino.request import ClientRequest
from sqe.doors.trino.results import NO_PROGRESS, Address, Facts, Head, Slug, document
from sqe.errors import SqeError
from sqe.query.running import Progress, Query
from sqe.session import Session

# Rows that wait for their client: this much of one statement, and of all together.
BUFFERED_BYTES = 4 << 20
BUFFERED_BYTES_OF_ALL = 256 << 20


class Budget:
    """What all statements of the door hold. Beyond the limit each may still have one chunk, so that all get on."""

    def __init__(self, most: int = BUFFERED_BYTES_OF_ALL) -> None:
        self._most = most
        self._held = 0
        self._lock = threading.Lock()

    def change(self, size: int) -> None:
        with self._lock:
            self._held += size

    @property
    def held(self) -> int:
        return self._held

    @property
    def exhausted(self) -> bool:
        return self._held >= self._most


class Stopped(Exception):
    """To the thread that runs a statement: nobody wants more rows."""


class Missing(Enum):
    """Why there is no page for a token."""

    UNKNOWN = 404
    GONE = 410


@dataclass(frozen=True)
class Page:
    body: bytes
    changes: Changes
    encoding: str | None
    compressible: bool = True


@dataclass(frozen=True)
class End:
    """How it ended: all is known."""

    error: SqeError | None = None
    update_type: str | None = None
    update_count: int | None = None
    changes: Changes = NONE


class Statement:
    """Thread-safe. The loop's side never blocks; the thread's side does, in `add`."""

    def __init__(
        self,
        query_id: str,
        known: KnownLogin,
        session: Session,
        sql: str,
        client: ClientRequest,
        budget: Budget,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.id = query_id
        self.login = known
        self.session = session
        self.user = session.identity.user
        self.sql = sql
        self.client = client
        self.started = time.monotonic()
        self.seen = time.monotonic()  # when its client was last here
        self.query: Query | None = None
        self.progress: Progress = NO_PROGRESS
        self.asking: asyncio.Future[Progress] | None = None  # the driver, how far it is
        self.slug = Slug()
        self.changed = asyncio.Event()
        self.warnings: list[str] = []
        self._loop = loop
        self._budget = budget
        self._lock = threading.Condition()
        self._columns: Sequence[dict[str, Any]] | None = None
        self._update_type: str | None = None
        self._chunks: deque[Chunk] = deque()
        self._size = 0
        self._last: tuple[int, Page] | None = None
        self._next: int | None = 0
        self._end: End | None = None
        self._early = False
        self._stopping = False
        self._cancel_error: SqeError | None = None
        self.ended_at: float | None = None  # when its client had all of it
        self.left = False  # its client said that it does not come for the rest

    # What its thread tells.

    def known(self, query: Query) -> None:
        with self._lock:
            self.query = query
            stop = self._cancel_error
        if stop is not None:
            query.cancel(stop)

    def describe(self, columns: Sequence[dict[str, Any]], update_type: str | None = None) -> None:
        """JDBC takes a statement with columns and without an update type for a query, and reads no further than it must."""
        with self._lock:
            self._columns, self._update_type = columns, update_type
        self._tell(self.changed)

    def add(self, chunk: Chunk, *, last: bool = False) -> None:
        """Waits while enough rows lie there. Raises `Stopped`. The `last` one goes out with the end, in one page."""
        with self._lock:
            while not self._stopping and self._size and (self._size >= BUFFERED_BYTES or self._budget.exhausted):
                self._lock.wait(1.0)  # not for ever: others may have given the budget back
            if self._stopping:
                raise Stopped
            self._chunks.append(chunk)
            self._hold(len(chunk.text))
        if not last:
            self._tell(self.changed)

    def end(self, end: End) -> None:
        with self._lock:
            if self._end is not None:
                return
            if self._early and end.error is not None and end.error.code is errors.USER_CANCELED:
                end = End()
            self._end = end
            self._update_type = end.update_type
            if end.error is not None:
                self._drop()
            elif self._columns is None:
                self._columns = []
        self._tell(self.changed)

    # What its client asks.

    @property
    def over(self) -> bool:
        """Nothing runs any more."""
        return self._end is not None

    @property
    def held(self) -> int:
        return self._size + (len(self._last[1].body) if self._last else 0)

    def fits(self, slug: str, token: int) -> bool:
        return self.slug.fits(slug, token)

    def check(self, token: int) -> Missing | Page | None:
        """Whether there can be a page for the token; the page itself when it was taken before."""
        with self._lock:
            if self._last is not None and token == self._last[0]:
                return self._last[1]
            if self._last is not None and token < self._last[0]:
                return Missing.GONE
            return None if token == self._next else Missing.UNKNOWN

    def page(self, token: int, address: Address, *, at_once: bool) -> Page | None:
        """The next page: with rows, or the last one. None when there is nothing new, unless the client waits no longer."""
        with self._lock:
            if self._last is not None and token == self._last[0]:
                return self._last[1]
            if token != self._next or not (at_once or self._chunks or self._end):
                return None
            chunks = list(self._chunks)
            self._chunks.clear()
            self._hold(-self._size)
            last = self._end is not None
            self._next = None if last else token + 1
            page = self._made(chunks, address, last)
            self._last = (token, page)
            if last:
                self.ended_at = time.monotonic()
            self._lock.notify_all()
            return page

    def first(self, address: Address) -> Page:
        """The answer to the request that started it: where to come back."""
        with self._lock:
            if self._end is not None and self._end.error is not None:
                self._next = None
                self.ended_at = time.monotonic()
                return self._made([], address, last=True)
            self._next = 1
            return self._made([], address, last=False)

    def cancel(self, reason: SqeError | None = None) -> None:
        """May take a moment, in which the driver is told: not for the loop's thread."""
        stop = reason or SqeError(errors.USER_CANCELED, "Query was canceled")
        with self._lock:
            if self._end is not None:
                self._drop()
                return
            self._stopping = True
            self._cancel_error = stop
            query = self.query
            self._drop()
            self._lock.notify_all()
        if query is not None:
            query.cancel(stop)

    def finish_early(self) -> None:
        """The client has seen enough: the rows that are here are the result."""
        with self._lock:
            if self._end is not None:
                return
            self._early = self._stopping = True
            query = self.query
            self._lock.notify_all()
        if query is not None:
            query.cancel()

    @property
    def stop_error(self) -> SqeError | None:
        return self._cancel_error

    def facts(self) -> Facts:
        query, end = self.query, self._end
        if end is not None and self._next is None:
            state = "FAILED" if end.error else "FINISHED"
        elif query is None:
            state = "QUEUED"
        else:
            state = query.state.value if not query.state.ended else "FINISHING"
        elapsed = time.monotonic() - self.started
        rows, size = (query.rows, query.bytes) if query is not None else (0, 0)
        return Facts(state, elapsed, elapsed if state == "QUEUED" else 0.0, self.progress, rows, size)

    def _made(self, chunks: list[Chunk], address: Address, last: bool) -> Page:
        end = self._end if last else None
        following = self._next
        uri = cancel_uri = None
        if following is not None:
            state = "queued" if self.query is None or self.query.state.value == "QUEUED" else "executing"
            uri = address.page(state, self.id, self.slug.of(following), following)
            cancel_uri = address.partial_cancel(self.id, self.slug.of(following), following) if state == "executing" else None
        head = Head(
            self.id,
            address.info(self.id),
            self.facts(),
            next_uri=uri,
            partial_cancel_uri=cancel_uri,
            columns=self._columns,
            error=end.error if end else None,
            warnings=tuple(self.warnings),
            update_type=self._update_type,
            update_count=end.update_count if end else None,
        )
        encoding = self.client.encoding
        data = data_of(chunks, encoding) if chunks else None
        compressed = encoding not in (None, "json") and data is not None
        return Page(document(head, data), end.changes if end else NONE, encoding, not compressed)

    def _drop(self) -> None:
        self._chunks.clear()
        self._hold(-self._size)

    def _hold(self, size: int) -> None:
        self._size += size
        self._budget.change(size)

    def _tell(self, event: asyncio.Event) -> None:
        with suppress(RuntimeError):  # the door has closed
            self._loop.call_soon_threadsafe(event.set)
