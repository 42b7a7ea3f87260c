"""Rows of text out of columns of text, without Python work per row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

# One piece is rendered at a time: enough rows to make the kernels' fixed cost vanish, few enough to stay small in memory.
PIECE_ROWS = 8192
PIECE_BYTES = 8 << 20


def pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The batch in slices of bounded size; rows with huge values come in smaller slices."""
    if batch.num_rows == 0:
        return
    row_bytes = max(1, batch.get_total_buffer_size() // batch.num_rows)
    step = max(1, min(PIECE_ROWS, PIECE_BYTES // row_bytes))
    for start in range(0, batch.num_rows, step):
        yield batch.slice(start, step)


def join_rows(columns: Sequence[pa.Array], before: str, between: str, after: str) -> pa.Buffer:
    """Each row as `before` + its cells with `between` + `after`; all rows in one buffer, ready to be written.

    The values of a string array lie one after another in memory: the array of the joined rows is the output already.
    """
    parts: list[pa.Array | str] = [before]
    for position, column in enumerate(columns):
        if position:
            parts.append(between)
        parts.append(column)
    rows = pc.binary_join_element_wise(*parts, after, "", null_handling="replace", null_replacement="NULL")
    return text_of(rows)


def text_of(rows: pa.StringArray) -> pa.Buffer:
    """The characters of all values of a fresh array (no slice, no nulls)."""
    size = pc.sum(pc.binary_length(rows)).as_py() or 0
    data = rows.buffers()[2]
    return data.slice(0, size) if data is not None else pa.py_buffer(b"")
