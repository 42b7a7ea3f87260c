"""Values for `?` as Arrow: typed as the server says the statement wants them, else as Python has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import pyarrow as pa

from sqe.errors import INVALID_PARAMETER_USAGE, SqeError

# Rows of parameters that travel in one batch.
BATCH_ROWS = 1000

Rows: TypeAlias = Sequence[Sequence[Any]] | pa.RecordBatch | pa.Table


def batches(rows: Rows, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """`rows` for a statement with these parameters, all batches of one schema."""
    if isinstance(rows, pa.RecordBatch):
        yield rows
        return
    if isinstance(rows, pa.Table):
        yield from rows.to_batches()
        return
    _check_counts(rows, len(schema))
    columns = [_column([row[index] for row in rows], field.type, index) for index, field in enumerate(schema)]
    if not columns:
        return
    names = [field.name for field in schema]
    table = pa.Table.from_arrays(columns, names=names)
    yield from table.to_batches(max_chunksize=BATCH_ROWS)


def _check_counts(rows: Sequence[Sequence[Any]], wanted: int) -> None:
    for row in rows:
        if isinstance(row, (str, bytes)) or not isinstance(row, Sequence):
            raise SqeError(INVALID_PARAMETER_USAGE, "Parameters are a list or a tuple, one value for each ?")
        if len(row) != wanted:
            raise SqeError(INVALID_PARAMETER_USAGE, f"The statement has {wanted} parameters, not {len(row)}")


def _column(values: list[Any], kind: pa.DataType, index: int) -> pa.Array:
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        pass
    try:
        return pa.array(values)  # the server casts it, or says why it cannot
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        name = type(values[0]).__name__
        raise SqeError(INVALID_PARAMETER_USAGE, f"Parameter {index + 1} has a value ({name}) that is not {kind}") from None
