"""The audit log's thread and gate: what is written when, what is refused when, and that nothing is left behind."""

from __future__ import annotations

import json
import os
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from waiting import eventually

from sqe.config.audit import Audit
from sqe.engine.touched import Touched
from sqe.errors import DIVISION_BY_ZERO, SqeError
from sqe.identity import Identity
from sqe.identity.events import Happened, LoginEvent
from sqe.identity.login import Origin
from sqe.observe.audit import writer
from sqe.observe.audit.chain import Chain
from sqe.observe.audit.verify import verified
from sqe.observe.audit.writer import AuditLog
from sqe.query.events import QueryEvent, State

REACH = {"lake": ("session_bearer", True), "shared": ("static", False)}
ALICE = Identity("alice", frozenset({"analyst"}), frozenset({"eu"}), "bearer_token", "sub-1")
ORIGIN = Origin("flight", "ipv4:10.0.0.1:5", "ADBC")


def ended(sql: str = "SELECT 1", **changes: Any) -> QueryEvent:
    facts: dict[str, Any] = {"query_id": "q1", "session_id": "s1", "identity": ALICE, "door": "flight", "sql": sql}
    facts |= {"statement": "query", "state": State.FINISHED, "elapsed_seconds": 0.25, "rows": 3, "origin": ORIGIN}
    return QueryEvent(**(facts | changes))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "audit.jsonl"


@pytest.fixture
def started(path: Path) -> Iterator[Callable[..., AuditLog]]:
    logs: list[AuditLog] = []

    def start(places: int = 10, **changes: Any) -> AuditLog:
        log = AuditLog(Audit(enabled=True, path=path, **changes), REACH, places=places)
        logs.append(log)
        log.start()
        return log

    yield start
    for log in logs:
        log.stop()


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def statement(log: AuditLog, sql: str = "SELECT 1", **changes: Any) -> None:
    log.admit_statement()
    log.observe_query(ended(sql, **changes))


@contextmanager
def full_disk(path: Path) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 10, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def broken(log: AuditLog, path: Path) -> None:
    statement(log, "SELECT 'too much'")
    eventually(lambda: log.not_writable() is not None)


def test_a_statement_says_who_did_what_from_where_as_whom(started: Callable[..., AuditLog], path: Path) -> None:
    log = started()
    touched = Touched(("lake.s.a",), ("shared.s.b",), ("lake", "shared"))
    error = SqeError(DIVISION_BY_ZERO, "Division by zero of 'hunter2'")
    statement(log, "INSERT INTO b SELECT 'x'", touched=touched, state=State.FAILED, error=error, affected_rows=7)
    log.stop()
    first, entry, last = entries(path)
    assert (first["event"], last["event"]) == ("server_started", "server_stopped")
    assert first["catalogs"][1] == {"catalog": "shared", "auth": "static", "personal": False}
    assert entry | {"ts": 0, "hash": 0, "prev": 0, "sql_sha256": 0} == {
        "seq": 2, "prev": 0, "alg": "sha256", "ts": 0, "event": "statement", "query": "q1", "session": "s1",
        "user": "alice", "subject": "sub-1", "roles": ["analyst"], "groups": ["eu"], "provider": "bearer_token",
        "door": "flight", "address": "ipv4:10.0.0.1:5", "client": "ADBC", "class": "query",
        "sql": "INSERT INTO b SELECT 'x'", "sql_sha256": 0, "sql_cut": False, "reads": ["lake.s.a"], "writes": ["shared.s.b"],
        "catalogs": [
            {"catalog": "lake", "auth": "session_bearer", "personal": True},
            {"catalog": "shared", "auth": "static", "personal": False},
        ],
        "outcome": "failed", "code": "DIVISION_BY_ZERO", "rows": 3, "affected_rows": 7, "duration_ms": 250.0, "hash": 0,
    }  # fmt: skip
    assert entry["ts"].endswith("Z")
    assert "hunter2" not in path.read_text()
    assert verified([path], Chain()).stopped


def test_log_ins_are_written_without_their_secrets(started: Callable[..., AuditLog], path: Path) -> None:
    log = started()
    log.admit_login()
    log.observe_login(LoginEvent(Happened.LOGGED_IN, ORIGIN, ALICE, session_id="s1"))
    log.observe_login(LoginEvent(Happened.LOGIN_FAILED, ORIGIN, claimed="ma\nllory", code="AUTHENTICATION_FAILED"))
    log.observe_login(LoginEvent(Happened.RENEWAL_FAILED, ORIGIN, ALICE, session_id="s1", why="down"))
    log.observe_login(LoginEvent(Happened.EXPIRED, ORIGIN, ALICE, session_id="s1"))
    log.stop()
    _, login, failed, renewal, expired, _ = entries(path)
    assert (login["event"], login["user"], login["session"], login["address"]) == ("login", "alice", "s1", ORIGIN.address)
    assert (failed["event"], failed["user"], failed["code"]) == ("login_failed", "ma\nllory", "AUTHENTICATION_FAILED")
    assert (renewal["event"], renewal["why"], expired["event"]) == ("renewal_failed", "down", "session_expired")


