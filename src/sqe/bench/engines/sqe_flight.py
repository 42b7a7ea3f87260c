"""SQE through its Flight SQL door, as an ADBC or JDBC client sees it."""

from __future__ import annotations

import time
from typing import ClassVar

from sqe.bench.engines.engine import Answer, EngineFailure
from sqe.bench.engines.sqe_server import ServerEngine
from sqe.bench.lake import Loaded
from sqe.bench.workspace import CATALOG, PASSWORD, USER
from sqe.client import FlightClient
from sqe.errors import SqeError


class SqeFlight(ServerEngine):
    dialect: ClassVar[str] = "spark"
    _client: FlightClient

    def start(self, loaded: Loaded) -> None:
        address = self.serve(loaded)["flight_sql"]
        self._client = self._owned.enter_context(FlightClient(f"grpc://{address}", user=USER, password=PASSWORD))
        self._client.execute(f"USE {CATALOG}.{loaded.schema}").close()

    def run(self, sql: str) -> Answer:
        started = time.perf_counter()
        try:
            table = self._client.execute(sql).read_all()
        except SqeError as failure:
            raise EngineFailure(str(failure)) from None
        return Answer(table, time.perf_counter() - started)


ENGINE = SqeFlight
