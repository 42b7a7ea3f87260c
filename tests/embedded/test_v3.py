"""Iceberg's format version 3: what works, and what is refused with the reason."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.errors import SqeError

Sql = Callable[[str], pa.Table]

V3 = "TBLPROPERTIES ('format-version' = '3')"


def test_columns_have_defaults(sql: Sql) -> None:
    sql(
        "CREATE TABLE d (id INT, n INT DEFAULT 2 + 3, s STRING DEFAULT 'x', t DATE DEFAULT DATE '2026-01-01', "
        f"p DECIMAL(5, 2) DEFAULT 1.5) {V3}"
    )
    sql("INSERT INTO d (id) VALUES (1)")
    sql("INSERT INTO d VALUES (2, DEFAULT, 'y', NULL, 9)")
    sql("ALTER TABLE d ADD COLUMN z BIGINT DEFAULT 7 AFTER id")
    sql("ALTER TABLE d ALTER COLUMN n SET DEFAULT 6")
    sql("INSERT INTO d (id) VALUES (3)")
    sql("MERGE INTO d USING (SELECT 4 AS id) s ON d.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)")
    sql("ALTER TABLE d ALTER COLUMN n DROP DEFAULT")
    sql("INSERT INTO d (id, z) VALUES (5, 0)")
    rows = [tuple(row.values()) for row in sql("SELECT * FROM d ORDER BY id").to_pylist()]
    day, price = date(2026, 1, 1), Decimal("1.50")
    assert rows == [
        (1, 7, 5, "x", day, price),
        (2, 7, 5, "y", None, Decimal("9.00")),
        (3, 7, 6, "x", day, price),
        (4, 7, 6, "x", day, price),
        (5, 0, None, "x", day, price),
    ]
    assert "DEFAULT 'x'" in sql("SHOW CREATE TABLE d").to_pylist()[0]["createtab_stmt"]


@pytest.mark.parametrize(
    ("kind", "default"),
    [
        ("DATE", "DATE '9999-12-31'"),
        ("DATE", "DATE '0001-01-01'"),
        ("DATE", "DATE '0001-01-01' - INTERVAL '500' YEAR"),
        ("DATE", "DATE '9999-12-31' + INTERVAL '1' DAY"),
        ("TIMESTAMP", "TIMESTAMP '0001-01-01 00:00:00.000001'"),
        ("TIMESTAMP", "TIMESTAMP '9999-12-31 23:59:59.999999' + INTERVAL '1' DAY"),
        ("FLOAT", "CAST('1.4E-45' AS FLOAT)"),
        ("DOUBLE", "CAST('-1.7976931348623157E308' AS DOUBLE)"),
        ("DECIMAL(38,38)", "0.00000000000000000000000000000000000001"),
        ("STRING", "'\\u0000\\\"\\n\\\\'"),
        ("BINARY", "X'00ff'"),
    ],
)
def test_an_extreme_default_leaves_a_table_that_can_be_read(sql: Sql, kind: str, default: str) -> None:
    """Or is refused, and leaves the table as it was."""
    sql("DROP TABLE IF EXISTS extreme")
    sql(f"CREATE TABLE extreme {V3} AS SELECT 1 AS id")
    try:
        sql(f"ALTER TABLE extreme ADD COLUMN v {kind} DEFAULT {default}")
    except SqeError as refused:
        assert refused.code.name == "NOT_SUPPORTED"  # noqa: PT017 - either end is right
        assert sql("SELECT * FROM extreme").column_names == ["id"]
    else:
        assert sql(f"SELECT id FROM extreme WHERE v = {default}").to_pylist() == [{"id": 1}]


def test_deletes_are_vectors_and_rows_keep_their_ids(sql: Sql) -> None:
    modes = ", ".join(f"'write.{what}.mode' = 'merge-on-read'" for what in ("delete", "update", "merge"))
    sql(f"CREATE TABLE v (id BIGINT, s STRING) TBLPROPERTIES ('format-version' = '3', {modes})")
    sql("INSERT INTO v SELECT id, 'x' FROM range(0, 100, 1, 1)")
    before = {row["id"]: row["_row_id"] for row in sql("SELECT id, _row_id FROM v").to_pylist()}
    sql("DELETE FROM v WHERE id % 10 = 3")
    assert sql("SELECT file_format, record_count FROM v.delete_files").to_pylist() == [
        {"file_format": "PUFFIN", "record_count": 10}
    ]
    sql("UPDATE v SET s = 'y' WHERE id = 5")
    after = {row["id"]: row["_row_id"] for row in sql("SELECT id, _row_id FROM v").to_pylist()}
    assert after == {number: row for number, row in before.items() if number % 10 != 3}
    changed = sql("SELECT id FROM v WHERE _last_updated_sequence_number = 3").to_pylist()
    assert changed == [{"id": 5}]
    sql("CALL lake.system.rewrite_data_files(table => 'default.v', options => map('rewrite-all', 'true'))")
    assert {row["id"]: row["_row_id"] for row in sql("SELECT id, _row_id FROM v").to_pylist()} == after


def test_a_table_of_version_2_becomes_one_of_version_3(sql: Sql) -> None:
    sql("CREATE TABLE older AS SELECT id FROM range(3)")
    sql("ALTER TABLE older SET TBLPROPERTIES ('format-version' = '3')")
    sql("INSERT INTO older VALUES (3)")
    rows = sql("SELECT id, _row_id FROM older ORDER BY id").to_pylist()
    assert [row["id"] for row in rows] == [0, 1, 2, 3]
    assert len({row["_row_id"] for row in rows}) == 4


def test_variants_are_shredded_when_asked_for(sql: Sql) -> None:
    sql(
        "CREATE TABLE shreds (id BIGINT, v VARIANT) "
        "TBLPROPERTIES ('format-version' = '3', 'write.parquet.shred-variants' = 'true')"
    )
    sql("""INSERT INTO shreds SELECT id, parse_json('{"a": ' || id || ', "b": "x"}') FROM range(100)""")
    [row] = sql("SELECT sum(variant_get(v, '$.a', 'int')) AS a, count(v:b::string) AS b FROM shreds").to_pylist()
    assert row == {"a": 4950, "b": 100}
    path = sql("SELECT file_path FROM shreds.files").to_pylist()[0]["file_path"].removeprefix("file:")
    assert "typed_value" in str(pq.ParquetFile(path).schema)


def test_columns_of_no_type_and_wider_types(sql: Sql) -> None:
    sql(f"CREATE TABLE kinds (id INT, u VOID, f FLOAT, p DECIMAL(5, 2)) {V3}")
    sql("INSERT INTO kinds VALUES (1, NULL, 1.5, 2.25)")
    for change in ("id TYPE BIGINT", "f TYPE DOUBLE", "p TYPE DECIMAL(9, 2)"):
        sql(f"ALTER TABLE kinds ALTER COLUMN {change}")
    sql("INSERT INTO kinds VALUES (5000000000, NULL, 1e300, 1234567.25)")
    assert sql("SELECT * FROM kinds ORDER BY id").to_pylist() == [
        {"id": 1, "u": None, "f": 1.5, "p": Decimal("2.25")},
        {"id": 5000000000, "u": None, "f": 1e300, "p": Decimal("1234567.25")},
    ]


def test_places_on_earth(sql: Sql) -> None:
    point = bytes.fromhex("0101000000000000000000f03f0000000000000040")
    sql(f"CREATE TABLE places (id INT, flat GEOMETRY(4326), round GEOGRAPHY(4326)) {V3}")
    sql(
        f"INSERT INTO places SELECT 1, ST_SetSrid(ST_GeomFromWKB(X'{point.hex()}'), 4326), ST_GeogFromWKB(X'{point.hex()}') "
        "UNION ALL SELECT 2, NULL, NULL"
    )
    rows = sql(
        "SELECT ST_AsBinary(flat) AS flat, ST_Srid(flat) AS srid, ST_AsBinary(round) AS round FROM places ORDER BY id"
    ).to_pylist()
    assert rows == [{"flat": point, "srid": 4326, "round": point}, {"flat": None, "srid": None, "round": None}]
    path = sql("SELECT file_path FROM places.files LIMIT 1").to_pylist()[0]["file_path"].removeprefix("file:")
    assert "Geometry" in str(pq.ParquetFile(path).schema)


REFUSED = [
    ("CREATE TABLE r (p GEOMETRY(4326))", "."),
    (f"CREATE TABLE r (t TIMESTAMP_NS) {V3}", "Spark 4.1 has no such type"),
    (f"CREATE TABLE r (a INT, b INT) PARTITIONED BY (bucket(4, a, b)) {V3}", "Iceberg 1.12 for Spark does not have them yet"),
    ("ALTER TABLE has_date ALTER COLUMN d TYPE TIMESTAMP_NTZ", "Iceberg 1.12 does not promote it yet"),
    ("CREATE TABLE r (n INT DEFAULT 5)", "format version 3"),
    (f"CREATE TABLE r (n TIMESTAMP DEFAULT current_timestamp()) {V3}", "is a constant"),
    (f"CREATE OR REPLACE TABLE has_date (n INT DEFAULT 5) {V3}", "create the table first"),
    (f"CREATE TABLE r (n INT DEFAULT 'x') {V3}", "."),
    (f"CREATE TABLE r (n DOUBLE DEFAULT CAST('NaN' AS DOUBLE)) {V3}", "finite number, not NaN"),
    (f"CREATE TABLE r (n FLOAT DEFAULT CAST('-Infinity' AS FLOAT)) {V3}", "finite number, not -Infinity"),
]


def test_what_is_missing_upstream_is_refused_with_the_reason(sql: Sql) -> None:
    sql(f"CREATE TABLE has_date (d DATE) {V3}")
    for text, words in REFUSED:
        with pytest.raises(SqeError, match=words):
            sql(text)
    assert "r" not in [row["tableName"] for row in sql("SHOW TABLES").to_pylist()]


def test_types_that_spark_lacks_are_refused_where_others_wrote_them(sql: Sql) -> None:
    """Never cut: the whole table is refused, because Spark cannot even hold its schema."""
    for kind in ("timestamp_ns", "timestamptz_ns"):
        name = f"other_{kind}"
        sql(f"CREATE TABLE {name} (id BIGINT, t DOUBLE) {V3}")
        [entry] = sql(f"SELECT file FROM {name}.metadata_log_entries ORDER BY timestamp DESC LIMIT 1").to_pylist()
        metadata = Path(entry["file"].removeprefix("file:"))
        (metadata.parent / f".{metadata.name}.crc").unlink(missing_ok=True)
        metadata.write_text(metadata.read_text().replace('"double"', f'"{kind}"'))
        for statement in (f"SELECT * FROM {name}", f"SELECT id FROM {name}", f"INSERT INTO {name} VALUES (1, NULL)"):
            with pytest.raises(SqeError, match="would lose digits"):
                sql(statement)
