"""Columns that came later, with a value for the rows that were there before: the kernel makes it of their files itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sides import Sides

Explain = Callable[[str], str]

# A column's type, what older rows have in it, and what a newer one has.
DEFAULTS = {
    "truth": ("BOOLEAN", "true", "false"),
    "number": ("INT", "-7", "8"),
    "large": ("BIGINT", "9223372036854775807", "-1"),
    "money": ("DECIMAL(9,2)", "-1234567.89", "0.01"),
    "wide": ("DECIMAL(38,10)", "1234567890123456789012345678.0123456789", "-0.0000000001"),
    "real": ("FLOAT", "0.1", "-0.0"),
    "double": ("DOUBLE", "1e-300", "0.1"),
    "text": ("STRING", "'it''s ä 𝄞 {name: x, 1} '", "''"),
    "empty": ("STRING", "''", "'x'"),
    "day": ("DATE", "DATE '0001-01-01'", "DATE '9999-12-31'"),
    "moment": ("TIMESTAMP", "TIMESTAMP '1969-12-31 23:59:59.999999'", "TIMESTAMP '2026-02-28 12:00:00'"),
    "clock": ("TIMESTAMP_NTZ", "TIMESTAMP_NTZ '1500-02-28 23:59:59.000001'", "TIMESTAMP_NTZ '2026-10-25 02:30:00'"),
}


def grown(sides: Sides, table: str, kind: str, older: str) -> None:
    sides.run(f"CREATE TABLE {table} TBLPROPERTIES ('format-version' = '3') AS SELECT id FROM range(10)")
    sides.run(f"ALTER TABLE {table} ADD COLUMN v {kind} DEFAULT {older}")


@pytest.mark.parametrize("name", DEFAULTS)
def test_older_rows_have_it(sides: Sides, explain: Explain, name: str) -> None:
    kind, older, newer = DEFAULTS[name]
    table = f"grown_{name}"
    grown(sides, table, kind, older)
    sides.run(f"INSERT INTO {table} VALUES (10, {newer}), (11, NULL), (12, DEFAULT)")
    fallbacks = sides.fallbacks()
    found = sides.same_natively(f"SELECT v, count(*) AS n, min(id) AS first FROM {table} GROUP BY v ORDER BY first", ordered=True)
    assert found["n"].to_pylist() == [11, 1, 1]
    sides.same_natively(f"SELECT id, v FROM {table} ORDER BY id", ordered=True)
    for condition in (f"v = {older}", f"v <> {older}", f"v >= {newer}", "v IS NULL", f"coalesce(v, {newer}) = {newer}"):
        sides.same_natively(f"SELECT count(*), sum(id) FROM {table} WHERE {condition}")
    assert sides.fallbacks() == fallbacks
    assert "(read by Iceberg)" not in explain(f"SELECT max(v), count(*) FROM {table} GROUP BY id")


def test_a_row_of_before_that_was_changed_or_deleted(sides: Sides) -> None:
    sides.run("""CREATE TABLE grown_changed TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read',
        'write.update.mode' = 'merge-on-read') AS SELECT id FROM range(20)""")
    sides.run("ALTER TABLE grown_changed ADD COLUMN v INT DEFAULT 5")
    sides.run("DELETE FROM grown_changed WHERE id % 3 = 0")
    sides.run("UPDATE grown_changed SET v = v + 1 WHERE id < 5")
    sides.run("ALTER TABLE grown_changed ALTER COLUMN v SET DEFAULT 9")  # for rows to come; those of before keep theirs
    sides.run("INSERT INTO grown_changed (id) VALUES (100)")
    sides.run("ALTER TABLE grown_changed ALTER COLUMN v TYPE BIGINT")
    sides.run("ALTER TABLE grown_changed RENAME COLUMN v TO w")
    found = sides.same_natively("SELECT w, count(*) AS n FROM grown_changed GROUP BY w ORDER BY w", ordered=True)
    assert found.to_pylist() == [{"w": 5, "n": 10}, {"w": 6, "n": 3}, {"w": 9, "n": 1}]
    sides.same_natively(
        "SELECT a.id, b.w FROM grown_changed a JOIN grown_changed b ON a.w = b.id ORDER BY a.id, b.w", ordered=True
    )


def test_a_table_without_a_file_that_has_the_column(sides: Sides) -> None:
    grown(sides, "grown_nowhere", "STRING", "'all'")
    assert sides.same_natively("SELECT v, count(*) AS n FROM grown_nowhere GROUP BY v").to_pylist() == [{"v": "all", "n": 10}]


def test_a_default_within_a_struct_is_icebergs(sides: Sides) -> None:
    sides.run(
        "CREATE TABLE grown_inside TBLPROPERTIES ('format-version' = '3') AS SELECT id, named_struct('a', id) AS s FROM range(10)"
    )
    sides.run("ALTER TABLE grown_inside ADD COLUMN s.b INT DEFAULT 7")
    sides.run("INSERT INTO grown_inside VALUES (10, named_struct('a', 1, 'b', 2))")
    query = "SELECT s.b AS b, count(*) AS n FROM grown_inside GROUP BY s.b ORDER BY b"
    assert sides.difference(query, ordered=True) is None
    assert sides.run(query).to_pylist() == [{"b": 2, "n": 1}, {"b": 7, "n": 10}]  # natively where that is possible
