"""A join that could only be built from its larger side is not broadcast (jvm: LargeBuildSides), and answers the same."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

Sql = Callable[[str], pa.Table]

JOINS = {
    "semi": "SELECT count(*) AS n FROM few WHERE EXISTS (SELECT 1 FROM many WHERE many.id = few.id AND many.id < 1000000)",
    "anti": "SELECT count(*) AS n FROM few WHERE NOT EXISTS (SELECT 1 FROM many WHERE many.id = few.id)",
    "left": "SELECT count(many.id) AS n FROM few LEFT JOIN many ON many.id = few.id",
    "right": "SELECT count(many.id) AS n FROM many RIGHT JOIN few ON many.id = few.id",
}
ANSWERS = {"semi": 50_000, "anti": 45_000, "left": 55_000, "right": 55_000}


@pytest.fixture(autouse=True)
def _tables(sql: Sql) -> None:
    sql("SET native = off")  # the kernel chooses its own sides
    sql("CREATE TABLE IF NOT EXISTS many AS SELECT id FROM range(1100000)")
    sql("CREATE TABLE IF NOT EXISTS few AS SELECT id * 20 AS id FROM range(100000)")


def plan(sql: Sql, query: str) -> str:
    return "\n".join(sql(f"EXPLAIN {query}")["plan"].to_pylist())


@pytest.mark.parametrize("kind", JOINS)
def test_it_is_shuffled_and_right(sql: Sql, kind: str) -> None:
    assert "BroadcastHashJoin" not in plan(sql, JOINS[kind])
    assert sql(JOINS[kind])["n"].to_pylist() == [ANSWERS[kind]]


def test_a_hint_counts(sql: Sql) -> None:
    assert "BroadcastHashJoin" in plan(sql, JOINS["left"].replace("SELECT", "SELECT /*+ BROADCAST(many) */", 1))


def test_smaller_sides_and_inner_joins_are_broadcast_as_before(sql: Sql) -> None:
    assert "BroadcastHashJoin" in plan(sql, "SELECT count(few.id) FROM many LEFT JOIN few ON many.id = few.id")
    assert "BroadcastHashJoin" in plan(sql, "SELECT count(*) FROM few JOIN many ON many.id = few.id")
