"""The scoreboard's cells on rows: deletes of all kinds, reading, writing, statistics."""

from __future__ import annotations

from datetime import date

import duckdb
from both_engines import MERGE_ON_READ, BothEngines
from equality_deletes import delete_where_equal

ROWS = "INSERT INTO {t} SELECT id, 'name' || id FROM range(0, 100, 1, 1)"
COLUMNS = "CREATE TABLE {t} (id BIGINT, name STRING)"


def delete_files(both: BothEngines) -> list[tuple[object, ...]]:
    return both.sql("SELECT content, file_format FROM {t}.delete_files ORDER BY 1, 2")


def test_position_deletes(both: BothEngines) -> None:
    both.sql(f"{COLUMNS} TBLPROPERTIES ({{v}}, 'write.delete.mode' = 'merge-on-read')", ROWS, "DELETE FROM {t} WHERE id % 7 = 3")
    assert delete_files(both) == [(1, "PARQUET" if both.version == 2 else "PUFFIN")]
    assert len(both.agreed()) == 86
    both.sql("CALL lake.system.rewrite_position_delete_files(table => 'default.{t}', options => map('rewrite-all', 'true'))")
    assert len(both.agreed()) == 86


def test_equality_deletes(both: BothEngines) -> None:
    """Another engine writes them (Spark has no writer of them); they count, and a rewrite takes them away."""
    both.sql(f"{COLUMNS} TBLPROPERTIES ('format-version' = '2')", ROWS)
    delete_where_equal(both.theirs(), {"id": [3, 5, 700]})
    both.sql("ALTER TABLE {t} SET TBLPROPERTIES ({v})")
    assert delete_files(both) == [(2, "PARQUET")]
    assert both.sql("SELECT count(*), sum(id) FROM {t}") == [(98, 4942)]
    assert both.sql("SELECT id FROM {t} WHERE id IN (2, 3, 4) ORDER BY id") == [(2,), (4,)]
    both.sql("INSERT INTO {t} VALUES (3, 'again')")
    assert both.sql("SELECT name FROM {t} WHERE id = 3") == [("again",)]
    both.sql(
        "CALL lake.system.rewrite_data_files(table => 'default.{t}', "
        "options => map('rewrite-all', 'true', 'remove-dangling-deletes', 'true'))"
    )
    assert delete_files(both) == []
    assert len(both.agreed()) == 99


def test_merge_on_read(both: BothEngines) -> None:
    both.sql(f"{COLUMNS} TBLPROPERTIES ({{v}}, {MERGE_ON_READ})", ROWS)
    written = both.sql("SELECT file_path FROM {t}.data_files")
    both.sql(
        "UPDATE {t} SET name = 'changed' WHERE id = 1",
        "DELETE FROM {t} WHERE id = 2",
        "MERGE INTO {t} t USING (SELECT explode(array(3L, 300L)) AS id) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET name = 'merged' WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, 'new')",
    )
    assert set(written) <= set(both.sql("SELECT file_path FROM {t}.data_files"))
    assert {kind for _, kind in delete_files(both)} == {"PARQUET" if both.version == 2 else "PUFFIN"}
    names = {row[0]: row[1] for row in both.agreed()}
    assert (names[1], names[3], names[300], 2 in names, len(names)) == ("changed", "merged", "new", False, 100)


def test_copy_on_write(both: BothEngines) -> None:
    both.sql(f"{COLUMNS} TBLPROPERTIES ({{v}})", ROWS)
    written = both.sql("SELECT file_path FROM {t}.data_files")
    both.sql(
        "UPDATE {t} SET name = 'changed' WHERE id = 1",
        "DELETE FROM {t} WHERE id = 2",
        "MERGE INTO {t} t USING (SELECT 3L AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'merged'",
    )
    assert delete_files(both) == []
    assert not set(written) & set(both.sql("SELECT file_path FROM {t}.data_files"))
    names = {row[0]: row[1] for row in both.agreed()}
    assert (names[1], names[3], 2 in names, len(names)) == ("changed", "merged", False, 99)


def test_read_support(both: BothEngines) -> None:
    both.sql(
        "CREATE TABLE {t} (id BIGINT, name STRING, day DATE) PARTITIONED BY (day) TBLPROPERTIES ({v})",
        "INSERT INTO {t} SELECT id, 'n' || id, date_add(DATE '2026-01-01', CAST(id % 10 AS INT)) FROM range(100)",
    )
    assert both.sql("SELECT id FROM {t} WHERE day = DATE '2026-01-04' AND id > 90") == [(93,)]
    assert both.sql("SELECT count(DISTINCT _file) FROM {t} WHERE day < DATE '2026-01-03'") == [(2,)]
    assert both.they_read(row_filter="day = '2026-01-04' and id > 90", selected_fields=("id",)) == [(93,)]
    assert both.sql("SELECT count(*), sum(record_count) FROM {t}.files") == [(10, 100)]
    assert both.sql("SELECT operation FROM {t}.snapshots") == [("append",)]
    first = both.sql("SELECT snapshot_id FROM {t}.snapshots")[0][0]
    both.sql("INSERT INTO {t} VALUES (1000, 'later', DATE '2027-01-01')")
    [(last,)] = both.sql("SELECT snapshot_id FROM {t}.refs WHERE name = 'main'")
    new = both.sql(f"SELECT id FROM {{t}} FOR INCREMENTAL BETWEEN SNAPSHOT {first} AND SNAPSHOT {last}")
    assert new == [(1000,)]
    assert len(both.agreed()) == 101


