"""An identity provider as `sqe login` uses it: gets a person tokens by a code or a browser, renews them, gives them back."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from sqe.config.values import Secret
from sqe.errors import AUTHENTICATION_FAILED, INVALID_ARGUMENTS, SqeError
from sqe.identity.oidc.claims import Claims
from sqe.identity.oidc.code import Attempt, Pkce
from sqe.identity.oidc.device import Invitation, wait_for_tokens
from sqe.identity.oidc.discovery import Discovery, Endpoints
from sqe.identity.oidc.http import Http, identity_http
from sqe.identity.oidc.id_token import id_claims
from sqe.identity.oidc.token_endpoint import Client, Grant, Refused, TokenEndpoint
from sqe.identity.oidc.words import secure_url, shown
from sqe.identity.options import LoginOption
from sqe.login.redirect import RedirectListener
from sqe.login.store import KeptLogin

# What goes wrong is told in one sentence; without a handler, Python would write warnings to the terminal as well.
logging.getLogger("sqe").addHandler(logging.NullHandler())

T = TypeVar("T")

BROWSER_SECONDS = 300.0
OFFLINE = "offline_access"


class LoginProvider:
    """Everything it raises is an `SqeError` with a sentence for the person at the terminal."""

    def __init__(self, option: LoginOption, http: Http | None = None) -> None:
        self._option = option
        self._http = http or identity_http()
        self._discovery = Discovery(secure_url(option.issuer, "The issuer"), self._http)
        self._endpoint = TokenEndpoint(self._endpoints, Client(option.client_id), self._http)

    def by_device(self, server: str, show: Callable[[Invitation], object]) -> KeptLogin:
        """`show` is called once; then this waits until the person has agreed."""
        if not self._endpoints().device_authorization:
            raise SqeError(
                INVALID_ARGUMENTS, "The identity provider knows no log-in by code", hint="log in with sqe login --browser"
            )
        pkce = Pkce()  # not in the RFC, but some providers want it, and none minds
        code = _asked(lambda: self._endpoint.device_code(scope=" ".join(self._scopes()), extra=pkce.challenge))
        show(Invitation.of(code))
        proof = {"code_verifier": pkce.verifier.reveal()}
        ask = partial(self._endpoint.device_token, code.code, extra=proof)
        return self._kept(server, wait_for_tokens(ask, code, wait=time.sleep, clock=time.time))

    def by_browser(self, server: str, open_page: Callable[[str], object], seconds: float = BROWSER_SECONDS) -> KeptLogin:
        """`open_page` gets the address to open; the person comes back to a listener on this machine."""
        endpoints = self._endpoints()
        if not endpoints.authorization:
            raise SqeError(INVALID_ARGUMENTS, "The identity provider knows no log-in by browser")
        with RedirectListener() as listener:
            attempt = Attempt(self._option.client_id, listener.uri, self._scopes())
            open_page(attempt.url(endpoints.authorization))
            query = listener.query(seconds)
        code = attempt.code(query, issuer=endpoints.issuer, issuer_expected=endpoints.names_itself)
        verifier = attempt.pkce.verifier
        grant = _asked(lambda: self._endpoint.authorization_code(code, redirect_uri=attempt.redirect_uri, verifier=verifier))
        return self._kept(server, grant, attempt.nonce)

    def renew(self, kept: KeptLogin) -> KeptLogin:
        assert kept.refresh is not None
        refresh = kept.refresh
        try:
            tokens = self._endpoint.refresh(refresh).tokens()
        except Refused:
            raise SqeError(
                AUTHENTICATION_FAILED, "Your log-in has ended at the identity provider", hint="log in again with sqe login"
            ) from None
        return kept.renewed(tokens.access, tokens.expires_at, tokens.obtained_at, tokens.refresh)

    def revoke(self, kept: KeptLogin) -> bool:
        """Whether the provider knows that the log-in is over; some have no way to be told."""
        if not self._endpoints().revocation:
            return False
        try:
            if kept.refresh is not None:
                self._endpoint.revoke(kept.refresh, "refresh_token")
            else:
                self._endpoint.revoke(kept.access, "access_token")
        except Refused:
            return False
        return True

    def _endpoints(self) -> Endpoints:
        found = self._discovery()
        for url in (found.token, found.jwks, found.authorization, found.device_authorization, found.revocation):
            if url:
                secure_url(url, "An address of the identity provider")
        return found

    def _scopes(self) -> tuple[str, ...]:
        """Without those that the provider does not know: some refuse the whole request for one."""
        known = self._endpoints().scopes
        return tuple(scope for scope in self._option.scopes if scope != OFFLINE or not known or scope in known)

    def _kept(self, server: str, grant: Grant, nonce: Secret | None = None) -> KeptLogin:
        claims = self._id_claims(grant, nonce)
        tokens = grant.tokens()
        return KeptLogin(
            server=server,
            issuer=self._option.issuer,
            client_id=self._option.client_id,
            scopes=self._option.scopes,
            user=_name(claims),
            access=tokens.access,
            expires_at=tokens.expires_at,
            obtained_at=tokens.obtained_at,
            refresh=tokens.refresh,
        )

    def _id_claims(self, grant: Grant, nonce: Secret | None) -> Claims:
        """What the ID token says. With a nonce there must be one: it ties the answer to this log-in."""
        expected = "openid" in self._option.scopes
        try:
            return id_claims(grant, self._option.client_id, self._endpoints, self._http, nonce=nonce, expected=expected)
        except SqeError as error:
            raise _refused(error.message) if error.code is AUTHENTICATION_FAILED else error from None


def _name(claims: Claims) -> str:
    for claim in ("preferred_username", "email", "name", "sub"):
        if isinstance(claims.get(claim), str) and claims[claim]:
            return shown(claims[claim], 200)
    return ""


def _asked(ask: Callable[[], T]) -> T:
    """The answer of an endpoint; its refusal as a sentence."""
    try:
        return ask()
    except Refused as refused:
        raise _refused(f"The identity provider refused the log-in: {shown(refused.error, 80)}") from None


def _refused(why: str) -> SqeError:
    return SqeError(AUTHENTICATION_FAILED, why, hint="start again with sqe login")
