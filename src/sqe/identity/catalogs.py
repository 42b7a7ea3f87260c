"""Whose identity reaches a catalog: `auth` of `[catalog]` and `[catalogs.NAME]`, one class a mode."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from sqe.config.catalogs import Catalog
from sqe.config.settings import Settings
from sqe.config.values import Secret
from sqe.identity.login import Login, Tokens


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


class StaticToken(CatalogIdentity):
    """One token for everybody, written in sqe.toml."""

    def __init__(self, token: Secret) -> None:
        self._tokens = Tokens(token)

    def tokens(self, login: Login) -> Tokens | None:
        return self._tokens


def catalog_identities(settings: Settings) -> Mapping[str, CatalogIdentity]:
    """By catalog. Catalogs that are shown no token (`auth = "none"`, files) are not in it."""
    found = {each.name: _identity(each) for each in (settings.catalog, *settings.catalogs.values())}
    return {name: identity for name, identity in found.items() if identity is not None}


def _identity(catalog: Catalog) -> CatalogIdentity | None:
    match catalog.auth_mode:
        case "session_bearer":
            return SessionBearer()
        case "static":
            assert catalog.token is not None
            return StaticToken(catalog.token)
        case _:
            return None
