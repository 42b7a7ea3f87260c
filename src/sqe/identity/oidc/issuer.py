"""An identity provider as the settings describe it: its endpoints, its keys, and what its tokens say."""

from __future__ import annotations

import logging
from dataclasses import replace

from sqe.config.providers import OidcClientProvider, OidcProvider, OidcServerProvider
from sqe.identity import Identity
from sqe.identity.oidc.claims import ClaimNames, Claims, WrongClaims, moment
from sqe.identity.oidc.discovery import Discovery, Locate, fixed
from sqe.identity.oidc.http import Http, is_secret_from_the_network, place_of
from sqe.identity.oidc.json_web_token import Malformed, written
from sqe.identity.oidc.signing_keys import SigningKeys
from sqe.identity.oidc.token_endpoint import Client, Grant, TokenEndpoint
from sqe.identity.oidc.verifier import Rules, Verifier
from sqe.identity.provider import Password, Rejected

log = logging.getLogger("sqe.identity")

LONGEST_PASSWORD = 4096


class Issuer:
    """The parts that the providers of one issuer are made of. Nothing is asked before somebody logs in."""

    def __init__(self, settings: OidcProvider, provider: str, http: Http) -> None:
        self.http = http
        self._settings = settings
        self._provider = provider
        self._names = ClaimNames(settings.user_claim, settings.roles_claim, settings.groups_claim)
        self._discover: Locate | None = Discovery(settings.issuer, http) if settings.issuer else None
        self._keys = self._signing_keys()
        for url in (settings.issuer, settings.jwks_url, getattr(settings, "token_endpoint", None)):
            if url is not None and not is_secret_from_the_network(url):
                log.warning("the identity provider at %s is asked without TLS: others can read and change it", place_of(url))

    def verifier(self, audiences: tuple[str, ...]) -> Verifier:
        """For tokens that clients show."""
        assert self._keys is not None, "the configuration was not checked"
        return Verifier(self._keys, replace(self._rules(audiences), access_only=True))

    def own_verifier(self) -> Verifier | None:
        """For tokens that this server gets itself, for whatever audience; None when there are no keys to verify with."""
        return None if self._keys is None else Verifier(self._keys, self._rules(()))

    def token_endpoint(self, client: Client) -> TokenEndpoint:
        assert isinstance(self._settings, OidcClientProvider)
        written_down = self._settings.token_endpoint
        locate = fixed(token=written_down) if written_down else self._discover
        assert locate is not None, "the configuration was not checked"
        return TokenEndpoint(locate, client, self.http)

    def identity(self, claims: Claims, *, otherwise: str | None = None) -> Identity:
        """Raises `Rejected`; only the log learns why."""
        try:
            return self._names.identity(claims, self._provider, otherwise=otherwise)
        except WrongClaims as reason:
            log.warning("a token of provider %s was refused: %s", self._provider, reason)
            raise Rejected from None

    def _signing_keys(self) -> SigningKeys | None:
        if self._settings.jwks_url:
            return SigningKeys(fixed(jwks=self._settings.jwks_url), self.http)
        return SigningKeys(self._discover, self.http) if self._discover is not None else None

    def _rules(self, audiences: tuple[str, ...]) -> Rules:
        settings = self._settings
        return Rules(settings.issuer, frozenset(audiences), frozenset(settings.algorithms), settings.clock_skew)


class OwnTokens:
    """Reads the tokens that this server got from the token endpoint itself."""

    def __init__(self, issuer: Issuer) -> None:
        self._verifier = issuer.own_verifier()

    def claims(self, token: str) -> Claims | None:
        """None when the token is opaque. Raises `Rejected`.

        Without keys it is believed unread: it came straight from the address in sqe.toml (OpenID Connect Core 3.1.3.7).
        """
        if self._verifier is not None:
            found = self._verifier.verified(token)
            return None if found is None else found.claims
        try:
            as_written = written(token)
        except Malformed as reason:
            log.warning("the token endpoint issued a broken token: %s", reason)
            raise Rejected from None
        return None if as_written is None else as_written.claims


def sendable(credentials: Password) -> bool:
    """Whether a name and a password can be somebody's at all; others are not sent to anybody."""
    for text in (credentials.user, credentials.password.reveal()):
        if len(text) > LONGEST_PASSWORD or any(character in "\0\r\n" or "\ud800" <= character <= "\udfff" for character in text):
            return False
    return True


def end_of(claims: Claims | None) -> float | None:
    """When a token says that it ends."""
    try:
        return None if claims is None else moment(claims, "exp")
    except WrongClaims:
        return None


def server_client(settings: OidcServerProvider) -> Client:
    return Client(settings.client_id, settings.client_secret, settings.client_auth)


def same_person(before: Identity, after: Identity) -> Identity:
    """Nobody becomes somebody else by a renewal or an exchange. Raises `Rejected`."""
    if (before.user, before.subject) != (after.user, after.subject):
        log.error("the identity provider gave a token of another user for the one of %s", before.user)
        raise Rejected
    return after


def described_by(grant: Grant, claims_from: str) -> str | None:
    token = grant.access if claims_from == "access_token" else grant.id_token
    return None if token is None else token.reveal()
