"""Frames between the thin client and the daemon."""

from __future__ import annotations

import socket
import threading

import pytest

from sqe.doors.shell import wire


@pytest.fixture
def pair() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)


def test_frames_arrive_as_they_were_sent(pair: tuple[socket.socket, socket.socket]) -> None:
    left, right = pair
    frames = [(wire.HELLO, b'{"protocol": 1}'), (wire.CANCEL, b""), (wire.OUTPUT, bytes(range(256)) * 5000), (wire.END, b"{}")]
    data = b"".join(wire.frame(kind, payload) for kind, payload in frames)
    sender = threading.Thread(target=left.sendall, args=(data,))
    sender.start()
    reader = wire.Reader(right)
    assert [reader.next() for _ in frames] == frames
    sender.join()


def test_a_frame_may_arrive_byte_by_byte(pair: tuple[socket.socket, socket.socket]) -> None:
    left, right = pair

    def drip() -> None:
        for byte in wire.frame(wire.NOTICE, {"text": "höher"}):
            left.sendall(bytes([byte]))

    sender = threading.Thread(target=drip)
    sender.start()
    kind, payload = wire.Reader(right).next()
    sender.join()
    assert (kind, wire.fields(payload)) == (wire.NOTICE, {"text": "höher"})


@pytest.mark.parametrize("sent", [b"", b"H", wire.frame(wire.HELLO, {"a": 1})[:-1]])
def test_the_end_of_the_stream_is_a_lost_connection(pair: tuple[socket.socket, socket.socket], sent: bytes) -> None:
    left, right = pair
    left.sendall(sent)
    left.close()
    with pytest.raises(wire.ConnectionLost):
        wire.Reader(right).next()


@pytest.mark.parametrize("sent", [b"GET / HTTP/1.1\r\n\r\n", b"O\xff\xff\xff\xff", b"\x00" * 5])
def test_what_is_not_our_protocol_is_refused_before_memory_is_taken(
    pair: tuple[socket.socket, socket.socket], sent: bytes
) -> None:
    left, right = pair
    left.sendall(sent)
    with pytest.raises(wire.WireError):
        wire.Reader(right).next()


@pytest.mark.parametrize("payload", [b"not json", b"[1]", b"\xff"])
def test_a_payload_must_be_a_json_object(payload: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.fields(payload)
