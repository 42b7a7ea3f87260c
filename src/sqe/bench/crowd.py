"""Many sessions at once (the suite `users`, others with `--users`), each asking on and on, every answer checked."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import pyarrow as pa

from sqe.bench.engines.engine import Answer, Engine, EngineFailure, all_cpu_seconds
from sqe.bench.lake import Loaded
from sqe.bench.memory import Memory, resident_megabytes
from sqe.bench.noise import Watch, machine
from sqe.bench.results import Measured, QueryResult, RunResult
from sqe.bench.suites.suite import Query
from sqe.bench.verdicts import Verdict, compared, judge

_WARM_UPS = 3
_AFTER_FAILURE_SECONDS = 0.02
_WARM_UP_SECONDS = 30.0
_REST_SECONDS = 20.0  # a driver gives back what it does not use after five, and Spark's cleaner needs a moment


@dataclass
class _Tally:
    """What the users of one size of crowd saw, by question."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    first_errors: dict[str, str] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answered(self, query: str, seconds: float) -> None:
        with self.lock:
            self.seconds.setdefault(query, []).append(seconds)

    def failed(self, query: str, why: str) -> None:
        """Counted, and the first one kept: a server that is down fails millions of times."""
        with self.lock:
            self.errors[query] = self.errors.get(query, 0) + 1
            self.first_errors.setdefault(query, f"{query}: {why}")

    def all(self) -> list[float]:
        return sorted(second for found in self.seconds.values() for second in found)


