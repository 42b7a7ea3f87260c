"""Sessions: each its own place, settings and temporary things; all see each other's commits; closed ones leave nothing."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pyarrow as pa
import pytest
from waiting import eventually

from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.events import State
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import SessionLimits, Sessions


class Person:
    """One person's session."""

    def __init__(self, handler: QueryHandler, session: Session) -> None:
        self.handler, self.session = handler, session

    def __call__(self, text: str) -> list[dict[str, object]]:
        with self.handler.submit(self.session, text, door="test") as query:
            rows: list[dict[str, object]] = query.read_all().to_pylist()
            return rows

    def code(self, text: str) -> str:
        with pytest.raises(SqeError) as failure:
            self(text)
        return failure.value.code.name


@pytest.fixture
def people(handler: QueryHandler, sessions: Sessions) -> Iterator[tuple[Person, Person]]:
    alice, bob = sessions.open(Identity("alice")), sessions.open(Identity("bob"))
    yield Person(handler, alice), Person(handler, bob)
    sessions.close(alice)
    sessions.close(bob)


def test_each_session_is_its_users(people: tuple[Person, Person]) -> None:
    for person, name in zip(people, ("alice", "bob"), strict=True):
        assert person("SELECT current_user() AS me, session_user() AS s, user() AS u") == [{"me": name, "s": name, "u": name}]
        assert person("SELECT DISTINCT current_user() AS me FROM range(3)") == [{"me": name}]


def test_temporary_things_are_ones_own(people: tuple[Person, Person]) -> None:
    alice, bob = people
    alice("CREATE TEMPORARY VIEW mine AS SELECT 1 AS n")
    alice("DECLARE VARIABLE counter INT DEFAULT 5")
    assert alice("SELECT n, counter FROM mine") == [{"n": 1, "counter": 5}]
    assert bob.code("SELECT * FROM mine") == "TABLE_NOT_FOUND"
    assert bob.code("SELECT counter") == "COLUMN_NOT_FOUND"
    bob("CREATE TEMPORARY VIEW mine AS SELECT 2 AS n")
    assert alice("SELECT n FROM mine") == [{"n": 1}]
    assert "mine" not in [row["tableName"] for row in bob("SHOW TABLES") if not row["isTemporary"]]


def test_the_place_is_ones_own(people: tuple[Person, Person]) -> None:
    alice, bob = people
    alice("CREATE SCHEMA IF NOT EXISTS workshop")
    alice("USE workshop")
    alice("CREATE TABLE tools AS SELECT 'saw' AS name")
    here = "SELECT current_catalog() AS c, current_schema() AS s"
    assert alice(here) == [{"c": "lake", "s": "workshop"}]
    assert bob(here) == [{"c": "lake", "s": "default"}]
    assert bob.code("SELECT * FROM tools") == "TABLE_NOT_FOUND"
    assert bob("SELECT * FROM workshop.tools") == [{"name": "saw"}]
    assert bob.code("USE nowhere") == "SCHEMA_NOT_FOUND"
    assert bob.code("USE nowhere.else") == "SCHEMA_NOT_FOUND"
    assert bob(here) == [{"c": "lake", "s": "default"}]


def test_settings_are_ones_own_and_reset_gives_the_defaults_back(people: tuple[Person, Person]) -> None:
    alice, bob = people
    zone = "SELECT current_timezone() AS zone, CAST(TIMESTAMP'2026-07-01 00:00:00Z' AS STRING) AS text"
    alice("SET time_zone = 'Asia/Tokyo'")
    alice("SET shuffle_partitions = 7")
    assert alice(zone) == [{"zone": "Asia/Tokyo", "text": "2026-07-01 09:00:00"}]
    assert bob(zone) == [{"zone": "UTC", "text": "2026-07-01 00:00:00"}]
    assert [(row["name"], row["value"]) for row in alice("SET shuffle_partitions")] == [("shuffle_partitions", "7")]
    assert alice.code("SET time_zone = 'Nowhere/City'") == "INVALID_SESSION_PROPERTY"
    assert alice(zone)[0]["zone"] == "Asia/Tokyo"
    alice("RESET shuffle_partitions")
    assert alice("SET shuffle_partitions")[0]["value"] == "4"
    alice("RESET")
    assert alice(zone) == bob(zone)
    assert all(row["value"] == row["default"] for row in alice("SHOW SESSION"))


