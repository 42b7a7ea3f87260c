"""Statements in other dialects than SQE's own, turned into Spark's. A statement is translated faithfully or refused.

    translate("SELECT 7 / 2", "trino").sql             # Trino's by our own typed translator (trino/)
    translate("SELECT 7 // 2", "duckdb").sql           # every other dialect by sqlglot as it is (other.py)
    trino.session_statements.read("EXECUTE s USING 1") # what a Trino client asks of its session, for the door

Nothing of sqlglot is imported before the first statement that needs it: it takes 0.3 s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

NATIVE = "spark"

# By the names that users write in `SET sql_dialect`; the names are sqlglot's too.
DIALECTS = (
    NATIVE,
    "trino",
    "athena",
    "bigquery",
    "clickhouse",
    "databricks",
    "doris",
    "drill",
    "duckdb",
    "hive",
    "materialize",
    "mysql",
    "oracle",
    "postgres",
    "presto",
    "redshift",
    "risingwave",
    "snowflake",
    "sqlite",
    "starrocks",
    "tableau",
    "teradata",
    "tsql",
)


@dataclass(frozen=True)
class ResultColumn:
    """A column of a result as its dialect names it: `_col0`, `timestamp(3) with time zone`."""

    name: str
    type: str
    zone: str | None = None  # of instants, where all rows have the same: `America/New_York`


@dataclass(frozen=True)
class Translation:
    """`columns` is None where the translator does not know them; then the engine's schema says it all."""

    sql: str
    columns: tuple[ResultColumn, ...] | None = None
    without_policy: str | None = None  # the text for a session that no policy binds, where that is another one


Relations = Callable[[str], "pa.Schema"]
"""The columns of a relation in Spark's words (`cat.ns.t VERSION AS OF 1`), as the session's user sees it. Raises `SqeError`."""


def translate(sql: str, dialect: str, relations: Relations | None = None, time_zone: str = "UTC") -> Translation:
    """One statement, without the `;` at its end. Raises `SqeError` (SYNTAX_ERROR, NOT_SUPPORTED, FUNCTION_NOT_FOUND,
    TYPE_MISMATCH, …) with line and column in `sql`.

    Without `relations` only statements that read no table can be translated from Trino's dialect: what `a / b` means depends on
    the columns' types.
    """
    if dialect == NATIVE:
        return Translation(sql)
    if dialect == "trino":
        from sqe.sql.dialect.trino.translate import translate_trino

        return translate_trino(sql, relations, time_zone)
    from sqe.sql.dialect.other import translate_other

    return translate_other(sql, dialect)
