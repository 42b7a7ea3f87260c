"""Every way a statement is stopped: by its owner, by KILL QUERY, by limits, by a reader that leaves. Nothing stays behind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from waiting import eventually

from sqe import errors
from sqe.engine.driver import Driver
from sqe.engine.process import LaunchOptions
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.events import QueryEvent, State
from sqe.query.handler import QueryHandler, QueryLimits
from sqe.query.running import Query
from sqe.session import Session
from sqe.sessions import Sessions

ENDLESS = "SELECT count(*) FROM range(1000000000000) a WHERE hash(a.id) = 3 AND hash(a.id + 1) = 4"
ENDLESS_ROWS = "SELECT id, concat('row ', id) AS text FROM range(100000000000)"
MANY_PARTITIONS = "SELECT id, concat('row ', id) AS text FROM range(0, 400000000, 1, 2000)"
# Hundreds of joined relations are minutes of planning and no row.
SLOW_PLAN = "SELECT 1 FROM " + " CROSS JOIN ".join(f"(SELECT {i} AS c{i} FROM range(2)) t{i}" for i in range(400)) + " LIMIT 1"


class Statement(threading.Thread):
    """A statement that runs in a thread of its own until something stops it."""

    def __init__(self, handler: QueryHandler, session: Session, sql: str) -> None:
        super().__init__(daemon=True)
        self.handler, self.session, self.sql = handler, session, sql
        self.error: SqeError | None = None
        self.start()

    def run(self) -> None:
        try:
            with self.handler.submit(self.session, self.sql, door="test") as query:
                query.read_all()
        except SqeError as error:
            self.error = error

    def ended(self) -> SqeError | None:
        self.join(30)
        assert not self.is_alive(), "the statement was not stopped"
        return self.error


def running(handler: QueryHandler, session: Session) -> QueryEvent | None:
    return next((event for event in handler.queries() if event.session_id == session.id and not event.state.ended), None)


def the_running(handler: QueryHandler, session: Session, state: State) -> str:
    found: list[str] = []

    def look() -> bool:
        event = running(handler, session)
        if event is not None and event.state is state:
            found.append(event.query_id)
        return bool(found)

    eventually(look)
    return found[0]


def nothing_left(driver: Driver) -> bool:
    health = driver.health()
    return health is not None and health.executions == 0


def test_a_running_statement_is_cancelled_from_another_thread(handler: QueryHandler, session: Session, driver: Driver) -> None:
    statement = Statement(handler, session, ENDLESS)
    query_id = the_running(handler, session, State.RUNNING)
    assert handler.cancel(session, query_id)
    error = statement.ended()
    assert error is not None
    assert error.code is errors.USER_CANCELED
    assert not handler.cancel(session, query_id)
    eventually(lambda: nothing_left(driver))


def test_a_statement_is_cancelled_while_it_is_planned(handler: QueryHandler, session: Session, driver: Driver) -> None:
    statement = Statement(handler, session, SLOW_PLAN)
    query_id = the_running(handler, session, State.PLANNING)
    handler.cancel(session, query_id)
    error = statement.ended()
    assert error is not None
    assert error.code is errors.USER_CANCELED
    eventually(lambda: nothing_left(driver))


def test_kill_query_stops_ones_own_statement_and_others_are_invisible(
    handler: QueryHandler, session: Session, sessions: Sessions
) -> None:
    second, stranger, admin = (
        sessions.open(Identity("tester")),
        sessions.open(Identity("stranger")),
        sessions.open(Identity("boss", roles=frozenset({"admin"}))),
    )
    for killer in (second, admin):
        statement = Statement(handler, session, ENDLESS)
        query_id = the_running(handler, session, State.RUNNING)
        with pytest.raises(SqeError, match=f"Query {query_id} does not exist") as refused:
            handler.submit(stranger, f"KILL QUERY '{query_id}'", door="test")
        assert refused.value.code is errors.NOT_FOUND
        handler.submit(killer, f"KILL QUERY '{query_id}'", door="test").close()
        error = statement.ended()
        assert error is not None
        assert error.code is errors.USER_CANCELED


def test_a_reader_that_leaves_cancels_the_job(handler: QueryHandler, session: Session, driver: Driver) -> None:
    query = handler.submit(session, ENDLESS_ROWS, door="test")
    batches = query.batches()
    assert next(batches).num_rows > 0
    batches.close()  # type: ignore[attr-defined]
    assert query.state is State.CANCELED
    eventually(lambda: nothing_left(driver))


def test_a_reader_that_stalls_stops_spark_but_nobody_else(
    handler: QueryHandler, session: Session, sessions: Sessions, driver: Driver
) -> None:
    queries = [handler.submit(session, MANY_PARTITIONS, door="test") for _ in range(3)]
    readers = [query.batches() for query in queries]
    for reader in readers:
        next(reader)
    other = sessions.open(Identity("other"))
    with handler.submit(other, "SELECT sum(id) AS s FROM range(1000)", door="test") as query:
        assert query.read_all().to_pylist() == [{"s": 499500}]
    for reader in readers:
        reader.close()  # type: ignore[attr-defined]
    eventually(lambda: nothing_left(driver))


# The second partition is full long before the first has a row.
SKEWED = """SELECT id, repeat('x', 200) AS text FROM range(0, 400000, 1, 2)
WHERE id >= 200000 OR (id >= 100000 AND length(sha2(repeat(CAST(id AS STRING), 2000), 512)) > 0)"""


@pytest.fixture
def cramped(tmp_path: Path) -> Iterator[tuple[QueryHandler, Sessions]]:
    """A driver that holds a few MB for a reader and waits for it half a second."""
    limits = {"spark.sqe.stream.memory": "1m", "spark.sqe.stream.disk": "4m", "spark.sqe.stream.stall": "500ms"}
    driver = Driver(LaunchOptions(memory="1g", spark=limits))
    driver.start()
    handler = QueryHandler(driver)
    yield handler, Sessions(driver, {"lake": {"type": "sqlite", "path": str(tmp_path)}}, "lake")
    handler.close()
    driver.stop()


def test_a_reader_that_holds_slots_and_does_not_come_back_loses_its_statement(cramped: tuple[QueryHandler, Sessions]) -> None:
    """An endless partition's task waits in a slot when memory and disk are full. A reader that waits itself is no such one."""
    handler, sessions = cramped
    with handler.submit(sessions.open(Identity("patient")), SKEWED, door="test") as query:
        assert query.read_all()["id"].to_pylist() == list(range(100_000, 400_000))
    reader = handler.submit(sessions.open(Identity("slow")), ENDLESS_ROWS, door="test").batches()
    next(reader)
    with handler.submit(sessions.open(Identity("other")), "SELECT sum(id) AS s FROM range(10)", door="test") as query:
        assert query.read_all().to_pylist() == [{"s": 45}]
    with pytest.raises(SqeError, match="Nobody reads the rows") as lost:
        for _ in reader:
            pass
    assert lost.value.code is errors.ABANDONED_QUERY


