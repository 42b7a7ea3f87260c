"""A large result to an ADBC client: early, fast, and in bounded memory."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqe.bench.benchmark import Benchmark, BenchmarkError, Option, Run, fewest
from sqe.bench.figures import Bound, Declared, Figure
from sqe.bench.heap import held_megabytes, when_stable
from sqe.bench.peer import pyspark
from sqe.bench.processes import resident_megabytes, sqe_server
from sqe.bench.workspace import PASSWORD, USER, Table, line_items, local_server, make_tables

FIRST = Declared("stream.first_batch", "time to the first batch", 0.15, "s", "the whole stream")
TOTAL = Declared("stream.total", "all rows as an Arrow table in an ADBC client", 0.7, "s", "PySpark's toArrow()")
STALLED = Declared("stream.stalled_heap_mb", "driver heap growth while the reader waits after one batch", 150, "MB")
SMALL = Declared(
    "stream.small_heap", "rows received from a driver with a 1 GB heap", 1, "rows", "rows in the table", Bound.EXACTLY
)

# With 4g the peer runs out of memory and hangs: its driver holds every task's result, serialised and not.
PEER_MEMORY = "8g"


@dataclass(frozen=True)
class Read:
    first: float
    total: float
    rows: int


def measure(run: Run) -> Iterator[Figure]:
    table = line_items(run.options.rows)
    make_tables(run.folder, [table])
    reads, peers = _side_by_side(run, table)
    best = min(reads, key=lambda read: read.total)
    fewest("sqe, first batch, s", [read.first for read in reads])
    yield FIRST.measured(best.first, best.total)
    peer = fewest("pyspark toArrow(), s", peers)
    yield TOTAL.measured(fewest("sqe, s", [read.total for read in reads]), peer)
    yield STALLED.measured(_stalled(run, table))
    with sqe_server(run.folder, "1g") as (_, address), _connection(address) as connection:
        yield SMALL.measured(_read(connection, f"SELECT * FROM {table}", table.rows).rows, table.rows)


def _side_by_side(run: Run, table: Table) -> tuple[list[Read], list[float]]:
    """Both engines stay up and read in turns, so that both are equally warm."""
    sql = f"SELECT * FROM {table}"
    with (
        sqe_server(run.folder) as (_, address),
        _connection(address) as connection,
        pyspark(run.folder, f"{sql} LIMIT 10", PEER_MEMORY) as peer,
    ):
        peer.answer()
        _read(connection, f"{sql} LIMIT 10", 10)
        reads, peers = [], []
        for number in range(run.options.repeat):
            run.say(f"round {number + 1} of {run.options.repeat}")
            reads.append(_read(connection, sql, table.rows))
            answer = peer.ask(sql)
            if answer["rows"] != table.rows:
                raise BenchmarkError(f"pyspark got {answer['rows']:,} rows of {table.rows:,}")
            peers.append(float(answer["seconds"]))
    return reads, peers


def _read(connection: Any, sql: str, rows: int) -> Read:
    """Everything is kept as one table, because that is what `toArrow()` gives."""
    import pyarrow as pa

    with connection.cursor() as cursor:
        started = time.monotonic()
        cursor.execute(sql)
        reader = cursor.fetch_record_batch()
        batches = [reader.read_next_batch()]
        first = time.monotonic() - started
        batches.extend(reader)
        table = pa.Table.from_batches(batches, reader.schema)
        total = time.monotonic() - started
    if table.num_rows != rows:
        raise BenchmarkError(f"the client got {table.num_rows:,} rows of {rows:,}")
    return Read(first, total, table.num_rows)


def _stalled(run: Run, table: Table) -> float:
    with local_server(run.folder) as (server, network), _connection(f"grpc://{network.addresses()['flight_sql']}") as connection:
        _read(connection, f"SELECT * FROM {table} LIMIT 10000", 10_000)
        before = held_megabytes(server.driver)
        resident = _resident(server.driver.pid)
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table}")
            reader = cursor.fetch_record_batch()
            rows = reader.read_next_batch().num_rows
            held = when_stable(server.driver)
            grown = {name: size - resident[name] for name, size in _resident(server.driver.pid).items()}
            run.say(
                f"  heap {before:.0f} MB before, {held.largest:.0f} MB while tasks ran, {held.stable:.0f} MB when Spark stopped"
            )
            run.say(f"  resident memory: driver +{grown['driver']:.0f} MB, server and client +{grown['server']:.0f} MB")
            # The rest is still there for a reader that goes on.
            rows += sum(batch.num_rows for batch in reader)
        if rows != table.rows:
            raise BenchmarkError(f"the client that had paused got {rows:,} rows of {table.rows:,}")
        return held.stable - before


def _resident(driver: int | None) -> dict[str, float]:
    return {"driver": resident_megabytes(driver) if driver else 0.0, "server": resident_megabytes(os.getpid())}


@contextmanager
def _connection(address: str) -> Iterator[Any]:
    try:
        from adbc_driver_flightsql import dbapi
    except ModuleNotFoundError:
        raise BenchmarkError(
            "The stream benchmark needs the Python package adbc-driver-flightsql (pip install 'sqe[bench]')"
        ) from None

    with dbapi.connect(address, db_kwargs={"username": USER, "password": PASSWORD}, autocommit=True) as connection:
        yield connection


BENCHMARK = Benchmark(
    "stream",
    "a large result to an ADBC client, against PySpark's toArrow()",
    (FIRST, TOTAL, STALLED, SMALL),
    (
        Option("repeat", 3, "rounds; the minimum counts"),
        Option("rows", 6_000_000, "rows of the table, of 16 columns each"),
    ),
    measure,
)
