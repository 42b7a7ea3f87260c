"""Processes that outlive the command that started them, and ports for them."""

from __future__ import annotations

import os
import random
import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from dev.services.service import LOOPBACK, Launch

# Below the range that the kernel takes for outgoing connections: between the choice of a port and the moment when a JVM binds
# it lie seconds, in which a port of that range may be gone.
PORTS = range(20000, 32000)


@dataclass(frozen=True)
class Running:
    """A process by pid and birth: a pid alone may have been given to another process meanwhile."""

    pid: int
    born: float


def start(launch: Launch, folder: Path) -> Running:
    """Start with `folder` for the log and for temporary files, so that nothing is left elsewhere."""
    log, temporary = folder / "log", folder / "tmp"
    temporary.mkdir(exist_ok=True)
    # JVMs do not know TMPDIR, and leave native libraries and performance counters in /tmp.
    own = {"TMPDIR": str(temporary), "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={temporary} -XX:-UsePerfData"}
    with open(log, "ab") as output:
        process = subprocess.Popen(
            launch.command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=launch.folder or folder,
            env={**os.environ, **own, **launch.environment},
            start_new_session=True,
        )
    try:
        return Running(process.pid, psutil.Process(process.pid).create_time())
    except psutil.NoSuchProcess:
        return Running(process.pid, 0)  # gone already; the log says why


def alive(running: Running) -> bool:
    return _find(running) is not None


def stop(running: Running, patience: float) -> None:
    """Ask, wait, insist. Returns when the process is gone."""
    process = _find(running)
    if process is None:
        return
    process.terminate()
    try:
        process.wait(patience)
    except psutil.TimeoutExpired:
        process.kill()
        process.wait(10)


def _find(running: Running) -> psutil.Process | None:
    try:
        process = psutil.Process(running.pid)
        # The birth is counted from the boot time, which moves by fractions when the clock is set.
        if abs(process.create_time() - running.born) > 1:
            return None
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
    except psutil.NoSuchProcess:
        return None
    return process


def free_ports(names: Sequence[str]) -> dict[str, int]:
    """A port for each name. All are held until the last one is found, so that none is given twice."""
    held: list[socket.socket] = []
    ports: dict[str, int] = {}
    try:
        for port in random.sample(PORTS, len(PORTS)):
            if len(ports) == len(names):
                return ports
            attempt = socket.socket()
            held.append(attempt)
            try:
                attempt.bind((LOOPBACK, port))
            except OSError:
                continue
            ports[names[len(ports)]] = port
    finally:
        for attempt in held:
            attempt.close()
    raise OSError("no free port on the loopback address")
