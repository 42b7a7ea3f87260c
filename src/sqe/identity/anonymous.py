"""Everybody is let in under one name. For the embedded socket, which only its owner can reach, and for development."""

from __future__ import annotations

from sqe.config.providers import AnonymousProvider
from sqe.identity import Identity
from sqe.identity.login import Login
from sqe.identity.provider import Bearer, Certificate, Credentials, Password, Provider


class Anonymous(Provider):
    """Takes clients without credentials only. A wrong password must not become a log-in, and a claimed name no identity."""

    def __init__(self, settings: AnonymousProvider) -> None:
        self._login = Login(Identity(settings.user, frozenset(settings.roles), provider="anonymous"))

    def identify(self, credentials: Credentials) -> Login | None:
        match credentials:
            case Bearer() | Certificate():
                return None
            case Password(password=password) if password:
                return None
            case _:
                return self._login
