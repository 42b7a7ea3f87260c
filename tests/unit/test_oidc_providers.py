"""Log-ins that ask a token endpoint: passwords, clients' own secrets, exchanged tokens; and their renewal."""

from __future__ import annotations

import base64
import logging
import time
from collections.abc import Callable
from typing import Any

import pytest
from identity_provider import DESCRIPTION, KEYS, TOKEN, Answer, Form, IdentityProvider, SigningPair, answer
from waiting import eventually

from sqe.config.providers import ClientCredentialsProvider, OidcPasswordProvider, TokenExchangeProvider
from sqe.config.sections import Auth
from sqe.config.values import Duration, Secret
from sqe.errors import IDENTITY_PROVIDER_UNAVAILABLE, SqeError
from sqe.identity import Identity
from sqe.identity.authenticator import authenticator
from sqe.identity.client_credentials import ClientCredentials
from sqe.identity.login import Login, Renewer
from sqe.identity.oidc.http import Http
from sqe.identity.oidc_password import OidcPassword
from sqe.identity.provider import Bearer, Nothing, Password, Rejected
from sqe.identity.token_exchange import TokenExchange

ALICE = Password("alice", Secret("wonderland"))
ROBOT = Password("report", Secret("robot"))


def passwords(idp: IdentityProvider, **settings: Any) -> OidcPassword:
    given = {"issuer": idp.url, "client_id": "sqe", "client_secret": Secret("own secret")} | settings
    return OidcPassword(OidcPasswordProvider(**given), Http())


def clients(idp: IdentityProvider, **settings: Any) -> ClientCredentials:
    return ClientCredentials(ClientCredentialsProvider(**({"issuer": idp.url} | settings)), Http())


def exchange(idp: IdentityProvider, **settings: Any) -> TokenExchange:
    given = {"issuer": idp.url, "client_id": "sqe", "audience": ("sqe",), "request_audience": "lake"} | settings
    return TokenExchange(TokenExchangeProvider(**given), Http())


def grants(idp: IdentityProvider, **changes: Any) -> None:
    idp.token_answer = lambda _: idp.grant(**changes)


def refuses(idp: IdentityProvider, error: str, status: int = 400) -> None:
    idp.token_answer = lambda _: answer(status, error=error, error_description="no")


def form_of(idp: IdentityProvider) -> tuple[Form, dict[str, str]]:
    """The last one that the token endpoint got, with its headers."""
    return [(form, headers) for path, form, headers in idp.asked if path == TOKEN][-1]


def let_in(login: Login | None) -> Login:
    assert login is not None
    return login


def renewer_of(login: Login) -> Renewer:
    assert login.renewer is not None
    return login.renewer


# Passwords


def test_a_password_gives_the_user_of_the_token_and_tokens_to_renew(idp: IdentityProvider) -> None:
    grants(idp, life=60)
    login = let_in(passwords(idp).identify(ALICE))
    assert login.identity == Identity("alice", frozenset({"analyst"}), frozenset({"eu"}), "oidc_password", "alice-1")
    assert login.tokens is not None
    assert login.tokens.expires_at - login.tokens.obtained_at == 60
    assert login.tokens.refresh is not None
    form, headers = form_of(idp)
    assert form == {"grant_type": "password", "username": "alice", "password": "wonderland", "scope": "openid"}
    assert base64.b64decode(headers["Authorization"].removeprefix("Basic ")) == b"sqe:own+secret"


def test_the_token_says_who_it_is_and_not_what_was_typed(idp: IdentityProvider) -> None:
    grants(idp)
    assert let_in(passwords(idp).identify(Password("ALICE@example.org", Secret("x")))).identity.user == "alice"


WAYS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, str], bool]] = {
    "by default in a header": ({}, {}, {}, True),
    "as the issuer prefers": (
        {},
        {"token_endpoint_auth_methods_supported": ["client_secret_post"]},
        {"client_id": "sqe", "client_secret": "own secret"},
        False,
    ),
    "as the settings say": (
        {"client_auth": "client_secret_post"},
        {"token_endpoint_auth_methods_supported": ["client_secret_basic"]},
        {"client_id": "sqe", "client_secret": "own secret"},
        False,
    ),
    "without a secret": ({"client_secret": None}, {}, {"client_id": "sqe"}, False),
}


