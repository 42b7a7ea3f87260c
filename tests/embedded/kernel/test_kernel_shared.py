"""What stands several times in a fragment's text is made once (jvm/sqe/kernel/SharedParts.scala)."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.engine.driver import Driver

SMALL = "SELECT c1, count(*) AS c2 FROM (t) GROUP BY c1"
LARGE = f"SELECT c3, sum(c2) AS c4 FROM ({SMALL}) GROUP BY c3"


@pytest.fixture
def parts(driver: Driver) -> Any:
    assert driver._gateway is not None
    return driver._gateway.jvm.org.apache.spark.sql.sqe.kernel.SharedParts()


def test_a_part_that_stands_once_stays(parts: Any) -> None:
    assert parts.note(SMALL) == SMALL
    assert parts.apply(f"SELECT * FROM ({SMALL})") == f"SELECT * FROM ({SMALL})"


def test_the_largest_part_is_made_once(parts: Any) -> None:
    for part in (SMALL, LARGE):
        parts.note(part)
    made = parts.apply(f"SELECT * FROM ({LARGE}) JOIN ({LARGE})")
    assert made == (
        f"WITH shared_0_ AS MATERIALIZED ({LARGE}) SELECT * FROM (SELECT * FROM shared_0_) JOIN (SELECT * FROM shared_0_)"
    )


def test_what_is_left_of_the_text_is_looked_at_again(parts: Any) -> None:
    for part in (SMALL, LARGE):
        parts.note(part)
    made = parts.apply(f"({LARGE}) x ({LARGE}) y ({SMALL}) z ({SMALL})")
    assert made.startswith(f"WITH shared_0_ AS MATERIALIZED ({LARGE}), shared_1_ AS MATERIALIZED ({SMALL}) ")
    assert made.endswith(
        "(SELECT * FROM shared_0_) x (SELECT * FROM shared_0_) y (SELECT * FROM shared_1_) z (SELECT * FROM shared_1_)"
    )
