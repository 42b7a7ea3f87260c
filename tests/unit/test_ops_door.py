"""What probes and Prometheus get, and that nothing stays behind."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator

import httpx
import pytest

from sqe.doors.ops import OpsDoor
from sqe.doors.ports import listening
from sqe.errors import CONFIGURATION_INVALID, SqeError


class State:
    reason: str | None = None


@pytest.fixture
def state() -> State:
    return State()


@pytest.fixture
def door(state: State) -> Iterator[OpsDoor]:
    door = ops(state)
    door.start()
    yield door
    door.stop()


def ops(state: State, **more: int | None) -> OpsDoor:
    ports: dict[str, int | None] = {"health_port": 0, "metrics_port": 0, **more}
    return OpsDoor(host="127.0.0.1", not_ready=lambda: state.reason, metrics=lambda: b"sqe_up 1\n", **ports)  # type: ignore[arg-type]


def test_a_live_process_is_healthy_whether_it_serves_or_not(door: OpsDoor, state: State) -> None:
    state.reason = "The query engine is starting"
    answer = httpx.get(f"http://{door.health_address}/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})


def test_readiness_follows_the_engine(door: OpsDoor, state: State) -> None:
    url = f"http://{door.health_address}/readyz"
    assert (httpx.get(url).status_code, httpx.get(url).json()) == (200, {"status": "ready"})
    state.reason = "The query engine is starting"
    answer = httpx.get(url)
    assert (answer.status_code, answer.json()) == (503, {"status": "not ready", "reason": "The query engine is starting"})


def test_metrics_are_prometheus_text(door: OpsDoor) -> None:
    answer = httpx.get(f"http://{door.metrics_address}/metrics")
    assert (answer.status_code, answer.text) == (200, "sqe_up 1\n")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"


def test_each_port_answers_only_its_own_pages(door: OpsDoor) -> None:
    wrong = [
        f"{door.health_address}/metrics",
        f"{door.metrics_address}/healthz",
        f"{door.metrics_address}/readyz",
        f"{door.health_address}/",
    ]
    assert [httpx.get(f"http://{page}").status_code for page in wrong] == [404] * len(wrong)
    assert httpx.post(f"http://{door.health_address}/healthz").status_code == 405


def test_metrics_can_be_left_closed(state: State) -> None:
    door = ops(state, metrics_port=None)
    door.start()
    assert door.metrics_address is None
    assert httpx.get(f"http://{door.health_address}/healthz").status_code == 200
    door.stop()


def test_a_request_of_garbage_disturbs_nobody(door: OpsDoor) -> None:
    host, port = door.health_address.split(":")
    with socket.create_connection((host, int(port))) as raw:
        raw.sendall(b"\x00\xff\xfe nonsense \r\n\r\n")
        assert raw.recv(1000).startswith(b"HTTP/1.1 400")
    assert httpx.get(f"http://{door.health_address}/healthz").status_code == 200


@pytest.mark.parametrize("taken", ["health_port", "metrics_port"])
def test_a_port_in_use_is_named_with_its_key(state: State, taken: str) -> None:
    with listening("127.0.0.1", 0, "test") as other:
        port = other.getsockname()[1]
        with pytest.raises(SqeError) as caught:
            ops(state, **{taken: port}).start()
    assert caught.value.code is CONFIGURATION_INVALID
    assert caught.value.message == f"coordinator.{taken} {port} is already in use on 127.0.0.1"


@pytest.mark.parametrize(
    ("host", "sentence"),
    [
        ("192.0.2.1", "coordinator.host 192.0.2.1 is not an address of this machine"),
        ("no-such-host.invalid", "coordinator.host no-such-host.invalid is not a known address"),
    ],
)
def test_a_wrong_address_is_one_sentence(host: str, sentence: str) -> None:
    with pytest.raises(SqeError) as caught:
        listening(host, 0, "coordinator.health_port")
    assert caught.value.message == sentence


def served(door: OpsDoor) -> None:
    httpx.get(f"http://{door.health_address}/readyz")
    httpx.get(f"http://{door.metrics_address}/metrics")


@pytest.mark.parametrize("used", [served, lambda door: None], ids=["after requests", "at once"])
def test_a_stopped_door_leaves_no_thread_and_no_socket(state: State, used: Callable[[OpsDoor], None]) -> None:
    ops_before = ops(state)  # the libraries' own first-time files are not ours
    ops_before.start()
    served(ops_before)
    ops_before.stop()
    threads, files = settled()
    door = ops(state)
    door.start()
    address = door.health_address
    used(door)
    door.stop()
    assert settled() == (threads, files)
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"http://{address}/healthz")


def settled() -> tuple[set[str], int]:
    """Names of threads and number of open files, after those that are on their way out have left."""
    for _ in range(20):
        if threading.active_count() == 1:
            break
        time.sleep(0.05)
    return {thread.name for thread in threading.enumerate()}, len(os.listdir("/proc/self/fd"))