@pytest.mark.parametrize(("settings", "described", "sent", "header"), WAYS.values(), ids=WAYS.keys())
def test_the_client_says_who_it_is(
    idp: IdentityProvider, settings: dict[str, Any], described: dict[str, Any], sent: dict[str, str], header: bool
) -> None:
    idp.more_description = described
    grants(idp)
    passwords(idp, **settings).identify(ALICE)
    form, headers = form_of(idp)
    assert {name: value for name, value in form.items() if name.startswith("client")} == sent
    assert ("Authorization" in headers) is header


@pytest.mark.parametrize("status", [400, 401])
def test_a_wrong_password_is_rejected(idp: IdentityProvider, status: int) -> None:
    refuses(idp, "invalid_grant", status)
    with pytest.raises(Rejected):
        passwords(idp).identify(ALICE)


ODD = {
    "a null": Password("alice", Secret("won\0derland")),
    "a line break": Password("alice\r\nX: y", Secret("x")),
    "bytes that are not UTF-8": Password("alice", Secret("\udcff")),
    "an endless name": Password("a" * 5000, Secret("x")),
    "an endless password": Password("alice", Secret("x" * 1_000_000)),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD.keys())
def test_what_can_be_nobodys_password_is_not_sent(idp: IdentityProvider, odd: Password) -> None:
    with pytest.raises(Rejected):
        passwords(idp).identify(odd)
    with pytest.raises(Rejected):
        clients(idp).identify(odd)
    assert idp.asked == []


def test_a_password_with_letters_of_all_kinds_arrives(idp: IdentityProvider) -> None:
    grants(idp)
    passwords(idp).identify(Password("älice", Secret("pä&s=s+w ö%rd")))
    assert form_of(idp)[0]["password"] == "pä&s=s+w ö%rd"  # noqa: S105
    assert form_of(idp)[0]["username"] == "älice"


def test_no_password_is_not_its_own(idp: IdentityProvider) -> None:
    for credentials in (Password("alice", Secret("")), Password("", Secret("x")), Nothing(), Bearer(Secret(idp.token()))):
        assert passwords(idp).identify(credentials) is None
        assert clients(idp).identify(credentials) is None
    assert idp.asked == []


SET_UP_WRONG = ["invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_request"]


@pytest.mark.parametrize("error", SET_UP_WRONG)
def test_a_wrong_set_up_is_not_the_users_fault(idp: IdentityProvider, error: str) -> None:
    refuses(idp, error, 401 if error == "invalid_client" else 400)
    with pytest.raises(SqeError) as caught:
        passwords(idp).identify(ALICE)
    assert caught.value.code is IDENTITY_PROVIDER_UNAVAILABLE
    assert error in caught.value.message


def _opaque(_: IdentityProvider) -> Answer:
    return answer(access_token="opaque", token_type="Bearer")  # noqa: S106


UNUSABLE: dict[str, Callable[[IdentityProvider], Answer]] = {
    "an opaque token": _opaque,
    "a token of a stranger's key": lambda idp: answer(access_token=SigningPair("first").signed(idp.claims())),
    "a token that has ended": lambda idp: idp.grant(exp=1),
    "a token without a user": lambda idp: idp.grant(preferred_username=None),
}


