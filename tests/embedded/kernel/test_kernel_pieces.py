"""One file that several tasks read, each its own row groups."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest
from partitions import once
from sides import Sides

Explain = Callable[[str], str]
Same = Callable[[str], pa.Table]

SMALL_GROUPS = "'write.parquet.row-group-size-bytes' = '65536', 'write.parquet.page-size-bytes' = '8192'"
MODES = ", ".join(f"'write.{kind}.mode' = 'merge-on-read'" for kind in ("delete", "update", "merge"))
ROWS = "id, id % 9 AS k, sha2(CAST(id AS STRING), 256) AS s, CASE WHEN id % 7 > 0 THEN id * 0.5D END AS x"


@pytest.fixture
def long_file(parts: Sides, made: set[str]) -> Sides:
    """One file of several row groups, and a small table to join with."""
    create = f"CREATE TABLE long_file TBLPROPERTIES ({SMALL_GROUPS}) AS SELECT {ROWS} FROM range(0, 60000, 1, 1)"
    once(made, "long", parts, create, "CREATE TABLE names AS SELECT id AS k, concat('n', id) AS name FROM range(9)")
    return parts


QUERIES = [
    "SELECT count(*), sum(id), min(s), max(x), count(x) FROM long_file",
    "SELECT k, count(*), sum(id), min(id), max(s) FROM long_file WHERE id % 3 = 1 GROUP BY k",
    "SELECT count(*), sum(id) FROM long_file WHERE id BETWEEN 29000 AND 31000",
    "SELECT id, s FROM long_file ORDER BY s DESC LIMIT 7",
    "SELECT n.name, count(*), sum(f.id) FROM long_file f JOIN names n ON f.k = n.k GROUP BY n.name",
    "SELECT k, count(DISTINCT x), max(md5(s)) FROM long_file GROUP BY k ORDER BY k",
]


@pytest.mark.usefixtures("long_file")
@pytest.mark.parametrize("query", QUERIES)
def test_each_row_of_a_file_in_pieces_is_read_once(same: Same, explain: Explain, query: str) -> None:
    same(query)
    assert "1 file in pieces" in explain(query), explain(query)


@pytest.mark.parametrize("version", ["2", "3"], ids=["delete files", "deletion vectors"])
def test_deleted_rows_stay_deleted_in_each_piece(same: Same, explain: Explain, parts: Sides, version: str) -> None:
    table = f"cut_{version}"
    properties = f"'format-version' = '{version}', {SMALL_GROUPS}, {MODES}"
    parts.run(f"CREATE TABLE {table} TBLPROPERTIES ({properties}) AS SELECT {ROWS} FROM range(0, 60000, 1, 1)")
    parts.run(f"DELETE FROM {table} WHERE id % 5 = 2 OR id BETWEEN 20000 AND 40000")
    parts.run(f"INSERT INTO {table} SELECT {ROWS} FROM range(90000, 90100)")
    query = f"SELECT k, count(*), sum(id), min(id), max(id), max(s) FROM {table} GROUP BY k"
    found = same(query)
    kept = sum(1 for i in range(60000) if i % 5 != 2 and not 20000 <= i <= 40000) + 100
    assert sum(found.column("count(1)").to_pylist()) == kept
    assert "in pieces" in explain(query)
    same(f"SELECT id, s FROM {table} WHERE id > 19000 ORDER BY id LIMIT 1500 OFFSET 10")


def test_a_file_is_not_cut_where_a_column_hides_the_numbers_of_rows(same: Same, explain: Explain, parts: Sides) -> None:
    columns = f"{ROWS}, id % 100 AS file_row_number"
    parts.run(f"CREATE TABLE uncut TBLPROPERTIES ({SMALL_GROUPS}) AS SELECT {columns} FROM range(0, 60000, 1, 1)")
    query = "SELECT k, count(*), sum(id), max(s) FROM uncut GROUP BY k"
    same(query)
    assert "in pieces" not in explain(query)


@pytest.mark.usefixtures("long_file")
def test_a_renamed_and_an_added_column_are_found_in_pieces(same: Same, explain: Explain, parts: Sides, made: set[str]) -> None:
    once(
        made,
        "renamed",
        parts,
        f"CREATE TABLE renamed TBLPROPERTIES ({SMALL_GROUPS}) AS SELECT {ROWS} FROM range(0, 60000, 1, 1)",
        "ALTER TABLE renamed RENAME COLUMN k TO kind",
        "ALTER TABLE renamed ADD COLUMN later INT",
    )
    query = "SELECT kind, count(*), sum(id), count(later), max(s) FROM renamed GROUP BY kind"
    same(query)
    assert "1 file in pieces" in explain(query)


@pytest.mark.usefixtures("long_file")
def test_a_file_of_one_row_group_is_one_tasks(same: Same, explain: Explain, parts: Sides, made: set[str]) -> None:
    once(made, "short", parts, f"CREATE TABLE short_file AS SELECT {ROWS} FROM range(0, 60000, 1, 1)")
    query = "SELECT k, count(*), sum(id) FROM short_file GROUP BY k"
    same(query)
    assert "in pieces" not in explain(query)
