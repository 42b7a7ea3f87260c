"""What observers (audit) learn about log-ins and sessions. They never influence them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from sqe.identity import Identity
from sqe.identity.login import NOWHERE, Origin
from sqe.observers import Observers


class Happened(Enum):
    LOGGED_IN = "login"
    LOGIN_FAILED = "login_failed"
    LOGGED_OUT = "logout"
    EXPIRED = "session_expired"
    RENEWAL_FAILED = "renewal_failed"


@dataclass(frozen=True)
class LoginEvent:
    """One thing that happened to a log-in. Without an identity, `claimed` is the name that somebody gave."""

    what: Happened
    origin: Origin = NOWHERE
    identity: Identity | None = None
    claimed: str = ""
    session_id: str = ""
    code: str = ""  # of the error, for failures
    why: str = ""


LoginEvents = Observers[LoginEvent]
