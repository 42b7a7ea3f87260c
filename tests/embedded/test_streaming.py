"""Rows leave in order, early and whole; readers that are slow, stopped or gone disturb nobody."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from waiting import eventually

from sqe.engine.driver import Driver, DriverHealth
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.events import State
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions

Sql = Callable[[str], pa.Table]


def health(driver: Driver) -> DriverHealth:
    found = driver.health()
    assert found is not None
    return found


@pytest.fixture(autouse=True)
def nothing_left(driver: Driver) -> Iterator[None]:
    """Whatever a test does to its readers, the driver is idle afterwards."""
    yield
    eventually(lambda: health(driver).executions == 0 and health(driver).active_jobs == 0)


def test_order_is_kept_over_many_partitions(sql: Sql) -> None:
    ids = sql("SELECT id FROM range(0, 100000, 1, 60)").column("id").combine_chunks()
    assert ids.equals(pa.array(range(100_000), pa.int64()))
    backwards = sql("SELECT id FROM range(0, 50000, 1, 10) ORDER BY id DESC").column("id").combine_chunks()
    assert backwards.equals(pa.array(range(49_999, -1, -1), pa.int64()))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT id, CAST(id AS STRING) AS name FROM range(10) WHERE false",
        "SELECT id, CAST(id AS STRING) AS name FROM range(0, 100, 1, 7) WHERE id < 0",
        "SELECT id, CAST(id AS STRING) AS name FROM range(10) LIMIT 0",
        "SELECT id, name FROM (VALUES (1L, 'a')) t(id, name) WHERE id > 1",
        "SELECT id, max(name) AS name FROM (SELECT id, 'a' AS name FROM range(5) WHERE id > 9) GROUP BY id",
    ],
)
def test_a_result_without_rows_has_its_columns(sql: Sql, text: str) -> None:
    result = sql(text)
    assert result.num_rows == 0
    assert result.schema.names == ["id", "name"]
    assert [result.schema.field(name).type for name in ("id", "name")] == [pa.int64(), pa.string()]


def test_an_empty_table_has_its_columns(sql: Sql) -> None:
    sql("CREATE TABLE nothing (id BIGINT, at TIMESTAMP)")
    assert sql("SELECT * FROM nothing").schema.types == [pa.int64(), pa.timestamp("us", "UTC")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT id FROM range(0, 1000, 1, 8) LIMIT 3", [0, 1, 2]),
        ("SELECT id FROM range(0, 1000, 1, 8) LIMIT 3 OFFSET 500", [500, 501, 502]),
        ("SELECT id FROM range(0, 1000, 1, 8) OFFSET 998", [998, 999]),
        ("SELECT id FROM range(0, 1000, 1, 8) ORDER BY id DESC LIMIT 2 OFFSET 1", [998, 997]),
        ("SELECT id FROM range(0, 30000, 1, 4) LIMIT 20000", list(range(20000))),
        ("SELECT id FROM range(0, 30000, 1, 4) ORDER BY id LIMIT 20000 OFFSET 5", list(range(5, 20005))),
        ("SELECT id FROM range(5) LIMIT ALL", [0, 1, 2, 3, 4]),
    ],
)
def test_limit_and_offset(sql: Sql, text: str, expected: list[int]) -> None:
    assert sql(text).column("id").to_pylist() == expected


def test_single_values_of_several_megabytes(sql: Sql) -> None:
    texts = sql("SELECT id, repeat(CAST(id AS STRING), 8000000) AS text FROM range(3)")
    assert pc.utf8_length(texts.column("text")).to_pylist() == [8_000_000] * 3
    assert [text[-1] for text in texts.column("text").to_pylist()] == ["0", "1", "2"]
    lists = sql("SELECT sequence(0, 1000000) AS items FROM range(2)")
    assert pc.list_value_length(lists.column("items")).to_pylist() == [1_000_001] * 2
    assert len(sql("SELECT repeat('x', 5000000) AS text").column("text")[0].as_py()) == 5_000_000


def test_rows_come_in_more_than_one_batch_and_the_first_is_small(handler: QueryHandler, session: Session) -> None:
    with handler.submit(session, "SELECT id FROM range(0, 200000, 1, 1)", door="test") as query:
        sizes = [batch.num_rows for batch in query.batches()]
    assert sum(sizes) == 200_000
    assert sizes[0] <= 2048 < max(sizes)


# 70 MB in one wave of tasks; the driver keeps 32 MB of a result in memory.
LARGE = "SELECT id, sha2(CAST(id AS STRING), 512) AS text FROM range(0, 500000, 1, 4)"


def test_a_result_larger_than_memory_waits_on_disk_for_a_stalled_reader(
    handler: QueryHandler, session: Session, driver: Driver
) -> None:
    with handler.submit(session, LARGE, door="test") as query:
        batches = query.batches()
        taken = [next(batches)]
        # The reader stands still until Spark has nothing more to do for it.
        eventually(lambda: health(driver).active_jobs == 0, 60)
        taken += batches
    result = pa.Table.from_batches(taken)
    assert result.column("id").combine_chunks().equals(pa.array(range(500_000), pa.int64()))
    assert pc.all(pc.equal(pc.utf8_length(result.column("text")), 128)).as_py()
    assert query.state is State.FINISHED


def test_stalled_readers_do_not_stop_other_sessions(handler: QueryHandler, sessions: Sessions, sql: Sql) -> None:
    stalled = [sessions.open(Identity(f"stalled{number}")) for number in range(4)]
    queries = [handler.submit(session, LARGE, door="test") for session in stalled]
    readers = [query.batches() for query in queries]
    for reader in readers:
        next(reader)
    assert sql("SELECT count(*) AS n, sum(id) AS s FROM range(0, 100000, 1, 4)").to_pylist() == [
        {"n": 100_000, "s": 4_999_950_000}
    ]
    for query in queries:
        query.close()
    for session in stalled:
        sessions.close(session)


def test_two_readers_at_once_each_get_their_own_rows(handler: QueryHandler, sessions: Sessions) -> None:
    found: dict[int, pa.Table] = {}

    def read(offset: int) -> None:
        session = sessions.open(Identity(f"reader{offset}"))
        with handler.submit(session, f"SELECT id FROM range({offset}, {offset + 100_000}, 1, 6)", door="test") as query:
            found[offset] = query.read_all()
        sessions.close(session)

    threads = [threading.Thread(target=read, args=(offset,)) for offset in (0, 1_000_000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for offset, table in found.items():
        assert table.column("id").combine_chunks().equals(pa.array(range(offset, offset + 100_000), pa.int64()))


# Nobody will see the end of this one.
ENDLESS = "SELECT a.id + b.id AS n FROM range(0, 1000000, 1, 4) a CROSS JOIN range(1000000) b"


def test_a_client_that_goes_away_ends_the_job(handler: QueryHandler, session: Session, driver: Driver) -> None:
    query = handler.submit(session, ENDLESS, door="test")
    batches = query.batches()
    next(batches)
    assert health(driver).active_jobs > 0
    batches.close()  # what Python does with a generator that nobody reads any more
    assert query.state is State.CANCELED
    eventually(lambda: health(driver).active_jobs == 0)


def test_a_result_that_nobody_begins_to_read_is_given_up_by_close(
    handler: QueryHandler, session: Session, driver: Driver
) -> None:
    query = handler.submit(session, ENDLESS, door="test")
    assert health(driver).executions == 1
    query.close()
    query.close()
    assert query.state is State.CANCELED
    assert health(driver).executions == 0


def test_an_error_in_the_middle_is_never_a_short_result(handler: QueryHandler, session: Session) -> None:
    with handler.submit(session, "SELECT id, 1 / (id - 150000) AS q FROM range(0, 200000, 1, 4)", door="test") as query:
        rows = 0
        with pytest.raises(SqeError, match="DIVISION_BY_ZERO"):  # noqa: PT012 - the rows before it may come
            for batch in query.batches():
                rows += batch.num_rows
    assert rows < 200_000
    assert query.state is State.FAILED


def test_rows_can_be_taken_once(handler: QueryHandler, session: Session) -> None:
    for text in ("SELECT 1 AS n", "SELECT id FROM range(3)"):
        with handler.submit(session, text, door="test") as query:
            assert query.read_all().num_rows > 0
            with pytest.raises(SqeError, match="taken already"):
                query.read_all()
        assert query.state is State.FINISHED


def test_a_result_without_columns_ends_at_once(handler: QueryHandler, session: Session) -> None:
    with handler.submit(session, "SELECT * EXCEPT (id) FROM range(3)", door="test") as query:
        assert query.read_all().num_columns == 0
