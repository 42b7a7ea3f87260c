"""The real `sqe` command in a home of its own, with a daemon of its own that is stopped at the end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

SQE = [sys.executable, "-m", "sqe.cli.main"]
PATIENCE = 120


class Cli:
    """`sqe` with a private home and run folder. The folder is short: a unix socket's path has 107 bytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {name: value for name, value in os.environ.items() if not name.startswith("SQE_")}
        # The engine's jars and class archive are shared with the developer's own.
        self.env["SQE_CACHE_DIR"] = os.environ.get("SQE_CACHE_DIR") or str(Path.home() / ".cache" / "sqe")
        self.env |= {"HOME": str(folder), "XDG_RUNTIME_DIR": str(folder / "run"), "TERM": "xterm"}

    @property
    def run_folder(self) -> Path:
        return self.folder / "run" / "sqe" / "default"

    def run(
        self, *arguments: str, input: str | bytes = b"", env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*SQE, *arguments],
            input=input.encode() if isinstance(input, str) else input,
            capture_output=True,
            env=self.env | (env or {}),
            cwd=self.folder,
            timeout=PATIENCE,
        )
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    def rows(self, sql: str, *arguments: str) -> str:
        """The CSV of a statement that must succeed."""
        done = self.run("-f", "csv", "-e", sql, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, *arguments: str, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*SQE, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.env | (env or {}),
            cwd=self.folder,
        )

    def daemon(self) -> psutil.Process:
        """The daemon that runs now."""
        return psutil.Process(int((self.run_folder / "daemon.pid").read_text()))

    def stop(self) -> None:
        self.run("daemon", "stop")


@pytest.fixture
def own_cli() -> Iterator[Cli]:
    """For tests about the daemon's life."""
    yield from _cli()


@pytest.fixture(scope="session")
def cli() -> Iterator[Cli]:
    """For everything else: all share one daemon that is up already, and each test has its own tables."""
    for cli in _cli():
        cli.rows("SELECT 1")
        yield cli


def _cli() -> Iterator[Cli]:
    folder = Path(tempfile.mkdtemp(prefix="sqe-test-", dir="/tmp"))
    cli = Cli(folder)
    try:
        yield cli
    finally:
        cli.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def until() -> Callable[[Callable[[], object]], None]:
    """Waits for a condition that another process will fulfil."""

    def wait(condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, "the condition was never met"
            time.sleep(0.02)

    return wait
