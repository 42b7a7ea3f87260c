"""Warm calls: the whole `sqe` command on a running daemon, as a shell script sees it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from sqe.bench.benchmark import Benchmark, BenchmarkError, Option, Run
from sqe.bench.figures import Declared, Figure
from sqe.bench.processes import command, private_daemon
from sqe.bench.workspace import local_server, local_session, make_tables, orders, rows_of, warehouse

if TYPE_CHECKING:
    from sqe.server import Server
    from sqe.session import Session

SELECT_1 = Declared("warm.select_1", '`sqe -e "SELECT 1"`, the whole process', 12, "ms", "`python3 -c pass`")
POINT = Declared("warm.point_query", "`sqe -e` with a look-up by key in an Iceberg table", 3, "ms", "SELECT 1")
JOBS = Declared("warm.jobs", "Spark jobs started by statements that need none", 0, "jobs")

# Round trips of the JIT compilers: a daemon's first calls run interpreted.
WARM_UPS = 20

SETTLED_SECONDS = 0.3


def measure(run: Run) -> Iterator[Figure]:
    table = orders(run.options.rows)
    make_tables(run.folder, [table])
    with private_daemon() as daemon:
        environment = daemon.environment
        base = [command("sqe"), "--warehouse", str(warehouse(run.folder)), "-e"]

        def point() -> list[str]:
            # Another key each time: nothing of the answer can be remembered.
            return [*base, f"SELECT * FROM {table} WHERE o_orderkey = {random.randrange(table.rows)}"]

        for _ in range(min(WARM_UPS, run.options.repeat)):
            _seconds([*base, "SELECT 1"], environment)
            _seconds(point(), environment)
        rounds = [
            (
                _seconds([sys.executable, "-c", "pass"], environment),
                _seconds([*base, "SELECT 1"], environment),
                _seconds(point(), environment),
            )
            for _ in range(run.options.repeat)
        ]
    python, select_1, point_query = (1000 * median(column) for column in zip(*rounds, strict=True))
    yield SELECT_1.measured(select_1, python)
    yield POINT.measured(point_query, select_1)
    with local_server(run.folder) as (server, _):
        yield JOBS.measured(_needless_jobs(run, server, str(table)))


def _seconds(arguments: Sequence[str], environment: Mapping[str, str]) -> float:
    started = time.perf_counter()
    ran = subprocess.run(
        arguments, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
    )
    seconds = time.perf_counter() - started
    if ran.returncode:
        raise BenchmarkError(f"{Path(arguments[0]).name} failed: {ran.stderr.decode(errors='replace').strip()}")
    return seconds


def _needless_jobs(run: Run, server: Server, table: str) -> int:
    """Jobs during statements that look at names and constants only, and during the doors' metadata calls."""
    session = local_session(server)
    counts = {sql: _jobs_during(server, lambda: rows_of(server, session, sql)) for sql in _jobless(table)}  # noqa: B023
    counts["the doors' metadata calls"] = _jobs_during(server, lambda: _metadata(server, session, table))
    for what, jobs in counts.items():
        if jobs:
            run.say(f"  {jobs} job{'s' if jobs > 1 else ''}: {what}")
    if not _jobs_during(server, lambda: rows_of(server, session, f"SELECT count(DISTINCT o_clerk) FROM {table}")):
        raise BenchmarkError("The driver's job counter does not count")
    return sum(counts.values())


def _jobless(table: str) -> tuple[str, ...]:
    return (
        "SELECT 1",
        "SELECT 1 + 1 AS two, current_date() AS today, upper('x') AS text",
        "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t(id, name)",
        "SHOW CATALOGS",
        "SHOW SCHEMAS",
        "SHOW TABLES",
        f"SHOW COLUMNS IN {table}",
        f"SHOW CREATE TABLE {table}",
        f"SHOW TBLPROPERTIES {table}",
        f"DESCRIBE TABLE {table}",
        f"DESCRIBE TABLE EXTENDED {table}",
        f"EXPLAIN SELECT * FROM {table}",
        f"SELECT * FROM {table} LIMIT 0",
        "USE lake.default",
    )


def _metadata(server: Server, session: Session, table: str) -> None:
    server.handler.schemas(session)
    server.handler.tables(session, with_schema=True)
    server.handler.prepare(session, f"SELECT * FROM {table} WHERE o_orderkey = ?")


def _jobs_during(server: Server, work: Callable[[], object]) -> int:
    before = _jobs(server)
    work()
    return _jobs(server) - before


def _jobs(server: Server) -> int:
    """Spark tells its listeners late: the count is taken when it has stopped moving."""
    last, since = -1, time.monotonic()
    while time.monotonic() - since < SETTLED_SECONDS:
        health = server.driver.health()
        if health is None:
            raise BenchmarkError("The driver does not answer")
        if health.jobs != last:
            last, since = health.jobs, time.monotonic()
        time.sleep(0.02)
    return last


BENCHMARK = Benchmark(
    "warm",
    "calls of `sqe` on a running daemon",
    (SELECT_1, POINT, JOBS),
    (
        Option("repeat", 30, "rounds; the median counts"),
        Option("rows", 1_500_000, "rows of the table for point queries"),
    ),
    measure,
)
