"""Runs a suite on several engines in turns: all queries once, then each of them warm, then measured."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field

import pyarrow as pa

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.engines.engine import Answer, Engine, EngineFailure, all_cpu_seconds
from sqe.bench.lake import Loaded
from sqe.bench.noise import Watch, machine
from sqe.bench.results import Measured, QueryResult, RunResult
from sqe.bench.suites.suite import Query
from sqe.bench.targets import prepare_private, restore, state
from sqe.bench.verdicts import Verdict, compared, judge

# A time that fell by less than this is warm: it falls no more, or only by noise.
_STILL_FALLING = 0.95
# A question that takes less is asked more often before: compilers count calls, and noise is a larger part of its time.
_QUICK_SECONDS = 0.5
_QUICK_PATIENCE = 4  # rounds without a better time
# Of a few rounds, one plan of many seems a tenth slower than itself; of so many, hardly any.
_MOST_IN_DOUBT = 61


@dataclass(frozen=True)
class NotSlower:
    """What the first engine promises: no question takes it longer than `than`, by more than this."""

    than: str
    ratio: float


@dataclass(frozen=True)
class Rounds:
    repeat: int = 3
    repeat_if_quick: int | None = None  # of a question that is quick everywhere, where noise is a larger part
    most_warm_ups: int = 4  # at least one; ends as soon as no engine got faster
    most_if_quick: int = 20  # as above, for a question that is quick everywhere
    cold: bool = False  # without copies of a store's files, before each measured run
    not_slower: NotSlower | None = None  # where it seems not to be kept, more rounds are measured, of all engines


@dataclass
class Runner:
    """Engines that run already."""

    loaded: Loaded
    engines: Sequence[Engine]
    rounds: Rounds
    say: Callable[[str], None]
    writes: bool = False
    _written: Sequence[_Turn] = ()
    _slower: dict[str, float] = field(default_factory=dict)

    def run(self, queries: Sequence[Query]) -> RunResult:
        self.writes = any(query.kind == "write" for query in queries)
        if self.writes:
            for engine in self.engines:
                prepare_private(engine, self.loaded)
        watch = Watch(lambda: all_cpu_seconds(self.engines))
        results: list[QueryResult] = []
        asked = [(query, self._turns(query)) for query in queries]
        try:
            if not self.writes:
                self._once(asked)
            for query, turns in asked:
                results.append(self._query(query, turns))
        except KeyboardInterrupt:
            self.say("interrupted: what was measured so far is kept, and counts as not equal")
        noise = watch.read()
        self.say(noise.sentence())
        about = {
            "machine": machine(),
            "noise": noise.json(),
            "repeat": self.rounds.repeat,
            "repeat_if_quick": self.rounds.repeat_if_quick or self.rounds.repeat,
            "store": self.loaded.place.name.rstrip("-") or "local",
            "cold": self.rounds.cold,
            "memory": self.engines[0].setting.memory,
            "variants": {engine.name: dict(engine.setting.spark) for engine in self.engines if engine.setting.spark},
            "interrupted": len(results) < len(queries),
        }
        if self.rounds.not_slower is not None:
            about["not_slower"] = {**asdict(self.rounds.not_slower), "slower": self._slower}
        known = {engine.name: {"version": engine.version, "rss": engine.peak_megabytes()} for engine in self.engines}
        return RunResult(self.loaded.suite, self.loaded.scale, results, known, about)

    def _start(self, engine: Engine) -> None:
        """Again, after its end: with copies of its own where statements write."""
        engine.start(self.loaded)
        if self.writes:
            prepare_private(engine, self.loaded)

    def _turns(self, query: Query) -> list[_Turn]:
        turns = [_Turn(engine, query, engine.text(query), self.loaded, self._start) for engine in self.engines]
        for turn in turns:
            if not turn.text:
                turn.measured.verdict = Verdict.SKIPPED
        return turns

    def _once(self, asked: Sequence[tuple[Query, Sequence[_Turn]]]) -> None:
        """The first warm-up of every query. A virtual machine compiles what many queries share: without this a suite's first ones
        would be measured in an engine that has just started, and its last ones in one that has been in use for a while."""
        self.say("asking every engine every query once, to warm up")
        for query, turns in asked:
            for turn in _Orders(query)(turns):
                turn.take(turn.measured.warm_up, [])

    def _query(self, query: Query, turns: Sequence[_Turn]) -> QueryResult:
        if query.kind == "write":
            for turn in self._written:
                turn.leave_as_loaded()
        ordered = _Orders(query)
        self._warm_up(query, turns, ordered)
        self._measure(query, turns, ordered)
        self._written = turns if query.kind == "write" else self._written
        judged = judge(query, {turn.engine.name: turn.answer for turn in turns if turn.alive and turn.answer is not None})
        for turn in turns:
            if turn.alive and turn.engine.name in judged:
                turn.measured.verdict, turn.measured.why = judged[turn.engine.name].verdict, judged[turn.engine.name].why
                if turn.measured.verdict is Verdict.VACUOUS and query.vacuous:
                    turn.measured.why = ("known to be empty at this scale",)
        self.say(_sentence(query, turns))
        return QueryResult(query.name, query.kind, {turn.engine.name: turn.measured for turn in turns})

    def _measure(self, query: Query, turns: Sequence[_Turn], ordered: _Orders) -> None:
        repeat = (_is_quick(query, turns) and self.rounds.repeat_if_quick) or self.rounds.repeat
        asked, slower = 0, None
        while asked == 0 or (slower is not None and asked < _MOST_IN_DOUBT):
            for _ in range(repeat):
                for turn in ordered(turns):
                    if self.rounds.cold:
                        turn.engine.forget_copies()
                    turn.take(turn.measured.seconds, turn.measured.cpu)
            asked += repeat
            slower = _ratio_above(self.rounds.not_slower, turns)
        if slower is not None:
            self._slower[query.name] = round(slower, 3)

    def _warm_up(self, query: Query, turns: Sequence[_Turn], ordered: _Orders) -> None:
        number, most, patience = 0 if self.writes else 1, self.rounds.most_warm_ups, 1
        while number < most:
            for turn in ordered(turns):
                turn.take(turn.measured.warm_up, [])
            if _is_quick(query, turns):
                most, patience = self.rounds.most_if_quick, _QUICK_PATIENCE
            if number and not any(turn.falling(patience) for turn in turns):
                return
            number += 1


class _Turn:
    """One engine's share of one query."""

    def __init__(self, engine: Engine, query: Query, text: str, loaded: Loaded, start: Callable[[Engine], None]) -> None:
        self.engine = engine
        self.text = text
        self.measured = Measured()
        self.answer: pa.Table | None = None
        self._query = query
        self._loaded = loaded
        self._start = start
        self._broken = False

    @property
    def alive(self) -> bool:
        return bool(self.text) and not self._broken

    @property
    def quick(self) -> bool:
        return not self.alive or min(self.measured.warm_up, default=0) < _QUICK_SECONDS

    def falling(self, patience: int) -> bool:
        """Whether one of the last rounds was better than all before."""
        before, last = self.measured.warm_up[:-patience], self.measured.warm_up[-patience:]
        return self.alive and (not before or min(last) < _STILL_FALLING * min(before))

    def take(self, seconds: list[float], cpu: list[float]) -> None:
        """One run. An engine that fails once is not asked again; one that died is started anew for the next query."""
        if not self.alive:
            return
        try:
            before = self._ready()
            answer = self.engine.run(self.text, self._query.parameters)
            used = self.engine.cpu_seconds() - before
            self._check(answer)
        except EngineFailure as failure:
            self._fail(str(failure))
        except BenchmarkError as failure:
            self._fail(str(failure))
            self.engine.stop()
            self._start(self.engine)
        else:
            seconds.append(answer.seconds)
            cpu.append(used)

    def _ready(self) -> float:
        if self._query.kind == "write":
            restore(self.engine, self._loaded, self._query.sql)
        return self.engine.cpu_seconds()

    def _check(self, answer: Answer) -> None:
        """Every answer of an engine must be its first one again; what a write leaves in its table is its answer."""
        table = state(self.engine, self._query.sql) if self._query.kind == "write" else answer.table
        if self.answer is None:
            self.answer, self.measured.rows = table, table.num_rows
            return
        seen = compared(self._query, table, self.answer)
        if not seen.equal:
            raise EngineFailure(f"gave two answers to the same question: {seen.differences[0]}")

    def leave_as_loaded(self) -> None:
        """Before the next write, not before: a question after this one may ask what it did."""
        if self.text:
            with suppress(EngineFailure):
                restore(self.engine, self._loaded, self._query.sql)

    def _fail(self, why: str) -> None:
        self._broken = True
        self.measured.verdict, self.measured.why = Verdict.FAILED, (why,)
        self.measured.seconds.clear()


