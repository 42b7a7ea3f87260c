"""Trino 476, the judge of the Trino dialect: its `tpch` and `tpcds` connectors, and a warehouse that it shares with SQE."""

from __future__ import annotations

import json
import shutil
import tarfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import ClassVar

import httpx

from dev.services.pins import TRINO
from dev.services.programs import ensure_built, newer_java, unpacked_folder
from dev.services.service import LOOPBACK, Address, Launch, Place, Service
from sqe.engine.install.cache import Progress
from sqe.engine.install.jars import SQLITE, ensure_jars

MINIMUM_JAVA = 24

# Of the 47 plugins, those that tests ask for; the others make the start three times as long.
PLUGINS = ("iceberg", "tpch", "tpcds", "memory", "geospatial", "ml", "teradata-functions")

CATALOGS: dict[str, dict[str, object]] = {
    "tpch": {"connector.name": "tpch", "tpch.column-naming": "SIMPLIFIED"},
    "tpchstd": {"connector.name": "tpch", "tpch.column-naming": "STANDARD", "tpch.double-type-mapping": "DECIMAL"},
    "tpcds": {"connector.name": "tpcds"},
    "memory": {"connector.name": "memory"},
}


class Trino(Service):
    name: ClassVar[str] = "trino"
    start_seconds: ClassVar[float] = 300

    def __init__(self, lake: Mapping[str, object] | None = None) -> None:
        """`lake`: another catalog of that name than the folder that it shares with SQE."""
        self._other_lake = lake

    def prepare(self, progress: Progress) -> None:
        newer_java(MINIMUM_JAVA, "Trino")
        archive, driver = ensure_jars([TRINO, SQLITE], progress=progress)
        ensure_built("Trino", unpacked_folder(TRINO), partial(_unpack, archive, driver), progress)

    def launch(self, place: Place) -> Launch:
        etc, warehouse = place.folder / "etc", place.folder / "warehouse"
        (etc / "catalog").mkdir(parents=True, exist_ok=True)
        warehouse.mkdir(exist_ok=True)
        for name, properties in {**CATALOGS, "lake": self._other_lake or _lake(warehouse)}.items():
            _write(etc / "catalog" / f"{name}.properties", properties)
        _write(etc / "config.properties", _config(place))
        (etc / "log.properties").write_text("io.trino=WARN\n")
        return Launch(
            [newer_java(MINIMUM_JAVA, "Trino").executable, *_flags(etc), "io.trino.server.TrinoServer"], folder=place.folder
        )

    def address(self, place: Place) -> dict[str, str]:
        return {"http": place.url(), "warehouse": str(place.folder / "warehouse")}

    def ready(self, address: Address) -> bool:
        try:
            info = httpx.get(address["http"] + "/v1/info", timeout=5, trust_env=False)
        except httpx.HTTPError:
            return False
        return info.status_code == 200 and not json.loads(info.text)["starting"]


def _unpack(archive: Path, driver: Path, bench: Path) -> tuple[Path, Launch]:
    """Program and plugins, with the driver of SQLite beside the Iceberg connector."""
    home = bench / "trino-server-476"
    wanted = tuple(f"{home.name}/{part}/" for part in ("lib", *(f"plugin/{plugin}" for plugin in PLUGINS)))
    with tarfile.open(archive) as content:
        content.extractall(bench, (entry for entry in content if entry.name.startswith(wanted)), filter="data")
    shutil.copy(driver, home / "plugin" / "iceberg")
    return home, Launch([newer_java(MINIMUM_JAVA, "Trino").executable, "-version"])


def _config(place: Place) -> dict[str, object]:
    return {
        "node.id": "dev",
        "node.environment": "dev",
        "node.bind-ip": LOOPBACK,
        "node.internal-address": LOOPBACK,
        "coordinator": "true",
        "node-scheduler.include-coordinator": "true",
        "http-server.http.port": place.ports["http"],
        "discovery.uri": place.url(),
        "plugin.dir": unpacked_folder(TRINO) / "plugin",
        "query.max-memory": "1GB",
        "query.max-memory-per-node": "700MB",
        "memory.heap-headroom-per-node": "300MB",
        "query.min-expire-age": "10s",
        "query.max-stage-count": "400",  # TPC-DS 14a has 346
        "catalog.config-dir": place.folder / "etc" / "catalog",
    }


def _lake(warehouse: Path) -> dict[str, object]:
    """The catalog as SQE makes it in a folder: both read and write the same tables."""
    return {
        "connector.name": "iceberg",
        "iceberg.catalog.type": "jdbc",
        "iceberg.jdbc-catalog.driver-class": "org.sqlite.JDBC",
        "iceberg.jdbc-catalog.connection-url": f"jdbc:sqlite:file:{warehouse / 'catalog.db'}",
        "iceberg.jdbc-catalog.catalog-name": "lake",
        "iceberg.jdbc-catalog.default-warehouse-dir": warehouse.as_uri(),
        "iceberg.jdbc-catalog.schema-version": "V1",
        "fs.hadoop.enabled": "true",
    }


def _flags(etc: Path) -> list[str]:
    return [
        *("-Xmx2g", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError", "-XX:-OmitStackTraceInFastThrow"),
        *("-Djdk.attach.allowAttachSelf=true", "-Dfile.encoding=UTF-8", "-Duser.timezone=UTC"),
        *("--add-modules=jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"),
        *(f"-Dconfig={etc / 'config.properties'}", f"-Dlog.levels-file={etc / 'log.properties'}"),
        *("-cp", f"{unpacked_folder(TRINO) / 'lib'}/*"),
    ]


def _write(path: Path, properties: Mapping[str, object]) -> None:
    path.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
