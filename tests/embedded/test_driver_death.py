"""The driver JVM dies, or cannot start: one clear sentence, a new one by itself, and nothing left of the old one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pyarrow as pa
import pytest
from waiting import eventually

from sqe.engine.driver import Driver
from sqe.engine.process import LaunchOptions
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.events import State
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions

ENDLESS = "SELECT a.id + b.id AS n FROM range(1000000) a CROSS JOIN range(1000000) b"
# A reader that stands still leaves Spark's slots to others between two waves of these partitions.
ENDLESS_ROWS = "SELECT id FROM range(0, 1000000000, 1, 10000)"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where drivers of this test make their folders. Short: a unix socket's path has 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def own_driver(temporary: Path) -> Iterator[Driver]:
    driver = Driver(LaunchOptions(memory="1g"))
    driver.start()
    driver.await_ready()
    yield driver
    driver.stop()
    assert list(temporary.iterdir()) == []


def kill(driver: Driver) -> int:
    pid = driver.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    return pid


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


class Failing(threading.Thread):
    """A statement in a thread of its own that is expected to fail."""

    def __init__(self, run: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self.error: Exception | None = None
        self._statement = run
        self.start()

    def run(self) -> None:
        try:
            self._statement()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            self.error = error


def test_a_killed_driver_fails_what_runs_and_serves_again(own_driver: Driver, temporary: Path, tmp_path: Path) -> None:
    sessions = Sessions(own_driver, {"lake": {"type": "sqlite", "path": str(tmp_path / "lake")}}, "lake")
    handler = QueryHandler(own_driver)
    session, other = sessions.open(Identity("alice")), sessions.open(Identity("bob"))

    def run(text: str, session: Session = session) -> pa.Table:
        with handler.submit(session, text, door="test") as query:
            return query.read_all()

    for text in ("CREATE SCHEMA shop", "USE shop", "SET time_zone = 'Asia/Tokyo'", "CREATE TABLE t AS SELECT 1L AS id",
                 "CREATE TEMPORARY VIEW gone_with_it AS SELECT 1 AS n"):  # fmt: skip
        run(text)
    streaming = handler.submit(session, ENDLESS_ROWS, door="test")
    batches = streaming.batches()
    next(batches)
    waiting = handler.submit(session, ENDLESS_ROWS, door="test")
    inserting = Failing(lambda: run(f"INSERT INTO shop.t {ENDLESS}", other))
    eventually(lambda: (progress := handler.progress(other)) is not None and progress.completed_tasks > 0)

    first = kill(own_driver)
    inserting.join(30)
    with pytest.raises(SqeError) as failure:
        list(batches)
    with pytest.raises(SqeError) as never_read:
        waiting.read_all()
    for error in (failure.value, never_read.value, inserting.error):
        assert isinstance(error, SqeError)
        assert error.code.name == "REMOTE_HOST_GONE"
        assert error.message == "The query engine stopped while this statement ran; it is being restarted"
    assert streaming.state is State.FAILED
    waiting.close()

    # The next statement waits for the new driver and finds the session as it was; what was temporary is gone.
    here = run("SELECT current_catalog() AS c, current_schema() AS s, current_timezone() AS z, current_user() AS u")
    assert here.to_pylist() == [{"c": "lake", "s": "shop", "z": "Asia/Tokyo", "u": "alice"}]
    assert run("SELECT * FROM t").to_pylist() == [{"id": 1}]
    assert run("SELECT * FROM shop.t", other).to_pylist() == [{"id": 1}]
    with pytest.raises(SqeError, match="TABLE_NOT_FOUND"):
        run("SELECT * FROM gone_with_it")
    assert gone(first)
    assert (own_driver.restarts, own_driver.generation) == (1, 2)
    assert len(list(temporary.iterdir())) == 1, "the folder of the dead driver is removed"

    # Killed while nothing runs: nobody notices.
    second = kill(own_driver)
    eventually(lambda: gone(second))
    assert run("SELECT count(*) AS n FROM t").to_pylist() == [{"n": 1}]
    assert handler.tables(session)[0].name == "t"
    assert own_driver.restarts == 2
    handler.close()
    sessions.close_all()


def test_a_driver_ends_with_its_killed_owner_and_takes_its_folder_with_it(temporary: Path) -> None:
    script = (
        "import time; from sqe.engine.driver import Driver; from sqe.engine.process import LaunchOptions\n"
        "driver = Driver(LaunchOptions(memory='512m')); driver.start(); driver.await_ready(); print(driver.pid, flush=True)\n"
        "time.sleep(600)"
    )
    environment = os.environ | {"TMPDIR": str(temporary)}
    owner = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment, text=True)
    assert owner.stdout is not None
    pid = int(owner.stdout.readline())
    assert len(list(temporary.iterdir())) == 1
    owner.kill()
    owner.wait()
    owner.stdout.close()
    eventually(lambda: gone(pid))
    eventually(lambda: list(temporary.iterdir()) == [])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (LaunchOptions(java="/nowhere/java"), "the setting engine.java names /nowhere/java, where there is no working Java"),
        (LaunchOptions(java="/etc/hostname"), "the setting engine.java names /etc/hostname, where there is no working Java"),
        (LaunchOptions(memory="999999g"), "Java could not start the query engine (exit code 1)"),
        (LaunchOptions(master="nonsense"), "Spark could not be started"),
    ],
)
def test_what_keeps_the_driver_from_starting_is_said(temporary: Path, options: LaunchOptions, sentence: str) -> None:
    driver = Driver(options)
    try:
        with pytest.raises(SqeError) as failure:
            _start(driver)
        assert (failure.value.code.name, failure.value.message) == ("CONFIGURATION_INVALID", sentence)
    finally:
        driver.stop()
    assert list(temporary.iterdir()) == []


def test_sqe_java_that_leads_nowhere_is_said(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQE_JAVA", "/nowhere")
    with pytest.raises(SqeError, match="SQE_JAVA names /nowhere, where there is no working Java"):
        Driver(LaunchOptions()).start()


def test_stopping_a_driver_that_is_starting_leaves_nothing(temporary: Path) -> None:
    driver = Driver(LaunchOptions(memory="512m"))
    driver.start()
    pid = driver.pid
    assert pid is not None
    waiting = Failing(driver.await_ready)
    driver.stop()
    driver.stop()
    waiting.join(10)
    assert isinstance(waiting.error, SqeError)
    assert waiting.error.code.name == "SERVER_SHUTTING_DOWN"
    assert gone(pid)
    assert list(temporary.iterdir()) == []
    with pytest.raises(SqeError, match="SERVER_SHUTTING_DOWN"):
        driver.call("health")


def _start(driver: Driver) -> None:
    driver.start()
    driver.await_ready(60)
