"""Whose identity reaches a catalog: `auth` of `[catalog]` and `[catalogs.NAME]`, one class a mode."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sqe.config.catalogs import Catalog
from sqe.config.providers import catalog_scope
from sqe.config.sections import Auth
from sqe.config.settings import Settings
from sqe.config.values import Secret
from sqe.errors import SqeError
from sqe.identity.login import Login, Tokens
from sqe.identity.provider import Rejected

if TYPE_CHECKING:
    from sqe.identity.oidc.token_endpoint import TokenEndpoint

# A shared token is replaced before sessions find it due, which is at most a minute before its end or when two thirds are over.
_MARGIN_SECONDS = 90.0
_MARGIN_SHARE = 0.5


class CatalogIdentity(ABC):
    """Gets the token that a session shows to one catalog. Shared by all sessions; safe to call from many threads."""

    personal = False  # whether the catalog learns who the user is; the audit log and a warning at start say so when it does not

    @abstractmethod
    def tokens(self, login: Login) -> Tokens | None:
        """What to show for this log-in; None when it has nothing to show, and the catalog is closed to it.

        `Rejected` and `SqeError` as in `Renewer.renew`: they close this catalog to the session, not the others.
        """


class SessionBearer(CatalogIdentity):
    """The user's own access token."""

    personal = True

    def tokens(self, login: Login) -> Tokens | None:
        return login.tokens


class ExchangedToken(CatalogIdentity):
    """A token of the user's own for this catalog, exchanged for their access token (RFC 8693)."""

    personal = True

    def __init__(self, endpoint: TokenEndpoint, audience: str | None, scope: str | None) -> None:
        self._endpoint = endpoint
        self._audience = audience
        self._scope = scope

    def tokens(self, login: Login) -> Tokens | None:
        if login.tokens is None:
            return None
        from sqe.identity.oidc.token_endpoint import Refused, misconfigured
        from sqe.identity.token_exchange import EXCHANGE_REFUSALS

        try:
            grant = self._endpoint.exchange(login.tokens.access, audience=self._audience, scope=self._scope)
        except Refused as refused:
            raise (Rejected() if refused.error in EXCHANGE_REFUSALS else misconfigured(refused)) from None
        return grant.tokens()


class SharedToken(CatalogIdentity):
    """One token for everybody, which this server gets with its own client id and secret. There is one at a time."""

    def __init__(self, endpoint: TokenEndpoint, scope: str | None, clock: Callable[[], float] = time.time) -> None:
        self._endpoint = endpoint
        self._scope = scope
        self._clock = clock
        self._lock = threading.Lock()
        self._tokens: Tokens | None = None

    def tokens(self, login: Login) -> Tokens | None:
        with self._lock:
            if self._tokens is None or self._is_old(self._tokens):
                self._tokens = self._renewed(self._tokens)
            # Each session counts from when it got the token, not from when the first one did.
            return replace(self._tokens, obtained_at=0.0)

    def _is_old(self, tokens: Tokens) -> bool:
        life = tokens.expires_at - tokens.obtained_at
        return self._clock() >= tokens.expires_at - min(_MARGIN_SECONDS, life * _MARGIN_SHARE)

    def _renewed(self, known: Tokens | None) -> Tokens:
        from sqe.identity.oidc.token_endpoint import Refused, misconfigured

        try:
            return self._endpoint.client_credentials(scope=self._scope).tokens()
        except Refused as refused:
            raise misconfigured(refused) from None
        except SqeError:
            if known is not None and not known.expired(self._clock()):
                return known
            raise


class StaticToken(CatalogIdentity):
    """One token for everybody, written in sqe.toml."""

    def __init__(self, token: Secret) -> None:
        self._tokens = Tokens(token)

    def tokens(self, login: Login) -> Tokens | None:
        return self._tokens


def catalog_identities(settings: Settings) -> Mapping[str, CatalogIdentity]:
    """By catalog. Catalogs that are shown no token (`auth = "none"`, files) are not in it."""
    found = {each.name: _identity(each, settings.auth) for each in (settings.catalog, *settings.catalogs.values())}
    return {name: identity for name, identity in found.items() if identity is not None}


def shared_identities(settings: Settings) -> Iterator[str]:
    """A sentence for each catalog that does not learn who asks."""
    for each in (settings.catalog, *settings.catalogs.values()):
        if each.shared_identity:
            reason = f"has auth = {each.auth_mode!r}" if each.backend == "rest" else f"is of type {each.type!r}"
            yield f"catalog {each.name} {reason}: it sees one identity for all users of this server"
    if settings.storage.s3_identity != "keys":
        reason = f"storage has s3_identity = {settings.storage.s3_identity!r}"
        yield f"{reason}: where no catalog vends keys, S3 sees one identity for all users of this server"


def _identity(catalog: Catalog, auth: Auth) -> CatalogIdentity | None:
    match catalog.auth_mode:
        case "session_bearer":
            return SessionBearer()
        case "token_exchange":
            return ExchangedToken(_endpoint(catalog, auth), catalog.audience, catalog.scope)
        case "client_credentials":
            scope = catalog.scope or catalog_scope(catalog.token_endpoint or auth.token_endpoint)
            return SharedToken(_endpoint(catalog, auth), scope)
        case "static":
            assert catalog.token is not None
            return StaticToken(catalog.token)
        case _:
            return None


def _endpoint(catalog: Catalog, auth: Auth) -> TokenEndpoint:
    """What the catalog does not say is that of `[auth]`; a secret goes with its own client only."""
    from sqe.identity.oidc.discovery import Discovery, fixed
    from sqe.identity.oidc.http import identity_http
    from sqe.identity.oidc.token_endpoint import Client, TokenEndpoint

    own = catalog.client_id is not None
    client = Client(catalog.client_id or auth.client_id or "", catalog.client_secret if own else auth.client_secret)
    url = catalog.token_endpoint or auth.token_endpoint
    http = identity_http()
    return TokenEndpoint(fixed(token=url) if url else Discovery(auth.issuer or "", http), client, http)
