"""`sqe-bench run`: nothing fools it. Real DuckDB processes, some of which lie, fail, or die."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.bench import suite_commands
from sqe.bench.benchmark import BenchmarkError
from sqe.bench.comparing import compare_runs
from sqe.bench.comparing import table as comparison
from sqe.bench.engines.duckdb import DuckDb
from sqe.bench.engines.engine import Answer, Engine, Parameters, Setting
from sqe.bench.engines.registry import make
from sqe.bench.lake import DataFile, Loaded, LoadedTable
from sqe.bench.main import main
from sqe.bench.places import LocalFolder
from sqe.bench.report import table, write
from sqe.bench.results import RunResult, find, read, save
from sqe.bench.running import NotSlower, Rounds, Runner
from sqe.bench.suites.suite import Query

COUNT = Query("count", "SELECT count(*) AS n FROM things")
LIST = Query("list", "SELECT id, name FROM things ORDER BY id", ordered=True)
NONE = Query("none", "SELECT id FROM things WHERE id < 0")
ONE = Query("one", "SELECT name FROM things WHERE id = ?", parameters=(2,))


class Liar(DuckDb):
    """Adds one to the first number of each answer."""

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        answer = super().run(sql, parameters)
        rows = answer.table.to_pylist()
        if rows:
            first = next(iter(rows[0]))
            rows[0][first] = rows[0][first] + 1 if isinstance(rows[0][first], int) else "a lie"
        return Answer(pa.Table.from_pylist(rows, answer.table.schema), answer.seconds)


class Lazy(DuckDb):
    """Answers fast, and nothing."""

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        return Answer(super().run(sql, parameters).table.slice(0, 0), 0.0001)


class Fickle(DuckDb):
    """Right at first, and then not."""

    asked = 0

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        self.asked += 1
        answer = super().run(sql, parameters)
        return answer if self.asked < 3 else Answer(answer.table.slice(0, 0), answer.seconds)


class Failing(DuckDb):
    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        return super().run("SELECT no_such_column" if "ORDER BY" in sql else sql, parameters)


class Mortal(DuckDb):
    """Its process ends under the first question."""

    died = False

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        if not self.died:
            self.died = True
            psutil.Process(next(iter(self.processes()))).kill()
        return super().run(sql, parameters)


@pytest.fixture
def loaded(tmp_path: Path) -> Loaded:
    path = tmp_path / "things.parquet"
    pq.write_table(pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]}), path)
    return Loaded(LocalFolder(tmp_path), "things", 1.0, (LoadedTable("things", 3, "", (DataFile(str(path), ""),)),))


def measured(loaded: Loaded, queries: Sequence[Query], **kinds: type[Engine]) -> RunResult:
    with ExitStack() as stack:
        engines = [stack.enter_context(kind(name, Setting())) for name, kind in kinds.items()]
        for engine in engines:
            engine.start(loaded)
        return Runner(loaded, engines, Rounds(repeat=2, most_warm_ups=2, most_if_quick=2), lambda text: None).run(queries)


def test_engines_that_agree_are_measured(loaded: Loaded) -> None:
    result = measured(loaded, [COUNT, LIST, ONE], a=DuckDb, b=DuckDb)
    summary = result.summary()
    assert list(summary) == ["suite", "scale", "engines", "equal"]
    assert summary["equal"]
    for engine in summary["engines"].values():
        assert list(engine) == ["sum", "geomean", "cpu", "rss", "ok", "failed", "vacuous"]
        assert (engine["ok"], engine["failed"], engine["vacuous"]) == (3, 0, 0)
        assert engine["sum"] > 0
        assert engine["rss"] > 10
    assert all(len(found.seconds) == 2 for query in result.queries for found in query.engines.values())


class Diary(DuckDb):
    asked: ClassVar[list[str]] = []

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        self.asked.append("list" if "ORDER BY" in sql else "count")
        return super().run(sql, parameters)


def test_no_query_is_measured_before_all_have_been_asked_once(loaded: Loaded) -> None:
    result = measured(loaded, [COUNT, LIST], a=Diary)
    assert Diary.asked == ["count", "list", *["count"] * 3, *["list"] * 3]
    assert [len(query.engines["a"].warm_up) for query in result.queries] == [2, 2]


class Named(DuckDb):
    asked: ClassVar[list[str]] = []

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        self.asked.append(self.name)
        return super().run(sql, parameters)


def test_the_order_of_engines_is_drawn_and_the_same_in_each_run(loaded: Loaded) -> None:
    def orders() -> list[str]:
        Named.asked.clear()
        with Named("a", Setting()) as one, Named("b", Setting()) as other:
            for engine in (one, other):
                engine.start(loaded)
            Runner(loaded, [one, other], Rounds(repeat=20, most_warm_ups=1, most_if_quick=1), lambda text: None).run([COUNT])
        rounds = "".join(Named.asked)
        return [rounds[place : place + 2] for place in range(0, len(rounds), 2)]

    drawn = orders()
    assert set(drawn) == {"ab", "ba"}
    assert 5 < drawn.count("ab") < 16
    assert drawn != ["ab", "ba"] * (len(drawn) // 2)
    assert drawn == orders()


class Learning(DuckDb):
    """As quick as a list says, run by run; from then on as its last word."""

    times: ClassVar[list[float]] = []
    asked = 0

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        self.asked += 1
        return Answer(super().run(sql, parameters).table, self.times[min(self.asked, len(self.times)) - 1])


@pytest.mark.parametrize(
    ("times", "rounds"),
    [
        ([0.1], 5),  # four without a better one
        ([0.4, 0.3, 0.3, 0.2, 0.2, 0.2, 0.1], 11),
        ([0.4, 0.398, 0.395], 5),
        ([0.4 * 0.9**number for number in range(40)], 20),  # no end of it
        ([9, 8, 7, 6, 5], 4),  # nobody waits for that for ever
        ([9, 8, 8, 5], 3),
        ([9, 0.1], 6),  # quick after all
    ],
)
def test_what_is_quick_is_asked_until_it_gets_no_quicker(
    loaded: Loaded, monkeypatch: pytest.MonkeyPatch, times: list[float], rounds: int
) -> None:
    monkeypatch.setattr(Learning, "times", times)
    with Learning("learning", Setting()) as engine:
        engine.start(loaded)
        result = Runner(loaded, [engine], Rounds(), lambda text: None).run([COUNT])
    assert len(result.queries[0].engines["learning"].warm_up) == rounds


@pytest.mark.parametrize(("times", "rounds"), [([0.1], 7), ([9], 2), ([0.1, 9], 7), ([9, 0.1], 7)])
def test_what_is_quick_is_measured_more_often_where_that_is_wanted(
    loaded: Loaded, monkeypatch: pytest.MonkeyPatch, times: list[float], rounds: int
) -> None:
    monkeypatch.setattr(Learning, "times", times)
    with Learning("learning", Setting()) as engine:
        engine.start(loaded)
        result = Runner(loaded, [engine], Rounds(repeat=2, repeat_if_quick=7), lambda text: None).run([COUNT])
    assert len(result.queries[0].engines["learning"].seconds) == rounds
    assert (result.about["repeat"], result.about["repeat_if_quick"]) == (2, 7)


class Steady(DuckDb):
    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        return Answer(super().run(sql, parameters).table, 0.1)


@pytest.mark.parametrize(
    ("times", "rounds", "slower"),
    [
        ([0.1], 3, {}),
        ([0.109], 3, {}),
        ([0.1, 0.2, 0.2, 0.2, 0.1], 9, {}),  # it only seemed so
        ([0.12], 63, {"count": 1.2}),
    ],
)
def test_what_seems_slower_than_promised_is_asked_on(
    loaded: Loaded, monkeypatch: pytest.MonkeyPatch, times: list[float], rounds: int, slower: dict[str, float]
) -> None:
    monkeypatch.setattr(Learning, "times", times)
    promise = NotSlower("steady", 1.1)
    with Learning("learning", Setting()) as one, Steady("steady", Setting()) as other:
        for engine in (one, other):
            engine.start(loaded)
        rules = Rounds(repeat=3, most_warm_ups=1, most_if_quick=1, not_slower=promise)
        result = Runner(loaded, [one, other], rules, lambda text: None).run([COUNT])
    assert {len(found.seconds) for found in result.queries[0].engines.values()} == {rounds}
    assert result.summary()["slower"] == result.json()["not_slower"]["slower"] == slower


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("trino:1.1", "sqe-bench: --not-slower compares sqe, in turns, with another engine of the run"),
        ("sqe:1.1", "sqe-bench: --not-slower compares sqe, in turns, with another engine of the run"),
        ("duckdb:fast", "'duckdb:fast' is not ENGINE:RATIO, such as trino:1.0"),
        ("1.1", "'1.1' is not ENGINE:RATIO, such as trino:1.0"),
        ("duckdb:-1", "'duckdb:-1' is not ENGINE:RATIO, such as trino:1.0"),
    ],
)
def test_a_promise_that_nobody_can_keep_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    monkeypatch.setattr(suite_commands, "_folder", lambda options: tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["run", "tpch", "--engines", "sqe,duckdb", "--not-slower", text])
    assert end.value.code
    assert told in capsys.readouterr().err


class Keeping(DuckDb):
    """Has copies, and counts its runs since they were forgotten."""

    since: ClassVar[list[int]] = []

    def forget_copies(self) -> None:
        self.since.append(0)

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        if self.since:
            self.since[-1] += 1
        return super().run(sql, parameters)


def test_a_cold_run_forgets_copies_before_each_measured_round_only(loaded: Loaded) -> None:
    with Keeping("keeping", Setting()) as engine:
        engine.start(loaded)
        result = Runner(loaded, [engine], Rounds(repeat=3, most_warm_ups=2, most_if_quick=2, cold=True), lambda text: None).run(
            [COUNT]
        )
    assert engine.since == [1, 1, 1]
    assert (result.about["store"], result.about["cold"]) == ("local", True)


def test_a_wrong_answer_is_noticed(loaded: Loaded) -> None:
    result = measured(loaded, [COUNT, LIST], a=DuckDb, b=DuckDb, liar=Liar)
    assert not result.equal
    assert result.summary()["engines"]["liar"]["failed"] == 2
    assert result.summary()["engines"]["a"]["ok"] == 2
    assert "liar and a" in result.queries[0].engines["liar"].why[0]


def test_an_empty_answer_is_noticed(loaded: Loaded) -> None:
    result = measured(loaded, [LIST], a=DuckDb, b=DuckDb, lazy=Lazy)
    assert not result.equal
    assert result.summary()["engines"]["lazy"]["ok"] == 0


def test_no_rows_from_everybody_is_vacuous_and_no_pass(loaded: Loaded) -> None:
    result = measured(loaded, [NONE], a=DuckDb, b=DuckDb)
    assert result.summary()["engines"]["a"] | {"sum": 0, "geomean": 0, "cpu": 0, "rss": 0} == {
        "sum": 0,
        "geomean": 0,
        "cpu": 0,
        "rss": 0,
        "ok": 0,
        "failed": 0,
        "vacuous": 1,
    }
    assert not result.equal
    assert measured(loaded, [NONE, COUNT], a=DuckDb, b=DuckDb).equal


def test_an_answer_that_changes_between_rounds_is_noticed(loaded: Loaded) -> None:
    result = measured(loaded, [LIST], a=DuckDb, b=DuckDb, fickle=Fickle)
    assert not result.equal
    assert "two answers" in result.queries[0].engines["fickle"].why[0]


def test_a_failing_engine_is_noticed_and_does_not_look_fast(loaded: Loaded) -> None:
    result = measured(loaded, [COUNT, LIST], a=DuckDb, b=DuckDb, failing=Failing)
    engines = result.summary()["engines"]
    assert not result.equal
    assert (engines["failing"]["ok"], engines["failing"]["failed"]) == (1, 1)
    alone = measured(loaded, [COUNT], a=DuckDb, b=DuckDb).queries[0].engines["a"].median
    # Sums are over what all answered: the failed query counts for nobody.
    assert engines["a"]["sum"] < 5 * alone + 0.05
    assert not [query for query in result.queries if query.name == "list" and query.comparable]


def test_an_engine_that_dies_has_failed_and_is_started_again(loaded: Loaded) -> None:
    result = measured(loaded, [COUNT, LIST], a=DuckDb, b=DuckDb, mortal=Mortal)
    assert [query.engines["mortal"].verdict.value for query in result.queries] == ["failed", "ok"]
    assert not result.equal


def test_one_engine_alone_is_not_equal_to_anything(loaded: Loaded) -> None:
    assert not measured(loaded, [COUNT], a=DuckDb).equal


def test_writes_are_made_in_copies_and_judged_by_what_they_leave(loaded: Loaded) -> None:
    writes = [
        Query("delete", "DELETE FROM things WHERE id = 2", kind="write"),
        Query("insert", "INSERT INTO things SELECT id + 10, name FROM things", kind="write"),
        Query("make", "CREATE TABLE made AS SELECT * FROM things", kind="write"),
    ]
    result = measured(loaded, writes, a=DuckDb, b=DuckDb)
    assert result.equal
    # Each round began with the three rows that were loaded.
    assert [query.engines["a"].rows for query in result.queries] == [2, 6, 3]


def test_nothing_runs_after_a_run(loaded: Loaded) -> None:
    before = set(psutil.Process(os.getpid()).children())
    measured(loaded, [COUNT], a=DuckDb, mortal=Mortal)
    assert set(psutil.Process(os.getpid()).children()) <= before


def test_a_run_is_written_found_compared_and_reported(loaded: Loaded, tmp_path: Path) -> None:
    first = save(measured(loaded, [COUNT, LIST], a=DuckDb, pyspark=DuckDb), tmp_path)
    second = first.with_name(f"9{first.name[1:]}")
    second.write_text(first.read_text())
    assert find(tmp_path, "things:last") == second
    assert find(tmp_path, "things:last~1") == first
    assert find(tmp_path, first.stem) == first
    with pytest.raises(BenchmarkError, match="There is no run 'other:last'"):
        find(tmp_path, "other:last")
    (ours,) = [found for found in compare_runs(read(first), read(second)) if found.engine == "a"]
    assert ours.ratio == pytest.approx(1.0)
    assert ours.against_peer == pytest.approx(1.0)
    assert "| **a** | geometric mean |" in comparison([ours])
    page = tmp_path / "page.html"
    write(tmp_path, page, tmp_path / "page.md")
    html = page.read_text()
    assert "<svg" in html
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")  # needs nothing from elsewhere
    assert "<script" not in html
    assert "| things | 1 | a 2." in (tmp_path / "page.md").read_text()
    history = [json.loads(line) for line in (tmp_path / "runs" / "history.jsonl").read_text().splitlines()]
    assert [line["suite"] for line in history] == ["things"]


def test_what_a_file_says_cannot_break_the_page(loaded: Loaded, tmp_path: Path) -> None:
    path = save(measured(loaded, [COUNT], a=DuckDb, b=DuckDb), tmp_path)
    run = read(path)
    run["queries"][0]["name"] = "<img src=x onerror=alert(1)>"
    path.write_text(json.dumps(run))
    write(tmp_path, tmp_path / "page.html", tmp_path / "page.md")
    assert "<img" not in (tmp_path / "page.html").read_text()
    assert "things" in table([run])


@pytest.mark.parametrize("name", ["oracle", "sqe=grpc://x", "trino:8080", ""])
def test_an_engine_that_nobody_knows_is_refused(name: str) -> None:
    with pytest.raises(BenchmarkError, match="There is no engine"):
        make(name, Setting())


class Impatient(DuckDb):
    """The person who measures gives up at the second query, when it is to be measured."""

    warm = False

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        if "ORDER BY" in sql:
            if self.warm:
                raise KeyboardInterrupt
            self.warm = True
        return super().run(sql, parameters)


def test_an_interrupted_run_keeps_what_it_has_and_is_no_proof(loaded: Loaded) -> None:
    result = measured(loaded, [COUNT, LIST], a=DuckDb, b=Impatient)
    assert [query.name for query in result.queries] == ["count"]
    assert result.queries[0].engines["a"].verdict.value == "ok"
    assert not result.equal
