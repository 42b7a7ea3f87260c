"""AWS identities: the client signs a question to STS, "who am I?", and the server asks it.

The client's key never leaves the client. A signature is good for one server (`server_id` is part of what is signed), for a few
minutes, and once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from sqe.config.providers import AwsIamProvider
from sqe.config.values import Secret
from sqe.errors import IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.identity.aws_arn import ArnMapping
from sqe.identity.aws_iam_token import PREFIX, Malformed, SignedRequest, decoded
from sqe.identity.aws_sts import caller_identity, host_of
from sqe.identity.login import Login
from sqe.identity.provider import Bearer, Credentials, Provider, Rejected

# Clocks that run ahead of ours by more than this are wrong.
SKEW_SECONDS = 60.0
# Only valid signatures count: some 300 log-ins a second for five minutes. Beyond it the next one is refused, never forgotten.
MOST_SIGNATURES = 100_000


class AwsIam(Provider):
    """Takes bearer tokens of the form in aws_iam_token.py."""

    def __init__(self, settings: AwsIamProvider, *, clock: Callable[[], float] = time.time) -> None:
        self._settings = settings
        self._server_id = Secret(settings.server_id)  # for its comparison in constant time
        self._host = host_of(settings.sts_endpoint)
        self._mapping = ArnMapping(settings.arn_patterns)
        self._clock = clock
        # What was signed before this server started may have been used with the one before it, which remembered it.
        self._started = float(int(clock()))
        self._used = UsedSignatures(MOST_SIGNATURES)

    def identify(self, credentials: Credentials) -> Login | None:
        if not isinstance(credentials, Bearer) or not credentials.token.reveal().startswith(PREFIX):
            return None
        try:
            request = decoded(credentials.token.reveal())
        except Malformed:
            raise Rejected from None
        self._check(request)
        caller = caller_identity(self._settings.sts_endpoint, request.headers)
        identity = self._mapping.identity(caller) if caller.account in self._settings.accounts else None
        if identity is None:
            raise Rejected
        # After STS has said yes, so that nobody can fill it, and before anybody is let in: of two at once one comes too late.
        self._used.add(request.signature, until=self._end(request), now=self._clock())
        return Login(identity)

    def _check(self, request: SignedRequest) -> None:
        now, signed_at = self._clock(), request.signed_at.timestamp()
        current = self._started <= signed_at <= now + SKEW_SECONDS and now < self._end(request)
        if not self._server_id.matches(request.server_id) or request.host != self._host or not current:
            raise Rejected
        if request.signature in self._used:
            raise Rejected

    def _end(self, request: SignedRequest) -> float:
        return request.signed_at.timestamp() + self._settings.max_age


class UsedSignatures:
    """Signatures that have let somebody in, until they are too old to do so again. Bounded and thread-safe."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._until: dict[str, float] = {}

    def __contains__(self, signature: str) -> bool:
        with self._lock:
            return signature in self._until

    def add(self, signature: str, *, until: float, now: float) -> None:
        """`Rejected` when it was there already; `SqeError` when there is no room to remember it."""
        with self._lock:
            if signature in self._until:
                raise Rejected
            if len(self._until) >= self._most:
                self._until = {known: end for known, end in self._until.items() if end > now}
            if len(self._until) >= self._most:
                raise SqeError(IDENTITY_PROVIDER_UNAVAILABLE, "Too many AWS log-ins at present", hint="try again in a minute")
            self._until[signature] = until
