"""Rows made from their numbers, in batches: the same on any machine, in any order of asking."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pyarrow as pa

BATCH = 64 * 1024

# Of row numbers (a numpy array): the columns of these rows.
Columns = Callable[[Any], list[Any]]


def batches(schema: pa.Schema, rows: Callable[[float], int], columns: Columns) -> Callable[[float], Iterator[pa.RecordBatch]]:
    def made(scale: float) -> Iterator[pa.RecordBatch]:
        import numpy

        total = rows(scale)
        for first in range(0, total, BATCH):
            numbers = numpy.arange(first, min(first + BATCH, total), dtype=numpy.int64)
            arrays = [pa.array(column).cast(field.type) for column, field in zip(columns(numbers), schema, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    return made


def mixed(numbers: Any, salt: int) -> Any:
    """Numbers below 2**31 without a pattern that a filter or an encoding could use, and another row of them for each salt."""
    import numpy

    wide = (numpy.asarray(numbers, dtype=numpy.uint64) * numpy.uint64(2 * salt + 1) + numpy.uint64(salt << 40)) * numpy.uint64(
        _STEP
    )
    wide ^= wide >> numpy.uint64(29)
    wide *= numpy.uint64(0xBF58476D1CE4E5B9)
    return (wide >> numpy.uint64(33)).astype(numpy.int64)


_STEP = 0x9E3779B97F4A7C15  # of the golden ratio: neighbours end up far from each other


def cents(numbers: Any, salt: int, below: int) -> pa.Array:
    """Money from 0 to `below`, with two places."""
    import pyarrow.compute as pc

    return pc.multiply(pa.array(mixed(numbers, salt) % (100 * below)).cast(pa.decimal128(19, 0)), Decimal("0.01"))


def words(choice: tuple[str, ...], numbers: Any) -> pa.Array:
    """One of the words for each number."""
    return pa.array(list(choice)).take(pa.array(numbers % len(choice)))
