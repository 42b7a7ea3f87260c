"""A look at one small file needs no Spark job (jvm: SmallScan), and is the same look."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from sqe import errors
from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.session import Session
from tests.waiting import eventually

Sql = Callable[[str], pa.Table]


@pytest.fixture
def table(sql: Sql) -> str:
    sql(
        """CREATE TABLE IF NOT EXISTS few AS SELECT id, concat('n', id) AS name, id % 3 = 0 AS third, array(id, id + 1) AS list
        FROM range(0, 5000, 1, 1)"""
    )
    return "few"


QUERIES: list[tuple[str, list[tuple[object, ...]]]] = [
    ("SELECT id, name FROM few WHERE id = 31", [(31, "n31")]),
    ("SELECT name AS other FROM few WHERE id IN (1, 2)", [("n1",), ("n2",)]),
    ("SELECT id + 1, upper(name) FROM few WHERE third AND id < 4", [(1, "N0"), (4, "N3")]),
    ("SELECT id FROM few WHERE list[1] = 8", [(7,)]),
    ("SELECT list FROM few WHERE id = 7", [([7, 8],)]),
    ("SELECT id, id FROM few WHERE id = 2", [(2, 2)]),
    ("SELECT id FROM few LIMIT 2", [(0,), (1,)]),
    ("SELECT id FROM few LIMIT 2 OFFSET 3", [(3,), (4,)]),
    ("SELECT id FROM few WHERE id > 100 LIMIT 1", [(101,)]),
    ("SELECT id FROM few WHERE id < 0", []),
    ("SELECT id FROM few WHERE name = 'n5' AND id / 0 > 1 AND FALSE", []),
    ("SELECT x + 1 FROM explode(sequence(1, 3)) AS t(x)", [(2,), (3,), (4,)]),
    (
        "SELECT n, p, x FROM VALUES (1), (2) AS v(n) LATERAL VIEW posexplode(array('a', NULL)) AS p, x",
        [(1, 0, "a"), (1, 1, None), (2, 0, "a"), (2, 1, None)],
    ),
    ("SELECT a, b FROM inline(array(struct(1, 'x'), NULL, struct(2, 'y'))) AS t(a, b)", [(1, "x"), (None, None), (2, "y")]),
    ("SELECT x FROM explode(array()) AS t(x)", []),
]


@pytest.mark.parametrize(("query", "rows"), QUERIES, ids=[query for query, _ in QUERIES])
def test_it_starts_no_job(sql: Sql, driver: Driver, table: str, query: str, rows: list[tuple[object, ...]]) -> None:
    found = sql(query)
    assert list(zip(*(column.to_pylist() for column in found.columns), strict=True)) == rows
    # Spark tells of jobs late, but in their order: one that is known to start some ends the wait.
    with_jobs = f"SELECT count(DISTINCT name) FROM {table}"
    assert _jobs_of(sql, driver, query, with_jobs) == _jobs_of(sql, driver, with_jobs)


@pytest.mark.parametrize(("limit", "count"), [(3, 3), (900, 900)])
def test_the_first_rows_of_many_files_start_no_job(sql: Sql, driver: Driver, table: str, limit: int, count: int) -> None:
    """In files of a hundred rows, of which one has a row less: a limit may need several of them."""
    sql("CREATE TABLE IF NOT EXISTS many USING iceberg PARTITIONED BY (part) AS SELECT id, id % 50 AS part FROM range(5000)")
    sql("DELETE FROM many WHERE id = 0")
    query = f"SELECT id + 1 AS next FROM many LIMIT {limit}"
    found = sql(query).column("next").to_pylist()
    assert len(found) == len(set(found)) == count
    assert set(found) <= set(range(2, 5001))
    assert sql("SELECT id FROM many LIMIT 5000").num_rows == 4999  # from here on a job reads many files better
    with_jobs = f"SELECT count(DISTINCT name) FROM {table}"
    assert _jobs_of(sql, driver, query, with_jobs) == _jobs_of(sql, driver, with_jobs)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT name, count(*) FROM few GROUP BY name",
        "SELECT id FROM few WHERE id = (SELECT max(id) FROM few)",
        "SELECT id FROM few ORDER BY name",
    ],
)
def test_what_needs_a_job_starts_one(sql: Sql, driver: Driver, table: str, query: str) -> None:
    before = _jobs(driver)
    assert sql(query).num_rows
    eventually(lambda: _jobs(driver) > before)


def test_an_error_of_a_row_is_the_same_error(sql: Sql, table: str) -> None:
    with pytest.raises(SqeError) as failed:
        sql(f"SELECT 1 / (id - 5) FROM {table} WHERE id < 10")
    assert failed.value.code is errors.DIVISION_BY_ZERO
    with pytest.raises(SqeError) as failed:
        sql(f"SELECT id FROM {table} WHERE CAST(name AS INT) = 5")
    assert failed.value.code is errors.INVALID_CAST_ARGUMENT


def test_functions_know_who_asks_and_where_rows_are(sql: Sql, table: str) -> None:
    (row,) = sql(f"SELECT current_user() AS who, input_file_name() AS file FROM {table} WHERE id = 5").to_pylist()
    assert row["who"] == "tester"
    assert row["file"].endswith(".parquet")


def test_another_sessions_commit_is_seen_at_once(handler: QueryHandler, session: Session, sql: Sql) -> None:
    sql("CREATE TABLE fresh AS SELECT 1 AS id")
    for value in range(2, 8):
        sql(f"UPDATE fresh SET id = {value}")
        assert sql(f"SELECT id FROM fresh WHERE id = {value}").num_rows == 1
        assert sql(f"SELECT id FROM fresh WHERE id = {value - 1}").num_rows == 0


def test_a_client_that_stops_reading_is_cancelled(handler: QueryHandler, session: Session, sql: Sql) -> None:
    """More small scans than cores, each left in the middle: those after them still run."""
    sql("CREATE TABLE IF NOT EXISTS texts AS SELECT id, repeat('x', 1000) AS text FROM range(0, 200000, 1, 1)")
    open_queries = [handler.submit(session, "SELECT * FROM texts WHERE id >= 0", door="test") for _ in range(4)]
    streams = [query.batches() for query in open_queries]
    for stream in streams:
        assert next(stream).num_rows
    assert sql("SELECT id FROM texts WHERE id = 5").num_rows == 1
    for query in open_queries:
        query.cancel()
    for stream in streams:
        with pytest.raises(SqeError) as failed:
            list(stream)
        assert failed.value.code is errors.USER_CANCELED
    for _ in range(6):  # their turns are free again, whoever had them
        assert sql("SELECT id FROM texts WHERE id = 7").num_rows == 1


def _jobs(driver: Driver) -> int:
    health = driver.health()
    assert health is not None
    return health.jobs


def _jobs_of(sql: Sql, driver: Driver, *queries: str) -> int:
    """Jobs that are known of when the last of the queries, which starts some, has been told of."""
    before = _jobs(driver)
    for query in queries:
        sql(query)
    eventually(lambda: _jobs(driver) > before)
    return _settled(driver) - before


def _settled(driver: Driver) -> int:
    seen = [_jobs(driver)]

    def still() -> bool:
        seen.append(_jobs(driver))
        return len(seen) > 20 and len(set(seen[-20:])) == 1

    eventually(still)
    return seen[-1]
