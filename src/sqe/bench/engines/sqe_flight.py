"""SQE through its Flight SQL door, as an ADBC or JDBC client sees it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ClassVar

from sqe.bench.engines.engine import Answer, Parameters
from sqe.bench.engines.sqe_server import ServerEngine
from sqe.bench.lake import Loaded
from sqe.bench.workspace import CATALOG
from sqe.client import FlightClient
from sqe.errors import SqeError


class SqeFlight(ServerEngine):
    dialect: ClassVar[str] = "spark"
    _client: FlightClient

    def start(self, loaded: Loaded) -> None:
        self._address = f"grpc://{self.serve(loaded)['flight_sql']}"
        self._place, self._schema = loaded.place, loaded.schema
        self._client = self._owned.enter_context(self.connected())

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        return self.asked(self._client, sql, parameters)

    @contextmanager
    def session(self) -> Iterator[Callable[[str], Answer]]:
        with self.connected() as client:
            yield lambda sql: self.asked(client, sql, ())

    def connected(self) -> FlightClient:
        client = FlightClient(self._address, user=self._place.user, password=self._place.password)
        client.execute(f"USE {CATALOG}.{self._schema}").close()
        return client

    def asked(self, client: FlightClient, sql: str, parameters: Parameters) -> Answer:
        started = time.perf_counter()
        try:
            table = client.execute(sql, list(parameters) or None).read_all()
        except SqeError as error:
            raise self.failure(error) from None
        return Answer(table, time.perf_counter() - started)


ENGINE = SqeFlight
