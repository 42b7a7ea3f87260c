"""The shape of a suite: tables that are generated in streams, and queries whose answers are compared between engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

UNPUBLISHED = -1  # what `Table.rows` says of a scale whose number of rows nobody publishes


@dataclass(frozen=True)
class Table:
    """A table of a suite. The same scale always gives the same rows, on any machine and in any order of asking."""

    name: str
    schema: pa.Schema
    rows: Callable[[float], int]  # of a scale: what the specification publishes, checked after loading
    batches: Callable[[float], Iterator[pa.RecordBatch]]  # of a scale: bounded batches, never the whole table
    partitioned_by: str = ""  # Iceberg's own spelling, for instance `days(sold_at)`
    properties: str = ""  # as TBLPROPERTIES has them


@dataclass(frozen=True)
class Query:
    """One statement in Spark's SQL over the suite's bare table names; `dialects` has it for engines that spell it otherwise."""

    name: str
    sql: str
    kind: Literal["read", "write"] = "read"
    ordered: bool = False  # its ORDER BY decides every row's place, so that places are compared, too
    # Of an engine's dialect ("trino", "duckdb"): the text. Where absent, ours is translated; an empty one says that the engine
    # has no words for it, and is not asked.
    dialects: tuple[tuple[str, str], ...] = ()
    tolerance: float = 0.0  # relative, of floating-point results only; stated in the report
    parameters: tuple[int | str, ...] = ()  # one for each `?`: the statement is prepared
    any_rows: bool = False  # LIMIT without ORDER BY: which rows come is the engine's choice, their number is not
    vacuous: bool = False  # known to have no rows at small scales, and told so


@dataclass(frozen=True)
class Suite:
    name: str
    what: str
    tables: Sequence[Table]
    queries: Callable[[float], Sequence[Query]]  # of a scale: some texts have parameters that depend on it
    # Statements for SQE after the tables were loaded: snapshots to travel to, rows to delete. `{schema}` is where they are.
    after_loading: Sequence[str] = ()
    # Of a scale: questions whose text for Trino asks a generator of its own, not our tables.
    oracle: Callable[[float], Sequence[Query]] = lambda scale: ()
    repeat: int = 3  # measured rounds, unless the command says otherwise
    warm_up: int = 4  # rounds before them, at most
    warm_up_if_quick: int = 20  # as above, of a question that takes less than half a second
