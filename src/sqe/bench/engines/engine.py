"""What an engine is: it is started on a loaded suite, answers one statement after another, and is measured from outside."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.lake import Loaded
from sqe.bench.suites.suite import Query
from sqe.bench.workspace import CATALOG

Parameters = Sequence[int | str]

_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")


class EngineFailure(Exception):
    """The engine refused a statement or failed in it; the message is one sentence."""


@dataclass(frozen=True)
class Answer:
    table: pa.Table
    seconds: float  # from the statement until its last row is in Arrow on the client's side


@dataclass(frozen=True)
class Setting:
    """What the person who measures says about all engines alike."""

    memory: str = "2g"  # the heap of those that run on Java
    spark: tuple[tuple[str, str], ...] = ()  # of SQE's driver, `engine.KEY` of sqe.toml, or `session.KEY`, for measuring them


class Engine(ABC):
    """A context manager: processes that it starts are gone at its end."""

    dialect: ClassVar[str]  # as sqlglot calls it

    def __init__(self, name: str, setting: Setting) -> None:
        self.name = name
        self.setting = setting
        self.host: Engine | None = None  # whose processes do its work, when they are not its own

    @abstractmethod
    def start(self, loaded: Loaded) -> None:
        """Attaches the suite's tables; bare names mean them from then on."""

    @abstractmethod
    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        """With parameters, one for each `?`, the statement is prepared first, and that counts."""

    @abstractmethod
    def processes(self) -> Iterable[int]:
        """The roots of the process trees that do its work."""

    @abstractmethod
    def stop(self) -> None: ...

    def session(self) -> AbstractContextManager[Callable[[str], Answer]]:
        """Another session of the same engine, for one of many users at once."""
        raise BenchmarkError(f"{self.name} does not serve several users at once")

    def forget_copies(self) -> None:
        """Of files in a store. Most keep none between queries."""
        return

    @property
    def version(self) -> str:
        return ""

    def use_private(self, loaded: Loaded) -> None:
        """A schema of its own, in which it may write; bare names mean its tables from then on."""
        schema = f"{CATALOG}.{loaded.schema}_{self.name.replace('-', '_')}"
        self.run(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        self.run(f"USE {schema}")

    def original(self, loaded: Loaded, table: str) -> str:
        """The name of a table as it was loaded, from within that schema."""
        return f"{CATALOG}.{loaded.schema}.{table}"

    def text(self, query: Query) -> str:
        """The query in its words; empty when it has none."""
        return in_dialect(query, self.dialect)

    def cpu_seconds(self) -> float:
        from sqe.bench.processes import trees_cpu_seconds

        return trees_cpu_seconds(self.processes())

    def peak_megabytes(self) -> float:
        """The sum of its processes' peaks, which is at least the peak of their sum."""
        from sqe.bench.processes import trees

        return sum(_peak(process) for process in trees(self.processes()))

    def heap_megabytes(self) -> float | None:
        """In use now, collected or not; None where nobody tells."""
        return None

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def all_cpu_seconds(engines: Iterable[Engine]) -> float:
    return sum(engine.cpu_seconds() for engine in engines if engine.host is None)


def in_dialect(query: Query, dialect: str) -> str:
    """Its own text for that dialect, else a translation, which also spells out where NULLs go: engines differ there."""
    spoken = dict(query.dialects)
    if dialect in spoken:
        return spoken[dialect]
    if dialect == "spark":
        return query.sql
    import sqlglot

    tree = sqlglot.parse_one(query.sql, read="spark")
    return (_with_dates(tree) if dialect == "trino" else tree).sql(dialect=dialect)


def _with_dates(tree: Any) -> Any:
    """Days that are compared as texts become dates: Spark takes them as such, Trino refuses to compare the two."""
    from sqlglot import exp

    for comparison in tree.find_all(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In):
        sides = list(comparison.iter_expressions())
        days = [side for side in sides if side.is_string and _DAY.fullmatch(side.name)]
        if len(days) < len(sides):
            for day in days:
                day.replace(exp.cast(day.copy(), "date"))
    return tree


def _peak(process: Any) -> float:
    """As the kernel counted it; elsewhere what is resident now."""
    import psutil

    status = Path(f"/proc/{process.pid}/status")
    try:
        if status.exists():
            kilobytes = next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM"))
            return int(kilobytes) / 1024
        return float(process.memory_info().rss) / (1 << 20)
    except (OSError, StopIteration, psutil.NoSuchProcess):
        return 0.0
