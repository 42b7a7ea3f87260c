"""What large tables cost: planning over many data files, and a MERGE that changes one row of a hundred, against plain Spark."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqe.bench.benchmark import Benchmark, Option, Run, fewest
from sqe.bench.figures import Declared, Figure
from sqe.bench.peer import pyspark
from sqe.bench.workspace import CATALOG, local_server, local_session, rows_of

if TYPE_CHECKING:
    from sqe.bench.processes import Child
    from sqe.server import Server
    from sqe.session import Session

PLAN = Declared("tables.plan_many_files", "a look-up in a table of many data files", 1.3, "s", "plain pyspark")
MERGE = Declared("tables.merge", "MERGE that changes one of a hundred rows", 1.1, "s", "plain pyspark")

WARM_UPS = 2
PEER_MEMORY = "4g"
FILES_AT_ONCE = 500


def measure(run: Run) -> Iterator[Figure]:
    files, rows = f"{CATALOG}.default.files_{run.options.files}", run.options.rows
    with local_server(run.folder, memory="4g") as (server, _):
        session = local_session(server)
        _make_files(run, server, session, files)
        _make_rows(run, server, session, ("ours", "theirs"))
        with pyspark(run.folder, "SELECT 1", PEER_MEMORY) as peer:
            peer.answer()
            yield PLAN.measured(*_planning(run, server, session, peer, files))
            yield MERGE.measured(*_merging(run, server, session, peer, rows))


def _timed(server: Server, session: Session, sql: str) -> float:
    started = time.perf_counter()
    rows_of(server, session, sql)
    return time.perf_counter() - started


def _planning(run: Run, server: Server, session: Session, peer: Child, table: str) -> tuple[float, float]:
    """One file is read: what counts is to find it among all."""
    ours, theirs = list[float](), list[float]()
    for turn in range(WARM_UPS + run.options.repeat):
        sql = f"SELECT count(*) FROM {table} WHERE part = {turn}"
        took = _timed(server, session, sql), float(peer.ask(sql)["seconds"])
        if turn >= WARM_UPS:
            ours.append(took[0])
            theirs.append(took[1])
    return fewest("sqe, s", ours), fewest("pyspark, s", theirs)


def _merging(run: Run, server: Server, session: Session, peer: Child, rows: int) -> tuple[float, float]:
    """Each side has a table of its own, the same in both; every MERGE rewrites all of it, because the rows are all over it."""
    ours, theirs = list[float](), list[float]()
    for turn in range(1 + run.options.merges):
        change = (
            f"USING (SELECT id * 100 + {turn} AS id FROM range({rows // 100})) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET amount = t.amount + 1 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"
        )
        took = (
            _timed(server, session, f"MERGE INTO {_rows('ours', rows)} t {change}"),
            float(peer.ask(f"MERGE INTO {_rows('theirs', rows)} t {change}", 1800)["seconds"]),
        )
        run.say(f"  merge {turn}: {took[0]:.1f} s, pyspark {took[1]:.1f} s{'' if turn else ' (does not count)'}")
        if turn:
            ours.append(took[0])
            theirs.append(took[1])
    return fewest("sqe, s", ours), fewest("pyspark, s", theirs)


def _make_files(run: Run, server: Server, session: Session, table: str) -> None:
    mark = run.folder / f"{table}.made"
    if not mark.exists():
        run.say(f"making {table}, once")
        rows_of(server, session, f"CREATE OR REPLACE TABLE {table} (part BIGINT, id BIGINT, name STRING) PARTITIONED BY (part)")
        # A partition has a file of its own, which is open until its task has ended, with a megabyte of buffers: some at a time.
        for first in range(0, run.options.files, FILES_AT_ONCE):
            last = min(first + FILES_AT_ONCE, run.options.files)
            rows_of(server, session, f"INSERT INTO {table} SELECT id, id, 'name ' || id FROM range({first}, {last})")
        mark.touch()


def _make_rows(run: Run, server: Server, session: Session, sides: tuple[str, ...]) -> None:
    for side in sides:
        table = _rows(side, run.options.rows)
        mark = run.folder / f"{table}.made"
        if not mark.exists():
            run.say(f"making {table}, once")
            columns = "id, CAST(id % 1000 AS DECIMAL(15, 2)) AS amount, sha1(CAST(id AS STRING)) AS name"
            rows_of(
                server, session, f"CREATE OR REPLACE TABLE {table} AS SELECT {columns} FROM range(0, {run.options.rows}, 1, 8)"
            )
            mark.touch()


def _rows(side: str, rows: int) -> str:
    return f"{CATALOG}.default.merged_{side}_{rows}"


BENCHMARK = Benchmark(
    "tables",
    "planning over many data files, and a MERGE into a large table, against plain Spark",
    (PLAN, MERGE),
    (
        Option("files", 10_000, "data files of the first table"),
        Option("rows", 10_000_000, "rows of the second table"),
        Option("repeat", 7, "look-ups, of which the fastest counts"),
        Option("merges", 3, "merges, of which the fastest counts"),
    ),
    measure,
)
