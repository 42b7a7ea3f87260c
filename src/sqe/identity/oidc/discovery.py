"""Where an issuer's endpoints are, from the issuer's address alone (OpenID Connect Discovery)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from sqe.errors import SqeError
from sqe.identity.oidc.http import Clock, Http, Json, place_of, unavailable

log = logging.getLogger("sqe.identity")

# Endpoints change with years; an issuer that moves one keeps the old one for a while.
LIFE_SECONDS = 3600.0


@dataclass(frozen=True)
class Endpoints:
    """An issuer as it describes itself. What it does not have is empty."""

    issuer: str = ""
    token: str = ""
    jwks: str = ""
    authorization: str = ""
    device_authorization: str = ""
    revocation: str = ""
    auth_methods: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()  # none: it does not say
    names_itself: bool = False  # in the answers that come back by the browser (RFC 9207)


# Asked each time, because an issuer may be down when the server starts and back at the first log-in.
Locate = Callable[[], Endpoints]


def fixed(token: str = "", jwks: str = "") -> Locate:
    """Endpoints that are written down: nothing is discovered."""
    known = Endpoints(token=token, jwks=jwks)
    return lambda: known


class Discovery:
    """Reads an issuer's description when it is first needed, and again after an hour. Thread-safe."""

    def __init__(self, issuer: str, http: Http, clock: Clock = time.monotonic) -> None:
        self._issuer = issuer
        self._http = http
        self._clock = clock
        self._lock = threading.Lock()
        self._known: Endpoints | None = None
        self._fetch_after = 0.0

    def __call__(self) -> Endpoints:
        """Raises `SqeError` when the issuer has never answered; afterwards the last answer outlives an outage."""
        with self._lock:
            if self._known is None or self._clock() >= self._fetch_after:
                self._refresh()
            assert self._known is not None
            return self._known

    def _refresh(self) -> None:
        try:
            self._known = self._fetched()
            self._fetch_after = self._clock() + LIFE_SECONDS
        except SqeError:
            if self._known is None:
                raise
            self._fetch_after = self._clock() + LIFE_SECONDS / 60

    def _fetched(self) -> Endpoints:
        answer = self._http.get(f"{self._issuer.rstrip('/')}/.well-known/openid-configuration")
        described = answer.json() if answer.status == 200 else None
        if described is None:
            log.error("the identity provider at %s has no OpenID description (status %s)", self._issuer, answer.status)
            raise unavailable(f"The identity provider at {place_of(self._issuer)} does not describe itself")
        if not same_issuer(described.get("issuer"), self._issuer):
            log.error("the identity provider at %s says that it is another issuer", self._issuer)
            raise unavailable(f"The identity provider at {place_of(self._issuer)} describes another one")
        return Endpoints(
            issuer=described["issuer"],
            token=self._address(described, "token_endpoint"),
            jwks=self._address(described, "jwks_uri"),
            authorization=self._address(described, "authorization_endpoint"),
            device_authorization=self._address(described, "device_authorization_endpoint"),
            revocation=self._address(described, "revocation_endpoint"),
            auth_methods=_texts(described.get("token_endpoint_auth_methods_supported")),
            scopes=_texts(described.get("scopes_supported")),
            names_itself=described.get("authorization_response_iss_parameter_supported") is True,
        )

    def _address(self, described: Json, name: str) -> str:
        """Secrets are sent there: what is described over TLS does not lead to a place without it."""
        url = described.get(name)
        if not isinstance(url, str):
            return ""
        scheme = urlsplit(url).scheme
        if scheme != "https" and scheme != urlsplit(self._issuer).scheme:
            raise unavailable(f"The identity provider at {place_of(self._issuer)} describes addresses without TLS")
        return url


def same_issuer(said: object, expected: str) -> bool:
    """Auth0's names end with a slash that people leave out; nothing else may differ."""
    return isinstance(said, str) and said.rstrip("/") == expected.rstrip("/")


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, Sequence) else ()
