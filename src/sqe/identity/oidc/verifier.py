"""Whether a token is one of our issuer's, for us, and good now."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from sqe.identity.oidc.claims import Claims, WrongClaims, grants_access, moment
from sqe.identity.oidc.discovery import same_issuer
from sqe.identity.oidc.json_web_token import Malformed, WrittenToken, written
from sqe.identity.oidc.signing_keys import ALGORITHMS, SigningKeys
from sqe.identity.provider import Rejected

log = logging.getLogger("sqe.identity")

MOST_REMEMBERED = 4096

# Other signed things that issuers make (logout tokens, security events) are not for logging in with.
_KINDS = ("jwt", "at+jwt", "application/at+jwt", "application/jwt")


@dataclass(frozen=True)
class Rules:
    """What a token must say. Without an issuer or an audience, any is taken."""

    issuer: str | None = None
    audiences: frozenset[str] = frozenset()
    algorithms: frozenset[str] = frozenset(ALGORITHMS)
    clock_skew_seconds: float = 30.0
    access_only: bool = False  # an ID token tells a client who its user is; shown to a server it proves nothing


@dataclass(frozen=True)
class Verified:
    claims: Claims
    expires_at: float


class Verifier:
    """Thread-safe. Remembers what it verified, so that a client that shows its token with every call costs a hash."""

    def __init__(self, keys: SigningKeys, rules: Rules, clock: Callable[[], float] = time.time) -> None:
        self._keys = keys
        self._rules = rules
        self._clock = clock
        self._lock = threading.Lock()
        self._remembered: OrderedDict[bytes, tuple[int, Verified]] = OrderedDict()

    def verified(self, token: str) -> Verified | None:
        """None when it is no signed token or another issuer's. Raises `Rejected`, or `SqeError` when keys cannot be had."""
        try:
            digest = hashlib.sha256(token.encode("utf-8")).digest()
        except UnicodeEncodeError:
            return None
        known = self._recalled(digest)
        if known is not None:
            return known
        try:
            found = self._checked(token)
        except (Malformed, WrongClaims) as reason:
            log.info("a token was refused: %s", reason)
            raise Rejected from None
        if found is not None:
            self._remember(digest, found)
        return found

    def _checked(self, token: str) -> Verified | None:
        as_written = written(token)
        if as_written is None or self._is_of_another_issuer(as_written.claims):
            return None
        self._check_signature(token, as_written)
        return self._check_claims(as_written.claims)

    def _is_of_another_issuer(self, claims: Claims) -> bool:
        if self._rules.issuer is None:
            return False
        return isinstance(claims.get("iss", ""), str) and not same_issuer(claims.get("iss", ""), self._rules.issuer)

    def _check_signature(self, token: str, as_written: WrittenToken) -> None:
        """Nothing of the header is believed but which of the issuer's keys to try: `jwk`, `jku`, `x5u` are not looked at."""
        import jwt

        header = as_written.header
        algorithm, key_id = header["alg"], header.get("kid")
        if not isinstance(algorithm, str) or algorithm not in self._rules.algorithms or algorithm not in ALGORITHMS:
            raise WrongClaims("its algorithm is not on the list")
        if "crit" in header or "b64" in header:
            raise WrongClaims("it wants something that is not understood")
        if str(header.get("typ", "JWT")).lower() not in _KINDS:
            raise WrongClaims("it is of another kind")
        if not (key_id is None or isinstance(key_id, str)):
            raise WrongClaims("its key has no name")
        key = self._keys.key(key_id, algorithm)
        if key is None:
            raise WrongClaims("the issuer has no such key")
        try:
            jwt.PyJWS().decode_complete(token, key.key, algorithms=[algorithm])
        except (jwt.PyJWTError, ValueError, TypeError) as failure:
            raise WrongClaims(f"its signature is wrong ({type(failure).__name__})") from None

    def _check_claims(self, claims: Claims) -> Verified:
        now, skew = self._clock(), self._rules.clock_skew_seconds
        expires = moment(claims, "exp")
        if expires is None:
            raise WrongClaims("it never expires")
        if now >= expires + skew:
            raise WrongClaims("it has expired")
        for name in ("nbf", "iat"):
            if (moment(claims, name) or 0.0) > now + skew:
                raise WrongClaims(f"it is not valid yet ({name!r})")
        if self._rules.issuer is not None and not same_issuer(claims.get("iss"), self._rules.issuer):
            raise WrongClaims("its issuer is no text")
        if self._rules.access_only and not grants_access(claims):
            raise WrongClaims("it is no access token")
        self._check_audience(claims.get("aud"))
        return Verified(claims, expires + skew)

    def _check_audience(self, audience: object) -> None:
        if not self._rules.audiences:
            return
        named = [audience] if isinstance(audience, str) else audience
        if not isinstance(named, list) or not all(isinstance(each, str) for each in named):
            raise WrongClaims("its audience is no text or list of texts")
        if not self._rules.audiences.intersection(named):
            raise WrongClaims("it is for another audience")

    def _recalled(self, digest: bytes) -> Verified | None:
        """A key that the issuer has withdrawn takes what it signed with it."""
        with self._lock:
            entry = self._remembered.get(digest)
        if entry is None:
            return None
        version, found = entry
        if version == self._keys.current_version() and self._clock() < found.expires_at:
            return found
        with self._lock:
            self._remembered.pop(digest, None)
        return None

    def _remember(self, digest: bytes, found: Verified) -> None:
        with self._lock:
            self._remembered[digest] = (self._keys.version, found)
            self._remembered.move_to_end(digest)
            while len(self._remembered) > MOST_REMEMBERED:
                self._remembered.popitem(last=False)
