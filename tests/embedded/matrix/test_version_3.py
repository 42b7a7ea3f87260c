"""The scoreboard's cells that only format version 3 has."""

from __future__ import annotations

from datetime import date
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from both_engines import MERGE_ON_READ, BothEngines

from sqe.errors import SqeError


def only_file(both: BothEngines) -> str:
    [(path,)] = both.sql("SELECT file_path FROM {t}.files")
    return str(path).removeprefix("file:")


def in_duckdb(query: str, *values: Any) -> list[Any]:
    with duckdb.connect() as other:
        return other.execute(query, list(values)).fetchall()


def test_column_default_values(newest: BothEngines) -> None:
    newest.sql(
        "CREATE TABLE {t} (id BIGINT, n INT DEFAULT 5) TBLPROPERTIES ({v})",
        "INSERT INTO {t} (id) VALUES (1)",
        "ALTER TABLE {t} ADD COLUMN day DATE DEFAULT DATE '2026-01-01'",
        "ALTER TABLE {t} ALTER COLUMN n SET DEFAULT 6",
        "INSERT INTO {t} (id) VALUES (2)",
    )
    # Rows that are older than a column have its first default, new rows the newest.
    assert newest.sql("SELECT * FROM {t} ORDER BY id") == [(1, 5, date(2026, 1, 1)), (2, 6, date(2026, 1, 1))]
    field = newest.theirs().schema().find_field("n")
    assert (field.initial_default, field.write_default) == (None, 6) or (field.initial_default, field.write_default) == (5, 6)
    assert newest.agreed() == [(1, 5, date(2026, 1, 1)), (2, 6, date(2026, 1, 1))]


def test_variant_type(newest: BothEngines) -> None:
    newest.sql(
        "CREATE TABLE {t} (id BIGINT, v VARIANT) TBLPROPERTIES ({v})",
        """INSERT INTO {t} SELECT id, parse_json('{"a": ' || id || ', "b": ["x", null]}') FROM range(0, 3, 1, 1)""",
        "INSERT INTO {t} VALUES (9, NULL)",
    )
    assert newest.sql("SELECT id, variant_get(v, '$.a', 'int'), v:b[0]::string FROM {t} ORDER BY id") == [
        (0, 0, "x"),
        (1, 1, "x"),
        (2, 2, "x"),
        (9, None, None),
    ]
    newest.sql("""UPDATE {t} SET v = parse_json('{"a": 77}') WHERE id = 9""")
    assert newest.sql("SELECT sum(variant_get(v, '$.a', 'int')) FROM {t}") == [(80,)]
    for (path,) in newest.sql("SELECT file_path FROM {t}.files"):
        kinds = {column.name: column.logical_type.type for column in pq.ParquetFile(path.removeprefix("file:")).schema}
        assert {"id", "metadata", "value"} <= set(kinds), "Parquet's own encoding, which any reader of variants knows"


def test_shredded_variant(newest: BothEngines) -> None:
    newest.sql(
        "CREATE TABLE {t} (id BIGINT, v VARIANT) TBLPROPERTIES ({v}, 'write.parquet.shred-variants' = 'true')",
        """INSERT INTO {t} SELECT id, parse_json('{"a": ' || id || ', "b": "x"}') FROM range(0, 100, 1, 1)""",
    )
    assert newest.sql("SELECT sum(variant_get(v, '$.a', 'int')), count(v:b::string) FROM {t}") == [(4950, 100)]
    paths = {column.path for column in pq.ParquetFile(only_file(newest)).schema}
    assert {"v.typed_value.a.typed_value", "v.typed_value.b.typed_value"} <= paths


def test_geometry_type(newest: BothEngines) -> None:
    point = bytes.fromhex("0101000000000000000000f03f0000000000000040")
    newest.sql(
        "CREATE TABLE {t} (id BIGINT, flat GEOMETRY(4326), round GEOGRAPHY(4326)) TBLPROPERTIES ({v})",
        f"INSERT INTO {{t}} VALUES (1, ST_SetSrid(ST_GeomFromWKB(X'{point.hex()}'), 4326), ST_GeogFromWKB(X'{point.hex()}'))",
    )
    assert newest.sql("SELECT ST_AsBinary(flat), ST_Srid(flat), ST_AsBinary(round) FROM {t}") == [(point, 4326, point)]
    kinds = {column.name: str(column.logical_type) for column in pq.ParquetFile(only_file(newest)).schema}
    assert kinds["flat"].startswith("Geometry")
    assert kinds["round"].startswith("Geography")
    # PyIceberg 0.12.0 cannot read the schema: it wants the reference system in quotes, which the specification does not have.
    assert in_duckdb("SELECT count(*) FROM read_parquet(?)", only_file(newest)) == [(1,)]


