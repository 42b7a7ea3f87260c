"""A policy's filter reaches Iceberg: files of other people's rows are not even opened."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from bank import Book, Person

from sqe.errors import SqeError


def remove_files(admin: Person, table: str, condition: str) -> int:
    """Takes data files away: whoever plans to read one fails."""
    paths = [
        Path(unquote(urlparse(str(row[0])).path)) for row in admin.rows(f"SELECT file_path FROM {table}.files WHERE {condition}")
    ]
    for path in paths:
        path.unlink()
    return len(paths)


def make(admin: Person, table: str, layout: str) -> None:
    admin.rows("CREATE SCHEMA IF NOT EXISTS prune")
    admin.rows(f"CREATE TABLE {table} (id INT, region STRING, day DATE, code STRING) {layout}")
    for region in ("EU", "US", "APAC"):
        for day in (1, 2):
            admin.rows(f"INSERT INTO {table} VALUES ({day}, '{region}', DATE '2024-01-0{day}', 'c{day}')")


@pytest.mark.parametrize(
    "layout", ["PARTITIONED BY (region)", "PARTITIONED BY (region, days(day))", ""], ids=["region", "both", "none"]
)
def test_only_files_of_visible_rows_are_read(admin: Person, analyst: Person, book: Book, layout: str) -> None:
    table = f"prune.t{abs(hash(layout)) % 1000}"
    make(admin, table, layout)
    book.allow(f"lake.{table}", rows="region = 'EU'", masks={"code": "'***'"})
    analyst.session.forget_policies()
    assert remove_files(admin, table, "readable_metrics.region.lower_bound <> 'EU'") == 4
    with pytest.raises(SqeError, match="missing or damaged"):
        admin.rows(f"SELECT * FROM {table}")
    assert analyst.rows(f"SELECT id, code FROM {table} ORDER BY id") == [(1, "***"), (2, "***")]
    assert analyst.rows(f"SELECT count(*) FROM {table} WHERE code = '***' AND 1 / id > 0") == [(2,)]
    # The user's own safe predicates reach it too; those on masks and those that may fail stay above.
    assert remove_files(admin, table, "readable_metrics.region.lower_bound = 'EU' AND readable_metrics.id.lower_bound = 2") == 1
    assert analyst.rows(f"SELECT id FROM {table} WHERE day = DATE '2024-01-01'") == [(1,)]
    assert analyst.rows(f"SELECT id FROM {table} WHERE id < 2 AND code LIKE '*%' AND 1 / id > 0") == [(1,)]
    with pytest.raises(SqeError, match="missing or damaged"):
        analyst.rows(f"SELECT id FROM {table} WHERE 2 / id > 1")
    admin.rows(f"DROP TABLE {table}")
