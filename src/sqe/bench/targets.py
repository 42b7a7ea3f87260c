"""Tables that writes change: each engine has copies of its own, made anew before every run of a statement."""

from __future__ import annotations

import pyarrow as pa
import sqlglot
from sqlglot import exp

from sqe.bench.engines.engine import Engine
from sqe.bench.lake import Loaded


def prepare_private(engine: Engine, loaded: Loaded) -> None:
    """Copies of all tables; bare names mean them from then on."""
    engine.use_private(loaded)
    for table in loaded.tables:
        _copy(engine, loaded, table.name)


def restore(engine: Engine, loaded: Loaded, sql: str) -> None:
    """The statement's table as it was loaded; one that the statement makes is gone."""
    name = target(sql)
    if any(table.name == name for table in loaded.tables):
        _copy(engine, loaded, name)
    else:
        engine.run(f"DROP TABLE IF EXISTS {name}")


# Beyond this many rows the table's columns are summed up by the engine itself: fetching them would take longer than the write.
_ROWS = 200_000


def state(engine: Engine, sql: str) -> pa.Table:
    """What is in the table after the statement: its rows, or of a large one the sums of its columns by groups of rows."""
    name = target(sql)
    (rows,) = engine.run(f"SELECT count(*) AS n FROM {name}").table[0].to_pylist()
    if rows <= _ROWS:
        return engine.run(f"SELECT * FROM {name}").table
    columns = engine.run(f"SELECT * FROM {name} WHERE 1 = 0").table.schema
    selected = ", ".join(sums(column) for column in columns)
    numbers = [column.name for column in columns if pa.types.is_integer(column.type)]
    groups = f"{numbers[0]} % 97" if numbers else "1"
    return engine.run(f"SELECT {groups} AS part, count(*) AS n, {selected} FROM {name} GROUP BY {groups}").table


def sums(column: pa.Field) -> str:
    """What tells a column's content in a few numbers, in words that all engines know."""
    name = column.name
    parts = [f"count({name})", f"min({name})", f"max({name})"]
    if pa.types.is_integer(column.type) or pa.types.is_decimal(column.type):
        parts.append(f"sum({name})")
    elif pa.types.is_string(column.type):
        parts.append(f"sum(length({name}))")
    return ", ".join(parts)


def target(sql: str) -> str:
    """The table that a statement writes to."""
    statement = sqlglot.parse_one(sql, read="spark")
    written = statement.this if isinstance(statement.this, exp.Table | exp.Schema) else statement
    table = written.find(exp.Table)
    assert table is not None
    return str(table.name)


def _copy(engine: Engine, loaded: Loaded, name: str) -> None:
    engine.run(f"DROP TABLE IF EXISTS {name}")
    engine.run(f"CREATE TABLE {name} AS SELECT * FROM {engine.original(loaded, name)}")
