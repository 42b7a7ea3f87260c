"""Sessions that clients would like to choose, to keep or to take over, and headers that would like to be others."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

import pytest
from adbc_driver_flightsql import dbapi as flightsql
from clients import Login
from hostile import Headers, answer, attempts, call, http2, statement
from pyarrow import flight
from running import RunningServer

from sqe.query.session_settings import SETTINGS

FAILED = "AUTHENTICATION_FAILED: Authentication failed"


@pytest.fixture
def raw(server: RunningServer) -> Iterator[flight.FlightClient]:
    with flight.FlightClient(f"grpc://127.0.0.1:{server.port}") as client:
        yield client


def logged_in(client: flight.FlightClient, user: str) -> bytes:
    bearer: bytes = client.authenticate_basic_token(user, f"{user}-password")[1]
    return bearer


def who(client: flight.FlightClient, headers: Headers) -> str:
    options = call(headers)
    info = client.get_flight_info(statement("SELECT current_user() AS who"), options)
    found: str = client.do_get(info.endpoints[0].ticket, options).read_all().column("who")[0].as_py()
    return found


def test_a_closed_session_s_token_is_dead_by_every_way(raw: flight.FlightClient) -> None:
    token = logged_in(raw, "alice")
    headers = [(b"authorization", token)]
    assert who(raw, headers) == "alice"
    ticket = raw.get_flight_info(statement("SELECT 1"), call(headers)).endpoints[0].ticket
    assert list(raw.do_action(flight.Action("CloseSession", b""), call(headers)))
    told = {name: answer(attempt) for name, attempt in attempts(raw, headers).items()}
    assert told == dict.fromkeys(told, FAILED)
    assert answer(lambda: raw.do_get(ticket, call(headers)).read_all()) == FAILED


def test_a_session_s_token_is_never_what_a_client_proposes(raw: flight.FlightClient) -> None:
    """Session fixation: a token, a cookie or an id that the client brings to its log-in is not the session's afterwards."""
    chosen = b"sqe-session-" + b"A" * 43
    basic = (b"authorization", b"Basic " + base64.b64encode(b"alice:alice-password"))
    proposals: Headers = [
        (b"cookie", b"session=" + chosen),
        (b"x-session-id", chosen),
        (b"session", chosen),
        (b"x-sqe-session", chosen),
        (b"arrow_flight_session_id", chosen),
    ]
    assert who(raw, [basic, *proposals]) == "alice"
    mine = {logged_in(raw, "alice"), logged_in(raw, "alice")}
    assert len(mine) == 2
    assert not [token for token in mine if chosen in token]
    assert answer(attempts(raw, [(b"authorization", b"Bearer " + chosen)])["query"]) == FAILED
    for proposal in proposals:
        assert answer(attempts(raw, [proposal])["query"]) == FAILED


def test_a_log_in_does_not_join_an_older_session(raw: flight.FlightClient, server: RunningServer) -> None:
    """Bob plants his session's token as a cookie at alice's client; she works in her own session all the same."""
    planted = logged_in(raw, "bob")
    basic = (b"authorization", b"Basic " + base64.b64encode(b"alice:alice-password"))
    with flight.FlightClient(f"grpc://127.0.0.1:{server.port}") as victim:
        assert who(victim, [basic, (b"cookie", b"authorization=" + planted)]) == "alice"
    assert who(raw, [(b"authorization", planted)]) == "bob"


def test_tickets_and_statements_of_another_s_session_are_unknown(raw: flight.FlightClient) -> None:
    alice, bob = ([(b"authorization", logged_in(raw, user))] for user in ("alice", "bob"))
    ticket = raw.get_flight_info(statement("SELECT 'private' AS a"), call(alice)).endpoints[0].ticket
    used = raw.get_flight_info(statement("SELECT 1"), call(bob)).endpoints[0].ticket
    raw.do_get(used, call(bob)).read_all()
    told = answer(lambda: raw.do_get(ticket, call(bob)).read_all())
    assert told == answer(lambda: raw.do_get(used, call(bob)).read_all()) != "got in"
    assert raw.do_get(ticket, call(alice)).read_all().num_rows == 1