@pytest.fixture
def limited(driver: Driver) -> Iterator[QueryHandler]:
    handler = QueryHandler(
        driver, QueryLimits(timeout_seconds=1.0, max_result_rows=1000, max_concurrent=1, max_queued=1, abandoned_seconds=0.5)
    )
    yield handler
    handler.close()


def code_of(handler: QueryHandler, session: Session, sql: str) -> errors.ErrorCode:
    with pytest.raises(SqeError) as stopped, handler.submit(session, sql, door="test") as query:
        query.read_all()
    return stopped.value.code


def test_limits_have_their_codes(limited: QueryHandler, handler: QueryHandler, session: Session, driver: Driver) -> None:
    assert code_of(limited, session, ENDLESS) is errors.EXCEEDED_TIME_LIMIT
    assert code_of(limited, session, "SELECT * FROM range(1001)") is errors.EXCEEDED_RESULT_ROW_LIMIT
    with limited.submit(session, "SELECT * FROM range(1000)", door="test") as query:
        assert query.read_all().num_rows == 1000
    handler.submit(session, "SET query_timeout_seconds = 1", door="test").close()
    assert code_of(handler, session, ENDLESS) is errors.EXCEEDED_TIME_LIMIT
    handler.submit(session, "RESET query_timeout_seconds", door="test").close()
    handler.submit(session, "SET max_result_rows = 5", door="test").close()
    assert code_of(handler, session, "SELECT * FROM range(6)") is errors.EXCEEDED_RESULT_ROW_LIMIT
    eventually(lambda: nothing_left(driver))


