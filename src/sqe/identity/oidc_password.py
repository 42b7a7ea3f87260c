"""Names and passwords that an identity provider checks (OAuth's resource owner password grant)."""

from __future__ import annotations

import logging

from sqe.config.providers import OidcPasswordProvider
from sqe.identity.login import Login, Renewer
from sqe.identity.oidc.http import Http, identity_http
from sqe.identity.oidc.issuer import Issuer, OwnTokens, described_by, end_of, same_person, sendable, server_client
from sqe.identity.oidc.token_endpoint import REFUSALS, Grant, Refused, misconfigured
from sqe.identity.provider import Credentials, Password, Provider, Rejected

log = logging.getLogger("sqe.identity")


class OidcPassword(Provider, Renewer):
    """Every name with a password is its own to judge. Who it is says the token, not what was typed."""

    def __init__(self, settings: OidcPasswordProvider, http: Http | None = None) -> None:
        self._settings = settings
        self._issuer = Issuer(settings, "oidc_password", http or identity_http())
        self._endpoint = self._issuer.token_endpoint(server_client(settings))
        self._own_tokens = OwnTokens(self._issuer)

    def identify(self, credentials: Credentials) -> Login | None:
        if not isinstance(credentials, Password) or not credentials.user or not credentials.password:
            return None
        if not sendable(credentials):
            raise Rejected
        scope, audience = self._settings.scope, self._settings.request_audience
        with self._issuer.http.one_log_in():
            try:
                grant = self._endpoint.password(credentials.user, credentials.password, scope=scope, audience=audience)
            except Refused as refused:
                raise _meaning(refused) from None
            return self._login(grant)

    def renew(self, login: Login) -> Login:
        if login.tokens is None or login.tokens.refresh is None:
            raise Rejected
        with self._issuer.http.one_log_in():
            try:
                grant = self._endpoint.refresh(login.tokens.refresh)
            except Refused as refused:
                raise _meaning(refused) from None
            renewed = self._login(grant)
        same_person(login.identity, renewed.identity)
        return renewed

    def _login(self, grant: Grant) -> Login:
        token = described_by(grant, self._settings.claims_from)
        claims = None if token is None else self._own_tokens.claims(token)
        if claims is None:
            log.warning(
                "the %s of the identity provider says nothing; the key claims_from names the other", self._settings.claims_from
            )
            raise Rejected
        tokens = grant.tokens(end_of(claims) if self._settings.claims_from == "access_token" else None)
        return Login(self._issuer.identity(claims), tokens, self if tokens.refresh is not None else None)


def _meaning(refused: Refused) -> Exception:
    return Rejected() if refused.error in REFUSALS else misconfigured(refused)
