"""Bulk ingest: a client's Arrow stream is spooled to Parquet files as it comes, then Spark writes them by one commit.

Memory holds one batch at a time, a client that goes away in the middle leaves the table as it was, and Spark reads the
files in parallel. The files are Snappy: the spool of 6 million rows is about the size of the table.
"""

from __future__ import annotations

import errno
import json
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from sqe import errors
from sqe.errors import SqeError

if TYPE_CHECKING:
    import pyarrow.parquet as pq

log = logging.getLogger("sqe.query")

_FILE_BYTES = 128 << 20
_GROUP_BYTES = 8 << 20


class IngestMode(Enum):
    APPEND = "append"
    CREATE = "create"
    CREATE_APPEND = "create_append"  # append, to a table made for it when there is none
    REPLACE = "replace"


@dataclass(frozen=True)
class TableName:
    """A table as a client named it; what it left out is the session's current place."""

    table: str
    schema: str | None = None
    catalog: str | None = None

    def within(self, catalog: str, namespace: tuple[str, ...]) -> TableName:
        if not self.table:
            raise SqeError(errors.INVALID_ARGUMENTS, "The table has no name")
        return TableName(self.table, self.schema or ".".join(namespace), self.catalog or catalog)

    def parts(self) -> list[str]:
        return [part for part in (self.catalog, *(self.schema or "").split("."), self.table) if part]

    def __str__(self) -> str:
        return ".".join(self.parts())


class Spool:
    """A folder of Parquet files, gone when the block ends."""

    def __init__(self) -> None:
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="sqe-ingest-"))
        except OSError as refused:
            raise _unwritable(refused) from None

    def fill(self, reader: pa.RecordBatchReader, check: Callable[[], None]) -> None:
        """Writes all rows; `check` raises when the statement was stopped meanwhile."""
        if not reader.schema.names:
            raise SqeError(errors.INVALID_ARGUMENTS, "The stream of rows has no columns")
        schema = writable_schema(reader.schema)
        files = _Files(self._folder, schema)
        try:
            with files:
                for batch in _batches(reader):
                    check()
                    files.write(batch.cast(schema) if batch.schema != schema else batch)
        except OSError as refused:
            raise _unwritable(refused) from None

    def parameters(self) -> str:
        """The files as rows of parameters of a statement (jvm: Parameters.bind)."""
        return json.dumps({"files": self._paths()})

    def request(self, target: TableName, mode: IngestMode) -> str:
        return json.dumps({"files": self._paths(), "table": target.parts(), "mode": mode.value})

    def _paths(self) -> list[str]:
        return sorted(str(file) for file in self._folder.glob("*.parquet"))

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


class _Files:
    """Parquet files of a good size to read in parallel, in row groups of a good size, whatever the client's batches are."""

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        self._folder = folder
        self._schema = schema
        self._count = 0
        self._written = 0
        self._writer: pq.ParquetWriter | None = None
        self._group: list[pa.RecordBatch] = []
        self._group_bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        self._group.append(batch)
        self._group_bytes += batch.get_total_buffer_size()
        if self._group_bytes >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._writer is None:
            import pyarrow.parquet as pq  # 40 ms that only an ingest needs

            self._writer = pq.ParquetWriter(self._folder / f"{self._count:06d}.parquet", self._schema, version="2.6")
            self._count += 1
        self._writer.write_table(pa.Table.from_batches(self._group, self._schema))
        self._written += self._group_bytes
        self._group, self._group_bytes = [], 0
        if self._written >= _FILE_BYTES:
            self._close_file()

    def _close_file(self) -> None:
        writer, self._writer, self._written = self._writer, None, 0
        if writer is not None:
            writer.close()

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is None and (self._group or not self._count):  # a stream without rows still has columns
            self._flush()
        self._close_file()


def _batches(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except SqeError:
            raise
        except Exception as broken:  # noqa: BLE001 - whatever the door's reader raises when its client is gone
            log.info("a client's stream of rows broke off: %s", broken)
            raise SqeError(errors.GENERIC_USER_ERROR, "The client's stream of rows broke off; nothing was written") from None
        yield batch


def _unwritable(refused: OSError) -> SqeError:
    if refused.errno in (errno.ENOSPC, errno.EDQUOT):
        return SqeError(errors.OUT_OF_DISK_SPACE, "There is no space left to keep the client's rows until they are written")
    log.error("the spool of an ingest cannot be written: %s", refused)
    return SqeError(errors.GENERIC_INTERNAL_ERROR, "The client's rows could not be kept until they are written")


def writable_schema(schema: pa.Schema) -> pa.Schema:
    """The same columns in types that Spark reads from Parquet. Casting is checked: a value that does not fit is an error."""
    return pa.schema([pa.field(field.name, writable_type(field.type), field.nullable) for field in schema])


def writable_type(kind: pa.DataType) -> pa.DataType:
    for matches, stored in _STORED:
        if matches(kind):
            return stored(kind)
    raise SqeError(errors.NOT_SUPPORTED, f"A column of Arrow type {kind} cannot be stored")


def _list(kind: pa.DataType) -> pa.DataType:
    return pa.list_(writable_type(kind.value_type))


def _struct(kind: pa.DataType) -> pa.DataType:
    return pa.struct([pa.field(item.name, writable_type(item.type), item.nullable) for item in kind])


# Which types a column may have, and as what it is written. The first that matches counts.
_STORED: Sequence[tuple[Callable[[pa.DataType], bool], Callable[[pa.DataType], pa.DataType]]] = (
    (pa.types.is_dictionary, lambda kind: writable_type(kind.value_type)),
    (lambda kind: isinstance(kind, pa.BaseExtensionType), lambda kind: writable_type(kind.storage_type)),
    (pa.types.is_timestamp, lambda kind: pa.timestamp("us", "UTC" if kind.tz else None)),
    (pa.types.is_date, lambda _: pa.date32()),
    (pa.types.is_float16, lambda _: pa.float32()),
    (pa.types.is_uint64, lambda _: pa.decimal128(20, 0)),
    (pa.types.is_unsigned_integer, lambda kind: {8: pa.int16(), 16: pa.int32(), 32: pa.int64()}[kind.bit_width]),
    (lambda kind: pa.types.is_decimal(kind) and kind.precision <= 38, lambda kind: pa.decimal128(kind.precision, kind.scale)),
    (lambda kind: pa.types.is_large_string(kind) or pa.types.is_string_view(kind), lambda _: pa.string()),
    (lambda kind: pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind), lambda _: pa.binary()),
    (pa.types.is_fixed_size_binary, lambda _: pa.binary()),
    (lambda kind: pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind), _list),
    (pa.types.is_struct, _struct),
    (pa.types.is_map, lambda kind: pa.map_(writable_type(kind.key_type), writable_type(kind.item_type))),
    (
        lambda kind: (
            pa.types.is_null(kind)
            or pa.types.is_boolean(kind)
            or pa.types.is_integer(kind)
            or pa.types.is_floating(kind)
            or pa.types.is_string(kind)
            or pa.types.is_binary(kind)
        ),
        lambda kind: kind,
    ),
)
