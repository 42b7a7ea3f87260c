"""All sessions of a server: created at login, found by their tokens, gone at logout or expiry."""

from __future__ import annotations

import hashlib
import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqe import errors
from sqe.attached import Attachments
from sqe.engine.driver import Driver
from sqe.engine.files import FileRights
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.identity.catalogs import CatalogIdentity
from sqe.identity.events import Happened, LoginEvent, LoginEvents
from sqe.identity.live import DEFAULT_INTERVAL_SECONDS, LiveLogin
from sqe.identity.login import NOWHERE, Login, Origin
from sqe.policy.contract import Decisions
from sqe.session import Catalogs, Session

log = logging.getLogger("sqe.session")

# What our own tokens begin with: a dead one is then known for ours, and is not shown to identity providers as a log-in.
TOKEN_PREFIX = "sqe-session-"  # noqa: S105 - no secret


@dataclass(frozen=True)
class SessionLimits:
    idle_seconds: float = 15 * 60
    max_age_seconds: float = 8 * 3600
    max_sessions: int = 1000
    max_per_user: int = 0  # 0 = no limit
    token_interval_seconds: float = DEFAULT_INTERVAL_SECONDS


class Sessions:
    """All sessions of a server, by their opaque tokens. Only a hash of a token is kept."""

    def __init__(
        self,
        driver: Driver,
        catalogs: Catalogs,
        default_catalog: str,
        limits: SessionLimits | None = None,
        identities: Mapping[str, CatalogIdentity] | None = None,
        decisions: Callable[[Session], Decisions] | None = None,
        files: FileRights | None = None,
        attachments: Callable[[Catalogs], Attachments] | None = None,
    ) -> None:
        """`identities` says what a session shows to a catalog; one that is not in it is shown nothing.

        `decisions` binds each session by a policy; without it rights are the catalogs' alone.
        """
        self._driver = driver
        self._catalogs = catalogs
        self._default_catalog = default_catalog
        self._limits = limits or SessionLimits()
        self._identities = identities or {}
        self._files = files or FileRights()
        shared = Attachments()
        self._attachments = attachments or (lambda _: shared)
        self.events = LoginEvents()
        self.may_open: Callable[[], None] = lambda: None  # raises while nobody may log in (audit)
        self.decisions = decisions
        self._lock = threading.Lock()
        self._by_hash: dict[str, Session] = {}
        self._tokens: dict[str, str] = {}  # session id → token, until it is handed out

    def open(
        self,
        who: Login | Identity | LiveLogin,
        *,
        catalogs: Catalogs | None = None,
        default_catalog: str | None = None,
        origin: Origin = NOWHERE,
    ) -> Session:
        """An identity alone is a log-in without tokens; the log-in of another session is shared with that one."""
        self.may_open()

        def live(login: Login) -> LiveLogin:
            return LiveLogin(
                login,
                self._identities if catalogs is None else {},
                interval_seconds=self._limits.token_interval_seconds,
                on_failure=lambda error: self._renewal_failed(session, error),
            )

        session = Session(
            login=who if isinstance(who, LiveLogin) else live(who if isinstance(who, Login) else Login(who)),
            origin=origin,
            configured_catalogs=catalogs if catalogs is not None else self._catalogs,
            default_catalog=default_catalog or self._default_catalog,
            driver=self._driver,
            files=self._files,
            attachments=self._attachments(catalogs if catalogs is not None else self._catalogs),
        )
        if self.decisions is not None:
            session.decisions = self.decisions(session)
        token = TOKEN_PREFIX + secrets.token_urlsafe(32)
        with self._lock:
            if len(self._by_hash) >= self._limits.max_sessions:
                raise SqeError(
                    errors.GENERIC_INSUFFICIENT_RESOURCES, f"The server has its limit of {self._limits.max_sessions} sessions"
                )
            self._check_share(session.identity.user)
            self._by_hash[_hash(token)] = session
            self._tokens[session.id] = token
        self._tell(Happened.LOGGED_IN, session)
        return session

    def _check_share(self, user: str) -> None:
        """One user must not take everybody's sessions."""
        most = self._limits.max_per_user
        if most and sum(each.identity.user == user for each in self._by_hash.values()) >= most:
            raise SqeError(
                errors.GENERIC_INSUFFICIENT_RESOURCES, f"You have {most} sessions already", hint="session.max_per_user"
            )

    def token_of(self, session: Session) -> str:
        """The bearer token of a session just opened; it can be asked for once."""
        with self._lock:
            return self._tokens.pop(session.id)

    def by_token(self, token: str, certificate: str = "") -> Session:
        """A session that was opened with a client certificate is good with that one only (its fingerprint): a stolen token
        is worth nothing without the key."""
        with self._lock:
            session = self._by_hash.get(_hash(token))
        stolen = session is not None and session.origin.certificate not in ("", certificate)
        if session is None or stolen or session.closed or self._expired(session):
            raise SqeError(errors.AUTHENTICATION_FAILED, "Authentication failed")
        session.touch()
        return session

    def by_id(self, id: str) -> Session | None:
        """For the server itself; clients have tokens."""
        return next((session for session in self.all() if session.id == id), None)

    def knows(self, token: str) -> bool:
        """Whether the session is still there. Does not count as a use of it."""
        with self._lock:
            session = self._by_hash.get(_hash(token))
        return session is not None and not session.closed and not self._expired(session)

    def close(self, session: Session, what: Happened = Happened.LOGGED_OUT, why: str = "") -> None:
        with self._lock:
            known = any(each is session for each in self._by_hash.values())
            self._by_hash = {key: value for key, value in self._by_hash.items() if value is not session}
            self._tokens.pop(session.id, None)
        session.close()
        if known:
            self._tell(what, session, why=why)

    def expire(self) -> int:
        """Closes sessions that were idle or open for too long; one with a running statement is not idle."""
        with self._lock:
            old = [session for session in self._by_hash.values() if self._expired(session)]
        for session in old:
            log.info("session %s of %s expired", session.id, session.identity.user)
            self.close(session, Happened.EXPIRED)
        return len(old)

    def all(self) -> list[Session]:
        with self._lock:
            return list(self._by_hash.values())

    def close_all(self) -> None:
        for session in self.all():
            self.close(session, why="the server stops")

    def _renewal_failed(self, session: Session, error: SqeError) -> None:
        self._tell(Happened.RENEWAL_FAILED, session, code=error.code.name, why=error.message)

    def _tell(self, what: Happened, session: Session, *, code: str = "", why: str = "") -> None:
        self.events.publish(LoginEvent(what, session.origin, session.identity, session_id=session.id, code=code, why=why))

    def __len__(self) -> int:
        return len(self._by_hash)

    def _expired(self, session: Session) -> bool:
        now = time.monotonic()
        idle = not session.running and now - session.used > self._limits.idle_seconds
        return idle or now - session.created > self._limits.max_age_seconds


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
