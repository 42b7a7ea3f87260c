"""What a log-in yields: who it is, and the tokens that speak for them elsewhere."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass

from sqe.config.values import Secret
from sqe.identity import Identity

NEVER = float("inf")


@dataclass(frozen=True)
class Tokens:
    """What an identity provider issued to one person. Times are those of `time.time()`: a token's `exp` is one too."""

    access: Secret
    expires_at: float = NEVER
    refresh: Secret | None = None
    obtained_at: float = 0.0

    def expired(self, now: float | None = None) -> bool:
        return (time.time() if now is None else now) >= self.expires_at


@dataclass(frozen=True)
class Origin:
    """Where a log-in came from. The address is empty where a protocol does not say it (Flight's handshake)."""

    door: str = ""
    address: str = ""
    client: str = ""
    certificate: str = ""  # fingerprint of the client's certificate: the session is good with that one only


NOWHERE = Origin()


class Renewer(ABC):
    """Asks again whether a person may still come in, and gets their next tokens before the present ones expire.

    Implementations are safe to call from many threads.
    """

    @abstractmethod
    def renew(self, login: Login) -> Login:
        """The same person with new tokens, and with the roles and groups that the provider gives them now.

        `Rejected` when they may not come in any more; `SqeError` when the provider cannot answer, which proves nothing.
        """


@dataclass(frozen=True)
class Login:
    """A person let in. Without tokens (static users, API keys) there is nothing to hand to a catalog."""

    identity: Identity
    tokens: Tokens | None = None
    renewer: Renewer | None = None  # None: the tokens end when they end
