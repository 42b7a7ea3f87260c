"""Many queries with the native kernel and without, compared one by one, on several threads: a small query mostly waits.

The reference is Spark without adaptive execution and with one partition a shuffle, which is half the work. It is the stricter
one: what adaptive execution changes for tiny tables is that it leaves out parts of a plan (joins with nothing), and with them
their errors. So where the two sides differ, Spark as users have it is asked, too, and its answer decides.
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
from kernel_queries import RandomQuery
from sides import difference

from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.session import Session

Answer = pa.Table | str
OpenSession = Callable[[], Session]

_THREADS = 3  # of two cores
_REFUSAL = "The native kernel does not run this statement: "
_REFERENCE = {"spark.sql.adaptive.enabled": "false", "spark.sql.shuffle.partitions": "1"}


@dataclass
class Outcome:
    """What a run of queries has shown."""

    asked: int = 0
    whole: int = 0  # planned for the kernel from the first operator to the last
    failed: int = 0  # with an error, on both sides
    empty: int = 0
    fragments: int = 0
    fallbacks: int = 0
    seconds: float = 0
    refusals: Counter[str] = field(default_factory=Counter)
    differences: list[tuple[str, str]] = field(default_factory=list)

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
            f"{len(self.differences)} differences; left to Spark: {dict(self.refusals.most_common(25))}"
        )


class SideBySide:
    """`shape`: of the kernel's fragments, wherever it is possible (jvm: Shape). Else all of a query in one, where that is."""

    def __init__(self, handler: QueryHandler, driver: Driver, session: OpenSession, shape: str | None = None) -> None:
        self._handler = handler
        self._driver = driver
        self._session = session
        self._shape = shape

    def compare(self, queries: Iterable[RandomQuery]) -> Outcome:
        """Of all queries, in any order."""
        waiting, outcome, broken = iter(queries), Outcome(), list[Exception]()
        lock = threading.Lock()

        def work() -> None:
            try:
                with self._ways() as ways:
                    while True:
                        with lock:
                            query = next(waiting, None)
                        if query is None or broken:
                            return
                        self._ask(query, ways, outcome, lock)
            except Exception as failure:  # noqa: BLE001
                broken.append(failure)

        with self._measured(outcome):
            threads = [threading.Thread(target=work) for _ in range(_THREADS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        if broken:
            raise broken[0]
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

    @contextmanager
    def _ways(self) -> Iterator[dict[str, Session]]:
        ways = {name: self._session() for name in ("require", "auto", "reference", "off")}
        for name, session in ways.items():
            self._answer(session, f"SET native = '{'off' if name == 'reference' else name}'")
        self._driver.call("configureSession", ways["reference"].in_engine(), json.dumps(_REFERENCE))
        if self._shape is not None:
            self._answer(ways["require"], "SET native = 'auto'")
            wanted = json.dumps({"spark.sqe.native.shape": self._shape})
            self._driver.call("configureSession", ways["require"].in_engine(), wanted)
        yield ways

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
        with lock:
            outcome.asked += 1
            outcome.failed += isinstance(expected, str)
            outcome.empty += not isinstance(expected, str) and expected.num_rows == 0
            if refused is None:
                outcome.whole += 1
            else:
                outcome.refusals[refused] += 1
            if unlike is not None:
                outcome.differences.append((query.text, unlike))

    def _answer(self, session: Session, text: str) -> Answer:
        """The rows, or the code of the error; a refusal as it is."""
        try:
            with self._handler.submit(session, text, door="test") as query:
                return query.read_all()
        except SqeError as error:
            return error.message if error.message.startswith(_REFUSAL) else error.code.name
