"""The real `sqe` command in a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil

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
