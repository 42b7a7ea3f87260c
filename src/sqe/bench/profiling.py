"""`sqe-bench profile`: where the time of one query goes in SQE, by phase, with a flame graph.

A server in this process runs the query warm; its driver looks at the stacks of its own threads every few milliseconds
(jvm: Profiling), and Spark's tracker and listener tell the times of planning and of tasks. Each stack belongs to the phase of the
innermost frame that names one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.lake import Loaded
from sqe.bench.workspace import CATALOG, local_server, local_session

if TYPE_CHECKING:
    from sqe.server import Server
    from sqe.session import Session

EVERY_MILLIS = 5

# In the order of a statement's way. Of a stack, the frame that is nearest to its top decides.
PHASES = ("parse", "analyze", "policy", "optimize", "plan", "schedule", "scan", "compute", "shuffle", "convert", "send", "wait")

_SQL = "org.apache.spark.sql."
_FRAMES: tuple[tuple[str, str], ...] = (
    (f"{_SQL}sqe.policy.", "policy"),
    (f"{_SQL}sqe.ColumnCopy", "convert"),
    (f"{_SQL}sqe.BatchEncoding", "convert"),
    (f"{_SQL}sqe.ResultBuffer", "send"),
    ("sun.nio.ch.SocketDispatcher", "send"),
    ("sun.nio.ch.UnixDomainSockets", "send"),
    (f"{_SQL}sqe.StreamServer", "send"),
    (f"{_SQL}sqe.ParsedStatement", "parse"),
    (f"{_SQL}catalyst.parser", "parse"),
    (f"{_SQL}execution.SparkSqlParser", "parse"),
    ("org.apache.iceberg.spark.source", "scan"),
    ("org.apache.iceberg.parquet", "scan"),
    ("org.apache.iceberg.arrow", "scan"),
    ("org.apache.iceberg.shaded.org.apache.parquet", "scan"),
    ("org.apache.parquet", "scan"),
    ("org.apache.spark.shuffle", "shuffle"),
    ("org.apache.spark.storage.ShuffleBlockFetcherIterator", "shuffle"),
    (f"{_SQL}execution.UnsafeRowSerializer", "shuffle"),
    (f"{_SQL}catalyst.optimizer.Optimizer", "optimize"),
    (f"{_SQL}execution.QueryExecution.optimizedPlan", "optimize"),
    (f"{_SQL}execution.QueryExecution.$anonfun$lazyOptimizedPlan", "optimize"),
    (f"{_SQL}execution.QueryExecution.sparkPlan", "plan"),
    (f"{_SQL}execution.QueryExecution.executedPlan", "plan"),
    (f"{_SQL}execution.QueryExecution.$anonfun$lazyExecutedPlan", "plan"),
    (f"{_SQL}execution.QueryExecution.$anonfun$lazySparkPlan", "plan"),
    (f"{_SQL}catalyst.analysis.Analyzer", "analyze"),
    (f"{_SQL}execution.QueryExecution.analyzed", "analyze"),
    (f"{_SQL}execution.QueryExecution.$anonfun$lazyAnalyzed", "analyze"),
    (f"{_SQL}sqe.TouchedTables", "analyze"),
    ("org.apache.spark.scheduler", "schedule"),
    ("org.apache.spark.util.EventLoop", "schedule"),
)

# Threads that stand there: a statement that waits for its tasks, a task that waits for its turn at the reader.
_WAITING = ("java.lang.Object.wait", "jdk.internal.misc.Unsafe.park", "java.lang.Thread.sleep", "sun.nio.ch.Net.poll")


@dataclass(frozen=True)
class Profile:
    query: str
    rounds: int
    seconds: float  # of one round, median
    planned: float  # of which until the schema was known
    phases: Mapping[str, float]  # thread-seconds of one round
    times: Mapping[str, float]  # Spark's own, seconds of one round
    stacks: Mapping[str, int]

    def table(self) -> str:
        lines = [
            f"{self.query}: {1000 * self.seconds:.0f} ms a round, of which {1000 * self.planned:.0f} until its schema was known",
            "",
            "| phase | thread-ms a round | share |",
            "|---|---|---|",
        ]
        total = sum(self.phases.values()) or 1.0
        lines += [
            f"| {phase} | {1000 * self.phases[phase]:.1f} | {100 * self.phases[phase] / total:.0f} % |"
            for phase in PHASES
            if phase in self.phases
        ]
        lines += ["", "| Spark's own figures | ms a round |", "|---|---|"]
        lines += [f"| {name} | {1000 * value:.1f} |" for name, value in sorted(self.times.items()) if name != "tasks"]
        return "\n".join([*lines, f"| (tasks) | {1000 * self.times.get('tasks', 0.0):.0f} tasks |"])


def profiled(loaded: Loaded, name: str, sql: str, rounds: int, memory: str) -> Profile:
    with local_server(loaded.folder, memory) as (server, _):
        session = local_session(server)
        _run(server, session, f"USE {CATALOG}.{loaded.schema}")
        for _ in range(max(rounds // 2, 3)):
            _run(server, session, sql)
        server.driver.call("startProfiling", str(EVERY_MILLIS))
        took = [_run(server, session, sql) for _ in range(rounds)]
        found = server.driver.call("profile")
    if not found.get("stacks"):
        raise BenchmarkError("The query was over before anything could be seen; ask for more --rounds")
    return summed(name, took, found)


def summed(name: str, took: list[tuple[float, float]], found: Mapping[str, Any]) -> Profile:
    from statistics import median

    rounds = len(took)
    phases: dict[str, float] = {}
    for stack, micros in found["stacks"].items():
        phase = phase_of(stack)
        phases[phase] = phases.get(phase, 0.0) + micros / 1e6 / rounds
    times = {key: value / 1000 / rounds for key, value in found["times"].items()}
    seconds, planned = (median(values) for values in zip(*took, strict=True))
    return Profile(name, rounds, seconds, planned, phases, times, dict(found["stacks"]))


def phase_of(stack: str) -> str:
    kind, *frames = stack.split(";")
    if frames and frames[-1].startswith(_WAITING):
        inside = next((phase for frame in reversed(frames) if (phase := _named(frame))), "")
        return inside if inside == "shuffle" else "wait"
    for frame in reversed(frames):
        if phase := _named(frame):
            return phase if phase != "schedule" or kind == "driver" else "compute"
    return "compute" if kind == "task" else "plan"


def _named(frame: str) -> str:
    return next((phase for prefix, phase in _FRAMES if frame.startswith(prefix)), "")


def _run(server: Server, session: Session, sql: str) -> tuple[float, float]:
    """Seconds until the last row, and until the schema."""
    started = time.perf_counter()
    with server.handler.submit(session, sql, door="bench") as query:
        planned = time.perf_counter() - started
        query.read_all()
    return time.perf_counter() - started, planned


def write(profile: Profile, page: Path, draw: Callable[[Mapping[str, int]], str]) -> None:
    from html import escape

    text = escape(profile.table())
    page.write_text(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(profile.query)}</title>'
        "<style>body { font: 14px system-ui, sans-serif; margin: 1rem; } svg { width: 100%; } "
        f"rect:hover {{ stroke: #000; }}</style></head><body><h1>{escape(profile.query)}</h1><pre>{text}</pre>"
        f"{draw(profile.stacks)}</body></html>\n",
        encoding="utf-8",
    )
