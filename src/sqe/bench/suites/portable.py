"""Queries that Spark, Trino and DuckDB understand alike: no translator touches them, so that all engines are asked the same."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.bench.suites.suite import Query


def read(name: str, sql: str, tolerance: float = 0.0, **elsewhere: str) -> Query:
    """Its ORDER BY decides every row's place, or it has one row. `elsewhere`: the text of a dialect that spells it otherwise."""
    return Query(name, sql, ordered=True, tolerance=tolerance, dialects=_dialects(sql, elsewhere))


def write(name: str, sql: str, check: str) -> tuple[Query, Query]:
    """A write, and a read of what it left."""
    return Query(name, sql, kind="write", dialects=_dialects(sql, {})), read(f"check-{name}", check)


def _dialects(sql: str, elsewhere: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((dialect, elsewhere.get(dialect, sql)) for dialect in ("trino", "duckdb"))
