"""What a token says about a person, and how it becomes an `Identity`. What is not as it must be is refused, never guessed."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqe.identity import Identity

log = logging.getLogger("sqe.identity")

Claims = Mapping[str, Any]

LONGEST_NAME = 256


class WrongClaims(Exception):
    """Why a token cannot be used; for the log of this server only."""


@dataclass(frozen=True)
class ClaimNames:
    """Where a provider's tokens say who somebody is: `[[auth.providers]]` user_claim, roles_claim, groups_claim."""

    user: str
    roles: str
    groups: str

    def identity(self, claims: Claims, provider: str, *, otherwise: str | None = None) -> Identity:
        """`otherwise` is the user's name where the token has none. Raises `WrongClaims`."""
        user = found(claims, self.user)
        if user is None:
            user = otherwise
        if user is None:
            raise WrongClaims(f"it has no claim {self.user!r}; the key user_claim names the one to use")
        subject = claims.get("sub", "")
        return Identity(
            _name(user, self.user), self._names(claims, self.roles), self._names(claims, self.groups), provider,
            _name(subject, "sub") if subject != "" else "",
        )  # fmt: skip

    def _names(self, claims: Claims, path: str) -> frozenset[str]:
        value = found(claims, path)
        if value is None:
            elsewhere = claims.get("_claim_names")
            if isinstance(elsewhere, Mapping) and path in elsewhere:
                # Entra leaves long lists out. Without its groups a person would also be without what is denied to them.
                raise WrongClaims(f"its claim {path!r} was too long for the token and left out")
            return frozenset()
        if isinstance(value, str) and path.rpartition(".")[2] in ("scope", "scp"):  # OAuth's lists are texts with spaces
            value = value.split()
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list):
            raise WrongClaims(f"its claim {path!r} is not a list of texts")
        return frozenset(_name(each, path) for each in values)


def found(claims: Claims, path: str) -> Any:
    """`realm_access.roles` is a claim in a claim; a claim may also have dots in its own name (`https://example.com/roles`)."""
    if path in claims:
        return claims[path]
    for position, character in enumerate(path):
        if character == "." and isinstance(claims.get(path[:position]), Mapping):
            inner = found(claims[path[:position]], path[position + 1 :])
            if inner is not None:
                return inner
    return None


# OpenID Connect puts these into ID tokens alone.
_OF_ID_TOKENS = ("at_hash", "c_hash", "s_hash", "nonce")


def grants_access(claims: Claims) -> bool:
    """Whether it is an access token, as far as a token tells: there is no claim for it that all issuers know.

    Keycloak says what it is in `typ`, Cognito in `token_use`; versions of Keycloak before 25 put `nonce` into access tokens.
    """
    said = claims.get("typ", claims.get("token_use"))
    if said is not None:
        return isinstance(said, str) and said.lower() in ("bearer", "dpop", "access", "jwt", "at+jwt")
    return not any(name in claims for name in _OF_ID_TOKENS)


def moment(claims: Claims, name: str) -> float | None:
    """A time in seconds; None when it is not there. Raises `WrongClaims`: texts and other oddities are no times."""
    value = claims.get(name)
    if value is None and name not in claims:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 2**53:
        raise WrongClaims(f"its claim {name!r} is not a time")
    return float(value)


def _name(value: object, claim: str) -> str:
    """Names go into log lines and headers; those with line breaks or blanks around them are somebody's attempt."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_NAME or not value.isprintable() or value != value.strip():
        raise WrongClaims(f"its claim {claim!r} is not a name")
    return value
