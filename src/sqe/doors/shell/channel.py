"""The sending side of a connection: whole frames from several threads, and an end that all of them notice."""

from __future__ import annotations

import socket
import threading
from typing import Any

from sqe.doors.shell import wire


class Channel:
    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._lock = threading.Lock()

    def send(self, kind: bytes, payload: dict[str, Any] | bytes | memoryview = b"") -> None:
        """Blocks while the client does not read: that is the back-pressure on a result. Raises ConnectionLost."""
        data = wire.frame(kind, payload)
        with self._lock:
            try:
                self._sock.sendall(data)
            except OSError:
                raise wire.ConnectionLost from None

    def output(self, data: bytes | memoryview) -> None:
        view = memoryview(data)
        for start in range(0, view.nbytes, wire.MAX_OUTPUT):
            self.send(wire.OUTPUT, view[start : start + wire.MAX_OUTPUT])

    def hang_up(self) -> None:
        """Ends both directions: a thread that sends or receives comes back with ConnectionLost."""
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the client was faster
