"""What stands several times in a fragment's text is made once (jvm/sqe/kernel/SharedParts.scala)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sides import Sides

from sqe.engine.driver import Driver

Note = Callable[[list[tuple[str, str]], str], str]

SMALL = ([("c1", "c1"), ("count(*)", "c2")], "FROM (read_parquet(['a'])) GROUP BY c1")
SMALL_TEXT = "SELECT c1 AS c1, count(*) AS c2 FROM (read_parquet(['a'])) GROUP BY c1"
LARGE = ([("c3", "c3"), ("sum(c2)", "c4")], f"FROM ({SMALL_TEXT}) GROUP BY c3")
LARGE_TEXT = f"SELECT c3 AS c3, sum(c2) AS c4 FROM ({SMALL_TEXT}) GROUP BY c3"


@pytest.fixture
def parts(driver: Driver) -> Any:
    assert driver._gateway is not None
    return driver._gateway.jvm.org.apache.spark.sql.sqe.kernel.SharedParts()


@pytest.fixture
def note(driver: Driver, parts: Any) -> Note:
    assert driver._gateway is not None
    jvm = driver._gateway.jvm

    def noted(items: list[tuple[str, str]], source: str) -> str:
        seq = jvm.java.util.ArrayList()
        for value, name in items:
            seq.add(jvm.scala.Tuple2(value, name))
        made = jvm.scala.jdk.javaapi.CollectionConverters.asScala(seq).toSeq()
        return str(parts.note(jvm.org.apache.spark.sql.sqe.kernel.Groups(made, source)))

    return noted


def test_a_part_that_stands_once_stays(parts: Any, note: Note) -> None:
    assert note(*SMALL) == SMALL_TEXT
    assert parts.apply(f"SELECT * FROM ({SMALL_TEXT})") == f"SELECT * FROM ({SMALL_TEXT})"


def test_the_largest_part_is_made_once(parts: Any, note: Note) -> None:
    for part in (SMALL, LARGE):
        note(*part)
    made = parts.apply(f"SELECT * FROM ({LARGE_TEXT}) JOIN ({LARGE_TEXT})")
    assert made == (
        f"WITH shared_0_ AS MATERIALIZED ({LARGE_TEXT}) SELECT * FROM (SELECT * FROM shared_0_) JOIN (SELECT * FROM shared_0_)"
    )


def test_what_is_left_of_the_text_is_looked_at_again(parts: Any, note: Note) -> None:
    for part in (SMALL, LARGE):
        note(*part)
    made = parts.apply(f"({LARGE_TEXT}) x ({LARGE_TEXT}) y ({SMALL_TEXT}) z ({SMALL_TEXT})")
    assert made.startswith(f"WITH shared_0_ AS MATERIALIZED ({LARGE_TEXT}), shared_1_ AS MATERIALIZED ({SMALL_TEXT}) ")
    assert made.endswith(
        "(SELECT * FROM shared_0_) x (SELECT * FROM shared_0_) y (SELECT * FROM shared_1_) z (SELECT * FROM shared_1_)"
    )


def test_a_part_that_a_constant_could_spell_stays(parts: Any, note: Note) -> None:
    part = note([("c1", "c1"), ("count(*)", "c2")], "FROM (fed_0_) GROUP BY c1")
    text = f"SELECT '({part})' FROM ({part})"
    assert parts.apply(text) == text


def test_the_same_groups_under_other_numbers_are_made_once(parts: Any, note: Note) -> None:
    one = note([("c1", "c1"), ("sum(c2)", "c5")], "FROM (SELECT c1, c2 FROM 'a') GROUP BY c1")
    two = note([("max(c8)", "c9")], "FROM (SELECT c7, c8 FROM 'a') GROUP BY c7")
    made = parts.apply(f"({one}) x ({two})")
    assert made == (
        "WITH shared_0_ AS MATERIALIZED "
        "(SELECT c1 AS c1, sum(c2) AS c5, max(c2) AS c9 FROM (SELECT c1, c2 FROM 'a') GROUP BY c1) "
        "(SELECT c1, c5 FROM shared_0_) x (SELECT c9 FROM shared_0_)"
    )


@pytest.mark.parametrize(
    "other",
    [
        "FROM (SELECT c7, c8 FROM 'b') GROUP BY c7",
        "FROM (SELECT c7, c8 FROM 'a') GROUP BY c8",
        "FROM (SELECT c7, c7 FROM 'a') GROUP BY c7",
        "FROM (SELECT c7, c8 FROM 'a' WHERE c7 > 1) GROUP BY c7",
    ],
)
def test_other_groups_stay(parts: Any, note: Note, other: str) -> None:
    one = note([("sum(c2)", "c5")], "FROM (SELECT c1, c2 FROM 'a') GROUP BY c1")
    text = f"({one}) x ({note([('max(c8)', 'c9')], other)})"
    assert parts.apply(text) == text


def test_numbers_in_quotes_are_no_columns(parts: Any, note: Note) -> None:
    one = note([("sum(c2)", "c5")], "FROM (SELECT \"c1\" AS c1, c2 FROM 'a' WHERE c2 <> 'c1') GROUP BY c1")
    constant = note([("sum(c8)", "c9")], "FROM (SELECT \"c1\" AS c7, c8 FROM 'a' WHERE c8 <> 'c7') GROUP BY c7")
    name = note([("sum(c12)", "c19")], "FROM (SELECT \"c11\" AS c11, c12 FROM 'a' WHERE c12 <> 'c1') GROUP BY c11")
    text = f"({one}) x ({constant}) y ({name})"
    assert parts.apply(text) == text


def test_a_value_of_something_else_stays(parts: Any, note: Note) -> None:
    one = note([("sum(c2)", "c5")], "FROM (SELECT c1, c2 FROM 'a') GROUP BY c1")
    two = note([("(SELECT c99 FROM x)", "c9")], "FROM (SELECT c7, c8 FROM 'a') GROUP BY c7")
    assert parts.apply(f"({one}) x ({two})") == f"({one}) x ({two})"


REVENUE = "WITH r AS (SELECT shop, sum(price * pieces) AS total FROM revenues WHERE day > 3 GROUP BY shop)"

ASKED_TWICE = [
    "SELECT s.shop, r.total FROM shops s JOIN r ON s.shop = r.shop WHERE r.total = (SELECT max(total) FROM r) ORDER BY 1",
    "SELECT a.shop, a.total, b.total FROM r a JOIN r b ON a.shop = b.shop + 1 ORDER BY 1",
    "SELECT shop, total FROM r WHERE total > (SELECT avg(total) FROM r) ORDER BY 1, 2",
    "SELECT shop FROM r UNION ALL SELECT CAST(total AS BIGINT) FROM r",
    "SELECT (SELECT max(total) FROM r), (SELECT min(shop) FROM r), count(*) FROM r",
    "SELECT * FROM r a FULL JOIN (SELECT shop + 3 AS shop, total FROM r WHERE shop > 2) b ON a.shop = b.shop ORDER BY 1, 3",
]


@pytest.mark.parametrize("query", ASKED_TWICE)
def test_what_is_asked_twice_is_answered_as_by_spark(sides: Sides, query: str) -> None:
    sides.run("""CREATE OR REPLACE TABLE revenues AS SELECT IF(id % 11 = 0, NULL, id % 7) AS shop,
        CAST(id AS DECIMAL(15,2)) AS price, CAST(id % 5 AS DECIMAL(15,2)) AS pieces, id % 9 AS day FROM range(1000)""")
    sides.run("CREATE OR REPLACE TABLE shops AS SELECT id AS shop FROM range(9)")
    assert sides.same_natively(f"{REVENUE} {query}").num_rows > 0


@pytest.mark.parametrize("query", ASKED_TWICE)
def test_nor_is_it_where_columns_are_mapped(sides: Sides, query: str) -> None:
    """By their ids, since one was renamed."""
    sides.run("""CREATE OR REPLACE TABLE revenues AS SELECT IF(id % 11 = 0, NULL, id % 7) AS store,
        CAST(id AS DECIMAL(15,2)) AS price, CAST(id % 5 AS DECIMAL(15,2)) AS pieces, id % 9 AS day FROM range(1000)""")
    sides.run("ALTER TABLE revenues RENAME COLUMN store TO shop")
    sides.run("CREATE OR REPLACE TABLE shops AS SELECT id AS shop FROM range(9)")
    assert sides.same_natively(f"{REVENUE} {query}").num_rows > 0


@pytest.mark.parametrize("sign", ["x", "'", '"', "c1 ", "''c1''"])
def test_a_constant_may_be_long(sides: Sides, sign: str) -> None:
    sides.run("CREATE OR REPLACE TABLE texts AS SELECT id, CAST(id % 5 AS STRING) AS s FROM range(100)")
    long = (sign * 20_000).replace("'", "''")
    found = sides.same_natively(f"SELECT s, count(*) AS n, max('{long}') AS m FROM texts WHERE s <> '{long}' GROUP BY s")
    assert found["n"].to_pylist() == [20] * 5


def test_the_sum_of_rows_without_a_key_may_be_too_large_for_the_kernel_alone(sides: Sides) -> None:
    """Their group is not asked for: Spark leaves it out, the kernel fails with it, and Spark answers."""
    sides.run("""CREATE OR REPLACE TABLE wide AS SELECT IF(id < 20, NULL, id % 3) AS shop,
        CAST(IF(id < 20, 9e37, 1) AS DECIMAL(38,0)) AS price FROM range(100)""")
    sides.run("CREATE OR REPLACE TABLE shops AS SELECT id AS shop FROM range(9)")
    query = (
        "SELECT s.shop, r.total FROM shops s JOIN (SELECT shop, sum(price) AS total FROM wide GROUP BY shop) r ON s.shop = r.shop"
    )
    assert sides.difference(query) is None
    assert sides.run(query).num_rows == 3
