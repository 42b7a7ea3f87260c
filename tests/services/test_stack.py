"""Bringing services up and down, shown on the one that starts fastest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from dev.services import process, programs
from dev.services.service import ROOT, Address
from dev.services.stack import Stack
from dev.services.state import Entry, State
from sqe.errors import SqeError


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "state"
    yield folder
    Stack(folder).down()


def test_two_at_once_start_it_once_and_both_learn_the_address(folder: Path) -> None:
    answers: list[dict[str, Address]] = []
    both = [threading.Thread(target=lambda: answers.append(Stack(folder).up(["seaweedfs"]))) for _ in range(2)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert answers[0] == answers[1]
    assert [one.name() for one in children_with(folder)].count("weed") == 1


def test_a_stopped_service_comes_back_with_its_address_and_down_leaves_nothing(folder: Path) -> None:
    stack = Stack(folder)
    first = stack.up(["seaweedfs"])["seaweedfs"]
    stack.stop(["seaweedfs"])
    with pytest.raises(httpx.ConnectError):
        httpx.get(first["s3"], trust_env=False)
    assert not stack.status()["seaweedfs"].alive
    assert stack.up(["seaweedfs"])["seaweedfs"] == first
    stack.down()
    assert children_with(folder) == []
    assert list(folder.parent.iterdir()) == []


def test_the_loopback_address_is_the_only_one_that_is_listened_on(folder: Path) -> None:
    Stack(folder).up(["seaweedfs"])
    sockets = [each for one in children_with(folder) for each in one.net_connections("tcp")]
    listening = {each.laddr.ip for each in sockets if each.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}


def test_another_process_with_the_same_pid_is_left_alone(folder: Path) -> None:
    innocent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        born = psutil.Process(innocent.pid).create_time()
        remembered = process.Running(innocent.pid, born - 3600)
        State(folder).put("seaweedfs", Entry({}, {}, remembered))
        Stack(folder).down()
        assert innocent.poll() is None
    finally:
        innocent.kill()
        innocent.wait()


def test_the_command_prints_addresses_tells_what_runs_and_takes_it_down(folder: Path) -> None:
    up = command(folder, "up", "seaweedfs")
    assert json.loads(up.stdout)["seaweedfs"]["s3"].startswith("http://127.0.0.1:")
    assert "seaweedfs serves after" in up.stderr
    assert json.loads(command(folder, "status").stdout) == {"storelog": "running", "seaweedfs": "running"}
    command(folder, "stop", "seaweedfs")
    assert json.loads(command(folder, "status").stdout) == {"storelog": "running", "seaweedfs": "stopped"}
    command(folder, "down")
    assert json.loads(command(folder, "status").stdout) == {}


def test_an_unknown_name_is_refused_with_the_known_ones(folder: Path) -> None:
    ran = command(folder, "up", "polaris")
    assert ran.returncode == 1
    assert "There is no service or stack 'polaris': known are catalogs, fixture, gateway" in ran.stderr


def test_a_missing_java_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "installed_javas", lambda: iter(()))
    with pytest.raises(SqeError, match="Nessie needs Java 21 or newer, and this machine has none"):
        programs.newer_java(21, "Nessie")


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "SQE_SERVICES_DIR": str(folder)}
    return subprocess.run(
        [sys.executable, "-m", "dev.services", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def children_with(folder: Path) -> list[psutil.Process]:
    """Our processes that were started for this folder and still run."""
    found = psutil.Process().children()
    return [one for one in found if one.status() != psutil.STATUS_ZOMBIE and str(folder) in " ".join(one.cmdline())]
