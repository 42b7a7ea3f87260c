"""Stopping a statement at the moments between its states, and what observers see of it. Each end is told exactly once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from waiting import eventually

from sqe import errors
from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.events import QueryEvent, State
from sqe.query.handler import QueryHandler, QueryLimits
from sqe.session import Session
from sqe.sessions import Sessions

ENDLESS = "SELECT count(*) FROM range(1000000000000) WHERE hash(id) = 3 AND hash(id + 1) = 4"
ENDLESS_ROWS = "SELECT id FROM range(0, 1000000000, 1, 10000)"


class Watched:
    """A handler of its own whose events are kept, as (state, statement class, error code), by query."""

    def __init__(self, driver: Driver, limits: QueryLimits) -> None:
        self.handler = QueryHandler(driver, limits)
        self.events: dict[str, list[QueryEvent]] = {}
        self.handler.events.subscribe(lambda event: self.events.setdefault(event.query_id, []).append(event))

    def states(self, query_id: str) -> list[str]:
        return [event.state.value for event in self.events[query_id]]

    def query_in(self, state: State) -> str | None:
        return next((event.query_id for event in self.handler.queries() if event.state is state), None)

    def in_thread(self, run: Callable[[], object]) -> Outcome:
        return Outcome(run)


class Outcome(threading.Thread):
    def __init__(self, run: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self._work = run
        self._error: SqeError | None = None
        self.start()

    def run(self) -> None:
        try:
            self._work()
        except SqeError as error:
            self._error = error

    def code(self) -> str | None:
        self.join(30)
        assert not self.is_alive()
        return self._error.code.name if self._error else None


@pytest.fixture
def one_at_a_time(driver: Driver) -> Iterator[Watched]:
    watched = Watched(driver, QueryLimits(max_concurrent=1, max_queued=2))
    yield watched
    watched.handler.close()
    eventually(lambda: (health := driver.health()) is not None and health.executions == 0 and health.active_jobs == 0)


def test_a_waiting_statement_can_be_cancelled_and_its_place_is_free_again(one_at_a_time: Watched, session: Session) -> None:
    handler = one_at_a_time.handler
    running = handler.submit(session, ENDLESS_ROWS, door="test")
    waiting = [one_at_a_time.in_thread(lambda: handler.submit(session, "SELECT 1", door="test").close()) for _ in range(2)]
    eventually(lambda: sum(event.state is State.QUEUED for event in handler.queries()) == 2)
    with pytest.raises(SqeError) as full:
        handler.submit(session, "SELECT 2", door="test")
    assert (full.value.code.name, full.value.message) == ("QUERY_QUEUE_FULL", "2 statements are waiting already")
    cancelled = next(event.query_id for event in handler.queries() if event.state is State.QUEUED)
    assert handler.cancel(session, cancelled)
    eventually(lambda: sum(not thread.is_alive() for thread in waiting) == 1)
    running.close()
    assert sorted(str(thread.code()) for thread in waiting) == ["None", "USER_CANCELED"]
    assert one_at_a_time.states(cancelled) == ["QUEUED", "CANCELED"]
    assert [states for states in map(one_at_a_time.states, one_at_a_time.events) if states == ["QUEUED", "FAILED"]] != [], (
        "the refused"
    )
    assert session.running == 0


def test_a_time_limit_counts_the_waiting(one_at_a_time: Watched, sessions: Sessions) -> None:
    handler = one_at_a_time.handler
    first, second = sessions.open(Identity("first")), sessions.open(Identity("second"))
    second.settings["query_timeout_seconds"] = "1"
    running = handler.submit(first, ENDLESS_ROWS, door="test")
    with pytest.raises(SqeError, match="EXCEEDED_TIME_LIMIT"):
        handler.submit(second, "SELECT 1", door="test")
    running.close()
    handler.submit(second, "SELECT 1", door="test").close()
    sessions.close(first)
    sessions.close(second)


def test_a_cancel_stops_a_reader_that_stands_still_at_once(one_at_a_time: Watched, session: Session) -> None:
    query = one_at_a_time.handler.submit(session, ENDLESS_ROWS, door="test")
    batches = query.batches()
    next(batches)
    query.cancel()
    assert query.state is State.CANCELED, "nobody had to read on for that"
    # The slot is free, too.
    one_at_a_time.handler.submit(session, "SELECT 1", door="test").close()
    with pytest.raises(SqeError, match="USER_CANCELED"):
        list(batches)
    assert one_at_a_time.states(query.id) == ["QUEUED", "PLANNING", "RUNNING", "CANCELED"]


def test_a_time_limit_ends_what_is_being_read(driver: Driver, sessions: Sessions) -> None:
    watched = Watched(driver, QueryLimits(timeout_seconds=1))
    session = sessions.open(Identity("slow"))
    query = watched.handler.submit(session, ENDLESS_ROWS, door="test")
    with pytest.raises(SqeError) as failure:
        for _ in query.batches():
            pass
    assert failure.value.code is errors.EXCEEDED_TIME_LIMIT
    assert failure.value.message == "The statement exceeded its time limit of 1 s"
    assert watched.states(query.id) == ["QUEUED", "PLANNING", "RUNNING", "FAILED"]
    watched.handler.close()
    sessions.close(session)


def test_a_statement_cancelled_at_any_moment_ends_once(one_at_a_time: Watched, session: Session, driver: Driver) -> None:
    """From an observer: the moment of each state is hit exactly, also before the engine knows the statement."""
    handler = one_at_a_time.handler
    for moment in (State.QUEUED, State.PLANNING, State.RUNNING):
        for text in ("SELECT id FROM range(3)", "SELECT 1", "CREATE OR REPLACE TABLE odd AS SELECT 1 AS n", "SHOW TABLES"):

            def cancel(event: QueryEvent, moment: State = moment) -> None:
                if event.state is moment and threading.current_thread() is threading.main_thread():
                    assert handler.cancel(session, event.query_id)

            handler.events._observers.append(cancel)
            with pytest.raises(SqeError) as failure, handler.submit(session, text, door="test") as query:
                query.read_all()
            handler.events._observers.remove(cancel)
            assert failure.value.code is errors.USER_CANCELED, (moment, text)
    for query_id in one_at_a_time.events:
        ends = [state for state in one_at_a_time.states(query_id) if state in ("FINISHED", "FAILED", "CANCELED")]
        assert ends == ["CANCELED"]
    with handler.submit(session, "SHOW TABLES LIKE 'odd'", door="test") as query:
        assert query.read_all().num_rows == 0
    assert session.running == 0


def test_cancels_from_many_threads_are_one(one_at_a_time: Watched, session: Session) -> None:
    handler = one_at_a_time.handler
    for _ in range(5):
        statement = one_at_a_time.in_thread(lambda: handler.submit(session, ENDLESS, door="test").read_all())
        eventually(lambda: one_at_a_time.query_in(State.RUNNING) is not None)
        query_id = one_at_a_time.query_in(State.RUNNING)
        assert query_id is not None
        threads = [one_at_a_time.in_thread(lambda query_id=query_id: handler.cancel(session, query_id)) for _ in range(8)]  # type: ignore[misc]
        assert [thread.code() for thread in threads] == [None] * 8
        assert statement.code() == "USER_CANCELED"
        assert one_at_a_time.states(query_id).count("CANCELED") == 1
    # The threads of the driver that were interrupted serve the next statements undisturbed.
    for _ in range(10):
        with handler.submit(session, "SELECT count(*) AS n FROM range(10)", door="test") as query:
            assert query.read_all().to_pylist() == [{"n": 10}]


def test_a_cancelled_write_leaves_the_table_as_it_was(one_at_a_time: Watched, session: Session) -> None:
    handler = one_at_a_time.handler
    handler.submit(session, "CREATE OR REPLACE TABLE kept AS SELECT 1L AS id", door="test").close()
    for text in (
        "INSERT INTO kept SELECT a.id FROM range(10000000) a CROSS JOIN range(1000000) b",
        "UPDATE kept SET id = (SELECT count(*) FROM range(1000000000000) WHERE hash(id) = 3)",
        "CREATE OR REPLACE TABLE kept AS SELECT a.id FROM range(10000000) a CROSS JOIN range(1000000) b",
    ):
        statement = one_at_a_time.in_thread(lambda text=text: handler.submit(session, text, door="test"))  # type: ignore[misc]
        eventually(lambda: (progress := handler.progress(session)) is not None and progress.total_tasks > 0)
        query_id = one_at_a_time.query_in(State.RUNNING)
        assert query_id is not None
        handler.cancel(session, query_id)
        assert statement.code() == "USER_CANCELED", text
        with handler.submit(session, "SELECT * FROM kept", door="test") as query:
            assert query.read_all().to_pylist() == [{"id": 1}], text


def test_the_handlers_end_is_the_end_of_all_statements(driver: Driver, session: Session) -> None:
    watched = Watched(driver, QueryLimits(max_concurrent=1))
    query = watched.handler.submit(session, ENDLESS_ROWS, door="test")
    batches = query.batches()
    next(batches)
    waiting = watched.in_thread(lambda: watched.handler.submit(session, "SELECT 1", door="test"))
    eventually(lambda: watched.query_in(State.QUEUED) is not None)
    watched.handler.close()
    with pytest.raises(SqeError, match="SERVER_SHUTTING_DOWN"):
        list(batches)
    assert waiting.code() == "SERVER_SHUTTING_DOWN"


def test_the_past_is_remembered_without_megabytes_of_text(one_at_a_time: Watched, session: Session) -> None:
    long_text = "SELECT '" + "x" * 100_000 + "' AS text"
    one_at_a_time.handler.submit(session, long_text, door="test").close()
    (event,) = one_at_a_time.handler.queries()
    assert (event.state, event.statement, event.identity.user) == (State.FINISHED, "query", "tester")
    assert len(event.sql) == 10_000
