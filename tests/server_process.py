"""A real `sqe-server` in a process of its own, from its start to its end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
import psutil

# The beginning of a configuration; a driver of 2 GB is for those that read more than a handful of rows.
ANY_PORTS = """\
[coordinator]
flight_sql_port = 0
trino_http_port = 0
metrics_port = 0
health_port = 0

[engine]
driver_memory = "1g"
"""

COMMAND = (sys.executable, "-m", "sqe.server_main")


def environment(**more: str) -> dict[str, str]:
    """Without settings of whoever runs the tests, and without statements of the server's own: the cores are for the tests."""
    ours = {name: value for name, value in os.environ.items() if "__" not in name}
    return ours | {"SQE_ENGINE__WARM_UP": "0s"} | more


@dataclass
class ServerProcess:
    process: subprocess.Popen[str]
    log: Path
    ready: dict[str, Any]

    @property
    def port(self) -> int:
        return int(self.ready["flight_sql"].rpartition(":")[2])

    @property
    def uri(self) -> str:
        return f"grpc://{self.ready['flight_sql']}"

    def metrics(self) -> dict[str, float]:
        text = httpx.get(f"http://{self.ready['metrics']}/metrics", trust_env=False).text
        samples = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
        return {name: float(value) for name, _, value in samples}

    def python(self) -> psutil.Process:
        return psutil.Process(self.process.pid)

    def driver(self) -> psutil.Process:
        (java,) = (child for child in self.python().children() if child.name() == "java")
        return java


Kind = TypeVar("Kind", bound=ServerProcess)


def launch(folder: Path, config: str, **environ: str) -> tuple[subprocess.Popen[str], Path]:
    """The process and its log, without waiting for anything."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sqe.toml").write_text(config)
    log = folder / "log"
    with log.open("w") as stderr:
        command = [*COMMAND, "--config", str(folder / "sqe.toml")]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment(**environ)), log


@contextmanager
def serving(kind: type[Kind], folder: Path, config: str, **environ: str) -> Iterator[Kind]:
    """Until the block ends, a server that is ready."""
    process, log = launch(folder, config, **environ)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line, log.read_text()
        yield kind(process, log, json.loads(line))
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()
