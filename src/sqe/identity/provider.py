"""What clients present, and the contract of everything that can judge it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from sqe.config.values import Secret
from sqe.identity.login import Login


@dataclass(frozen=True)
class Password:
    """A name and a password, from a Flight handshake or HTTP basic authentication."""

    user: str
    password: Secret


@dataclass(frozen=True)
class Bearer:
    """A token that somebody else issued."""

    token: Secret


@dataclass(frozen=True)
class Nothing:
    """The client came without any credentials."""


@dataclass(frozen=True)
class Certificate:
    """A client certificate that the TLS handshake has verified, in DER form."""

    der: bytes


Credentials = Password | Bearer | Certificate | Nothing


class Rejected(Exception):
    """The credentials are this provider's to judge, and they are wrong. No provider behind it is asked."""


class Provider(ABC):
    """One way to log in. Implementations are safe to call from many threads."""

    @abstractmethod
    def identify(self, credentials: Credentials) -> Login | None:
        """Who this is; None when such credentials are not this provider's; `Rejected` when they are and are wrong.

        A provider that cannot answer (its service is down) raises `SqeError`: an outage never means "ask a weaker one".
        """