def test_a_full_queue_says_so_and_a_free_slot_goes_to_the_next(limited: QueryHandler, session: Session) -> None:
    first = Statement(limited, session, ENDLESS)
    the_running(limited, session, State.RUNNING)
    second = Statement(limited, session, "SELECT 1")
    eventually(lambda: sum(not event.state.ended for event in limited.queries()) == 2)
    assert code_of(limited, session, "SELECT 2") is errors.QUERY_QUEUE_FULL
    assert first.ended() is not None  # by its time limit
    assert second.ended() is None or second.error.code is errors.EXCEEDED_TIME_LIMIT  # type: ignore[union-attr]


def test_rows_that_nobody_comes_for_are_given_up(limited: QueryHandler, session: Session) -> None:
    query: Query = limited.submit(session, "SELECT * FROM range(100)", door="test")
    eventually(lambda: query.state.ended)
    assert query.error is not None
    assert query.error.code is errors.ABANDONED_QUERY


def test_observers_see_each_state_once_and_one_that_fails_does_not_matter(driver: Driver, session: Session) -> None:
    handler = QueryHandler(driver)
    seen: list[tuple[State, str]] = []

    def fail(_: QueryEvent) -> None:
        raise RuntimeError("an observer's defect")

    handler.events.subscribe(fail)
    handler.events.subscribe(lambda event: seen.append((event.state, event.statement)))
    with handler.submit(session, "SELECT * FROM range(3)", door="test") as query:
        query.read_all()
    with pytest.raises(SqeError):
        handler.submit(session, "SELECT 1 / 0", door="test")
    handler.close()
    assert [state.value for state, _ in seen] == [
        *("QUEUED", "PLANNING", "RUNNING", "FINISHED"),
        *("QUEUED", "PLANNING", "FAILED"),
    ]
    assert {statement for state, statement in seen if state.ended} == {"query"}


def test_what_needs_no_job_starts_none(handler: QueryHandler, session: Session, driver: Driver) -> None:
    def jobs() -> int:
        health = driver.health()
        assert health is not None
        return health.jobs

    handler.submit(session, "CREATE TABLE IF NOT EXISTS jobless (id INT, name STRING)", door="test").close()
    before = jobs()
    for statement in (
        "SELECT 1",
        "SELECT upper('x') AS u, 1 + 1 AS two, current_user() AS me",
        "SELECT * FROM VALUES (1, 'a'), (2, 'b') AS t(id, name) WHERE id > 1",
        "SHOW TABLES",
        "SHOW SCHEMAS",
        "SHOW CATALOGS",
        "SHOW CREATE TABLE jobless",
        "SHOW COLUMNS IN jobless",
        "DESCRIBE jobless",
        "EXPLAIN SELECT * FROM jobless",
        "SHOW SESSION",
        "SET time_zone = 'UTC'",
        "USE lake.default",
    ):
        with handler.submit(session, statement, door="test") as query:
            query.read_all()
    handler.tables(session, with_schema=True)
    handler.prepare(session, "SELECT * FROM jobless WHERE id = ?")
    assert jobs() == before
