"""The other shape: fragments that run once for each partition, each task over its own files, and Spark goes on with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest
from attack_suite import GROUPS, run_group
from bank import Person
from hidden_rows import SCHEMA, bound_analyst, stay_hidden
from partitions import PER_PARTITION, left, once, shaped
from sides import Sides
from test_kernel_fed import COLUMNS, FED
from tpch_tables import STATEMENTS

from sqe import errors
from sqe.bench.suites.published import texts
from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions
from tests.waiting import eventually

Explain = Callable[[str], str]


AGGREGATES = [
    "count(*), count(s), count(s, d)",
    "sum(i), sum(t)",
    "sum(d), sum(w)",
    "min(l), max(l), min(s), max(s), min(day), max(day), min(at), max(at), min(b), max(b), min(d), max(w)",
    "avg(d), avg(w)",
    "avg(i), avg(t)",
    "count(*) FILTER (WHERE b), sum(d) FILTER (WHERE i > 2), avg(d) FILTER (WHERE s = ''), max(s) FILTER (WHERE i = 77)",
    "sum(i + 1), avg(d * 2), max(length(s)), sum(CASE WHEN b THEN d END)",
    "sum(d) / count(*), max(i) + min(i), concat(max(s), '!')",
]


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize(
    ("functions", "table"), [*((functions, "pieces") for functions in AGGREGATES), (", ".join(AGGREGATES), "empty")]
)
def test_a_partial_aggregate_makes_sparks_own_buffers(same: Callable[[str], pa.Table], functions: str, table: str) -> None:
    same(f"SELECT {functions}, count(*) FROM {table} WHERE i < 100 OR i IS NULL")
    same(f"SELECT b, {functions} FROM {table} GROUP BY b")


GROUPS_BY = [
    "SELECT x, count(*) FROM pieces GROUP BY x",
    "SELECT g, count(*), max(s) FROM pieces GROUP BY g",
    "SELECT DISTINCT b, t FROM pieces",
    "SELECT i % 2 AS m, s, sum(d) FROM pieces GROUP BY 1, 2",
    "SELECT year(day) AS y, day, max(at) FROM pieces GROUP BY 1, 2 ORDER BY 2",
    "SELECT w, l, count(*) FROM pieces GROUP BY w, l HAVING count(*) > 0",
    "SELECT b, i, grouping(b), sum(d) FROM pieces GROUP BY ROLLUP(b, i)",
]


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize("query", GROUPS_BY)
def test_groups_of_partitions_are_sparks_groups(same: Callable[[str], pa.Table], query: str) -> None:
    same(query)


# What Spark has to run: a function that the kernel does not know, over what it does.
ABOVE = [
    "SELECT b, stddev(i), count(*) FROM pieces WHERE s IS NOT NULL GROUP BY b",
    "SELECT b, sort_array(collect_list(s)) AS all FROM pieces WHERE i > 1 GROUP BY b",
    "SELECT a.i, sum(a.x) FROM pieces a JOIN odd b ON a.i = b.i AND b.d > 0 GROUP BY a.i",
    "SELECT a.i, b.s, md5(a.s) AS h FROM pieces a JOIN odd b ON a.i = b.i ORDER BY a.i, b.s, h",
    "SELECT a.i, b.s, md5(a.s) AS h FROM pieces a LEFT JOIN odd b ON a.i = b.i AND b.b ORDER BY a.i, b.s, h",
    "SELECT a.i, b.s, md5(b.s) AS h FROM odd a RIGHT JOIN pieces b ON a.i = b.i AND a.b ORDER BY a.i, b.s, h",
    "SELECT md5(s) AS h, i FROM pieces a WHERE EXISTS (SELECT 1 FROM odd b WHERE a.i = b.i AND b.l > 0) ORDER BY h, i",
    "SELECT md5(s) AS h, i FROM pieces a WHERE NOT EXISTS (SELECT 1 FROM odd b WHERE a.i = b.i AND b.l > 0) ORDER BY h, i",
    "SELECT md5(s) AS h, i FROM pieces WHERE i NOT IN (SELECT i FROM odd WHERE l = 5) ORDER BY h, i",
    "SELECT md5(a.s) AS h, b.s FROM pieces a FULL JOIN odd b ON a.i = b.i AND a.b ORDER BY 1, 2",
    "SELECT a.i, b.n, md5(a.s) AS h FROM pieces a JOIN (SELECT i, count(*) AS n FROM odd GROUP BY i) b USING (i) ORDER BY 1, 2",
    "SELECT max(md5(s)), sum(x) FROM pieces WHERE x > 0 AND s LIKE '%a%'",
    "SELECT b, stddev(10 / i) FROM pieces WHERE i <> 0 AND 10 / i > 1 GROUP BY b",
    "SELECT i, x, g, avg(x) OVER (PARTITION BY b ORDER BY i, x, s) AS a FROM pieces ORDER BY i, x, s",
    "SELECT sum(x), min(w) FROM empty WHERE i > 0",
]


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize("query", ABOVE)
def test_what_stands_below_sparks_operators_is_native(same: Callable[[str], pa.Table], query: str) -> None:
    same(query)


SIZED = (
    "CREATE TABLE sized PARTITIONED BY (bucket(5, id)) AS SELECT id, id % 9 AS k, repeat('x', CAST(id % 9 AS INT)) AS s "
    "FROM range(5000)",
    "INSERT INTO sized SELECT id, 7, 'y' FROM range(5000, 5010)",
)


@pytest.mark.usefixtures("odd")
def test_the_shape_is_chosen_by_what_is_faster(sides: Sides, explain: Explain, driver: Driver, made: set[str]) -> None:
    """jvm: Shape."""
    once(made, "sized", sides, *SIZED)
    shaped(driver, sides.session, "auto")
    joined = "SELECT o.s, stddev(a.id), max(md5(a.s)) FROM sized a JOIN odd o ON a.k = o.i GROUP BY o.s"
    assert PER_PARTITION in explain(joined)
    assert sides.difference(joined.replace("stddev", "count")) is None
    assert PER_PARTITION not in explain("SELECT k, stddev(id) FROM sized WHERE s LIKE 'x%' GROUP BY k"), "a scan is Spark's"
    whole = explain("SELECT k, count(*), sum(k) FROM sized JOIN odd ON k = i GROUP BY k")
    assert "the whole query" in whole
    assert PER_PARTITION not in whole


@pytest.mark.usefixtures("odd")
def test_each_row_is_read_once_however_many_partitions(same: Callable[[str], pa.Table], parts: Sides, made: set[str]) -> None:
    once(made, "sized", parts, *SIZED)
    found = same("SELECT k, count(*) AS n, sum(id) AS s FROM sized GROUP BY k")
    assert sum(found.column("n").to_pylist()) == 5010
    assert sum(found.column("s").to_pylist()) == sum(range(5010))
    assert same("SELECT count(*), max(md5(s)) FROM sized WHERE id >= 0").column(0).to_pylist() == [5010]


@pytest.mark.parametrize("version", ["2", "3"], ids=["delete files", "deletion vectors"])
def test_deleted_rows_stay_deleted(same: Callable[[str], pa.Table], parts: Sides, version: str) -> None:
    modes = ", ".join(f"'write.{kind}.mode' = 'merge-on-read'" for kind in ("delete", "update", "merge"))
    table = f"trimmed_{version}"
    parts.run(
        f"CREATE TABLE {table} TBLPROPERTIES ('format-version' = '{version}', {modes}) AS SELECT id, id % 3 AS m FROM range(1000)"
    )
    for first in (1000, 1100, 1200):
        parts.run(f"INSERT INTO {table} SELECT id, 7 FROM range({first}, {first + 100})")
    parts.run(f"DELETE FROM {table} WHERE id % 2 = 0 AND id < 1050")
    parts.run(f"UPDATE {table} SET m = 9 WHERE id = 5")
    same(f"SELECT m, count(*), sum(id), min(id) FROM {table} GROUP BY m")
    same(f"SELECT m, sort_array(collect_list(id)) AS ids FROM {table} WHERE id > 3 GROUP BY m")
    joined = same(
        f"SELECT max(md5(CAST(a.m AS STRING))), count(*) AS n FROM {table} a JOIN {table} b ON a.id = b.id WHERE b.m = 9"
    )
    assert joined.column("n").to_pylist() == [1]
    # The same file at two moments, of which other rows are deleted: one fragment has one table of them.
    before = parts.run(f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at").column(0)[-2].as_py()
    moments = f"SELECT count(*), sum(a.m) FROM {table} a JOIN {table} VERSION AS OF {before} b ON a.id = b.id"
    for shape in ("partitions", "auto"):
        shaped(parts.session.driver, parts.session, shape)
        assert parts.difference(moments) is None


def test_what_iceberg_decodes_is_shared_out_by_its_own_partitions(
    same: Callable[[str], pa.Table], parts: Sides, made: set[str]
) -> None:
    once(made, "fed", parts, f"CREATE TABLE fed PARTITIONED BY (bucket(4, id)) {FED} AS SELECT {COLUMNS} FROM range(20000)")
    same("SELECT k, count(*), sum(d), max(w), min(s), max(day), sum(i), avg(t) FROM fed WHERE id < 19000 GROUP BY k")
    same("SELECT k, max(md5(s)), count(*) FROM fed WHERE b AND s LIKE '%9%' GROUP BY k")


def test_the_same_fragment_twice_runs_once_and_another_one_does_not(
    same: Callable[[str], pa.Table], parts: Sides, made: set[str]
) -> None:
    """Spark shuffles equal parts once: by their text, in which only the numbers of columns may differ."""
    once(made, "two", parts, "CREATE TABLE two AS SELECT id AS a, 999 - id AS b, id % 10 AS k FROM range(1000)")
    twice = "SELECT k, sum({}) AS v FROM two WHERE a < 700 GROUP BY k"
    same(f"SELECT p.k, p.v, q.v AS w FROM ({twice.format('a')}) p JOIN ({twice.format('a')}) q ON p.k = q.k")
    found = same(f"SELECT p.k, p.v, q.v AS w FROM ({twice.format('a')}) p JOIN ({twice.format('b')}) q ON p.k = q.k")
    assert all(row["v"] != row["w"] for row in found.to_pylist())


FAILING = [
    "SELECT sum(l), count(*) FROM pieces WHERE l > 0 OR b",
    "SELECT b, sum(10 % (i - 1)) FROM pieces GROUP BY b",
    "SELECT b, sum(CAST(l AS INT) + 1) FROM pieces WHERE i <> 3 GROUP BY b",
    "SELECT b, max(CAST(l AS INT)) FROM pieces GROUP BY b",
    "SELECT b, sum(w) + max(w) FROM pieces WHERE 1 / (i - 3) < 9 AND d > 0 GROUP BY b",
    "SELECT b, stddev(i) FROM pieces WHERE 10 / (i - 1) < 9 AND length(s) = 3 GROUP BY b",
    "SELECT b, stddev(i) FROM pieces WHERE s IS NOT NULL AND 10 / (i - 1) < 9 AND length(s) = 3 GROUP BY b",
]


@pytest.mark.parametrize("query", FAILING)
def test_an_error_is_sparks_own(odd: Sides, driver: Driver, query: str) -> None:
    odd.native("off")
    with pytest.raises(SqeError) as sparks:
        odd.run(query)
    odd.native("auto")
    with pytest.raises(SqeError) as native:
        odd.run(query)
    assert native.value.code is sparks.value.code  # which of several rows is told of is open on Spark, too
    eventually(lambda: left(driver) == (0, 0))


def test_an_average_that_overflows_in_between_is_sparks(parts: Sides, made: set[str]) -> None:
    """Its sum would fit in the end, and does in the kernel's 128 bits."""
    numbers = ", ".join(
        f"(1, CAST('{sign}6{'0' * 37}' AS DECIMAL(38,0)) + {more})" for sign, more in [("", 0), ("", 0), ("-", 0), ("-", 4)]
    )
    once(made, "swings", parts, f"CREATE TABLE swings AS SELECT /*+ COALESCE(1) */ * FROM VALUES {numbers}, (2, 7) AS t(k, v)")
    assert parts.difference("SELECT k, avg(v) FROM swings GROUP BY k") is None


