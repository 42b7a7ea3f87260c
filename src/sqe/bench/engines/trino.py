"""Trino 476 on the same Iceberg tables, started by dev/services; or any Trino by its URL."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.engines.engine import Answer, Engine, EngineFailure, Parameters, Setting
from sqe.bench.engines.trino_client import TrinoClient
from sqe.bench.lake import Loaded
from sqe.bench.places import import_services
from sqe.bench.workspace import CATALOG, USER, print_to_stderr, warehouse

_LOOK_SECONDS = 0.2
_READY_SECONDS = 60.0


class Trino(Engine):
    """`url`: one that runs elsewhere, which must know the tables by the same catalog, `lake`. Its CPU time is nobody's here."""

    dialect: ClassVar[str] = "trino"

    def __init__(self, name: str, setting: Setting, url: str = "") -> None:
        super().__init__(name, setting)
        self._url = url
        self._owned = ExitStack()
        self._pid: int | None = None
        self._client: TrinoClient | None = None

    def start(self, loaded: Loaded) -> None:
        url = self._url or self._launch(loaded)
        self._connect(url, loaded.schema)
        self._serving, self._schema = url, loaded.schema
        self._await_nodes(loaded)

    def _await_nodes(self, loaded: Loaded) -> None:
        """It answers before it knows itself as a node that may read tables."""
        deadline = time.monotonic() + _READY_SECONDS
        for table in loaded.tables[:1]:
            while True:
                try:
                    self.run(f"SELECT * FROM {table.name} LIMIT 1")
                except EngineFailure as failure:
                    if "No nodes available" not in str(failure) or time.monotonic() > deadline:
                        raise BenchmarkError(f"Trino does not read {table.name}: {failure}") from None
                    time.sleep(_LOOK_SECONDS)
                else:
                    break

    def _connect(self, url: str, schema: str) -> None:
        self._client = TrinoClient(url, CATALOG, schema, USER)
        self._owned.callback(self._client.close)

    def _launch(self, loaded: Loaded) -> str:
        import_services("Trino is started from a working copy of SQE only; elsewhere say --engines trino=URL")
        from dev.services import process
        from dev.services.service import Place
        from dev.services.trino import Trino as Service

        service = Service(loaded.place.trino_catalog())
        service.prepare(print_to_stderr)
        folder = Path(self._owned.enter_context(TemporaryDirectory(prefix="sqe-trino-")))
        if loaded.place.trino_catalog() is None:
            # Where the service expects the warehouse that it shares with SQE.
            (folder / "warehouse").symlink_to(warehouse(loaded.folder))
        place = Place(folder, process.free_ports(service.ports), {})
        running = process.start(service.launch(place), folder)
        self._owned.callback(process.stop, running, 20.0)
        self._pid = running.pid
        deadline = time.monotonic() + service.start_seconds
        while not service.ready(service.address(place)):
            if time.monotonic() > deadline or not process.alive(running):
                raise BenchmarkError("Trino did not start")
            time.sleep(_LOOK_SECONDS)
        return place.url()

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        if self._client is None:
            raise EngineFailure("trino does not run")
        return self._client.run(sql, parameters)

    @contextmanager
    def session(self) -> Iterator[Callable[[str], Answer]]:
        with closing(TrinoClient(self._serving, CATALOG, self._schema, USER)) as client:
            yield client.run

    def use_private(self, loaded: Loaded) -> None:
        schema = f"{loaded.schema}_{self.name}"
        self.run(f"CREATE SCHEMA IF NOT EXISTS {CATALOG}.{schema}")
        self._connect(self._serving, schema)

    def processes(self) -> Iterable[int]:
        return [] if self._pid is None else [self._pid]

    @property
    def version(self) -> str:
        return str(self.run("SELECT node_version FROM system.runtime.nodes").table[0][0].as_py())

    def stop(self) -> None:
        self._owned.close()
        self._pid = self._client = None


ENGINE = Trino
