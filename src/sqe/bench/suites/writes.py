"""Our own: writing one and ten million rows (at scale 1). Each engine writes copies of its own; what is in them afterwards is
its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from sqe.bench.suites.rows import batches, cents, mixed, words
from sqe.bench.suites.suite import Query, Suite, Table

_SCHEMA = pa.schema([("id", pa.int64()), ("kind", pa.string()), ("amount", pa.decimal128(12, 2)), ("note", pa.string())])
_KINDS = ("a", "b", "c", "d", "e")
_NOTES = ("as ordered", "late", "with a gift", "without a word", "to be called before")


def _account(numbers: Any) -> list[Any]:
    return [numbers, words(_KINDS, mixed(numbers, 1)), cents(numbers, 2, 10_000), words(_NOTES, mixed(numbers, 3))]


def _change(numbers: Any) -> list[Any]:
    """Every other one is of a row that is there, spread over all of them; the rest are new."""
    there = numbers * 10
    fresh = -1 - numbers
    ids = there * (numbers % 2 == 0) + fresh * (numbers % 2 == 1)
    return [ids, words(_KINDS, mixed(numbers, 4)), cents(numbers, 5, 10_000), words(_NOTES, mixed(numbers, 6))]


def account_rows(scale: float) -> int:
    return max(round(10_000_000 * scale), 1000)


def change_rows(scale: float) -> int:
    return account_rows(scale) // 10


TABLES = (
    Table("accounts", _SCHEMA, account_rows, batches(_SCHEMA, account_rows, _account)),
    Table("changes", _SCHEMA, change_rows, batches(_SCHEMA, change_rows, _change)),
)

_MERGE = """
MERGE INTO accounts USING changes ON accounts.id = changes.id
WHEN MATCHED AND changes.kind = 'e' THEN DELETE
WHEN MATCHED THEN UPDATE SET amount = changes.amount, note = changes.note
WHEN NOT MATCHED THEN INSERT (id, kind, amount, note) VALUES (changes.id, changes.kind, changes.amount, changes.note)
"""

# Trino and DuckDB take no table's name before a column that is set.
QUERIES = (
    Query("ctas-1", "CREATE TABLE made AS SELECT * FROM changes", kind="write"),
    Query("ctas-10", "CREATE TABLE made_large AS SELECT * FROM accounts", kind="write"),
    Query("insert", "INSERT INTO accounts SELECT * FROM changes", kind="write"),
    Query("merge", _MERGE, kind="write"),
    Query("delete", "DELETE FROM accounts WHERE id % 10 = 3", kind="write"),
    Query("delete-few", "DELETE FROM accounts WHERE id = 77", kind="write"),
    Query("update", "UPDATE accounts SET amount = CAST(amount + 1 AS DECIMAL(12, 2)) WHERE kind = 'b'", kind="write"),
)


def queries(scale: float) -> Sequence[Query]:
    return QUERIES


SUITE = Suite(
    "writes",
    "our own: CTAS, INSERT, MERGE, DELETE, UPDATE of millions of rows",
    TABLES,
    queries,
    repeat=1,
    warm_up=1,
    warm_up_if_quick=1,
)
