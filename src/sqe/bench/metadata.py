"""What looking at a catalog costs: metadata statements on a thousand tables, against the raw calls of Iceberg's catalog."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from sqe.bench.benchmark import Benchmark, BenchmarkError, Option, Run
from sqe.bench.figures import Declared, Figure
from sqe.bench.peer import settings
from sqe.bench.processes import Child
from sqe.bench.workspace import CATALOG, local_server, local_session, rows_of

if TYPE_CHECKING:
    from sqe.server import Server
    from sqe.session import Session

RAW = "SELECT 1 and the raw calls"

TABLES = Declared("metadata.show_tables", "SHOW TABLES", 1.5, "ms", RAW)
DESCRIBE = Declared("metadata.describe", "DESCRIBE of a table", 1.5, "ms", RAW)
SNAPSHOTS = Declared("metadata.snapshots", "snapshots of a table", 1.5, "ms", RAW)
COLUMNS = Declared("metadata.columns", "information_schema.columns of all tables", 1.5, "ms", RAW)

# A server that has run a while: its JVM compiles what it sees often, and so does the peer's.
WARM_UPS = 30


def measure(run: Run) -> Iterator[Figure]:
    schema = f"many_{run.options.tables}"
    with local_server(run.folder) as (server, _):
        session = local_session(server)
        _make(run, server, session, schema)
        with _raw_calls(run.folder, schema) as raw:
            if raw.answer()["tables"] != run.options.tables:
                raise BenchmarkError(f"the schema {schema} does not have {run.options.tables} tables: remove {run.folder}")
            sides = Sides(run, server, session, raw)
            one = f"{CATALOG}.{schema}.t1"
            yield TABLES.measured(*sides.both(f"SHOW TABLES IN {CATALOG}.{schema}", "tables"))
            yield DESCRIBE.measured(*sides.both(f"DESCRIBE {one}", "load t1"))
            yield SNAPSHOTS.measured(*sides.both(f'SELECT * FROM {CATALOG}.{schema}."t1$snapshots"', "snapshots t1"))
            columns = f"SELECT * FROM {CATALOG}.information_schema.columns WHERE table_schema = '{schema}'"
            yield COLUMNS.measured(*sides.both(columns, "columns"))


class Sides:
    """A session of ours and a process with the bare catalog, in turns."""

    def __init__(self, run: Run, server: Server, session: Session, raw: Child) -> None:
        self._run, self._server, self._session, self._raw = run, server, session, raw

    def both(self, sql: str, call: str) -> tuple[float, float]:
        """Median milliseconds of the statement; those of `SELECT 1`, which any statement costs, and of the raw calls."""
        ours, least, raw = list[float](), list[float](), list[float]()
        for turn in range(WARM_UPS + self._run.options.repeat):
            took = (self._statement(sql), self._statement("SELECT 1"), 1000 * float(self._raw.ask(call)["seconds"]))
            if turn >= WARM_UPS:
                for values, value in zip((ours, least, raw), took, strict=True):
                    values.append(value)
        self._run.say(f"  {sql}: {median(ours):.1f} ms, SELECT 1 {median(least):.1f} ms, raw calls {median(raw):.1f} ms")
        return median(ours), median(least) + median(raw)

    def _statement(self, sql: str) -> float:
        started = time.perf_counter()
        rows_of(self._server, self._session, sql)
        return 1000 * (time.perf_counter() - started)


def _make(run: Run, server: Server, session: Session, schema: str) -> None:
    mark = run.folder / f"{schema}.made"
    if mark.exists():
        return
    run.say(f"making {run.options.tables} tables, once")
    rows_of(server, session, f"CREATE SCHEMA IF NOT EXISTS {CATALOG}.{schema}")
    for number in range(run.options.tables):
        name = f"{CATALOG}.{schema}.t{number}"
        rows_of(server, session, f"CREATE TABLE IF NOT EXISTS {name} (id BIGINT, name STRING, price DECIMAL(10, 2), day DATE)")
    for number in range(10):
        rows_of(server, session, f"INSERT INTO {CATALOG}.{schema}.t1 VALUES ({number}, 'x', 1, NULL)")
    mark.touch()


def _raw_calls(folder: Path, schema: str) -> Child:
    from sqe.engine.install import find_java

    # Without the cache that Iceberg has by default: SQE looks at the catalog with every statement, and so does the peer.
    uncached = settings(folder, "") | {f"spark.sql.catalog.{CATALOG}.cache-enabled": "false"}
    request = json.dumps({"settings": uncached, "catalog": CATALOG, "schema": schema})
    script = Path(__file__).with_name("catalog_peer.py")
    return Child([sys.executable, "-P", str(script), request], {"JAVA_HOME": str(find_java().home)})


BENCHMARK = Benchmark(
    "metadata",
    "metadata statements on many tables, against the raw calls of Iceberg's catalog",
    (TABLES, DESCRIBE, SNAPSHOTS, COLUMNS),
    (
        Option("tables", 1000, "tables of the schema"),
        Option("repeat", 15, "rounds, of which the median counts"),
    ),
    measure,
)
