"""Sessions opened with a kept log-in: the door's side of renewing, and the client's side of keeping a session alive."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyarrow import flight
from waiting import eventually

from sqe.client import upkeep
from sqe.client.handshake import session_header
from sqe.client.login_options import login_options
from sqe.client.upkeep import Upkeep, leaves_state
from sqe.config.values import Secret
from sqe.doors.flight.door import FlightDoor
from sqe.engine.driver import Driver
from sqe.engine.process import LaunchOptions
from sqe.errors import AUTHENTICATION_FAILED, REMOTE_HOST_GONE, SqeError
from sqe.identity import Identity
from sqe.identity.authenticator import Authenticator
from sqe.identity.login import Login, Tokens
from sqe.identity.options import LoginOption
from sqe.identity.provider import Bearer, Credentials, Provider, Rejected
from sqe.query.handler import QueryHandler, QueryLimits
from sqe.sessions import Sessions


class NameAndEnd(Provider):
    """Takes `alice/1` and its like: the name, and how long it is good, in seconds."""

    def identify(self, credentials: Credentials) -> Login | None:
        if not isinstance(credentials, Bearer) or "/" not in credentials.token.reveal():
            return None
        user, _, number = credentials.token.reveal().partition("/")
        if user == "rejected":
            raise Rejected
        return Login(Identity(user, provider="test", subject=f"{user}-id"), Tokens(Secret(f"{user}/{number}")))


OPTIONS = (LoginOption("https://idp.example.com", "cli"),)


class AtTheDoor:
    """A door whose engine never starts: logging in does not need it."""

    def __init__(self) -> None:
        driver = Driver(LaunchOptions())
        self.handler = QueryHandler(driver, QueryLimits())
        self.sessions = Sessions(driver, {}, "lake")
        authenticator = Authenticator([NameAndEnd()])
        self.door = FlightDoor(handler=self.handler, sessions=self.sessions, authenticator=authenticator, login_options=OPTIONS)

    def log_in(self, token: str) -> tuple[bytes, bytes]:
        return session_header(self.door.address, Secret(token))

    def act(self, name: str, body: bytes = b"", header: tuple[bytes, bytes] | None = None) -> list[bytes]:
        options = flight.FlightCallOptions(headers=[header] if header else [], timeout=10)
        with flight.FlightClient(self.door.address) as client:
            return [result.body.to_pybytes() for result in client.do_action(flight.Action(name, body), options)]

    def token_of_the_session(self) -> str:
        (session,) = self.sessions.all()
        return session.login._login.tokens.access.reveal()  # type: ignore[union-attr]


@pytest.fixture
def server() -> Iterator[AtTheDoor]:
    server = AtTheDoor()
    with server.door:
        yield server
    server.handler.close()


def test_a_handshake_with_a_bearer_token_opens_a_session_of_its_own(server: AtTheDoor) -> None:
    first, second = server.log_in("alice/1"), server.log_in("alice/1")
    assert first != second
    assert b"alice" not in first[1]
    assert [session.identity.user for session in server.sessions.all()] == ["alice", "alice"]


@pytest.mark.parametrize("token", ["", "nobody", "rejected/1", "\u00e4/1", "alice/1\r\nx-more: 1"])
def test_a_handshake_with_a_wrong_token_is_refused(server: AtTheDoor, token: str) -> None:
    with pytest.raises(SqeError) as caught:
        server.log_in(token)
    assert str(caught.value) == "AUTHENTICATION_FAILED: Authentication failed"
    assert len(server.sessions) == 0


def test_a_session_goes_on_with_a_newer_token_of_its_user(server: AtTheDoor) -> None:
    header = server.log_in("alice/1")
    assert server.act("RenewLogin", b"alice/2", header) == []
    assert server.token_of_the_session() == "alice/2"


@pytest.mark.parametrize("token", [b"bob/2", b"rejected/1", b"nobody", b"", b"\xff/1", b"x" * 100_000])
def test_no_other_token_takes_its_place(server: AtTheDoor, token: bytes) -> None:
    header = server.log_in("alice/1")
    with pytest.raises(flight.FlightUnauthenticatedError, match="AUTHENTICATION_FAILED: Authentication failed"):
        server.act("RenewLogin", token, header)
    assert server.token_of_the_session() == "alice/1"
    assert [session.identity.user for session in server.sessions.all()] == ["alice"]


def test_without_a_session_there_is_nothing_to_renew(server: AtTheDoor) -> None:
    for header in (None, (b"authorization", b"Bearer invented")):
        with pytest.raises(flight.FlightUnauthenticatedError):
            server.act("RenewLogin", b"alice/2", header)
    assert len(server.sessions) == 0


def test_strangers_learn_how_to_log_in_and_nothing_else(server: AtTheDoor) -> None:
    assert login_options(server.door.address) == list(OPTIONS)
    assert len(server.sessions) == 0
    with pytest.raises(flight.FlightUnauthenticatedError):
        server.act("GetSessionOptions")


def test_a_server_that_is_not_there_has_no_log_in_options() -> None:
    with pytest.raises(SqeError) as caught:
        login_options("grpc://127.0.0.1:1")
    assert caught.value.code is REMOTE_HOST_GONE


# the client's side


class Client:
    """A client whose server forgets its session when the test says so."""

    def __init__(self) -> None:
        self.now = 0.0
        self.is_due = False
        self.number = 1
        self.session = 0
        self.alive = False
        self.events: list[str] = []
        self.streaming = False
        self.refused: SqeError | None = None
        self.upkeep = Upkeep(self, self.log_in, self.renew, lambda: self.streaming, clock=lambda: self.now)

    def due(self) -> bool:
        return self.is_due

    def token(self) -> Secret:
        if self.refused is not None:
            raise self.refused
        if self.is_due:
            self.number, self.is_due = self.number + 1, False
        return Secret(f"token {self.number}")

    def log_in(self, token: Secret) -> None:
        self.session, self.alive = self.session + 1, True
        self.events.append(f"log in with {token.reveal()}")

    def renew(self, token: Secret) -> None:
        self.events.append(f"show {token.reveal()}")
        if not self.alive:
            raise ended()

    def run(self, sql: str) -> int:
        """The session it ran in."""
        with self.upkeep.statement(sql):
            self.events.append(sql)
            if not self.alive:
                raise ended()
            return self.session


def ended() -> SqeError:
    return SqeError(AUTHENTICATION_FAILED, "The session has ended: its token has expired", hint="log in again")


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setattr(upkeep, "LOOK_SECONDS", 0.01)
    client = Client()
    client.events.clear()
    yield client
    client.upkeep.close()


def test_a_session_in_use_costs_nothing_more(client: Client) -> None:
    for _ in range(3):
        client.now += 50
        assert client.run("SELECT 1") == 1
    assert client.events == ["SELECT 1"] * 3


def test_a_token_that_is_due_is_shown_before_the_statement(client: Client) -> None:
    client.is_due = True
    assert client.run("SELECT 1") == 1
    assert client.events == ["show token 2", "SELECT 1"]


def test_a_token_is_renewed_under_a_running_statement(client: Client) -> None:
    with client.upkeep.statement("SELECT slow"):
        client.is_due = True
        eventually(lambda: "show token 2" in client.events)
    client.streaming, client.is_due = True, True
    eventually(lambda: "show token 3" in client.events)


def test_an_idle_session_is_left_to_the_server(client: Client) -> None:
    client.is_due = True
    client.upkeep.look()
    assert client.events == []


def test_after_a_night_a_new_session_is_opened_before_the_statement_is_sent_once(client: Client) -> None:
    client.run("SELECT 1")
    client.now, client.is_due, client.alive = client.now + 8 * 3600, True, False
    client.events.clear()
    assert client.run("SELECT 2") == 2
    assert client.events == ["show token 2", "log in with token 2", "SELECT 2"]


def test_a_session_that_had_a_state_is_not_replaced_in_silence(client: Client) -> None:
    client.run("USE lake.test")
    client.now, client.alive = client.now + 3600, False
    with pytest.raises(SqeError, match="a new one was opened") as caught:
        client.run("DELETE FROM t")
    assert caught.value.hint == "run the statement again"
    assert "DELETE FROM t" not in client.events
    assert client.run("DELETE FROM t") == 2
    assert client.events.count("DELETE FROM t") == 1


def test_looking_for_names_does_not_hide_that_the_state_is_gone(client: Client) -> None:
    client.run("SET x = 1")
    client.now, client.alive = client.now + 3600, False
    with client.upkeep.call():
        pass
    with pytest.raises(SqeError, match="a new one was opened"):
        client.run("SELECT 1")


def test_a_statement_that_ran_when_the_session_ended_is_not_repeated(client: Client) -> None:
    client.alive = False
    with pytest.raises(SqeError, match="The session has ended"):
        client.run("INSERT INTO t VALUES (1)")
    assert client.events == ["INSERT INTO t VALUES (1)"]
    assert client.run("SELECT 1") == 2


def test_logging_in_again_is_tried_once_and_its_failure_told(client: Client) -> None:
    client.now, client.alive = client.now + 3600, False
    client.refused = SqeError(AUTHENTICATION_FAILED, "Your log-in has expired", hint="log in again with sqe login")
    with pytest.raises(SqeError, match="sqe login"):
        client.run("SELECT 1")
    assert client.events == []
    client.refused = None
    assert client.run("SELECT 1") == 2


@pytest.mark.parametrize(
    ("sql", "leaves"),
    [
        ("SELECT 1", False),
        (" -- a remark\n /* USE x */ (SELECT 1)", False),
        ("with x AS (SELECT 1) SELECT * FROM x", False),
        ("INSERT INTO t VALUES (1)", False),
        ("USE lake.x", True),
        ("SET a = 1", True),
        ("CREATE TEMPORARY VIEW v AS SELECT 1", True),
        ("/* SELECT */ USE x", True),
        ("", True),
        ("/* never closed", True),
    ],
)
def test_what_a_statement_leaves_in_its_session(sql: str, leaves: bool) -> None:
    assert leaves_state(sql) is leaves
