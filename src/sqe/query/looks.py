"""Statements that are prepared and not run. They take no turn and leave no history; time limits and cancels hold for them too."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from typing import Any

from sqe import errors
from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.session import Session

log = logging.getLogger("sqe.query")


class Look:
    """One look at one statement. Safe to cancel from any thread, before and while it waits for a catalog that does not answer."""

    def __init__(self, session: Session, driver: Driver) -> None:
        self.id = secrets.token_hex(16)
        self.session = session
        self.started = time.monotonic()
        self._driver = driver
        self._stop_error: SqeError | None = None

    def prepare(self, text: str) -> dict[str, Any]:
        try:
            return self.session.ask("prepare", self.id, text)
        except SqeError as error:
            raise self._stop_error or error from None

    def cancel(self, reason: SqeError | None = None) -> None:
        if self._stop_error is not None or not self._driver.ready:
            return
        self._stop_error = reason or SqeError(errors.USER_CANCELED, "The statement was cancelled")
        try:
            self._driver.call("cancel", self.id)
        except SqeError as error:
            log.debug("cancel of %s was not heard: %s", self.id, error)


class Looks:
    """Those under way."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._looks: set[Look] = set()

    def add(self, look: Look) -> None:
        with self._lock:
            self._looks.add(look)

    def remove(self, look: Look) -> None:
        with self._lock:
            self._looks.discard(look)

    def all(self) -> list[Look]:
        with self._lock:
            return list(self._looks)
