"""`sqe-bench compare A B`: two runs of one suite, query by query, as ratios. A run's own peer takes the machine's mood out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import median
from typing import Any

from sqe.bench.benchmark import BenchmarkError


@dataclass(frozen=True)
class Change:
    """Of one query on one engine: seconds before and after, and both relative to the peer of their own run."""

    query: str
    before: float
    after: float
    against_peer: float | None

    @property
    def ratio(self) -> float:
        return self.after / self.before


@dataclass(frozen=True)
class Compared:
    engine: str
    peer: str
    changes: Sequence[Change]

    @property
    def ratio(self) -> float:
        return geometric_mean([change.ratio for change in self.changes])

    @property
    def against_peer(self) -> float | None:
        known = [change.against_peer for change in self.changes if change.against_peer is not None]
        return geometric_mean(known) if known else None


def compare_runs(before: dict[str, Any], after: dict[str, Any], peer: str = "pyspark") -> list[Compared]:
    """For each engine that both runs have, over the queries that it answered in both."""
    if (before["suite"], before["scale"]) != (after["suite"], after["scale"]):
        raise BenchmarkError("The two runs are of different suites or scales")
    first, second = times(before), times(after)
    compared = []
    for engine in sorted(set(first) & set(second)):
        names = [name for name in first[engine] if name in second[engine]]
        changes = [_change(name, engine, peer, first, second) for name in names]
        if changes:
            compared.append(Compared(engine, peer, changes))
    if not compared:
        raise BenchmarkError("The two runs have no engine and query in common")
    return compared


def times(run: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Medians in seconds by engine and query, of right answers only: a wrong one has no time."""
    found: dict[str, dict[str, float]] = {}
    for query in run["queries"]:
        for engine, measured in query["engines"].items():
            if measured["seconds"] and measured["verdict"] in ("ok", "vacuous"):
                found.setdefault(engine, {})[query["name"]] = median(measured["seconds"])
    return found


def geometric_mean(values: Sequence[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


def table(compared: Sequence[Compared]) -> str:
    lines = ["| engine | query | before | after | after / before | against the peer |", "|---|---|---|---|---|---|"]
    for found in compared:
        for change in found.changes:
            numbers = f"{change.before:.3f} s | {change.after:.3f} s | {change.ratio:.2f}"
            lines.append(f"| {found.engine} | {change.query} | {numbers} | {_shown(change.against_peer)} |")
        lines.append(f"| **{found.engine}** | geometric mean | | | {found.ratio:.2f} | {_shown(found.against_peer)} |")
    return "\n".join(lines)


def _change(name: str, engine: str, peer: str, first: dict[str, dict[str, float]], second: dict[str, dict[str, float]]) -> Change:
    before, after = first[engine][name], second[engine][name]
    peers = first.get(peer, {}).get(name), second.get(peer, {}).get(name)
    known = engine != peer and peers[0] and peers[1]
    return Change(name, before, after, (after / peers[1]) / (before / peers[0]) if known and peers[0] and peers[1] else None)


def _shown(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"
