"""What uvicorn lacks against slow and greedy clients; every HTTP port gives `protocol(…)` to `uvicorn.Config(http=…)`.

uvicorn (0.54) bounds the head of a request (`h11_max_incomplete_event_size`, 16 kB unless told) and closes a connection that is
idle after an answer (`timeout_keep_alive`, 5 s). It never closes one that sends nothing at first, or its request byte by byte, or
reads no answer; and `limit_concurrency` answers 503 only to a whole request, while connections pile up.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_RECEIVING = (h11.IDLE, h11.SEND_BODY)


class Deadline:
    """Cuts a connection when it is not called off in time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timer: asyncio.TimerHandle | None = None

    def start(self, transport: asyncio.Transport) -> None:
        """From now on; one that runs already goes on."""
        if self._timer is None and not transport.is_closing():
            self._timer = asyncio.get_running_loop().call_later(self._seconds, transport.abort)

    def call_off(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class GuardedProtocol(H11Protocol):
    """One connection. `protocol` makes the class of a port."""

    request_seconds: float  # from the first byte of a request (or the connection's begin) to its last
    stalled_seconds: float  # how long an answer may wait for its reader
    most_connections: int
    most_per_address: int
    open_by_address: Counter[str]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._request, self._stall = Deadline(self.request_seconds), Deadline(self.stalled_seconds)
        self._address = self.client[0] if self.client else ""
        self.open_by_address[self._address] += 1
        if self.open_by_address.total() > self.most_connections or self.open_by_address[self._address] > self.most_per_address:
            transport.abort()  # no answer: that would cost more than the question
        else:
            self._request.start(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._request.call_off()
        self._stall.call_off()
        self.open_by_address[self._address] -= 1
        if not self.open_by_address[self._address]:
            del self.open_by_address[self._address]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch_request(begun=True)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch_request(begun=bool(self.conn.trailing_data[0]))

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stall.start(self.transport)

    def resume_writing(self) -> None:
        self._stall.call_off()
        super().resume_writing()

    def _watch_request(self, *, begun: bool) -> None:
        """The time runs while a request has begun and is not complete."""
        if begun and self.conn.their_state in _RECEIVING:
            self._request.start(self.transport)
        else:
            self._request.call_off()


def protocol(
    *, request_seconds: float = 10.0, stalled_seconds: float = 30.0, most_connections: int = 1000, most_per_address: int = 100
) -> type[GuardedProtocol]:
    facts: dict[str, Any] = {
        "request_seconds": request_seconds,
        "stalled_seconds": stalled_seconds,
        "most_connections": most_connections,
        "most_per_address": most_per_address,
        "open_by_address": Counter(),
    }
    return type("PortProtocol", (GuardedProtocol,), facts)
