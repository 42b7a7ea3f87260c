"""Differences that somebody found by reading, each with the answer that Spark gives."""

from __future__ import annotations

import pytest
from sides import Sides, rows

TABLES = """
CREATE TABLE few AS SELECT * FROM VALUES
    (1, 1, 'x'), (1, 1, 'y'), (1, 2, 'z'), (2, 2, 'a'), (2, NULL, 'b'), (NULL, 3, '7') AS t(g, i, s);
CREATE TABLE zeros AS SELECT * FROM VALUES (1, -0.0D, CAST(-0.0D AS FLOAT)), (2, 0.0D, CAST(0.0 AS FLOAT)),
    (3, CAST('NaN' AS DOUBLE), CAST('NaN' AS FLOAT)), (4, NULL, NULL), (5, 1.5D, CAST(1.5 AS FLOAT)) AS t(k, x, f);
CREATE TABLE minus AS SELECT * FROM zeros WHERE k IN (1, 3, 5);
CREATE TABLE texts AS SELECT * FROM VALUES (1, '2024-01-01 10 11'), (2, concat('x', chr(92), chr(10), 'y')) AS t(id, s);
CREATE TABLE names AS SELECT 1 AS id, concat('{"', repeat('x', 60000), '":1,"a":2}') AS j;
CREATE TABLE moments AS SELECT 5 AS id, TIMESTAMP '1969-12-31 23:30:00' AS at, TIMESTAMP_NTZ '2024-07-01 12:00:00' AS here,
    '2024-07-01 12:00:00' AS s, DATE '2024-07-01' AS day
"""


@pytest.fixture(scope="module")
def made() -> set[str]:
    return set()


@pytest.fixture
def found(sides: Sides, made: set[str]) -> Sides:
    if not made:
        for statement in TABLES.split(";\n"):
            sides.run(statement)
        made.add("all")
    return sides


def answer(sides: Sides, query: str) -> list[tuple[object, ...]] | str:
    """Of both sides, which is one."""
    assert sides.difference(query) is None
    given = sides.answer("auto", query)
    return given if isinstance(given, str) else sorted((tuple(row.values()) for row in given.to_pylist()), key=repr)


def test_bits_of_distinct_numbers(found: Sides) -> None:
    assert answer(found, "SELECT bit_xor(DISTINCT i) AS x, bit_or(DISTINCT i) AS y FROM few") == [(0, 3)]
    assert answer(found, "SELECT g, bit_xor(DISTINCT i) AS x FROM few WHERE g = 1 GROUP BY g") == [(1, 3)]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT x, min(x) AS m, max(x) AS n FROM minus GROUP BY x",
        "SELECT f, min(f) AS m, count(*) AS n FROM minus GROUP BY f",
        "SELECT x, count(DISTINCT x) AS m, max(CASE WHEN k = 1 THEN x END) AS n FROM minus GROUP BY x",
        "SELECT x, max(k) FILTER (WHERE CAST(x AS STRING) = '-0.0') AS n FROM minus GROUP BY x",
        "SELECT a.x, max(a.x) AS m FROM zeros a JOIN minus b ON a.k = b.k GROUP BY a.x",
    ],
)
def test_functions_of_a_float_that_is_grouped_by_see_its_sign(found: Sides, query: str) -> None:
    assert found.difference(query) is None
    found.native("auto")
    given = found.run(query)
    assert any(row[0] == "float 0.0" for row in rows(given)), "the key of -0.0 is 0.0"


def test_floats_that_are_only_grouped_by_stay_native(found: Sides) -> None:
    found.same_natively("SELECT x, count(*) AS n, max(k) AS k FROM zeros GROUP BY x")


@pytest.mark.parametrize("column", ["x", "f"])
def test_not_in_tells_zeros_apart_as_spark_does(found: Sides, column: str) -> None:
    query = f"SELECT k FROM zeros WHERE {column} NOT IN (SELECT {column} FROM minus WHERE k = 1)"
    assert answer(found, query) == [(2,), (3,), (5,)]


