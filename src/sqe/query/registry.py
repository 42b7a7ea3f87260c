"""Running queries and the recent past, by id."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from sqe.query.events import QueryEvent

if TYPE_CHECKING:
    from sqe.query.running import Query

_REMEMBERED = 200
_REMEMBERED_TEXT = 10_000  # a statement may have megabytes


class Registry:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, Query] = {}
        self._ended: deque[QueryEvent] = deque(maxlen=_REMEMBERED)

    def add(self, query: Query) -> None:
        with self._lock:
            self._running[query.id] = query

    def end(self, query: Query) -> None:
        with self._lock:
            if self._running.pop(query.id, None) is not None:
                ended = query.snapshot()
                self._ended.append(replace(ended, sql=ended.sql[:_REMEMBERED_TEXT]))

    def find(self, query_id: str) -> Query | None:
        with self._lock:
            return self._running.get(query_id)

    def running(self) -> list[Query]:
        with self._lock:
            return list(self._running.values())

    def recent(self) -> list[QueryEvent]:
        with self._lock:
            return list(self._ended)
