"""Programs with a client of their own at the identity provider: they log in with its id and its secret."""

from __future__ import annotations

from fnmatch import fnmatchcase

from sqe.config.providers import ClientCredentialsProvider
from sqe.config.values import Secret
from sqe.identity.login import Login, Renewer
from sqe.identity.oidc.http import Http, identity_http
from sqe.identity.oidc.issuer import Issuer, OwnTokens, end_of, same_person, sendable
from sqe.identity.oidc.token_endpoint import REFUSALS, Client, Refused, misconfigured
from sqe.identity.provider import Credentials, Password, Provider, Rejected

# Here the client is the user: that it is unknown or may not do this is their matter, and not this server's.
_USERS_OWN = REFUSALS | {"invalid_client", "unauthorized_client"}


class ClientCredentials(Provider):
    """Names that fit `clients` are its own to judge; without that key, all are."""

    def __init__(self, settings: ClientCredentialsProvider, http: Http | None = None) -> None:
        self._settings = settings
        self._issuer = Issuer(settings, "client_credentials", http or identity_http())
        self._own_tokens = OwnTokens(self._issuer)

    def identify(self, credentials: Credentials) -> Login | None:
        if not isinstance(credentials, Password) or not credentials.user or not credentials.password:
            return None
        if self._settings.clients and not any(fnmatchcase(credentials.user, each) for each in self._settings.clients):
            return None
        if not sendable(credentials):
            raise Rejected
        return self.login_of(credentials.user, credentials.password)

    def login_of(self, client_id: str, secret: Secret) -> Login:
        scope, audience = self._settings.scope, self._settings.request_audience
        with self._issuer.http.one_log_in():
            try:
                grant = self._issuer.token_endpoint(Client(client_id, secret)).client_credentials(scope=scope, audience=audience)
            except Refused as refused:
                raise (Rejected() if refused.error in _USERS_OWN else misconfigured(refused)) from None
            claims = self._own_tokens.claims(grant.access.reveal())
        identity = self._issuer.identity(claims or {}, otherwise=client_id)
        return Login(identity, grant.tokens(end_of(claims)), _AskAgain(self, client_id, secret))


class _AskAgain(Renewer):
    """The grant has no refresh tokens: the secret is kept for the session's life."""

    def __init__(self, provider: ClientCredentials, client_id: str, secret: Secret) -> None:
        self._provider = provider
        self._client_id = client_id
        self._secret = secret

    def renew(self, login: Login) -> Login:
        renewed = self._provider.login_of(self._client_id, self._secret)
        same_person(login.identity, renewed.identity)
        return renewed
