"""SQE embedded: `sqe.connect()` in a Python process, with a daemon that is not the user's own."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from typing import ClassVar

from sqe.bench.engines.engine import Setting
from sqe.bench.engines.serving import ProcessEngine
from sqe.bench.lake import Loaded
from sqe.bench.processes import Child, PrivateDaemon, private_daemon
from sqe.bench.workspace import CATALOG, warehouse


class SqeEmbedded(ProcessEngine):
    dialect: ClassVar[str] = "spark"

    def __init__(self, name: str, setting: Setting) -> None:
        super().__init__(name, setting)
        self._owned = ExitStack()
        self._daemon: PrivateDaemon | None = None

    def child(self, loaded: Loaded) -> Child:
        self._daemon = self._owned.enter_context(private_daemon())
        request = {"catalog": CATALOG, "folder": str(warehouse(loaded.folder)), "schema": f"{CATALOG}.{loaded.schema}"}
        arguments = [sys.executable, "-m", "sqe.bench.engines.embedded_process", json.dumps(request)]
        return Child(arguments, self._daemon.environment)

    def processes(self) -> Iterable[int]:
        """The daemon has a session of its own and is no child of the client."""
        return [*super().processes(), *([self._daemon.pid] if self._daemon else [])]

    def stop(self) -> None:
        super().stop()
        self._owned.close()
        self._daemon = None


ENGINE = SqeEmbedded
