"""The header that the front adds, byte by byte: whatever way the client's bytes are cut."""

from __future__ import annotations

import itertools
import random

import pytest

from sqe.doors.tls.marking import PREFACE, Marking, NotHttp2

DATA, HEADERS, SETTINGS, CONTINUATION = 0, 1, 4, 9
END_STREAM, END_HEADERS, PADDED = 1, 4, 8
FIELD = b"\0\x06x-mark\x02ab"


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def passed(*pieces: bytes) -> bytes:
    marking = Marking("x-mark", "ab")
    return b"".join(bytes(marking.pass_on(memoryview(piece))) for piece in pieces)


def mark(stream: int) -> bytes:
    return frame(CONTINUATION, END_HEADERS, stream, FIELD)


SAID = (
    PREFACE
    + frame(SETTINGS, 0, 0, b"123456")
    + frame(HEADERS, END_HEADERS, 1, b"first")
    + frame(DATA, 0, 1, bytes(70_000))
    + frame(HEADERS, END_HEADERS | END_STREAM, 1, b"trailers: no request")
    + frame(HEADERS, END_STREAM | PADDED, 3, b"\x02in pieces..")
    + frame(CONTINUATION, 0, 3, b"more")
    + frame(CONTINUATION, END_HEADERS, 3, b"")
    + frame(DATA, END_STREAM, 1)
    + frame(HEADERS, END_HEADERS, 0x7FFFFFFF, b"")
)
EXPECTED = (
    PREFACE
    + frame(SETTINGS, 0, 0, b"123456")
    + frame(HEADERS, 0, 1, b"first")
    + mark(1)
    + frame(DATA, 0, 1, bytes(70_000))
    + frame(HEADERS, END_HEADERS | END_STREAM, 1, b"trailers: no request")
    + frame(HEADERS, END_STREAM | PADDED, 3, b"\x02in pieces..")
    + frame(CONTINUATION, 0, 3, b"more")
    + frame(CONTINUATION, 0, 3, b"")
    + mark(3)
    + frame(DATA, END_STREAM, 1)
    + frame(HEADERS, 0, 0x7FFFFFFF, b"")
    + mark(0x7FFFFFFF)
)


def test_each_request_is_marked_once_at_the_end_of_its_headers() -> None:
    assert passed(SAID) == EXPECTED


@pytest.mark.parametrize("seed", range(20))
def test_where_the_bytes_are_cut_does_not_matter(seed: int) -> None:
    cuts = [0, *sorted(random.Random(seed).sample(range(len(SAID)), 200)), len(SAID)]
    assert passed(*(SAID[start:end] for start, end in itertools.pairwise(cuts))) == EXPECTED


def test_single_bytes_too() -> None:
    assert passed(*(bytes((byte,)) for byte in SAID)) == EXPECTED


def test_payload_is_passed_on_without_a_copy() -> None:
    marking = Marking("x-mark", "ab")
    marking.pass_on(memoryview(PREFACE + frame(DATA, 0, 1, bytes(1000))[:-900]))
    payload = memoryview(bytearray(800))
    assert marking.pass_on(payload) is payload


@pytest.mark.parametrize("said", [b"G", b"PRI * HTTP/1.1\r\n", b"\x16\x03\x01", PREFACE[:-1] + b"\0", PREFACE.lower()])
def test_other_beginnings_are_refused(said: bytes) -> None:
    with pytest.raises(NotHttp2):
        passed(said)
