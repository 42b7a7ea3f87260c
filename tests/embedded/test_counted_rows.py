"""What Iceberg answers from its metadata is no job (jvm: CountedRows), and what it cannot answer is still counted."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

Sql = Callable[[str], pa.Table]

ALL = "SELECT count(*) AS n, count(name) AS named, min(id) AS least, max(day) AS latest, count(*) + max(id) AS both FROM counted"


@pytest.fixture
def counted(sql: Sql, _gone: None) -> None:
    name, day = "if(id % 2 = 0, concat('n', id), NULL) AS name", "date_add(DATE '2024-01-01', CAST(id AS INT)) AS day"
    sql(f"CREATE TABLE counted AS SELECT id, {name}, {day} FROM range(10)")


@pytest.fixture(autouse=True)
def _gone(sql: Sql) -> None:
    sql("DROP TABLE IF EXISTS counted")


def plan(sql: Sql, query: str) -> str:
    return "\n".join(sql(f"EXPLAIN {query}")["plan"].to_pylist())


@pytest.mark.usefixtures("counted")
def test_a_count_is_a_row_of_the_driver(sql: Sql) -> None:
    assert sql(ALL).to_pylist() == [
        {"n": 10, "named": 5, "least": 0, "latest": sql("SELECT DATE '2024-01-10' AS d")["d"][0].as_py(), "both": 19}
    ]
    assert "LocalTableScan" in plan(sql, ALL)
    assert "Exchange" not in plan(sql, ALL)


@pytest.mark.usefixtures("counted")
def test_each_commit_counts(sql: Sql) -> None:
    (first,) = sql("SELECT snapshot_id FROM counted.snapshots")["snapshot_id"].to_pylist()
    sql("INSERT INTO counted VALUES (10, 'n', NULL)")
    assert sql("SELECT count(*) AS n FROM counted")["n"].to_pylist() == [11]
    assert sql(f"SELECT count(*) AS n FROM counted VERSION AS OF {first}")["n"].to_pylist() == [10]
    sql("DELETE FROM counted WHERE id < 3")
    assert sql("SELECT count(*) AS n, max(id) AS m FROM counted").to_pylist() == [{"n": 8, "m": 10}]


def test_of_nothing_it_is_zero(sql: Sql) -> None:
    sql("CREATE TABLE counted (id BIGINT, name STRING)")
    assert sql("SELECT count(*) AS n, max(id) AS m FROM counted").to_pylist() == [{"n": 0, "m": None}]
    assert sql("SELECT count(*) AS n FROM counted HAVING count(*) > 0").num_rows == 0


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT count(*) AS n FROM counted WHERE id > 6", 3),
        ("SELECT count(DISTINCT name) AS n FROM counted", 5),
        ("SELECT n FROM (SELECT count(*) AS n FROM counted) WHERE n = 10", 10),
        ("SELECT sum(id) AS n FROM counted WHERE id = (SELECT max(id) FROM counted)", 9),
        ("SELECT a.n + b.n AS n FROM (SELECT count(*) AS n FROM counted) a CROSS JOIN (SELECT min(id) AS n FROM counted) b", 10),
    ],
)
def test_in_larger_statements_it_is_the_same(sql: Sql, query: str, expected: int) -> None:
    assert sql(query)["n"].to_pylist() == [expected]
