"""CSV and TSV: a header line, then the rows (RFC 4180, lines end with a line feed).

A value is quoted only where it must be; NULL is empty and the empty string is `""`, so the two stay apart.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from sqe.render.cells import cell_text
from sqe.render.lines import join_rows, pieces
from sqe.render.scalars import is_plain_text
from sqe.render.sink import Write


class CsvWriter:
    delimiter = ","

    def __init__(self, schema: pa.Schema, write: Write) -> None:
        self._write = write
        names = [self._quoted(pa.array([name], pa.string())) for name in schema.names]
        self._write(memoryview(join_rows(names, "", self.delimiter, "\n")))

    def add(self, batch: pa.RecordBatch) -> None:
        for piece in pieces(batch):
            fields = [self._field(column) for column in piece.columns]
            self._write(memoryview(join_rows(fields, "", self.delimiter, "\n")))

    def finish(self) -> None:
        pass

    def _field(self, column: pa.Array) -> pa.StringArray:
        text = cell_text(column)
        return pc.fill_null(text if is_plain_text(column.type) else self._quoted(text), "")

    def _quoted(self, text: pa.StringArray) -> pa.StringArray:
        # Also a leading or trailing blank: many readers strip what is not quoted.
        special = pc.match_substring_regex(text, rf'["\r\n{self.delimiter}]|^$|^ | $')
        if pc.any(special).as_py():
            doubled = pc.binary_join_element_wise('"', pc.replace_substring(text, '"', '""'), '"', "")
            text = pc.if_else(special, doubled, text)
        return text


class TsvWriter(CsvWriter):
    delimiter = "\t"
