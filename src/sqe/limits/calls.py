"""How many calls of one user may be under way at once: each holds a thread, also one that waits for its client."""

from __future__ import annotations

import threading
from collections import Counter

from sqe.limits.refusals import Refusals


class CallsAtOnce:
    """`begin` and `end` belong together. 0 is no limit."""

    def __init__(self, most_per_user: int, refusals: Refusals) -> None:
        self._most = most_per_user
        self._refusals = refusals
        self._lock = threading.Lock()
        self._open: Counter[str] = Counter()

    def begin(self, user: str) -> None:
        """Raises `TooManyRequests`; there is nothing to end then."""
        with self._lock:
            full = bool(self._most) and self._open[user] >= self._most
            if not full:
                self._open[user] += 1
        if full:
            raise self._refusals.refused("calls_per_user", "Too many calls are under way", 1, user=user)

    def end(self, user: str) -> None:
        with self._lock:
            self._open[user] -= 1
            if not self._open[user]:
                del self._open[user]

    def under_way(self) -> int:
        return self._open.total()
