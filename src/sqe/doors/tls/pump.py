"""Carries the bytes of one connection both ways, between a TLS client and a local socket, in one thread.

One, because Python before 3.13 must not read and write a TLS socket at the same time. The work is OpenSSL's and the kernel's,
done without the GIL; see docs/tls.md for what it costs.
"""

from __future__ import annotations

import select
import socket
import ssl
import time
from contextlib import suppress

from sqe.doors.tls.marking import Marking, NotHttp2

DOWN_BYTES, UP_BYTES = 256 * 1024, 64 * 1024

# Slow readers are HTTP/2's business: their library goes on reading the socket. One that takes nothing for so long is dead or
# means harm.
STALLED_SECONDS = 60.0


class Stopped(Exception):
    """The front closes."""


class Waiting:
    """Waits for sockets without missing that the front stops."""

    def __init__(self, stopping: socket.socket) -> None:
        self._stopping = stopping.fileno()
        self._poll = select.poll()
        self._poll.register(stopping, select.POLLIN)

    def watch(self, which: socket.socket, events: int) -> None:
        # An empty mask still reports a hang-up, again and again; a socket that nothing is wanted of is left out.
        if events:
            self._poll.register(which, events)
        else:
            self.forget(which)

    def forget(self, which: socket.socket) -> None:
        with suppress(KeyError):
            self._poll.unregister(which)

    def wait(self, seconds: float | None) -> bool:
        """False when nothing happened in time."""
        ready = self._poll.poll(None if seconds is None else max(0.0, seconds * 1000))
        if any(number == self._stopping for number, _ in ready):
            raise Stopped
        return bool(ready)


def shake_hands(client: ssl.SSLSocket, waiting: Waiting, deadline: float) -> None:
    """Until the deadline in all, however many bytes trickle in. Raises `TimeoutError` or what OpenSSL says."""
    while True:
        try:
            return client.do_handshake()
        except ssl.SSLWantReadError:
            waiting.watch(client, select.POLLIN)
        except ssl.SSLWantWriteError:
            waiting.watch(client, select.POLLOUT)
        if not waiting.wait(deadline - time.monotonic()):
            raise TimeoutError


class Pump:
    """`run` returns when either side has closed, raises `OSError` (TLS's errors too) or `NotHttp2` when it cannot go on."""

    def __init__(self, client: ssl.SSLSocket, server: socket.socket, marking: Marking, waiting: Waiting) -> None:
        self._client, self._server = client, server
        self._marking = marking
        self._waiting = waiting
        self._down, self._up = memoryview(bytearray(DOWN_BYTES)), memoryview(bytearray(UP_BYTES))
        self._to_client, self._to_server = self._down[:0], self._up[:0]
        self._open = True
        self._client_wants = 0  # what TLS itself waits for: a read may have to write, and the other way round
        self._taken = time.monotonic()  # when the client last took something

    def run(self, deadline: float) -> None:
        """The client must have begun to speak HTTP/2 by the deadline."""
        while self._open or self._to_client:
            if not self._move():
                self._wait(deadline)

    def _move(self) -> bool:
        """Each way once; whether anything moved."""
        self._client_wants = 0
        moved = self._from_client()
        moved |= self._into_server()
        moved |= self._from_server()
        return self._into_client() or moved

    def _from_client(self) -> bool:
        if self._to_server or not self._open:
            return False
        try:
            count = self._client.recv_into(self._up)
        except ssl.SSLWantReadError:
            self._client_wants |= select.POLLIN
            return False
        except ssl.SSLWantWriteError:
            self._client_wants |= select.POLLOUT
            return False
        if not count:
            self._open = False
            self._to_client = self._down[:0]
            return True
        self._to_server = self._marking.pass_on(self._up[:count])
        return True

    def _into_server(self) -> bool:
        if not self._to_server:
            return False
        try:
            self._to_server = self._to_server[self._server.send(self._to_server) :]
        except BlockingIOError:
            return False
        return True

    def _from_server(self) -> bool:
        if self._to_client or not self._open:
            return False
        try:
            count = self._server.recv_into(self._down)
        except BlockingIOError:
            return False
        self._open = count > 0
        self._to_client = self._down[:count]
        self._taken = time.monotonic()
        return True

    def _into_client(self) -> bool:
        """All that it takes: OpenSSL sends 16 kB at a time."""
        moved = False
        while self._to_client:
            try:
                self._to_client = self._to_client[self._client.send(self._to_client) :]
            except ssl.SSLWantReadError:
                self._client_wants |= select.POLLIN
                break
            except ssl.SSLWantWriteError:
                self._client_wants |= select.POLLOUT
                break
            moved = True
            self._taken = time.monotonic()
        return moved

    def _wait(self, deadline: float) -> None:
        # The server is the one to wait for when it does not take what the client sent.
        self._waiting.watch(self._client, self._client_wants)
        wants_of_server = (0 if self._to_client else select.POLLIN) | (select.POLLOUT if self._to_server else 0)
        self._waiting.watch(self._server, wants_of_server)
        seconds: float | None = None
        if not self._marking.begun():
            seconds = deadline - time.monotonic()
        elif self._to_client:
            seconds = self._taken + STALLED_SECONDS - time.monotonic()
        if not self._waiting.wait(seconds) or (seconds is not None and seconds <= 0):
            raise TimeoutError


__all__ = ["NotHttp2", "Pump", "Stopped", "Waiting", "shake_hands"]
