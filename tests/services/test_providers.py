"""Log-ins against real Keycloak: every grant, renewal of tokens that live a minute, and people whose rights change meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx
import pytest
from administrator import Administrator
from clients import Addresses, Catalog, claims
from clients import Login as Grants
from waiting import eventually

from dev.services.realm import SHORT_SECONDS, secret_of
from dev.services.service import Address
from sqe.config.providers import (
    BearerTokenProvider,
    ClientCredentialsProvider,
    OidcPasswordProvider,
    Provider,
    TokenExchangeProvider,
)
from sqe.config.sections import Auth
from sqe.config.values import Secret
from sqe.errors import AUTHENTICATION_FAILED, SqeError
from sqe.identity import Identity
from sqe.identity.authenticator import Authenticator, authenticator
from sqe.identity.catalogs import ExchangedToken, SessionBearer, SharedToken
from sqe.identity.live import LiveLogin
from sqe.identity.login import Login
from sqe.identity.oidc.discovery import Discovery, fixed
from sqe.identity.oidc.http import identity_http
from sqe.identity.oidc.token_endpoint import Client, TokenEndpoint
from sqe.identity.provider import Bearer, Password


@pytest.fixture
def keycloak(login: Grants) -> Address:
    return login.keycloak


def chain(*providers: Provider) -> Authenticator:
    return authenticator(Auth(providers=providers))


def passwords(keycloak: Address, client: str = "sqe") -> Authenticator:
    return chain(OidcPasswordProvider(issuer=keycloak["issuer"], client_id=client, client_secret=Secret(secret_of(client))))


def credentials(user: str) -> Password:
    return Password(user, Secret(f"{user}-password"))


def token_of(login: Login) -> str:
    assert login.tokens is not None
    return login.tokens.access.reveal()


def refused(chain: Authenticator, given: Password | Bearer) -> None:
    with pytest.raises(SqeError) as caught:
        chain.log_in(given)
    assert caught.value.code is AUTHENTICATION_FAILED


def test_a_password_and_only_the_right_one_lets_its_user_in(keycloak: Address) -> None:
    chain = passwords(keycloak)
    login = chain.log_in(credentials("alice"))
    subject = claims(token_of(login))["sub"]
    assert login.identity == Identity("alice", frozenset({"analyst"}), frozenset({"analysts"}), "oidc_password", subject)
    assert chain.log_in(Password("alice@example.org", Secret("alice-password"))).identity == login.identity
    for wrong in (Password("alice", Secret("bob-password")), Password("nobody", Secret("alice-password"))):
        refused(chain, wrong)


def test_the_short_form_needs_a_token_endpoint_alone(keycloak: Address) -> None:
    auth = Auth(token_endpoint=keycloak["token"], client_id="sqe", client_secret=Secret(secret_of("sqe")))
    login = chain(*auth.implied_providers()).log_in(credentials("bob"))
    assert (login.identity.user, login.identity.roles) == ("bob", {"engineer"})


def test_a_client_logs_in_as_itself_and_is_renewed(keycloak: Address) -> None:
    machines = chain(ClientCredentialsProvider(issuer=keycloak["issuer"], clients=("report",)))
    login = machines.log_in(Password("report", Secret(secret_of("report"))))
    assert (login.identity.user, login.identity.roles) == ("service-account-report", {"machine"})
    assert login.renewer is not None
    renewed = login.renewer.renew(login)
    assert renewed.identity == login.identity
    assert token_of(renewed) != token_of(login)
    refused(machines, Password("report", Secret("guess")))
    refused(machines, Password("sqe", Secret(secret_of("sqe"))))


def test_a_bearer_is_verified_by_keycloaks_keys(keycloak: Address, login: Grants) -> None:
    bearers = chain(BearerTokenProvider(issuer=keycloak["issuer"], audience=("sqe",)))
    token = login.password("carol")
    assert bearers.log_in(Bearer(Secret(token))).identity.roles == {"admin"}
    header, body, signature = token.split(".")
    for forged in (f"{header}.{body}.{signature[:-8]}AAAAAAAA", f"{header}.{body}.", login.exchange(token, "lake")):
        refused(bearers, Bearer(Secret(forged)))


def test_a_refresh_token_is_no_bearer(keycloak: Address) -> None:
    login = passwords(keycloak).log_in(credentials("alice"))
    assert login.tokens is not None
    assert login.tokens.refresh is not None
    refused(chain(BearerTokenProvider(issuer=keycloak["issuer"])), Bearer(login.tokens.refresh))


def test_a_token_for_sqe_alone_is_exchanged_for_one_that_the_catalog_takes(
    keycloak: Address, lake: Addresses, login: Grants
) -> None:
    exchanging = chain(
        TokenExchangeProvider(
            issuer=keycloak["issuer"],
            client_id="sqe",
            client_secret=Secret(secret_of("sqe")),
            audience=("sqe",),
            request_audience="lake",
        )
    )
    narrow = login.password("alice", "sqe-narrow")
    assert Catalog(lake["gateway"], narrow).ask("GET", "/namespaces").status_code == 401
    exchanged = exchanging.log_in(Bearer(Secret(narrow)))
    assert exchanged.identity.user == "alice"
    assert Catalog(lake["gateway"], token_of(exchanged)).ask("GET", "/namespaces").status_code == 200
    assert exchanged.renewer is not None
    assert token_of(exchanged.renewer.renew(exchanged)) != token_of(exchanged)


def own_endpoint(keycloak: Address, client: str) -> TokenEndpoint:
    http = identity_http()
    return TokenEndpoint(Discovery(keycloak["issuer"], http), Client(client, Secret(secret_of(client))), http)


def test_catalogs_get_the_users_token_one_exchanged_for_it_or_the_servers(keycloak: Address, login: Grants) -> None:
    bearer = chain(BearerTokenProvider(issuer=keycloak["issuer"], audience=("sqe",)))
    live = LiveLogin(
        bearer.log_in(Bearer(Secret(login.password("alice", "sqe-narrow")))),
        {
            "own": SessionBearer(),
            "exchanged": ExchangedToken(own_endpoint(keycloak, "sqe"), "lake", None),
            "machine": SharedToken(own_endpoint(keycloak, "report"), None),
        },
    )
    live.keep()
    said = {name: claims(token) for name, token in live.catalog_tokens().items()}
    assert {name: each["preferred_username"] for name, each in said.items()} == {
        "own": "alice",
        "exchanged": "alice",
        "machine": "service-account-report",
    }
    assert (said["own"]["aud"], said["exchanged"]["aud"]) == ("sqe", "lake")


def test_a_catalog_that_issues_tokens_itself_gives_the_server_one(lake: Addresses) -> None:
    """SeaweedFS, which takes what Polaris takes: its own keys as client id and secret."""
    store = lake["seaweedfs"]
    auth = Auth(token_endpoint=f"{store['iceberg']}/v1/oauth/tokens", client_id=store["access_key"])
    login = chain(*auth.implied_providers()).log_in(Password(store["access_key"], Secret(store["secret_key"])))
    headers = {"Authorization": f"Bearer {token_of(login)}"}
    assert httpx.get(f"{store['iceberg']}/v1/config", headers=headers, trust_env=False, timeout=30).status_code == 200
    refused(chain(*auth.implied_providers()), Password(store["access_key"], Secret("guess")))


@pytest.mark.long
def test_a_token_of_a_minute_is_renewed_for_longer_than_it_lives(keycloak: Address, lake: Addresses) -> None:
    login = passwords(keycloak, "sqe-short").log_in(credentials("alice"))
    first, began = token_of(login), time.time()
    assert claims(first)["exp"] - claims(first)["iat"] == SHORT_SECONDS
    live = LiveLogin(login, {"lake": SessionBearer()})
    seen = set()

    def a_minute_is_over() -> bool:
        live.keep()
        seen.add(live.catalog_tokens()["lake"])
        return time.time() > began + SHORT_SECONDS + 10

    eventually(a_minute_is_over, seconds=SHORT_SECONDS + 30)
    assert len(seen) == 2, "one renewal is enough for a minute, and a second one a waste"
    last = live.catalog_tokens()["lake"]
    assert Catalog(lake["gateway"], last).ask("GET", "/namespaces").status_code == 200
    assert Catalog(lake["gateway"], first).ask("GET", "/namespaces").status_code == 401
    assert claims(last)["sub"] == claims(first)["sub"]


@pytest.fixture
def somebody(keycloak: Address) -> Iterator[Administrator]:
    person = Administrator(keycloak)
    yield person
    person.ask("DELETE", person.url)


def test_a_renewal_brings_the_roles_that_were_given_meanwhile(keycloak: Address, somebody: Administrator) -> None:
    login = passwords(keycloak).log_in(credentials(somebody.name))
    assert "analyst" not in login.identity.roles
    somebody.give_role("analyst")
    assert login.renewer is not None
    assert "analyst" in login.renewer.renew(login).identity.roles


@pytest.mark.parametrize("how", ["disable", "log_out"])
def test_a_person_who_is_shut_out_is_out_at_the_next_renewal(keycloak: Address, somebody: Administrator, how: str) -> None:
    now = time.time()
    login = passwords(keycloak).log_in(credentials(somebody.name))
    clock = [now]
    live = LiveLogin(login, {"lake": SessionBearer()}, interval_seconds=300, clock=lambda: clock[0])
    live.keep()
    getattr(somebody, how)()
    live.keep()
    clock[0] = now + 301
    with pytest.raises(SqeError, match="The session has ended"):
        live.keep()
    assert live.catalog_tokens() == {}


def test_a_wrong_secret_of_the_server_is_not_the_users_fault(keycloak: Address) -> None:
    wrong = OidcPasswordProvider(issuer=keycloak["issuer"], client_id="sqe", client_secret=Secret("guess"))
    with pytest.raises(SqeError, match=r"refuses this server's own request \((unauthorized|invalid)_client\)"):
        chain(wrong).log_in(credentials("alice"))


def test_a_token_endpoint_that_is_none_is_told(keycloak: Address) -> None:
    endpoint = TokenEndpoint(fixed(token=keycloak["issuer"]), Client("sqe"), identity_http())
    with pytest.raises(SqeError, match="is the address that of a token endpoint"):
        endpoint.client_credentials()