@pytest.mark.parametrize("give", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_a_token_that_does_not_say_who_it_is_lets_nobody_in(
    idp: IdentityProvider, give: Callable[[IdentityProvider], Answer]
) -> None:
    idp.token_answer = lambda _: give(idp)
    with pytest.raises(Rejected):
        passwords(idp).identify(ALICE)


def test_the_id_token_may_say_who_it_is(idp: IdentityProvider) -> None:
    idp.token_answer = lambda _: answer(access_token="opaque", expires_in="120", id_token=idp.token(aud="sqe"))  # noqa: S106
    login = let_in(passwords(idp, claims_from="id_token").identify(ALICE))
    assert login.identity.user == "alice"
    assert login.tokens is not None
    assert login.tokens.access.reveal() == "opaque"
    assert login.tokens.expires_at - login.tokens.obtained_at == 120
    assert login.renewer is None, "there is no refresh token"


NO_ANSWERS: dict[str, Callable[[IdentityProvider], object]] = {
    "it is down": lambda idp: idp.stop(),
    "it answers 500": lambda idp: idp.answers.update({TOKEN: lambda _: answer(500, error="invalid_grant")}),
    "it has too much to do": lambda idp: idp.answers.update({TOKEN: lambda _: answer(429)}),
    "it answers garbage": lambda idp: idp.answers.update({TOKEN: lambda _: (200, b"<html>")}),
    "it refuses with garbage": lambda idp: idp.answers.update({TOKEN: lambda _: (400, b"[]")}),
    "it answers without end": lambda idp: idp.answers.update({TOKEN: lambda _: answer(access_token="x" * 3_000_000)}),
    "it issues no token": lambda idp: idp.answers.update({TOKEN: lambda _: answer(token_type="Bearer")}),  # noqa: S106
    "its token is a number": lambda idp: idp.answers.update({TOKEN: lambda _: answer(access_token=7)}),
    "its token has line breaks": lambda idp: idp.answers.update({TOKEN: lambda _: answer(access_token="a\r\nb")}),  # noqa: S106
    "its token is of another kind": lambda idp: idp.answers.update({TOKEN: lambda _: answer(access_token="a", token_type="mac")}),  # noqa: S106
    "it leads elsewhere": lambda idp: idp.answers.update({TOKEN: lambda _: (307, f"{idp.url}/elsewhere".encode())}),
    "it has no token endpoint": lambda idp: idp.answers.update({DESCRIPTION: lambda _: answer(issuer=idp.url)}),
}


@pytest.mark.parametrize("break_it", NO_ANSWERS.values(), ids=NO_ANSWERS.keys())
def test_a_provider_that_cannot_answer_is_an_outage_for_log_ins_and_renewals(
    idp: IdentityProvider, break_it: Callable[[IdentityProvider], object]
) -> None:
    grants(idp)
    login = let_in(passwords(idp).identify(ALICE))
    break_it(idp)
    fresh = passwords(idp)
    for ask in (lambda: fresh.identify(ALICE), lambda: fresh.renew(login)):
        with pytest.raises(SqeError) as caught:
            ask()
        assert caught.value.code is IDENTITY_PROVIDER_UNAVAILABLE
        assert "wonderland" not in str(caught.value)
    assert idp.count("/elsewhere") == 0


def test_no_secret_is_logged(idp: IdentityProvider, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        grants(idp)
        login = let_in(passwords(idp).identify(ALICE))
        refuses(idp, "invalid_grant")
        with pytest.raises(Rejected):
            passwords(idp).renew(login)
        idp.stop()
        with pytest.raises(SqeError):
            passwords(idp).identify(ALICE)
    assert login.tokens is not None
    said = " ".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records) + repr(login)
    for secret in ("wonderland", "own secret", "own+secret", "next", login.tokens.access.reveal()):
        assert secret not in said


def test_an_issuer_over_tls_does_not_lead_to_a_place_without(idp: IdentityProvider) -> None:
    from sqe.identity.oidc.discovery import Discovery
    from sqe.identity.oidc.http import Answer as Got

    class Described(Http):
        def get(self, url: str) -> Got:
            return Got(200, b'{"issuer": "https://idp.example.com", "token_endpoint": "http://idp.example.com/token"}')

    with pytest.raises(SqeError, match="without TLS"):
        Discovery("https://idp.example.com", Described())()


# Renewal


def test_a_renewal_brings_new_tokens_and_the_roles_of_now(idp: IdentityProvider) -> None:
    grants(idp)
    provider = passwords(idp)
    login = let_in(provider.identify(ALICE))
    grants(idp, realm_access={"roles": ["intern"]}, jti="2")
    renewed = renewer_of(login).renew(login)
    assert renewed.identity.roles == {"intern"}
    assert renewed.tokens != login.tokens
    assert form_of(idp)[0] == {"grant_type": "refresh_token", "refresh_token": "next"}


def test_a_refresh_token_that_is_not_replaced_is_kept(idp: IdentityProvider) -> None:
    grants(idp)
    provider = passwords(idp)
    login = let_in(provider.identify(ALICE))
    idp.token_answer = lambda _: answer(access_token=idp.token(jti="2"), expires_in=60)
    renewed = provider.renew(login)
    assert renewed.tokens is not None
    assert renewed.tokens.refresh == Secret("next")
    assert renewed.renewer is provider


@pytest.mark.parametrize("changes", [{"preferred_username": "bob"}, {"sub": "bob-2"}], ids=["name", "subject"])
def test_nobody_becomes_somebody_else_by_a_renewal(idp: IdentityProvider, changes: dict[str, Any]) -> None:
    grants(idp)
    provider = passwords(idp)
    login = let_in(provider.identify(ALICE))
    grants(idp, **changes)
    with pytest.raises(Rejected):
        provider.renew(login)


def test_a_revoked_user_is_not_renewed(idp: IdentityProvider) -> None:
    grants(idp)
    provider = passwords(idp)
    login = let_in(provider.identify(ALICE))
    refuses(idp, "invalid_grant")
    with pytest.raises(Rejected):
        provider.renew(login)


# Clients with secrets of their own


def test_a_client_logs_in_as_itself_and_is_renewed_by_asking_again(idp: IdentityProvider) -> None:
    grants(idp, preferred_username="service-account-report")
    login = let_in(clients(idp).identify(ROBOT))
    assert (login.identity.user, login.identity.provider) == ("service-account-report", "client_credentials")
    form, headers = form_of(idp)
    assert form == {"grant_type": "client_credentials"}
    assert base64.b64decode(headers["Authorization"].removeprefix("Basic ")) == b"report:robot"
    assert renewer_of(login).renew(login).identity == login.identity
    refuses(idp, "invalid_client", 401)
    with pytest.raises(Rejected):
        renewer_of(login).renew(login)


def test_a_token_without_a_users_name_is_its_clients(idp: IdentityProvider) -> None:
    grants(idp, preferred_username=None)
    assert let_in(clients(idp).identify(ROBOT)).identity.user == "report"
    idp.token_answer = lambda _: _opaque(idp)
    login = let_in(clients(idp).identify(ROBOT))
    assert (login.identity.user, login.identity.roles) == ("report", frozenset())


@pytest.mark.parametrize("error", ["invalid_client", "unauthorized_client", "invalid_grant"])
def test_a_client_that_is_refused_is_rejected(idp: IdentityProvider, error: str) -> None:
    refuses(idp, error, 401)
    with pytest.raises(Rejected):
        clients(idp).identify(ROBOT)


def test_only_clients_on_the_list_are_its_own(idp: IdentityProvider) -> None:
    grants(idp)
    some = clients(idp, clients=("etl-*", "report"))
    assert some.identify(ALICE) is None
    assert some.identify(Password("ETL-1", Secret("x"))) is None
    assert idp.asked == []
    assert some.identify(ROBOT) is not None
    assert some.identify(Password("etl-1", Secret("x"))) is not None


# Tokens for this server that are exchanged for others


def _exchanges(idp: IdentityProvider, **changes: Any) -> None:
    idp.token_answer = lambda _: answer(access_token=idp.token(aud="lake", **changes), expires_in=60, token_type="Bearer")  # noqa: S106


def test_a_token_is_verified_and_exchanged_for_the_catalogs(idp: IdentityProvider) -> None:
    _exchanges(idp)
    token = idp.token()
    login = let_in(exchange(idp).identify(Bearer(Secret(token))))
    assert login.identity == Identity("alice", frozenset({"analyst"}), frozenset({"eu"}), "token_exchange", "alice-1")
    assert login.tokens is not None
    assert login.tokens.access.reveal() != token
    form, _ = form_of(idp)
    assert (form["subject_token"], form["audience"]) == (token, "lake")
    assert form["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange"


def test_a_token_that_is_not_for_this_server_is_not_exchanged(idp: IdentityProvider) -> None:
    _exchanges(idp)
    with pytest.raises(Rejected):
        exchange(idp).identify(Bearer(Secret(idp.token(aud="other"))))
    assert exchange(idp).identify(Bearer(Secret(idp.token(iss="https://other.example.com")))) is None
    assert idp.count(TOKEN) == 0


@pytest.mark.parametrize("error", ["invalid_request", "invalid_grant", "invalid_token", "access_denied"])
def test_a_refused_exchange_is_a_rejection(idp: IdentityProvider, error: str) -> None:
    refuses(idp, error)
    with pytest.raises(Rejected):
        exchange(idp).identify(Bearer(Secret(idp.token())))


def test_a_server_that_may_not_exchange_is_not_the_users_fault(idp: IdentityProvider) -> None:
    refuses(idp, "unauthorized_client", 403)
    with pytest.raises(SqeError, match="unauthorized_client"):
        exchange(idp).identify(Bearer(Secret(idp.token())))


def test_an_exchange_never_gives_somebody_elses_token(idp: IdentityProvider) -> None:
    _exchanges(idp, sub="bob-2", preferred_username="bob")
    with pytest.raises(Rejected):
        exchange(idp).identify(Bearer(Secret(idp.token())))


def test_a_renewal_exchanges_again_while_the_clients_token_lives(idp: IdentityProvider) -> None:
    _exchanges(idp)
    login = let_in(exchange(idp).identify(Bearer(Secret(idp.token()))))
    _exchanges(idp, realm_access={"roles": ["intern"]})
    assert renewer_of(login).renew(login).identity.roles == {"intern"}
    refuses(idp, "invalid_token")
    with pytest.raises(Rejected):
        renewer_of(login).renew(login)


@pytest.mark.parametrize("refreshable", [True, False])
def test_after_the_clients_token_only_a_refresh_token_helps(idp: IdentityProvider, refreshable: bool) -> None:
    idp.token_answer = lambda _: idp.grant() if refreshable else answer(access_token=idp.token())
    end = int(time.time()) + 2
    provider = exchange(idp, clock_skew=Duration(0))
    login = let_in(provider.identify(Bearer(Secret(idp.token(exp=end)))))
    eventually(lambda: time.time() >= end)
    if refreshable:
        assert renewer_of(login).renew(login).identity == login.identity
        assert form_of(idp)[0]["grant_type"] == "refresh_token"
    else:
        with pytest.raises(Rejected):
            renewer_of(login).renew(login)


# The short form of [auth], as in the samples


def short_form(idp: IdentityProvider, **settings: Any) -> Auth:
    auth = Auth(**({"token_endpoint": idp.url + TOKEN, "client_id": "root"} | settings))
    return Auth(providers=tuple(auth.implied_providers()))


def test_the_short_form_takes_passwords_and_believes_its_endpoint(idp: IdentityProvider) -> None:
    grants(idp)
    login = authenticator(short_form(idp)).log_in(ALICE)
    assert login.identity.user == "alice"
    assert form_of(idp)[0]["client_id"] == "root"
    assert (idp.count(KEYS), idp.count(DESCRIPTION)) == (0, 0)


def test_the_short_forms_client_itself_logs_in_with_its_secret(idp: IdentityProvider) -> None:
    """What Polaris wants: `-u root`, the secret as the password, and the scope of a catalog."""
    path = "/api/catalog/v1/oauth/tokens"
    idp.answers[path] = lambda _: answer(access_token=idp.token(preferred_username=None), expires_in=60)
    login = authenticator(short_form(idp, token_endpoint=idp.url + path)).log_in(Password("root", Secret("s3cr3t")))
    assert login.identity.user == "root"
    assert idp.asked[-1][1] == {"grant_type": "client_credentials", "scope": "PRINCIPAL_ROLE:ALL"}


def test_the_short_form_with_a_secret_has_passwords_only(idp: IdentityProvider) -> None:
    grants(idp)
    authenticator(short_form(idp, client_secret=Secret("s"))).log_in(Password("root", Secret("x")))
    assert form_of(idp)[0]["grant_type"] == "password"
