"""Processes that are measured: started, talked to in lines, and asked for the CPU they used."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.workspace import config_file, server_config

_LEAVE_SECONDS = 30.0
_LOG_BYTES = 1 << 16


def command(name: str) -> str:
    """One of ours, beside the interpreter that runs this."""
    path = Path(sys.executable).with_name(name)
    if not path.exists():
        raise BenchmarkError(f"There is no {path}; install SQE with pip or make setup")
    return str(path)


class Child:
    """A process that answers in lines. It ends when its standard input does."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self._name = Path(arguments[0]).name if len(arguments) < 2 else " ".join(Path(word).name for word in arguments[:3])
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `close`
        self._received = b""
        self.started = time.monotonic()
        self._process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, **(environment or {})},
            start_new_session=True,  # a group of its own, all of which `close` ends
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def line(self, seconds: float = 600) -> str:
        """The next line of its output."""
        assert self._process.stdout is not None
        deadline = time.monotonic() + seconds
        while b"\n" not in self._received:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise BenchmarkError(f"{self._name} said nothing for {seconds:.0f} s")
            block = os.read(self._process.stdout.fileno(), 1 << 16)
            if not block:
                raise BenchmarkError(f"{self._name} ended with {self._process.wait()}: {self.last_words()}")
            self._received += block
        line, _, self._received = self._received.partition(b"\n")
        return line.decode(errors="replace")

    def answer(self, seconds: float = 600) -> dict[str, Any]:
        """The next line that is a JSON object: Spark and gRPC print what they like."""
        deadline = time.monotonic() + seconds
        while not (line := self.line(max(0.0, deadline - time.monotonic()))).startswith("{"):
            pass
        answer: dict[str, Any] = json.loads(line)
        return answer

    def tell(self, text: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text.encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise BenchmarkError(f"{self._name} ended with {self._process.wait()}: {self.last_words()}") from None

    def ask(self, text: str, seconds: float = 600) -> dict[str, Any]:
        self.tell(text)
        return self.answer(seconds)

    def cpu_seconds_at_end(self) -> float:
        """Waits for its end; what it used, with all its children that were waited for."""
        before = os.times()
        self._process.wait()
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    def terminate(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not written yet has nobody to go to
                    pipe.close()
        try:
            self._process.wait(_LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with suppress(ProcessLookupError):  # PySpark, ended while it starts, leaves its JVM behind
            os.killpg(self._process.pid, signal.SIGKILL)
        self._log.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def last_words(self) -> str:
        """Of its log. Read at a place, not from one: the process writes where the file's position is."""
        log = self._log.fileno()
        end = os.pread(log, _LOG_BYTES, max(0, os.fstat(log).st_size - _LOG_BYTES)).decode(errors="replace")
        # Not Java's stack frames: they begin with a tab.
        lines = [line for line in end.splitlines() if line.strip() and line[0] != "\t"]
        return " | ".join(lines[-3:]) or "without a word"


@contextmanager
def sqe_server(folder: Path, memory: str = "2g", text: str = "") -> Iterator[tuple[Child, str]]:
    """A real `sqe-server` process and its Flight SQL address, once it is ready; with `text` as sqe.toml, if given.
    It runs no statements of its own, which a figure would take for those that it asked."""
    written = text or server_config(folder, memory)
    with (
        config_file(written) as config,
        Child([command("sqe-server"), "--config", str(config), "--set=engine.warm_up=0s"]) as server,
    ):
        try:
            yield server, f"grpc://{server.answer()['flight_sql']}"
        finally:
            server.terminate()


@dataclass(frozen=True)
class PrivateDaemon:
    """An embedded daemon that is not the user's own: the first `sqe` with this environment starts it."""

    environment: Mapping[str, str]
    folder: Path

    @property
    def pid(self) -> int:
        return int((self.folder / "sqe" / "default" / "daemon.pid").read_text())


@contextmanager
def private_daemon() -> Iterator[PrivateDaemon]:
    """No daemon yet; whichever was started is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="sqe-bench-") as folder:
        daemon = PrivateDaemon({"XDG_RUNTIME_DIR": folder}, Path(folder))
        try:
            yield daemon
        finally:
            subprocess.run(
                [command("sqe"), "daemon", "stop"],
                env={**os.environ, **daemon.environment},
                stdout=subprocess.DEVNULL,
                check=False,
            )


def tree_cpu_seconds(pid: int) -> float:
    """User and system time of a process and all that it started, the dead among them included where they were waited for."""
    return sum(_cpu(process, waited_for=True) for process in trees([pid]))


def trees(roots: Iterable[int]) -> set[Any]:
    """The processes and all that they started, each once: one root may be another's child."""
    import psutil

    found: set[Any] = set()
    for pid in roots:
        root = psutil.Process(pid)
        found |= {root, *root.children(recursive=True)}
    return found


def own_cpu_seconds(pid: int) -> float:
    """Of the process alone: no child counts."""
    import psutil

    return _cpu(psutil.Process(pid), waited_for=False)


def children_cpu_seconds(pid: int) -> float:
    import psutil

    return sum(_cpu(child, waited_for=True) for child in psutil.Process(pid).children(recursive=True))


def resident_megabytes(pid: int) -> float:
    import psutil

    return float(psutil.Process(pid).memory_info().rss) / (1 << 20)


def trees_cpu_seconds(roots: Iterable[int]) -> float:
    return sum(_cpu(process, waited_for=True) for process in trees(roots))


def _cpu(process: Any, *, waited_for: bool) -> float:
    times = process.cpu_times()
    dead = times.children_user + times.children_system if waited_for else 0.0
    return float(times.user + times.system + dead)
