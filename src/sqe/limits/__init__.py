"""Limits against abuse: how often somebody may log in and ask. Used by the authenticator, the query handler and the doors.

A refusal is always `TOO_MANY_REQUESTS` with the time after which to come again; it says nothing about who exists here.
"""

from __future__ import annotations

from sqe.config.rate_limit import RateLimit
from sqe.limits.calls import CallsAtOnce
from sqe.limits.logins import LoginLimits
from sqe.limits.queries import QueryRates
from sqe.limits.refusals import Refusals, TooManyRequests

__all__ = ["CallsAtOnce", "Limits", "LoginLimits", "QueryRates", "Refusals", "TooManyRequests"]


class Limits:
    """What `[rate_limit]` says, for one server."""

    def __init__(self, settings: RateLimit) -> None:
        self.refusals = Refusals()
        self.logins = LoginLimits(settings, self.refusals)
        self.calls = CallsAtOnce(settings.calls_per_user, self.refusals)
        self.queries = QueryRates(settings, self.refusals)
