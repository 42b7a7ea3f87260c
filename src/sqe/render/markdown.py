"""A GitHub-flavoured Markdown table. Columns are not padded: rows leave as they come."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from sqe.render.cells import cell_text
from sqe.render.lines import join_rows, pieces
from sqe.render.scalars import is_number
from sqe.render.sink import Write


class MarkdownWriter:
    def __init__(self, schema: pa.Schema, write: Write) -> None:
        self._write = write
        names = [_escaped(pa.array([name], pa.string())) for name in schema.names]
        rule = "|".join("---:" if is_number(field.type) else "---" for field in schema)
        self._write(memoryview(join_rows(names, "| ", " | ", f" |\n|{rule}|\n")))

    def add(self, batch: pa.RecordBatch) -> None:
        for piece in pieces(batch):
            columns = [_escaped(cell_text(column)) for column in piece.columns]
            self._write(memoryview(join_rows(columns, "| ", " | ", " |\n")))

    def finish(self) -> None:
        pass


def _escaped(text: pa.StringArray) -> pa.StringArray:
    """A bar would end the cell and a line break the row."""
    text = pc.replace_substring(pc.replace_substring(text, "\\", "\\\\"), "|", "\\|")
    return pc.replace_substring_regex(text, r"\r\n|\r|\n", "<br>")