def _ratio_above(promise: NotSlower | None, turns: Sequence[_Turn]) -> float | None:
    """The ratio of medians, where the promise is not kept. Who failed has no time, and counts elsewhere."""
    rivals = [turn for turn in turns if promise and turn.engine.name == promise.than and turn.measured.seconds]
    if not (promise and rivals and turns[0].measured.seconds):
        return None
    ratio = turns[0].measured.median / rivals[0].measured.median
    return ratio if ratio > promise.ratio else None


def _is_quick(query: Query, turns: Sequence[_Turn]) -> bool:
    """Not a write, each of which needs a table made anew."""
    return query.kind != "write" and all(turn.quick for turn in turns)


class _Orders:
    """Whoever runs first finds the caches as another left them, so everyone is first at times: drawn, and the same in each run.

    Not by turns: what happens every so many statements, such as a collection, could always meet the same engine. (One plan took
    59 and 52 ms, slow in every second round of one engine alone; what it was is not known.)
    """

    def __init__(self, query: Query) -> None:
        self._draw = random.Random(query.name)

    def __call__(self, turns: Sequence[_Turn]) -> list[_Turn]:
        return self._draw.sample(turns, len(turns))


def _sentence(query: Query, turns: Sequence[_Turn]) -> str:
    parts = []
    for turn in turns:
        measured = turn.measured
        time = f"{1000 * measured.median:.0f} ms" if measured.seconds else "-"
        why = f" ({measured.why[0]})" if measured.why else ""
        parts.append(f"{turn.engine.name} {time} {measured.verdict.value}{why}")
    return f"  {query.name}: " + ", ".join(parts)
