"""`sqe-bench run users`: a crowd's answers are all checked. DuckDB stands for a server, its users take turns."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.crowd import Crowd
from sqe.bench.engines.duckdb import DuckDb
from sqe.bench.engines.engine import Answer, EngineFailure, Parameters, Setting
from sqe.bench.engines.registry import make
from sqe.bench.lake import DataFile, Loaded, LoadedTable
from sqe.bench.memory import PARTS, Memory
from sqe.bench.places import LocalFolder
from sqe.bench.results import RunResult
from sqe.bench.suite_commands import witnesses_of
from sqe.bench.suites.suite import Query

QUERIES = (Query("count", "SELECT count(*) AS n FROM things"), Query("one", "SELECT name FROM things WHERE id = 2"))


class Shared(DuckDb):
    def start(self, loaded: Loaded) -> None:
        super().start(loaded)
        self.lock = threading.Lock()

    @contextmanager
    def session(self) -> Iterator[Callable[[str], Answer]]:
        yield self.ask

    def ask(self, sql: str) -> Answer:
        with self.lock:
            return self.run(sql)


class Forgetful(Shared):
    """In a crowd, it gives one user's answer to another."""

    def ask(self, sql: str) -> Answer:
        answer = super().ask(sql)
        return Answer(pa.table({"name": ["of somebody else"]}), answer.seconds) if "name" in sql else answer


class Overwhelmed(Shared):
    def ask(self, sql: str) -> Answer:
        raise EngineFailure("too many users")


@pytest.fixture
def loaded(tmp_path: Path) -> Loaded:
    path = tmp_path / "things.parquet"
    pq.write_table(pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]}), path)
    return Loaded(LocalFolder(tmp_path), "users", 1.0, (LoadedTable("things", 3, "", (DataFile(str(path), ""),)),))


def crowded(loaded: Loaded, kinds: Sequence[type[DuckDb]], said: list[str] | None = None) -> RunResult:
    with ExitStack() as stack:
        engines = [stack.enter_context(kind(f"e{number}", Setting())) for number, kind in enumerate(kinds)]
        for engine in engines:
            engine.start(loaded)
        return Crowd(loaded, engines, (2, 3), 0.4, (said if said is not None else []).append, warm_up=0.1, rest=0.1).run(QUERIES)


def test_every_size_of_crowd_is_measured(loaded: Loaded) -> None:
    result = crowded(loaded, [Shared, Shared])
    assert result.equal
    assert [query.name for query in result.queries] == ["count@2", "one@2", "count@3", "one@3"]
    crowds = result.about["crowds"]
    assert [(crowd["engine"], crowd["users"]) for crowd in crowds] == [("e0", 2), ("e1", 2), ("e0", 3), ("e1", 3)]
    for crowd in crowds:
        assert crowd["answers"] > 0
        assert crowd["errors"] == 0
        assert 0 < crowd["p50_ms"] <= crowd["p99_ms"]
        assert len(crowd["resident_mb"]) == PARTS + 1
        assert all(crowd[key] > 0 for key in ("resident_before_mb", "resident_after_mb"))
        assert len(crowd["resident_rested_mb"]) == 2
        assert crowd["heap_growth"] is None, "DuckDB has no heap to tell of"


def test_a_heap_that_grows_is_told_from_one_that_fills_and_is_emptied() -> None:
    full = [300.0, 900.0, 310.0, 305.0, 800.0, 300.0, 700.0, 310.0, 300.0, 900.0]
    assert Memory(heap=full).growth == pytest.approx(300 / 305)
    assert Memory(heap=[300.0 + 50 * part for part in range(PARTS)]).growth == pytest.approx(700 / 400)
    assert Memory(heap=full[:4]).growth is None


def test_a_wrong_answer_in_a_crowd_is_noticed(loaded: Loaded) -> None:
    result = crowded(loaded, [Shared, Forgetful])
    assert not result.equal
    found = {query.name: query.engines["e1"] for query in result.queries}
    assert found["one@2"].verdict.value == "failed"
    assert "another answer than alone" in found["one@2"].why[0]
    assert found["count@2"].verdict.value == "ok"


def test_errors_in_a_crowd_are_counted(loaded: Loaded) -> None:
    result = crowded(loaded, [Shared, Overwhelmed])
    assert not result.equal
    crowd = next(crowd for crowd in result.about["crowds"] if crowd["engine"] == "e1")
    assert crowd["errors"] > 0
    assert crowd["first_error"].endswith("too many users")
    assert crowd["answers"] == 0


class Wrong(DuckDb):
    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        return Answer(pa.table({"n": [4]}), 0.1) if "count" in sql.lower() else super().run(sql, parameters)


@pytest.mark.parametrize(("witness", "count"), [(DuckDb, "ok"), (Wrong, "different")])
def test_a_witness_answers_and_serves_nobody(loaded: Loaded, witness: type[DuckDb], count: str) -> None:
    with Shared("e0", Setting()) as engine, witness("w", Setting()) as other:
        engine.start(loaded)
        other.start(loaded)
        result = Crowd(loaded, [engine], (2,), 0.2, [].append, warm_up=0.1, rest=0.1, witnesses=[other]).run(QUERIES)
    assert {query.name: query.engines["e0"].verdict.value for query in result.queries} == {"count@2": count, "one@2": "ok"}
    assert result.equal is (count == "ok")
    assert [crowd["engine"] for crowd in result.about["crowds"]] == ["e0"]
    assert list(result.engines) == ["e0"]
    assert result.about["witnesses"] == ["w"]


@pytest.mark.parametrize(
    ("names", "crowds", "told"),
    [
        ("duckdb", (), "--witness is for --users"),
        ("duckdb,pyspark", (2,), "--engines does not name"),
        ("nobody", (2,), "There is no engine 'nobody'"),
    ],
)
def test_a_witness_that_cannot_be_one_is_told(names: str, crowds: tuple[int, ...], told: str) -> None:
    with pytest.raises(BenchmarkError, match=told):
        witnesses_of(names, [make("pyspark", Setting())], crowds, "2g")


def test_an_engine_for_one_user_is_refused(loaded: Loaded) -> None:
    with pytest.raises(BenchmarkError, match="does not serve several users at once"):
        crowded(loaded, [Shared, DuckDb])


def test_no_thread_is_left(loaded: Loaded) -> None:
    crowded(loaded, [Shared, Overwhelmed])
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("user-")]
