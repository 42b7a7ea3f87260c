"""JSON (one array, a row a line) and JSON Lines (an object a line)."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from sqe.render.json_values import objects
from sqe.render.lines import pieces, text_of
from sqe.render.sink import Write


class JsonLinesWriter:
    def __init__(self, schema: pa.Schema, write: Write) -> None:
        self._names = schema.names
        self._write = write

    def add(self, batch: pa.RecordBatch) -> None:
        for piece in pieces(batch):
            rows = objects(self._names, piece.columns)
            self._write(memoryview(text_of(pc.binary_join_element_wise(rows, "\n", ""))))

    def finish(self) -> None:
        pass


class JsonWriter:
    def __init__(self, schema: pa.Schema, write: Write) -> None:
        self._names = schema.names
        self._write = write
        self._empty = True

    def add(self, batch: pa.RecordBatch) -> None:
        for piece in pieces(batch):
            rows = text_of(pc.binary_join_element_wise(",\n", objects(self._names, piece.columns), ""))
            if self._empty:
                self._write(b"[")
                rows = rows.slice(2)  # no comma before the first row
            self._empty = False
            self._write(memoryview(rows))

    def finish(self) -> None:
        self._write(b"[]\n" if self._empty else b"]\n")
