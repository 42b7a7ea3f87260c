"""The provider chain behind every log-in. Doors call `Authenticator`; they learn an identity or that there is none, never why."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from sqe.config.providers import AnonymousProvider, StaticProvider
from sqe.config.sections import Auth
from sqe.config.values import Secret
from sqe.errors import AUTHENTICATION_FAILED, SqeError
from sqe.identity import Identity
from sqe.identity.anonymous import Anonymous
from sqe.identity.provider import Bearer, Credentials, Nothing, Password, Provider, Rejected
from sqe.identity.static import Static

log = logging.getLogger("sqe.identity")


class Authenticator:
    """Asks the providers in order: "not mine" goes on to the next, a rejection ends it, and nobody at the end is a refusal."""

    def __init__(self, providers: Sequence[Provider]) -> None:
        self._providers = tuple(providers)

    def password(self, user: str, password: str) -> Identity:
        return self._identify(Password(user, Secret(password)))

    def bearer(self, token: str) -> Identity:
        return self._identify(Bearer(Secret(token)))

    def anonymous(self) -> Identity:
        return self._identify(Nothing())

    def _identify(self, credentials: Credentials) -> Identity:
        try:
            for provider in self._providers:
                identity = provider.identify(credentials)
                if identity is not None:
                    return identity
        except Rejected:
            pass
        log.warning("log-in failed", extra={"user": getattr(credentials, "user", None)})
        raise SqeError(AUTHENTICATION_FAILED, "Authentication failed")


def authenticator(settings: Auth) -> Authenticator:
    """The chain that `[[auth.providers]]` describes."""
    return Authenticator([_provider(each) for each in settings.providers])


def _provider(settings: object) -> Provider:
    match settings:
        case StaticProvider():
            return Static(settings)
        case AnonymousProvider():
            return Anonymous(settings)
        case _:
            raise TypeError(f"no provider is made from {type(settings).__name__}")
