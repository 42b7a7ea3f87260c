"""How parts of the product tell others what happened, without waiting for them or depending on them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Generic, TypeVar

log = logging.getLogger("sqe")

E = TypeVar("E")


class Observers(Generic[E]):
    """Delivers events, on the thread where they happen; an observer that fails is logged and never disturbs what it observes."""

    def __init__(self) -> None:
        self._observers: list[Callable[[E], None]] = []

    def subscribe(self, observer: Callable[[E], None]) -> None:
        self._observers.append(observer)

    def publish(self, event: E) -> None:
        for observer in self._observers:
            try:
                observer(event)
            except Exception:
                log.exception("an observer of %s failed", type(event).__name__)
