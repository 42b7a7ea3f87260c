"""SQE through its Trino door, asked in Trino's dialect by Trino's own client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import ClassVar

from sqe.bench.engines.engine import Answer, Parameters
from sqe.bench.engines.sqe_server import ServerEngine
from sqe.bench.engines.trino_client import TrinoClient
from sqe.bench.lake import Loaded
from sqe.bench.workspace import CATALOG


class SqeTrino(ServerEngine):
    dialect: ClassVar[str] = "trino"
    _client: TrinoClient

    def start(self, loaded: Loaded) -> None:
        self._address = f"http://{self.serve(loaded)['trino_http']}"
        self._place, self._schema = loaded.place, loaded.schema
        self._connect(loaded.schema)

    def _connect(self, schema: str) -> None:
        self._client = self._client_of(schema)
        self._owned.callback(self._client.close)

    def _client_of(self, schema: str) -> TrinoClient:
        return TrinoClient(self._address, CATALOG, schema, self._place.user, self._place.password)

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        return self._client.run(sql, parameters)

    @contextmanager
    def session(self) -> Iterator[Callable[[str], Answer]]:
        with closing(self._client_of(self._schema)) as client:
            yield client.run

    def use_private(self, loaded: Loaded) -> None:
        schema = f"{loaded.schema}_{self.name.replace('-', '_')}"
        self.run(f"CREATE SCHEMA IF NOT EXISTS {CATALOG}.{schema}")
        self._connect(schema)


ENGINE = SqeTrino
