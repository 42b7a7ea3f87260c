"""The protocol between the `sqe` command and the embedded daemon, over a unix socket in a folder of the user's own.

A frame is one letter, the payload's length (4 bytes, big-endian) and the payload: JSON, or bytes as they are for OUTPUT.

| frame | from | payload |
|---|---|---|
| HELLO | client | `protocol, version, build, pid`; a new session: `warehouse` or `memory`, `catalogs`, `dialect`; or `join` |
| WELCOME | daemon | `version, pid, session` |
| OTHER | daemon | `version, pid`: a daemon of another installation; it has left, start your own |
| STATEMENT | client | `sql, format, width, progress` |
| CANCEL | client | the running statement, if there is one |
| NAMES | client | `kind` (catalogs, schemas, tables, columns) and `path`; answered by NAMES with `names` |
| STATUS | client | answered by STATUS with `version, pid, uptime, ready, sessions, queries`; with `wait`, when the engine is up |
| LEAVE | client | stop: running statements are cancelled; the connection ends when the daemon is gone |
| NOTICE | daemon | `text`: a sentence for the person who waits (first set-up, engine starting) |
| OUTPUT | daemon | rendered bytes of the result |
| PROGRESS | daemon | `completed, total, active, rows` |
| END | daemon | `statement, rows, affected, elapsed, columns` |
| ERROR | daemon | `code, text`: the statement failed (or the HELLO was refused); the connection goes on |

HELLO is the first frame of a connection, except for STATUS and LEAVE, which need none. The client may send STATEMENT right behind
HELLO: nothing runs before WELCOME is sent, so a client that saw no WELCOME may try again. One connection is one session
(`join` shares the session of another); when it ends, its running statement is cancelled and the session is closed.

HELLO, OTHER, STATUS and LEAVE keep their meaning for ever: they are what two versions say to each other.
"""

from __future__ import annotations

import json
import struct

PROTOCOL = 1

HELLO = b"H"
WELCOME = b"W"
OTHER = b"V"
STATEMENT = b"S"
CANCEL = b"C"
NAMES = b"N"
STATUS = b"T"
LEAVE = b"L"
NOTICE = b"I"
OUTPUT = b"O"
PROGRESS = b"P"
END = b"X"
ERROR = b"E"

KINDS = frozenset((HELLO, WELCOME, OTHER, STATEMENT, CANCEL, NAMES, STATUS, LEAVE, NOTICE, OUTPUT, PROGRESS, END, ERROR))

# A statement is limited by `query.max_sql_bytes`; this only keeps a broken peer from making us allocate gigabytes.
MAX_PAYLOAD = 64 << 20

# What a sender puts in one OUTPUT frame at most.
MAX_OUTPUT = 1 << 20

_HEADER = struct.Struct(">cI")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket
    from typing import Any


class ConnectionLost(Exception):
    """The other side is gone, in the middle of a frame or between two."""


class WireError(Exception):
    """The other side does not speak this protocol."""


def frame(kind: bytes, payload: dict[str, Any] | bytes | memoryview = b"") -> bytes:
    """The bytes of one frame."""
    body = json.dumps(payload).encode() if isinstance(payload, dict) else bytes(payload)
    return _HEADER.pack(kind, len(body)) + body


def fields(payload: bytes) -> dict[str, Any]:
    """The JSON object of a frame."""
    try:
        value = json.loads(payload)
    except ValueError:
        raise WireError("a frame's payload is not JSON") from None
    if not isinstance(value, dict):
        raise WireError("a frame's payload is not a JSON object")
    return value


class Reader:
    """Frames out of a socket. One recv usually brings several small frames."""

    def __init__(self, sock: socket) -> None:
        self._sock = sock
        self._buffer = bytearray()

    def next(self) -> tuple[bytes, bytes]:
        """The next frame; blocks. Raises ConnectionLost at the end of the stream."""
        # An interrupted read (Ctrl-C) leaves the buffer whole: the next call goes on where it was.
        kind, size = _HEADER.unpack(self._peek(_HEADER.size)[: _HEADER.size])
        if kind not in KINDS or size > MAX_PAYLOAD:
            raise WireError("the other side does not speak SQE's shell protocol")
        whole = _HEADER.size + size
        payload = bytes(self._peek(whole)[_HEADER.size : whole])
        del self._buffer[:whole]
        return kind, payload

    def _peek(self, size: int) -> bytearray:
        while len(self._buffer) < size:
            try:
                data = self._sock.recv(max(65536, min(size - len(self._buffer), 1 << 20)))
            except OSError:
                raise ConnectionLost from None
            if not data:
                raise ConnectionLost
            self._buffer += data
        return self._buffer
