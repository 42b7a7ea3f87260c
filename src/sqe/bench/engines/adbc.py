"""Any Flight SQL server, by ADBC: `--engines adbc=grpc://host:port`. User and password come from SQE_USER and SQE_PASSWORD."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import Any, ClassVar

from sqe.bench.engines.engine import Answer, Engine, EngineFailure, Parameters, Setting
from sqe.bench.engines.serving import first_line
from sqe.bench.lake import Loaded
from sqe.bench.workspace import CATALOG


class Adbc(Engine):
    """It must know the tables by the same catalog, `lake`. Its CPU time and memory are nobody's here."""

    dialect: ClassVar[str] = "spark"

    def __init__(self, name: str, setting: Setting, url: str) -> None:
        super().__init__(name, setting)
        self._url = url
        self._connection: Any = None

    def start(self, loaded: Loaded) -> None:
        from adbc_driver_flightsql import dbapi

        known = {"username": os.environ.get("SQE_USER"), "password": os.environ.get("SQE_PASSWORD")}
        self._connection = dbapi.connect(self._url, db_kwargs={name: value for name, value in known.items() if value})
        self.run(f"USE {CATALOG}.{loaded.schema}")

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        started = time.perf_counter()
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(sql, list(parameters)) if parameters else cursor.execute(sql)
                table = cursor.fetch_arrow_table()
        except Exception as failure:  # noqa: BLE001 - the driver has several families of errors
            raise EngineFailure(first_line(failure)) from None
        return Answer(table, time.perf_counter() - started)

    def processes(self) -> Iterable[int]:
        return []

    def stop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


ENGINE = Adbc
