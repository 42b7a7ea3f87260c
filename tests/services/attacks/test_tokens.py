"""Tokens that are not what they say: none gets in, all are told the same, by every way of calling."""

from __future__ import annotations

import base64
import secrets
import string
from collections.abc import Callable, Iterator

import httpx
import jwt
import pytest
from clients import Addresses, Login, claims
from hostile import (
    Listener,
    answer,
    attempts,
    call,
    forged,
    http2,
    signed_by_stranger,
    signed_with_public_key,
    statement,
    stranger_jwk,
    with_claims,
)
from pyarrow import flight
from running import RunningServer, refusal, rows
from waiting import eventually

from dev.services.realm import _client, secret_of
from dev.services.service import Address

FAILED = "AUTHENTICATION_FAILED: Authentication failed"
BY_ADBC = f"UNAUTHENTICATED: [FlightSQL] {FAILED}"

CLIENT = {"client_id": "sqe", "client_secret": secret_of("sqe")}


@pytest.fixture(scope="module")
def real(login: Login) -> str:
    return login.password("alice")


@pytest.fixture(scope="module")
def granted(login: Login) -> dict[str, str]:
    """All that Keycloak gives for one log-in."""
    form = {"grant_type": "password", "username": "alice", "password": "alice-password", "scope": "openid"}
    content: dict[str, str] = login.ask(**form, **CLIENT).json()
    return content


@pytest.fixture
def raw(server: RunningServer) -> Iterator[flight.FlightClient]:
    with flight.FlightClient(f"grpc://127.0.0.1:{server.port}") as client:
        yield client


def _flipped(token: str) -> str:
    """One bit of the signature, in its middle: the last character of base64 has bits that do not count."""
    head, _, signature = token.rpartition(".")
    middle = len(signature) // 2
    other = string.ascii_letters[(string.ascii_letters.find(signature[middle]) + 1) % 52]
    return f"{head}.{signature[:middle]}{other}{signature[middle + 1 :]}"


def _unsigned(algorithm: str) -> Callable[[str], str]:
    return lambda token: forged({"alg": algorithm, "typ": "JWT", "kid": jwt.get_unverified_header(token)["kid"]}, claims(token))


