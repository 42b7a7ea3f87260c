"""Whether SQE became slower, told by its ratio to plain PySpark in the same run, which the machine's mood hardly touches.

CPU-seconds, not wall time: on a machine that does other things as well, the wall times of one run differ by half, its CPU times
by a tenth. Medians of rounds in turns, summed over the queries. A better ratio is written down by hand, when it is known to stay.
"""

from __future__ import annotations

from statistics import median
from typing import Any

from sqe.bench.benchmark import BenchmarkError

ALLOWED = 1.20

SUITE, SCALE, QUERIES = "tpch", 0.01, ("q1", "q3", "q6", "q13")


def cpu_ratio(run: dict[str, Any], ours: str = "sqe", peer: str = "pyspark") -> float:
    """Of a run's file. Only a run in which every answer was right has a ratio."""
    if not run["equal"]:
        raise BenchmarkError("The answers of the run are not all equal; its times mean nothing")
    asked = {query["name"] for query in run["queries"]}
    if asked != set(QUERIES):
        raise BenchmarkError(f"The run asked {', '.join(sorted(asked))}, not {', '.join(QUERIES)}")
    return _cpu(run, ours) / _cpu(run, peer)


def _cpu(run: dict[str, Any], engine: str) -> float:
    return float(sum(median(query["engines"][engine]["cpu"]) for query in run["queries"]))


def check(ratio: float, recorded: float) -> None:
    if ratio > ALLOWED * recorded:
        raise BenchmarkError(
            f"SQE takes {ratio:.2f} of plain PySpark's CPU time; {recorded:.2f} is on record, {ALLOWED * recorded:.2f} is allowed"
        )
