"""What a refused client hears, and what the operator sees of it: every refusal in the metrics, one a second in the log."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping

from sqe.errors import TOO_MANY_REQUESTS, SqeError

log = logging.getLogger("sqe.limits")

SECONDS_BETWEEN_LINES = 1.0
LONGEST_TEXT = 128


class TooManyRequests(SqeError):
    """A limit was met; `retry_after` is in whole seconds, for HTTP's `Retry-After` and Flight's details."""

    def __init__(self, message: str, retry_after: float) -> None:
        self.retry_after = max(1, math.ceil(retry_after))
        super().__init__(TOO_MANY_REQUESTS, message, hint=f"try again in {self.retry_after} s")


class SparseLog:
    """At most one line a second for each event: whoever can make a server write can fill its disk.

    The next line that is written says how many were not.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._written: dict[str, float] = {}
        self._unwritten: Counter[str] = Counter()

    def warning(self, event: str, facts: Mapping[str, str | None]) -> None:
        """`event` is one of a few fixed texts; `facts` may come from strangers."""
        with self._lock:
            now = self._clock()
            if now - self._written.get(event, -math.inf) < SECONDS_BETWEEN_LINES:
                self._unwritten[event] += 1
                return
            self._written[event] = now
            unwritten = self._unwritten.pop(event, None)
        shown = {name: text[:LONGEST_TEXT] if text else None for name, text in facts.items()}
        log.warning(event, extra={**shown, "not_written": unwritten})


class Refusals:
    """Counts refusals and log-ins, and writes the log's lines about them. Thread-safe."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = SparseLog(clock)
        self._lock = threading.Lock()
        self._refused: Counter[str] = Counter()
        self._logins: Counter[str] = Counter()

    def refused(self, limit: str, message: str, retry_after: float, **facts: str | None) -> TooManyRequests:
        """The error to raise. `limit` is the key of sqe.toml that was met; the client does not learn it."""
        with self._lock:
            self._refused[limit] += 1
        self._log.warning(f"refused by {limit}", facts)
        return TooManyRequests(message, retry_after)

    def login_ended(self, outcome: str, **facts: str | None) -> None:
        """`succeeded`, `failed`, or `unavailable` when an identity provider could not answer."""
        with self._lock:
            self._logins[outcome] += 1
        if outcome != "succeeded":
            self._log.warning(f"log-in {outcome}", facts)

    def by_limit(self) -> dict[str, int]:
        with self._lock:
            return dict(self._refused)

    def logins(self) -> dict[str, int]:
        with self._lock:
            return dict(self._logins)
