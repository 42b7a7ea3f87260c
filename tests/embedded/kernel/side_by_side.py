"""Many queries with the native kernel and without, compared one by one, on several threads: a small query mostly waits.

The reference is Spark without adaptive execution, with one partition a shuffle, and without compiled code: each query would
compile Java of its own for forty rows (251 ms of CPU a query; 157 without). It is the stricter one: what adaptive execution
changes for tiny tables is that it leaves out parts of a plan (joins with nothing), and with them their errors. So where the two
sides differ, Spark as users have it is asked, too, and its answer decides.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pyarrow as pa
from kernel_shapes import RandomQuery
from sides import difference

from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.session import Session

Answer = pa.Table | str
OpenSession = Callable[[], Session]

_THREADS = 3  # of two cores
_REFUSAL = "The native kernel does not run this statement: "
_REFERENCE = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


_OF_VALUES = {"DIVISION_BY_ZERO", "INVALID_CAST_ARGUMENT", "NUMERIC_VALUE_OUT_OF_RANGE", "INVALID_FUNCTION_ARGUMENT"}


@dataclass
class Outcome:
    """What a run of queries has shown."""

    asked: int = 0
    whole: int = 0  # planned for the kernel from the first operator to the last
    empty: int = 0
    fragments: int = 0
    fallbacks: int = 0
    seconds: float = 0
    refusals: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    differences: list[tuple[str, str]] = field(default_factory=list)
    unasked: list[tuple[str, str]] = field(default_factory=list)  # Spark takes them for no queries, so they ask nothing

    @property
    def failed(self) -> int:
        """With an error, on both sides."""
        return self.errors.total()

    @property
    def native(self) -> int:
        """Answered by the kernel: not those that it gave back, nor those of which Spark's optimizer left nothing to run."""
        return min(self.whole, self.fragments) - self.fallbacks

    def __add__(self, other: Outcome) -> Outcome:
        mine, others = self.__dict__, other.__dict__
        return Outcome(**{name: mine[name] + others[name] for name in mine})

    def __str__(self) -> str:
        each = 1000 * self.seconds / max(self.asked, 1)
        return (
            f"{self.asked} queries in {self.seconds:.0f} s ({each:.0f} ms each): {self.native} by the kernel, "
            f"{self.fallbacks} given back, {self.failed} with an error on both sides, {self.empty} without rows, "
            f"{len(self.differences)} differences; left to Spark: {dict(self.refusals.most_common(25))}; "
            f"errors: {dict(self.errors)}"
        )


class SideBySide:
    """`shape`: of the kernel's fragments, wherever it is possible (jvm: Shape). Else all of a query in one, where that is."""

    def __init__(self, handler: QueryHandler, driver: Driver, session: OpenSession, shape: str | None = None) -> None:
        self._handler = handler
        self._driver = driver
        self._session = session
        self._shape = shape
        self._ways = [self._open() for _ in range(_THREADS)]  # once: each opens its own catalog

    def compare(self, queries: Iterable[RandomQuery]) -> Outcome:
        """Of all queries, in any order."""
        waiting, outcome = iter(queries), Outcome()
        lock = threading.Lock()

        def work(ways: dict[str, Session]) -> None:
            while True:
                with lock:
                    query = next(waiting, None)
                if query is None:
                    return
                try:
                    self._ask(query, ways, outcome, lock)
                except Exception as failure:  # noqa: BLE001
                    outcome.differences.append((query.text, repr(failure)))  # the other queries are asked all the same

        with self._measured(outcome):
            threads = [threading.Thread(target=work, args=(ways,)) for ways in self._ways]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        return outcome

    @contextmanager
    def _measured(self, outcome: Outcome) -> Iterator[None]:
        before, started = self._driver.health(), time.monotonic()
        yield
        after, outcome.seconds = self._driver.health(), time.monotonic() - started
        assert before is not None
        assert after is not None
        outcome.fragments = after.native_fragments - before.native_fragments
        outcome.fallbacks = sum(after.native_fallbacks.values()) - sum(before.native_fallbacks.values())
        assert (after.native_open, after.native_leaks) == (0, 0)

    def _open(self) -> dict[str, Session]:
        ways = {name: self._open_as(name) for name in ("require", "auto", "reference", "off")}
        if self._shape is not None:
            self._answer(ways["require"], "SET native = 'auto'")
            wanted = json.dumps({"spark.sqe.native.shape": self._shape})
            self._driver.call("configureSession", ways["require"].in_engine(), wanted)
        return ways

    def _open_as(self, way: str) -> Session:
        session = self._session()
        self._answer(session, f"SET native = '{'off' if way == 'reference' else way}'")
        if way == "reference":
            self._driver.call("configureSession", session.in_engine(), json.dumps(_REFERENCE))
        return session

    def _ask(self, query: RandomQuery, ways: dict[str, Session], outcome: Outcome, lock: threading.Lock) -> None:
        found = self._answer(ways["require"], query.text)
        refused = found.removeprefix(_REFUSAL) if isinstance(found, str) and found.startswith(_REFUSAL) else None
        if refused is not None:
            found = self._answer(ways["auto"], query.text)
        expected = self._answer(ways["reference"], query.text)
        unlike = difference(expected, found, ordered=query.ordered)
        if unlike is not None:
            expected = self._answer(ways["off"], query.text)
            unlike = difference(expected, found, ordered=query.ordered)
        if unlike is not None and self._either(query, found):
            unlike = None
        with lock:
            outcome.asked += 1
            if isinstance(expected, str):
                outcome.errors[expected] += 1
                if expected not in _OF_VALUES:
                    outcome.unasked.append((query.text, expected))
            else:
                outcome.empty += expected.num_rows == 0
            if refused is None:
                outcome.whole += 1
            else:
                outcome.refusals[refused] += 1
            if unlike is not None:
                outcome.differences.append((query.text, unlike))

    def _either(self, query: RandomQuery, found: Answer) -> bool:
        """Whether Spark alone may give this answer, too, or gives several: then there are more than could be asked for.

        Iceberg plans the files of several commits in parallel, so they come in any order. Of rows that fail in different ways
        Spark tells of the first, and of 0.0 and -0.0 the first is the smallest. What the kernel gives back runs on Spark once
        more, and then it may be another one. In a session of its own each time, since a session keeps the order (jvm: KeptPlans).
        """
        first: dict[str, Answer] = {}
        for way in ("reference", "off") * 6:
            answer = self._answer(self._open_as(way), query.text)
            several = difference(first.setdefault(way, answer), answer, ordered=query.ordered) is not None
            if several or difference(answer, found, ordered=query.ordered) is None:
                return True
        return False

    def _answer(self, session: Session, text: str) -> Answer:
        """The rows, or the code of the error; a refusal as it is."""
        try:
            with self._handler.submit(session, text, door="test") as query:
                return query.read_all()
        except SqeError as error:
            return error.message if error.message.startswith(_REFUSAL) else error.code.name
