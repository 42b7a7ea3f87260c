"""A session's log-in over time: tokens are renewed before they expire, and what cannot be renewed ends."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from sqe import errors
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.identity.catalogs import CatalogIdentity
from sqe.identity.login import NEVER, Login, Tokens
from sqe.identity.provider import Rejected

log = logging.getLogger("sqe.identity")

# A provider that is down is asked again after this long, while the token at hand is still good.
RETRY_SECONDS = 5.0
# A token is renewed this long before its end, or when two thirds of a short life are over.
LONGEST_MARGIN_SECONDS = 60.0
DEFAULT_INTERVAL_SECONDS = 300.0
# Of a log-in without tokens: this many intervals after its provider last said yes, silence is a no.
ANSWERS_COUNT_FOR = 3

Clock = Callable[[], float]


class LiveLogin:
    """Thread-safe: statements ask for tokens while the keeper's thread renews them."""

    def __init__(
        self,
        login: Login,
        catalogs: Mapping[str, CatalogIdentity] | None = None,
        *,
        interval_seconds: float = DEFAULT_INTERVAL_SECONDS,
        clock: Clock = time.time,
        on_failure: Callable[[SqeError], None] = lambda _: None,
    ) -> None:
        """`on_failure` hears of a renewal that failed: once when its provider goes down, and of the log-in's end."""
        self._login = login if login.tokens is None else replace(login, tokens=_obtained(login.tokens, clock()))
        self._catalogs = catalogs or {}
        self._interval = interval_seconds
        self._clock = clock
        self._on_failure = on_failure
        self._failing = False
        self._lock = threading.Lock()
        self._for_catalogs: dict[str, Tokens] = {}
        self._not_before: dict[str, float] = {}  # by catalog, and "" for the log-in itself: when to ask again after an outage
        self._stale = True
        self._closed: frozenset[str] = frozenset()
        self._confirmed = clock()
        self._ended: SqeError | None = None
        self.version = 0  # grows with every change of a catalog's token

    @property
    def identity(self) -> Identity:
        return self._login.identity

    @property
    def ended(self) -> SqeError | None:
        """Why no statement may run any more."""
        return self._ended

    @property
    def closed_catalogs(self) -> frozenset[str]:
        """Catalogs that this log-in has nothing to show to: to its user they do not exist."""
        if self._stale:
            self.keep()
        return self._closed

    def keep(self) -> None:
        """Renews what is due. Raises when the log-in has ended, or has expired while its provider cannot be reached."""
        if not self._catalogs and self._login.tokens is None and self._login.renewer is None:
            return
        with self._lock:
            if self._ended is not None:
                raise self._ended
            self._keep_login()
            for name, identity in self._catalogs.items():
                self._keep_catalog(name, identity)
            self._stale = False
            self._closed = frozenset(self._catalogs.keys() - self._for_catalogs.keys() - self._not_before.keys())

    def succeed(self, login: Login) -> None:
        """The same person logged in again: this log-in goes on with the newer tokens. Nobody else's takes its place."""
        with self._lock:
            if self._ended is not None:
                raise self._ended
            if login.tokens is None or _person(login.identity) != _person(self.identity):
                raise SqeError(errors.AUTHENTICATION_FAILED, "Authentication failed")
            self._login = replace(login, tokens=_obtained(login.tokens, self._clock()))
            self._not_before.pop("", None)
            self._stale = True

    def catalog_tokens(self) -> dict[str, str]:
        """For the engine only: the token of each catalog that this log-in can show one to, as of the last `keep`."""
        with self._lock:
            now = self._clock()
            return {name: tokens.access.reveal() for name, tokens in self._for_catalogs.items() if not tokens.expired(now)}

    def _keep_login(self) -> None:
        now = self._clock()
        due, end = self._times()
        if now < due:
            return
        if self._login.renewer is None:
            if now >= end:
                self._end("its token has expired")
            return
        if now < self._not_before.get("", 0) and now < end:
            return
        try:
            renewed = self._login.renewer.renew(self._login)
        except Rejected:
            self._end("its log-in could not be renewed")
        except SqeError as outage:
            self._not_before[""] = now + RETRY_SECONDS
            log.warning("the token of %s could not be renewed: %s", self.identity.user, outage)
            if not self._failing:
                self._failing = True
                self._on_failure(outage)
            if self._clock() >= end:
                raise
        else:
            if _person(renewed.identity) != _person(self.identity):  # nobody becomes somebody else under a session
                self._end("its log-in could not be renewed")
            self._failing = False
            self._confirmed = self._clock()
            self._login = replace(renewed, tokens=renewed.tokens and _obtained(renewed.tokens, self._confirmed))
            self._stale = True

    def _times(self) -> tuple[float, float]:
        """When to ask the provider again, and until when its last answer counts if it does not reply."""
        if self._login.tokens is not None:
            return self._due(self._login.tokens), self._login.tokens.expires_at
        if self._login.renewer is None:
            return NEVER, NEVER
        return self._confirmed + self._interval, self._confirmed + ANSWERS_COUNT_FOR * self._interval

    def _keep_catalog(self, name: str, identity: CatalogIdentity) -> None:
        known, now = self._for_catalogs.get(name), self._clock()
        if not self._stale and (known is None or now < self._due(known)) and name not in self._not_before:
            return
        if now < self._not_before.get(name, 0):
            return
        self._not_before.pop(name, None)
        try:
            tokens = identity.tokens(self._login)
        except Rejected:
            tokens = None
        except SqeError as outage:
            log.warning("no token of %s for catalog %s: %s", self.identity.user, name, outage)
            self._not_before[name] = now + RETRY_SECONDS
            return
        if known is None or tokens is None or tokens.access != known.access:
            self.version += 1
        if tokens is None:
            self._for_catalogs.pop(name, None)
        else:
            self._for_catalogs[name] = _obtained(tokens, now)

    def _due(self, tokens: Tokens) -> float:
        if tokens.expires_at == NEVER:
            return NEVER
        margin = min(LONGEST_MARGIN_SECONDS, (tokens.expires_at - tokens.obtained_at) / 3)
        return min(tokens.expires_at - margin, tokens.obtained_at + self._interval)

    def _end(self, why: str) -> None:
        self._ended = SqeError(errors.AUTHENTICATION_FAILED, f"The session has ended: {why}", hint="log in again")
        self._for_catalogs.clear()
        self.version += 1
        self._on_failure(self._ended)
        raise self._ended


def _person(identity: Identity) -> tuple[str, str, str]:
    return identity.provider, identity.subject, identity.user


def _obtained(tokens: Tokens, now: float) -> Tokens:
    return tokens if tokens.obtained_at else replace(tokens, obtained_at=now)
