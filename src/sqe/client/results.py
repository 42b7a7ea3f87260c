"""The answer to a statement on the client's side: its schema at once, its rows as they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
from pyarrow import flight

from sqe.client.failures import understood


class Result:
    """Rows stream once. Closing it early tells the server to stop; a statement without rows has an empty schema."""

    def __init__(
        self,
        info: flight.FlightInfo,
        open_stream: Callable[[flight.Ticket], flight.FlightStreamReader],
        cancel: Callable[[flight.FlightInfo], bool],
    ) -> None:
        self._info = info
        self._open_stream = open_stream
        self._cancel = cancel
        self._reader: flight.FlightStreamReader | None = None
        self._done = False
        self.schema: pa.Schema = info.schema

    @property
    def has_rows(self) -> bool:
        return len(self.schema) > 0

    @property
    def done(self) -> bool:
        return self._done or not self.has_rows

    @property
    def affected_rows(self) -> int | None:
        """What DML changed; None for everything else."""
        return None if self.has_rows or self._info.total_records < 0 else int(self._info.total_records)

    @property
    def query_id(self) -> str:
        return bytes(self._info.app_metadata or b"").decode("utf-8", "replace")

    def batches(self) -> Iterator[pa.RecordBatch]:
        try:
            while (batch := self._next()) is not None:
                yield batch
        finally:
            self.close()

    def reader(self) -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(self.schema, self.batches())

    def read_all(self) -> pa.Table:
        return pa.Table.from_batches(self.batches(), self.schema)

    def cancel(self) -> bool:
        """From any thread; False when the server knows the query no more."""
        return not self._done and self._cancel(self._info)

    def close(self) -> None:
        if self._done:
            return
        self._done = True
        if self._reader is not None:
            self._reader.cancel()  # dropping the stream is what makes the server stop
        elif self.has_rows:
            self._cancel(self._info)

    def __enter__(self) -> Result:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _next(self) -> pa.RecordBatch | None:
        if self._done or not self.has_rows:
            return None
        with understood():
            if self._reader is None:
                self._reader = self._open_stream(self._info.endpoints[0].ticket)
            try:
                while True:
                    chunk = self._reader.read_chunk()
                    if chunk.data is not None:
                        return chunk.data
            except StopIteration:
                self._done = True
                return None