@pytest.mark.parametrize("whose", ["bob's", "nobody's", "a session's", "no text"])
def test_a_session_goes_on_with_nobody_else_s_token(raw: flight.FlightClient, login: Login, whose: str) -> None:
    mine = login.password("alice")
    headers = [(b"authorization", b"Bearer " + mine.encode())]
    assert who(raw, headers) == "alice"
    token = {
        "bob's": lambda: login.password("bob").encode(),
        "nobody's": lambda: mine.encode()[:-40],
        "a session's": lambda: logged_in(raw, "alice").removeprefix(b"Bearer "),
        "no text": lambda: b"\xff\xfe",
    }[whose]()
    assert answer(lambda: list(raw.do_action(flight.Action("RenewLogin", token), call(headers)))) == FAILED
    assert who(raw, headers) == "alice"


def test_session_options_are_the_list_that_set_has(server: RunningServer) -> None:
    """ADBC's other way to SET."""
    with server.connected("alice") as connection:
        for name in ("spark.sql.catalog.lake.uri", "sqe.session", "spark.sql.variable.substitute", "user"):
            with pytest.raises(flightsql.Error):
                connection.adbc_connection.set_options(**{f"adbc.flight.sql.session.option.{name}": "x"})
        shown = connection.adbc_connection.get_option("adbc.flight.sql.session.options")
        assert set(json.loads(shown)) == {"catalog", "schema", *SETTINGS}


@pytest.mark.parametrize("second", [b"Basic eDp5", b"Bearer x", b"", b"Bearer sqe-session-x"])
def test_of_several_authorizations_none_counts(raw: flight.FlightClient, second: bytes) -> None:
    good = (b"authorization", logged_in(raw, "alice"))
    other = (b"authorization", second)
    for headers in ([good, other], [other, good], [good, good]):
        told = {name: answer(attempt) for name, attempt in attempts(raw, headers).items()}
        assert told == dict.fromkeys(told, FAILED)


def test_nobody_is_who_a_header_says(raw: flight.FlightClient) -> None:
    """Headers that other servers believe: a proxy's user, a role to take, a user to stand in for."""
    names = (
        "x-forwarded-user",
        "x-remote-user",
        "x-trino-user",
        "x-trino-role",
        "x-user",
        "x-sqe-user",
        "impersonate",
        "username",
    )
    claimed: Headers = [(name.encode(), b"bob") for name in names]
    assert answer(attempts(raw, claimed)["query"]) == FAILED
    assert who(raw, [(b"authorization", logged_in(raw, "alice")), *claimed]) == "alice"


@pytest.mark.parametrize("header", [b"x-forwarded-for", b"forwarded", b"x-real-ip", b"sqe-connection", b"x-sqe-connection"])
def test_no_proxy_is_believed_that_is_not_trusted(raw: flight.FlightClient, server: RunningServer, header: bytes) -> None:
    spoofed = b"for=198.51.100.77" if header == b"forwarded" else b"198.51.100.77"
    basic = (b"authorization", b"Basic " + base64.b64encode(b"mallory:wrong"))
    assert answer(attempts(raw, [basic, (header, spoofed)])["query"]) == FAILED
    assert "198.51.100.77" not in server.log.read_text()


INJECTED = [
    (b"authorization", b"Bearer x\r\nauthorization: Basic YWxpY2U6YWxpY2UtcGFzc3dvcmQ="),
    (b"authorization", b"Bearer x\nx-forwarded-user: alice"),
    (b"x-note\r\nauthorization", b"Basic YWxpY2U6YWxpY2UtcGFzc3dvcmQ="),
    (b"Authorization", b"Basic YWxpY2U6YWxpY2UtcGFzc3dvcmQ="),
    (b"authorization", b"Basic YWxpY2U6YWxpY2UtcGFzc3dvcmQ=\x00"),
    (b"authorization-bin", b"Basic YWxpY2U6YWxpY2UtcGFzc3dvcmQ="),
]