def test_commits_are_seen_by_others_at_once(people: tuple[Person, Person]) -> None:
    alice, bob = people
    alice("CREATE TABLE board (n INT)")
    for number in range(3):
        alice(f"INSERT INTO board VALUES ({number})")
        assert bob("SELECT count(*) AS n FROM board") == [{"n": number + 1}]
    bob("UPDATE board SET n = n + 10")
    assert alice("SELECT sum(n) AS s FROM board") == [{"s": 33}]
    bob("ALTER TABLE board ADD COLUMN note STRING")
    assert alice("SELECT note FROM board WHERE n = 10") == [{"note": None}]
    alice("CREATE OR REPLACE VIEW shown AS SELECT max(n) AS m FROM board")
    assert bob("SELECT * FROM shown") == [{"m": 12}]
    bob("DROP TABLE board")
    assert alice.code("SELECT * FROM board") == "TABLE_NOT_FOUND"


def test_closed_sessions_leave_nothing_in_the_driver(handler: QueryHandler, sessions: Sessions, driver: Driver) -> None:
    def open_in_driver() -> int:
        health = driver.health()
        assert health is not None
        return health.sessions

    before, known = open_in_driver(), len(sessions)
    for _ in range(30):
        session = sessions.open(Identity("visitor"))
        handler.submit(session, "CREATE TEMPORARY VIEW v AS SELECT 1 AS n", door="test").close()
        assert open_in_driver() == before + 1
        sessions.close(session)
        sessions.close(session)
    assert (open_in_driver(), len(sessions)) == (before, known)


def test_many_sessions_open_and_close_at_once(handler: QueryHandler, sessions: Sessions, driver: Driver) -> None:
    answers: list[object] = []

    def visit(number: int) -> None:
        session = sessions.open(Identity(f"visitor{number}"))
        person = Person(handler, session)
        answers.append(person("SELECT current_user() AS me")[0]["me"])
        sessions.close(session)

    threads = [threading.Thread(target=visit, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, answers)) == sorted(f"visitor{number}" for number in range(16))


def test_a_session_that_never_ran_a_statement_costs_the_driver_nothing(sessions: Sessions, driver: Driver) -> None:
    before = driver.health()
    session = sessions.open(Identity("idle"))
    after = driver.health()
    assert before is not None
    assert after is not None
    assert after.sessions == before.sessions
    sessions.close(session)


def test_a_closed_session_ends_its_statements_and_takes_no_more(
    handler: QueryHandler, sessions: Sessions, driver: Driver
) -> None:
    session = sessions.open(Identity("leaver"))
    query = handler.submit(session, "SELECT a.id FROM range(1000000) a CROSS JOIN range(1000000) b", door="test")
    batches = query.batches()
    next(batches)
    sessions.close(session)
    eventually(lambda: query.state.ended)
    assert query.state is State.CANCELED
    with pytest.raises(SqeError) as failure:
        list(batches)
    assert failure.value.message == "The session was closed"
    with pytest.raises(SqeError, match="AUTHENTICATION_FAILED"):
        handler.submit(session, "SELECT 1", door="test")


def test_a_token_is_handed_out_once_and_opens_its_session_only(sessions: Sessions) -> None:
    session = sessions.open(Identity("holder"))
    token = sessions.token_of(session)
    assert sessions.by_token(token) is session
    for wrong in ("", "x", token[:-1], token + "x", "\ud800"):
        with pytest.raises(SqeError, match="Authentication failed"):
            sessions.by_token(wrong)
    sessions.close(session)
    with pytest.raises(SqeError, match="Authentication failed"):
        sessions.by_token(token)


