"""An engine that may be down, slow or talking nonsense: it gets a time limit and a breaker, and its failure means "denied"."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from sqe.policy.contract import TablePolicy
from sqe.policy.engine import ColumnsNeeded, Engine, Outage, Question

log = logging.getLogger("sqe.policy")

T = TypeVar("T")
Clock = Callable[[], float]

_OUTAGES_TO_OPEN = 3
_PAUSE_SECONDS = 5.0
_REMINDER_SECONDS = 60.0
# Threads that wait for one engine. When all of them hang, callers are refused after the time limit without a new one.
_THREADS = 16


class Unavailable(Exception):
    """The engine did not answer; its operator has been told."""


class Breaker:
    """After three outages in a row an engine is left alone for five seconds, then tried once. The operator is told once."""

    def __init__(self, engine: str, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock
        self._lock = threading.Lock()
        self._outages = 0
        self._closed_until = 0.0
        self._told_at: float | None = None

    def admit(self) -> None:
        with self._lock:
            if self._outages < _OUTAGES_TO_OPEN:
                return
            if self._clock() < self._closed_until:
                raise Unavailable
            self._closed_until = self._clock() + _PAUSE_SECONDS  # this caller tries; others wait for what it finds

    def outage(self, why: str) -> Unavailable:
        with self._lock:
            self._outages += 1
            self._closed_until = self._clock() + _PAUSE_SECONDS
        return self.failed(why)

    def failed(self, why: str) -> Unavailable:
        """Outages alone open the breaker: nobody shuts an engine for all by asking for something that it fails on."""
        now = self._clock()
        with self._lock:
            tell = self._told_at is None or now - self._told_at >= _REMINDER_SECONDS
            if tell:
                self._told_at = now
        if tell:
            log.error("policy engine %s does not decide, so everything it is asked for is denied: %s", self._engine, why)
        return Unavailable()

    def succeeded(self) -> None:
        with self._lock:
            recovered = self._outages >= _OUTAGES_TO_OPEN
            self._outages = 0
            if recovered:
                self._told_at = None
        if recovered:
            log.warning("policy engine %s decides again", self._engine)


class Guard:
    """One engine behind a time limit. Its version and its decisions have a breaker each: one may work without the other."""

    def __init__(self, engine: Engine, timeout_seconds: float, clock: Clock = time.monotonic) -> None:
        self.engine = engine
        self._timeout = timeout_seconds
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix=f"sqe-policy-{engine.name}")
        self._versions = Breaker(engine.name, clock)
        self._decisions = Breaker(engine.name, clock)

    def version(self) -> str:
        self._versions.admit()
        return self._result(self._pool.submit(self.engine.version), self._versions)

    def admit(self) -> None:
        """Once for a decision, however often the engine is asked on the way to it: it may want columns first."""
        self._decisions.admit()

    def begin(self, question: Question) -> Future[Sequence[TablePolicy]]:
        """Asks without waiting, so that engines answer at the same time."""
        return self._pool.submit(self._checked, question)

    def finish(self, asked: Future[Sequence[TablePolicy]]) -> Sequence[TablePolicy]:
        return self._result(asked, self._decisions)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        self.engine.close()

    def _result(self, asked: Future[T], breaker: Breaker) -> T:
        try:
            found = asked.result(self._timeout)
        except TimeoutError:
            asked.cancel()
            raise breaker.outage(f"no answer within {self._timeout:g} s") from None
        except ColumnsNeeded:
            raise
        except Outage as failure:
            raise breaker.outage(str(failure)) from None
        except Exception as failure:  # noqa: BLE001 - whatever an engine raises, the answer is "denied"
            # The class and one line: the text may hold an address, never a value of a row.
            first, *_ = str(failure).splitlines() or [""]
            raise breaker.failed(f"{type(failure).__name__}: {first[:200]}") from None
        breaker.succeeded()
        return found

    def _checked(self, question: Question) -> Sequence[TablePolicy]:
        answers = self.engine.decide(question)
        if [answer.table for answer in answers] != list(question.tables):
            raise ValueError("answers for other tables than were asked for")
        return answers
