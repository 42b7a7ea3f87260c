"""Several sums of one integer and a constant each (jvm/sqe/kernel/Aggregates.scala)."""

from __future__ import annotations

import pytest
from sides import Sides

MOST, LEAST = 2147483647, -2147483648

NATIVE = {
    "one group": "SELECT sum(i), sum(i + 1), sum(i + 2), sum(i + -3), sum(i + 2147483000) FROM counted",
    "groups, one of them of NULLs": "SELECT g, sum(i + 1), sum(i + 2), count(i) FROM counted GROUP BY g ORDER BY g",
    "no row": "SELECT sum(i + 1), sum(i + 2) FROM counted WHERE i < -5",
    "with conditions": "SELECT sum(i + 1) FILTER (WHERE g = 1), sum(i + 7) FILTER (WHERE g = 1), sum(i + 7) FILTER (WHERE g = 2) "
    "FROM counted",
    "of a computed number": "SELECT sum(i % 7 + 1), sum(i % 7 + 2), sum(i % 5 + 2) FROM counted",
    "of narrow numbers": "SELECT sum(tiny + 1), sum(tiny + 1000) FROM counted",
    "of different ones once": "SELECT sum(DISTINCT i % 7 + 1), sum(DISTINCT i % 7 + 2) FROM counted",
    "as large as can be": "SELECT sum(most + 0), sum(most + 3), sum(most + 7), sum(least + -3), sum(least + -8) FROM counted",
}

FAILING = {
    "one too many": "SELECT sum(most + 7), sum(most + 8) FROM counted",
    "one too few": "SELECT sum(least + -8), sum(least + -9) FROM counted",
    "in one group": "SELECT g, sum(most + 8), sum(most + 7) FROM counted GROUP BY g",
}


@pytest.fixture
def counted(sides: Sides) -> Sides:
    sides.run(f"""CREATE TABLE IF NOT EXISTS counted AS SELECT CAST(IF(id % 4 = 0, NULL, id % 4) AS INT) AS g,
        CAST(IF(id % 4 = 3 OR id % 11 = 0, NULL, id % 600) AS INT) AS i, CAST(id % 100 - 50 AS TINYINT) AS tiny,
        CAST({MOST} - 7 - id % 9 AS INT) AS most, CAST({LEAST} + 8 + id % 9 AS INT) AS least FROM range(20000)""")
    return sides


@pytest.mark.parametrize("name", NATIVE)
def test_sums_of_one_number_and_constants_are_sparks(counted: Sides, name: str) -> None:
    before = counted.fallbacks()
    counted.same_natively(NATIVE[name], ordered="ORDER BY" in NATIVE[name])
    assert counted.fallbacks() == before


@pytest.mark.parametrize("name", FAILING)
def test_what_does_not_fit_fails_as_on_spark(counted: Sides, name: str) -> None:
    before = counted.fallbacks()
    assert counted.difference(FAILING[name]) is None
    assert counted.fallbacks() == before + 1
