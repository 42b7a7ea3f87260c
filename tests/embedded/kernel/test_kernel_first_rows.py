"""ORDER BY with LIMIT: each task sorts its own rows and keeps the first, and Spark takes the first of those."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest
from partitions import PER_PARTITION, left, once, shaped
from sides import Sides

from sqe.engine.driver import Driver
from sqe.errors import SqeError
from tests.waiting import eventually

Explain = Callable[[str], str]
Same = Callable[[str], pa.Table]

ORDERED = [
    "SELECT i, s, d FROM pieces ORDER BY i, s, d LIMIT 3",
    "SELECT i, s, d FROM pieces ORDER BY i DESC, s, d LIMIT 3 OFFSET 2",
    "SELECT s FROM pieces ORDER BY s NULLS LAST LIMIT 4",
    "SELECT s FROM pieces ORDER BY s DESC NULLS FIRST LIMIT 4",
    "SELECT x, i FROM pieces ORDER BY x DESC, i LIMIT 5",
    "SELECT x, i FROM pieces ORDER BY x, i LIMIT 5",
    "SELECT g, i, s FROM pieces ORDER BY g NULLS LAST, i, s LIMIT 7",
    "SELECT w, l FROM pieces ORDER BY w DESC, l LIMIT 100",
    "SELECT day, at, b FROM pieces WHERE i > 1 ORDER BY at, day, b LIMIT 2",
    "SELECT md5(s) AS h, i FROM pieces ORDER BY i + 1 DESC, length(s), s LIMIT 4",
    "SELECT a.i, b.s, b.d FROM pieces a JOIN odd b ON a.i = b.i ORDER BY b.s DESC, b.d, a.i LIMIT 3",
    "SELECT a.i, b.s FROM pieces a LEFT JOIN odd b ON a.i = b.i AND b.b ORDER BY b.s NULLS LAST, a.i LIMIT 4 OFFSET 1",
    "SELECT i, s FROM pieces a WHERE EXISTS (SELECT 1 FROM odd b WHERE a.i = b.i AND b.l > 0) ORDER BY i, s LIMIT 2",
    "SELECT i FROM empty ORDER BY i LIMIT 3",
    "SELECT max(md5(s)), count(*) FROM (SELECT s, i FROM pieces ORDER BY i DESC, s LIMIT 3)",
]


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize("query", ORDERED)
def test_the_first_rows_of_each_partition_hold_the_first_of_all(same: Same, query: str) -> None:
    same(query)


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize("shape", ["partitions", "auto"])
@pytest.mark.parametrize(("rows", "skipped", "kept"), [(4, 1, 3), (3, 3, 0), (2, 5, 0), (100, 2, 7)])
def test_an_offset_outside_of_a_limit_takes_rows_of_that_limit(
    sides: Sides, driver: Driver, shape: str, rows: int, skipped: int, kept: int
) -> None:
    shaped(driver, sides.session, shape)
    query = f"SELECT i, s FROM (SELECT i, s FROM odd ORDER BY i, s LIMIT {rows}) OFFSET {skipped}"
    found = sides.answer("auto", query)
    assert isinstance(found, pa.Table)
    assert sides.difference(query, ordered=True) is None
    assert found.num_rows == min(kept, max(0, sides.run("SELECT count(*) FROM odd").column(0)[0].as_py() - skipped))


@pytest.mark.usefixtures("odd")
def test_tasks_give_away_no_more_than_the_limit(parts: Sides, explain: Explain, made: set[str]) -> None:
    once(made, "many", parts, "CREATE TABLE many PARTITIONED BY (bucket(4, id)) AS SELECT id, id % 9 AS k FROM range(5000)")
    query = "SELECT id, k FROM many ORDER BY k DESC, id LIMIT 3 OFFSET 1"
    assert parts.run(query).to_pydict() == {"id": [17, 26, 35], "k": [8, 8, 8]}
    plan = explain(query)
    assert "TakeOrderedAndProject" in plan
    assert "GlobalLimit <- LocalLimit <- Sort" in plan
    assert "the whole query" not in plan or PER_PARTITION in plan


@pytest.mark.parametrize(
    "query",
    [
        "SELECT i FROM pieces ORDER BY 10 / (i - 1), i LIMIT 1",
        "SELECT 10 / (i - i) AS z FROM pieces ORDER BY i LIMIT 1",
        "SELECT i FROM pieces WHERE 10 / (i - 3) < 9 ORDER BY i DESC LIMIT 1",
        "SELECT i FROM pieces ORDER BY CAST(l AS INT), i LIMIT 1",
    ],
)
def test_an_error_is_sparks_own_also_of_a_row_that_is_not_among_the_first(odd: Sides, driver: Driver, query: str) -> None:
    odd.native("off")
    with pytest.raises(SqeError) as sparks:
        odd.run(query)
    odd.native("auto")
    with pytest.raises(SqeError) as native:
        odd.run(query)
    assert native.value.code is sparks.value.code
    eventually(lambda: left(driver) == (0, 0))
