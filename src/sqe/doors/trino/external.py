"""Trino's external authentication: a person logs in by a browser while their client waits for the token.

The client gets two addresses with its 401: one for the browser, one to ask for the token. They belong together by a random id
that only the client knows; the browser's address holds its hash. Nothing is kept before a browser comes, so a 401 costs nothing.

Whoever sends somebody else the browser's address would get that person's token. So the address also says where it was handed out,
and a browser that comes from elsewhere is asked first.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqe.config.values import Secret
from sqe.doors.trino.results import Address
from sqe.errors import AUTHENTICATION_FAILED, SqeError
from sqe.identity.oidc.code import Attempt
from sqe.identity.oidc.discovery import Discovery
from sqe.identity.oidc.http import Http, identity_http
from sqe.identity.oidc.id_token import id_claims
from sqe.identity.oidc.token_endpoint import Client, Refused, TokenEndpoint

# Of log-ins that are under way; beyond them the oldest are forgotten.
MOST_PENDING = 1000
PENDING_SECONDS = 300.0

CALLBACK = "/oauth2/callback"
_ID = re.compile(r"[0-9a-f]{64}")


@dataclass
class Pending:
    """One log-in from the browser's first visit to the client's last."""

    attempt: Attempt
    browser: Secret = field(default_factory=lambda: Secret(secrets.token_urlsafe(32)))  # a cookie: the same browser comes back
    since: float = field(default_factory=time.monotonic)
    token: Secret | None = None
    error: str | None = None

    @property
    def over(self) -> bool:
        return self.token is not None or self.error is not None


class ExternalLogin:
    """Thread-safe. `start` and `finish` ask the identity provider, and may wait for it."""

    def __init__(
        self, issuer: str, client_id: str, client_secret: Secret | None, scopes: Sequence[str], http: Http | None = None
    ) -> None:
        self._http = http or identity_http()
        self._client_id = client_id
        self._scopes = tuple(scopes)
        self._discovery = Discovery(issuer, self._http)
        self._endpoint = TokenEndpoint(self._discovery, Client(client_id, client_secret), self._http)
        self._key = secrets.token_bytes(32)
        self._lock = threading.Lock()
        self._by_hash: OrderedDict[str, Pending] = OrderedDict()

    def challenges(self, address: Address, client: str) -> list[str]:
        """For a client at that address that has shown nothing, or nothing good."""
        asked = secrets.token_hex(32)
        hashed = _hash(asked)
        browser = f"{address.base}/oauth2/token/initiate/{hashed}?from={client}&mark={self._mark(hashed, client)}"
        return [
            'Basic realm="SQE"',
            f'Bearer x_redirect_server="{browser}", x_token_server="{address.base}/oauth2/token/{asked}"',
        ]

    def handed_out(self, hashed: str, client: str, mark: str) -> bool:
        """Whether this server gave the address to a client there."""
        return _ID.fullmatch(hashed) is not None and hmac.compare_digest(self._mark(hashed, client), mark)

    def start(self, hashed: str, address: Address) -> tuple[str, Pending]:
        """Where the browser goes, and what it shall bring back. An address is good for one log-in."""
        endpoints = self._discovery()
        attempt = Attempt(self._client_id, f"{address.base}{CALLBACK}", self._scopes)
        pending = Pending(attempt)
        with self._lock:
            self._forget()
            known = self._by_hash.get(hashed)
            if known is not None and known.over:
                raise _refused("This log-in is over")
            self._by_hash[hashed] = pending
        return attempt.url(endpoints.authorization), pending

    def finish(self, query: str, state: str, browser: str) -> None:
        """The browser came back. Raises for what is not the answer to a log-in of this very browser."""
        with self._lock:
            self._forget()
            found = next((each for each in self._by_hash.values() if each.attempt.state.matches(state)), None)
        if found is None or found.over or not found.browser.matches(browser):
            raise _refused("This log-in is not known here")
        try:
            found.token = self._redeemed(found.attempt, query)
        except SqeError as error:
            found.error = error.message
            raise

    def _redeemed(self, attempt: Attempt, query: str) -> Secret:
        endpoints = self._discovery()
        code = attempt.code(query, issuer=endpoints.issuer, issuer_expected=endpoints.names_itself)
        try:
            grant = self._endpoint.authorization_code(code, redirect_uri=attempt.redirect_uri, verifier=attempt.pkce.verifier)
        except Refused:
            raise _refused("The identity provider refused the log-in") from None
        expected = "openid" in self._scopes
        id_claims(grant, self._client_id, self._discovery, self._http, nonce=attempt.nonce, expected=expected)
        return grant.access

    def pending(self, asked: str) -> Pending | None:
        """For the client that waits; None while no browser has come."""
        with self._lock:
            self._forget()
            return self._by_hash.get(_hash(asked))

    def drop(self, asked: str) -> None:
        with self._lock:
            self._by_hash.pop(_hash(asked), None)

    def _mark(self, hashed: str, client: str) -> str:
        return hmac.digest(self._key, f"{hashed} {client}".encode(), "sha256").hex()

    def _forget(self) -> None:
        now = time.monotonic()
        while self._by_hash:
            oldest = next(iter(self._by_hash.values()))
            if len(self._by_hash) < MOST_PENDING and now - oldest.since < PENDING_SECONDS:
                return
            self._by_hash.popitem(last=False)


def is_id(asked: str) -> bool:
    return _ID.fullmatch(asked) is not None


def _hash(asked: str) -> str:
    return hashlib.sha256(asked.encode()).hexdigest()


def _refused(why: str) -> SqeError:
    return SqeError(AUTHENTICATION_FAILED, why)
