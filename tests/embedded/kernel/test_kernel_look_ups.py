"""Where a condition leaves a few pages of a file, Iceberg decodes those, and the rest of the query is native."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from partitions import left
from sides import Sides

from sqe.engine.driver import Driver

Explain = Callable[[str], str]

BY_ICEBERG = "(read by Iceberg)"


@pytest.fixture(scope="module")
def made() -> set[str]:
    return set()


@pytest.fixture
def sorted_rows(sides: Sides, made: set[str]) -> Sides:
    """One file of many pages in the order of `k`, and one in no order."""
    if not made:
        columns = (
            "id DIV 100 AS k, concat('name ', lpad(id DIV 100, 4, '0')) AS name, id, CAST(id % 1000 AS DECIMAL(9,2)) AS price"
        )
        sides.run(f"CREATE TABLE sorted AS SELECT {columns} FROM range(0, 400000, 1, 1)")
        sides.run("CREATE TABLE mixed AS SELECT id * 7919 % 4000 AS k, id FROM range(0, 400000, 1, 1)")
        sides.run("CREATE TABLE keys AS SELECT id AS k, concat('key ', id) AS word FROM range(4000)")
        modes = "'write.delete.mode' = 'merge-on-read'"
        sides.run(f"CREATE TABLE trimmed TBLPROPERTIES ({modes}) AS SELECT k, id FROM sorted ORDER BY id")
        sides.run("DELETE FROM trimmed WHERE id % 2 = 0")
        made.add("all")
    return sides


FEW = [
    "SELECT id, word FROM sorted JOIN keys USING (k) WHERE k = 17 ORDER BY id LIMIT 20",
    "SELECT id FROM sorted WHERE name = 'name 1234' ORDER BY price DESC, id",
    "SELECT k, count(*), sum(price), max(name) FROM sorted WHERE k IN (3, 4, 5) GROUP BY k",
    "SELECT k, count(*), sum(price) FROM sorted WHERE k = 17 AND price > 5 GROUP BY k",
    "SELECT word, count(*) FROM sorted JOIN keys USING (k) WHERE k = 99 GROUP BY word",
    "SELECT a.id, b.id FROM sorted a JOIN sorted b ON a.id + 1 = b.id WHERE a.k = 5 AND b.k = 5 ORDER BY 1",
    "SELECT name, count(*) AS n, sum(price) FROM sorted WHERE k >= 3990 GROUP BY name",
    "SELECT k, count(*) FROM sorted WHERE id BETWEEN 5000 AND 6000 AND price < 900 GROUP BY k",
    "SELECT id FROM sorted WHERE k = 4000000 ORDER BY id",
]


@pytest.mark.parametrize("query", FEW)
def test_a_few_pages_are_decoded_by_iceberg(sorted_rows: Sides, explain: Explain, driver: Driver, query: str) -> None:
    before = sorted_rows.fallbacks()
    sorted_rows.same_natively(query, ordered="ORDER BY" in query)
    assert sorted_rows.fallbacks() == before
    if "4000000" not in query:  # of which no file is left
        assert BY_ICEBERG in explain(query)
    assert left(driver) == (0, 0)


MANY = [
    "SELECT k, count(*) FROM mixed WHERE k = 17 GROUP BY k",  # its pages hold all keys
    "SELECT k, count(*) FROM sorted WHERE k > 17 GROUP BY k",
    "SELECT k, count(*) FROM sorted WHERE k = 17 OR id > 5 GROUP BY k",
    "SELECT k, count(*) FROM sorted GROUP BY k",
    "SELECT word, count(*) FROM keys WHERE k = 5 GROUP BY word",  # small
    "SELECT k, count(*), min(id) FROM trimmed WHERE k = 7 GROUP BY k",  # with deleted rows
]


@pytest.mark.parametrize("query", MANY)
def test_others_are_read_by_the_kernel(sorted_rows: Sides, explain: Explain, query: str) -> None:
    sorted_rows.same_natively(query)
    plan = explain(query)
    assert "the whole query" in plan
    assert BY_ICEBERG not in plan


@pytest.mark.parametrize(
    ("query", "operator"),
    [
        ("SELECT count(*) AS n, sum(price), max(name) FROM sorted WHERE k >= 3990", "Aggregate"),
        ("SELECT id, price FROM sorted WHERE k = 17 ORDER BY id LIMIT 20", "GlobalLimit"),
        ("SELECT price + 1 FROM sorted WHERE k = 17 AND price > 3 ORDER BY id DESC LIMIT 5 OFFSET 2", "GlobalLimit"),
    ],
)
def test_few_rows_of_them_are_sparks(sorted_rows: Sides, explain: Explain, query: str, operator: str) -> None:
    """Which skips the same pages, and makes no copy."""
    sorted_rows.same_natively(query, ordered="ORDER BY" in query)
    plan = explain(query)
    assert f"not {operator}: few rows of columns that the kernel would be given" in plan
    assert "nothing" in plan


def test_first_rows_of_many_pages_are_the_kernels(sorted_rows: Sides, explain: Explain) -> None:
    assert "the whole query" in explain("SELECT id FROM mixed WHERE k = 17 ORDER BY id LIMIT 20")


def test_one_row_that_asks_another_question_is_the_kernels(sorted_rows: Sides, explain: Explain) -> None:
    query = "SELECT count(*) FROM mixed WHERE id > (SELECT max(id) FROM sorted WHERE k = 17)"
    sorted_rows.same_natively(query)
    assert "the whole query" in explain(query)


def test_what_is_needed_twice_is_read_by_the_kernel(sorted_rows: Sides, explain: Explain) -> None:
    """Columns that the kernel is given come once; files it can read as often as it likes."""
    query = "SELECT count(*) FROM keys WHERE if(k > 2, k, 1) + (SELECT max(id) - min(id) FROM sorted WHERE k = 17) > 1"
    sorted_rows.same_natively(query)
    again = "SELECT count(*) FROM keys WHERE if(k > 2, k, 1) + (SELECT id FROM sorted WHERE k = 17 AND id = 1700) > 1"
    sorted_rows.same_natively(again)
    assert BY_ICEBERG not in explain(again)


def test_a_table_that_was_changed_is_looked_at_again(sorted_rows: Sides) -> None:
    sorted_rows.run("CREATE TABLE growing AS SELECT * FROM sorted ORDER BY id")
    query = "SELECT count(*), sum(id) FROM growing WHERE k = 17"
    assert sorted_rows.same_natively(query).column(0).to_pylist() == [100]
    sorted_rows.run("INSERT INTO growing SELECT 17, 'new', id, 1 FROM range(50)")
    assert sorted_rows.same_natively(query).column(0).to_pylist() == [150]
    sorted_rows.run("ALTER TABLE growing RENAME COLUMN k TO was_k")
    sorted_rows.run("ALTER TABLE growing ADD COLUMN k BIGINT")
    assert sorted_rows.same_natively(query).column(0).to_pylist() == [0]
    assert sorted_rows.same_natively(query.replace("k =", "was_k =")).column(0).to_pylist() == [150]
