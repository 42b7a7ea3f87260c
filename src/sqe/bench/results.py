"""What a run measured: one JSON file, a line in the history, and the last line on standard output."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import exp, log
from pathlib import Path
from statistics import median
from typing import Any

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.figures import rounded
from sqe.bench.verdicts import Verdict

FORMAT = 1


@dataclass
class Measured:
    """One query on one engine."""

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    warm_up: list[float] = field(default_factory=list)
    rows: int = 0
    verdict: Verdict = Verdict.FAILED
    why: tuple[str, ...] = ()

    @property
    def median(self) -> float:
        return median(self.seconds)

    def json(self) -> dict[str, Any]:
        times = {"seconds": self.seconds, "cpu": self.cpu, "warm_up": self.warm_up}
        lists = {name: [round(value, 5) for value in values] for name, values in times.items()}
        return {**lists, "rows": self.rows, "verdict": self.verdict.value, "why": list(self.why)}


@dataclass(frozen=True)
class QueryResult:
    name: str
    kind: str
    engines: dict[str, Measured]

    @property
    def comparable(self) -> bool:
        """Every engine that was asked answered: its time may stand in a sum beside the others'."""
        asked = [measured for measured in self.engines.values() if measured.verdict is not Verdict.SKIPPED]
        return len(asked) == len(self.engines) and all(measured.seconds for measured in asked)


@dataclass(frozen=True)
class RunResult:
    suite: str
    scale: float
    queries: Sequence[QueryResult]
    engines: dict[str, dict[str, Any]]  # what is known of each but its times: version, rss
    about: dict[str, Any]  # machine, noise, options

    @property
    def equal(self) -> bool:
        """Something was compared, all that was compared is equal, nothing failed, and nothing was left out."""
        verdicts = [measured.verdict for query in self.queries for measured in query.engines.values()]
        bad = {Verdict.DIFFERENT, Verdict.FAILED, Verdict.ALONE}
        return Verdict.OK in verdicts and not bad & set(verdicts) and not self.about.get("interrupted", False)

    @property
    def slower(self) -> dict[str, float]:
        """Questions that took the first engine longer than was promised (`--not-slower`), and how many times as long."""
        found: dict[str, float] = self.about.get("not_slower", {}).get("slower", {})
        return found

    def summary(self) -> dict[str, Any]:
        return {
            "suite": self.suite,
            "scale": self.scale,
            "engines": {name: self._engine(name) for name in self.engines},
            "equal": self.equal,
            **({"slower": self.slower} if "not_slower" in self.about else {}),
        }

    def _engine(self, name: str) -> dict[str, Any]:
        """Sums are over the queries that all engines answered: one that fails in the slow ones must not look fast."""
        together = [query.engines[name] for query in self.queries if query.comparable]
        medians = [measured.median for measured in together]
        verdicts = [query.engines[name].verdict for query in self.queries]
        bad = (Verdict.FAILED, Verdict.DIFFERENT, Verdict.ALONE)
        return {
            "sum": rounded(sum(medians)) if medians else None,
            "geomean": rounded(exp(sum(map(log, medians)) / len(medians))) if medians else None,
            "cpu": rounded(sum(median(measured.cpu) for measured in together)) if together else None,
            "rss": rounded(self.engines[name]["rss"]),
            "ok": verdicts.count(Verdict.OK),
            "failed": sum(verdicts.count(verdict) for verdict in bad),
            "vacuous": verdicts.count(Verdict.VACUOUS),
        }

    def json(self) -> dict[str, Any]:
        summary = self.summary()
        engines = {name: {**self.engines[name], **summary["engines"][name]} for name in self.engines}
        queries = [
            {"name": query.name, "kind": query.kind, "engines": {name: found.json() for name, found in query.engines.items()}}
            for query in self.queries
        ]
        return {"format": FORMAT, **summary, "engines": engines, **self.about, "queries": queries}


def save(result: RunResult, folder: Path) -> Path:
    """The run's file; the history gets its summary."""
    runs = folder / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    moment = datetime.now(UTC)
    path = runs / f"{moment:%Y%m%dT%H%M%S}-{result.suite}-sf{result.scale:g}.json"
    content = {"at": moment.isoformat(timespec="seconds"), **result.json()}
    path.write_text(json.dumps(content, indent=1))
    line = {"at": content["at"], "file": path.name, **result.summary(), "loaded": result.about["noise"]["loaded"]}
    with open(runs / "history.jsonl", "a", encoding="utf-8") as history:
        history.write(json.dumps(line) + "\n")
    return path


def read(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError) as failure:
        raise BenchmarkError(f"{path} is no file of a run: {failure}") from None
    if content.get("format") != FORMAT:
        raise BenchmarkError(f"{path} is no file of a run in format {FORMAT}")
    return content


def find(folder: Path, name: str) -> Path:
    """A file, the name of one among the runs, or `last` and `last~1` of a suite: `tpch:last`."""
    if Path(name).exists():
        return Path(name)
    suite, _, which = name.rpartition(":")
    runs = sorted((folder / "runs").glob(f"*-{suite}-sf*.json" if suite else "*.json"))
    if which.startswith("last"):
        back = int(which.removeprefix("last").removeprefix("~") or 0)
        if back < len(runs):
            return runs[-1 - back]
    for run in runs:
        if run.name in (name, f"{name}.json"):
            return run
    raise BenchmarkError(f"There is no run {name!r} in {folder / 'runs'}")


def all_runs(folder: Path) -> list[dict[str, Any]]:
    return [read(path) for path in sorted((folder / "runs").glob("*.json"))]
