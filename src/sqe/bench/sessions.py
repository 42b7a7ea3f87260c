"""What an open session costs, and that nothing of it stays behind."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqe.bench.benchmark import Benchmark, BenchmarkError, Option, Run
from sqe.bench.clients import flight_clients
from sqe.bench.figures import Declared, Figure
from sqe.bench.heap import after_collection
from sqe.bench.processes import resident_megabytes
from sqe.bench.workspace import local_server, make_tables, small_table

if TYPE_CHECKING:
    from sqe.engine.driver import Driver, DriverHealth

EACH = Declared("sessions.mb_each", "driver heap and Python memory of an open session that ran a query", 10, "MB")
# A few threads come and go with time (py4j keeps up to four connections, Spark's cleaners): not with sessions.
THREADS = Declared("sessions.threads_after", "driver threads more than before, after all sessions closed", 5, "threads")
# Caches that fill once (generated classes, Iceberg's metadata parsers) are not there before the first sessions.
HEAP = Declared("sessions.heap_after", "driver heap more than before, after all sessions closed", 5, "MB")

# Spark's and Iceberg's pools keep idle threads for a minute.
IDLE_THREADS_SECONDS = 90.0


def measure(run: Run) -> Iterator[Figure]:
    table = small_table()
    make_tables(run.folder, [table])
    sql = f"SELECT name, sum(amount) AS total FROM {table} WHERE id > 0 GROUP BY name"
    with local_server(run.folder) as (server, network):
        address = f"grpc://{network.addresses()['flight_sql']}"
        _sessions(address, run.options.warm_up, sql)
        _wait_for_threads(server.driver, 0)
        before, python = after_collection(server.driver), resident_megabytes(os.getpid())
        _tell(run, "before", before, python)
        with flight_clients(address, run.options.count) as clients:
            _run_once(clients.ask(f"once {sql}"), run.options.count)
            opened, python_opened = after_collection(server.driver), resident_megabytes(os.getpid())
            _tell(run, f"with {len(server.sessions)} sessions", opened, python_opened)
            heap = (opened.heap_used - before.heap_used) / (1 << 20)
            yield EACH.measured((heap + python_opened - python) / run.options.count)
            clients.ask("close")
        _tell(run, "right after they closed", after_collection(server.driver), resident_megabytes(os.getpid()))
        after = _wait_for_threads(server.driver, before.threads + THREADS.target)
        _tell(run, "when idle threads have gone", after, resident_megabytes(os.getpid()))
        yield THREADS.measured(max(0, after.threads - before.threads))
        yield HEAP.measured(max(0.0, (after.heap_used - before.heap_used) / (1 << 20)))


def _sessions(address: str, count: int, sql: str) -> None:
    """Opens, uses and closes some, so that what every server has once is there before."""
    with flight_clients(address, count) as clients:
        _run_once(clients.ask(f"once {sql}"), count)
        clients.ask("close")


def _run_once(summary: dict[str, object], count: int) -> None:
    if summary["queries"] != count:
        raise BenchmarkError(f"{summary['queries']} of {count} sessions could run their query: {summary['last_error']}")


def _wait_for_threads(driver: Driver, most: float) -> DriverHealth:
    """Until so few are left, or idle ones have had the time to go."""
    deadline = time.monotonic() + IDLE_THREADS_SECONDS
    while (health := after_collection(driver)).threads > most and time.monotonic() < deadline:
        time.sleep(2)
    return health


def _tell(run: Run, when: str, driver: DriverHealth, python: float) -> None:
    run.say(
        f"  {when}: driver heap {driver.heap_used / (1 << 20):.1f} MB, {driver.threads} threads, {driver.sessions} sessions; "
        f"Python {python:.0f} MB, {threading.active_count()} threads"
    )


BENCHMARK = Benchmark(
    "sessions",
    "memory and threads of open sessions, and after they closed",
    (EACH, THREADS, HEAP),
    (
        Option("count", 100, "sessions"),
        Option("warm-up", 8, "sessions opened and closed before"),
    ),
    measure,
)