def test_a_partition_that_fails_in_the_kernel_alone_is_answered_by_spark_and_not_tried_again(odd: Sides) -> None:
    before = odd.fallbacks()
    query = "SELECT upper(s) AS u, count(*) FROM pieces WHERE i < 1000 GROUP BY 1"
    assert odd.difference(query) is None
    assert odd.fallbacks() == before + 1
    assert odd.difference(query) is None
    assert odd.fallbacks() == before + 1
    odd.run("CREATE TABLE uppers AS SELECT upper(s) AS u, max(i) AS m FROM pieces GROUP BY 1")
    assert odd.run("SELECT count(*) FROM uppers").column(0).to_pylist() == [6]


def test_cancelling_stops_every_partition(odd: Sides, driver: Driver) -> None:
    odd.run("CREATE TABLE numbers AS SELECT id FROM range(20000)")
    odd.run("INSERT INTO numbers SELECT id FROM range(20000)")
    text = "SELECT a.id % 7, count(*) FROM numbers a, numbers b, numbers c WHERE a.id + b.id < c.id GROUP BY 1"
    assert odd.cancelled(text, mode="auto", when=lambda: left(driver)[0] >= 1) is errors.USER_CANCELED
    eventually(lambda: left(driver) == (0, 0))


@pytest.mark.long
def test_the_queries_of_tpch_are_the_same_in_both_shapes(parts: Sides, driver: Driver, made: set[str]) -> None:
    once(made, "tpch", parts, *STATEMENTS)
    before = parts.fallbacks()
    for name, query in texts("tpch").items():
        assert parts.difference(query) is None, name
    assert parts.fallbacks() == before
    assert left(driver) == (0, 0)


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize(
    "query",
    [
        "SELECT md5(a.s), b.i FROM pieces a JOIN odd b ON a.i = b.i LIMIT 1",
        "SELECT input_file_name() LIKE '%.parquet' AS f, count(*) FROM pieces WHERE d > 0 GROUP BY 1",
        "SELECT monotonically_increasing_id() % 2 AS n, stddev(i) FROM pieces GROUP BY 1",
    ],
)
def test_what_asks_for_the_order_or_the_place_of_rows_gets_sparks(parts: Sides, explain: Explain, query: str) -> None:
    assert parts.run(query).num_rows > 0  # any rows are right, so there is nothing to compare
    assert PER_PARTITION not in explain(query)


