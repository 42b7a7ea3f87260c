"""A filter reads the pages of a file that can hold its rows (jvm: PageSkipping), and gives the rows that it always gave."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest

Sql = Callable[[str], pa.Table]

ROWS = 60_000
# Pages of 1,000 rows; those of `text` end earlier, at a size, so that the columns' pages do not begin at the same rows.
SMALL_PAGES = "'write.parquet.page-row-limit' = '1000', 'write.parquet.page-size-bytes' = '16384'"
COLUMNS = """id, CAST(id AS INT) AS small, IF(id % 7 = 0, NULL, id) AS gaps, CAST(id / 4 AS DECIMAL(12, 2)) AS price,
    CAST(id / 4 AS DECIMAL(30, 2)) AS wide, date_add(DATE '2000-01-01', CAST(id / 100 AS INT)) AS day,
    timestamp_seconds(946684800 + id) AS at, CAST(timestamp_seconds(946684800 + id) AS TIMESTAMP_NTZ) AS plain,
    lpad(CAST(id AS STRING), 6, '0') AS code, CAST(id AS DOUBLE) AS number"""


@dataclass(frozen=True)
class Row:
    """What the table holds in the row with this id."""

    id: int

    @property
    def gaps(self) -> int:
        return self.id if self.id % 7 else -1

    @property
    def price(self) -> Decimal:
        return Decimal(self.id) / 4

    @property
    def day(self) -> date:
        return date(2000, 1, 1) + timedelta(days=self.id // 100)

    @property
    def at(self) -> datetime:
        return datetime(2000, 1, 1, tzinfo=UTC) + timedelta(seconds=self.id)


@pytest.fixture
def table(sql: Sql) -> str:
    """Rows in their order in one file; 60 pages a column that all begin at the same rows."""
    made = sql(f"CREATE TABLE IF NOT EXISTS pages TBLPROPERTIES ({SMALL_PAGES}) AS SELECT {COLUMNS} FROM range(0, {ROWS}, 1, 1)")
    assert made.num_rows == 0
    return "pages"


FILTERS: list[tuple[str, Callable[[Row], bool]]] = [
    ("id = 31415", lambda row: row.id == 31415),
    ("id = -1", lambda row: False),
    ("id IN (0, 999, 1000, 59999, 70000)", lambda row: row.id in (0, 999, 1000, 59999)),
    ("id BETWEEN 998 AND 2001", lambda row: 998 <= row.id <= 2001),
    ("id < 3 OR id >= 59998", lambda row: row.id < 3 or row.id >= 59998),
    ("id = 5 OR number = 40000", lambda row: row.id in (5, 40000)),
    ("NOT (id > 4)", lambda row: row.id <= 4),
    ("id <> 7 AND id < 9", lambda row: row.id < 9 and row.id != 7),
    ("id <=> 12345", lambda row: row.id == 12345),
    ("small = 31415", lambda row: row.id == 31415),
    ("small > 59990", lambda row: row.id > 59990),
    ("small = 5000000000", lambda row: False),
    ("gaps = 14", lambda row: False),
    ("gaps = 15", lambda row: row.id == 15),
    ("gaps IS NULL AND id < 20", lambda row: row.id % 7 == 0 and row.id < 20),
    ("gaps <= 8 OR gaps IS NULL", lambda row: row.gaps <= 8),
    ("price = 2500.25", lambda row: row.price == Decimal("2500.25")),
    ("price > 14999", lambda row: row.price > 14999),
    ("price < 0.6", lambda row: row.price < Decimal("0.6")),
    ("wide = 2500.25", lambda row: row.price == Decimal("2500.25")),
    ("day = DATE '2000-02-02'", lambda row: row.day == date(2000, 2, 2)),
    ("day < DATE '1999-12-31'", lambda row: False),
    ("at = TIMESTAMP '2000-01-01 10:00:00'", lambda row: row.at == datetime(2000, 1, 1, 10, tzinfo=UTC)),
    ("at >= TIMESTAMP '2000-01-01 16:39:50'", lambda row: row.at >= datetime(2000, 1, 1, 16, 39, 50, tzinfo=UTC)),
    ("plain = TIMESTAMP_NTZ '2000-01-01 10:00:00'", lambda row: row.id == 36000),
    ("code = '031415'", lambda row: row.id == 31415),
    ("code IN ('000007', 'x')", lambda row: row.id == 7),
    ("code >= '059995'", lambda row: row.id >= 59995),
    ("code LIKE '03141%'", lambda row: row.id // 10 == 3141),
    ("upper(code) = '000009'", lambda row: row.id == 9),
    ("number = 31415", lambda row: row.id == 31415),
    ("id = 31415 AND code = '000000'", lambda row: False),
    ("id % 20000 = 1", lambda row: row.id % 20000 == 1),
]


@pytest.mark.parametrize(("condition", "wanted"), FILTERS, ids=[condition for condition, _ in FILTERS])
def test_a_filter_finds_the_same_rows(sql: Sql, table: str, condition: str, wanted: Callable[[Row], bool]) -> None:
    found = sql(f"SELECT * FROM {table} WHERE {condition}").to_pylist()
    expected = [Row(id) for id in range(ROWS) if wanted(Row(id))]
    assert [(row["id"], row["code"], row["price"], row["day"], row["at"]) for row in found] == [
        (row.id, f"{row.id:06}", row.price, row.day, row.at) for row in expected
    ]


@pytest.mark.parametrize(
    ("condition", "read"),
    [
        ("id = 31415", 1000),
        ("small = 31415", 1000),
        ("price = 2500.25", 1000),
        ("code = '031415'", 1000),
        ("at = TIMESTAMP '2000-01-01 10:00:00'", 1000),
        ("day = DATE '2000-02-02'", 1000),
        ("id IN (5, 50005)", 2000),
        ("id BETWEEN 998 AND 2001", 3000),
        ("id >= 0", ROWS),
    ],
)
def test_pages_that_cannot_hold_a_row_are_not_read(sql: Sql, table: str, condition: str, read: int) -> None:
    assert _rows_read(sql, f"SELECT * FROM {table} WHERE {condition}") == read


def test_columns_whose_pages_begin_at_other_rows_are_read_in_step(sql: Sql) -> None:
    sql(
        f"""CREATE TABLE uneven TBLPROPERTIES ({SMALL_PAGES}) AS
        SELECT id, sha2(CAST(id AS STRING), 256) AS text, id * 2 AS twice,
            repeat(CAST(id AS STRING), CAST(id % 50 AS INT)) AS long
        FROM range(0, {ROWS}, 1, 1)"""
    )
    for id in (0, 1, 999, 1000, 31415, ROWS - 1):
        found = sql(f"SELECT twice, long, id, text FROM uneven WHERE id = {id}").to_pylist()
        (row,) = found
        assert (row["id"], row["twice"], row["long"]) == (id, 2 * id, str(id) * (id % 50))
        (plain,) = sql(f"SELECT sha2('{id}', 256) AS text").to_pylist()
        assert row["text"] == plain["text"]


@pytest.mark.parametrize("version", [2, 3])
def test_deleted_rows_stay_deleted_and_positions_are_those_of_the_file(sql: Sql, version: int) -> None:
    table = f"deleted_{version}"
    sql(
        f"""CREATE TABLE {table} TBLPROPERTIES ({SMALL_PAGES}, 'format-version' = '{version}',
            'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read')
        AS SELECT id, concat('n', id) AS name FROM range(0, {ROWS}, 1, 1)"""
    )
    sql(f"DELETE FROM {table} WHERE id IN (5, 31414, 31416, 59999)")
    assert sql(f"SELECT id, name FROM {table} WHERE id BETWEEN 31413 AND 31417").to_pylist() == [
        {"id": id, "name": f"n{id}"} for id in (31413, 31415, 31417)
    ]
    assert sql(f"SELECT id FROM {table} WHERE id = 31414 OR id = 59999").num_rows == 0
    assert sql(f"SELECT id, _pos FROM {table} WHERE id IN (4, 31415)").to_pylist() == [
        {"id": 4, "_pos": 4},
        {"id": 31415, "_pos": 31415},
    ]
    sql(f"UPDATE {table} SET name = 'changed' WHERE id = 31415")
    assert sql(f"SELECT name FROM {table} WHERE id = 31415").to_pylist() == [{"name": "changed"}]
    assert sql(f"SELECT count(*) AS n FROM {table}").to_pylist() == [{"n": ROWS - 4}]
    if version == 3:
        (before, after) = sql(f"SELECT _row_id FROM {table} WHERE id IN (31413, 31415) ORDER BY id").to_pylist()
        assert after["_row_id"] - before["_row_id"] == 2


def test_columns_that_changed_since_the_file_was_written(sql: Sql) -> None:
    sql(f"CREATE TABLE changed TBLPROPERTIES ({SMALL_PAGES}) AS SELECT CAST(id AS INT) AS a, id AS b FROM range(0, {ROWS}, 1, 1)")
    sql("ALTER TABLE changed ALTER COLUMN a TYPE BIGINT")
    sql("ALTER TABLE changed RENAME COLUMN b TO c")
    sql("ALTER TABLE changed ADD COLUMN b BIGINT")
    sql("ALTER TABLE changed RENAME COLUMN a TO `a.x`")
    assert sql("SELECT c FROM changed WHERE `a.x` = 31415").to_pylist() == [{"c": 31415}]
    assert sql("SELECT c FROM changed WHERE `a.x` = 5000000000 OR c = 8").to_pylist() == [{"c": 8}]
    assert sql("SELECT c FROM changed WHERE b = 31415").num_rows == 0
    assert sql("SELECT c FROM changed WHERE b IS NULL AND c = 31415").to_pylist() == [{"c": 31415}]


def test_row_groups_partitions_and_many_files(sql: Sql) -> None:
    sql(
        f"""CREATE TABLE spread PARTITIONED BY (part)
        TBLPROPERTIES ({SMALL_PAGES}, 'write.parquet.row-group-size-bytes' = '65536')
        AS SELECT id, id % 3 AS part, sha1(CAST(id AS STRING)) AS text FROM range({ROWS})"""
    )
    for id in (0, 29999, 30000, 31415, ROWS - 1):
        (row,) = sql(f"SELECT * FROM spread WHERE id = {id}").to_pylist()
        assert (row["id"], row["part"]) == (id, id % 3)
        assert sql(f"SELECT id FROM spread WHERE id = {id} AND part = {(id + 1) % 3}").num_rows == 0
    found = sql("SELECT id FROM spread WHERE id BETWEEN 19995 AND 40005")
    assert sorted(found.column("id").to_pylist()) == list(range(19995, 40006))


def _rows_read(sql: Sql, query: str) -> int:
    lines = [line for (line,) in (row.values() for row in sql(f"EXPLAIN ANALYZE {query}").to_pylist())]
    (scan,) = (line for line in lines if "BatchScan" in line)
    found = re.search(r"rows (\d+)", scan)
    assert found, lines
    return int(found[1])
