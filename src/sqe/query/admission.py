"""How many statements run at once, and how many may wait for their turn."""

from __future__ import annotations

import threading
import time

from sqe import errors
from sqe.errors import SqeError


class Admission:
    """A bounded number of slots with a bounded queue before them. First come, first served as far as the lock is fair."""

    def __init__(self, max_concurrent: int, max_queued: int) -> None:
        self._free = max_concurrent
        self._room = max_queued
        self._waiting = 0
        self._changed = threading.Condition()

    def enter(self, patience_seconds: float) -> None:
        with self._changed:
            if self._free > 0:
                self._free -= 1
                return
            if self._waiting >= self._room:
                raise SqeError(errors.QUERY_QUEUE_FULL, f"{self._room} statements are waiting already", hint="query.max_queued")
            self._waiting += 1
            deadline = time.monotonic() + patience_seconds
            try:
                while self._free == 0:
                    if not self._changed.wait(max(deadline - time.monotonic(), 0)) and self._free == 0:
                        raise SqeError(errors.EXCEEDED_TIME_LIMIT, "The statement's time limit ran out while it waited for its turn")
                self._free -= 1
            finally:
                self._waiting -= 1

    def leave(self) -> None:
        with self._changed:
            self._free += 1
            self._changed.notify()
