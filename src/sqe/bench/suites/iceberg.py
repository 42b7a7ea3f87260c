"""Our own: what Iceberg is for. Partitions left out, many small files, deletes that reads must merge, history, metadata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from sqe.bench.suites.rows import batches, cents, mixed, words
from sqe.bench.suites.suite import Query, Suite, Table

DAYS = 100
FIRST_DAY = 20_454  # 2026-01-01, counted from 1970
FILES = 10_000  # at scale 1, of ten rows each

_KINDS = ("click", "order", "return", "view")

_EVENTS = pa.schema(
    [("id", pa.int64()), ("day", pa.date32()), ("kind", pa.string()), ("person", pa.int64()), ("amount", pa.decimal128(12, 2))]
)
_CRUMBS = pa.schema([("part", pa.int32()), ("id", pa.int64()), ("value", pa.int64())])


def _events(numbers: Any) -> list[Any]:
    import numpy

    days = pa.array((FIRST_DAY + mixed(numbers, 1) % DAYS).astype(numpy.int32))
    people = mixed(numbers, 3) % 100_000
    return [numbers, days.cast(pa.date32()), words(_KINDS, mixed(numbers, 2)), people, cents(numbers, 4, 1000)]


def _crumbs(numbers: Any) -> list[Any]:
    return [numbers // 10, numbers, mixed(numbers, 5) % 1_000_000]


def event_rows(scale: float) -> int:
    return max(round(5_000_000 * scale), 1000)


def crumb_rows(scale: float) -> int:
    return 10 * max(round(FILES * scale), 10)


# Else Iceberg has a file open for each partition that a task has met, of a megabyte of memory each.
_ONE_BY_ONE = "'write.spark.fanout.enabled'='false'"

TABLES = (
    Table("events", _EVENTS, event_rows, batches(_EVENTS, event_rows, _events), partitioned_by="day"),
    Table("crumbs", _CRUMBS, crumb_rows, batches(_CRUMBS, crumb_rows, _crumbs), partitioned_by="part", properties=_ONE_BY_ONE),
    Table("changed", _EVENTS, event_rows, batches(_EVENTS, event_rows, _events)),
)

_MERGE_ON_READ = "'write.delete.mode'='merge-on-read', 'write.update.mode'='merge-on-read', 'write.merge.mode'='merge-on-read'"

AFTER_LOADING = (
    "ALTER TABLE {schema}.changed CREATE TAG loaded",
    f"ALTER TABLE {{schema}}.changed SET TBLPROPERTIES ({_MERGE_ON_READ})",
    "DELETE FROM {schema}.changed WHERE id % 10 = 3",
    "UPDATE {schema}.changed SET amount = amount + 1 WHERE id % 100 = 7",
)

# DuckDB reads the data files alone: it knows neither deletes nor history nor metadata.
_NOT_DUCKDB = ("duckdb", "")


def queries(scale: float) -> Sequence[Query]:
    from sqe.bench.lake import schema_name
    from sqe.bench.workspace import CATALOG

    here = f"{CATALOG}.{schema_name('iceberg', scale)}"
    sums = "count(*) AS n, sum(amount) AS total"
    totals = f"SELECT {sums}"
    by_operation = "GROUP BY operation ORDER BY operation"

    def metadata(name: str, select: str, table: str, inside: str, rest: str = "") -> Query:
        trino = f'{select} FROM "{table}${inside}" {rest}'
        return Query(name, f"{select} FROM {here}.{table}.{inside} {rest}", dialects=(("trino", trino), _NOT_DUCKDB))

    return (
        Query("prune-one-day", f"{totals} FROM events WHERE day = DATE '2026-01-20'"),
        Query("prune-ten-days", f"{totals} FROM events WHERE day BETWEEN DATE '2026-02-01' AND DATE '2026-02-10'"),
        Query("prune-by-statistics", f"{totals} FROM changed WHERE id < 500", dialects=(_NOT_DUCKDB,)),
        Query("prune-nothing", f"SELECT day, {sums} FROM events GROUP BY day ORDER BY day", ordered=True),
        Query("small-files-all", "SELECT count(*) AS n, sum(value) AS total FROM crumbs"),
        Query("small-files-one", "SELECT id, value FROM crumbs WHERE part = 7 ORDER BY id", ordered=True),
        Query("merge-on-read", f"{totals} FROM changed", dialects=(_NOT_DUCKDB,)),
        Query(
            "merge-on-read-groups",
            f"SELECT kind, {sums} FROM changed GROUP BY kind ORDER BY kind",
            ordered=True,
            dialects=(_NOT_DUCKDB,),
        ),
        Query(
            "time-travel",
            f"{totals} FROM changed VERSION AS OF 'loaded'",
            dialects=(("trino", f"{totals} FROM changed FOR VERSION AS OF 'loaded'"), _NOT_DUCKDB),
        ),
        metadata("metadata-snapshots", "SELECT operation, count(*) AS n", "changed", "snapshots", by_operation),
        metadata("metadata-files", "SELECT count(*) AS n, sum(record_count) AS total", "crumbs", "files"),
        metadata("metadata-partitions", "SELECT count(*) AS n, sum(record_count) AS total", "events", "partitions"),
        metadata("metadata-history", "SELECT count(*) AS n", "changed", "history"),
    )


SUITE = Suite(
    "iceberg", "our own: pruning, time travel, metadata, small files, merge-on-read", TABLES, queries, after_loading=AFTER_LOADING
)
