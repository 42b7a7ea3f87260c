"""`SET sql_dialect`: a session speaks Trino's SQL, or another one, and the gate is the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.session import Session

Sql = Callable[[str], pa.Table]


@pytest.fixture
def trino(sql: Sql) -> Iterator[Sql]:
    sql("SET sql_dialect = 'trino'")
    yield sql
    sql("RESET sql_dialect")


def test_the_dialect_is_the_sessions(sql: Sql) -> None:
    assert sql("SELECT 7 / 2 AS x")["x"].to_pylist() == [3.5]
    sql("SET sql_dialect = 'trino'")
    assert sql("SELECT 7 / 2 AS x")["x"].to_pylist() == [3]
    sql("SET sql_dialect = 'duckdb'")
    assert sql("SELECT 7 // 2 AS x")["x"].to_pylist() == [3]
    sql("RESET sql_dialect")
    assert sql("SELECT 7 / 2 AS x")["x"].to_pylist() == [3.5]
    with pytest.raises(SqeError, match="INVALID_SESSION_PROPERTY"):
        sql("SET sql_dialect = 'klingon'")


def test_a_moment_with_a_zone_is_assigned_as_its_own_clock_shows_it(trino: Sql) -> None:
    """As by Trino 476; dbt's snapshots of deleted rows rely on it."""
    trino("CREATE TABLE lake.default.clocks (id integer, at timestamp(6))")
    trino("INSERT INTO lake.default.clocks VALUES (1, NULL), (2, NULL)")
    trino("UPDATE lake.default.clocks SET at = TIMESTAMP '2020-01-01 10:00:00 +05:00' WHERE id = 1")
    trino(
        "MERGE INTO lake.default.clocks t USING (SELECT 2 AS id, TIMESTAMP '2020-01-01 11:00:00 UTC' AS at) s ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET at = s.at"
    )
    shown = trino("SELECT CAST(at AS varchar) AS at FROM lake.default.clocks ORDER BY id")["at"].to_pylist()
    assert shown == ["2020-01-01 10:00:00.000000", "2020-01-01 11:00:00.000000"]
    with pytest.raises(SqeError, match="don't match SET"):
        trino("UPDATE lake.default.clocks SET id = current_timestamp")


def test_tables_views_and_rows(trino: Sql) -> None:
    trino("CREATE SCHEMA IF NOT EXISTS lake.duck")
    trino("USE lake.duck")
    trino(
        "CREATE TABLE Pond (Id bigint NOT NULL, name varchar(10) COMMENT 'who', d date) WITH (partitioning = ARRAY['month(d)'])"
    )
    trino("INSERT INTO pond VALUES (1, 'a', DATE '2020-01-01'), (2, 'b', NULL)")
    trino("INSERT INTO pond (name, id) SELECT upper(name), id + 2 FROM pond")
    trino("UPDATE pond SET name = name || '!' WHERE id > 2")
    trino("DELETE FROM pond WHERE name LIKE 'B%'")
    trino(
        "MERGE INTO pond t USING (VALUES (1, 'z'), (9, 'n')) s(id, name) ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)"
    )
    assert trino("SELECT id, name FROM pond ORDER BY id").to_pylist() == [
        {"id": 1, "name": "z"},
        {"id": 2, "name": "b"},
        {"id": 3, "name": "A!"},
        {"id": 9, "name": "n"},
    ]
    trino("ALTER TABLE pond ADD COLUMN depth decimal(5,1)")
    trino("ALTER TABLE pond RENAME COLUMN depth TO deep")
    described = trino("DESCRIBE pond").to_pylist()
    assert [(row["Column"], row["Type"]) for row in described][-1] == ("deep", "decimal(5,1)")
    trino("CREATE OR REPLACE VIEW deep AS SELECT id / 2 AS half FROM pond WHERE id > 2")
    assert trino("SELECT half FROM deep ORDER BY 1")["half"].to_pylist() == [1, 4]
    trino("CREATE TABLE copy AS SELECT id, name AS n FROM pond WITH NO DATA")
    assert trino("SELECT count(*) AS n FROM copy")["n"].to_pylist() == [0]
    assert trino("SHOW TABLES LIKE 'p%'")["Table"].to_pylist() == ["pond"]
    assert "duck" in trino("SHOW SCHEMAS FROM lake")["Schema"].to_pylist()
    trino("ALTER TABLE pond EXECUTE optimize")
    trino("DROP VIEW deep")
    trino("DROP TABLE IF EXISTS copy")


def test_columns_are_told_in_trinos_words(handler: QueryHandler, session: Session, trino: Sql) -> None:
    with handler.submit(session, "SELECT 1.5, now(), 'x' AS T", door="test") as query:
        assert [(each.name, each.type) for each in query.columns or ()] == [
            ("_col0", "decimal(2,1)"),
            ("_col1", "timestamp(3) with time zone"),
            ("T", "varchar(1)"),
        ]
    prepared = handler.prepare(session, "SELECT 7 / 2 AS x")
    assert [each.type for each in prepared.columns or ()] == ["integer"]


def test_the_zone_of_the_session_shifts_no_timestamps(trino: Sql) -> None:
    trino("SET time_zone = 'America/New_York'")
    # 02:30 does not exist in New York on this day; a timestamp without zone does not care.
    assert trino("SELECT CAST(TIMESTAMP '2021-03-14 02:30:00' AS varchar) AS x")["x"].to_pylist() == ["2021-03-14 02:30:00"]
    assert trino("SELECT CAST(TIMESTAMP '2020-07-01 00:00:00' AS timestamp with time zone) AS x")["x"].to_pylist()[0].hour == 4
    assert trino("SELECT current_timezone() AS x")["x"].to_pylist() == ["America/New_York"]
    trino("RESET time_zone")


@pytest.mark.parametrize(
    "hostile",
    [
        'SELECT * FROM "parquet"."/etc/passwd"',
        'SELECT * FROM "csv"."/etc/passwd"',
        "SELECT java_method('java.lang.System', 'getProperty', 'user.home')",
        "SELECT * FROM t; DROP TABLE t",
        "CALL java.lang.exit()",
    ],
)
def test_the_gate_is_the_same(trino: Sql, hostile: str) -> None:
    with pytest.raises(SqeError) as caught:
        trino(hostile)
    assert (
        "passwd" not in caught.value.message
        or "does not exist" in caught.value.message
        or "not available" in caught.value.message
    )


def test_errors_of_the_engine_name_no_place_in_a_text_that_nobody_wrote(trino: Sql) -> None:
    with pytest.raises(SqeError) as caught:
        trino("SELECT 1 / (SELECT 0)")
    assert (caught.value.code.name, caught.value.line) == ("DIVISION_BY_ZERO", None)
