"""A statement that wants more memory than there is fails alone, and a driver that nobody asks gives back what it does not use."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from sqe import errors
from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.session import Session
from tests.waiting import eventually

REST_SECONDS = 5  # jvm: GivenBack.scala
LISTED = "SELECT size(collect_list(concat(id, repeat('x', 1000)))) AS n FROM range(0, 300000, 1, 2)"

GREEDY = {
    "while it is planned": "SELECT length(repeat('x', 2000000000))",
    "in a task": "SELECT max(length(repeat('x', CAST(2000000000 + id AS INT)))) FROM range(1)",
    "in many tasks": "SELECT sum(length(concat(repeat('x', CAST(1900000000 + id AS INT)), 'y'))) FROM range(100)",
    "in what it gathers": "SELECT size(collect_list(concat(id, repeat('x', 1000)))) FROM range(0, 20000000, 1, 2)",
}


_SLOW = "in what it gathers"  # a minute and a half of collections, until there is no room


@pytest.mark.parametrize(
    "statement",
    [pytest.param(text, id=name, marks=[pytest.mark.long] if name == _SLOW else []) for name, text in GREEDY.items()],
)
def test_a_greedy_statement_fails_alone(driver: Driver, sql: Callable[[str], pa.Table], statement: str) -> None:
    before = driver.pid
    with pytest.raises(SqeError) as refused:
        sql(statement)
    assert refused.value.code is errors.EXCEEDED_LOCAL_MEMORY_LIMIT
    assert sql("SELECT 1 AS one").to_pylist() == [{"one": 1}]
    assert driver.pid == before


def test_what_gathers_rows_stops_when_it_must(sql: Callable[[str], pa.Table]) -> None:
    sql("SET query_timeout_seconds = 1")
    with pytest.raises(SqeError) as refused:
        sql("SELECT size(collect_set(id % 3)) FROM range(0, 100000000000, 1, 2)")
    assert refused.value.code is errors.EXCEEDED_TIME_LIMIT
    sql("SET query_timeout_seconds = 30")  # its tasks would hold all cores for hours
    assert sql("SELECT count(*) AS n FROM range(0, 1000, 1, 2)").to_pylist() == [{"n": 1000}]


def test_rows_of_two_unnests_leave_as_they_come(sql: Callable[[str], pa.Table]) -> None:
    """In one compiled loop all rows of one row would be in the heap before the first left (`pytest -m long -k ten_million`)."""
    query = "SELECT a, b FROM (SELECT explode(sequence(1, 9)) AS a) LATERAL VIEW explode(sequence(1, a)) AS b"
    plan = sql(f"EXPLAIN {query}").column(0)[0].as_py()
    outer, between, inner = plan.index("Generate"), plan.index("StoppableRows"), plan.rindex("Generate")
    assert outer < between < inner
    assert sql(query).num_rows == 45


def test_a_driver_that_rests_gives_memory_back(driver: Driver, sql: Callable[[str], pa.Table]) -> None:
    driver.call("collectGarbage")
    assert sql(LISTED).to_pylist() == [{"n": 300_000}]
    large = resident(driver)
    eventually(lambda: resident(driver) < large - 250, seconds=30)
    assert sql("SELECT 1 AS one").to_pylist() == [{"one": 1}]


def test_who_reads_slowly_is_not_taken_for_rest(driver: Driver, handler: QueryHandler, session: Session) -> None:
    with handler.submit(session, "SELECT id FROM range(100000000)", door="test") as query:
        batches = iter(query.batches())
        next(batches)
        eventually(lambda: collections_within(driver, 1) == 0)  # its buffers are full
        assert collections_within(driver, REST_SECONDS + 2) == 0


def resident(driver: Driver) -> float:
    """In MB."""
    return int(Path(f"/proc/{driver.pid}/statm").read_text().split()[1]) * resource.getpagesize() / (1 << 20)


def collections_within(driver: Driver, seconds: float) -> int:
    before = collections(driver)
    time.sleep(seconds)
    return collections(driver) - before


def collections(driver: Driver) -> int:
    health = driver.health()
    assert health is not None
    return health.gc_count
