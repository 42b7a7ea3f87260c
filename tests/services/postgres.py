"""A PostgreSQL of its own for a test, from the programs that are installed."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dev.services.process import free_ports


class Postgres:
    """A server in a folder of its own. PostgreSQL does not run as root: then the account `postgres` runs it."""

    def __init__(self, programs: Path, folder: Path, user: str | None) -> None:
        self._programs, self._folder, self._user = programs, folder, user
        self._port = free_ports(["sql"])["sql"]
        self.url = f"postgresql://postgres@127.0.0.1:{self._port}/postgres"
        self._run("initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "--no-sync")

    def start(self) -> None:
        options = f"-p {self._port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        self._run("pg_ctl", "-D", self._folder / "data", "-l", self._folder / "log", "-o", options, "-w", "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self._folder / "data", "-m", "immediate", "-w", "stop")

    def _run(self, program: str, *arguments: str | Path) -> None:
        account = {"user": self._user, "group": self._user, "extra_groups": []} if self._user else {}
        subprocess.run([self._programs / program, *arguments], check=True, capture_output=True, cwd="/", timeout=120, **account)  # type: ignore[call-overload]


def postgres_server() -> Iterator[Postgres]:
    """A fixture's body."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or [Path(shutil.which("initdb") or "")]
    if not programs[-1].is_file():
        pytest.skip("PostgreSQL is not installed")
    user = "postgres" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="sqe-postgres-"))
    if user:
        account = pwd.getpwnam(user)
        os.chown(folder, account.pw_uid, account.pw_gid)
    server = Postgres(programs[-1].parent, folder, user)
    server.start()
    yield server
    server.stop()
    shutil.rmtree(folder)
