"""The realm `sqe` as data: who may log in, by which clients, and what their tokens say.

| client | for |
|---|---|
| `sqe` | SQE itself (confidential): password, code, device and token-exchange grants |
| `sqe-short` | the same with access tokens of 60 seconds |
| `sqe-cli` | a public client: code with PKCE, device |
| `sqe-narrow` | a public client whose tokens are for `sqe` alone: a catalog takes them after a token exchange only |
| `report` | a machine: client credentials |
| `lake`, `nessie` | the catalogs, as audiences |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

REALM = "sqe"
CATALOGS = ("lake", "nessie")
SHORT_SECONDS = 60

Json = dict[str, Any]


@dataclass(frozen=True)
class User:
    name: str
    groups: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()

    @property
    def password(self) -> str:
        return f"{self.name}-password"


USERS = (
    User("alice", ("analysts",), ("analyst",)),
    User("bob", ("engineers",), ("engineer",)),
    User("carol", ("analysts", "engineers"), ("admin",)),
    # For tests with many users at once; each may use the namespace of its own name.
    *(User(f"user{number:02}", ("crowd",)) for number in range(1, 21)),
)


def secret_of(client: str) -> str:
    return f"{client}-secret"


def realm() -> Json:
    groups = sorted({group for user in USERS for group in user.groups})
    roles = sorted({role for user in USERS for role in user.roles} | {"machine"})
    return {
        "realm": REALM,
        "enabled": True,
        "sslRequired": "none",
        "accessTokenLifespan": 600,
        # A wrong password in a test must not lock the others out.
        "bruteForceProtected": False,
        "roles": {"realm": [{"name": role} for role in roles]},
        "groups": [{"name": group} for group in groups],
        "users": [*map(_user, USERS), _machine("report")],
        "clients": _clients(),
    }


def _user(user: User) -> Json:
    """The e-mail, both names and the empty list are needed: without them the password grant says "account not set up"."""
    return {
        "username": user.name,
        "enabled": True,
        "email": f"{user.name}@example.org",
        "emailVerified": True,
        "firstName": user.name.capitalize(),
        "lastName": "Example",
        "requiredActions": [],
        "credentials": [{"type": "password", "value": user.password, "temporary": False}],
        "groups": [f"/{group}" for group in user.groups],
        "realmRoles": list(user.roles),
    }


def _machine(client: str) -> Json:
    return {
        "username": f"service-account-{client}",
        "enabled": True,
        "serviceAccountClientId": client,
        "realmRoles": ["machine"],
    }


def _clients() -> list[Json]:
    everywhere = ("sqe", *CATALOGS)
    server: Json = {"directAccessGrantsEnabled": True, "standardFlowEnabled": True}
    public: Json = {"publicClient": True, "secret": None}
    return [
        _client("sqe", everywhere, _DEVICE | _EXCHANGE, **server),
        _client("sqe-short", everywhere, {"access.token.lifespan": str(SHORT_SECONDS)}, **server),
        _client("sqe-cli", everywhere, _DEVICE | {"pkce.code.challenge.method": "S256"}, **public, standardFlowEnabled=True),
        _client("sqe-narrow", ("sqe",), {}, **public, directAccessGrantsEnabled=True),
        _client("report", everywhere, {}, serviceAccountsEnabled=True),
        *(_client(catalog, (), {}) for catalog in CATALOGS),
    ]


_DEVICE = {"oauth2.device.authorization.grant.enabled": "true"}
_EXCHANGE = {"standard.token.exchange.enabled": "true", "standard.token.exchange.enableRefreshRequestedTokenType": "SAME_SESSION"}


def _client(name: str, audiences: tuple[str, ...], attributes: dict[str, str], **settings: object) -> Json:
    return {
        "clientId": name,
        "enabled": True,
        "protocol": "openid-connect",
        "secret": secret_of(name),
        "standardFlowEnabled": False,
        "directAccessGrantsEnabled": False,
        "redirectUris": ["http://127.0.0.1:*", "http://localhost:*", "https://localhost:*"],
        "attributes": attributes,
        # Without a list of their own, imported clients get the realm's default scopes: names, e-mail, roles.
        "protocolMappers": [_groups_mapper(), *map(_audience_mapper, audiences)],
        **settings,
    }


def _groups_mapper() -> Json:
    return _mapper("groups", "oidc-group-membership-mapper", {"claim.name": "groups", "full.path": "false"})


def _audience_mapper(audience: str) -> Json:
    return _mapper(f"audience-{audience}", "oidc-audience-mapper", {"included.client.audience": audience})


def _mapper(name: str, kind: str, config: dict[str, str]) -> Json:
    in_tokens = {"access.token.claim": "true", "introspection.token.claim": "true"}
    return {"name": name, "protocol": "openid-connect", "protocolMapper": kind, "config": config | in_tokens}
