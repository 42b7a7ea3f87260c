"""The front door: many Flight clients with tiny statements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from sqe.bench.benchmark import Benchmark, BenchmarkError, Option, Run
from sqe.bench.clients import flight_clients
from sqe.bench.figures import Declared, Figure
from sqe.bench.processes import Child, children_cpu_seconds, own_cpu_seconds, sqe_server

ERRORS = Declared("door.errors", "statements that failed", 0, "errors")
CPU = Declared("door.cpu_ms_per_query", "CPU time of the server's Python process for one `SELECT 1`", 3, "ms")

# Python clients spread over processes: one would be limited by its interpreter lock.
PER_PROCESS = 16
SQL = "SELECT 1"


def measure(run: Run) -> Iterator[Figure]:
    count, seconds = run.options.clients, run.options.seconds
    with ExitStack() as stack:
        server, address = stack.enter_context(sqe_server(run.folder))
        groups = [
            stack.enter_context(flight_clients(address, min(PER_PROCESS, count - first)))
            for first in range(0, count, PER_PROCESS)
        ]
        _together(groups, run.options.warm_up)
        door, driver = own_cpu_seconds(server.pid), children_cpu_seconds(server.pid)
        answers = _together(groups, seconds)
        door, driver = own_cpu_seconds(server.pid) - door, children_cpu_seconds(server.pid) - driver
    queries = sum(answer["queries"] for answer in answers)
    errors = sum(answer["errors"] for answer in answers)
    if not queries:
        raise BenchmarkError(f"No statement succeeded: {answers[0]['last_error']}")
    slowest = max(answer["p99_ms"] for answer in answers)
    typical = max(answer["median_ms"] for answer in answers)
    run.say(f"  {count} clients, {queries:,} queries in {seconds} s: {queries / seconds:.0f} a second")
    run.say(f"  median {typical:.0f} ms, 99 % within {slowest:.0f} ms; driver JVM {1000 * driver / queries:.2f} CPU-ms a query")
    if errors:
        run.say(f"  {errors} errors, such as: {next(answer['last_error'] for answer in answers if answer['errors'])}")
    yield ERRORS.measured(errors)
    yield CPU.measured(1000 * door / queries)


def _together(groups: list[Child], seconds: int) -> list[dict[str, Any]]:
    for group in groups:
        group.tell(f"for {seconds} {SQL}")
    return [group.answer(seconds + 120) for group in groups]


BENCHMARK = Benchmark(
    "door",
    "`SELECT 1` by many concurrent Flight clients",
    (ERRORS, CPU),
    (
        Option("clients", 64, "connections"),
        Option("seconds", 30, "how long they are busy"),
        Option("warm-up", 5, "seconds before, which do not count"),
    ),
    measure,
)
