"""Arrow IPC stream and Parquet: the batches as they are, types untouched."""

from __future__ import annotations

import io

import pyarrow as pa

from sqe.render.sink import Write

# A row group is written at once: large enough to read well, small enough for the memory of a laptop.
ROW_GROUP_BYTES = 32 << 20


class _Sink(io.RawIOBase):
    """A file for pyarrow's writers that never seeks."""

    def __init__(self, write: Write) -> None:
        self._write = write

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        view = memoryview(data)  # type: ignore[arg-type]
        self._write(view)
        return view.nbytes


class ArrowWriter:
    def __init__(self, schema: pa.Schema, write: Write) -> None:
        self._writer = pa.ipc.new_stream(pa.PythonFile(_Sink(write), mode="w"), schema)

    def add(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)

    def finish(self) -> None:
        self._writer.close()


class ParquetWriter:
    def __init__(self, schema: pa.Schema, write: Write) -> None:
        # pyarrow.parquet costs some 60 ms to import and few results are written as Parquet.
        import pyarrow.parquet as pq

        self._schema = schema
        self._writer = pq.ParquetWriter(pa.PythonFile(_Sink(write), mode="w"), schema, compression="zstd")
        self._waiting: list[pa.RecordBatch] = []
        self._bytes = 0

    def add(self, batch: pa.RecordBatch) -> None:
        self._waiting.append(batch)
        self._bytes += batch.get_total_buffer_size()
        if self._bytes >= ROW_GROUP_BYTES:
            self._flush()

    def finish(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            table = pa.Table.from_batches(self._waiting, self._schema)
            self._writer.write_table(table, row_group_size=max(1, table.num_rows))
        self._waiting, self._bytes = [], 0