@pytest.mark.parametrize("header", INJECTED)
def test_line_breaks_and_odd_names_make_no_header(server: RunningServer, header: tuple[bytes, bytes]) -> None:
    assert 0 not in http2(server.port, [header])


def test_the_same_call_with_a_proper_header_is_answered(server: RunningServer) -> None:
    """Else the test above would show nothing."""
    assert 0 in http2(server.port, [(b"authorization", b"Basic YWxpY2U6YWxpY2UtcGFzc3dvcmQ=")])


def test_a_line_break_in_a_user_agent_makes_no_line_of_log(server: RunningServer, raw: flight.FlightClient) -> None:
    before = len(server.log.read_text().splitlines())
    named = base64.b64encode(b'mallory\n{"level": "info", "event": "log-in of root"}:x')
    assert answer(attempts(raw, [(b"authorization", b"Basic " + named)])["query"]) == FAILED
    lines = server.log.read_text().splitlines()[before:]
    assert not [line for line in lines if line.startswith('{"level": "info", "event": "log-in of root"}')]


# Names. Keycloak does not mind case; who it is says its token, never what was typed.

OTHER_NAMES = {
    "a blank before": " alice",
    "a blank behind": "alice ",
    "a NUL behind": "alice\0",
    "a NUL and another": "alice\0bob",
    "a line break": "alice\n",
    "a Cyrillic letter": "\N{CYRILLIC SMALL LETTER A}lice",
    "fullwidth letters": "\N{FULLWIDTH LATIN SMALL LETTER A}lice",
    "a zero-width letter": "al\N{ZERO WIDTH SPACE}ice",
    "letters from the right": "\N{RIGHT-TO-LEFT OVERRIDE}ecila",
    "a wildcard": "al*",
    "SQL": "alice' OR '1'='1",
    "LDAP": "alice)(uid=*",
    "a form field more": "alice&client_id=admin-cli",
    "percent signs": "%61lice",
    "JSON": '{"username":"alice"}',
    "a path": "../alice",
    "nobody": "",
    "endless": "a" * 5000,
}


@pytest.mark.parametrize("what", OTHER_NAMES)
def test_a_name_that_only_looks_like_another_s_is_nobody(server: RunningServer, raw: flight.FlightClient, what: str) -> None:
    given = base64.b64encode(f"{OTHER_NAMES[what]}:alice-password".encode())
    headers = [(b"authorization", b"Basic " + given)]
    assert {answer(attempt) for name, attempt in attempts(raw, headers).items()} == {FAILED}


@pytest.mark.parametrize("typed", ["ALICE", "Alice", "alice@example.org"])
def test_whatever_was_typed_the_user_is_the_token_s(server: RunningServer, typed: str) -> None:
    with server.connected(typed, password="alice-password") as connection:  # noqa: S106
        cursor = connection.cursor()
        cursor.execute("SELECT current_user()")
        assert cursor.fetchone() == ("alice",)
        cursor.close()


def test_a_wrong_password_and_an_unknown_user_are_told_the_same(server: RunningServer) -> None:
    wrong = [("alice", "wrong"), ("nobody", "wrong"), ("alice", "\0"), ("alice", "x" * 5000), ("bob", "alice-password")]
    told = set()
    for user, password in wrong:
        with pytest.raises(flightsql.Error) as refused, server.connected(user, password=password):
            pass
        told.add(str(refused.value))
    assert told == {f"UNAUTHENTICATED: [FlightSQL] {FAILED}. Detail: Unauthenticated (Unauthenticated; AuthenticateBasicToken)"}
