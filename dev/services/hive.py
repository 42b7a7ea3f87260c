"""Hive Metastore 3.1.3 (Thrift) on a Derby database. The newest that speaks to Spark's Hive client: 4.0.1 does not."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tarfile
from functools import partial
from pathlib import Path
from typing import ClassVar

from dev.services.pins import HIVE_METASTORE, HIVE_NEEDS
from dev.services.programs import ensure_built, unpacked_folder
from dev.services.service import LOOPBACK, ROOT, Address, Launch, Place, Service
from sqe.engine.install.cache import Progress
from sqe.engine.install.jars import ensure_jars
from sqe.engine.install.java import find_java
from sqe.engine.install.spark import find_spark

DATABASE = "metastore"

_OPENED = ("java.lang", "java.net", "java.util", "java.util.concurrent")

# Too old for today's Hadoop client; a newer one is among HIVE_NEEDS.
_LEFT_OUT = "guava-19.0.jar"


class Hive(Service):
    name: ClassVar[str] = "hive"
    ports: ClassVar[tuple[str, ...]] = ("thrift",)
    start_seconds: ClassVar[float] = 180

    def prepare(self, progress: Progress) -> None:
        archive, *_ = ensure_jars([HIVE_METASTORE, *HIVE_NEEDS], progress=progress)
        ensure_built("the Hive Metastore", _program(), partial(_build, archive), progress)

    def launch(self, place: Place) -> Launch:
        database = place.folder / DATABASE
        if not database.exists():
            shutil.copytree(_program() / DATABASE, database)
        environment = {
            "HIVE_PORT": str(place.ports["thrift"]),
            "HIVE_DATABASE": str(database),
            "HIVE_WAREHOUSE": str(place.folder / "warehouse"),
        }
        return Launch([sys.executable, "-m", "dev.services.hive_server"], environment, ROOT)

    def address(self, place: Place) -> dict[str, str]:
        return {"thrift": f"thrift://{LOOPBACK}:{place.ports['thrift']}", "warehouse": str(place.folder / "warehouse")}

    def ready(self, address: Address) -> bool:
        try:
            socket.create_connection((LOOPBACK, int(address["thrift"].rpartition(":")[2])), timeout=1).close()
        except OSError:
            return False
        return True


def class_path(program: Path) -> list[Path]:
    own = [jar for jar in sorted((program / "lib").glob("*.jar")) if jar.name != _LEFT_OUT]
    spark = find_spark()
    return [
        *(jar.path for jar in HIVE_NEEDS),
        *own,
        spark.jar("hadoop-client-api-*.jar"),
        spark.jar("hadoop-client-runtime-*.jar"),
    ]


def flags() -> list[str]:
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    # Derby without waiting for the disk: nothing here has to survive a power failure.
    quiet = f"-Dderby.stream.error.file={os.devnull}"
    return [*opened, quiet, "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dderby.system.durability=test"]


def _build(archive: Path, bench: Path) -> tuple[Path, Launch]:
    """The program, and beside it a database with the metastore's schema: making that takes far longer than copying it."""
    with tarfile.open(archive) as content:
        content.extractall(bench / "hive", filter="data")
    (home,) = (bench / "hive").iterdir()
    url = f"jdbc:derby:;databaseName={home / DATABASE};create=true"
    make = ["-dbType", "derby", "-initSchema", "-url", url, "-driver", "org.apache.derby.jdbc.EmbeddedDriver"]
    java: list[str | Path] = [find_java().executable, *flags()]
    joined = ":".join(map(str, class_path(home)))
    tool = "org.apache.hadoop.hive.metastore.tools.MetastoreSchemaTool"
    return home, Launch(
        [*java, "-cp", joined, tool, *make, "-userName", "APP", "-passWord", "mine"], {"METASTORE_HOME": str(home)}
    )


def _program() -> Path:
    return unpacked_folder(HIVE_METASTORE)
