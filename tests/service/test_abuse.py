"""Clients with bad intentions at the Flight door: guessing, flooding, hoarding, stalling, forging headers. Others go on."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from authority import Authority
from pyarrow import flight
from waiting import eventually

from sqe.config.providers import StaticProvider, StaticUser
from sqe.config.rate_limit import RateLimit
from sqe.config.sections import Auth, Coordinator
from sqe.config.values import Duration, Secret
from sqe.doors.addresses import Addresses
from sqe.doors.flight.door import FlightDoor
from sqe.doors.flight.wire import messages, pack
from sqe.doors.tls import Certificates
from sqe.engine.driver import Driver
from sqe.identity.authenticator import authenticator
from sqe.limits import Limits
from sqe.query.handler import QueryHandler, QueryLimits
from sqe.sessions import TOKEN_PREFIX, SessionLimits, Sessions

pytestmark = pytest.mark.service

USERS = StaticProvider((StaticUser("root", Secret("secret")), StaticUser("alice", Secret("wonderland"))))
ALICE = b"Basic " + base64.b64encode(b"alice:wonderland")
FAILED = "AUTHENTICATION_FAILED: Authentication failed"
LIMITED = "TOO_MANY_REQUESTS: Too many log-in attempts"


class Limited:
    """A door whose limits count; what a test says about them is all that holds."""

    def __init__(
        self, handler: QueryHandler, sessions: Sessions, *proxies: str, tls: Certificates | None = None, **limits: int
    ) -> None:
        unlimited = dict.fromkeys(
            ("logins_per_user", "failed_logins_per_user", "logins_per_address", "logins_without_address"), 0
        )
        settings = RateLimit(**{**unlimited, **limits}, failed_login_time=Duration(0))  # type: ignore[arg-type]
        self.limits = Limits(settings)
        self.sessions = sessions
        self.door = FlightDoor(
            handler=handler,
            sessions=sessions,
            authenticator=authenticator(Auth(providers=(USERS,)), self.limits.logins),
            addresses=Addresses(proxies),
            calls=self.limits.calls,
            tls=tls,
        )

    def __enter__(self) -> Limited:
        self.door.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.door.stop()

    @contextmanager
    def client(self) -> Iterator[flight.FlightClient]:
        with flight.FlightClient(self.door.address, disable_server_verification=True) as client:
            yield client

    def token(self, client: flight.FlightClient, user: str = "alice", password: str = "wonderland") -> bytes:
        bearer: bytes = client.authenticate_basic_token(user, password)[1]
        return bearer

    def guess(self, user: str = "alice") -> str:
        with self.client() as client:
            return refusal(lambda: client.authenticate_basic_token(user, "guess"))


@pytest.fixture
def limited(handler: QueryHandler, sessions: Sessions) -> Iterator[Callable[..., Limited]]:
    with ExitStack() as stack:
        yield lambda *proxies, **limits: stack.enter_context(Limited(handler, sessions, *proxies, **limits))


def options(*headers: tuple[bytes, bytes], seconds: float = 60) -> flight.FlightCallOptions:
    return flight.FlightCallOptions(headers=list(headers), timeout=seconds)


def as_(token: bytes, *more: tuple[bytes, bytes], seconds: float = 60) -> flight.FlightCallOptions:
    return options((b"authorization", token), *more, seconds=seconds)


def query(sql: str = "SELECT 1") -> flight.FlightDescriptor:
    return flight.FlightDescriptor.for_command(pack(messages.CommandStatementQuery(query=sql.encode())))


def works(client: flight.FlightClient, call: flight.FlightCallOptions) -> bool:
    ticket = client.get_flight_info(query(), call).endpoints[0].ticket
    return bool(client.do_get(ticket, call).read_all().num_rows == 1)


def refusal(attempt: Callable[[], Any]) -> str:
    """The text of the error that an attempt must end with, without its hint."""
    with pytest.raises((flight.FlightError, pa.ArrowException)) as caught:
        attempt()
    text, _, _ = str(caught.value).partition(". Detail: ")
    assert not [word for word in ("Traceback", 'File "') if word in text], text
    return text.partition(" [")[0]


# Guessing.


def test_guessing_at_the_handshake_ends_while_live_sessions_go_on(limited: Callable[..., Limited]) -> None:
    server = limited(failed_logins_per_user=3)
    with server.client() as client:
        token = server.token(client)
        assert [server.guess() for _ in range(5)] == [FAILED] * 3 + [LIMITED] * 2
        assert works(client, as_(token))
        assert refusal(lambda: server.token(client)) == LIMITED, "the right password as well: it would tell that it is right"
        assert works(client, as_(server.token(client, "root", "secret"))), "other users log in"
    assert server.limits.refusals.by_limit() == {"failed_logins_per_user": 3}


def test_a_name_that_nobody_has_is_refused_just_the_same(limited: Callable[..., Limited]) -> None:
    server = limited(failed_logins_per_user=3)
    assert [server.guess("nobody") for _ in range(5)] == [server.guess("alice") for _ in range(5)]


def test_spraying_one_password_over_many_names_ends_too(limited: Callable[..., Limited]) -> None:
    server = limited(logins_without_address=50)
    told = [server.guess(f"user{number}") for number in range(8)]
    assert told == [FAILED] * 5 + [LIMITED] * 3


def test_good_clients_learn_when_to_come_again(limited: Callable[..., Limited]) -> None:
    server = limited(failed_logins_per_user=1)
    server.guess()
    with server.client() as client, pytest.raises(flight.FlightUnavailableError, match="try again in 60 s") as caught:
        server.token(client)
    details = json.loads(caught.value.extra_info)
    assert (details["code"], details["sqlstate"]) == ("TOO_MANY_REQUESTS", "53400")
    assert details["retry_after_seconds"] == 60


def test_an_address_that_failed_too_often_waits_and_others_do_not(limited: Callable[..., Limited]) -> None:
    server = limited("127.0.0.1", logins_per_address=20)
    wrong = b"Basic " + base64.b64encode(b"alice:guess")

    def attempt(authorization: bytes, address: bytes) -> str:
        with server.client() as client:  # a connection each: passwords are judged once a connection
            return refusal(lambda: client.get_flight_info(query(), as_(authorization, (b"x-forwarded-for", address))))

    assert [attempt(wrong, b"192.0.2.1") for _ in range(3)] == [FAILED, FAILED, LIMITED]
    assert attempt(ALICE, b"192.0.2.1") == LIMITED
    with server.client() as client:
        assert works(client, as_(ALICE, (b"x-forwarded-for", b"192.0.2.2")))


def test_with_tls_the_handshake_knows_the_address(limited: Callable[..., Limited], tmp_path: Path) -> None:
    pair = Authority(tmp_path).server()
    tls = Certificates(Coordinator(tls_cert=pair.certificate, tls_key=pair.key), ["h2"])
    server = limited(tls=tls, logins_per_address=20)
    assert [server.guess(name) for name in "abc"] == [FAILED, FAILED, LIMITED]
    assert server.limits.refusals.by_limit() == {"logins_per_address": 1}


@pytest.mark.parametrize(
    ("proxies", "address"), [(("127.0.0.1",), "192.0.2.77"), ((), "127.0.0.1"), (("10.0.0.0/8",), "127.0.0.1")]
)
def test_only_trusted_proxies_say_where_a_client_is(
    limited: Callable[..., Limited], proxies: tuple[str, ...], address: str
) -> None:
    server = limited(*proxies)
    before = set(map(id, server.sessions.all()))
    with server.client() as client:
        assert works(client, as_(ALICE, (b"x-forwarded-for", b"6.6.6.6, 192.0.2.77"), (b"forwarded", b"for=6.6.6.6")))
    (session,) = [each for each in server.sessions.all() if id(each) not in before]
    assert session.origin.address == address


# Flooding and hoarding.


def test_a_flood_of_statements_is_cut_and_others_are_served(driver: Driver, sessions: Sessions) -> None:
    limits = Limits(RateLimit(queries_per_session=4, queries_per_user=6))
    handler = QueryHandler(driver, rates=limits.queries)
    try:
        with Limited(handler, sessions) as server, server.client() as client:
            first, second, other = server.token(client), server.token(client), server.token(client, "root", "secret")
            ask = {token: as_(token) for token in (first, second, other)}
            assert all(works(client, ask[first]) for _ in range(4))
            flood = "TOO_MANY_REQUESTS: Too many statements in a short time"
            assert refusal(lambda: client.get_flight_info(query(), ask[first])) == flood
            metadata = flight.FlightDescriptor.for_command(pack(messages.CommandGetTables()))
            assert works(client, ask[second])
            client.do_get(client.get_flight_info(metadata, ask[second]).endpoints[0].ticket, ask[second]).read_all()
            assert refusal(lambda: works(client, ask[second])) == flood, (
                "metadata counts as well, and the user's sessions together"
            )
            assert works(client, ask[other])
        assert limits.refusals.by_limit() == {"queries_per_session": 1, "queries_per_user": 1}
    finally:
        handler.close()


def test_one_user_cannot_take_all_sessions(handler: QueryHandler, driver: Driver) -> None:
    sessions = Sessions(driver, {}, "lake", SessionLimits(max_sessions=10, max_per_user=2))
    with Limited(handler, sessions) as server, server.client() as client:
        tokens = [server.token(client) for _ in range(2)]
        told = "GENERIC_INSUFFICIENT_RESOURCES: You have 2 sessions already"
        assert refusal(lambda: server.token(client)) == told
        assert refusal(lambda: client.get_flight_info(query(), as_(ALICE))) == told
        assert server.token(client, "root", "secret")
        list(client.do_action(flight.Action("CloseSession", b""), as_(tokens[0])))
        assert server.token(client)
    sessions.close_all()


def test_connections_that_send_nothing_keep_nobody_out(door: FlightDoor) -> None:
    with ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(socket.create_connection(("127.0.0.1", door.port), timeout=20))
        with flight.FlightClient(door.address) as client:
            assert works(client, as_(client.authenticate_basic_token("alice", "wonderland")[1]))


# Stalling.


def upload(client: flight.FlightClient, table: str, call: flight.FlightCallOptions) -> flight.FlightStreamWriter:
    """Rows for a new table; none is sent yet."""
    ingest = messages.CommandStatementIngest(table=table)
    definition = messages.CommandStatementIngest.TableDefinitionOptions
    ingest.table_definition_options.if_not_exist = definition.TABLE_NOT_EXIST_OPTION_CREATE
    ingest.table_definition_options.if_exists = definition.TABLE_EXISTS_OPTION_FAIL
    descriptor = flight.FlightDescriptor.for_command(pack(ingest))
    writer, _ = client.do_put(descriptor, pa.schema([("n", pa.int64())]), call)
    return writer


def test_strangers_cannot_hold_a_call_open(door: FlightDoor) -> None:
    """The server would wait in a thread for what an upload sends."""
    with flight.FlightClient(door.address) as client:
        for headers in ((), ((b"authorization", b"Bearer x"),), ((b"authorization", b"Basic " + base64.b64encode(b"alice:no")),)):
            call = options(*headers, seconds=20)
            assert refusal(lambda call=call: client.do_exchange(query(), call)[1].read_chunk()) == FAILED  # type: ignore[misc]


def test_calls_under_way_are_bounded_for_each_user(limited: Callable[..., Limited]) -> None:
    server = limited(calls_per_user=3)
    with server.client() as other:
        root = as_(server.token(other, "root", "secret"))
        with server.client() as client:
            alice = server.token(client)
            held = [upload(client, f"held{number}", as_(alice)) for number in range(3)]  # no rows come
            eventually(lambda: server.limits.calls.under_way() == 3)
            assert refusal(lambda: works(client, as_(alice))) == "TOO_MANY_REQUESTS: Too many calls are under way"
            assert works(other, root)
            del held
        eventually(lambda: server.limits.calls.under_way() == 0)
        assert works(other, root)
        assert works(other, as_(alice)), "the session is as it was"
    eventually(lambda: server.limits.calls.under_way() == 0)


def test_an_upload_that_stands_still_takes_nobody_s_turn(driver: Driver, sessions: Sessions) -> None:
    handler = QueryHandler(driver, QueryLimits(max_concurrent=1, max_queued=0))
    try:
        with Limited(handler, sessions) as server, server.client() as client, server.client() as other:
            token = as_(server.token(client))
            writer = upload(client, "stalled", token)
            writer.write_batch(pa.record_batch({"n": [1]}))
            eventually(lambda: any(event.sql.startswith("INGEST") for event in handler.queries()))
            assert works(other, as_(server.token(other, "root", "secret")))
            writer.write_batch(pa.record_batch({"n": [2]}))
            writer.close()
            ticket = client.get_flight_info(query("SELECT sum(n) AS s FROM stalled"), token).endpoints[0].ticket
            assert client.do_get(ticket, token).read_all().to_pylist() == [{"s": 3}]
    finally:
        handler.close()


# Headers.

HEADERS = {
    "a header of 100 kB": [(b"x-big", b"a" * 100_000)],
    "10,000 headers": [(b"x-%d" % number, b"a") for number in range(10_000)],
    "a token of 100 kB": [(b"authorization", b"Bearer " + b"a" * 100_000)],
}


@pytest.mark.parametrize("what", HEADERS)
def test_headers_are_bounded(door: FlightDoor, what: str) -> None:
    with flight.FlightClient(door.address) as client:
        assert "received metadata size exceeds" in refusal(lambda: client.get_flight_info(query(), options(*HEADERS[what])))
        assert works(client, as_(ALICE)), "the connection is still good"


def test_commands_are_bounded(door: FlightDoor) -> None:
    huge = flight.FlightDescriptor.for_command(b"x" * (33 << 20))
    with flight.FlightClient(door.address) as client:
        assert refusal(lambda: client.get_flight_info(huge, options())) == FAILED
        told = refusal(lambda: client.get_flight_info(huge, as_(ALICE)))
        assert told == "INVALID_ARGUMENTS: A command may have 32 MB, not more"


@pytest.mark.parametrize("other", [b"Bearer x", ALICE, b""])
def test_several_authorization_headers_are_refused_whichever_is_right(door: FlightDoor, other: bytes) -> None:
    with flight.FlightClient(door.address) as client:
        for pair in ((ALICE, other), (other, ALICE)):
            call = options(*((b"authorization", each) for each in pair))
            assert refusal(lambda call=call: client.get_flight_info(query(), call)) == FAILED  # type: ignore[misc]


FORGED = {
    "joined by a comma": ALICE + b", " + ALICE,
    "two schemes": b"Basic " + ALICE,
    "a name with a line's end": b"Basic " + base64.b64encode(b"alice\r\nX-User: root:wonderland"),
    "a password with a line's end": b"Basic " + base64.b64encode(b"alice:wonderland\n"),
    "a name with NUL": b"Basic " + base64.b64encode(b"alice\0:wonderland"),
    "junk inside base64": ALICE[:10] + b" ~" + ALICE[10:],
    "a token with a comma": b"Bearer x, Bearer y",
}


@pytest.mark.parametrize("what", FORGED)
def test_forged_authorization_is_refused(door: FlightDoor, what: str) -> None:
    with flight.FlightClient(door.address) as client:
        assert refusal(lambda: client.get_flight_info(query(), as_(FORGED[what]))) == FAILED


# Tokens.


def test_a_session_s_token_is_never_the_client_s_choice(door: FlightDoor, sessions: Sessions) -> None:
    chosen = TOKEN_PREFIX.encode() + b"A" * 43
    with flight.FlightClient(door.address) as client:
        planted = [(b"cookie", b"session=" + chosen), (b"x-session-id", chosen), (b"x-session-token", chosen)]
        call = flight.FlightCallOptions(headers=planted, timeout=60)
        tokens = {client.authenticate_basic_token("alice", "wonderland", call)[1] for _ in range(3)}
        assert len(tokens) == 3
        assert not [token for token in tokens if chosen in token]
        assert refusal(lambda: client.get_flight_info(query(), as_(b"Bearer " + chosen))) == FAILED
        assert refusal(lambda: client.get_flight_info(query(), call)) == FAILED


def test_a_session_id_is_no_token(door: FlightDoor, sessions: Sessions) -> None:
    with flight.FlightClient(door.address) as client:
        client.authenticate_basic_token("alice", "wonderland")
        for session in sessions.all():
            assert refusal(lambda id_=session.id: client.get_flight_info(query(), as_(b"Bearer " + id_.encode()))) == FAILED  # type: ignore[misc]


def test_a_closed_session_is_closed_for_every_call_and_connection(limited: Callable[..., Limited]) -> None:
    """And replaying its token is no guessing: it counts against nobody."""
    server = limited(logins_per_address=10, logins_without_address=10)
    with server.client() as client, server.client() as thief:
        token = as_(server.token(client))
        ticket = client.get_flight_info(query(), token).endpoints[0].ticket
        list(client.do_action(flight.Action("CloseSession", b""), token))
        for connection in (client, thief):
            assert replayed(connection, ticket, token) == {FAILED}
        assert server.token(client)
    assert server.limits.refusals.by_limit() == {}


def replayed(client: flight.FlightClient, ticket: flight.Ticket, token: flight.FlightCallOptions) -> set[str]:
    return {
        refusal(lambda: client.get_flight_info(query(), token)),
        refusal(lambda: client.do_get(ticket, token).read_all()),
        refusal(lambda: list(client.do_action(flight.Action("CloseSession", b""), token))),
        refusal(lambda: client.do_exchange(query(), token)[1].read_chunk()),
    }
