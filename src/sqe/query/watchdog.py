"""Ends statements that ran too long, and those whose rows nobody came for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from sqe import errors
from sqe.errors import SqeError
from sqe.query.looks import Looks
from sqe.query.registry import Registry
from sqe.session import Session

_SWEEP_SECONDS = 0.25


class Watchdog:
    def __init__(
        self, registry: Registry, looks: Looks, time_limit: Callable[[Session], float], abandoned_seconds: float
    ) -> None:
        self._registry = registry
        self._looks = looks
        self._time_limit = time_limit
        self._abandoned_seconds = abandoned_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sqe-watchdog", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(_SWEEP_SECONDS):
            now = time.monotonic()
            for query in self._registry.running():
                limit = self._time_limit(query.session)
                if query.session.closed:
                    query.cancel(SqeError(errors.USER_CANCELED, "The session was closed"))
                elif limit and now - query.started > limit:
                    query.cancel(_too_long(limit))
                elif query.planned and not query.streaming and now - query.planned > self._abandoned_seconds:
                    query.cancel(SqeError(errors.ABANDONED_QUERY, "Nobody came for the rows of this statement"))
            for look in self._looks.all():
                limit = self._time_limit(look.session)
                if limit and now - look.started > limit:
                    look.cancel(_too_long(limit))


def _too_long(limit: float) -> SqeError:
    return SqeError(errors.EXCEEDED_TIME_LIMIT, f"The statement exceeded its time limit of {limit:g} s")