def test_write_insert(both: BothEngines) -> None:
    both.sql(
        "CREATE TABLE {t} (id BIGINT, name STRING, day DATE) PARTITIONED BY (day) TBLPROPERTIES ({v})",
        "INSERT INTO {t} VALUES (1, 'a', DATE '2026-01-01'), (2, NULL, DATE '2026-01-02')",
        "INSERT INTO {t} (day, id) SELECT DATE '2026-01-03', 3",
        "INSERT OVERWRITE {t} PARTITION (day = DATE '2026-01-02') SELECT 4, 'over'",
    )
    assert both.agreed() == [
        (1, "a", date(2026, 1, 1)),
        (3, None, date(2026, 1, 3)),
        (4, "over", date(2026, 1, 2)),
    ]
    both.sql("CREATE OR REPLACE TABLE {t} TBLPROPERTIES ({v}) AS SELECT id, name FROM {t} WHERE id > 1")
    assert both.agreed() == [(3, None), (4, "over")]
    both.sql("INSERT OVERWRITE {t} VALUES (9, 'all')")
    assert both.agreed() == [(9, "all")]


def test_write_merge_update_delete(both: BothEngines) -> None:
    both.sql(f"{COLUMNS} TBLPROPERTIES ({{v}})", "INSERT INTO {t} SELECT id, 'x' FROM range(6)")
    both.sql(
        "MERGE INTO {t} t USING (SELECT * FROM VALUES (1L, 'up'), (2L, 'gone'), (3L, 'skip'), (10L, 'in'), (11L, 'not') "
        "AS s(id, name)) s ON t.id = s.id "
        "WHEN MATCHED AND s.name = 'gone' THEN DELETE "
        "WHEN MATCHED AND s.name = 'up' THEN UPDATE SET name = s.name "
        "WHEN NOT MATCHED AND s.name = 'in' THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.id = 0 THEN DELETE "
        "WHEN NOT MATCHED BY SOURCE AND t.id = 5 THEN UPDATE SET name = 'alone'"
    )
    assert both.agreed() == [(1, "up"), (10, "in"), (3, "x"), (4, "x"), (5, "alone")]
    both.sql("UPDATE {t} SET name = upper(name) WHERE id IN (SELECT id FROM range(2))", "DELETE FROM {t} WHERE name = 'x'")
    assert both.agreed() == [(1, "UP"), (10, "in"), (5, "alone")]


def test_statistics(both: BothEngines) -> None:
    both.sql(f"{COLUMNS} TBLPROPERTIES ({{v}})", ROWS, "INSERT INTO {t} VALUES (NULL, 'none')")
    files = both.theirs().inspect.files()
    assert sum(files["record_count"].to_pylist()) == 101
    metrics = [metric["id"] for metric in files["readable_metrics"].to_pylist()]
    assert [(each["lower_bound"], each["upper_bound"]) for each in metrics if each["null_value_count"] == 0] == [(0, 99)]
    assert sum(each["null_value_count"] for each in metrics) == 1
    both.sql("CALL lake.system.compute_table_stats(table => 'default.{t}')")
    [puffin] = both.theirs().metadata.statistics
    assert {blob.type for blob in puffin.blob_metadata} == {"apache-datasketches-theta-v1"}
    stats = {row[0]: row for row in both.sql("SHOW STATS FOR {t}")}
    assert float(stats["id"][2]) == 100
    assert both.agreed()


def test_bloom_filters(both: BothEngines) -> None:
    """In the Parquet files, where another reader uses them; distinct counts in Puffin files."""
    both.sql(f"{COLUMNS} TBLPROPERTIES ({{v}}, 'write.parquet.bloom-filter-enabled.column.name' = 'true')", ROWS)
    [(path,)] = both.sql("SELECT file_path FROM {t}.files")
    with duckdb.connect() as other:
        offsets = other.execute("SELECT path_in_schema, bloom_filter_offset FROM parquet_metadata(?)", [path]).fetchall()
        assert {column: offset is not None for column, offset in offsets} == {"id": False, "name": True}
        probe = "SELECT bloom_filter_excludes FROM parquet_bloom_probe(?, 'name', ?)"
        assert other.execute(probe, [path, "name7"]).fetchall() == [(False,)]
        assert other.execute(probe, [path, "nobody"]).fetchall() == [(True,)]
    assert both.sql("SELECT id FROM {t} WHERE name = 'name7'") == [(7,)]
    assert both.sql("SELECT id FROM {t} WHERE name = 'nobody'") == []
    both.sql("CALL lake.system.compute_table_stats(table => 'default.{t}', columns => array('name'))")
    [puffin] = both.theirs().metadata.statistics
    assert [blob.properties["ndv"] for blob in puffin.blob_metadata] == ["100"]
    assert len(both.agreed()) == 100
