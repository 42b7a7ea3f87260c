"""The way in to all formats: `render` writes a result to a sink as its batches arrive."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from sqe.render import BINARY
from sqe.render.binary import ArrowWriter, ParquetWriter
from sqe.render.delimited import CsvWriter, TsvWriter
from sqe.render.intervals import readable_batch, readable_schema
from sqe.render.json_rows import JsonLinesWriter, JsonWriter
from sqe.render.markdown import MarkdownWriter
from sqe.render.sink import Write
from sqe.render.table import TableWriter


@dataclass(frozen=True)
class Layout:
    """How the reader wants it. `width` is the terminal's, 0 when the output is no terminal (nothing is folded then)."""

    format: str = "table"
    width: int = 0


class Writer(Protocol):
    """One result being written: the batches in order, then the end."""

    def add(self, batch: pa.RecordBatch) -> None: ...

    def finish(self) -> None: ...


def open_writer(schema: pa.Schema, layout: Layout, write: Write) -> Writer:
    if layout.format in BINARY:
        return ArrowWriter(schema, write) if layout.format == "arrow" else ParquetWriter(schema, write)
    readable = readable_schema(schema)
    writer = _text_writer(readable, layout, write)
    return writer if readable.equals(schema) else _Readable(writer, readable)


def _text_writer(schema: pa.Schema, layout: Layout, write: Write) -> Writer:
    match layout.format:
        case "table":
            return TableWriter(schema, write, layout.width)
        case "csv":
            return CsvWriter(schema, write)
        case "tsv":
            return TsvWriter(schema, write)
        case "json":
            return JsonWriter(schema, write)
        case "jsonl":
            return JsonLinesWriter(schema, write)
        case "markdown":
            return MarkdownWriter(schema, write)
    raise ValueError(f"unknown format {layout.format!r}")


class _Readable:
    """Gives a text writer batches that it can read (see intervals.py)."""

    def __init__(self, writer: Writer, schema: pa.Schema) -> None:
        self._writer = writer
        self._schema = schema

    def add(self, batch: pa.RecordBatch) -> None:
        self._writer.add(readable_batch(batch, self._schema))

    def finish(self) -> None:
        self._writer.finish()


def render(schema: pa.Schema, batches: Iterable[pa.RecordBatch], layout: Layout, write: Write) -> int:
    """Write the whole result; returns the number of rows."""
    writer = open_writer(schema, layout, write)
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        writer.add(batch)
    writer.finish()
    return rows