TAMPERED: dict[str, Callable[[str], str]] = {
    "another user's name": lambda token: with_claims(token, preferred_username="bob"),
    "more roles": lambda token: with_claims(token, realm_access={"roles": ["admin"]}),
    "a longer life": lambda token: with_claims(token, exp=claims(token)["exp"] + 86400),
    "one bit of the signature": _flipped,
    "half a signature": lambda token: token[: -len(token.rpartition(".")[2]) // 2],
    "no signature": lambda token: token.rpartition(".")[0] + ".",
    "no third part": lambda token: token.rpartition(".")[0],
    "two signatures": lambda token: f"{token}.{token.rpartition('.')[2]}",
    "another token's signature": lambda token: (
        with_claims(token, jti="other").rpartition(".")[0] + "." + token.rpartition(".")[2]
    ),
    "blanks in the middle": lambda token: token.replace(".", ". "),
    **{f"alg={name}": _unsigned(name) for name in ("none", "None", "NONE", "nOnE", "", "HS256", "RS256")},
    "a stranger's key": signed_by_stranger,
    "a stranger's key in the token": lambda token: signed_by_stranger(token, {"jwk": stranger_jwk()}),
    "a key that is a file": lambda token: signed_by_stranger(token, {"kid": "../../../../dev/null"}),
    "a key that is an SQL statement": lambda token: signed_by_stranger(token, {"kid": "' UNION SELECT 'x"}),
    "a critical header": lambda token: signed_by_stranger(token, {"crit": ["exp"]}),
    "expired": lambda token: signed_by_stranger(token, exp=1, iat=0),
    "another audience": lambda token: signed_by_stranger(token, aud="lake"),
    "another issuer": lambda token: signed_by_stranger(token, iss="https://accounts.example.com"),
    "the issuer with more behind it": lambda token: signed_by_stranger(token, iss=claims(token)["iss"] + "-evil"),
    "the issuer as part of another": lambda token: signed_by_stranger(token, iss="http://evil.example/?" + claims(token)["iss"]),
    "empty": lambda _: "",
    "dots": lambda _: "..",
    "a number": lambda _: "7",
    "JSON": lambda _: '{"alg":"none"}',
    "an unknown session's token": lambda _: "sqe-session-" + secrets.token_urlsafe(32),
    "a session's prefix alone": lambda _: "sqe-session-",
    "seven thousand letters": lambda _: "a" * 7000,
    "a thousand parts": lambda _: "a." * 1000,
    "a deep header": lambda _: base64.urlsafe_b64encode(b"[" * 3000).decode() + ".e30.AA",
    "a percent sign": lambda token: token.replace(".", "%2E"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_tampered_and_forged_tokens_learn_one_sentence(
    server: RunningServer, raw: flight.FlightClient, real: str, what: str
) -> None:
    token = TAMPERED[what](real)
    headers = [(b"authorization", b"Bearer " + token.encode())]
    told = {name: answer(attempt) for name, attempt in attempts(raw, headers).items()}
    assert told == dict.fromkeys(told, FAILED)
    assert _by_adbc(server, token) == BY_ADBC


def _by_adbc(server: RunningServer, token: str) -> str:
    with server.connected(token=token or " ") as connection:
        return refusal(connection, "SELECT 1").partition(". Detail: ")[0]


def test_the_same_token_untampered_gets_in(server: RunningServer, raw: flight.FlightClient, real: str) -> None:
    with server.connected(token=real) as connection:
        assert rows(connection, "SELECT current_user()") == [("alice",)]
    options = call([(b"authorization", b"Bearer " + real.encode())])
    info = raw.get_flight_info(statement("SELECT current_user() AS who"), options)
    assert raw.do_get(info.endpoints[0].ticket, options).read_all().to_pylist() == [{"who": "alice"}]


def test_a_public_key_is_no_secret(server: RunningServer, lake: Addresses, real: str) -> None:
    keys = httpx.get(lake["keycloak"]["jwks"], trust_env=False).json()
    assert _by_adbc(server, signed_with_public_key(real, keys)) == BY_ADBC


@pytest.mark.parametrize("header", ["jku", "x5u"])
def test_keys_are_not_fetched_from_where_a_token_says(server: RunningServer, real: str, header: str, listener: Listener) -> None:
    token = signed_by_stranger(real, {header: f"http://127.0.0.1:{listener.port}/keys", "kid": "mine"})
    assert _by_adbc(server, token) == BY_ADBC


@pytest.mark.parametrize("kind", ["id_token", "refresh_token"])
def test_other_tokens_of_the_same_log_in_are_no_access_tokens(server: RunningServer, granted: dict[str, str], kind: str) -> None:
    assert _by_adbc(server, granted[kind]) == BY_ADBC


def test_a_token_of_another_realm_is_a_stranger_s(server: RunningServer, lake: Addresses) -> None:
    assert _by_adbc(server, _administrator(lake["keycloak"])) == BY_ADBC


def test_a_real_token_for_another_audience_is_refused(server: RunningServer, login: Login, real: str) -> None:
    exchanged = login.exchange(real, "lake")
    assert claims(exchanged)["aud"] == "lake"
    assert _by_adbc(server, exchanged) == BY_ADBC


@pytest.fixture
def short_lived(lake: Addresses) -> Iterator[str]:
    """A client of Keycloak whose tokens live for two seconds."""
    keycloak = lake["keycloak"]
    with httpx.Client(trust_env=False, timeout=30, headers={"Authorization": f"Bearer {_administrator(keycloak)}"}) as admin:
        clients = f"{keycloak['url']}/admin/realms/sqe/clients"
        settings = _client("short-lived", ("sqe",), {"access.token.lifespan": "2"}, directAccessGrantsEnabled=True)
        made = admin.post(clients, json=settings)
        assert made.status_code == 201, made.text
        yield "short-lived"
        admin.delete(made.headers["location"])


def test_a_real_token_is_good_until_it_expires_and_no_longer(server: RunningServer, login: Login, short_lived: str) -> None:
    token = login.password("alice", short_lived)
    with server.connected(token=token) as connection:
        assert rows(connection, "SELECT current_user()") == [("alice",)]
    eventually(lambda: _by_adbc_or_in(server, token) == BY_ADBC)


def _by_adbc_or_in(server: RunningServer, token: str) -> str:
    try:
        return _by_adbc(server, token)
    except AssertionError:
        return "got in"


def _administrator(keycloak: Address) -> str:
    form = {"client_id": "admin-cli", "username": keycloak["admin_user"], "password": keycloak["admin_password"]}
    token = keycloak["token"].replace("/realms/sqe/", "/realms/master/")
    asked = httpx.post(token, data=form | {"grant_type": "password"}, trust_env=False, timeout=30)
    return str(asked.json()["access_token"])


@pytest.mark.parametrize(
    "value", [b"Bearer \xff\xfe\xfd", b"Bearer \xc3\x28.\xe2\x82", b"\xff", b"Bearer a\x00b", b"Bearer a\rb"]
)
def test_bytes_that_are_no_text_get_no_answer_but_an_end(server: RunningServer, value: bytes) -> None:
    assert 0 not in http2(server.port, [(b"authorization", value)])
    assert server.query("alice", "SELECT 1") == [(1,)]


@pytest.mark.parametrize("size", [20_000, 200_000, 2_000_000])
def test_endless_tokens_end_the_call(raw: flight.FlightClient, size: int) -> None:
    told = answer(attempts(raw, [(b"authorization", b"Bearer " + b"a" * size)])["query"])
    assert told != "got in"
    assert "aaaa" not in told
