"""Below a join only the groups are made that it can ask for (jvm/sqe/kernel/NeededGroups.scala)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sides import Sides

Explain = Callable[[str], str]

ON = "ON a.part = p.part"
AVERAGED = "SELECT part, avg(price) AS price FROM sold GROUP BY part"
SUMMED = "SELECT part, sum(price) AS price FROM sold GROUP BY part"
# 600 of 20,000 parts; sales of parts that do not exist, and of none.
FEW = "SELECT * FROM parts WHERE brand = 'b7' AND size IN (7, 17, 27)"


@pytest.fixture
def sold(sides: Sides) -> Sides:
    sides.run("""CREATE OR REPLACE TABLE sold AS SELECT id, IF(id % 97 = 0, NULL, id % 25000) AS part, id % 13 AS pieces,
        CAST(id % 1000 AS DECIMAL(10,2)) / 7 AS dear, CAST(id % 1000 AS DECIMAL(10,2)) AS price, id * 1000 AS large
        FROM range(400000)""")
    sides.run("""CREATE OR REPLACE TABLE parts AS SELECT IF(id % 89 = 0, NULL, id) AS part, concat('b', id % 10) AS brand,
        CAST(id % 100 AS INT) AS size FROM range(20000)""")
    return sides


def joins(text: str) -> int:
    """Of the native part of a plan."""
    (line,) = {line for line in text.splitlines() if " Native [" in line or line.startswith("Native [")}
    return line.count("Join")


FEWER = {
    "a correlated subquery": (
        f"SELECT sum(s.price) FROM sold s JOIN ({FEW}) p ON s.part = p.part "
        "WHERE s.price < (SELECT 0.5 * avg(t.price) FROM sold t WHERE t.part = p.part)",
        2,
    ),
    "a join with groups": (f"SELECT p.part, a.price FROM ({FEW}) p JOIN ({AVERAGED}) a {ON} ORDER BY 1", 1),
    "groups on the left": (f"SELECT p.part, a.price FROM ({AVERAGED}) a JOIN ({FEW}) p {ON} ORDER BY 1", 1),
    "an outer join": (f"SELECT p.part, a.price FROM ({FEW}) p LEFT JOIN ({AVERAGED}) a {ON} ORDER BY 1, 2", 1),
    "an anti join": (
        f"SELECT p.part FROM ({FEW}) p WHERE NOT EXISTS "
        f"(SELECT 1 FROM ({AVERAGED}) a WHERE a.part = p.part AND a.price > 400) ORDER BY 1",
        1,
    ),
    "a key of a join with the small table": (
        f"SELECT s.id FROM sold s JOIN ({FEW}) p ON s.part = p.part "
        f"JOIN ({SUMMED}) a ON a.part = s.part AND a.price > s.price ORDER BY 1",
        2,
    ),
    "a range": (
        f"SELECT p.part, a.price FROM (SELECT * FROM parts WHERE size > 3 AND size < 6) p JOIN ({AVERAGED}) a {ON} ORDER BY 1",
        1,
    ),
}

ALL = {
    "a semi join that Spark puts on both sides": f"SELECT a.part FROM ({SUMMED}) a "
    f"WHERE a.part IN (SELECT part FROM ({FEW})) ORDER BY 1",
    "a table of which all is left": f"SELECT p.part, a.price FROM parts p JOIN ({AVERAGED}) a {ON} ORDER BY 1",
    "every row of the groups": f"SELECT p.part, a.price FROM ({FEW}) p RIGHT JOIN ({AVERAGED}) a {ON} ORDER BY 1, 2",
    "a key that is no group": f"SELECT p.part, a.part FROM ({FEW}) p JOIN ({AVERAGED}) a ON a.price = p.part ORDER BY 1, 2",
    "groups that could fail": f"SELECT p.part, a.n FROM ({FEW}) p JOIN (SELECT part, sum(large) AS n FROM sold GROUP BY part) a "
    f"{ON} ORDER BY 1",
    "a sum below that could fail": f"SELECT p.part, a.n FROM ({FEW}) p JOIN "
    f"(SELECT part, max(large + 1) AS n FROM sold GROUP BY part) a {ON} ORDER BY 1",
    "groups of a table that is no larger": "SELECT p.part, a.n FROM (SELECT * FROM parts WHERE brand = 'b7') p JOIN "
    f"(SELECT part, max(size) AS n FROM parts GROUP BY part) a {ON} ORDER BY 1",
}


@pytest.mark.parametrize("name", FEWER)
def test_groups_that_nobody_asks_for_are_not_made(sold: Sides, explain: Explain, name: str) -> None:
    query, written = FEWER[name]
    found = sold.same_natively(query, ordered=True)
    assert found.num_rows > 0
    assert joins(explain(query)) == written + 1


@pytest.mark.parametrize("name", ALL)
def test_all_groups_are_made_where_they_count(sold: Sides, explain: Explain, name: str) -> None:
    assert sold.same_natively(ALL[name], ordered=True).num_rows > 0
    assert joins(explain(ALL[name])) == 1


def test_an_aggregate_that_stands_twice_is_made_once_for_all(sold: Sides, explain: Explain) -> None:
    query = f"""WITH a AS ({SUMMED}) SELECT p.part, a.price, b.price FROM ({FEW}) p JOIN a {ON}
        JOIN a AS b ON b.part = p.part ORDER BY 1"""
    assert sold.same_natively(query, ordered=True).num_rows > 0
    assert joins(explain(query)) == 2


def test_a_group_that_fails_on_spark_fails_though_nobody_asks_for_it(sold: Sides) -> None:
    query = f"""SELECT p.part, a.n FROM ({FEW}) p JOIN (SELECT part, sum(large * 9000000000) AS n FROM sold GROUP BY part) a
        {ON} ORDER BY 1"""
    assert sold.answer("off", query) == "NUMERIC_VALUE_OUT_OF_RANGE"
    assert sold.answer("auto", query) == "NUMERIC_VALUE_OUT_OF_RANGE"