@pytest.mark.parametrize("limits", [SessionLimits(idle_seconds=0.0), SessionLimits(max_age_seconds=0.0)])
def test_sessions_expire(driver: Driver, limits: SessionLimits) -> None:
    sessions = Sessions(driver, {}, "lake", limits)
    session = sessions.open(Identity("old"))
    token = sessions.token_of(session)
    with pytest.raises(SqeError, match="Authentication failed"):
        sessions.by_token(token)
    assert sessions.expire() == 1
    assert (len(sessions), session.closed) == (0, True)


def test_a_session_with_a_running_statement_is_not_idle(driver: Driver, handler: QueryHandler, sessions: Sessions) -> None:
    strict = Sessions(driver, sessions._catalogs, "lake", SessionLimits(idle_seconds=0.0))
    session = strict.open(Identity("busy"))
    with handler.submit(session, "SELECT id FROM range(3)", door="test") as query:
        assert strict.expire() == 0
        assert query.read_all().num_rows == 3
    assert strict.expire() == 1


def test_there_is_a_limit_to_sessions(driver: Driver) -> None:
    sessions = Sessions(driver, {}, "lake", SessionLimits(max_sessions=2))
    first = sessions.open(Identity("a"))
    sessions.open(Identity("b"))
    with pytest.raises(SqeError, match="limit of 2 sessions"):
        sessions.open(Identity("c"))
    sessions.close(first)
    sessions.open(Identity("c"))


def test_catalogs_of_one_session_are_not_those_of_another(handler: QueryHandler, sessions: Sessions, tmp_path: object) -> None:
    private = sessions.open(
        Identity("owner"), catalogs={"own": {"type": "sqlite", "path": f"{tmp_path}/own"}}, default_catalog="own"
    )
    owner, other = Person(handler, private), Person(handler, sessions.open(Identity("other")))
    owner("CREATE TABLE secret AS SELECT 1 AS n")
    assert owner("SHOW CATALOGS") == [{"catalog": "own"}]
    assert other("SHOW CATALOGS") == [{"catalog": "lake"}]
    assert other.code("SELECT * FROM own.default.secret") == "TABLE_NOT_FOUND"
    assert other.code("USE own.default") == "SCHEMA_NOT_FOUND"
    assert other.code("SET CATALOG own") == "CATALOG_NOT_FOUND"
    assert owner("SELECT * FROM own.default.secret") == [{"n": 1}]
    assert [entry.name for entry in handler.tables(private)] == ["secret"]
    assert handler.tables(other.session, catalog="own") == []
    sessions.close(private)
    sessions.close(other.session)


def test_names_for_metadata_calls_follow_like_patterns(handler: QueryHandler, people: tuple[Person, Person]) -> None:
    alice, _ = people
    alice("CREATE SCHEMA shop")
    alice("CREATE TABLE shop.orders (id INT, at TIMESTAMP)")
    alice("CREATE TABLE shop.order_lines (id INT)")
    alice("CREATE VIEW shop.recent AS SELECT 1 AS n")
    session = alice.session
    assert handler.catalogs(session) == ["lake"]
    assert ("lake", "shop") in handler.schemas(session)
    assert handler.schemas(session, "lake", "sh%") == [("lake", "shop")]
    assert handler.schemas(session, "missing") == []
    assert [entry.name for entry in handler.tables(session, "lake", "shop")] == ["order_lines", "orders", "recent"]
    assert [entry.name for entry in handler.tables(session, "lake", "shop", "order_")] == ["orders"]
    assert [entry.name for entry in handler.tables(session, "lake", "shop", "order\\_%")] == ["order_lines"]
    assert [entry.type for entry in handler.tables(session, "lake", "shop", types=["VIEW"])] == ["VIEW"]
    (orders,) = handler.tables(session, "lake", "shop", "orders", with_schema=True)
    assert orders.arrow_schema == pa.schema([("id", pa.int32()), ("at", pa.timestamp("us", "UTC"))])
