"""Whose request it is: the bearer token, checked against the issuer's keys."""

from __future__ import annotations

from dataclasses import dataclass

import jwt

from dev.services.gateway.answers import NotAuthorized, Unavailable

# One algorithm, the one that Keycloak signs with: what a token's header asks for is not taken into account.
ALGORITHMS = ["RS256"]
CLOCK_SKEW_SECONDS = 5


@dataclass(frozen=True)
class Principal:
    subject: str
    name: str
    groups: frozenset[str]
    roles: frozenset[str]


class Verifier:
    def __init__(self, issuer: str, audience: str, jwks: str) -> None:
        self._issuer = issuer
        self._audience = audience
        # Known keys outlast an outage of the issuer; an unknown key id makes it look again.
        self._keys = jwt.PyJWKClient(jwks, lifespan=24 * 60 * 60, timeout=3)

    def principal(self, authorization: str | None) -> Principal:
        """Raises NotAuthorized, and never says why."""
        scheme, _, token = (authorization or "").partition(" ")
        if scheme.lower() != "bearer":
            raise NotAuthorized
        try:
            claims = jwt.decode(
                token,
                self._keys.get_signing_key_from_jwt(token),
                algorithms=ALGORITHMS,
                audience=self._audience,
                issuer=self._issuer,
                leeway=CLOCK_SKEW_SECONDS,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )
        except jwt.PyJWKClientConnectionError as failure:
            raise Unavailable("The identity provider cannot be reached") from failure
        except (jwt.PyJWTError, ValueError) as failure:
            raise NotAuthorized from failure
        return Principal(
            claims["sub"],
            claims.get("preferred_username", claims["sub"]),
            frozenset(claims.get("groups", ())),
            frozenset(claims.get("realm_access", {}).get("roles", ())),
        )
