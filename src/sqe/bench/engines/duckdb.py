"""DuckDB in a process of its own, on the very Parquet files that Iceberg's manifests list."""

from __future__ import annotations

import json
import sys
from typing import ClassVar

from sqe.bench.engines.serving import ProcessEngine
from sqe.bench.lake import Loaded
from sqe.bench.processes import Child


class DuckDb(ProcessEngine):
    dialect: ClassVar[str] = "duckdb"

    def child(self, loaded: Loaded) -> Child:
        listed = {table.name: [file.path for file in table.files if file.rows] for table in loaded.tables}
        tables = {name: files for name, files in listed.items() if files}  # it cannot read from no file
        return Child([sys.executable, "-m", "sqe.bench.engines.duckdb_process", json.dumps(tables)])

    def use_private(self, loaded: Loaded) -> None:
        """In its memory: it does not write Iceberg."""
        self.run("CREATE SCHEMA IF NOT EXISTS private")
        self.run("SET schema = 'private'")

    def original(self, loaded: Loaded, table: str) -> str:
        return f"original.{table}"


ENGINE = DuckDb
