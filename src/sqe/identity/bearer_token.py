"""Tokens that an identity provider issued to the client: verified here, and handed on to the catalogs as they are."""

from __future__ import annotations

from sqe.config.providers import BearerTokenProvider
from sqe.identity.login import Login, Tokens
from sqe.identity.oidc.http import Http, identity_http
from sqe.identity.oidc.issuer import Issuer
from sqe.identity.provider import Bearer, Credentials, Provider


class BearerToken(Provider):
    """Nothing is renewed: the session ends with its token, unless the client comes back with a newer one."""

    def __init__(self, settings: BearerTokenProvider, http: Http | None = None) -> None:
        self._issuer = Issuer(settings, "bearer_token", http or identity_http())
        self._verifier = self._issuer.verifier(settings.audience)

    def identify(self, credentials: Credentials) -> Login | None:
        if not isinstance(credentials, Bearer):
            return None
        with self._issuer.http.one_log_in():
            found = self._verifier.verified(credentials.token.reveal())
        if found is None:
            return None
        return Login(self._issuer.identity(found.claims), Tokens(credentials.token, found.expires_at))
