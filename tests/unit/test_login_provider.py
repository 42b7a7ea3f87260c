"""The whole log-in against a provider that misbehaves: what it sends is checked before anything of it is kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from identity_provider import TOKEN, Answer, Form, IdentityProvider, SigningPair, answer, running

from sqe.errors import SqeError
from sqe.identity.oidc.device import Invitation
from sqe.identity.oidc.http import Http
from sqe.identity.options import LoginOption, as_json, from_json
from sqe.login.provider import LoginProvider
from sqe.login.store import KeptLogin

SERVER = "grpc://lake:1"
DEVICE, REVOKE = "/device", "/revoke"


class Issuer:
    """A provider that plays both flows by the book, until a test changes something."""

    def __init__(self, provider: IdentityProvider) -> None:
        self.provider = provider
        self.nonce = self.forced_nonce = ""
        self.id_claims: dict[str, Any] = {}
        self.pair = provider.pair
        self.sends_id_token = True
        provider.more_description |= {
            "authorization_endpoint": f"{provider.url}/authorize",
            "device_authorization_endpoint": provider.url + DEVICE,
            "revocation_endpoint": provider.url + REVOKE,
        }
        provider.answers[DEVICE] = lambda form: answer(
            device_code="device-secret", user_code="ABCD", verification_uri=f"{provider.url}/d", interval=0.001, expires_in=60
        )
        provider.answers[REVOKE] = lambda form: (200, b"")
        provider.token_answer = self._tokens

    def _tokens(self, form: Form) -> Answer:
        claims = self.provider.claims(aud="cli", nonce=self.nonce or None) | self.id_claims
        tokens = {"access_token": "access", "refresh_token": "refresh", "id_token": self.pair.signed(claims)}
        if not self.sends_id_token:
            del tokens["id_token"]
        return answer(expires_in=300, **tokens)

    def login(self, scopes: tuple[str, ...] = ("openid", "offline_access")) -> LoginProvider:
        return LoginProvider(LoginOption(self.provider.url, "cli", scopes), Http())

    def by_browser(self, **changes: str) -> KeptLogin:
        return self.login().by_browser(SERVER, lambda url: self._person(url, changes), seconds=10)

    def by_device(self) -> KeptLogin:
        return self.login().by_device(SERVER, lambda _: None)

    def _person(self, url: str, changes: dict[str, str]) -> None:
        query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        self.nonce = self.forced_nonce or query["nonce"]
        parameters = {"code": "the-code", "state": query["state"]} | changes
        browser = threading.Thread(
            target=lambda: httpx.get(query["redirect_uri"], params=parameters, trust_env=False, timeout=10), daemon=True
        )
        browser.start()


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with running() as provider:
        yield Issuer(provider)


def forms(issuer: Issuer, path: str) -> list[Form]:
    return [form for asked, form, _ in issuer.provider.asked if asked == path]


def test_a_browser_log_in_redeems_the_code_with_its_proof(issuer: Issuer) -> None:
    kept = issuer.by_browser()
    assert (kept.user, kept.access.reveal(), kept.refresh and kept.refresh.reveal()) == ("alice", "access", "refresh")
    (form,) = forms(issuer, TOKEN)
    assert (form["grant_type"], form["code"], form["client_id"]) == ("authorization_code", "the-code", "cli")
    assert form["redirect_uri"].startswith("http://127.0.0.1:")
    assert len(form["code_verifier"]) >= 43


def test_a_device_log_in_shows_the_code_and_redeems_it_with_its_proof(issuer: Issuer) -> None:
    seen: list[Invitation] = []
    kept = issuer.login().by_device(SERVER, seen.append)
    assert seen == [Invitation(f"{issuer.provider.url}/d", "ABCD", False)]
    assert (kept.user, kept.server) == ("alice", SERVER)
    (begun,), (form,) = forms(issuer, DEVICE), forms(issuer, TOKEN)
    assert (begun["scope"], begun["code_challenge_method"]) == ("openid offline_access", "S256")
    assert (form["device_code"], form["client_id"]) == ("device-secret", "cli")
    assert "code_verifier" in form


@pytest.mark.parametrize("changes", [{"state": "wrong"}, {"iss": "https://evil.example.com"}, {"error": "access_denied"}])
def test_nothing_is_redeemed_for_an_answer_that_is_not_ours(issuer: Issuer, changes: dict[str, str]) -> None:
    with pytest.raises(SqeError, match="AUTHENTICATION_FAILED"):
        issuer.by_browser(**changes)
    assert forms(issuer, TOKEN) == []


def test_an_issuer_that_promises_its_name_must_say_it(issuer: Issuer) -> None:
    issuer.provider.more_description["authorization_response_iss_parameter_supported"] = True
    with pytest.raises(SqeError, match="is not from the identity provider"):
        issuer.by_browser()
    assert issuer.by_browser(iss=issuer.provider.url).user == "alice"


WRONG_ID_TOKENS = {
    "another audience": {"aud": "other"},
    "another party": {"azp": "other"},
    "expired": {"exp": 1},
    "another issuer": {"iss": "https://evil.example.com"},
}


@pytest.mark.parametrize("claims", WRONG_ID_TOKENS.values(), ids=WRONG_ID_TOKENS.keys())
def test_an_id_token_that_is_not_for_us_ends_both_flows(issuer: Issuer, claims: dict[str, Any]) -> None:
    issuer.id_claims = claims
    for flow in (issuer.by_browser, issuer.by_device):
        with pytest.raises(SqeError, match="ID token"):
            flow()


def test_a_nonce_of_another_log_in_is_refused(issuer: Issuer) -> None:
    issuer.forced_nonce = "another"
    with pytest.raises(SqeError, match="is for another log-in"):
        issuer.by_browser()
    issuer.id_claims = {"nonce": None}
    with pytest.raises(SqeError, match="is for another log-in"):
        issuer.by_browser()


def test_an_id_token_signed_by_a_stranger_is_refused(issuer: Issuer) -> None:
    issuer.pair = SigningPair(issuer.pair.name)
    with pytest.raises(SqeError, match="not in order"):
        issuer.by_browser()


def test_a_browser_log_in_without_an_id_token_is_refused_and_a_device_is_nameless(issuer: Issuer) -> None:
    issuer.sends_id_token = False
    with pytest.raises(SqeError, match="has no ID token"):
        issuer.by_browser()
    assert issuer.by_device().user == ""


def test_an_issuer_without_tls_is_not_asked() -> None:
    with pytest.raises(SqeError, match="must be an https URL"):
        LoginProvider(LoginOption("http://idp.example.com", "cli"))


@pytest.mark.parametrize("name", ["token_endpoint", "authorization_endpoint", "device_authorization_endpoint"])
def test_an_issuer_on_this_machine_cannot_send_people_or_secrets_elsewhere(issuer: Issuer, name: str) -> None:
    issuer.provider.more_description[name] = "http://evil.example.com/x"
    if name == "token_endpoint":
        described = issuer.provider.more_description
        issuer.provider.answers["/.well-known/openid-configuration"] = lambda _: answer(issuer=issuer.provider.url, **described)
    opened: list[str] = []
    with pytest.raises(SqeError, match="must be an https URL"):
        issuer.login().by_browser(SERVER, opened.append, seconds=5)
    assert opened == []


def test_a_page_that_is_not_safe_to_open_is_not_shown(issuer: Issuer) -> None:
    issuer.provider.answers[DEVICE] = lambda form: answer(
        device_code="d", user_code="ABCD", verification_uri="http://evil.example.com/"
    )
    seen: list[Invitation] = []
    with pytest.raises(SqeError, match="must be an https URL"):
        issuer.login().by_device(SERVER, seen.append)
    assert seen == []


def test_offline_access_is_asked_for_unless_the_issuer_does_not_know_it(issuer: Issuer) -> None:
    issuer.provider.more_description["scopes_supported"] = ["openid", "profile"]
    issuer.by_device()
    assert forms(issuer, DEVICE)[-1]["scope"] == "openid"


def test_what_an_issuer_cannot_do_is_said(issuer: Issuer) -> None:
    del issuer.provider.more_description["device_authorization_endpoint"]
    with pytest.raises(SqeError, match="sqe login --browser"):
        issuer.by_device()
    del issuer.provider.more_description["authorization_endpoint"]
    with pytest.raises(SqeError, match="no log-in by browser"):
        issuer.by_browser()


def test_logging_out_revokes_the_refresh_token(issuer: Issuer) -> None:
    kept = issuer.by_device()
    assert issuer.login().revoke(kept) is True
    assert forms(issuer, REVOKE) == [{"token": "refresh", "token_type_hint": "refresh_token", "client_id": "cli"}]
    issuer.provider.answers[REVOKE] = lambda form: answer(400, error="unsupported_token_type")
    assert issuer.login().revoke(kept) is False
    del issuer.provider.more_description["revocation_endpoint"]
    assert issuer.login().revoke(kept) is False


def test_no_secret_is_in_a_log_line(issuer: Issuer, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG"):
        kept = issuer.by_browser()
        issuer.by_device()
        issuer.login().renew(kept)
        issuer.login().revoke(kept)
    verifiers = {form["code_verifier"] for form in forms(issuer, TOKEN) if "code_verifier" in form}
    said = str([record.__dict__ for record in caplog.records if record.name.startswith("sqe")])
    assert len(verifiers) == 2
    assert not [secret for secret in (*verifiers, "the-code", "device-secret", "refresh'") if secret in said]


def test_what_a_server_says_about_logging_in_is_read_strictly() -> None:
    options = [LoginOption("https://idp", "cli"), LoginOption("https://other", "x", ("a", "b"))]
    assert from_json(as_json(options)) == options
    assert from_json(b"[]") == []


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"{}x",
        b"5",
        b"[5]",
        b'[{"issuer": "x"}]',
        b'[{"issuer": "x", "client_id": 5, "scopes": []}]',
        b'[{"issuer": "x\\u001b", "client_id": "c", "scopes": []}]',
        b'[{"a": 1}]',
        b"[" * 100_000,
    ],
)
def test_what_a_server_should_not_say_is_refused(wrong: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - json's own has many texts
        from_json(wrong)
