"""One more session of a server that is measured already, with settings of its own: `--variant spark:session.native=off`.

Two servers differ in more than a setting: each has compiled what it has run, and one whose native kernel runs most of what it is
asked has compiled less of Spark. Two sessions of one server have the same compiled code, caches and heap, and differ in the
setting alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from sqe.bench.engines.engine import Answer, Engine, EngineFailure, Parameters, Setting
from sqe.bench.engines.sqe_flight import SqeFlight
from sqe.bench.lake import Loaded
from sqe.client import FlightClient

PREFIX = "session."


class SqeSession(Engine):
    """Its processes are its server's, so that memory and CPU time between two moments are, too."""

    dialect: ClassVar[str] = "spark"

    def __init__(self, name: str, setting: Setting, server: SqeFlight) -> None:
        super().__init__(name, setting)
        self.host = server
        self._server = server
        self._client: FlightClient | None = None

    def start(self, loaded: Loaded) -> None:
        self._client = self._server.connected()
        for statement in _statements(self.setting.spark):
            self._client.execute(statement).close()

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        if self._client is None:
            raise EngineFailure(f"{self.name} does not run")
        return self._server.asked(self._client, sql, parameters)

    def processes(self) -> Iterable[int]:
        return self._server.processes()

    @property
    def version(self) -> str:
        return self._server.version

    def stop(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None


def _statements(settings: Sequence[tuple[str, str]]) -> list[str]:
    return [f"SET {key.removeprefix(PREFIX)} = {value}" for key, value in settings]
