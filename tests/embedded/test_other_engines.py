"""PyIceberg, a reader and writer of its own, agrees on what is in the tables, both ways, through the same catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from sqe.engine.driver import Driver
from sqe.sessions import Sessions

Sql = Callable[[str], pa.Table]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared")


@pytest.fixture(scope="module")
def sessions(driver: Driver, warehouse: Path) -> Iterator[Sessions]:
    sessions = Sessions(driver, {"lake": {"type": "sqlite", "path": str(warehouse)}}, "lake")
    yield sessions
    sessions.close_all()


@pytest.fixture
def theirs(warehouse: Path, sql: Sql) -> Iterator[SqlCatalog]:
    sql("SHOW SCHEMAS")  # makes the database
    catalog = SqlCatalog("lake", uri=f"sqlite:///{warehouse}/catalog.db", warehouse=warehouse.as_uri())
    yield catalog
    catalog.engine.dispose()


def rows(catalog: SqlCatalog, table: str, **scan: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = catalog.load_table(table).scan(**scan).to_arrow().to_pylist()
    return sorted(found, key=lambda row: row["id"])


# Statements on a table of ours; PyIceberg must read the same rows as we do.
STORIES = {
    "types": [
        "CREATE TABLE types (id BIGINT, b BOOLEAN, i INT, f FLOAT, d DOUBLE, n DECIMAL(20, 4), s STRING, y BINARY, day DATE, "
        "t TIMESTAMP, l TIMESTAMP_NTZ, a ARRAY<INT>, m MAP<STRING, INT>, r STRUCT<x: INT, z: STRING>)",
        "INSERT INTO types VALUES (1, true, 2, 1.5, 2.5, 12345678901234.5678, 'é', X'00ff', DATE '2026-01-31', "
        "TIMESTAMP '2026-01-31 10:11:12.123456', TIMESTAMP_NTZ '2026-01-31 10:11:12.123456', array(1, NULL), map('k', 1), "
        "named_struct('x', 1, 'z', NULL)), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
    ],
    "partitions": [
        "CREATE TABLE partitions (id BIGINT, s STRING, t TIMESTAMP) PARTITIONED BY (bucket(4, id), truncate(s, 2), days(t))",
        "INSERT INTO partitions SELECT id, 'text' || id % 3, timestamp_seconds(id * 40000) FROM range(50)",
        "ALTER TABLE partitions DROP PARTITION FIELD days(t)",
        "ALTER TABLE partitions ADD PARTITION FIELD months(t)",
        "INSERT INTO partitions SELECT id + 100, 'more', timestamp_seconds(id * 40000) FROM range(50)",
    ],
    "evolved": [
        "CREATE TABLE evolved (id INT, gone STRING, named FLOAT)",
        "INSERT INTO evolved VALUES (1, 'x', 1.5)",
        "ALTER TABLE evolved DROP COLUMN gone",
        "ALTER TABLE evolved RENAME COLUMN named TO renamed",
        "ALTER TABLE evolved ALTER COLUMN id TYPE BIGINT",
        "ALTER TABLE evolved ALTER COLUMN renamed TYPE DOUBLE",
        "ALTER TABLE evolved ADD COLUMN gone INT FIRST",
        "INSERT INTO evolved VALUES (7, 5000000000, 1e300)",
    ],
    "position_deletes": [
        "CREATE TABLE position_deletes (id BIGINT, s STRING) TBLPROPERTIES ('write.delete.mode' = 'merge-on-read', "
        "'write.update.mode' = 'merge-on-read', 'write.merge.mode' = 'merge-on-read')",
        "INSERT INTO position_deletes SELECT id, 'x' FROM range(0, 100, 1, 1)",
        "DELETE FROM position_deletes WHERE id % 7 = 3",
        "MERGE INTO position_deletes t USING (SELECT explode(array(5L, 500L)) AS id) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET s = 'merged' WHEN NOT MATCHED THEN INSERT (id, s) VALUES (s.id, 'new')",
    ],
    "deletion_vectors": [
        "CREATE TABLE deletion_vectors (id BIGINT, s STRING) "
        "TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read')",
        "INSERT INTO deletion_vectors SELECT id, 'x' FROM range(0, 100, 1, 1)",
        "DELETE FROM deletion_vectors WHERE id % 7 = 3",
    ],
    "rewritten": [
        "CREATE TABLE rewritten (id BIGINT)",
        "INSERT INTO rewritten VALUES (1)",
        "INSERT INTO rewritten VALUES (2)",
        "CALL lake.system.rewrite_data_files(table => 'default.rewritten', options => map('rewrite-all', 'true'))",
        "CALL lake.system.rewrite_manifests(table => 'default.rewritten')",
        "CALL lake.system.expire_snapshots(table => 'default.rewritten', older_than => now() + INTERVAL 1 HOUR)",
    ],
    "defaults": [
        "CREATE TABLE defaults (id BIGINT, n INT DEFAULT 5) TBLPROPERTIES ('format-version' = '3')",
        "INSERT INTO defaults (id) VALUES (1)",
    ],
}


@pytest.mark.long  # half a minute: seven tables, and PyIceberg reads them all
def test_they_read_what_we_wrote(sql: Sql, theirs: SqlCatalog) -> None:
    for name, story in STORIES.items():
        for statement in story:
            sql(statement)
        ours = sql(f"SELECT * FROM {name} ORDER BY id").to_pylist()
        for row in ours + (read := rows(theirs, f"default.{name}")):
            for key, value in row.items():
                if isinstance(value, list) and value and isinstance(value[0], tuple):
                    row[key] = dict(value)
        assert read == ours, name
        assert len(ours) > 0, name


def test_they_see_our_snapshots_branches_and_tags(sql: Sql, theirs: SqlCatalog) -> None:
    sql("CREATE TABLE refs_table AS SELECT 1L AS id")
    sql("CREATE TAG first ON refs_table")
    sql("CREATE BRANCH side ON refs_table")
    sql("INSERT INTO refs_table.branch_side VALUES (2)")
    table = theirs.load_table("default.refs_table")
    assert set(table.metadata.refs) == {"main", "first", "side"}
    side = table.snapshot_by_name("side")
    assert side is not None
    assert rows(theirs, "default.refs_table", snapshot_id=side.snapshot_id) == [{"id": 1}, {"id": 2}]


def test_we_read_what_they_wrote(sql: Sql, theirs: SqlCatalog) -> None:
    moment = datetime(2026, 1, 31, 10, 11, 12, 123456, tzinfo=UTC)
    data = pa.table(
        {
            "id": pa.array([1, 2], pa.int64()),
            "n": pa.array([Decimal("1.25"), None], pa.decimal128(10, 2)),
            "day": pa.array([date(2026, 1, 31), None]),
            "t": pa.array([moment, None], pa.timestamp("us", "UTC")),
            "a": pa.array([[1, 2], []], pa.list_(pa.int32())),
            "r": pa.array([{"x": 1}, None], pa.struct([("x", pa.int32())])),
        }
    )
    table = theirs.create_table("default.foreign_made", schema=data.schema)
    table.append(data)
    assert sql("SELECT * FROM foreign_made ORDER BY id").to_pylist() == data.to_pylist()
    table.delete("id = 1")
    assert sql("SELECT id FROM foreign_made").to_pylist() == [{"id": 2}]
    with table.update_schema() as update:
        update.rename_column("day", "renamed")
    assert "renamed" in sql("SELECT * FROM foreign_made").column_names
    sql("INSERT INTO foreign_made (id) VALUES (3)")
    assert [row["id"] for row in rows(theirs, "default.foreign_made")] == [2, 3]
