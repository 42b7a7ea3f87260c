"""A real `sqe-server` process on the benchmarks' warehouse, for the engines that ask one of its doors."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.engines.engine import Engine, EngineFailure, Setting
from sqe.bench.lake import Loaded
from sqe.bench.processes import Child, command
from sqe.bench.workspace import config_file
from sqe.errors import GENERIC_INTERNAL_ERROR, SqeError


class ServerEngine(Engine):
    def __init__(self, name: str, setting: Setting) -> None:
        super().__init__(name, setting)
        self._owned = ExitStack()
        self._server: Child | None = None
        self._metrics = ""

    def serve(self, loaded: Loaded) -> dict[str, Any]:
        """Starts the server; the addresses of its doors."""
        own = [f"--set={key}={value}" for key, value in self.setting.spark if key.startswith("engine.")]
        settings = "\n".join(f'"{key}" = "{value}"' for key, value in self.setting.spark if not key.startswith("engine."))
        more = f"\n[engine.spark]\n{settings}\n" if settings else ""
        config = self._owned.enter_context(config_file(loaded.place.server_config(self.setting.memory, more)))
        self._server = self._owned.enter_context(Child([command("sqe-server"), "--config", str(config), *own]))
        self._owned.callback(self._server.terminate)
        addresses = self._server.answer()
        self._metrics = str(addresses["metrics"])
        self._await_warm_up()
        return addresses

    def _await_warm_up(self) -> None:
        """It runs statements of its own while nobody asks it anything: not while others are measured."""
        while self._metric("sqe_driver_warming_up"):
            time.sleep(1)

    def failure(self, error: SqeError) -> EngineFailure:
        """What clients are told, and of a defect what its log says: nobody can look there when the server is gone."""
        if error.code is not GENERIC_INTERNAL_ERROR or self._server is None:
            return EngineFailure(str(error))
        return EngineFailure(f"{error}; its log ends with: {self._server.last_words()}")

    def processes(self) -> Iterable[int]:
        if self._server is None:
            raise EngineFailure(f"{self.name} does not run")
        return [self._server.pid]

    def heap_megabytes(self) -> float | None:
        used = self._metric("sqe_driver_heap_used_bytes")
        return None if used is None else used / (1 << 20)

    def _metric(self, name: str) -> float | None:
        import httpx

        try:
            lines = httpx.get(f"http://{self._metrics}/metrics", timeout=30).text.splitlines()
        except httpx.HTTPError:
            words = self._server.last_words() if self._server is not None else "without a word"
            raise BenchmarkError(f"{self.name} tells no metrics: {words}") from None
        return next((float(line.split()[1]) for line in lines if line.startswith(f"{name} ")), None)

    def forget_copies(self) -> None:
        """The driver's folder is where it runs; copies that are gone are made again (docs/native.md)."""
        from sqe.bench.processes import trees

        for driver in (process for process in trees(self.processes()) if process.name() == "java"):
            for copy in (Path(driver.cwd()) / "copies").glob("*.parquet"):
                copy.unlink(missing_ok=True)

    @property
    def version(self) -> str:
        from sqe.version import __version__

        return __version__

    def stop(self) -> None:
        self._owned.close()
        self._server = None
