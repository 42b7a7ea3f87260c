"""What only Spark can answer may stand in the last of many rows, when the first ones could have left long ago."""

from __future__ import annotations

import pytest
from partitions import left, shaped
from sides import Sides

from sqe.engine.driver import Driver
from tests.waiting import eventually

# More than a fragment holds back; the last row has text that the kernel leaves to Spark, in every column of it.
MANY = 400_000
LAST = {"letters": "'ä ß'", "number": "' 12 '", "bytes": "CAST(X'41FF80' AS STRING)"}


@pytest.fixture(scope="module")
def made() -> set[str]:
    return set()


@pytest.fixture
def rows(sides: Sides, made: set[str]) -> Sides:
    if not made:
        words = {
            "letters": "concat('some longer text, ', id)",
            "number": "CAST(id AS STRING)",
            "bytes": "concat('some other text, ', id)",
        }
        columns = ", ".join(f"if(id = {MANY - 1}, {LAST[name]}, {word}) AS {name}" for name, word in words.items())
        sides.run(f"CREATE TABLE long AS SELECT id, id % 10 AS k, {columns} FROM range(0, {MANY}, 1, 1)")
        sides.run("CREATE TABLE short AS SELECT id AS k, concat('k', id) AS name FROM range(10)")
        made.add("all")
    return sides


QUERIES = {
    "lower": "SELECT id, lower(letters) AS x, letters, name FROM long JOIN short USING (k)",
    "cast": "SELECT id, CAST(number AS BIGINT) AS x, letters, name FROM long JOIN short USING (k)",
    "above an aggregate": "SELECT id, lower(max(letters)) AS x, max(number) AS y FROM long GROUP BY id",
    "above a window": "SELECT id, lower(letters) AS x, row_number() OVER (PARTITION BY k ORDER BY id) AS y FROM long",
    "sorted": "SELECT id, lower(letters) AS x, letters, name FROM long JOIN short USING (k) ORDER BY id",
    "sorted, most of it": "SELECT id, lower(letters) AS x, letters, name FROM long JOIN short USING (k) "
    f"ORDER BY id LIMIT {MANY} OFFSET 1",
    "text that is none": "SELECT id, bytes AS x, name FROM long JOIN short USING (k)",
    "a row that is not wanted": "SELECT id, bytes AS x, name FROM long JOIN short USING (k) "
    f"WHERE concat(id, name) <> '{MANY - 1}k9'",
}


@pytest.mark.parametrize("name", QUERIES)
def test_the_answer_is_sparks(rows: Sides, driver: Driver, name: str) -> None:
    query = QUERIES[name]
    before = rows.fallbacks()
    found = rows.answer("auto", query)
    assert not isinstance(found, str), found
    assert rows.fallbacks() == before + 1, "the kernel did not meet the last row"
    rows.native("off")
    expected = rows.run(query)
    assert found.schema == expected.schema
    assert found.sort_by("id").equals(expected.sort_by("id"))
    if "ORDER BY id" in query.partition("FROM")[2]:
        assert found.column("id").equals(expected.column("id"))
    rows.native("auto")
    eventually(lambda: left(driver) == (0, 0))


@pytest.mark.parametrize("shape", ["auto", "partitions", "repeated"])
def test_text_that_is_none_below_what_spark_runs(rows: Sides, driver: Driver, shape: str) -> None:
    """A projection of Spark's on a join that the kernel would run per partition."""
    query = "SELECT id, soundex(letters) AS x, letters, bytes, name FROM long JOIN short USING (k)"
    shaped(driver, rows.session, shape)
    found = rows.answer("auto", query)
    assert not isinstance(found, str), found
    rows.native("off")
    assert found.sort_by("id").equals(rows.run(query).sort_by("id"))
    shaped(driver, rows.session, "auto")
    rows.native("auto")


def test_what_cannot_fail_leaves_at_once_and_comes_whole(rows: Sides) -> None:
    query = f"SELECT a.id, b.id % 7 AS x, b.k FROM long a JOIN long b ON a.id = b.id WHERE a.id <> {MANY // 2}"
    found = rows.same_natively(query)
    assert found.num_rows == MANY - 1
