"""`sqe-bench`: the suites' tables and texts, the noise of the machine, profiles."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pytest
import sqlglot

from sqe.bench.benchmark import BenchmarkError
from sqe.bench.engines.engine import in_dialect
from sqe.bench.flames import flame_graph
from sqe.bench.lake import schema_name, sql_type
from sqe.bench.noise import Noise, Watch
from sqe.bench.profiling import phase_of, summed
from sqe.bench.suites import registry
from sqe.bench.suites.suite import UNPUBLISHED, Query
from sqe.bench.targets import target

OWN = ("iceberg", "writes", "small")


def test_suites_are_found_by_name() -> None:
    published = {"tpch", "tpcds", "ssb", "clickbench", "tpcc", "tpce", "tpcbb"}
    assert published | {"iceberg", "writes", "small", "users"} == set(registry.names())
    for name in ("nothing", "suite", "registry", "../tpch", "tpch.queries"):
        with pytest.raises(BenchmarkError, match="There is no suite"):
            registry.find(name)


@pytest.mark.parametrize("name", [*OWN, "users", "ssb", "clickbench", "tpcc", "tpce", "tpcbb"])
def test_a_process_that_did_nothing_else_can_make_the_rows(name: str) -> None:
    """What another module happens to have imported is not there then."""
    made = f"sum(batch.num_rows for table in find({name!r}).tables for batch in table.batches(0.001))"
    program = f"from sqe.bench.suites.registry import find; print({made})"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ran.stdout.strip().isdigit(), ran.stderr


@pytest.mark.parametrize("name", OWN)
def test_our_own_rows_are_the_same_each_time_and_as_many_as_said(name: str) -> None:
    for table in registry.find(name).tables:
        first, second = (pa.Table.from_batches(table.batches(0.001), table.schema) for _ in range(2))
        assert first.equals(second)
        assert first.num_rows == table.rows(0.001) != UNPUBLISHED
        assert all(batch.num_rows <= 64 * 1024 for batch in table.batches(0.001))
        for column in first.columns:
            assert column.null_count == 0


def test_columns_of_a_table_do_not_depend_on_each_other() -> None:
    (orders, _) = registry.find("small").tables
    rows = pa.Table.from_batches(orders.batches(0.01), orders.schema)
    spread = rows.group_by("o_status").aggregate([("o_key", "count"), ("o_total", "mean")]).to_pylist()
    assert len(spread) == 3
    for group in spread:
        assert group["o_key_count"] == pytest.approx(rows.num_rows / 3, rel=0.1)
        assert float(group["o_total_mean"]) == pytest.approx(250_000, rel=0.05)


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("dialect", ["trino", "duckdb"])
def test_texts_can_be_said_in_the_peers_words(name: str, dialect: str) -> None:
    for query in registry.find(name).queries(0.01):
        text = dict(query.dialects).get(dialect)
        if text != "":
            assert sqlglot.parse_one(text or sqlglot.transpile(query.sql, read="spark", write=dialect)[0], read=dialect)


def test_schemas_have_names_that_need_no_quotes() -> None:
    assert schema_name("tpch", 0.01) == "tpch_sf0_01"
    assert schema_name("tpch", 1) == schema_name("tpch", 1.0) == "tpch_sf1"


def test_only_types_that_all_engines_have_are_loaded() -> None:
    assert sql_type(pa.decimal128(15, 2)) == "DECIMAL(15,2)"
    assert sql_type(pa.timestamp("us", "UTC")) == "TIMESTAMP"
    with pytest.raises(BenchmarkError, match="No table of a suite"):
        sql_type(pa.list_(pa.int64()))


@pytest.mark.parametrize(
    ("sql", "table"),
    [
        ("INSERT INTO t SELECT * FROM u", "t"),
        ("DELETE FROM t WHERE id IN (SELECT id FROM u)", "t"),
        ("UPDATE t SET a = 1", "t"),
        ("MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN DELETE", "t"),
        ("CREATE TABLE t AS SELECT * FROM u", "t"),
        ("CREATE TABLE t (a INT)", "t"),
    ],
)
def test_the_table_that_a_statement_writes_is_known(sql: str, table: str) -> None:
    assert target(sql) == table


def test_a_busy_machine_says_so() -> None:
    """The time of others is what the cores did and neither engines nor harness."""
    watch = Watch(lambda: 0.0)
    program = "import time\nwhile time.process_time() < 1.5: pass"
    subprocess.run([sys.executable, "-c", program], check=True)  # nobody's engine
    noise = watch.read()
    assert noise.foreign_share > 0.10
    assert noise.loaded
    assert "LOADED MACHINE" in noise.sentence()
    assert not Noise(0.1, 0.1, 0.01, 0.0, 10).loaded
    assert Noise(0.1, 0.1, 0.01, 0.2, 10).loaded


SPARK = "org.apache.spark.sql."


@pytest.mark.parametrize(
    ("stack", "phase"),
    [
        (f"driver;a.b;{SPARK}catalyst.parser.AbstractSqlParser.parsePlan;antlr.x", "parse"),
        (f"driver;{SPARK}execution.QueryExecution.analyzed;{SPARK}catalyst.analysis.Analyzer.execute", "analyze"),
        (f"driver;{SPARK}catalyst.analysis.Analyzer.execute;{SPARK}sqe.policy.WrapRelations.apply", "policy"),
        (f"driver;{SPARK}catalyst.optimizer.Optimizer.execute;scala.x", "optimize"),
        ("task;org.apache.spark.executor.Executor$TaskRunner.run;org.apache.iceberg.parquet.X.read", "scan"),
        (f"task;org.apache.spark.scheduler.Task.run;{SPARK}catalyst.expressions.GeneratedClass.next", "compute"),
        ("task;org.apache.spark.scheduler.Task.run;org.apache.spark.shuffle.sort.UnsafeShuffleWriter.write", "shuffle"),
        (f"driver;{SPARK}sqe.Execution.apart;java.lang.Object.wait", "wait"),
        (f"task;x;{SPARK}sqe.BatchEncoding.write", "convert"),
    ],
)
def test_a_stack_belongs_to_a_phase(stack: str, phase: str) -> None:
    assert phase_of(stack) == phase


def test_a_profile_is_the_time_of_one_round() -> None:
    stacks = {"task;org.apache.iceberg.parquet.X.read": 200_000, f"driver;{SPARK}catalyst.parser.P.parse": 20_000}
    found = {"stacks": stacks, "times": {"optimization": 30, "tasks": 8}}
    profile = summed("q", [(0.2, 0.05), (0.1, 0.04)], found)
    assert profile.phases == {"scan": pytest.approx(0.1), "parse": pytest.approx(0.01)}
    assert profile.times["optimization"] == pytest.approx(0.015)
    assert "| scan | 100.0 | 91 % |" in profile.table()


def test_a_flame_graph_is_as_wide_as_time() -> None:
    drawn = flame_graph({"task;a.<b>": 3, "task;c": 1})
    assert 'width="1050.0"' in drawn
    assert 'width="350.0"' in drawn
    assert "<b>" not in drawn
    assert "a.&lt;b&gt;: 75.0 %" in drawn


def test_days_that_are_compared_are_dates_for_trino() -> None:
    query = Query("q", "SELECT '2000-01-03' AS day FROM t WHERE d BETWEEN '2000-1-27' AND e OR d IN ('2000-01-03') OR n = 'x'")
    assert in_dialect(query, "trino") == (
        "SELECT '2000-01-03' AS day FROM t WHERE d BETWEEN CAST('2000-1-27' AS DATE) AND e "
        "OR d IN (CAST('2000-01-03' AS DATE)) OR n = 'x'"
    )
    assert "CAST" not in in_dialect(query, "duckdb")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "tpch", "--users", "x"], "argument --users: 'x' is no whole number above 0"),
        (["run", "tpch", "--users", "4,"], "argument --users: '' is no whole number above 0"),
        (["run", "tpch", "--repeat", "0"], "argument --repeat: '0' is no whole number above 0"),
        (["load", "small", "--scale", "-1"], "argument --scale: '-1' is no number above 0 and up to 100000"),
        (["load", "small", "--scale", "much"], "argument --scale: 'much' is no number above 0 and up to 100000"),
    ],
)
def test_a_number_that_is_none_is_told_before_anything_starts(arguments: list[str], told: str) -> None:
    program = "from sqe.bench.main import main; main()"
    ran = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 2
    assert ran.stderr.splitlines()[-1].endswith(told)
