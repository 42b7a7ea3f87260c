"""Bulk ingest: a client's Arrow stream is spooled to Parquet files as it comes, then Spark writes them by one commit.

Memory holds one batch at a time, a client that goes away in the middle leaves the table as it was, and Spark reads the
files in parallel. The files are Snappy: the spool of 6 million rows is about the size of the table.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import pyarrow as pa

_FILE_BYTES = 128 << 20


class IngestMode(Enum):
    APPEND = "append"
    CREATE = "create"
    REPLACE = "replace"


@dataclass(frozen=True)
class TableName:
    """A table as a client named it; what it left out is the session's current place."""

    table: str
    schema: str | None = None
    catalog: str | None = None

    def within(self, catalog: str, namespace: tuple[str, ...]) -> TableName:
        return TableName(self.table, self.schema or ".".join(namespace), self.catalog or catalog)

    def parts(self) -> list[str]:
        return [part for part in (self.catalog, *(self.schema or "").split("."), self.table) if part]

    def __str__(self) -> str:
        return ".".join(self.parts())


class Spool:
    """A folder of Parquet files, gone when the block ends."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="sqe-ingest-"))

    def fill(self, reader: pa.RecordBatchReader) -> None:
        import pyarrow.parquet as pq

        schema = writable_schema(reader.schema)
        writer: pq.ParquetWriter | None = None
        written = 0
        count = 0
        try:
            for batch in reader:
                if writer is None:
                    writer = pq.ParquetWriter(self._folder / f"{count:06d}.parquet", schema, coerce_timestamps=None, version="2.6")
                    count += 1
                writer.write_batch(batch.cast(schema) if batch.schema != schema else batch)
                written += batch.nbytes
                if written >= _FILE_BYTES:
                    writer.close()
                    writer, written = None, 0
            if count == 0:
                writer = pq.ParquetWriter(self._folder / "000000.parquet", schema)
        finally:
            if writer is not None:
                writer.close()

    def request(self, target: TableName, mode: IngestMode) -> str:
        files = sorted(str(file) for file in self._folder.glob("*.parquet"))
        return json.dumps({"files": files, "table": target.parts(), "mode": mode.value})

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def writable_schema(schema: pa.Schema) -> pa.Schema:
    """The same columns in types that Spark reads from Parquet. Casting is checked: a value that does not fit is an error."""
    return pa.schema([pa.field(field.name, writable_type(field.type), field.nullable) for field in schema])


def writable_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
        return writable_type(kind.value_type)
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", "UTC" if kind.tz else None)
    if pa.types.is_date64(kind):
        return pa.date32()
    if pa.types.is_float16(kind):
        return pa.float32()
    if pa.types.is_uint64(kind):
        return pa.decimal128(20, 0)
    if pa.types.is_unsigned_integer(kind):
        return {8: pa.int16(), 16: pa.int32(), 32: pa.int64()}[kind.bit_width]
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return pa.binary()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return pa.list_(writable_type(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(item.name, writable_type(item.type), item.nullable) for item in kind])
    if pa.types.is_map(kind):
        return pa.map_(writable_type(kind.key_type), writable_type(kind.item_type))
    return kind
