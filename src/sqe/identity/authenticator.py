"""The provider chain behind every log-in. Doors call `Authenticator`; they learn an identity or that there is none, never why."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from sqe.config.providers import AnonymousProvider, ApiKeyProvider, StaticProvider
from sqe.config.sections import Auth
from sqe.errors import AUTHENTICATION_FAILED, SqeError
from sqe.identity.anonymous import Anonymous
from sqe.identity.login import Login, Origin
from sqe.identity.provider import Credentials, Provider, Rejected
from sqe.identity.static import Static

log = logging.getLogger("sqe.identity")

NOWHERE = Origin()


class Authenticator:
    """Asks the providers in order: "not mine" goes on to the next, a rejection ends it, and nobody at the end is a refusal."""

    def __init__(self, providers: Sequence[Provider]) -> None:
        self._providers = tuple(providers)

    def log_in(self, credentials: Credentials, origin: Origin = NOWHERE) -> Login:
        """Raises `SqeError`: AUTHENTICATION_FAILED without a reason, or that a provider cannot be reached."""
        try:
            for provider in self._providers:
                login = provider.identify(credentials)
                if login is not None:
                    return login
        except Rejected:
            pass
        log.warning("log-in failed", extra={"user": getattr(credentials, "user", None), "address": origin.address})
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
        case ApiKeyProvider():
            from sqe.identity.api_key import ApiKey

            return ApiKey(settings)
        case _:
            raise TypeError(f"no provider is made from {type(settings).__name__}")
