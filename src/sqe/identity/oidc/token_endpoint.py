"""The grants of an OAuth token endpoint: what this client may ask for, and how it says who it is."""

from __future__ import annotations

import base64
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote_plus

from sqe.config.values import Secret
from sqe.errors import SqeError
from sqe.identity.login import Tokens
from sqe.identity.oidc.discovery import Locate
from sqe.identity.oidc.http import Answer, Http, Json, place_of, unavailable

log = logging.getLogger("sqe.identity")

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - the name of a kind

# A token whose life nobody tells is renewed as if it had this one.
UNTOLD_LIFE_SECONDS = 300.0
LONGEST_LIFE_SECONDS = 366 * 86400.0
LONGEST_TOKEN = 1 << 16

# The provider's refusals of what was presented. All others are of this server's own set-up or of the request.
REFUSALS = frozenset({"invalid_grant", "invalid_token", "access_denied", "expired_token"})
PENDING = frozenset({"authorization_pending", "slow_down"})


class Refused(Exception):
    """The endpoint's "no", with OAuth's word for it."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


@dataclass(frozen=True)
class Client:
    """As whom a token endpoint is asked. `auth` is one of OAuth's words; by default the endpoint's own preference."""

    id: str
    secret: Secret | None = None
    auth: str | None = None

    def method(self, supported: tuple[str, ...]) -> str:
        if self.secret is None:
            return "none"
        if self.auth is not None:
            return self.auth
        only_post = "client_secret_post" in supported and "client_secret_basic" not in supported
        return "client_secret_post" if only_post else "client_secret_basic"


@dataclass(frozen=True)
class Grant:
    """What the endpoint issued. Times are those of `time.time()`."""

    access: Secret
    refresh: Secret | None
    id_token: Secret | None
    expires_at: float | None  # None: the endpoint did not say
    obtained_at: float

    def tokens(self, expires_at: float | None = None) -> Tokens:
        """`expires_at` is what the token itself says, for endpoints that do not."""
        end = self.expires_at or expires_at or self.obtained_at + UNTOLD_LIFE_SECONDS
        return Tokens(self.access, end, self.refresh, self.obtained_at)


@dataclass(frozen=True)
class DeviceCode:
    """For a device without a browser: what to show to the person, and what to ask with until they have agreed."""

    code: Secret
    user_code: str
    verification_uri: str
    verification_uri_complete: str | None
    expires_at: float
    interval_seconds: float


def _granted(said: Json, asked_at: float, kept: Secret | None = None) -> Grant:
    """Reads a token endpoint's answer. `kept` is the refresh token at hand, where a new one need not come."""
    access, kind = _token(said.get("access_token")), said.get("token_type", "Bearer")
    if access is None or not isinstance(kind, str) or kind.lower() not in ("bearer", "n_a"):
        raise _nonsense()
    life = _seconds(said.get("expires_in"))
    end = None if life is None else asked_at + life
    return Grant(access, _token(said.get("refresh_token")) or kept, _token(said.get("id_token")), end, asked_at)


