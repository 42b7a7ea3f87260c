"""HTTP clients that are slow on purpose, or too many: the port goes on answering others."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest
from waiting import eventually

from sqe.doors.ops import OpsDoor
from sqe.doors.ops.door import MOST_CONNECTIONS, MOST_CONNECTIONS_OF_ADDRESS

REQUEST_SECONDS = 0.3


@pytest.fixture(scope="module")
def door() -> Iterator[OpsDoor]:
    door = OpsDoor(
        host="127.0.0.1",
        health_port=0,
        metrics_port=0,
        not_ready=lambda: None,
        metrics=lambda: b"#" * 20_000_000,
        request_seconds=REQUEST_SECONDS,
        stalled_seconds=REQUEST_SECONDS,
    )
    door.start()
    eventually(lambda: answers(door))
    yield door
    door.stop()


def answers(door: OpsDoor) -> bool:
    try:
        return httpx.get(f"http://{door.health_address}/healthz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def connected(address: str | None, source: str = "127.0.0.1") -> socket.socket:
    assert address is not None
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=20, source_address=(source, 0))


def seconds_until_cut(client: socket.socket, drip: bytes = b"") -> float:
    """How long the server suffers a client that sends these bytes one by one."""
    started = time.monotonic()
    client.settimeout(REQUEST_SECONDS / 10)
    rest = iter(drip)
    while time.monotonic() - started < 20:
        try:
            if (byte := next(rest, None)) is not None:
                client.sendall(bytes([byte]))
            if client.recv(65536) == b"":
                break
        except TimeoutError:
            continue
        except OSError:
            break
    return time.monotonic() - started


DRIPS = {
    "nothing": b"",
    "a request line": b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + b"X-A: b\r\n" * 1000,
    "empty lines": b"\r\n" * 1000,
    "a body": b"POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + b"x" * 1000,
}


@pytest.mark.parametrize("what", DRIPS)
def test_a_client_that_sends_byte_by_byte_is_cut(door: OpsDoor, what: str) -> None:
    with connected(door.health_address) as client:
        assert seconds_until_cut(client, DRIPS[what]) < 5


def test_a_second_request_may_not_take_its_time_either(door: OpsDoor) -> None:
    with connected(door.health_address) as client:
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        assert seconds_until_cut(client, b"GET /healthz HTTP/1.1\r\n" + b"X-A: b\r\n" * 1000) < 5


def test_the_time_of_a_complete_request_does_not_run(door: OpsDoor) -> None:
    """A client that keeps its connection between requests is not cut by the limit for one request."""
    with httpx.Client(base_url=f"http://{door.health_address}", limits=httpx.Limits(max_connections=1)) as client:
        deadline = time.monotonic() + 4 * REQUEST_SECONDS
        while time.monotonic() < deadline:
            assert client.get("/healthz").status_code == 200


def test_a_client_that_reads_no_answer_is_cut(door: OpsDoor) -> None:
    with connected(door.metrics_address) as client:
        client.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        # A cut connection takes no more bytes; one that is open would take these, as the beginning of a next request.
        eventually(lambda: refuses_bytes(client))


def refuses_bytes(client: socket.socket) -> bool:
    try:
        client.sendall(b"x")
    except OSError:
        return True
    return False


def test_one_address_cannot_take_all_connections(door: OpsDoor) -> None:
    with ExitStack() as stack:
        greedy = [stack.enter_context(connected(door.health_address, "127.0.0.2")) for _ in range(MOST_CONNECTIONS + 10)]
        eventually(lambda: sum(cut(each) for each in greedy) >= len(greedy) - MOST_CONNECTIONS_OF_ADDRESS)
        assert answers(door), "others are served meanwhile"
    eventually(lambda: answers(door))


def cut(client: socket.socket) -> bool:
    client.settimeout(0.0)
    try:
        return client.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


HEADS = {
    "a long header": b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * 100_000,
    "many headers": b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + b"".join(b"X-%d: a\r\n" % number for number in range(10_000)),
    "a long line": b"GET /" + b"a" * 100_000,
}


@pytest.mark.parametrize("what", HEADS)
def test_heads_of_requests_are_bounded(door: OpsDoor, what: str) -> None:
    with connected(door.health_address) as client:
        try:
            client.sendall(HEADS[what])
            answer = client.recv(65536)
        except OSError:  # closed before it had read all
            answer = b""
        assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
    assert answers(door)


def test_nothing_can_be_smuggled_into_the_answer(door: OpsDoor) -> None:
    with connected(door.health_address) as client:
        client.sendall(b"GET /healthz%0d%0aX-Injected:%20yes HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answer = b"".join(iter(lambda: client.recv(65536), b""))
        assert answer.startswith(b"HTTP/1.1 404")
        assert b"injected" not in answer.lower()
