"""What an ID token says about a log-in: it ties the tokens that came to the question that was asked."""

from __future__ import annotations

from sqe.config.values import Secret
from sqe.errors import AUTHENTICATION_FAILED, SqeError
from sqe.identity.oidc.claims import Claims
from sqe.identity.oidc.discovery import Locate
from sqe.identity.oidc.http import Http
from sqe.identity.oidc.signing_keys import SigningKeys
from sqe.identity.oidc.token_endpoint import Grant
from sqe.identity.oidc.verifier import Rules, Verifier
from sqe.identity.provider import Rejected


def id_claims(grant: Grant, client_id: str, locate: Locate, http: Http, *, nonce: Secret | None, expected: bool) -> Claims:
    """Empty without an ID token. With a nonce there must be one where it is `expected`. Raises AUTHENTICATION_FAILED."""
    if grant.id_token is None:
        if nonce is not None and expected:
            raise SqeError(AUTHENTICATION_FAILED, "The identity provider's answer has no ID token")
        return {}
    rules = Rules(locate().issuer, frozenset({client_id}))
    try:
        verified = Verifier(SigningKeys(locate, http), rules).verified(grant.id_token.reveal())
    except Rejected:
        verified = None
    if verified is None:
        raise SqeError(AUTHENTICATION_FAILED, "The identity provider's ID token is not in order")
    party = verified.claims.get("azp", client_id)
    if party != client_id or (nonce and not nonce.matches(str(verified.claims.get("nonce", "")))):
        raise SqeError(AUTHENTICATION_FAILED, "The identity provider's ID token is for another log-in")
    return verified.claims