@pytest.mark.parametrize("pattern", ["yyyy-MM-dd HH HH", "yyyy-MM-dd mm mm", "yyyy-MM-dd ss ss"])
def test_a_time_with_something_twice(found: Sides, pattern: str) -> None:
    assert (
        answer(found, f"SELECT id, to_timestamp(s, '{pattern}') FROM texts WHERE id = 1 ORDER BY id") == "INVALID_CAST_ARGUMENT"
    )


def test_names_in_json_that_are_too_long_for_spark(found: Sides) -> None:
    assert answer(found, "SELECT id, get_json_object(j, '$.a') AS a FROM names ORDER BY id") == [(1, None)]


def test_split_by_an_escaped_line_end(found: Sides) -> None:
    assert answer(found, "SELECT id, split(s, '\\\\\n') AS parts FROM texts WHERE id = 2 ORDER BY id") == [(2, ["x\\", "y"])]


def test_the_smallest_place_of_a_part(found: Sides) -> None:
    assert found.difference("SELECT id, split_part(s, '-', -2147483648) FROM texts ORDER BY id") is None


def test_a_view_keeps_the_zone_that_it_was_made_in(found: Sides) -> None:
    found.run("SET TIME ZONE 'Europe/Berlin'")
    found.run("""CREATE OR REPLACE TEMPORARY VIEW in_berlin AS SELECT id, hour(at) AS h, CAST(at AS STRING) AS s,
        unix_date(CAST(at AS DATE)) AS d, unix_micros(CAST(here AS TIMESTAMP)) AS z, unix_micros(CAST(s AS TIMESTAMP)) AS t,
        unix_micros(CAST(day AS TIMESTAMP)) AS m, from_unixtime(1) AS u FROM moments""")
    found.run("SET TIME ZONE 'UTC'")
    noon = 1719828000000000
    expected = (5, 0, "1970-01-01 00:30:00", 0, noon, noon, noon - 12 * 3600 * 1000000, "1970-01-01 01:00:01")
    assert answer(found, "SELECT * FROM in_berlin ORDER BY id") == [expected]
    assert answer(found, "SELECT h, count(*) AS n FROM in_berlin GROUP BY h") == [(0, 1)]
    found.run("DROP VIEW in_berlin")


@pytest.mark.parametrize(
    ("inner", "outer"),
    [("day", "date_add({0}, 1)"), ("s", "substring({0}, -3, 2)"), ("s", "lower({0})"), ("at", "({0} + INTERVAL '1' DAY)")],
)
def test_what_is_nested_deeply_ends(found: Sides, inner: str, outer: str) -> None:
    """Each level has its argument in several places: text that doubles forty times would fill the driver."""
    for _ in range(40):
        inner = outer.format(inner)
    assert found.difference(f"SELECT id, {inner} AS x FROM moments ORDER BY id") is None


def test_rows_of_other_types_are_other_rows(found: Sides) -> None:
    """More than sixteen go to the kernel as columns, by a name that tells what is in them: 100.1 and 10.01 are the same bytes."""

    def of(digits: int) -> str:
        values = ", ".join(f"({number}, {(10001 + 10 * number) / 10**digits:.{digits}f})" for number in range(1, 20))
        return f"(SELECT max(CAST(w.v AS STRING)) FROM few JOIN (VALUES {values}) AS w(k, v) ON few.i = w.k)"

    assert answer(found, f"SELECT {of(1)} AS a, {of(2)} AS b") == [("1003.1", "100.31")]
    assert answer(found, f"SELECT {of(2)} AS a, {of(1)} AS b") == [("100.31", "1003.1")]


def test_the_smallest_index_of_an_array(found: Sides) -> None:
    assert found.difference("SELECT i, try_element_at(array(i, 2), -2147483648) AS x FROM few ORDER BY i") is None
    assert found.difference("SELECT i, try_element_at(array(i, 2), i - 2147483648) AS x FROM few WHERE i = 0 ORDER BY i") is None