def test_a_user_cannot_choose_the_shape(sides: Sides) -> None:
    with pytest.raises(SqeError) as refused:
        sides.run("SET spark.sqe.native.shape = 'partitions'")
    assert refused.value.code is errors.INVALID_SESSION_PROPERTY


@pytest.fixture(scope="module")
def analyst(handler: QueryHandler, driver: Driver, sessions: Sessions) -> Iterator[Person]:
    with bound_analyst(handler, driver, sessions) as person:
        yield person


HARMLESS = [
    "SELECT region, count(*), sum(balance), max(note) FROM {t} GROUP BY region",
    "SELECT note, count(*), stddev(id) FROM {t} WHERE balance > 0 GROUP BY note",
    "SELECT a.id, md5(b.iban) FROM {t} a JOIN {t} b ON a.id = b.id AND a.divisor < b.balance ORDER BY a.id",
]
# Each fails for a row that the analyst must not see.
TELLING = [
    "SELECT region, sum(10 / divisor) FROM {t} GROUP BY region",
    "SELECT region, stddev(id) FROM {t} WHERE 10 / divisor > 1 GROUP BY region",
    "SELECT region, max(CAST(digits AS INT)) FROM {t} GROUP BY region",
    "SELECT a.id, md5(a.note) FROM {t} a JOIN {t} b ON a.id = b.id AND 10 / b.divisor > 0 ORDER BY a.id",
    "SELECT region, max(length(upper(note))) FROM {t} GROUP BY region",
    "SELECT iban, count(*), stddev(id) FROM {t} GROUP BY iban",
]


@pytest.mark.parametrize("query", [*HARMLESS, *TELLING])
def test_hidden_rows_stay_hidden_in_each_partition(analyst: Person, driver: Driver, query: str) -> None:
    ran = stay_hidden(analyst, driver, query)
    assert ran or query in TELLING


@pytest.mark.long
def test_the_attacks_find_nothing_in_partitions(analyst: Person) -> None:
    for group in GROUPS:
        report = run_group(analyst, SCHEMA, group)
        assert (report.leaks, report.wrong) == ([], []), group
