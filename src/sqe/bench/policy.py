"""What rights cost: the same statements in sessions that a policy binds and in others of the same server, in turns."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sqe.bench.benchmark import Benchmark, BenchmarkError, Option, Run
from sqe.bench.figures import Declared, Figure
from sqe.bench.processes import children_cpu_seconds, own_cpu_seconds
from sqe.bench.shop import QUESTIONS, shop
from sqe.bench.workspace import USER, local_server, make_tables

if TYPE_CHECKING:
    from sqe.server import Server
    from sqe.session import Session

WALL = Declared("policy.unrestricted", "22 queries on tables without restrictions", 1.03, "s", "the same without a policy")
CPU = Declared("policy.unrestricted_cpu", "CPU time of these queries", 1.03, "s", "the same without a policy")
ONE = Declared("policy.planning_one_table", "planning more for a filter and a mask on one table", 5, "ms")
FIVE = Declared("policy.planning_five_tables", "the same for a join of five such tables, for each of them", 5, "ms")

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
    from sqe.identity import Identity
    from sqe.session import Sessions

    tables = shop(run.options.rows)
    make_tables(run.folder, list(tables.values()))
    names = {name: str(table) for name, table in tables.items()}
    with TemporaryDirectory(prefix="sqe-bench-") as store, local_server(run.folder, more=_config(store)) as (server, _):
        unbound = Sessions(server.driver, server.settings.catalog_options(), server.settings.catalog.name)
        try:
            _grant(server, names)
            readers = Sides(server, server.sessions.open(Identity(USER, frozenset({"reader"}))), unbound.open(Identity(USER)))
            yield from _unrestricted(run, readers, names)
            clerks = Sides(server, server.sessions.open(Identity(USER, frozenset({"clerk"}))), readers.free)
            yield ONE.measured(_planning(run, clerks, f"SELECT phone, cname FROM {names['customer']} WHERE ck = 7", 1))
            yield FIVE.measured(_planning(run, clerks, QUESTIONS[7].format(**names), 5))
        finally:
            unbound.close_all()


def _config(store: str) -> str:
    return f"""
[auth]
admin_roles = ["{ADMIN}"]

[policy]
store = "sqlite:///{store}/policy.db"
"""


def _grant(server: Server, names: dict[str, str]) -> None:
    from sqe.identity import Identity

    admin = server.sessions.open(Identity("root", frozenset({ADMIN})))
    grants = [f"GRANT SELECT ON {name} TO ROLE reader" for name in names.values()]
    masks = {"customer": "phone", "part": "brand", "supplier": "sname", "nation": "nname", "orders": "remark", "item": "mode"}
    keys = {"customer": "ck", "part": "pk", "supplier": "sk", "nation": "nk", "orders": "ok", "item": "i_ok"}
    grants += [
        f"GRANT SELECT ON {names[table]} TO ROLE clerk ROWS WHERE ({keys[table]} >= 0) MASKED WITH ({column} = mask_show_last(3))"
        for table, column in masks.items()
    ]
    for grant in grants:
        with server.handler.submit(admin, grant, door="bench") as query:
            query.read_all()
    server.sessions.close(admin)


def _unrestricted(run: Run, sides: Sides, names: dict[str, str]) -> Iterator[Figure]:
    walls, cpus = [0.0, 0.0], [0.0, 0.0]
    for number, question in enumerate(QUESTIONS, 1):
        sql = question.format(**names)
        rounds: list[list[tuple[float, float]]] = [[], []]
        for turn in range(WARM_UPS + run.options.repeat):
            order = (0, 1) if turn % 2 else (1, 0)
            for side in order:
                took = sides.run((sides.bound, sides.free)[side], sql)
                if turn >= WARM_UPS:
                    rounds[side].append(took)
        fastest = [min(wall for wall, _ in side) for side in rounds]
        run.say(f"  query {number}: {1000 * fastest[0]:.0f} ms with a policy, {1000 * fastest[1]:.0f} ms without")
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
    (WALL, CPU, ONE, FIVE),
    (
        Option("repeat", 5, "rounds, and ten times as many of planning; the fastest counts"),
        Option("rows", 300_000, "rows of the largest table"),
    ),
    measure,
)
