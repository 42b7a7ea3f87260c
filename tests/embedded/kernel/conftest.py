"""One warehouse a module; each statement runs with the native kernel and without."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest
from partitions import PER_PARTITION, left, once, shaped
from sides import Sides, difference
from test_native import ODD

from sqe.engine.driver import Driver
from sqe.query.handler import QueryHandler
from sqe.session import Session


@pytest.fixture
def sides(handler: QueryHandler, session: Session) -> Sides:
    return Sides(handler, session)


Explain = Callable[[str], str]


@pytest.fixture
def explain(sides: Sides) -> Explain:
    def text(query: str) -> str:
        sides.native("auto")
        return str(sides.run(f"EXPLAIN {query}").column(0)[0])

    return text


@pytest.fixture
def parts(sides: Sides, driver: Driver, session: Session) -> Sides:
    shaped(driver, session, "partitions")
    return sides


@pytest.fixture(scope="module")
def made() -> set[str]:
    return set()


@pytest.fixture
def odd(parts: Sides, made: set[str]) -> Sides:
    """Of four files, one with NULLs alone; and a table without any."""
    wide = "CAST(d AS DECIMAL(28,4)) * 1000000 AS w, CAST(x AS FLOAT) AS g, CAST(i AS TINYINT) AS t"
    files = [f"INSERT INTO pieces SELECT *, {wide} FROM odd WHERE i {which}" for which in ("= 2", "= 3", "IN (4, 5)")]
    nothing = f"INSERT INTO pieces SELECT {', '.join(['NULL'] * 11)}"
    empty = "CREATE TABLE empty AS SELECT * FROM pieces WHERE i < 0"
    once(made, "odd", parts, ODD, f"CREATE TABLE pieces AS SELECT *, {wide} FROM odd WHERE i = 1", *files, nothing, empty)
    return parts


@pytest.fixture
def same(parts: Sides, explain: Explain, driver: Driver) -> Callable[[str], pa.Table]:
    """Asserts that a part of the query ran per partition, to the end, and that its answer is Spark's."""

    def compared(query: str) -> pa.Table:
        before = parts.fallbacks()
        found = parts.answer("auto", query)
        assert isinstance(found, pa.Table), (query, found)
        assert difference(parts.answer("off", query), found, ordered="ORDER BY" in query) is None, query
        assert parts.fallbacks() == before, "it ran on Spark in the end"
        assert PER_PARTITION in explain(query), explain(query)
        assert left(driver) == (0, 0)
        return found

    return compared
