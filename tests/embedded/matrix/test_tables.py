"""The scoreboard's cells on tables: making and changing them, partitions, history, branches, maintenance."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
from both_engines import MERGE_ON_READ, BothEngines
from pyiceberg.types import DateType, DoubleType, LongType, StringType


def test_table_creation(both: BothEngines) -> None:
    both.sql(
        "CREATE TABLE {t} (id BIGINT NOT NULL COMMENT 'the key', name STRING, day DATE, tags ARRAY<STRING>, "
        "at STRUCT<x: INT, y: INT>) PARTITIONED BY (months(day), bucket(4, id)) COMMENT 'made here' "
        "TBLPROPERTIES ({v}, 'owner-team' = 'x')",
        "ALTER TABLE {t} WRITE ORDERED BY name DESC NULLS LAST",
        "ALTER TABLE {t} SET IDENTIFIER FIELDS id",
        "INSERT INTO {t} VALUES (1, 'a', DATE '2026-01-01', array('p'), named_struct('x', 1, 'y', 2))",
    )
    made = both.theirs()
    assert [field.name for field in made.schema().fields] == ["id", "name", "day", "tags", "at"]
    assert (made.schema().find_field("id").required, made.schema().find_field("id").doc) == (True, "the key")
    assert made.schema().identifier_field_names() == {"id"}
    assert [str(field.transform) for field in made.spec().fields] == ["month", "bucket[4]"]
    assert [str(field.direction) for field in made.sort_order().fields] == ["DESC"]
    assert (made.properties["comment"], made.properties["owner-team"]) == ("made here", "x")
    assert len(both.agreed()) == 1
    both.sql("CREATE TABLE {t}_copy TBLPROPERTIES ({v}) AS SELECT id, name FROM {t}", "CREATE TABLE {t}_like LIKE {t}")
    assert both.sql("SELECT * FROM {t}_copy") == [(1, "a")]
    assert both.sql("SELECT count(*) FROM {t}_like") == [(0,)]


def test_schema_evolution(both: BothEngines) -> None:
    both.sql(
        "CREATE TABLE {t} (id BIGINT, gone STRING, old STRING, r STRUCT<x: INT>) TBLPROPERTIES ({v})",
        "INSERT INTO {t} VALUES (1, 'g', 'kept', named_struct('x', 1))",
        "ALTER TABLE {t} DROP COLUMN gone",
        "ALTER TABLE {t} RENAME COLUMN old TO new",
        "ALTER TABLE {t} ADD COLUMN gone INT",
        "ALTER TABLE {t} ADD COLUMN r.y STRING",
        "ALTER TABLE {t} ALTER COLUMN new FIRST",
        "INSERT INTO {t} VALUES ('second', 2, named_struct('x', 3, 'y', 'deep'), 7)",
    )
    assert both.agreed() == [("kept", 1, {"x": 1, "y": None}, None), ("second", 2, {"x": 3, "y": "deep"}, 7)]
    [(files,)] = both.sql("SELECT count(*) FROM {t}.files")
    assert files == 2, "nothing was rewritten"


def test_type_promotion(both: BothEngines) -> None:
    both.sql(
        "CREATE TABLE {t} (i INT, f FLOAT, d DECIMAL(5, 2), m MAP<STRING, INT>) TBLPROPERTIES ({v})",
        "INSERT INTO {t} VALUES (1, 1.5, 2.25, map('k', 1))",
        "ALTER TABLE {t} ALTER COLUMN i TYPE BIGINT",
        "ALTER TABLE {t} ALTER COLUMN f TYPE DOUBLE",
        "ALTER TABLE {t} ALTER COLUMN d TYPE DECIMAL(20, 2)",
        "ALTER TABLE {t} ALTER COLUMN m.value TYPE BIGINT",
        "INSERT INTO {t} VALUES (5000000000, 1e300, 123456789012345678.25, map('k', 5000000000))",
    )
    assert both.agreed() == [
        (1, 1.5, Decimal("2.25"), {"k": 1}),
        (5000000000, 1e300, Decimal("123456789012345678.25"), {"k": 5000000000}),
    ]
    schema = both.theirs().schema()
    assert (schema.find_type("i"), schema.find_type("f"), str(schema.find_type("d"))) == (
        LongType(),
        DoubleType(),
        "decimal(20, 2)",
    )


def test_hidden_partitioning(both: BothEngines) -> None:
    both.sql(
        "CREATE TABLE {t} (id BIGINT, s STRING, y DATE, m DATE, d TIMESTAMP, h TIMESTAMP_NTZ) PARTITIONED BY "
        "(bucket(4, id), truncate(2, s), years(y), months(m), days(d), hours(h)) TBLPROPERTIES ({v})",
        "INSERT INTO {t} SELECT id, 'text' || id, date_add(DATE '2020-01-01', CAST(id * 100 AS INT)), DATE '2026-01-31', "
        "timestamp_seconds(id * 86400), CAST(timestamp_seconds(id * 3600) AS TIMESTAMP_NTZ) FROM range(20)",
    )
    transforms = ["bucket[4]", "truncate[2]", "year", "month", "day", "hour"]
    assert [str(field.transform) for field in both.theirs().spec().fields] == transforms
    assert len(both.agreed()) == 20
    assert both.sql("SELECT id FROM {t} WHERE d = TIMESTAMP '1970-01-08 00:00:00'") == [(7,)]
    assert both.sql("SELECT count(DISTINCT _file) FROM {t} WHERE d < TIMESTAMP '1970-01-03 00:00:00'") == [(2,)]
    planned = both.theirs().scan(row_filter="d < '1970-01-03T00:00:00+00:00'").plan_files()
    assert len(list(planned)) == 2


def test_partition_evolution(both: BothEngines) -> None:
    both.sql(
        "CREATE TABLE {t} (id BIGINT, day DATE) PARTITIONED BY (days(day)) TBLPROPERTIES ({v})",
        "INSERT INTO {t} SELECT id, date_add(DATE '2026-01-01', CAST(id AS INT)) FROM range(10)",
        "ALTER TABLE {t} REPLACE PARTITION FIELD days(day) WITH months(day)",
        "INSERT INTO {t} SELECT id + 100, date_add(DATE '2026-01-01', CAST(id AS INT)) FROM range(10)",
        "ALTER TABLE {t} DROP PARTITION FIELD months(day)",
        "ALTER TABLE {t} ADD PARTITION FIELD bucket(2, id) AS shard",
        "INSERT INTO {t} VALUES (1000, DATE '2026-01-02')",
    )
    assert [row[1] for row in both.sql("SELECT spec_id, count(*) FROM {t}.files GROUP BY 1 ORDER BY 1")] == [10, 1, 1]
    assert len(both.agreed()) == 21
    assert both.sql("SELECT id FROM {t} WHERE day = DATE '2026-01-02' ORDER BY id") == [(1,), (101,), (1000,)]
    assert both.they_read(row_filter="day = '2026-01-02'", selected_fields=("id",)) == [(1,), (1000,), (101,)]


def test_time_travel(both: BothEngines) -> None:
    both.sql("CREATE TABLE {t} (id BIGINT) TBLPROPERTIES ({v})", "INSERT INTO {t} VALUES (1)")
    [(first, moment)] = both.sql("SELECT snapshot_id, committed_at FROM {t}.snapshots")
    both.sql("INSERT INTO {t} VALUES (2)", "ALTER TABLE {t} ADD COLUMN more INT", "DELETE FROM {t} WHERE id = 1")
    assert both.sql(f"SELECT * FROM {{t}} FOR VERSION AS OF {first}") == [(1,)]
    text = moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
    assert both.sql(f"SELECT * FROM {{t}} FOR TIMESTAMP AS OF '{text}'") == [(1,)]
    assert both.they_read(snapshot_id=first) == [(1,)]
    assert both.sql("SELECT count(*) FROM {t}.history") == [(3,)]
    both.sql(f"CALL lake.system.rollback_to_snapshot(table => 'default.{{t}}', snapshot_id => {first})")
    assert both.agreed() == [(1, None)]


def test_branching_and_tagging(both: BothEngines) -> None:
    both.sql(
        "CREATE TABLE {t} (id BIGINT) TBLPROPERTIES ({v})",
        "INSERT INTO {t} VALUES (1)",
        "CREATE TAG first ON {t} RETAIN 7 DAYS",
        "CREATE BRANCH side ON {t} WITH SNAPSHOT RETENTION 2 SNAPSHOTS",
        "INSERT INTO {t}.branch_side VALUES (2)",
        "SET write_branch = 'side'",
        "INSERT INTO {t} VALUES (3)",
        "SET write_branch = DEFAULT",
    )
    refs = both.theirs().metadata.refs
    assert {name: str(ref.snapshot_ref_type.value) for name, ref in refs.items()} == {
        "main": "branch",
        "first": "tag",
        "side": "branch",
    }
    assert refs["first"].max_ref_age_ms == 7 * 86400 * 1000
    assert both.agreed() == [(1,)]
    assert both.sql("SELECT id FROM {t} VERSION AS OF 'side' ORDER BY id") == [(1,), (2,), (3,)]
    assert both.they_read(snapshot_id=refs["side"].snapshot_id) == [(1,), (2,), (3,)]
    both.sql("CALL lake.system.fast_forward(table => 'default.{t}', branch => 'main', to => 'side')", "DROP BRANCH side ON {t}")
    assert both.agreed() == [(1,), (2,), (3,)]
    assert both.sql("SELECT id FROM {t} VERSION AS OF 'first'") == [(1,)]


def test_table_maintenance(both: BothEngines, warehouse: Path) -> None:
    both.sql(f"CREATE TABLE {{t}} (id BIGINT) TBLPROPERTIES ({{v}}, {MERGE_ON_READ})")
    for number in range(4):
        both.sql(f"INSERT INTO {{t}} SELECT id + {number * 10} FROM range(0, 10, 1, 1)")
    both.sql("DELETE FROM {t} WHERE id % 10 = 3")
    stray = warehouse / "default" / both.table / "data" / "stray.parquet"
    stray.write_bytes(b"nobody's")
    old = time.time() - 5 * 86400
    os.utime(stray, (old, old))
    both.sql(
        "CALL lake.system.rewrite_data_files(table => 'default.{t}', strategy => 'sort', sort_order => 'id DESC', "
        "options => map('rewrite-all', 'true'))",
        "CALL lake.system.rewrite_position_delete_files(table => 'default.{t}')",
        "CALL lake.system.rewrite_manifests(table => 'default.{t}')",
        "CALL lake.system.expire_snapshots(table => 'default.{t}', older_than => now() + INTERVAL 1 HOUR, retain_last => 1)",
        "CALL lake.system.remove_orphan_files(table => 'default.{t}')",
    )
    assert both.sql("SELECT count(*) FROM {t}.data_files") == [(1,)]
    assert both.sql("SELECT count(*) FROM {t}.snapshots") == [(1,)]
    assert both.sql("SELECT count(*) FROM {t}.manifests WHERE content = 0") == [(1,)]
    assert not stray.exists()
    assert len(both.agreed()) == 36


def test_we_read_and_change_what_pyiceberg_made(both: BothEngines) -> None:
    """The catalog is the meeting place: the table comes from the other side and goes back and forth."""
    moment = datetime(2026, 1, 31, 10, 11, 12, 123456, tzinfo=UTC)
    data = pa.table(
        {"id": pa.array([1, 2], pa.int64()), "s": ["a", None], "t": pa.array([moment, None], pa.timestamp("us", "UTC"))}
    )
    table = both.catalog.create_table(f"default.{both.table}", schema=data.schema)
    table.append(data)
    both.sql("ALTER TABLE {t} SET TBLPROPERTIES ({v})")
    assert both.agreed() == [(1, "a", moment), (2, None, None)]
    both.sql("UPDATE {t} SET s = 'changed' WHERE id = 2", "ALTER TABLE {t} ADD COLUMN day DATE")
    assert both.agreed() == [(1, "a", moment, None), (2, "changed", None, None)]
    schema = both.theirs().schema()
    assert (schema.find_type("s"), schema.find_type("day")) == (StringType(), DateType())
