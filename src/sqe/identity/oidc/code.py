"""The authorization code grant with PKCE (RFC 6749, 7636, 9207): where a person is sent, and which answer may come back.

The code is redeemed by `TokenEndpoint.authorization_code`. Knows nothing of browsers and terminals: `sqe login --browser`
uses it, and so can a door that sends people to their identity provider.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode

from sqe.config.values import Secret
from sqe.errors import AUTHENTICATION_FAILED, SqeError
from sqe.identity.oidc.words import shown

LONGEST_ANSWER = 16 * 1024


def _random() -> Secret:
    return Secret(secrets.token_urlsafe(32))


@dataclass(frozen=True)
class Pkce:
    """Proof that whoever redeems a code is who asked for it. S256 only: `plain` protects against nothing here."""

    verifier: Secret = field(default_factory=_random)

    @property
    def challenge(self) -> dict[str, str]:
        digest = hashlib.sha256(self.verifier.reveal().encode("ascii")).digest()
        return {
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode("ascii"),
            "code_challenge_method": "S256",
        }


@dataclass(frozen=True)
class Attempt:
    """One try to log in: everything that ties the answer to the question. Good for one answer."""

    client_id: str
    redirect_uri: str
    scopes: Sequence[str]
    pkce: Pkce = field(default_factory=Pkce)
    state: Secret = field(default_factory=_random)
    nonce: Secret = field(default_factory=_random)

    def url(self, authorization_endpoint: str) -> str:
        """Where the person goes with a browser."""
        query = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "scope": " ".join(self.scopes),
            "state": self.state.reveal(),
            "nonce": self.nonce.reveal(),
            **self.pkce.challenge,
        }
        return f"{authorization_endpoint}{'&' if '?' in authorization_endpoint else '?'}{urlencode(query)}"

    def code(self, query: str, *, issuer: str, issuer_expected: bool) -> Secret:
        """The code in the query with which the browser came back; `issuer_expected` when the provider promises to name itself.

        Raises AUTHENTICATION_FAILED for every answer that is not the one to this question.
        """
        answer = _parameters(query)
        if not self.state.matches(answer.get("state", "")):
            raise _refused("The answer in the browser does not belong to this log-in")
        named = answer.get("iss", None if issuer_expected else issuer)
        if named != issuer:
            raise _refused("The answer in the browser is not from the identity provider that was asked")
        if "error" in answer:
            raise _refused(f"The identity provider refused the log-in: {shown(answer['error'], 80)}")
        if not answer.get("code"):
            raise _refused("The answer in the browser holds no code")
        return Secret(answer["code"])


def _parameters(query: str) -> dict[str, str]:
    """Each parameter once (RFC 6749, 3.1): of two states or codes, who knows which one was checked."""
    if len(query) > LONGEST_ANSWER:
        raise _refused("The answer in the browser is too long")
    pairs = parse_qsl(query, keep_blank_values=True)
    parameters = dict(pairs)
    if len(parameters) != len(pairs):
        raise _refused("The answer in the browser says something twice")
    return parameters


def _refused(why: str) -> SqeError:
    return SqeError(AUTHENTICATION_FAILED, why)
