"""How many statements and questions (metadata, preparing) a user and a session may send."""

from __future__ import annotations

import time

from sqe.config.rate_limit import RateLimit
from sqe.limits.buckets import Buckets, Clock
from sqe.limits.refusals import Refusals

MESSAGE = "Too many statements in a short time"


class QueryRates:
    def __init__(self, settings: RateLimit, refusals: Refusals, *, clock: Clock = time.monotonic) -> None:
        self._refusals = refusals
        self._of_session = Buckets(settings.queries_per_session, most_keys=settings.tracked, clock=clock)
        self._of_user = Buckets(settings.queries_per_user, most_keys=settings.tracked, clock=clock)

    def admit(self, user: str, session_id: str) -> None:
        """Raises `TooManyRequests`. Called before anything is parsed or kept for the statement."""
        session, person = session_id.encode(), user.encode("utf-8", "surrogatepass")
        if wait := self._of_session.take(session):
            raise self._refusals.refused("queries_per_session", MESSAGE, wait, user=user, session_id=session_id)
        if wait := self._of_user.take(person):
            self._of_session.give_back(session)
            raise self._refusals.refused("queries_per_user", MESSAGE, wait, user=user, session_id=session_id)
