"""What rights cost: the same statements in sessions that a policy binds and in others of the same server, in turns."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sqe.bench.benchmark import Benchmark, BenchmarkError, Option, Run
from sqe.bench.figures import Declared, Figure
from sqe.bench.processes import children_cpu_seconds, own_cpu_seconds
from sqe.bench.workspace import CATALOG, USER, local_server

if TYPE_CHECKING:
    from sqe.server import Server
    from sqe.session import Session

WALL = Declared(
    "policy.unrestricted", "TPC-H's 22 queries on tables without restrictions", 1.03, "s", "the same without a policy"
)
CPU = Declared("policy.unrestricted_cpu", "CPU time of these queries", 1.03, "s", "the same without a policy")
ONE = Declared("policy.planning_one_table", "planning more for a filter and a mask on one table", 5, "ms")
SIX = Declared("policy.planning_six_tables", "the same for TPC-H's query 5, a join of six such tables, for each of them", 5, "ms")

ADMIN = "admin"

# Rounds that do not count: the first ones run interpreted.
WARM_UPS = 2
PLANNED_WARM_UPS = 60


@dataclass(frozen=True)
class Sides:
    """A session that a policy binds, and one of the same server that none does."""

    server: Server
    bound: Session
    free: Session

    def run(self, session: Session, sql: str) -> tuple[float, float]:
        """Seconds and CPU seconds of a statement, its rows read."""
        started, used = time.perf_counter(), _cpu()
        with self.server.handler.submit(session, sql, door="bench") as query:
            query.read_all()
        return time.perf_counter() - started, _cpu() - used

    def plan(self, session: Session, sql: str) -> float:
        """Seconds until the statement is planned; it is not run."""
        started = time.perf_counter()
        with self.server.handler.submit(session, sql, door="bench"):
            return time.perf_counter() - started


def measure(run: Run) -> Iterator[Figure]:
    from sqe.bench.lake import load
    from sqe.bench.suites.tpch import SUITE
    from sqe.identity import Identity
    from sqe.sessions import Sessions

    scale = run.options.percent / 100
    schema = f"{CATALOG}.{load(run.folder, SUITE, scale).schema}"
    queries = {query.name: query.sql for query in SUITE.queries(scale)}
    with TemporaryDirectory(prefix="sqe-bench-") as store, local_server(run.folder, more=_config(store)) as (server, _):
        unbound = Sessions(server.driver, server.settings.catalog_options(), server.settings.catalog.name)
        try:
            _grant(server, schema, [table.name for table in SUITE.tables])
            free = unbound.open(Identity(USER))
            readers = Sides(server, server.sessions.open(Identity(USER, frozenset({"reader"}))), free)
            clerks = Sides(server, server.sessions.open(Identity(USER, frozenset({"clerk"}))), free)
            for session in (free, readers.bound, clerks.bound):
                readers.run(session, f"USE {schema}")
            yield from _unrestricted(run, readers, queries)
            yield ONE.measured(_planning(run, clerks, "SELECT c_phone, c_name FROM customer WHERE c_custkey = 7", 1))
            yield SIX.measured(_planning(run, clerks, queries["q5"], 6))
        finally:
            unbound.close_all()


def _config(store: str) -> str:
    return f"""
[auth]
admin_roles = ["{ADMIN}"]

[policy]
store = "sqlite:///{store}/policy.db"
"""


# Of each table: the key that the filter is about, and the column that is masked.
_RESTRICTED = {
    "region": ("r_regionkey", "r_comment"),
    "nation": ("n_nationkey", "n_comment"),
    "supplier": ("s_suppkey", "s_phone"),
    "customer": ("c_custkey", "c_phone"),
    "part": ("p_partkey", "p_comment"),
    "partsupp": ("ps_partkey", "ps_comment"),
    "orders": ("o_orderkey", "o_clerk"),
    "lineitem": ("l_orderkey", "l_comment"),
}


def _grant(server: Server, schema: str, tables: Sequence[str]) -> None:
    from sqe.identity import Identity

    admin = server.sessions.open(Identity("root", frozenset({ADMIN})))
    for table in tables:
        key, masked = _RESTRICTED[table]
        for grant in (
            "TO ROLE reader",
            f"TO ROLE clerk ROWS WHERE ({key} >= 0) MASKED WITH ({masked} = mask_show_last(3))",
        ):
            with server.handler.submit(admin, f"GRANT SELECT ON {schema}.{table} {grant}", door="bench") as query:
                query.read_all()
    server.sessions.close(admin)


def _unrestricted(run: Run, sides: Sides, queries: dict[str, str]) -> Iterator[Figure]:
    walls, cpus = [0.0, 0.0], [0.0, 0.0]
    for name, sql in queries.items():
        rounds: list[list[tuple[float, float]]] = [[], []]
        for turn in range(WARM_UPS + run.options.repeat):
            order = (0, 1) if turn % 2 else (1, 0)
            for side in order:
                took = sides.run((sides.bound, sides.free)[side], sql)
                if turn >= WARM_UPS:
                    rounds[side].append(took)
        fastest = [min(wall for wall, _ in side) for side in rounds]
        run.say(f"  {name}: {1000 * fastest[0]:.0f} ms with a policy, {1000 * fastest[1]:.0f} ms without")
        for side in (0, 1):
            walls[side] += fastest[side]
            cpus[side] += median(cpu for _, cpu in rounds[side])
    yield WALL.measured(*walls)
    yield CPU.measured(*cpus)


def _planning(run: Run, sides: Sides, sql: str, tables: int) -> float:
    """Milliseconds for each table: how much later the fastest of many is planned."""
    bound, free = list[float](), list[float]()
    for turn in range(PLANNED_WARM_UPS + 10 * run.options.repeat):
        took = [sides.plan(session, sql) for session in (sides.bound, sides.free)]
        if turn >= PLANNED_WARM_UPS:
            bound.append(1000 * took[0])
            free.append(1000 * took[1])
    if not bound:
        raise BenchmarkError("Nothing was planned")
    run.say(
        f"  with a policy: at best {min(bound):.1f} ms, median {median(bound):.1f}; without {min(free):.1f}, {median(free):.1f}"
    )
    return (min(bound) - min(free)) / tables


def _cpu() -> float:
    return own_cpu_seconds(os.getpid()) + children_cpu_seconds(os.getpid())


BENCHMARK = Benchmark(
    "policy",
    "what rights cost: tables without restrictions, and a filter with a mask",
    (WALL, CPU, ONE, SIX),
    (
        Option("repeat", 5, "rounds, and ten times as many of planning; the fastest counts"),
        Option("percent", 10, "TPC-H's scale in hundredths"),
    ),
    measure,
)
