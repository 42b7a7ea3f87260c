"""PostgreSQL: a database for the JDBC catalog."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import struct
import subprocess
import tarfile
import zipfile
from functools import partial
from pathlib import Path
from typing import ClassVar

from dev.services.pins import POSTGRES
from dev.services.programs import ensure_built, unpacked_folder
from dev.services.service import LOOPBACK, Address, Launch, Place, Service
from sqe.engine.install.cache import Progress
from sqe.engine.install.jars import ensure_jars

USER = "iceberg"
INIT_SECONDS = 120


class Postgres(Service):
    name: ClassVar[str] = "postgres"
    ports: ClassVar[tuple[str, ...]] = ("sql",)

    def prepare(self, progress: Progress) -> None:
        (archive,) = ensure_jars([POSTGRES], progress=progress)
        ensure_built("PostgreSQL", unpacked_folder(POSTGRES), partial(_unpack, archive), progress)

    def launch(self, place: Place) -> Launch:
        data, password = place.folder / "data", place.folder / "password"
        if not data.exists():
            password.touch(mode=0o600)
            password.write_text(secrets.token_urlsafe(12))
            _make_database(data, password)
        options = ["-D", str(data), "-h", LOOPBACK, "-p", str(place.ports["sql"]), "-k", ""]
        return Launch([*_as_a_user(), _program("postgres"), *options, "-c", "fsync=off"])

    def address(self, place: Place) -> dict[str, str]:
        return {
            "jdbc": f"jdbc:postgresql://{LOOPBACK}:{place.ports['sql']}/postgres",
            "user": USER,
            "password": (place.folder / "password").read_text(),
        }

    def ready(self, address: Address) -> bool:
        """Asked for TLS it says no, in one letter; before it serves, it says nothing."""
        port = int(address["jdbc"].rpartition(":")[2].partition("/")[0])
        try:
            with socket.create_connection((LOOPBACK, port), timeout=2) as asked:
                asked.sendall(struct.pack("!ii", 8, 80877103))
                return asked.recv(1) == b"N"
        except OSError:
            return False


def _unpack(archive: Path, bench: Path) -> tuple[Path, Launch]:
    with zipfile.ZipFile(archive) as jar:
        (inner,) = (name for name in jar.namelist() if name.endswith(".txz"))
        jar.extract(inner, bench)
    with tarfile.open(bench / inner) as content:
        content.extractall(bench / "postgres", filter="data")
    return bench / "postgres", Launch([bench / "postgres" / "bin" / "postgres", "--version"])


def _make_database(data: Path, password: Path) -> None:
    command: list[str | Path] = [
        *_as_a_user(),
        _program("initdb"),
        "-D",
        data,
        "-U",
        USER,
        "-A",
        "scram-sha-256",
        "--no-sync",
        "--pwfile",
        password,
    ]
    subprocess.run([*command, "-E", "UTF8", "--locale=C"], check=True, capture_output=True, timeout=INIT_SECONDS)


def _program(name: str) -> Path:
    return unpacked_folder(POSTGRES) / "bin" / name


def _as_a_user() -> list[str]:
    """PostgreSQL refuses to run as root; in containers everybody is. In a namespace of its own it is somebody."""
    if os.geteuid() != 0:
        return []
    unshare = shutil.which("unshare") or "unshare"
    return [unshare, "--user", "--map-user=65534", "--map-group=65534"]
