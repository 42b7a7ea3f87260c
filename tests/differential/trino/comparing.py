"""SQE's side of the comparison: many expressions in one statement, because each statement costs a tenth of a second."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import rendering

from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.render.intervals import readable_batch, readable_schema
from sqe.session import Session
from sqe.sql.dialect.trino.types import read_type

BATCH = 30


@dataclass(frozen=True)
class Answer:
    """Rows as Trino's protocol has them, or the error."""

    types: list[str] | None = None
    names: list[str] | None = None
    rows: list[list[Any]] | None = None
    error: SqeError | None = None


def ask(handler: QueryHandler, session: Session, sql: str) -> Answer:
    try:
        with handler.submit(session, sql, door="test") as query:
            schema, columns = readable_schema(query.schema), query.columns
            table = pa.Table.from_batches([readable_batch(batch, schema) for batch in query.batches()], schema)
    except SqeError as error:
        return Answer(error=error)
    if columns is None:
        return Answer(names=table.column_names, rows=[list(row.values()) for row in table.to_pylist()])
    cells = [
        [rendering.shown(value, each.type, each.zone) for value in table.column(at).to_pylist()]
        for at, each in enumerate(columns)
    ]
    rows = [list(row) for row in zip(*cells, strict=True)]
    return Answer([each.type for each in columns], [each.name for each in columns], rows)


def ask_cells(handler: QueryHandler, session: Session, statements: list[str]) -> list[Answer]:
    """Of statements `SELECT one expression`. A batch in which one fails is asked in halves."""
    if len(statements) == 1:
        return [ask(handler, session, statements[0])]
    if len(statements) <= BATCH:
        together = ask(handler, session, "SELECT " + ",\n".join(each.removeprefix("SELECT ") for each in statements))
        if together.rows is not None and together.types is not None:
            (row,) = together.rows
            return [Answer([kind], [f"_col{0}"], [[cell]]) for kind, cell in zip(together.types, row, strict=True)]
    middle = len(statements) // 2 if len(statements) <= BATCH else BATCH
    return ask_cells(handler, session, statements[:middle]) + ask_cells(handler, session, statements[middle:])


def differs(expected: dict[str, Any], got: Answer, *, in_order: bool = True) -> str | None:
    """What is different; None when nothing is."""
    if "error" in expected:
        return None if got.error is not None else f"Trino: {expected['error']}, SQE: {got.rows}"
    if got.error is not None or got.rows is None:
        return f"Trino: {expected['rows']}, SQE: {got.error}"
    kinds = [read_type(kind) for kind in expected["types"]]
    wanted = [[rendering.of_trino(cell, kind) for cell, kind in zip(row, kinds, strict=True)] for row in expected["rows"]]
    found = got.rows
    if not in_order:
        wanted, found = sorted(wanted, key=repr), sorted(found, key=repr)
    if not rendering.same(wanted, found):
        return f"Trino: {wanted}, SQE: {found}"
    if got.types is not None and [_loosely(kind) for kind in expected["types"]] != [_loosely(kind) for kind in got.types]:
        return f"Trino: {expected['types']}, SQE: {got.types}"
    return None


def _loosely(kind: str) -> str:
    """Lengths of texts are only shown."""
    import re

    return re.sub(r"varchar\(\d+\)", "varchar", kind.replace(" ", "").lower())
