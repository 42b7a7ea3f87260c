"""A table too wide for its terminal: one record after another, a column a line.

-[ 1 ]------
id   | 1
name | Alice
"""

from __future__ import annotations

import pyarrow as pa

from sqe.render.display import folded, pad, width_of
from sqe.render.sink import Write


class RecordWriter:
    def __init__(self, names: list[str], write: Write, terminal: int) -> None:
        self._write = write
        self._terminal = terminal
        # A name takes at most half of the line.
        self._names = [folded(name, max(1, terminal // 2)) for name in names]
        self._name_width = max((width_of(line) for name in self._names for line in name), default=0)
        self._value_width = max(1, terminal - self._name_width - 3)
        self._number = 0

    def add(self, columns: list[pa.StringArray]) -> None:
        rows = zip(*(column.fill_null("NULL").to_pylist() for column in columns), strict=True)
        self._write("".join(self._record(row) for row in rows).encode())

    def _record(self, row: tuple[str, ...]) -> str:
        self._number += 1
        lines = [f"-[ {self._number} ]".ljust(self._terminal, "-")]
        for name, value in zip(self._names, row, strict=True):
            values = folded(value, self._value_width)
            for position in range(max(len(name), len(values))):
                left = name[position] if position < len(name) else ""
                right = values[position] if position < len(values) else ""
                lines.append(f"{pad(left, self._name_width, right=False)} | {right}".rstrip())
        return "\n".join(lines) + "\n"
