"""The device authorization grant (RFC 8628): a program without a browser gets its tokens while a person logs in elsewhere.

`TokenEndpoint.begin_on_a_device` sends what `request` makes, `DeviceCode.read` reads the answer, `wait_for_tokens` does the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqe.config.values import Secret
from sqe.errors import AUTHENTICATION_FAILED, IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.identity.oidc.code import Pkce
from sqe.identity.oidc.token_endpoint import Refused
from sqe.identity.oidc.words import secure_url, shown

GRANT = "urn:ietf:params:oauth:grant-type:device_code"

DEFAULT_INTERVAL_SECONDS = 5.0
# RFC 8628, 3.5: what `slow_down` adds to the interval, for good.
SLOWER_SECONDS = 5.0
# Whatever the provider says: nobody waits longer for a person, and nobody asks more often or less often than this.
LONGEST_LIFE_SECONDS = 3600.0
SHORTEST_INTERVAL_SECONDS = 1.0
LONGEST_INTERVAL_SECONDS = 60.0

Json = Mapping[str, Any]
Redeem = Callable[[Mapping[str, str]], Json]  # `TokenEndpoint.redeem`: raises Refused, or SqeError for an outage


@dataclass(frozen=True)
class DeviceCode:
    """What the provider gave: a code to show, where to enter it, and the secret half to ask with."""

    secret: Secret
    user_code: str
    verification_uri: str
    verification_uri_complete: str | None
    lifetime_seconds: float
    interval_seconds: float

    @staticmethod
    def read(answer: Json) -> DeviceCode:
        """Text is cleaned for a terminal here; addresses that are not safe to follow are refused."""
        secret, user_code = answer.get("device_code"), shown(answer.get("user_code", ""), 80)
        if not (isinstance(secret, str) and secret and user_code):
            raise SqeError(IDENTITY_PROVIDER_UNAVAILABLE, "The identity provider's answer makes no sense")
        complete = answer.get("verification_uri_complete")
        return DeviceCode(
            Secret(secret),
            user_code,
            secure_url(answer.get("verification_uri"), "The page to log in at"),
            secure_url(complete, "The page to log in at") if complete else None,
            _number(answer.get("expires_in"), LONGEST_LIFE_SECONDS, 0.0, LONGEST_LIFE_SECONDS),
            _number(answer.get("interval"), DEFAULT_INTERVAL_SECONDS, SHORTEST_INTERVAL_SECONDS, LONGEST_INTERVAL_SECONDS),
        )


def request(client_id: str, scopes: Sequence[str], pkce: Pkce) -> Mapping[str, str]:
    """The form for the device authorization endpoint. PKCE is not in the RFC, but some providers want it, and none minds."""
    return {"client_id": client_id, "scope": " ".join(scopes), **pkce.challenge}


def wait_for_tokens(
    redeem: Redeem,
    client_id: str,
    code: DeviceCode,
    pkce: Pkce,
    *,
    wait: Callable[[float], object],
    clock: Callable[[], float],
) -> Json:
    """The token endpoint's answer once the person has agreed. Raises AUTHENTICATION_FAILED when they do not."""
    form = {
        "grant_type": GRANT,
        "client_id": client_id,
        "device_code": code.secret.reveal(),
        "code_verifier": pkce.verifier.reveal(),
    }
    deadline, interval = clock() + code.lifetime_seconds, code.interval_seconds
    while True:
        wait(interval)
        if clock() >= deadline:
            raise _ended("The code has expired before anybody logged in with it")
        try:
            return redeem(form)
        except Refused as refused:
            interval += _slower(refused.error)
        except SqeError as outage:
            if outage.code is not IDENTITY_PROVIDER_UNAVAILABLE:
                raise
            # RFC 8628, 3.5: a provider that does not answer is asked ever less often.
            interval = min(interval * 2, LONGEST_INTERVAL_SECONDS)


def _slower(error: str) -> float:
    """What an error adds to the interval; the errors that end it all are raised."""
    match error:
        case "authorization_pending":
            return 0.0
        case "slow_down":
            return SLOWER_SECONDS
        case "access_denied":
            raise _ended("The log-in was denied")
        case "expired_token":
            raise _ended("The code has expired before anybody logged in with it")
        case _:
            raise _ended(f"The identity provider refused the log-in: {shown(error, 80)}")


def _ended(why: str) -> SqeError:
    return SqeError(AUTHENTICATION_FAILED, why, hint="start again with sqe login")


def _number(value: object, default: float, least: float, most: float) -> float:
    number = float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else default
    return min(max(default if math.isnan(number) else number, least), most)
