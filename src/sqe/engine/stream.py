"""Rows out of the driver: an Arrow IPC stream on a unix socket, read by pyarrow's C++ reader, then the trailer that says
how the statement ended (jvm: StreamServer.scala). No Python code runs per row; per batch it is one socket read."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pyarrow as pa

from sqe.engine.driver import lost
from sqe.engine.failures import error_of


class _SocketFile:
    """The file that pyarrow reads from. `read_buffer` fills memory of Arrow's own, so a batch is copied once, by the kernel."""

    closed = False

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def readable(self) -> bool:
        return True

    def read_buffer(self, size: int) -> pa.Buffer:
        buffer = pa.allocate_buffer(size)
        filled = self._fill(memoryview(buffer))
        return buffer if filled == size else buffer.slice(0, filled)

    def read(self, size: int = -1) -> bytes:
        data = bytearray(size)
        return bytes(data[: self._fill(memoryview(data))])

    def _fill(self, view: memoryview) -> int:
        filled = 0
        while filled < len(view):
            try:
                count = self._connection.recv_into(view[filled:])
            except OSError:
                raise lost() from None
            if count == 0:
                break
            filled += count
        return filled

    def close(self) -> None:
        self._connection.close()


class RowStream:
    """The rows of one execution. Closing it early makes the driver cancel the job: its next write fails."""

    def __init__(self, socket_path: str, execution_id: str) -> None:
        self._connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._connection.connect(socket_path)
            self._connection.sendall(execution_id.encode() + b"\n")
        except OSError:
            self._connection.close()
            raise lost() from None
        self._file = _SocketFile(self._connection)
        self.shape: str | None = None  # how the rows left their plan (jvm: ResultPlan), known at the end

    def batches(self) -> Iterator[pa.RecordBatch]:
        try:
            reader = pa.ipc.open_stream(pa.PythonFile(self._file, mode="r"))
            yield from reader
        except (pa.ArrowException, EOFError, OSError):
            # A stream cut in the middle; if the driver still lives, its trailer is lost with it.
            raise lost() from None
        self._check_trailer()

    def _check_trailer(self) -> None:
        """Without the trailer the result may be a part only, whatever it looks like: never end without an error then."""
        size = self._file.read(4)
        body = self._file.read(int.from_bytes(size, "big")) if len(size) == 4 else b""
        if not body:
            raise lost()
        outcome: dict[str, Any] = json.loads(body)
        if "error" in outcome:
            raise error_of(outcome["error"])
        self.shape = outcome["ok"]["shape"]

    def close(self) -> None:
        self._connection.close()

    def abort(self) -> None:
        """From another thread than the reader's: both ends wake up, wherever they wait."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