@dataclass
class Crowd:
    """Engines that run already; each serves every size of crowd for `seconds`, one engine after another. Witnesses answer every
    question once: what an engine says to everybody is then known to be right, without a crowd's time for another one."""

    loaded: Loaded
    engines: Sequence[Engine]
    sizes: Sequence[int]
    seconds: float
    say: Callable[[str], None]
    warm_up: float = _WARM_UP_SECONDS
    rest: float = _REST_SECONDS
    witnesses: Sequence[Engine] = ()

    def run(self, queries: Sequence[Query]) -> RunResult:
        expected = {query.name: self._expected(query) for query in queries}
        verdicts = {query.name: judge(query, expected[query.name]) for query in queries}
        results: dict[str, QueryResult] = {}
        crowds: list[dict[str, Any]] = []
        watch = Watch(lambda: all_cpu_seconds(self.engines))
        for size in self.sizes:
            for engine in self.engines:
                answers = {
                    query.name: expected[query.name][engine.name] for query in queries if engine.name in expected[query.name]
                }
                tally, about = self._serve(engine, size, queries, answers)
                crowds.append(about)
                for query in queries:
                    name = f"{query.name}@{size}"
                    found = results.setdefault(name, QueryResult(name, query.kind, {}))
                    found.engines[engine.name] = _measured(query, tally, verdicts[query.name].get(engine.name), about)
        noise = watch.read()
        self.say(noise.sentence())
        known = {engine.name: {"version": engine.version, "rss": engine.peak_megabytes()} for engine in self.engines}
        about = {
            "machine": machine(),
            "noise": noise.json(),
            "repeat": 1,
            "memory": self.engines[0].setting.memory,
            "crowds": crowds,
            "witnesses": [witness.name for witness in self.witnesses],
        }
        return RunResult(self.loaded.suite, self.loaded.scale, list(results.values()), known, about)

    def _expected(self, query: Query) -> dict[str, pa.Table]:
        """Each engine's answer while it has one user only."""
        found: dict[str, pa.Table] = {}
        asked = [(engine, _WARM_UPS) for engine in self.engines] + [(witness, 1) for witness in self.witnesses]
        for engine, times in asked:
            for _ in range(times):
                try:
                    found[engine.name] = engine.run(engine.text(query)).table
                except EngineFailure as failure:
                    self.say(f"  {query.name}: {engine.name} failed ({failure})")
                    break
        return found

    def _serve(
        self, engine: Engine, size: int, queries: Sequence[Query], expected: dict[str, pa.Table]
    ) -> tuple[_Tally, dict[str, Any]]:
        """A crowd of that size warms it up: a server with one user has fewer threads, less compiled code and less heap."""
        self._ask(engine, size, queries, expected, self.warm_up)
        warm = round(resident_megabytes(engine))
        rested_before = self._rested(engine)
        used = engine.cpu_seconds()
        tally, seconds, memory = self._ask(engine, size, queries, expected, self.seconds)
        times = tally.all()
        about = {
            "engine": engine.name,
            "users": size,
            "seconds": round(seconds, 1),
            "answers": len(times),
            "errors": sum(tally.errors.values()),
            "first_error": next(iter(tally.first_errors.values()), ""),
            "p50_ms": _milliseconds(times, 0.50),
            "p99_ms": _milliseconds(times, 0.99),
            "cpu_ms_each": round(1000 * (engine.cpu_seconds() - used) / max(len(times), 1), 2),
            **memory.json(),
            "resident_before_mb": warm,  # right after the crowd that warms up
            "resident_after_mb": round(resident_megabytes(engine)),  # when all sessions are closed
            "resident_rested_mb": [rested_before, self._rested(engine)],  # after so long without a question, before and after
        }
        self.say(
            f"  {engine.name}, {size} users, {about['seconds']} s: {about['answers']} answers, {about['errors']} errors, "
            f"median {about['p50_ms']} ms, 99 % within {about['p99_ms']} ms, memory {about['resident_mb']} MB, "
            f"heap held {about['heap_mb']} MB; warm {about['resident_before_mb']} MB, "
            f"afterwards {about['resident_after_mb']} MB, rested before and after {about['resident_rested_mb']} MB"
        )
        return tally, about

    def _ask(
        self, engine: Engine, size: int, queries: Sequence[Query], expected: dict[str, pa.Table], seconds: float
    ) -> tuple[_Tally, float, Memory]:
        """What they got, and how long it was until the last one had an answer. All sessions are closed then."""
        tally, ready, end = _Tally(), threading.Barrier(size + 1), threading.Event()
        texts = {query.name: engine.text(query) for query in queries}

        def person(run: Callable[[str], Answer], first: int) -> None:
            ready.wait()
            turn = first
            while not end.is_set():
                query = queries[turn % len(queries)]
                turn += 1
                try:
                    answer = run(texts[query.name])
                except EngineFailure as failure:
                    tally.failed(query.name, str(failure))
                    end.wait(_AFTER_FAILURE_SECONDS)
                    continue
                seen = compared(query, answer.table, expected[query.name]) if query.name in expected else None
                if seen is not None and seen.equal:
                    tally.answered(query.name, answer.seconds)
                else:
                    tally.failed(query.name, "another answer than alone")

        with ExitStack() as stack:
            sessions = [stack.enter_context(engine.session()) for _ in range(size)]
            people = [
                threading.Thread(target=person, args=(run, number), name=f"user-{number}") for number, run in enumerate(sessions)
            ]
            for one in people:
                one.start()
            started = time.monotonic()
            ready.wait()
            memory = Memory.watched(engine, seconds)
            end.set()
            for one in people:
                one.join()
        return tally, time.monotonic() - started, memory

    def _rested(self, engine: Engine) -> int:
        time.sleep(self.rest)
        return round(resident_megabytes(engine))


def _measured(query: Query, tally: _Tally, judged: Any, about: dict[str, Any]) -> Measured:
    """A question that any user got no answer or a wrong one to has failed."""
    seconds = tally.seconds.get(query.name, [])
    if query.name in tally.errors or not seconds or judged is None:
        return Measured(verdict=Verdict.FAILED, why=(tally.first_errors.get(query.name, "no answer"),))
    cpu = [float(about["cpu_ms_each"]) / 1000]
    return Measured([median(seconds)], cpu, rows=len(seconds), verdict=judged.verdict, why=judged.why)


def _milliseconds(times: Sequence[float], share: float) -> float:
    return round(1000 * times[min(int(share * len(times)), len(times) - 1)], 1) if times else 0.0
