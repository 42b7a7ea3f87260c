"""SQE through its Trino door, asked in Trino's dialect by Trino's own client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import ClassVar

from sqe.bench.engines.engine import Answer, Parameters
from sqe.bench.engines.sqe_server import ServerEngine
from sqe.bench.engines.trino_client import TrinoClient
from sqe.bench.lake import Loaded
from sqe.bench.workspace import CATALOG, PASSWORD, USER


class SqeTrino(ServerEngine):
    dialect: ClassVar[str] = "trino"
    _client: TrinoClient

    def start(self, loaded: Loaded) -> None:
        self._address = f"http://{self.serve(loaded)['trino_http']}"
        self._schema = loaded.schema
        self._connect(loaded.schema)

    def _connect(self, schema: str) -> None:
        self._client = TrinoClient(self._address, CATALOG, schema, USER, PASSWORD)
        self._owned.callback(self._client.close)

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        return self._client.run(sql, parameters)

    @contextmanager
    def session(self) -> Iterator[Callable[[str], Answer]]:
        with closing(TrinoClient(self._address, CATALOG, self._schema, USER, PASSWORD)) as client:
            yield client.run

    def use_private(self, loaded: Loaded) -> None:
        schema = f"{loaded.schema}_{self.name.replace('-', '_')}"
        self.run(f"CREATE SCHEMA IF NOT EXISTS {CATALOG}.{schema}")
        self._connect(schema)


ENGINE = SqeTrino
