"""The provider chain behind every log-in. Doors call `Authenticator`; they learn an identity or that there is none, never why."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqe.config.providers import (
    AnonymousProvider,
    ApiKeyProvider,
    AwsIamProvider,
    BearerTokenProvider,
    ClientCredentialsProvider,
    LdapProvider,
    MtlsProvider,
    OidcPasswordProvider,
    OidcProvider,
    StaticProvider,
    TokenExchangeProvider,
)
from sqe.config.sections import Auth
from sqe.errors import AUTHENTICATION_FAILED, TOO_MANY_REQUESTS, SqeError
from sqe.identity.anonymous import Anonymous
from sqe.identity.api_keys import claims_to_be_a_key
from sqe.identity.events import Happened, LoginEvent, LoginEvents
from sqe.identity.login import NOWHERE, Login, Origin
from sqe.identity.provider import Credentials, Password, Provider, Rejected
from sqe.identity.static import Static

if TYPE_CHECKING:
    from sqe.limits import LoginLimits

log = logging.getLogger("sqe.identity")


class Authenticator:
    """Asks the providers in order: "not mine" goes on to the next, a rejection ends it, and nobody at the end is a refusal."""

    def __init__(
        self, providers: Sequence[Provider], limits: LoginLimits | None = None, events: LoginEvents | None = None
    ) -> None:
        self._providers = tuple(providers)
        self._limits = limits
        self._events = events or LoginEvents()

    def log_in(self, credentials: Credentials, origin: Origin = NOWHERE) -> Login:
        """Raises `SqeError`: AUTHENTICATION_FAILED without a reason, that it is too often, or that a provider is not reached."""
        name = _claimed(credentials)
        try:
            return self._limited(credentials, name, origin)
        except SqeError as error:
            # Not those that came too often: they would fill the log, and the failures before them are in it.
            if error.code is not TOO_MANY_REQUESTS:
                self._events.publish(LoginEvent(Happened.LOGIN_FAILED, origin, claimed=name or "", code=error.code.name))
            raise

    def _limited(self, credentials: Credentials, name: str | None, origin: Origin) -> Login:
        if self._limits is not None:
            return self._limits.guarded(name, origin, lambda: self._judged(credentials))
        try:
            return self._judged(credentials)
        except SqeError as error:
            if error.code is AUTHENTICATION_FAILED:
                log.warning("log-in failed", extra={"user": name, "address": origin.address})
            raise

    def _judged(self, credentials: Credentials) -> Login:
        try:
            for provider in self._providers:
                login = provider.identify(credentials)
                if login is not None:
                    return login
        except Rejected:
            pass
        raise SqeError(AUTHENTICATION_FAILED, "Authentication failed")


def authenticator(settings: Auth, limits: LoginLimits | None = None, events: LoginEvents | None = None) -> Authenticator:
    """The chain that `[[auth.providers]]` describes. `events` hears of log-ins that fail; sessions tell of the others."""
    return Authenticator([_provider(each) for each in settings.providers], limits, events)


def _claimed(credentials: Credentials) -> str | None:
    """The name that a failed attempt counts against. Beside an API key it is often one that all programs share."""
    if isinstance(credentials, Password) and not claims_to_be_a_key(credentials.password.reveal()):
        return credentials.user
    return None


def _provider(settings: object) -> Provider:
    match settings:
        case StaticProvider():
            return Static(settings)
        case AnonymousProvider():
            return Anonymous(settings)
        case ApiKeyProvider():
            from sqe.identity.api_key import ApiKey

            return ApiKey(settings)
        case MtlsProvider():
            from sqe.identity.mtls import Mtls

            return Mtls(settings)
        case AwsIamProvider():
            from sqe.identity.aws_iam import AwsIam

            return AwsIam(settings)
        case LdapProvider():
            from sqe.identity.ldap import Ldap

            return Ldap(settings)
        case OidcProvider():
            return _oidc_provider(settings)
        case _:
            raise TypeError(f"no provider is made from {type(settings).__name__}")


def _oidc_provider(settings: OidcProvider) -> Provider:
    match settings:
        case BearerTokenProvider():
            from sqe.identity.bearer_token import BearerToken

            return BearerToken(settings)
        case OidcPasswordProvider():
            from sqe.identity.oidc_password import OidcPassword

            return OidcPassword(settings)
        case ClientCredentialsProvider():
            from sqe.identity.client_credentials import ClientCredentials

            return ClientCredentials(settings)
        case TokenExchangeProvider():
            from sqe.identity.token_exchange import TokenExchange

            return TokenExchange(settings)
        case _:
            raise TypeError(f"no provider is made from {type(settings).__name__}")
