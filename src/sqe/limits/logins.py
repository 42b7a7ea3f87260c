"""How often somebody may try to log in, by the name they claim and by the address they come from.

Against a name only failed attempts count, whether or not anybody has that name; what its owner does leaves no trace there, so
that being refused sooner or later tells a stranger nothing. Attempts are paid for when they are judged; those that are judged
at the same time (`concurrent_logins`, no more) may together run into debt, which delays the next.
"""

from __future__ import annotations

import hashlib
import ipaddress
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqe.config.rate_limit import RateLimit
from sqe.errors import AUTHENTICATION_FAILED, SqeError
from sqe.identity.login import Login, Origin
from sqe.limits.buckets import Buckets, Clock
from sqe.limits.refusals import Refusals

MESSAGE = "Too many log-in attempts"

# A failed attempt counts as this many against its address; a good one as one, also in an office behind one address.
FAILED_COST = 10

# Log-ins that wait for their turn; whoever comes when that many wait is sent away at once.
MOST_WAITING = 256
LONGEST_WAIT_SECONDS = 5.0

# Addresses of one IPv6 customer: whoever has one has 2^64 of them.
_IPV6_NETWORK = 64


class LoginLimits:
    def __init__(
        self,
        settings: RateLimit,
        refusals: Refusals,
        *,
        clock: Clock = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._refusals = refusals
        self._clock = clock
        self._sleep = sleep
        self._least_seconds = settings.failed_login_time

        def buckets(per_minute: int) -> Buckets:
            return Buckets(per_minute, most_keys=settings.tracked, clock=clock)

        self._of_address = buckets(settings.logins_per_address)
        self._of_nowhere = buckets(settings.logins_without_address)
        self._failed_of_name = buckets(settings.failed_logins_per_user)
        self._of_user = buckets(settings.logins_per_user)
        self._slots = threading.Semaphore(settings.concurrent_logins)
        self._waiting = threading.Semaphore(MOST_WAITING)

    def guarded(self, name: str | None, origin: Origin, judge: Callable[[], Login]) -> Login:
        """Lets `judge` decide when the limits allow it. `name` is what the client claims, None when it claims none."""
        started = self._clock()
        attempt = _Attempt(name, origin.address)
        self._check(attempt)
        try:
            with self._slot(attempt):
                self._check(attempt)  # again: those before it in the queue may have failed
                login = self._judged(attempt, judge)
        except SqeError as error:
            if error.code is AUTHENTICATION_FAILED:  # in no time that tells which provider, or none, knows the name
                self._sleep(max(0.0, started + self._least_seconds - self._clock()))
            raise
        if wait := self._of_user.take(_name_key(login.identity.user)):  # the password was right: only its owner hears this
            raise self._refused(attempt, "logins_per_user", wait)
        self._refusals.login_ended("succeeded")
        return login

    def _check(self, attempt: _Attempt) -> None:
        limit, buckets = self._by_address(attempt)
        if wait := buckets.wait(attempt.address_key):
            raise self._refused(attempt, limit, wait)
        if attempt.name is not None and (wait := self._failed_of_name.wait(_name_key(attempt.name))):
            raise self._refused(attempt, "failed_logins_per_user", wait)

    def _judged(self, attempt: _Attempt, judge: Callable[[], Login]) -> Login:
        _, buckets = self._by_address(attempt)
        try:
            login = judge()
        except SqeError as error:
            failed = error.code is AUTHENTICATION_FAILED
            buckets.charge(attempt.address_key, FAILED_COST if failed else 1)
            if failed and attempt.name is not None:
                self._failed_of_name.charge(_name_key(attempt.name))
            self._refusals.login_ended("failed" if failed else "unavailable", user=attempt.name, address=attempt.address)
            raise
        buckets.charge(attempt.address_key)
        return login

    def _by_address(self, attempt: _Attempt) -> tuple[str, Buckets]:
        if attempt.address:
            return "logins_per_address", self._of_address
        return "logins_without_address", self._of_nowhere

    @contextmanager
    def _slot(self, attempt: _Attempt) -> Iterator[None]:
        """Judging costs CPU, memory or a connection to a provider."""
        if not self._slots.acquire(blocking=False) and not self._waited():
            raise self._refused(attempt, "concurrent_logins", LONGEST_WAIT_SECONDS)
        try:
            yield
        finally:
            self._slots.release()

    def _waited(self) -> bool:
        if not self._waiting.acquire(blocking=False):
            return False
        try:
            return self._slots.acquire(timeout=LONGEST_WAIT_SECONDS)
        finally:
            self._waiting.release()

    def _refused(self, attempt: _Attempt, limit: str, wait: float) -> SqeError:
        return self._refusals.refused(limit, MESSAGE, wait, user=attempt.name, address=attempt.address)


class _Attempt:
    def __init__(self, name: str | None, address: str) -> None:
        self.name = name
        self.address = address
        self.address_key = _address_key(address)


def _name_key(name: str) -> bytes:
    """Spellings that a directory may take for one name share a bucket; hashed, because a name can be long."""
    folded = unicodedata.normalize("NFKC", name).casefold().strip()
    return hashlib.sha256(folded.encode("utf-8", "surrogatepass")).digest()[:16]


def _address_key(address: str) -> bytes:
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address.encode("utf-8", "surrogatepass")
    if isinstance(ip, ipaddress.IPv6Address):
        return ip.packed[: _IPV6_NETWORK // 8]
    return ip.packed
