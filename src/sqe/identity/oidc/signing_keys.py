"""The public keys with which an issuer signs (JWKS), kept while it is down and looked up again when it has new ones."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sqe.errors import SqeError
from sqe.identity.oidc.discovery import Locate
from sqe.identity.oidc.http import Clock, Http, Json, place_of, unavailable

if TYPE_CHECKING:
    from jwt.algorithms import AllowedPublicKeys

log = logging.getLogger("sqe.identity")

# A withdrawn key is good no longer than this; an issuer that is down, this long.
LIFE_SECONDS = 300.0
LONGEST_OUTAGE_SECONDS = 24 * 3600.0
# Anybody can send tokens that name keys which do not exist: the issuer is asked for those this often and no more.
PAUSE_SECONDS = 10.0
# An issuer that could not answer is asked again sooner: nobody can log in until it can.
OUTAGE_PAUSE_SECONDS = 2.0
MOST_KEYS = 100
SHORTEST_RSA_BITS = 2048

# What signs with which kind of key. Symmetric ones are left out on purpose: their keys are no public keys.
ALGORITHMS: Mapping[str, str] = {
    "RS256": "RSA",
    "RS384": "RSA",
    "RS512": "RSA",
    "PS256": "RSA",
    "PS384": "RSA",
    "PS512": "RSA",
    "ES256": "EC P-256",
    "ES384": "EC P-384",
    "ES512": "EC P-521",
    "EdDSA": "OKP Ed25519",
}


class SigningKey(NamedTuple):
    kind: str
    algorithm: str | None  # the only one it is for, when the issuer says so
    key: AllowedPublicKeys

    def fits(self, algorithm: str) -> bool:
        return ALGORITHMS.get(algorithm) == self.kind and self.algorithm in (None, algorithm)


class SigningKeys:
    """Thread-safe. One request at a time; those who wait for it share its answer."""

    def __init__(self, locate: Locate, http: Http, clock: Clock = time.monotonic) -> None:
        self._locate = locate
        self._http = http
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: dict[str | None, SigningKey] = {}
        self._fetched: float | None = None
        self._tried: float | None = None
        self._outage: SqeError | None = None
        self.version = 0  # grows when the issuer's keys change

    def key(self, key_id: str | None, algorithm: str) -> SigningKey | None:
        """None when the issuer has no such key. Raises `SqeError` when it cannot be asked and the key is not known."""
        with self._lock:
            self._refresh_the_old()
            found = self._keys.get(key_id)
            if found is None and self._may_ask():
                self._fetch()
                found = self._keys.get(key_id)
            if found is None and self._outage is not None:
                raise self._outage
        return found if found is not None and found.fits(algorithm) else None

    def current_version(self) -> int:
        """The version, after old keys were looked up again where that is due and possible."""
        with self._lock:
            self._refresh_the_old()
            return self.version

    def _refresh_the_old(self) -> None:
        if self._fetched is None or self._clock() < self._fetched + LIFE_SECONDS:
            return
        if self._may_ask():
            self._fetch()
        if self._outage is not None and self._clock() >= self._fetched + LONGEST_OUTAGE_SECONDS:
            self._replace({})

    def _may_ask(self) -> bool:
        pause = PAUSE_SECONDS if self._outage is None else OUTAGE_PAUSE_SECONDS
        return self._tried is None or self._clock() >= self._tried + pause

    def _fetch(self) -> None:
        try:
            keys = dict(_usable(self._asked()))
        except SqeError as outage:
            self._outage = outage
        else:
            self._outage = None
            self._fetched = self._clock()
            self._replace(keys)
        # Afterwards: a slow answer must not count as a pause.
        self._tried = self._clock()

    def _replace(self, keys: dict[str | None, SigningKey]) -> None:
        if {name: _same(key) for name, key in keys.items()} != {name: _same(key) for name, key in self._keys.items()}:
            self._keys = keys
            self.version += 1

    def _asked(self) -> list[Any]:
        url = self._locate().jwks
        if not url:
            raise unavailable("The identity provider does not say where its keys are")
        answer = self._http.get(url)
        found: Json | None = answer.json() if answer.status == 200 else None
        keys = None if found is None else found.get("keys")
        if not isinstance(keys, list):
            log.error("no keys at %s (status %s)", place_of(url), answer.status)
            raise unavailable(f"The identity provider at {place_of(url)} does not show its keys")
        return keys[:MOST_KEYS]


def _usable(listed: list[Any]) -> Iterator[tuple[str | None, SigningKey]]:
    """Keys of unknown kinds, for encryption, or too short ones are passed over: others of the set are still good."""
    usable = [(each.get("kid"), key) for each in listed if isinstance(each, dict) and (key := _signing_key(each)) is not None]
    yield from ((name, key) for name, key in usable if isinstance(name, str))
    if len(usable) == 1:  # a token need not name the key where there is but one
        yield None, usable[0][1]


def _signing_key(described: Json) -> SigningKey | None:
    import jwt
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

    kind = " ".join(str(described[name]) for name in ("kty", "crv") if name in described)
    algorithm = described.get("alg")
    if kind not in ALGORITHMS.values() or described.get("use", "sig") != "sig" or "d" in described:
        return None
    if algorithm is not None and ALGORITHMS.get(algorithm if isinstance(algorithm, str) else "") != kind:
        return None
    try:
        key = jwt.PyJWK(described).key
    except (jwt.PyJWTError, ValueError, TypeError, KeyError):
        return None
    if isinstance(key, RSAPublicKey) and key.key_size < SHORTEST_RSA_BITS:
        return None
    return SigningKey(kind, algorithm, key)


def _same(key: SigningKey) -> tuple[object, ...]:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return key.kind, key.algorithm, key.key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
