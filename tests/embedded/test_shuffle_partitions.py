"""Large inputs are shuffled into more partitions than small ones (jvm: ShufflePartitions), and the answers are the same."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import pyarrow as pa
import pytest

Sql = Callable[[str], pa.Table]

ROWS, COLUMNS = 100_000, 800
PIECE = 64 << 20
LEAST = 4


@pytest.fixture(autouse=True)
def _tables(sql: Sql) -> None:
    """One table that is wide for its estimate, and next to nothing on the disk."""
    columns = ", ".join(f"0L AS c{number}" for number in range(COLUMNS))
    sql(f"CREATE TABLE IF NOT EXISTS wide_rows AS SELECT id, {columns} FROM range({ROWS})")
    sql("CREATE TABLE IF NOT EXISTS few_rows AS SELECT id, id % 7 AS kind FROM range(1000)")


ALL = " + ".join(f"c{number}" for number in range(COLUMNS))
GROUPED = f"SELECT id % 10 AS k, sum({ALL}) AS s, count(*) AS n FROM wide_rows GROUP BY id % 10"


def shuffles(sql: Sql, query: str) -> list[int]:
    plan = "\n".join(sql(f"EXPLAIN {query}")["plan"].to_pylist())
    return [int(count) for count in re.findall(r"Exchange (?:hash|range)partitioning\(.*?, (\d+)\), [A-Z]", plan)]


def expected() -> int:
    return max(2 * (os.cpu_count() or 1), ROWS * COLUMNS * 8 // (2 * PIECE), LEAST)


def test_a_small_input_has_few(sql: Sql) -> None:
    sql("SET native = off")
    assert shuffles(sql, "SELECT kind, count(*) FROM few_rows GROUP BY kind") == [LEAST]


def test_a_large_input_has_more_and_answers_the_same(sql: Sql) -> None:
    sql("SET native = off")
    assert shuffles(sql, GROUPED) == [expected()]
    rows = sql(f"{GROUPED} ORDER BY k").to_pylist()
    assert rows == [{"k": k, "s": 0, "n": ROWS // 10} for k in range(10)]


def test_sides_of_a_join_still_fit_together(sql: Sql) -> None:
    sql("SET native = off")
    join = f"SELECT /*+ MERGE(f) */ count(*) AS n, sum({ALL}) AS s FROM wide_rows w JOIN few_rows f ON w.id = f.id"
    assert shuffles(sql, join) == [expected(), expected()]
    assert sql(join).to_pylist() == [{"n": 1000, "s": 0}]


def test_what_a_statement_says_counts(sql: Sql) -> None:
    """The other side of the join follows the number that was said."""
    sql("SET native = off")
    said = (
        f"SELECT count(*) AS n FROM (SELECT /*+ REPARTITION(3, id) */ id, {ALL} AS s FROM wide_rows) w "
        "JOIN (SELECT /*+ REPARTITION(3, id) */ id FROM few_rows) f ON w.id = f.id"
    )
    assert set(shuffles(sql, said)) == {3}
    assert sql(said)["n"].to_pylist() == [1000]
