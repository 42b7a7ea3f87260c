"""Spark runs two parts of a plan that are the same once. Fragments of the kernel are the same only if they mean the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sides import FED, Sides

Explain = Callable[[str], str]

# Spark's numbers of columns are `c` and a number in the kernel's text; so may be columns and constants of a table's own.
ROWS = """SELECT id, id % 7 AS k, id % 10 AS c1, id % 1000 AS c2, concat('c', id % 3) AS s,
    concat('name: ''c', id % 3, '''') AS odd FROM range(20000)"""


@pytest.fixture(scope="module")
def made() -> set[str]:
    return set()


@pytest.fixture
def named(sides: Sides, made: set[str]) -> Sides:
    if not made:
        sides.run(f"CREATE TABLE named PARTITIONED BY (bucket(4, id)) AS {ROWS}")
        sides.run("CREATE TABLE few AS SELECT id AS k FROM range(7)")
        sides.run("CREATE TABLE later AS SELECT id, id % 7 AS k FROM range(20000)")
        for column in ("c1", "c2"):
            sides.run(f"ALTER TABLE later ADD COLUMN {column} BIGINT")
        sides.run(f"CREATE TABLE given {FED} AS {ROWS}")
        sides.run("INSERT INTO later SELECT id, id % 7, id % 10, id % 1000 FROM range(20000)")
        made.add("all")
    return sides


# What two subqueries ask; `{0}` is where they differ.
LIKE = {
    "column": ("{0} > 3", "c1", "c2"),
    "constant": ("s = '{0}'", "c1", "c2"),
    "quoted constant": ("odd = 'name: ''{0}'''", "c1", "c2"),
    "number": ("c2 > {0}", "3", "400"),
}
OF = {"one task": "sum(if({0} > 3, id, 0))", "partitions": "round(stddev(if({0} > 3, id, 0)), 3)"}


@pytest.mark.parametrize("shape", OF)
@pytest.mark.parametrize("like", LIKE)
@pytest.mark.parametrize("table", ["named", "later", "given"])
def test_what_only_looks_the_same_is_asked_twice(named: Sides, explain: Explain, table: str, like: str, shape: str) -> None:
    condition, first, second = LIKE[like]
    if table == "later" and ("s =" in condition or "odd" in condition):
        table = "named"
    columns = (first, second) if like == "column" else ("c1", "c2")
    texts = [
        f"(SELECT {OF[shape].format(column)} FROM {table} JOIN few USING (k) WHERE {condition.format(word)})"
        for column, word in zip(columns, (first, second), strict=True)
    ]
    query = f"SELECT {texts[0]} AS a, {texts[1]} AS b, k FROM few ORDER BY k LIMIT 1"
    # Joins of what Iceberg decodes are given away whole only.
    assert "Native" in explain(f"SELECT {texts[0]} AS a, {texts[1]} AS b") or (table, shape) == ("given", "partitions")
    (row,) = named.run(query).to_pylist()
    assert row["a"] != row["b"]
    assert named.difference(query) is None


@pytest.mark.parametrize("properties", ["", FED])
def test_what_is_the_same_runs_once(named: Sides, properties: str) -> None:
    """A DELETE with a subquery has it in two places: which files have such rows, and which rows those are."""

    def jobs() -> int:
        health = named.session.driver.health()
        assert health is not None
        return health.jobs

    def deleting(mode: str) -> int:
        named.run(f"CREATE OR REPLACE TABLE shrinking {properties} AS SELECT id, id % 3 AS k FROM range(1000)")
        named.native(mode)
        before = jobs()
        named.run("DELETE FROM shrinking WHERE k = 1 AND id = (SELECT count(DISTINCT id) + 1 FROM shrinking WHERE k = 1)")
        used = jobs() - before
        assert named.run("SELECT count(*) AS n, sum(id) AS ids FROM shrinking").to_pylist() == [{"n": 999, "ids": 499500 - 334}]
        return used

    natively = deleting("auto")
    assert natively < deleting("off") - 1  # each place would be a job; Spark's own subquery is several
    named.native("auto")
