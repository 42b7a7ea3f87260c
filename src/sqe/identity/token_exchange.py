"""Tokens that are for this server alone: verified here, and exchanged for ones that catalogs take (RFC 8693)."""

from __future__ import annotations

import time

from sqe.config.providers import TokenExchangeProvider
from sqe.config.values import Secret
from sqe.identity import Identity
from sqe.identity.login import Login, Renewer
from sqe.identity.oidc.http import Http, identity_http
from sqe.identity.oidc.issuer import Issuer, OwnTokens, end_of, same_person, server_client
from sqe.identity.oidc.token_endpoint import REFUSALS, Grant, Refused, misconfigured
from sqe.identity.oidc.verifier import Verified
from sqe.identity.provider import Bearer, Credentials, Provider, Rejected

# RFC 8693 2.2.2: what to say when the presented token is not acceptable.
EXCHANGE_REFUSALS = REFUSALS | {"invalid_request"}


class TokenExchange(Provider):
    """The exchanged token names the roles that count, where it can be read; it must be of the same person."""

    def __init__(self, settings: TokenExchangeProvider, http: Http | None = None) -> None:
        self._settings = settings
        self._issuer = Issuer(settings, "token_exchange", http or identity_http())
        self._verifier = self._issuer.verifier(settings.audience)
        self._endpoint = self._issuer.token_endpoint(server_client(settings))
        self._own_tokens = OwnTokens(self._issuer)

    def identify(self, credentials: Credentials) -> Login | None:
        if not isinstance(credentials, Bearer):
            return None
        with self._issuer.http.one_log_in():
            found = self._verifier.verified(credentials.token.reveal())
            if found is None:
                return None
            identity = self._issuer.identity(found.claims)
            return self._login(identity, self._exchanged(credentials.token), credentials.token, found)

    def renewed(self, login: Login, subject: Secret, found: Verified) -> Login:
        with self._issuer.http.one_log_in():
            if time.time() < found.expires_at:
                grant = self._exchanged(subject)
            elif login.tokens is not None and login.tokens.refresh is not None:
                grant = self._refreshed(login.tokens.refresh)
            else:
                raise Rejected
            return self._login(login.identity, grant, subject, found)

    def _login(self, identity: Identity, grant: Grant, subject: Secret, found: Verified) -> Login:
        claims = self._own_tokens.claims(grant.access.reveal())
        if claims is not None:
            identity = same_person(identity, self._issuer.identity(claims, otherwise=identity.user))
        return Login(identity, grant.tokens(end_of(claims)), _Exchanger(self, subject, found))

    def _exchanged(self, subject: Secret) -> Grant:
        try:
            return self._endpoint.exchange(subject, scope=self._settings.scope, audience=self._settings.request_audience)
        except Refused as refused:
            raise (Rejected() if refused.error in EXCHANGE_REFUSALS else misconfigured(refused)) from None

    def _refreshed(self, refresh: Secret) -> Grant:
        try:
            return self._endpoint.refresh(refresh)
        except Refused as refused:
            raise (Rejected() if refused.error in REFUSALS else misconfigured(refused)) from None


class _Exchanger(Renewer):
    """Exchanges the client's token again while that lives; afterwards the refresh token serves, where there is one."""

    def __init__(self, provider: TokenExchange, subject: Secret, found: Verified) -> None:
        self._provider = provider
        self._subject = subject
        self._found = found

    def renew(self, login: Login) -> Login:
        return self._provider.renewed(login, self._subject, self._found)
