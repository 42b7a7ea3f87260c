"""Adds one header to every request of an HTTP/2 connection, without understanding any other.

HPACK lets a field that is not indexed stand at the end of a header block without a change to the compression's state. So the
frames are passed on as they came, except that the last frame of a request's header block loses its END_HEADERS flag and is
followed by a CONTINUATION frame with the field (RFC 9113, 6.2 and 6.10; RFC 7541, 6.2.2).
"""

from __future__ import annotations

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

_HEAD_BYTES = 9
_HEADERS, _CONTINUATION = 1, 9
_END_HEADERS = 4


class NotHttp2(Exception):
    """The client does not begin as HTTP/2 clients do."""


class Marking:
    """The state of one connection's way from client to server."""

    def __init__(self, name: str, value: str) -> None:
        self._field = b"\0" + _literal(name) + _literal(value)
        self._awaited = PREFACE  # what is left of it
        self._head = b""  # of a frame, until it is complete
        self._payload = 0  # bytes of the frame that are still to come
        self._then = b""  # goes behind them
        self._newest = 0  # the highest stream so far: a higher one is a new request
        self._block = 0  # the stream whose header block is open and gets the field

    def begun(self) -> bool:
        return not self._awaited

    def pass_on(self, data: memoryview) -> memoryview:
        """What the server gets for these bytes; the same memory where nothing had to change."""
        if not self._awaited and len(data) < self._payload:
            self._payload -= len(data)
            return data
        out = bytearray()
        if self._awaited:
            data = self._preface(data, out)
        while data:
            data = self._rest_of_frame(data, out) if self._payload else self._start_of_frame(data, out)
        return memoryview(out)

    def _preface(self, data: memoryview, out: bytearray) -> memoryview:
        part = data[: len(self._awaited)]
        if part != self._awaited[: len(part)]:
            raise NotHttp2
        self._awaited = self._awaited[len(part) :]
        out += part
        return data[len(part) :]

    def _start_of_frame(self, data: memoryview, out: bytearray) -> memoryview:
        missing = _HEAD_BYTES - len(self._head)
        self._head += data[:missing]
        if len(self._head) == _HEAD_BYTES:
            head, self._head = self._head, b""
            self._payload = int.from_bytes(head[:3], "big")
            out += self._passed_head(head)
            self._end_frame(out)
        return data[missing:]

    def _rest_of_frame(self, data: memoryview, out: bytearray) -> memoryview:
        part = data[: self._payload]
        out += part
        self._payload -= len(part)
        self._end_frame(out)
        return data[len(part) :]

    def _end_frame(self, out: bytearray) -> None:
        if not self._payload and self._then:
            out += self._then
            self._then = b""

    def _passed_head(self, head: bytes) -> bytes:
        kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big") & 0x7FFFFFFF
        if kind == _HEADERS and stream > self._newest:
            self._newest = self._block = stream
        if kind not in (_HEADERS, _CONTINUATION) or stream != self._block or not flags & _END_HEADERS:
            return head
        self._block = 0
        self._then = len(self._field).to_bytes(3, "big") + bytes((_CONTINUATION, _END_HEADERS)) + head[5:] + self._field
        return head[:4] + bytes((flags & ~_END_HEADERS,)) + head[5:]


def _literal(text: str) -> bytes:
    """Length and bytes, without Huffman's code."""
    assert len(text) < 127
    return bytes((len(text),)) + text.encode("ascii")
