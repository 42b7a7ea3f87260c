"""Rows on their way out: batches become chunks of JSON, plain or in an encoding that the client offered."""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sqe.doors.trino.types import TrinoType
from sqe.doors.trino.values import Rows

# About what a client gets at once; the text of a value may be longer than the value.
CHUNK_BYTES = 1 << 20
_TEXT_FACTOR = 2

# Smaller ones are not worth it: clients take an uncompressed segment for what it is.
COMPRESS_FROM = 8 * 1024

_CODECS = {"json": None, "json+zstd": "zstd", "json+lz4": "lz4_raw"}


@dataclass(frozen=True)
class Chunk:
    """Some rows. `text` stands in the answer's `data` as it is."""

    rows: int
    text: bytes


class Encoder:
    """Makes the chunks of one result. `encoding` None is the plain protocol: rows as JSON in the answer itself."""

    def __init__(
        self, schema: pa.Schema, types: Sequence[TrinoType], capabilities: Collection[str], encoding: str | None
    ) -> None:
        self._rows = Rows(schema, types, capabilities)
        self._encoding = encoding
        self._offset = 0

    def chunks(self, batch: pa.RecordBatch) -> Iterator[Chunk]:
        if not batch.num_rows:
            return
        row_bytes = max(1, _TEXT_FACTOR * batch.get_total_buffer_size() // batch.num_rows)
        step = max(1, CHUNK_BYTES // row_bytes)
        for start in range(0, batch.num_rows, step):
            piece = batch.slice(start, step)
            text = self._rows.text(piece)
            yield Chunk(piece.num_rows, text.to_pybytes() if self._encoding is None else self._segment(text, piece.num_rows))
            self._offset += piece.num_rows

    def _segment(self, text: pa.Buffer, rows: int) -> bytes:
        data = b"[" + text.to_pybytes() + b"]"
        facts: dict[str, Any] = {"rowOffset": self._offset, "rowsCount": rows}
        codec = _CODECS[self._encoding or "json"]
        if codec and len(data) >= COMPRESS_FROM:
            facts["uncompressedSize"] = len(data)
            data = pa.Codec(codec).compress(data, asbytes=True)
        facts["segmentSize"] = len(data)
        written = ",".join(f'"{name}":{value}' for name, value in facts.items())
        return b'{"type":"inline","data":"' + base64.b64encode(data) + b'","metadata":{' + written.encode() + b"}}"


def data_of(chunks: Sequence[Chunk], encoding: str | None) -> bytes:
    """The value of an answer's `data`."""
    joined = b",".join(chunk.text for chunk in chunks)
    if encoding is None:
        return b"[" + joined + b"]"
    return b'{"encoding":"' + encoding.encode() + b'","segments":[' + joined + b"]}"


def chosen_encoding(offered: Sequence[str]) -> str | None:
    """The first that the server has, too; None when there is none, and rows go as they always did."""
    return next((name for name in offered if name in _CODECS), None)
