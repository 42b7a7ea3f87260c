"""`Server`: the whole product in one process. It makes the parts, connects them, and takes them down in order.

`sqe-server`, the embedded daemon and the tests all use it; they differ in their doors only.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sqe.attached import Attachments
from sqe.config import Settings
from sqe.engine.driver import Driver
from sqe.engine.files import FileRights
from sqe.engine.launch import driver_of
from sqe.engine.spark_settings import uses_estimates
from sqe.errors import SqeError
from sqe.identity.catalogs import catalog_identities, shared_identities
from sqe.limits import Limits
from sqe.session import Catalogs
from sqe.sessions import SessionLimits, Sessions
from sqe.token_keeper import TokenKeeper

if TYPE_CHECKING:
    from sqe.observe.audit.writer import AuditLog
    from sqe.observe.metrics import Metrics
    from sqe.policy.build import Built
    from sqe.query.handler import QueryHandler
    from sqe.query.statistics import TableStatistics

log = logging.getLogger("sqe.server")

# Sessions are looked at this many times within their shortest life, at most twice a minute.
_LOOKS_PER_LIFE = 10
_LONGEST_PAUSE_SECONDS = 30.0
_DRAIN_PAUSE_SECONDS = 0.05


class Door(Protocol):
    def start(self) -> None: ...
    def stop(self) -> None: ...


class Server:
    """One driver JVM, its sessions, the query handler, and doors to it.

    `start` returns when the doors are open; the engine may still boot, and statements wait for it. `await_ready` waits.
    """

    handler: QueryHandler
    metrics: Metrics
    audit: AuditLog | None = None
    statistics: TableStatistics | None = None

    def __init__(
        self,
        settings: Settings,
        *,
        doors: Callable[[Server], Sequence[Door]] = lambda _: (),
        own_files: bool = False,
        driver: Driver | None = None,
    ) -> None:
        """`doors` is called once, when the parts that doors need are there. `own_files`: all files are those of its one user.
        `driver` is one that boots already; it is the server's from here on."""
        self.settings = settings
        self.driver = driver or driver_of(settings)
        self._driver_boots = driver is not None
        self.identities = catalog_identities(settings)
        self.sessions = Sessions(
            self.driver,
            settings.catalog_options(),
            settings.catalog.name,
            _session_limits(settings),
            self.identities,
            files=_file_rights(settings, own_files),
            attachments=_kept_with_their_warehouse() if own_files else None,
        )
        self.limits = Limits(settings.rate_limit)
        self._policy: Built | None = None
        self._make_doors = doors
        self._doors: list[Door] = []
        self._draining = threading.Event()
        self._stopping = threading.Event()
        self._expiry = threading.Thread(target=self._expire, name="sqe-session-expiry", daemon=True)
        self._keeper = TokenKeeper(self.sessions, lambda session, error: self.handler.cancel_all(session, error))

    def start(self) -> None:
        try:
            # The JVM takes longest: all that is imported and built below happens while it boots.
            if not self._driver_boots:
                self.driver.start()
            for sentence in shared_identities(self.settings):
                log.warning(sentence)
            self._build()
            for door in self._make_doors(self):
                door.start()
                self._doors.append(door)
            self._expiry.start()
            self._keeper.start()
        except BaseException:
            self.stop()
            raise

    def await_ready(self, timeout_seconds: float = 120.0) -> None:
        self.driver.await_ready(timeout_seconds)

    def not_ready(self) -> str | None:
        """Why statements cannot run now; None when they can."""
        if self._draining.is_set() or self._stopping.is_set():
            return "The server is shutting down"
        try:
            self.driver.await_ready(0)
        except SqeError as error:
            return error.message
        return self.audit.not_writable() if self.audit else None

    def drain(self, timeout_seconds: float, unread: Callable[[], int] = lambda: 0) -> None:
        """Before `stop`, for those who can wait: nothing new begins, and what runs may end within the time.

        `unread` counts answers that clients have not fetched yet although their statements have ended.
        """
        self._draining.set()
        self.handler.drain()
        deadline = time.monotonic() + timeout_seconds
        said = False
        while self.handler.running or unread():
            if time.monotonic() >= deadline:
                log.warning("statements that have not ended within coordinator.drain_timeout are cancelled")
                return
            if not said:
                said = True
                log.info("draining: running statements have %g seconds to end", timeout_seconds)
            time.sleep(_DRAIN_PAUSE_SECONDS)

    def stop(self) -> None:
        """Doors first, so that nothing new comes in; then what runs; then the JVM. Safe to call twice."""
        self._stopping.set()
        while self._doors:
            self._doors.pop().stop()
        if hasattr(self, "handler"):
            self.handler.close()
        self.driver.stop()
        # After the driver: its sessions are gone with it, and need not be closed there one by one.
        self.sessions.close_all()
        if self._expiry.is_alive():
            self._expiry.join()
        if self.statistics is not None:
            self.statistics.stop()
        self._keeper.stop()
        if self._policy is not None:
            self._policy.close()
        if self.audit is not None:  # last: it writes down how all of them ended
            self.audit.stop()

    def __enter__(self) -> Server:
        self.start()
        try:
            self.await_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _build(self) -> None:
        from sqe.observe.logs import QueryLog
        from sqe.observe.metrics import Metrics
        from sqe.query.handler import QueryHandler, QueryLimits

        if self.settings.policy.engines:
            from sqe.policy.build import build_policy

            self._policy = build_policy(self.settings, self.sessions)
            self.sessions.decisions = self._policy.decisions(self.driver)
        query = self.settings.query
        limits = QueryLimits(
            max_sql_bytes=query.max_sql_bytes,
            timeout_seconds=query.timeout,
            max_result_rows=query.max_result_rows,
            max_concurrent=query.max_concurrent,
            max_queued=query.max_queued,
            abandoned_seconds=query.abandoned_timeout,
        )
        self.handler = QueryHandler(
            self.driver,
            limits,
            frozenset(self.settings.auth.admin_roles),
            allow_locations=self.settings.files.allow_locations,
            rates=self.limits.queries,
            may_start=self._audit_gate(),
            rights=self._policy.rights if self._policy is not None else None,
        )
        self.metrics = Metrics(
            sessions=lambda: len(self.sessions),
            driver=self.driver.health,
            driver_restarts=lambda: self.driver.restarts,
            refusals=self.limits.refusals,
        )
        self.handler.events.subscribe(self.metrics.observe)
        self.handler.events.subscribe(QueryLog(self.settings.log.sql).observe)
        engine = self.settings.engine
        if engine.statistics_up_to and uses_estimates(engine.spark):
            from sqe.query.statistics import TableStatistics

            self.statistics = TableStatistics(self.handler, self.sessions.by_id, engine.statistics_up_to)
            self.handler.events.subscribe(self.statistics.observe)
            self.statistics.start()
        if self.audit is not None:
            self.handler.events.subscribe(self.audit.observe_query)
            self.sessions.events.subscribe(self.audit.observe_login)
            self.sessions.may_open = self.audit.admit_login

    def _audit_gate(self) -> Callable[[], None]:
        """Opens the audit log, if there shall be one: a server that cannot write it does not start."""
        settings = self.settings
        if not settings.audit.enabled:
            return lambda: None
        from sqe.observe.audit.entries import reach_of
        from sqe.observe.audit.writer import AuditLog

        self.audit = AuditLog(settings.audit, reach_of(settings, self.identities))
        self.audit.start()
        return self.audit.admit_statement

    def _expire(self) -> None:
        life = min(self.settings.session.idle_timeout, self.settings.session.max_age)
        while not self._stopping.wait(min(_LONGEST_PAUSE_SECONDS, life / _LOOKS_PER_LIFE)):
            self.sessions.expire()


def _file_rights(settings: Settings, own_files: bool) -> FileRights:
    prefixes: dict[str, list[str]] = {}
    for readers in settings.files.readers:
        prefixes.setdefault(readers.role, []).extend(readers.prefixes)
    return FileRights(own=own_files, prefixes=prefixes, hub=settings.files.hub.rstrip("/"), storage=settings.storage.options())


def _kept_with_their_warehouse() -> Callable[[Catalogs], Attachments]:
    """Embedded: each warehouse folder has its own, which all of its sessions share."""
    known: dict[str, Attachments] = {}

    def of(catalogs: Catalogs) -> Attachments:
        path = next((options["path"] for options in catalogs.values() if "path" in options), "")
        folder = str(Path(path).expanduser().absolute()) if path else ""
        return known.setdefault(folder, Attachments(Path(folder) if folder else None))

    return of


def _session_limits(settings: Settings) -> SessionLimits:
    session = settings.session
    return SessionLimits(
        idle_seconds=session.idle_timeout,
        max_age_seconds=session.max_age,
        max_sessions=session.max_sessions,
        max_per_user=session.max_per_user,
        token_interval_seconds=session.token_refresh,
    )
