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


def state(engine: Engine, sql: str) -> pa.Table:
    """The whole table after the statement."""
    return engine.run(f"SELECT * FROM {target(sql)}").table


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
