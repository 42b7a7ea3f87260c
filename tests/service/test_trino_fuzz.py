"""The Trino door's HTTP surface under schemathesis: no failure without a query id, no traceback, no hang."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from environments import clean_environment, python_of
from trino_door import ALICE, Client, plain_door
from waiting import eventually

from sqe.doors.trino.door import TrinoDoor
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

pytestmark = pytest.mark.service

FUZZ = Path(__file__).parent / "fuzz"


@pytest.fixture(scope="module")
def door(handler: QueryHandler, sessions: Sessions) -> Iterator[TrinoDoor]:
    with plain_door(handler, sessions, abandoned_seconds=2.0) as door:
        yield door


def fuzzed(door: TrinoDoor, *options: str) -> str:
    """What schemathesis says of the door; a request that takes longer than 20 s is a hang, and a failure."""
    command = [
        *(python_of(FUZZ / "requirements.txt"), "-m", "schemathesis.cli", "run", FUZZ / "trino.yaml"),
        *("--url", f"http://127.0.0.1:{door.port}", "--auth", ":".join(ALICE), "--request-timeout", "20"),
        *("--checks", "answers_well", "--workers", "4", "--generation-database", "none", "--no-color", *options),
    ]
    environment = clean_environment(SCHEMATHESIS_HOOKS="checks", PYTHONPATH=str(FUZZ))
    done = subprocess.run(command, cwd=FUZZ, env=environment, capture_output=True, text=True, timeout=1500)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
    return done.stdout


def check(door: TrinoDoor, handler: QueryHandler, *options: str) -> None:
    told = fuzzed(door, *options)
    assert "No issues found" in told or "passed" in told, told
    assert Client(door).run("SELECT 1").rows == [[1]]
    eventually(lambda: all(event.state.ended for event in handler.queries()))


def test_odd_requests_are_answered_well(door: TrinoDoor, handler: QueryHandler) -> None:
    check(door, handler, "--phases", "examples,coverage,fuzzing", "--max-examples", "10", "--seed", "476")


@pytest.mark.long
def test_many_odd_requests_are_answered_well(door: TrinoDoor, handler: QueryHandler) -> None:
    check(door, handler, "--phases", "examples,coverage,fuzzing", "--max-examples", "300")