def test_stop_writes_what_waits_and_leaves_nothing(path: Path, started: Callable[..., AuditLog]) -> None:
    files, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
    log = started(places=100_000)
    for number in range(3000):
        statement(log, f"SELECT {number}")
    log.stop()
    assert [entry["sql"] for entry in entries(path)[1:-1]] == [f"SELECT {number}" for number in range(3000)]
    assert verified([path], Chain()).lines == 3002
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == (files, threads)
    log.stop()


def test_what_an_observer_pays_is_little(started: Callable[..., AuditLog]) -> None:
    log = started(places=100_000)
    event = ended("SELECT " + "'x', " * 10_000)
    before = time.perf_counter()
    for _ in range(20):
        log.admit_statement()
        log.observe_query(event)
    assert time.perf_counter() - before < 0.2, "redaction and writing are not the caller's"


def test_a_log_that_cannot_be_opened_stops_the_start(path: Path, started: Callable[..., AuditLog]) -> None:
    path.parent.mkdir()
    path.symlink_to("/etc/passwd")
    with pytest.raises(SqeError, match=r"The audit log cannot be written: .*symbolic link"):
        started()


def test_while_it_cannot_be_written_nothing_starts_and_nothing_is_lost(path: Path, started: Callable[..., AuditLog]) -> None:
    log = started()
    eventually(lambda: log.head is not None and log.head.seq == 1)
    log.admit_statement()  # runs when the disk gets full
    with full_disk(path):
        broken(log, path)
        for refused in (log.admit_statement, log.admit_login):
            with pytest.raises(SqeError, match="The audit log cannot be written") as caught:
                refused()
            assert caught.value.code.name == "AUDIT_UNAVAILABLE"
        log.observe_query(ended("SELECT 'it ran on'"))
    eventually(lambda: log.not_writable() is None)
    statement(log, "SELECT 'again'")
    log.stop()
    assert [entry.get("sql") for entry in entries(path)[1:-1]] == ["SELECT 'too much'", "SELECT 'it ran on'", "SELECT 'again'"]
    assert verified([path], Chain()).lost == 0


def test_with_continue_everything_goes_on_and_losses_are_counted(path: Path, started: Callable[..., AuditLog]) -> None:
    log = started(places=5, on_failure="continue")
    eventually(lambda: log.head is not None and log.head.seq == 1)
    with full_disk(path):
        for number in range(20):
            statement(log, f"SELECT {number}")
        log.admit_login()
        assert log.not_writable() is None
    eventually(lambda: log.head is not None and log.head.seq > 1)
    log.stop()
    found = verified([path], Chain())
    assert found.lost + sum(entry["event"] == "statement" for entry in entries(path)) == 20
    assert found.lost > 0


def test_with_continue_a_file_that_is_not_there_is_tried_again(path: Path, started: Callable[..., AuditLog]) -> None:
    path.parent.mkdir()
    path.mkdir()
    log = started(on_failure="continue")
    statement(log)
    path.rmdir()
    eventually(path.is_file)
    log.stop()
    assert verified([path], Chain()).lines == 3


def test_every_running_statement_has_its_place(
    path: Path, started: Callable[..., AuditLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "PATIENCE_SECONDS", 0.05)
    log = started(places=3)
    eventually(lambda: log.head is not None)
    for _ in range(3):
        log.admit_statement()
    with pytest.raises(SqeError, match="The audit log"):
        log.admit_statement()
    log.observe_query(ended())
    monkeypatch.setattr(writer, "PATIENCE_SECONDS", 10)
    log.admit_statement()
    for _ in range(3):
        log.observe_query(ended())
    log.stop()
    assert verified([path], Chain()).lines == 6


def test_a_write_that_hangs_counts_as_broken(
    path: Path, started: Callable[..., AuditLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that does not answer: the writer's thread stands in the system, and no error comes."""
    monkeypatch.setattr(writer, "STUCK_SECONDS", 0.05)
    log = started()
    eventually(lambda: log.head is not None)
    going_on = threading.Event()
    real = os.write

    def hanging(fd: int, data: bytes) -> int:
        going_on.wait(30)
        return real(fd, data)

    monkeypatch.setattr("sqe.observe.audit.files.os.write", hanging)
    statement(log)
    eventually(lambda: log.not_writable() is not None)
    with pytest.raises(SqeError, match="The audit log"):
        log.admit_statement()
    going_on.set()
    eventually(lambda: log.not_writable() is None)


@pytest.mark.parametrize("fsync", ["always", "interval", "never"])
def test_lines_are_forced_to_the_disk_as_wanted(
    path: Path, started: Callable[..., AuditLog], monkeypatch: pytest.MonkeyPatch, fsync: str
) -> None:
    synced: list[int] = []
    monkeypatch.setattr("sqe.observe.audit.files.os.fsync", synced.append)
    log = started(fsync=fsync)
    if fsync != "never":
        eventually(lambda: bool(synced))
    log.stop()
    assert bool(synced) == (fsync != "never")
