"""Generated suites in DuckDB, an engine that shares nothing with ours: what their tests ask."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sqe.bench.suites.suite import Query, Suite, Table

SMALL = 0.01
SUITES = ("ssb", "clickbench", "tpcc", "tpcbb", "tpce")


def generated(table: Table, scale: float = SMALL) -> pa.Table:
    return pa.Table.from_batches(table.batches(scale), table.schema)


def in_duckdb(suite: Suite, scale: float = SMALL) -> duckdb.DuckDBPyConnection:
    """All tables of a suite as DuckDB's own, so that its writes run there, too."""
    connection = duckdb.connect()
    for table in suite.tables:
        connection.register("rows", generated(table, scale))
        connection.execute(f'CREATE TABLE "{table.name}" AS SELECT * FROM rows')
        connection.unregister("rows")
    return connection


def duckdb_text(query: Query) -> str:
    return dict(query.dialects).get("duckdb", query.sql)


def one(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    """The value of a question with one row and one column."""
    [(value,)] = connection.execute(sql).fetchall()
    return value


def fingerprint(suite: Suite, scale: float = SMALL) -> str:
    """Of every value of a suite, in order."""
    digest = hashlib.sha256()
    for table in suite.tables:
        for batch in table.batches(scale):
            for column in batch.columns:
                for part in _bytes_of(column):
                    digest.update(part)
    return digest.hexdigest()


def _bytes_of(column: pa.Array) -> Iterator[bytes]:
    """Values only: buffers have padding, and anything where a value is missing."""
    yield column.is_null().cast(pa.int8()).to_numpy().tobytes()
    if pa.types.is_string(column.type):
        column = pc.fill_null(column, "")
        yield pc.binary_length(column).to_numpy().tobytes()
        yield pc.binary_join(pa.ListArray.from_arrays([0, len(column)], column), "")[0].as_buffer().to_pybytes()
        return
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.decimal128(18, column.type.scale)).view(pa.binary(16))
    yield (
        b"".join(column.drop_null().to_pylist())
        if pa.types.is_fixed_size_binary(column.type)
        else (column.drop_null().to_numpy(zero_copy_only=False).tobytes())
    )


def orphans(connection: duckdb.DuckDBPyConnection, child: str, key: str, parent: str, parent_key: str) -> int:
    """Rows of `child` whose keys `parent` does not have."""
    return int(
        one(
            connection,
            f"SELECT count(*) FROM {child} WHERE ({key}) IS NOT NULL AND ({key}) NOT IN (SELECT ({parent_key}) FROM {parent})",
        )
    )


def near(share: float, expected: float, rows: int) -> bool:
    """Whether a share of `rows` random rows is what it should be: within five standard deviations."""
    return abs(share - expected) <= 5 * float(np.sqrt(expected * (1 - expected) / rows))
