"""`AuditLog`: the thread that writes the log, and the gate before statements and log-ins.

Events are put into a queue and the caller goes on; redaction, sealing and writing happen in one thread. With
`on_failure = "refuse"` nothing starts whose end might not be written:

- A statement takes a place in the queue before it starts and gives it back when its line is in the file. So the line of a
  statement that started always finds room, and is kept in memory until the file takes it.
- While the last attempt to write has failed, or one has been under way for `STUCK_SECONDS`, statements and log-ins are refused
  at once. While all places are taken they wait `PATIENCE_SECONDS`, then they are refused.
- Statements that run when the log breaks run on. The file is tried again every `RETRY_SECONDS`.

With `on_failure = "continue"` nobody waits and nobody is refused; what finds no room is counted, and the count is written.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from itertools import islice

from sqe import errors
from sqe.config.audit import Audit
from sqe.errors import SqeError
from sqe.identity.events import LoginEvent
from sqe.observe.audit.chain import Chain, Link
from sqe.observe.audit.entries import Event, Lost, Reach, ServerEvent, entry_of, timestamp
from sqe.observe.audit.files import AuditFiles, Entry
from sqe.query.events import QueryEvent

log = logging.getLogger("sqe.audit")

PLACES = 10_000
MOST_TEXT = 64 << 20  # characters of statements that wait
BATCH = 200
PATIENCE_SECONDS = 2.0
STUCK_SECONDS = 10.0
RETRY_SECONDS = 1.0
SYNC_SECONDS = 1.0


class AuditLog:
    """Owned by the server: `start` opens the file, `stop` writes what waits and closes it. Safe to call from any thread."""

    def __init__(self, settings: Audit, reach: Reach, *, places: int = PLACES, clock: Callable[[], float] = time.time) -> None:
        self._refuses = settings.on_failure == "refuse"
        self._syncs = settings.fsync != "never"
        self._sync_seconds = SYNC_SECONDS if settings.fsync == "interval" else 0.0
        self._synced = 0.0
        self._reach = reach
        self._places = places
        self._clock = clock
        self._files = AuditFiles(settings, Chain(settings.hmac_key))
        self._changed = threading.Condition()
        self._waiting: deque[tuple[float, Event]] = deque()
        self._text = 0
        self._taken = 0  # places of statements that run
        self._lost = 0
        self._broken = False
        self._writing_since: float | None = None
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="sqe-audit", daemon=True)

    @property
    def head(self) -> Link | None:
        """The last line that is in the file."""
        return self._files.link

    def start(self) -> None:
        """Raises when nothing could be written and that matters."""
        try:
            self._files.open(self._clock())
        except OSError as refused:
            if self._refuses:
                raise SqeError(errors.CONFIGURATION_INVALID, f"The audit log cannot be written: {_reason(refused)}") from None
            self._failed(refused)
        self.put(ServerEvent("server_started"))
        self._thread.start()

    def stop(self) -> None:
        if self._thread.is_alive():
            self.put(ServerEvent("server_stopped"))
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join()
        self._files.close()

    # The gate.

    def not_writable(self) -> str | None:
        """Why nothing may start now."""
        with self._changed:
            return _UNAVAILABLE if self._refuses and self._is_broken() else None

    def admit_statement(self) -> None:
        """Takes a place for the statement's line; `observe_query` of its end gives it back."""
        if not self._refuses:
            return
        with self._changed:
            self._await_room()
            self._taken += 1

    def admit_login(self) -> None:
        if not self._refuses:
            return
        with self._changed:
            self._await_room()

    def _await_room(self) -> None:
        if not self._is_broken():
            self._changed.wait_for(lambda: self._has_room() or self._is_broken(), PATIENCE_SECONDS)
        if self._is_broken() or not self._has_room():
            raise SqeError(errors.AUDIT_UNAVAILABLE, _UNAVAILABLE)

    def _has_room(self) -> bool:
        return len(self._waiting) + self._taken < self._places and self._text < MOST_TEXT

    def _is_broken(self) -> bool:
        since = self._writing_since
        return self._broken or (since is not None and time.monotonic() - since > STUCK_SECONDS)

    # What happened.

    def observe_query(self, event: QueryEvent) -> None:
        if event.state.ended:
            self.put(event, has_place=self._refuses and not event.only_prepared)

    def observe_login(self, event: LoginEvent) -> None:
        self.put(event)

    def put(self, event: Event, *, has_place: bool = False) -> None:
        with self._changed:
            if has_place:
                self._taken -= 1
            # The ends of sessions cannot be refused; they may use as much again.
            elif len(self._waiting) >= self._places * (2 if self._refuses else 1):
                self._lost += 1
                return
            self._waiting.append((self._clock(), event))
            self._text += _text_of(event)
            self._changed.notify_all()

    # The thread.

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._stopping, SYNC_SECONDS if self._syncs else None)
                batch = list(islice(self._waiting, BATCH))
                stopping = self._stopping
                self._writing_since = time.monotonic()
            try:
                self._write(batch)
            except OSError as refused:
                self._failed(refused)
                if stopping:
                    log.error("the audit log could not be written: %d entries are lost", len(self._waiting) + self._lost)
                    return
                with self._changed:
                    self._changed.wait_for(lambda: self._stopping, RETRY_SECONDS)
                continue
            if stopping and not self._waiting:
                self._say_head()
                return

    def _write(self, batch: list[tuple[float, Event]]) -> None:
        now, lost = self._clock(), self._lost
        if not self._files.is_open:
            self._files.open(now)
        if batch:
            losses = [entry_of(Lost(lost), now, self._reach)] if lost else []
            self._files.append([*(self._entry(event, seconds) for seconds, event in batch), *losses], now)
            self._written(batch, lost)
        if self._syncs and time.monotonic() - self._synced >= self._sync_seconds:
            self._files.sync()
            self._synced = time.monotonic()
        with self._changed:
            if self._broken:
                log.warning("the audit log can be written again")
            self._broken, self._writing_since = False, None

    def _written(self, batch: list[tuple[float, Event]], lost: int) -> None:
        with self._changed:
            for _, event in batch:
                self._waiting.popleft()
                self._text -= _text_of(event)
            self._lost -= lost
            self._changed.notify_all()

    def _entry(self, event: Event, seconds: float) -> Entry:
        try:
            return entry_of(event, seconds, self._reach)
        except Exception:
            log.exception("an audit entry could not be made")
            return {"ts": timestamp(seconds), "event": "entry_defect", "of": type(event).__name__}

    def _failed(self, refused: OSError) -> None:
        with self._changed:
            if not self._broken:
                log.error("the audit log cannot be written: %s", _reason(refused))
            self._broken, self._writing_since = True, None
            self._changed.notify_all()

    def _say_head(self) -> None:
        """Into another log: whoever cuts lines off the end of this one cannot change that."""
        if self.head is not None:
            log.info("the audit log ends", extra={"seq": self.head.seq, "hash": self.head.hash})


_UNAVAILABLE = "The audit log cannot be written, and nothing runs without it"


def _reason(refused: OSError) -> str:
    return refused.strerror or str(refused)


def _text_of(event: Event) -> int:
    return len(event.sql) if isinstance(event, QueryEvent) else 0
