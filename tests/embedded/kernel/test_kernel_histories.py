"""Tables with a past: what the metadata no longer tells, files that came from elsewhere, and files that are there twice."""

from __future__ import annotations

import re

import pytest
from sides import Sides

FORGOTTEN = """CALL system.expire_snapshots(table => '{0}', older_than => TIMESTAMP '2100-01-01 00:00:00', retain_last => 1,
    clean_expired_metadata => true)"""


def test_a_column_that_was_a_float_before_anybody_can_remember(sides: Sides) -> None:
    """By names the kernel goes by the first file's type, in which 10.1 is 10.100000381."""
    sides.run("CREATE TABLE wider (id BIGINT, f FLOAT, l ARRAY<FLOAT>, s STRUCT<x: FLOAT>)")
    sides.run(
        "INSERT INTO wider SELECT id, id + 0.5, array(CAST(id AS FLOAT)), named_struct('x', CAST(id AS FLOAT)) FROM range(10)"
    )
    for column in ("f", "l.element", "s.x"):
        sides.run(f"ALTER TABLE wider ALTER COLUMN {column} TYPE DOUBLE")
    sides.run("INSERT INTO wider SELECT id, id + 0.1D, array(id + 0.1D), named_struct('x', id + 0.1D) FROM range(10, 20)")
    sides.run(FORGOTTEN.format("wider"))
    for columns in ("f", "l", "s", "s.x", "l[0]", "f, l, s"):
        assert sides.difference(f"SELECT id, {columns} FROM wider ORDER BY id", ordered=True) is None
    assert sides.run("SELECT max(f) AS x FROM wider WHERE id = 10 GROUP BY id").to_pylist() == [{"x": 10.1}]


@pytest.fixture(scope="module")
def made() -> set[str]:
    return set()


@pytest.fixture
def folder(sides: Sides, made: set[str]) -> str:
    """Of files that another table has written, with its own ids for columns."""
    if not made:
        sides.run("CREATE TABLE source (id BIGINT, v INT, p INT) PARTITIONED BY (p)")
        sides.run("INSERT INTO source SELECT id, id * 2, id % 2 FROM range(0, 10, 1, 1)")
        made.add("all")
    path = sides.run("SELECT file_path FROM source.files LIMIT 1").column(0)[0].as_py()
    return re.sub(r"^file:/*", "/", path).split("/p=")[0]


def taken_in(sides: Sides, table: str, folder: str, *, times: int = 1) -> None:
    """As if nobody remembered that they are from elsewhere."""
    for _ in range(times):
        sides.run(
            f"CALL system.add_files(table => '{table}', source_table => '`parquet`.`{folder}`', check_duplicate_files => false)"
        )
    sides.run(f"ALTER TABLE {table} UNSET TBLPROPERTIES ('schema.name-mapping.default')")


def test_a_file_that_a_table_has_twice_counts_twice(sides: Sides, folder: str) -> None:
    sides.run("CREATE TABLE doubled (id BIGINT, v INT, p INT) PARTITIONED BY (p)")
    taken_in(sides, "doubled", folder, times=2)
    found = sides.same_natively("SELECT p, count(*) AS n, sum(v) AS v FROM doubled GROUP BY p ORDER BY p", ordered=True)
    assert found.to_pylist() == [{"p": 0, "n": 10, "v": 80}, {"p": 1, "n": 10, "v": 100}]


@pytest.mark.parametrize("columns", ["id BIGINT, p INT, w INT", "id BIGINT, w INT, x INT, p INT"])
@pytest.mark.parametrize("renamed", [False, True])
def test_what_a_file_is_partitioned_by_is_in_the_metadata(sides: Sides, folder: str, columns: str, *, renamed: bool) -> None:
    """Iceberg does not look for it in the file, where that id is another column, or none."""
    table = f"taken_{columns.count(',')}_{'renamed' if renamed else 'plain'}"
    sides.run(f"CREATE TABLE {table} ({columns}) PARTITIONED BY (p)")
    taken_in(sides, table, folder)
    key = "p"
    if renamed:
        sides.run(f"ALTER TABLE {table} RENAME COLUMN p TO pp")
        key = "pp"
    assert sides.difference(f"SELECT id, {key} AS p FROM {table} ORDER BY id", ordered=True) is None
    assert sides.run(f"SELECT id, max({key}) AS p FROM {table} WHERE id = 1 GROUP BY id").to_pylist() == [{"id": 1, "p": 1}]


def test_renamed_partition_columns_stay_native(sides: Sides) -> None:
    sides.run("CREATE TABLE moved PARTITIONED BY (`odd name`) AS SELECT id, id % 3 AS `odd name` FROM range(30)")
    sides.run("ALTER TABLE moved RENAME COLUMN `odd name` TO plain")
    sides.run("INSERT INTO moved SELECT id, id % 3 FROM range(30, 40)")
    before = sides.fallbacks()
    sides.same_natively("SELECT plain, count(*) AS n FROM moved GROUP BY plain ORDER BY plain", ordered=True)
    assert sides.fallbacks() == before
