"""What a catalog is shown: the user's own token, one exchanged for it, or one that all users share."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from identity_provider import TOKEN, IdentityProvider, answer

from sqe.config.values import Secret
from sqe.errors import IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.identity import Identity
from sqe.identity.catalogs import ExchangedToken, SharedToken
from sqe.identity.live import LiveLogin
from sqe.identity.login import Login, Tokens
from sqe.identity.oidc.discovery import fixed
from sqe.identity.oidc.http import Http
from sqe.identity.oidc.token_endpoint import Client, TokenEndpoint
from sqe.identity.provider import Rejected

ALICE = Login(Identity("alice"), Tokens(Secret("alices")))
STATIC = Login(Identity("root", provider="static"))


def endpoint(idp: IdentityProvider) -> TokenEndpoint:
    return TokenEndpoint(fixed(token=idp.url + TOKEN), Client("sqe", Secret("own")), Http())


def issues(idp: IdentityProvider, life: int = 300) -> None:
    """A new token with every answer."""
    idp.token_answer = lambda _: answer(access_token=f"token-{idp.count(TOKEN)}", expires_in=life)


def test_a_users_token_is_exchanged_for_the_catalogs_audience(idp: IdentityProvider) -> None:
    issues(idp)
    tokens = ExchangedToken(endpoint(idp), "lake", "read").tokens(ALICE)
    assert tokens is not None
    assert (tokens.access.reveal(), tokens.expires_at - tokens.obtained_at) == ("token-1", 300)
    form = idp.asked[-1][1]
    assert (form["subject_token"], form["audience"], form["scope"]) == ("alices", "lake", "read")


def test_users_without_a_token_have_nothing_to_exchange(idp: IdentityProvider) -> None:
    assert ExchangedToken(endpoint(idp), "lake", None).tokens(STATIC) is None
    assert idp.asked == []


def test_a_refused_exchange_closes_the_catalog_and_a_wrong_set_up_is_told(idp: IdentityProvider) -> None:
    idp.token_answer = lambda _: answer(403, error="access_denied")
    with pytest.raises(Rejected):
        ExchangedToken(endpoint(idp), "lake", None).tokens(ALICE)
    idp.token_answer = lambda _: answer(401, error="invalid_client")
    with pytest.raises(SqeError, match="invalid_client"):
        ExchangedToken(endpoint(idp), "lake", None).tokens(ALICE)


def test_all_sessions_share_one_token_and_one_request(idp: IdentityProvider) -> None:
    issues(idp)
    shared = SharedToken(endpoint(idp), "catalog")
    with ThreadPoolExecutor(8) as pool:
        got = {tokens.access.reveal() for tokens in pool.map(shared.tokens, [ALICE, STATIC] * 50) if tokens is not None}
    assert got == {"token-1"}
    assert idp.count(TOKEN) == 1
    assert idp.asked[-1][1] == {"grant_type": "client_credentials", "scope": "catalog"}


class Clock:
    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now


def test_a_shared_token_is_replaced_before_sessions_find_it_due(idp: IdentityProvider) -> None:
    issues(idp)
    clock = Clock()
    shared = SharedToken(endpoint(idp), None, clock)
    sessions = [LiveLogin(STATIC, {"lake": shared}, clock=clock) for _ in range(2)]
    for _ in range(30):
        for session in sessions:
            session.keep()
            assert session.catalog_tokens(), "a catalog is never without a token"
        clock.now += 4
    assert idp.count(TOKEN) == 1


def test_an_outage_does_not_matter_while_the_shared_token_lives(idp: IdentityProvider) -> None:
    issues(idp)
    clock = Clock()
    shared = SharedToken(endpoint(idp), None, clock)
    shared.tokens(ALICE)
    idp.token_answer = lambda _: answer(503)
    clock.now += 290
    tokens = shared.tokens(ALICE)
    assert tokens is not None
    assert tokens.access.reveal() == "token-1"
    clock.now += 20
    with pytest.raises(SqeError) as caught:
        shared.tokens(ALICE)
    assert caught.value.code is IDENTITY_PROVIDER_UNAVAILABLE