class TokenEndpoint:
    """Raises `Refused` for the endpoint's "no" and `SqeError` when it cannot be asked. Thread-safe."""

    def __init__(self, locate: Locate, client: Client, http: Http) -> None:
        self._locate = locate
        self._client = client
        self._http = http

    def password(self, user: str, password: Secret, *, scope: str | None = None, audience: str | None = None) -> Grant:
        return self._grant({"grant_type": "password", "username": user, "password": password.reveal()}, scope, audience)

    def client_credentials(self, *, scope: str | None = None, audience: str | None = None) -> Grant:
        return self._grant({"grant_type": "client_credentials"}, scope, audience)

    def refresh(self, refresh: Secret, *, scope: str | None = None) -> Grant:
        """Endpoints that keep the refresh token send none back: the one at hand stays good."""
        return self._grant({"grant_type": "refresh_token", "refresh_token": refresh.reveal()}, scope, kept=refresh)

    def exchange(self, subject: Secret, *, scope: str | None = None, audience: str | None = None) -> Grant:
        """Another token for the same person (RFC 8693)."""
        form = {"grant_type": EXCHANGE, "subject_token": subject.reveal(), "subject_token_type": ACCESS_TOKEN}
        return self._grant(form | {"requested_token_type": ACCESS_TOKEN}, scope, audience)

    def authorization_code(self, code: Secret, *, redirect_uri: str, verifier: Secret) -> Grant:
        """The last step of a log-in in a browser, with PKCE."""
        form = {"grant_type": "authorization_code", "code": code.reveal(), "redirect_uri": redirect_uri}
        return self._grant(form | {"code_verifier": verifier.reveal()})

    def device_code(self, *, scope: str | None = None, extra: Mapping[str, str] | None = None) -> DeviceCode:
        """Begins a log-in on another device (RFC 8628); `extra` may hold a PKCE challenge."""
        form = {**(extra or {}), **_given(scope=scope)}
        said = self._said(self._ask(self._locate().device_authorization, form, "device authorization endpoint"))
        code, user_code, uri = _token(said.get("device_code")), said.get("user_code"), said.get("verification_uri")
        if code is None or not isinstance(user_code, str) or not isinstance(uri, str):
            raise _nonsense()
        complete = said.get("verification_uri_complete")
        return DeviceCode(
            code,
            user_code,
            uri,
            complete if isinstance(complete, str) else None,
            time.time() + (_seconds(said.get("expires_in")) or 600.0),
            _seconds(said.get("interval")) or 5.0,
        )

    def device_token(self, device_code: Secret, *, extra: Mapping[str, str] | None = None) -> Grant:
        """`Refused` with "authorization_pending" or "slow_down" while the person has not agreed; `extra`: a PKCE verifier."""
        return self._grant({**(extra or {}), "grant_type": DEVICE, "device_code": device_code.reveal()})

    def revoke(self, token: Secret, kind: str) -> None:
        """Tells the issuer that a token (`kind` is `refresh_token` or `access_token`) is not used any more (RFC 7009)."""
        form = {"token": token.reveal(), "token_type_hint": kind}
        answer = self._ask(self._locate().revocation, form, "revocation endpoint")
        if answer.status != 200:
            self._said(answer)

    def _grant(
        self, form: dict[str, str], scope: str | None = None, audience: str | None = None, kept: Secret | None = None
    ) -> Grant:
        asked_at = time.time()
        form = form | _given(scope=scope, audience=audience)
        return _granted(self._said(self._ask(self._locate().token, form, "token endpoint")), asked_at, kept)

    def _ask(self, url: str, form: dict[str, str], what: str) -> Answer:
        endpoints = self._locate()
        if not url:
            raise unavailable(f"The identity provider at {place_of(endpoints.issuer)} has no {what}")
        method = self._client.method(endpoints.auth_methods)
        headers: dict[str, str] = {}
        if method == "client_secret_basic":
            assert self._client.secret is not None
            headers["Authorization"] = _basic(self._client.id, self._client.secret)
        else:
            form = form | {"client_id": self._client.id}
        if method == "client_secret_post":
            assert self._client.secret is not None
            form = form | {"client_secret": self._client.secret.reveal()}
        return self._http.post(url, form, headers)

    def _said(self, answer: Answer) -> Json:
        said = answer.json()
        if answer.status == 200 and said is not None:
            return said
        error = said.get("error") if said is not None and answer.status in (400, 401, 403) else None
        if not isinstance(error, str):
            log.error("the token endpoint of %s answered with status %s and no OAuth error", self._client.id, answer.status)
            raise _nonsense()
        if error not in PENDING:
            log.info("a token for client %s was refused: %s", self._client.id, error[:100])
        raise Refused(error)


def _nonsense() -> SqeError:
    return unavailable("The identity provider's answer makes no sense; is the address that of a token endpoint?")


def misconfigured(refused: Refused) -> SqeError:
    """The refusal of a request that the user has no part in: the people who run this server have to act."""
    log.error("the identity provider refuses what this server asks for: %s", refused.error[:100])
    return unavailable(f"The identity provider refuses this server's own request ({_word(refused.error)})")


def _word(error: str) -> str:
    return error if error.isascii() and error.replace("_", "").isalnum() and len(error) <= 50 else "unknown error"


def _given(**parameters: str | None) -> dict[str, str]:
    return {name: value for name, value in parameters.items() if value is not None}


def _basic(client_id: str, secret: Secret) -> str:
    """RFC 6749 2.3.1: both are form-encoded before they become a header."""
    pair = f"{quote_plus(client_id)}:{quote_plus(secret.reveal())}"
    return "Basic " + base64.b64encode(pair.encode("ascii")).decode("ascii")


def _token(value: object) -> Secret | None:
    fits = isinstance(value, str) and 0 < len(value) <= LONGEST_TOKEN and value.isascii() and value.isprintable()
    return Secret(str(value)) if fits else None


def _seconds(value: object) -> float | None:
    """Some endpoints send the number as a text."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:10])
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= LONGEST_LIFE_SECONDS:
        return None
    return float(value)
