"""From numbers to columns: texts, amounts, dates, and tables that are made of them block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sqe.bench.suites.draws import Draw, Numbers, Truths
from sqe.bench.suites.suite import Table

Column: TypeAlias = "pa.Array | npt.NDArray[Any]"
BLOCK = 65_536  # rows of a batch: some 20 MB of the widest table


def table(
    name: str,
    types: Mapping[str, pa.DataType],
    rows: Callable[[float], int],
    columns: Callable[[float, Numbers], Mapping[str, Column]],
    block: int = BLOCK,
    partitioned_by: str = "",
) -> Table:
    """A table whose columns are a function of the scale and the rows' numbers, from 0."""
    schema = pa.schema(list(types.items()))

    def batches(scale: float) -> Iterator[pa.RecordBatch]:
        total = rows(scale)
        for start in range(0, total, block):
            made = columns(scale, np.arange(start, min(start + block, total), dtype=np.int64))
            yield pa.RecordBatch.from_arrays([_typed(made[field.name], field.type) for field in schema], schema=schema)

    return Table(name, schema, rows, batches, partitioned_by)


def _typed(column: Column, wanted: pa.DataType) -> pa.Array:
    if isinstance(column, pa.Array):
        return column if column.type == wanted else column.cast(wanted)
    if isinstance(column, np.ma.MaskedArray):
        values = _typed(np.ma.getdata(column), wanted)
        return pc.if_else(pa.array(np.ma.getmaskarray(column)), pa.scalar(None, type=wanted), values)
    if pa.types.is_decimal(wanted):
        return _decimals(column, wanted)
    if pa.types.is_date32(wanted):
        return pa.array(column.astype(np.int32)).view(wanted)
    if pa.types.is_timestamp(wanted):
        return pa.array(column.astype(np.int64)).view(wanted)
    return pa.array(column, type=wanted)


def _decimals(units: npt.NDArray[np.generic], wanted: pa.DataType) -> pa.Array:
    """Of whole numbers of the smallest unit, cents for two places."""
    wide = np.empty((len(units), 2), dtype=np.int64)
    wide[:, 0] = units
    wide[:, 1] = wide[:, 0] >> 63  # the sign, in the upper half
    return pa.Array.from_buffers(wanted, len(units), [None, pa.py_buffer(wide)])


def chosen(values: Sequence[str], places: Numbers) -> pa.Array:
    return pa.array(values, type=pa.string()).take(pa.array(places))


def joined(*parts: pa.Array | str, between: str = "") -> pa.Array:
    return pc.binary_join_element_wise(*(pa.scalar(part) if isinstance(part, str) else part for part in parts), between)


def digits(numbers: Numbers, width: int = 0) -> pa.Array:
    texts = pc.cast(pa.array(numbers), pa.string())
    return pc.utf8_lpad(texts, width, "0") if width else texts


def nulls_where(numbers: Numbers, missing: Truths) -> Column:
    return np.ma.MaskedArray(numbers, mask=missing)


_ALPHABET = np.frombuffer(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ,", dtype=np.uint8)


def letters(draw: Draw, rows: Numbers, low: int, high: int) -> pa.Array:
    """Random texts of `low` to `high` characters."""
    lengths = Draw(f"{draw.name}.length").between(rows, low, high)
    words = (high + 7) // 8
    wide = draw.bits((rows[:, np.newaxis] * words + np.arange(words)).ravel()).astype("<u8").view(np.uint8)
    characters = _ALPHABET[wide & 63].reshape(len(rows), words * 8)
    kept = characters[np.arange(words * 8) < lengths[:, np.newaxis]]
    offsets = np.zeros(len(rows) + 1, dtype=np.int32)
    np.cumsum(lengths, out=offsets[1:])
    return pa.StringArray.from_buffers(len(rows), pa.py_buffer(offsets), pa.py_buffer(kept))


def phrases(draw: Draw, rows: Numbers, vocabulary: Sequence[str], words: int) -> pa.Array:
    """So many words of a vocabulary each."""
    return joined(
        *(chosen(vocabulary, Draw(f"{draw.name}.{word}").below(rows, len(vocabulary))) for word in range(words)), between=" "
    )


def days_since_1970(date: str) -> int:
    return int(np.datetime64(date, "D").astype(np.int64))
