"""All statements of the door: their threads, who may see them, and when they are forgotten."""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
import time
from collections.abc import Callable

from sqe import errors
from sqe.doors.trino.callers import KnownLogin
from sqe.doors.trino.request import ClientRequest
from sqe.doors.trino.statement import Budget, End, Statement
from sqe.errors import SqeError
from sqe.limits import CallsAtOnce
from sqe.session import Session

log = logging.getLogger("sqe.trino")

# How long a client whose connection broke can ask for the last page again, while there is room for it.
LAST_PAGE_SECONDS = 60.0
LAST_PAGES_BYTES = 64 << 20

Run = Callable[[Statement], End]


class Statements:
    """Lives in the loop's thread, but for the threads that run statements."""

    def __init__(self, run: Run, calls: CallsAtOnce, abandoned_seconds: float) -> None:
        self._run = run
        self._calls = calls
        self._abandoned_seconds = abandoned_seconds
        self._budget = Budget()
        self._by_id: dict[str, Statement] = {}
        self._threads: set[threading.Thread] = set()
        self._refusing = False

    def start(self, known: KnownLogin, session: Session, sql: str, client: ClientRequest) -> Statement:
        """Raises `TooManyRequests`."""
        if self._refusing:
            raise errors.shutting_down()
        self._calls.begin(session.identity.user)
        statement = Statement(secrets.token_hex(16), known, session, sql, client, self._budget, asyncio.get_running_loop())
        thread = threading.Thread(target=self._thread, args=(statement,), name="sqe-trino-statement", daemon=True)
        self._threads.add(thread)
        try:
            thread.start()
        except BaseException:
            self._threads.discard(thread)
            self._calls.end(statement.user)
            raise
        self._by_id[statement.id] = statement
        return statement

    def find(self, query_id: str, user: str) -> Statement | None:
        """One's own; somebody else's is none."""
        statement = self._by_id.get(query_id)
        return statement if statement is not None and statement.user == user else None

    def all(self) -> list[Statement]:
        return list(self._by_id.values())

    async def sweep(self) -> None:
        """For ever: ends what nobody asks for, and forgets what was had."""
        while True:
            await asyncio.sleep(1.0)
            try:
                await self._sweep()
            except Exception:
                log.exception("the sweep of statements met a defect")

    async def _sweep(self) -> None:
        now = time.monotonic()
        held = 0
        for statement in sorted(self.all(), key=lambda each: -(each.ended_at or now)):
            if statement.ended_at is not None:
                held += statement.held
                if held > LAST_PAGES_BYTES or now - statement.ended_at > LAST_PAGE_SECONDS:
                    self._by_id.pop(statement.id, None)
            elif now - statement.seen > self._abandoned_seconds:
                if statement.over:  # its client never came for the rest
                    self._by_id.pop(statement.id, None)
                reason = SqeError(errors.ABANDONED_QUERY, "Nobody came for the rows of this statement")
                await asyncio.to_thread(statement.cancel, reason)

    def drain(self) -> None:
        """From any thread: nothing new begins, what runs goes on."""
        self._refusing = True

    def close(self, grace_seconds: float) -> None:
        """From any thread: ends what runs and waits for its threads."""
        self.drain()
        for statement in self.all():
            statement.cancel(errors.shutting_down())
        deadline = time.monotonic() + grace_seconds
        for thread in list(self._threads):
            thread.join(max(0.0, deadline - time.monotonic()))

    @property
    def running(self) -> int:
        return len(self._threads)

    @property
    def unread(self) -> int:
        """From any thread: those whose clients do not have all of them yet and may come for it."""
        return sum(statement.ended_at is None and not statement.left for statement in self.all())

    def _thread(self, statement: Statement) -> None:
        try:
            statement.end(self._run(statement))
        except SqeError as error:
            statement.end(End(error))
        except Exception:
            log.exception("statement %s met a defect", statement.id)
            statement.end(End(errors.internal()))
        finally:
            self._calls.end(statement.user)
            self._threads.discard(threading.current_thread())