def test_lineage(newest: BothEngines) -> None:
    newest.sql(
        f"CREATE TABLE {{t}} (id BIGINT, s STRING) TBLPROPERTIES ({{v}}, {MERGE_ON_READ})",
        "INSERT INTO {t} SELECT id, 'x' FROM range(0, 100, 1, 1)",
    )
    before = dict(newest.sql("SELECT id, _row_id FROM {t}"))
    assert newest.theirs().metadata.next_row_id == 100  # type: ignore[union-attr]
    newest.sql("UPDATE {t} SET s = 'y' WHERE id = 5", "DELETE FROM {t} WHERE id = 6")
    changed = newest.sql("SELECT id FROM {t} WHERE _last_updated_sequence_number > 1")
    assert changed == [(5,)]
    newest.sql("CALL lake.system.rewrite_data_files(table => 'default.{t}', options => map('rewrite-all', 'true'))")
    del before[6]
    assert dict(newest.sql("SELECT id, _row_id FROM {t}")) == before
    # After the rewrite the ids are columns of the file, where others find them.
    assert dict(in_duckdb("SELECT id, _row_id FROM read_parquet(?)", only_file(newest))) == before
    assert len(newest.agreed()) == 99


def test_change_data_capture(newest: BothEngines) -> None:
    """Changes are captured with their kind and replayed elsewhere; the copy is the same."""
    newest.sql(
        "CREATE TABLE {t} (id BIGINT, s STRING) TBLPROPERTIES ({v})",
        "INSERT INTO {t} SELECT id, 'x' FROM range(0, 10, 1, 1)",
        "CREATE TABLE {t}_copy TBLPROPERTIES ({v}) AS SELECT * FROM {t}",
    )
    [(start,)] = newest.sql("SELECT snapshot_id FROM {t}.refs WHERE name = 'main'")
    newest.sql(
        "UPDATE {t} SET s = 'y' WHERE id = 1",
        "DELETE FROM {t} WHERE id = 2",
        "INSERT INTO {t} VALUES (20, 'new')",
        "CALL lake.system.create_changelog_view(table => 'default.{t}', changelog_view => 'changed', "
        f"options => map('start-snapshot-id', '{start}'), identifier_columns => array('id'))",
    )
    changes = newest.sql("SELECT _change_type, id, s FROM changed ORDER BY _change_ordinal, id, _change_type")
    assert changes == [("UPDATE_AFTER", 1, "y"), ("UPDATE_BEFORE", 1, "x"), ("DELETE", 2, "x"), ("INSERT", 20, "new")]
    newest.sql(
        # A table in between: Spark 4.1.4 cannot plan a MERGE whose source is a view that pairs updates.
        "CREATE TABLE {t}_changes AS SELECT * FROM changed WHERE _change_type != 'UPDATE_BEFORE'",
        "MERGE INTO {t}_copy t USING {t}_changes c ON t.id = c.id "
        "WHEN MATCHED AND c._change_type = 'DELETE' THEN DELETE WHEN MATCHED THEN UPDATE SET s = c.s "
        "WHEN NOT MATCHED THEN INSERT (id, s) VALUES (c.id, c.s)",
    )
    assert newest.sql("SELECT * FROM {t}_copy ORDER BY id") == sorted(newest.agreed())


MISSING = {
    "nanosecond timestamps": ("CREATE TABLE {t} (at TIMESTAMP_NS) TBLPROPERTIES ({v})", "Spark 4.1 has no such type"),
    "multi-argument transforms": (
        "CREATE TABLE {t} (a INT, b INT) PARTITIONED BY (bucket(4, a, b)) TBLPROPERTIES ({v})",
        "Iceberg 1.12 for Spark does not have them yet",
    ),
    "vector type": ("CREATE TABLE {t} (v VECTOR(3)) TBLPROPERTIES ({v})", "VECTOR"),
}


@pytest.mark.parametrize("feature", MISSING)
def test_what_upstream_lacks_is_refused(newest: BothEngines, feature: str) -> None:
    statement, words = MISSING[feature]
    with pytest.raises(SqeError, match=words):
        newest.sql(statement.replace("{t}", "refused"))
    assert newest.sql("SHOW TABLES LIKE 'refused'") == []


def test_embeddings_are_arrays(newest: BothEngines) -> None:
    """The specification has no vectors; arrays hold them, and SQL finds the nearest."""
    newest.sql(
        "CREATE TABLE {t} (id BIGINT, e ARRAY<FLOAT>) TBLPROPERTIES ({v})",
        "INSERT INTO {t} VALUES (1, array(1, 0, 0)), (2, array(0, 1, 0)), (3, array(0.9, 0.1, 0))",
    )
    nearest = newest.sql(
        "SELECT id FROM {t} ORDER BY "
        "aggregate(zip_with(e, array(1, 0, 0), (a, b) -> (a - b) * (a - b)), DOUBLE(0), (s, d) -> s + d) LIMIT 2"
    )
    assert nearest == [(1,), (3,)]
    assert len(newest.agreed()) == 3
