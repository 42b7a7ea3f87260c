"""How many statements run at once, and how many may wait for their turn: first come, first served."""

from __future__ import annotations

import threading
from collections import deque

from sqe import errors
from sqe.errors import SqeError


class Admission:
    """A bounded number of slots with a bounded queue before them."""

    def __init__(self, max_concurrent: int, max_queued: int) -> None:
        self.lock = threading.Lock()
        self.free = max_concurrent
        self.room = max_queued
        self.waiting: deque[Turn] = deque()

    def turn(self) -> Turn:
        return Turn(self)


class Turn:
    """One statement's place: first in the queue, then in a slot, which `leave` gives to the next one."""

    def __init__(self, admission: Admission) -> None:
        self._admission = admission
        self._called = threading.Event()
        self._holds_slot = False
        self._refusal: SqeError | None = None

    def take(self, patience_seconds: float | None) -> None:
        """Waits for a slot. Raises what `give_up` was told meanwhile."""
        admission = self._admission
        with admission.lock:
            if self._refusal is not None:
                raise self._refusal
            if admission.free > 0:
                admission.free -= 1
                self._holds_slot = True
                return
            if len(admission.waiting) >= admission.room:
                raise SqeError(
                    errors.QUERY_QUEUE_FULL, f"{admission.room} statements are waiting already", hint="query.max_queued"
                )
            admission.waiting.append(self)
        if not self._called.wait(patience_seconds):
            self.give_up(SqeError(errors.EXCEEDED_TIME_LIMIT, "The statement's time limit ran out while it waited for its turn"))
        if not self._holds_slot and self._refusal is not None:
            raise self._refusal

    def give_up(self, reason: SqeError) -> None:
        """From any thread; a statement that has its slot keeps it."""
        with self._admission.lock:
            if self._holds_slot:
                return
            self._refusal = self._refusal or reason
            if self in self._admission.waiting:
                self._admission.waiting.remove(self)
        self._called.set()

    def leave(self) -> None:
        with self._admission.lock:
            if not self._holds_slot:
                return
            self._holds_slot = False
            if self._admission.waiting:
                following = self._admission.waiting.popleft()
                following._holds_slot = True
                following._called.set()
            else:
                self._admission.free += 1
