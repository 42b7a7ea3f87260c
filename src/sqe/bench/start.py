"""Cold start: from nothing to the first Iceberg rows, and to a server that answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from sqe.bench.benchmark import Benchmark, BenchmarkError, Option, Run, fewest
from sqe.bench.figures import Declared, Figure
from sqe.bench.peer import pyspark
from sqe.bench.processes import Child, command, private_daemon, tree_cpu_seconds
from sqe.bench.workspace import PASSWORD, USER, config_file, make_tables, server_config, small_table, warehouse

WALL = Declared("start.cold.wall", "process start to first Iceberg rows", 0.28, "s", "pyspark")
CPU = Declared("start.cold.cpu", "CPU time of all its processes for that", 0.28, "s", "pyspark")
SERVER = Declared(
    "start.server_ready", "`sqe-server` from process start to an answered log-in", 0.14, "s", "pyspark's first rows"
)


def measure(run: Run) -> Iterator[Figure]:
    table = small_table()
    make_tables(run.folder, [table])
    sql = f"SELECT * FROM {table}"
    ours: list[tuple[float, float]] = []
    peers: list[tuple[float, float]] = []
    ready: list[float] = []
    for number in range(run.options.repeat):
        run.say(f"round {number + 1} of {run.options.repeat}")
        ours.append(_embedded(run.folder, sql, table.rows))
        ready.append(_server(run.folder))
        peers.append(_pyspark(run.folder, sql, table.rows))
    peer_wall = fewest("pyspark, s", [wall for wall, _ in peers])
    yield WALL.measured(fewest("sqe, s", [wall for wall, _ in ours]), peer_wall)
    peer_cpu = fewest("pyspark, CPU s", [cpu for _, cpu in peers])
    yield CPU.measured(fewest("sqe, CPU s", [cpu for _, cpu in ours]), peer_cpu)
    yield SERVER.measured(fewest("sqe-server, s", ready), peer_wall)


def _embedded(folder: Path, sql: str, rows: int) -> tuple[float, float]:
    """Wall until the last row is on the pipe; CPU of the client to its end, of its new daemon and the JVM until the rows."""
    arguments = ["--warehouse", str(warehouse(folder)), "--format", "csv", "-e", sql]
    with private_daemon() as daemon, Child([command("sqe"), *arguments], daemon.environment) as sqe:
        for _ in range(1 + rows):
            sqe.line()
        wall = time.monotonic() - sqe.started
        engine = tree_cpu_seconds(daemon.pid)
        return wall, engine + sqe.cpu_seconds_at_end()


def _pyspark(folder: Path, sql: str, rows: int) -> tuple[float, float]:
    with pyspark(folder, sql) as peer:
        answer = peer.answer()
        wall = time.monotonic() - peer.started
        cpu = tree_cpu_seconds(peer.pid)
    if answer["rows"] != rows:
        raise BenchmarkError(f"pyspark got {answer['rows']} rows of {rows}")
    return wall, cpu


def _server(folder: Path) -> float:
    """Until a client has logged in: the ready line alone could be early."""
    from sqe.client import FlightClient  # before the clock starts

    with config_file(server_config(folder, "2g")) as config, Child([command("sqe-server"), "--config", str(config)]) as server:
        try:
            address = f"grpc://{server.answer()['flight_sql']}"
            with FlightClient(address, user=USER, password=PASSWORD):
                return time.monotonic() - server.started
        finally:
            server.terminate()


BENCHMARK = Benchmark(
    "start",
    "cold start of `sqe` and `sqe-server`, against plain pyspark",
    (WALL, CPU, SERVER),
    (Option("repeat", 3, "rounds; the minimum counts"),),
    measure,
)
