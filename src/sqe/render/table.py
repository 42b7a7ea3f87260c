"""The table format: header, dashes, rows. Numbers to the right, NULL as NULL.

     id | name
    ----+-------
      1 | Alice
      2 | NULL
    (2 rows)

Widths come from the first rows (a result is never held whole); a later, wider value is written in full and its row sticks out.
On a terminal a table never sticks out: the widest columns are folded until the row fits, and a table whose columns would
become too narrow to read is written one record after another (records.py).
A single text with line breaks (EXPLAIN, SHOW CREATE TABLE) keeps its lines; elsewhere a row is a line and breaks are escaped.
"""

from __future__ import annotations

import pyarrow as pa

from sqe.render.cells import cell_text
from sqe.render.display import escaped, folded, pad, padded, printable, widest, width_of
from sqe.render.lines import join_rows, pieces
from sqe.render.records import RecordWriter
from sqe.render.scalars import is_number
from sqe.render.sink import Write

# What is looked at before the first line is written.
LOOK_ROWS = 1000
LOOK_BYTES = 4 << 20

# A folded column narrower than this reads badly.
NARROWEST = 8


class TableWriter:
    def __init__(self, schema: pa.Schema, write: Write, width: int) -> None:
        self._schema = schema
        self._write = write
        self._terminal = width
        self._waiting: list[list[pa.StringArray]] = []
        self._waiting_rows = 0
        self._waiting_bytes = 0
        self._grid: Grid | RecordWriter | None = None
        self._rows = 0

    def add(self, batch: pa.RecordBatch) -> None:
        self._rows += batch.num_rows
        for piece in pieces(batch):
            columns = [cell_text(column) for column in piece.columns]
            if self._grid is not None:
                self._grid.add([printable(column) for column in columns])
                continue
            self._waiting.append(columns)
            self._waiting_rows += piece.num_rows
            self._waiting_bytes += sum(column.nbytes for column in columns)
            if self._waiting_rows >= LOOK_ROWS or self._waiting_bytes >= LOOK_BYTES:
                self._begin()

    def finish(self) -> None:
        if self._grid is None:
            if self._rows == 1 and len(self._schema) == 1:
                self._waiting = [[lines_of(column)] for [column] in self._waiting]
            self._begin()
        self._write(row_count(self._rows).encode())

    def _begin(self) -> None:
        names = [escaped(name) for name in self._schema.names]
        waiting, self._waiting = [[printable(column) for column in columns] for columns in self._waiting], []
        widths = [
            max([width_of(name), *(widest(columns[position]) for columns in waiting)]) for position, name in enumerate(names)
        ]
        numbers = [is_number(field.type) for field in self._schema]
        fitting = fit(widths, self._terminal)
        if fitting is None:
            self._grid = RecordWriter(names, self._write, self._terminal)
        else:
            self._grid = Grid(names, fitting, numbers, self._write, folds=self._terminal > 0)
        for columns in waiting:
            self._grid.add(columns)


class Grid:
    """The lines of a table whose widths are known."""

    def __init__(self, names: list[str], widths: list[int], numbers: list[bool], write: Write, *, folds: bool) -> None:
        self._widths = widths
        self._numbers = numbers
        self._write = write
        self._folds = folds
        header = "".join(self._lines(names))
        rule = "+".join("-" * (width + 2) for width in widths)
        write(f"{header}{rule}\n".encode())

    def add(self, columns: list[pa.StringArray]) -> None:
        if self._folds and any(widest(column) > width for column, width in zip(columns, self._widths, strict=True)):
            self._add_folded(columns)
            return
        last = len(columns) - 1
        cells = [
            # The last column needs no blanks at its right end.
            column.fill_null("NULL") if position == last and not self._numbers[position] else self._padded(column, position)
            for position, column in enumerate(columns)
        ]
        self._write(memoryview(join_rows(cells, " ", " | ", "\n")))

    def _padded(self, column: pa.StringArray, position: int) -> pa.StringArray:
        return padded(column.fill_null("NULL"), self._widths[position], right=self._numbers[position])

    def _add_folded(self, columns: list[pa.StringArray]) -> None:
        """A row at a time, for the eyes of one person at one terminal."""
        rows = zip(*(column.fill_null("NULL").to_pylist() for column in columns), strict=True)
        self._write("".join(line for row in rows for line in self._lines(list(row))).encode())

    def _lines(self, values: list[str]) -> list[str]:
        if not values:
            return ["\n"]
        cells = [folded(value, width) if self._folds else [value] for value, width in zip(values, self._widths, strict=True)]
        height = max(len(cell) for cell in cells)
        lines = []
        for number in range(height):
            parts = [
                pad(cell[number] if number < len(cell) else "", width, right=right)
                for cell, width, right in zip(cells, self._widths, self._numbers, strict=True)
            ]
            lines.append(f" {' | '.join(parts)}".rstrip() + "\n")
        return lines


def fit(widths: list[int], terminal: int) -> list[int] | None:
    """Widths that fit the terminal: the widest columns give way first. None when they would become unreadable."""
    room = terminal - 3 * len(widths) + 1
    if terminal <= 0 or sum(widths) <= room:
        return widths
    limit = max(widths)
    while limit > NARROWEST and sum(min(width, limit) for width in widths) > room:
        limit -= 1
    capped = [min(width, limit) for width in widths]
    return capped if sum(capped) <= room else None


def lines_of(text: pa.StringArray) -> pa.StringArray:
    """The lines of a column's only value, without the empty ones at its end."""
    value = text[0].as_py() if len(text) else None
    return pa.array(value.rstrip("\n").split("\n"), pa.string()) if value else text


def row_count(rows: int) -> str:
    return "(1 row)\n" if rows == 1 else f"({rows} rows)\n"
