"""The device authorization grant (RFC 8628): what the person gets to see, and waiting until they have agreed.

What is sent is in token_endpoint.py: `device_code` begins, `device_token` asks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqe.errors import AUTHENTICATION_FAILED, IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.identity.oidc.token_endpoint import DeviceCode, Grant, Refused
from sqe.identity.oidc.words import secure_url, shown

# RFC 8628, 3.5: what `slow_down` adds to the interval, for good.
SLOWER_SECONDS = 5.0
# Whatever the provider says: nobody waits longer for a person, and nobody asks more often or less often than this.
LONGEST_WAIT_SECONDS = 3600.0
SHORTEST_INTERVAL_SECONDS = 1.0
LONGEST_INTERVAL_SECONDS = 60.0


@dataclass(frozen=True)
class Invitation:
    """What the person is shown: cleaned for a terminal, and an address that is safe to follow."""

    page: str
    code: str
    code_is_in_page: bool  # it is confirmed there, and need not be typed

    @staticmethod
    def of(code: DeviceCode) -> Invitation:
        page = secure_url(code.verification_uri_complete or code.verification_uri, "The page to log in at")
        return Invitation(page, shown(code.user_code, 80), bool(code.verification_uri_complete))


def wait_for_tokens(
    ask: Callable[[], Grant], code: DeviceCode, *, wait: Callable[[float], object], clock: Callable[[], float]
) -> Grant:
    """`ask` is `TokenEndpoint.device_token` for this code. Raises AUTHENTICATION_FAILED when the person does not agree."""
    deadline = min(code.expires_at, clock() + LONGEST_WAIT_SECONDS)
    interval = min(max(code.interval_seconds, SHORTEST_INTERVAL_SECONDS), LONGEST_INTERVAL_SECONDS)
    while True:
        wait(interval)
        if clock() >= deadline:
            raise _ended("The code has expired before anybody logged in with it")
        try:
            return ask()
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
