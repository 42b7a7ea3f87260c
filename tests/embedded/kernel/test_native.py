"""What runs in the native kernel is what Spark would have answered, and everything else is Spark's (docs/native.md)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sides import Sides
from tpch_tables import STATEMENTS

from sqe import errors
from sqe.bench.suites.published import texts
from sqe.engine.driver import Driver
from sqe.errors import SqeError
from tests.waiting import eventually

Explain = Callable[[str], str]

# Values whose handling differs between engines more often than not.
ODD = """CREATE TABLE odd AS SELECT * FROM VALUES
    (1, CAST(5 AS BIGINT), 'a', CAST(7.00 AS DECIMAL(10,2)), DATE '2024-02-29', CAST(1.5 AS DOUBLE), true,
        TIMESTAMP '2024-02-29 23:59:59.999999'),
    (2, -5, 'ä', -7.00, DATE '1969-12-31', CAST('NaN' AS DOUBLE), false, TIMESTAMP '1969-12-31 00:00:00'),
    (3, 9223372036854775807, ' b ', 0.01, DATE '9999-12-31', CAST(-0.0 AS DOUBLE), NULL, NULL),
    (4, NULL, NULL, NULL, NULL, NULL, true, TIMESTAMP '0001-01-01 00:00:00'),
    (5, -9223372036854775808, '', -99999999.99, DATE '0001-01-01', CAST('-Infinity' AS DOUBLE), false,
        TIMESTAMP '2000-01-01 12:00:00'),
    (2, 5, 'Straße_100%', 2.50, DATE '2000-02-29', 0.0, true, TIMESTAMP '2024-02-29 23:59:59.999999')
    AS t(i, l, s, d, day, x, b, at)"""

NATIVE = [
    "SELECT s, count(*), sum(d), min(day), max(s) FROM odd GROUP BY s",
    "SELECT i, avg(d), sum(i), avg(i) FROM odd GROUP BY i",
    "SELECT max(x), avg(l), min(x), avg(DISTINCT l) FROM odd WHERE l BETWEEN -5 AND 5 AND x <> 0",
    "SELECT i, max(x), min(x) FROM odd GROUP BY i",
    "SELECT count(*), count(s), count(DISTINCT i), count(*) FILTER (WHERE b) FROM odd WHERE l IS NOT NULL",
    "SELECT d / 3, d / -0.7, -d / CAST(i AS DECIMAL(3,0)) FROM odd ORDER BY i, d",
    "SELECT i FROM odd ORDER BY s DESC NULLS LAST, i LIMIT 3",
    "SELECT i FROM odd ORDER BY s, i LIMIT 2 OFFSET 2",
    "SELECT i, s || 'x' FROM odd ORDER BY s, i OFFSET 2",
    "SELECT s FROM odd ORDER BY i, l OFFSET 99",
    "SELECT a.i, b.s FROM odd a LEFT JOIN odd b ON a.i = b.i AND b.d > 0 ORDER BY a.i, b.s",
    "SELECT i FROM odd WHERE s LIKE '%_100\\%%' ESCAPE '/' OR s LIKE 'a%' ORDER BY i",
    "SELECT i FROM odd WHERE s LIKE '%\\\\_100\\\\%' OR s LIKE '\\\\%%' ORDER BY i",
    "SELECT year(day), month(day), dayofweek(day), dayofyear(day), date_add(day, 400) FROM odd ORDER BY day",
    "SELECT datediff(day, DATE '2000-01-01') FROM odd ORDER BY day",
    "SELECT x > 1, x = x, x < 0.5, x = 0 FROM odd ORDER BY i, day",
    "SELECT x, count(*) FROM odd GROUP BY x",
    "SELECT x, count(*) FROM odd WHERE i = 3 GROUP BY x",
    "SELECT s, x FROM odd EXCEPT SELECT s, x FROM odd WHERE i = 1",
    "SELECT x FROM odd ORDER BY x, i",
    "SELECT at, hour(at), second(at), CAST(at AS DATE) FROM odd ORDER BY at",
    "SELECT max(at), min(at) FROM odd WHERE i > 1",
    "SELECT i FROM odd WHERE i NOT IN (SELECT i FROM odd WHERE l = 5) ORDER BY i",
    "SELECT i FROM odd WHERE l NOT IN (SELECT l FROM odd)",
    "SELECT i FROM odd o WHERE EXISTS (SELECT 1 FROM odd p WHERE p.i = o.i AND p.l <> o.l) OR b ORDER BY i",
    "SELECT a.i, b.i, c.i FROM odd a JOIN odd b ON a.l = b.l LEFT JOIN odd c ON a.s = c.s AND b.d = c.d ORDER BY 1, 2, 3",
    "SELECT i FROM odd a WHERE EXISTS (SELECT 1 FROM odd b WHERE a.l = b.l) ORDER BY i",
    "SELECT i FROM odd a WHERE NOT EXISTS (SELECT 1 FROM odd b WHERE a.l = b.l AND b.s = a.s) ORDER BY i",
    "SELECT a.i, n FROM odd a JOIN (SELECT s, count(*) AS n, max(d) AS m FROM odd GROUP BY s) b ON a.s = b.s AND a.d = b.m "
    "ORDER BY 1, 2",
    "SELECT a.i, b.i FROM odd a FULL JOIN odd b ON a.l = b.l AND a.s = b.s ORDER BY 1, 2",
    "SELECT a.i, count(*) FROM odd a JOIN odd b ON a.i = b.i "
    "WHERE a.i IN (SELECT i FROM odd GROUP BY i HAVING count(*) > 1) GROUP BY a.i",
    "SELECT i FROM odd INTERSECT SELECT CAST(l AS INT) FROM odd WHERE l BETWEEN 0 AND 9",
    "SELECT i FROM odd UNION SELECT length(s) FROM odd",
    "SELECT trim(s), upper('a' || substring(s, 1, 0)), concat(s, '-', s) FROM odd ORDER BY i, s",
    "SELECT i, i, sum(d) FROM odd GROUP BY i",
    "SELECT CASE WHEN b THEN 1 ELSE i END AS v, sum(CASE WHEN s = '' THEN d END) FROM odd GROUP BY 1",
    "SELECT sum(d) FROM odd WHERE d > (SELECT avg(d) FROM odd)",
    "SELECT count(*) FROM odd JOIN (VALUES (1, 'one'), (2, NULL)) AS v(k, w) ON i = k",
    "SELECT i % 2, i div 2, -i, abs(i) FROM odd ORDER BY i",
    "SELECT CAST(i AS STRING), CAST(d AS STRING), CAST(b AS STRING), CAST(day AS STRING) FROM odd ORDER BY i, d",
    "SELECT count(*) FROM odd WHERE 10 / i > 1 AND s = 'a'",
    "SELECT count(*) FROM odd WHERE i <> 0 AND d > -100 AND 10 / i > 1 AND (i - 3) * 2 < 4",
    "SELECT count(*) FROM odd a JOIN odd b ON a.i = b.i AND a.l > 0 AND b.d / a.d > 0.5 AND a.d <> 0",
    "SELECT count(*) FROM odd a JOIN odd b ON 10 / a.i = b.d AND a.s = b.s",
    "SELECT a.i, b.i FROM odd a JOIN odd b ON a.i - 1 = b.i + 1 AND a.b = b.b ORDER BY 1, 2",
    "SELECT b, i, grouping(b), grouping(i), i & 3, i | 4, shiftright(-i, 1), count(*) FROM odd GROUP BY CUBE(b, i)",
    "SELECT CAST(d AS INT), CAST(d AS BIGINT), CAST(CAST(d AS DECIMAL(25,5)) / 7 AS INT) FROM odd ORDER BY i, d",
    "SELECT count(DISTINCT i, s), count(DISTINCT s, b), count(i, s) FROM odd",
    "SELECT CAST(d AS DOUBLE), CAST(d * d AS DOUBLE), CAST(x AS INT) FROM odd WHERE x > -9 AND x < 9 ORDER BY i, d",
    "SELECT CAST(CAST(i AS STRING) AS INT), CAST(CAST(d AS STRING) AS DECIMAL(12,4)), CAST(CAST(d AS STRING) AS DOUBLE), "
    "CAST(CAST(day AS STRING) AS DATE), CAST(concat(CAST(day AS STRING), ' 10:11:12.5') AS TIMESTAMP), "
    "CAST(CAST(b AS STRING) AS BOOLEAN) FROM odd ORDER BY i, d",
    "SELECT CAST(d AS DECIMAL(30,10)) * CAST(d AS DECIMAL(30,12)), CAST(d AS DECIMAL(38,20)) + CAST(d AS DECIMAL(38,3)), "
    "CAST(i AS DECIMAL(38,18)) / CAST(3 AS DECIMAL(38,3)) FROM odd WHERE d < 100 AND d > -100 ORDER BY i, d",
    "SELECT CAST(day AS TIMESTAMP), CAST(at AS TIMESTAMP_NTZ), CAST(CAST(at AS TIMESTAMP_NTZ) AS TIMESTAMP) AS z FROM odd "
    "ORDER BY i, d",
    "SELECT s RLIKE '^[a-z]', s RLIKE 'ra.e|a$', s RLIKE '\\\\d+%', s RLIKE '' FROM odd ORDER BY i, s",
    "SELECT regexp_replace(concat('https://www.x.org/', s), '^https?://(?:www[.])?([^/]+)/.*$', '<$1>'), "
    "regexp_extract(s, '(.)_([0-9]+)?', 2), regexp_extract(s, '[^a]+', 0) FROM odd ORDER BY i, s",
]

REFUSED = {
    "SELECT i FROM odd LIMIT 1": None,
    "SELECT count(*) FROM (SELECT s, count(*) FROM odd GROUP BY s LIMIT 1)": "operator GlobalLimit",
    "SELECT sum(x) FROM odd": "aggregate sum of type double",
    "SELECT count(*) FROM odd WHERE s COLLATE UTF8_LCASE = 'A'": "function equalto",
    "SELECT count(*) FROM odd WHERE try_cast(s AS INT) = 1": "try_cast",
    "SELECT count(*) FROM odd WHERE s RLIKE '(?i)A'": "regular expression that two engines may read differently",
    "SELECT regexp_replace(s, 'a*', '-'), count(*) FROM odd GROUP BY 1": "replacement of many matches",
    "SELECT count(*) FROM odd GROUP BY CAST(s AS BINARY)": "type binary",
    "SELECT count(*) FROM odd.files": "few rows of columns that the kernel would be given",
    "SELECT count(DISTINCT 1) FROM odd.files": "scan without columns",
    "SELECT operation FROM odd.snapshots": None,  # a row in the driver
    "SELECT _file, count(*) FROM odd GROUP BY 1": "metadata column",
}


@pytest.fixture(scope="module")
def made() -> dict[str, bool]:
    return {}


@pytest.fixture
def odd(sides: Sides, made: dict[str, bool]) -> Sides:
    if "odd" not in made:
        sides.run(ODD)
        made["odd"] = True
    return sides


@pytest.fixture
def tpch(sides: Sides, made: dict[str, bool]) -> Sides:
    if "tpch" not in made:
        for statement in STATEMENTS:
            sides.run(statement)
        made["tpch"] = True
    return sides


def test_the_22_queries_of_tpch_use_the_kernel_and_are_equal(tpch: Sides) -> None:
    queries = texts("tpch")
    assert len(queries) == 22
    before = tpch.fallbacks()
    for name, query in queries.items():
        fragments = tpch.fragments()
        tpch.same_natively(query)
        assert tpch.fragments() > fragments, name
    assert tpch.fallbacks() == before


@pytest.mark.parametrize("query", NATIVE)
def test_a_native_answer_is_sparks(odd: Sides, query: str) -> None:
    before = odd.fallbacks()
    odd.same_natively(query, ordered="ORDER BY" in query)
    assert odd.fallbacks() == before, "it ran on Spark in the end"


@pytest.mark.parametrize(("query", "reason"), REFUSED.items(), ids=list(REFUSED))
def test_what_might_differ_is_left_to_spark(odd: Sides, explain: Explain, query: str, reason: str | None) -> None:
    assert odd.difference(query) is None
    plan = explain(query)
    if reason is None:
        assert "Native" not in plan
    else:
        assert f": {reason}" in plan.split("== Native ==")[1], plan
        odd.native("require")
        with pytest.raises(SqeError, match="native kernel does not run"):
            odd.run(query)


FAILING = [
    "SELECT sum(l) FROM odd WHERE l > 0",
    "SELECT sum(l), count(*) FROM odd WHERE l > 0 HAVING count(*) > 100",
    "SELECT i, 10 / (i - 1) FROM odd ORDER BY i",
    "SELECT i, sum(10 % (i - 1)) FROM odd GROUP BY i",
    "SELECT d / (d - 7.00) FROM odd ORDER BY i",
    "SELECT max(-l) FROM odd",
    "SELECT max(CAST(l AS INT)) FROM odd",
    "SELECT i FROM odd WHERE i = (SELECT i FROM odd) ORDER BY i",
    # Each was answered by the kernel once, whose optimizer had found a way around what fails.
    "SELECT count(*) FROM odd WHERE l - 6 <> -6",
    "SELECT count(*) FROM odd WHERE CAST(l AS SMALLINT) = 5",
    "SELECT count(*) FROM odd WHERE CAST(l AS INT) IN (5, 6)",
    "SELECT count(*) FROM odd WHERE -CAST(d * 1000000000000000000000000000 AS DECIMAL(38,10)) = 3.000",
    "SELECT sum(CAST(l AS INT) + 1) FROM odd WHERE i <> 3",
    "SELECT abs(CAST(i - 1 AS DECIMAL(1,0)) - CAST(99999999999999999999999999999999999999 AS DECIMAL(38,0))) AS n FROM odd "
    "WHERE i < 3 ORDER BY n",
    "SELECT count(*) FROM odd a JOIN odd b ON CAST(a.l AS INT) = b.i AND a.s = b.s AND b.i = 1",
    "SELECT count(CAST(l AS INT)), count(*) FROM odd",
    "SELECT count(*) FROM odd WHERE CAST(l AS INT) IS NOT NULL OR b",
    "SELECT i FROM odd ORDER BY l, l - 6, i",
    "SELECT count(*) FROM odd WHERE d <> 0.01 AND 1 / (i - 5) < 9 AND d > 0",
    "SELECT i, CAST(l AS INT) AS n FROM odd ORDER BY i, n LIMIT 1",
    "SELECT a.i FROM odd a JOIN (SELECT i, CAST(l AS INT) AS n FROM odd) b ON a.i = b.i WHERE a.s = 'a' AND b.n < 99",
    # It does not look at one side of a join where the other one is empty.
    "SELECT a.i, b.i FROM odd a RIGHT JOIN odd b ON a.l - 1 = b.l - 2 WHERE length(b.s) = 77",
    "SELECT count(*) FROM odd a JOIN odd b ON a.i = b.l - 1 AND length(a.s) = 77",
]


@pytest.mark.parametrize("query", FAILING)
def test_an_error_is_sparks_own(odd: Sides, query: str) -> None:
    before = odd.fallbacks()
    odd.native("off")
    with pytest.raises(SqeError) as sparks:
        odd.run(query)
    odd.native("auto")
    with pytest.raises(SqeError) as native:
        odd.run(query)
    assert (native.value.code, native.value.message) == (sparks.value.code, sparks.value.message)
    assert odd.fallbacks() == before + 1, "the kernel did not even try"


def test_what_fails_in_the_kernel_alone_is_answered_by_spark(odd: Sides) -> None:
    before = odd.fallbacks()
    assert odd.difference("SELECT upper(s), count(*) FROM odd GROUP BY 1") is None
    assert odd.fallbacks() == before + 1
    odd.run("CREATE TABLE made AS SELECT upper(s), max(i) FROM odd GROUP BY 1")
    assert odd.fallbacks() == before + 2
    assert odd.run("SELECT count(*) FROM made").column(0).to_pylist() == [6]


def test_what_failed_in_the_kernel_is_not_tried_again(sides: Sides, explain: Explain) -> None:
    sides.run("CREATE TABLE letters AS SELECT 'ä' AS s")
    query = "SELECT upper(s), count(*) FROM letters GROUP BY 1"
    assert "the whole query" in explain(query)
    before = sides.fallbacks()
    for _ in range(3):
        assert sides.difference(query) is None
    assert sides.fallbacks() == before + 1
    assert "not Aggregate: failed before" in explain(query)
    sides.run("CREATE OR REPLACE TABLE letters AS SELECT 'a' AS s")
    assert "the whole query" in explain(query), "other files"


def test_files_written_under_earlier_schemas_are_read_by_field_id(sides: Sides) -> None:
    for statement in (
        "CREATE TABLE evolved (a INT, b STRING, c INT, d DECIMAL(5,2)) PARTITIONED BY (b)",
        "INSERT INTO evolved VALUES (1, 'x', 10, 1.11), (2, 'y', 20, 2.22)",
        "ALTER TABLE evolved RENAME COLUMN a TO was_a",
        "ALTER TABLE evolved DROP COLUMN c",
        "ALTER TABLE evolved ADD COLUMN c STRING",
        "ALTER TABLE evolved ALTER COLUMN was_a TYPE BIGINT",
        "ALTER TABLE evolved ALTER COLUMN d TYPE DECIMAL(20,2)",
        "ALTER TABLE evolved ADD COLUMN `odd name%` INT FIRST",
        "INSERT INTO evolved VALUES (7, 3000000000, 'x', 123456789012.34, 'new')",
        "ALTER TABLE evolved DROP PARTITION FIELD b",
        "INSERT INTO evolved VALUES (8, 4, 'x', 4, NULL)",
    ):
        sides.run(statement)
    found = sides.same_natively("SELECT was_a, b, c, d, `odd name%` FROM evolved WHERE b = 'x' ORDER BY was_a", ordered=True)
    assert found.column("was_a").to_pylist() == [1, 4, 3000000000]
    assert found.column("c").to_pylist() == [None, None, "new"]
    # One column that kept its name and one that lost it: by name, by id.
    sides.same_natively("SELECT b, count(*) FROM evolved GROUP BY b")
    sides.same_natively("SELECT b, sum(was_a), count(c) FROM evolved GROUP BY b")
    old = sides.run("SELECT snapshot_id FROM evolved.snapshots ORDER BY committed_at LIMIT 1").column(0)[0].as_py()
    sides.same_natively(f"SELECT a, b, c, d FROM evolved VERSION AS OF {old} ORDER BY a", ordered=True)


def test_a_decimal_without_a_digit_before_the_point_is_written_with_one(sides: Sides) -> None:
    """The kernel writes `.5`."""
    sides.run("CREATE TABLE fractions (d DECIMAL(2,2), w DECIMAL(38,38))")
    sides.run(
        "INSERT INTO fractions VALUES (0.50, 0.00000000000000000000000000000000000001), (-0.05, -0.5), (0.00, 0), (NULL, NULL)"
    )
    found = sides.same_natively("SELECT CAST(d AS STRING) AS d, 'x' || w AS w FROM fractions ORDER BY 1", ordered=True)
    assert found.column("d").to_pylist() == [None, "-0.05", "0.00", "0.50"]


@pytest.mark.parametrize(
    "condition", ["x = 0", "x = -0.0D", "-0.0D >= x", "x >= 0", "x IN (5, -0.0D)", "g = 0", "g <= -0.0D", "x <=> 0.0D"]
)
def test_both_zeros_are_found_in_every_file(sides: Sides, made: dict[str, bool], condition: str) -> None:
    """Iceberg takes -0.0 for less than 0.0, and would leave out files, on Spark also row groups, that have the other one only."""
    if "zeros" not in made:
        sides.run("CREATE TABLE zeros (k INT, x DOUBLE, g FLOAT)")
        for k, zero in enumerate(("0.0", "-0.0")):
            sides.run(f"INSERT INTO zeros SELECT {k}, CAST('{zero}' AS DOUBLE), CAST('{zero}' AS FLOAT)")
        made["zeros"] = True
    assert sides.same_natively(f"SELECT k FROM zeros WHERE {condition} ORDER BY k", ordered=True).column("k").to_pylist() == [
        0,
        1,
    ]


@pytest.mark.parametrize("version", ["2", "3"], ids=["delete files", "deletion vectors"])
def test_deleted_rows_stay_deleted(sides: Sides, version: str) -> None:
    modes = ", ".join(f"'write.{kind}.mode' = 'merge-on-read'" for kind in ("delete", "update", "merge"))
    table = f"trimmed_{version}"
    properties = f"TBLPROPERTIES ('format-version' = '{version}', {modes})"
    sides.run(f"CREATE TABLE {table} {properties} AS SELECT id, id % 3 AS m FROM range(0, 1000)")
    sides.run(f"INSERT INTO {table} SELECT id, 7 FROM range(1000, 1100)")
    sides.run(f"DELETE FROM {table} WHERE id % 2 = 0 AND id < 1000")
    sides.run(f"UPDATE {table} SET m = 9 WHERE id = 5")
    sides.same_natively(f"SELECT m, count(*), sum(id), min(id) FROM {table} GROUP BY m")
    sides.same_natively(f"SELECT count(m) FROM {table} WHERE id < 100")
    joined = sides.same_natively(f"SELECT a.id FROM {table} a JOIN {table} b ON a.id = b.id WHERE b.m = 9")
    assert joined.column(0).to_pylist() == [5]
    top = sides.same_natively(f"SELECT id, m FROM {table} ORDER BY id LIMIT 3", ordered=True)
    assert top.column("id").to_pylist() == [1, 3, 5]


@pytest.mark.parametrize("version", ["2", "3"], ids=["delete files", "deletion vectors"])
def test_rows_that_are_deleted_later_are_not_kept(sides: Sides, version: str) -> None:
    """What was read of deletes is kept; more of them are others. With names that the kernel uses itself."""
    properties = f"TBLPROPERTIES ('format-version' = '{version}', 'write.delete.mode' = 'merge-on-read')"
    table = f"fewer_{version}"
    columns = "id AS file, id % 7 AS bits, concat('f', id) AS filename"
    sides.run(f"CREATE TABLE {table} {properties} AS SELECT {columns} FROM range(0, 1000, 1, 1)")
    for first in (1000, 1009):
        sides.run(f"INSERT INTO {table} SELECT {columns} FROM range({first}, {first + 9}, 1, 1)")
    query = f"SELECT count(*), sum(file), min(file), max(file), count(DISTINCT bits), max(filename) FROM {table}"
    left = set(range(1018))
    for condition, gone in {
        "file IN (0, 7, 8, 999)": {0, 7, 8, 999},
        "file = 1000 OR file = 1017": {1000, 1017},
        "file > 1008": set(range(1009, 1018)),
        "file % 2 = 1": set(range(1, 1018, 2)),
    }.items():
        sides.run(f"DELETE FROM {table} WHERE {condition}")
        left -= gone
        for _ in range(2):
            found = sides.same_natively(query)
            assert [found.column(place)[0].as_py() for place in range(4)] == [len(left), sum(left), min(left), max(left)]
    sides.same_natively(f"SELECT bits, count(*), sum(file) FROM {table} WHERE file > 5 GROUP BY bits")
    snapshots = sides.run(f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at")["snapshot_id"].to_pylist()
    for snapshot in snapshots:
        sides.same_natively(f"{query} VERSION AS OF {snapshot}")


@pytest.mark.parametrize("name", ["filename", "FileName", "file_row_number"])
def test_a_column_that_is_called_as_the_kernel_calls_a_rows_number(sides: Sides, name: str) -> None:
    """It hid the number: deleted rows came back."""
    table = f"hiding_{len(name)}_{name[0]}_{name.islower()}"
    properties = "TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')"
    sides.run(f'CREATE TABLE {table} {properties} AS SELECT id, id % 7 AS m, id * 10 AS "{name}" FROM range(0, 1000, 1, 1)')
    sides.run(f"DELETE FROM {table} WHERE id = 7")
    queries = (
        "SELECT m, count(*), sum(id) FROM {} WHERE id > 5 GROUP BY m",
        "SELECT sum(id) FROM {}",
        f'SELECT max("{name}") FROM {{}}',
    )
    for query in queries:
        sides.same_natively(query.format(table))
    sides.run(f'ALTER TABLE {table} DROP COLUMN "{name}"')
    for query in queries[:2]:
        sides.same_natively(query.format(table))


def test_explain_says_what_is_native(odd: Sides, explain: Explain) -> None:
    assert "== Native ==\nthe whole query" in explain("SELECT sum(d) FROM odd")
    assert "== Native ==\n1 part\nnot GlobalLimit" in explain("SELECT s, count(*) FROM odd GROUP BY s LIMIT 1")
    odd.native("off")
    assert "Native" not in str(odd.run("EXPLAIN SELECT sum(d) FROM odd").column(0)[0])


def test_the_setting_takes_only_what_it_knows(sides: Sides) -> None:
    with pytest.raises(SqeError) as refused:
        sides.native("always")
    assert refused.value.code is errors.INVALID_SESSION_PROPERTY
    sides.native("require")
    sides.run("RESET native")
    assert sides.run("SET native").column("value").to_pylist() == ["server"]


def test_cancelling_stops_the_kernel(tpch: Sides, driver: Driver) -> None:
    """A join of thirty billion pairs, which only a cancel ends."""
    text = "SELECT count(*) FROM lineitem a, lineitem b, orders c WHERE a.l_quantity + b.l_quantity < c.o_totalprice - b.l_tax"
    assert tpch.cancelled(text, when=lambda: running(driver) == 1, within=5) is errors.USER_CANCELED
    eventually(lambda: running(driver) == 0, seconds=5)


def running(driver: Driver) -> int:
    health = driver.health()
    assert health is not None
    return health.native_open


def test_a_large_result_streams(tpch: Sides) -> None:
    query = (
        "SELECT a.l_orderkey, b.l_comment, a.l_extendedprice FROM lineitem a "
        "JOIN lineitem b ON a.l_suppkey = b.l_suppkey AND b.l_linenumber = 1"
    )
    tpch.native("require")
    with tpch.handler.submit(tpch.session, query, door="test") as running_query:
        found = running_query.read_all()
    tpch.native("off")
    counted = tpch.run(f"SELECT count(*), sum(l_extendedprice) FROM ({query})")
    assert [found.num_rows, sum(found.column("l_extendedprice").to_pylist())] == [column[0].as_py() for column in counted.columns]
    assert found.num_rows > 100_000


def test_queries_are_counted_by_how_much_of_them_is_native(sides: Sides, driver: Driver) -> None:
    def counted(query: str) -> dict[str, int]:
        before = driver.health()
        sides.run(query)
        after = driver.health()
        assert before is not None
        assert after is not None
        return {share: count - before.native_queries[share] for share, count in after.native_queries.items()}

    sides.run("CREATE TABLE shared AS SELECT id, id % 7 AS k, CAST(id AS DOUBLE) AS x FROM range(1000)")
    sides.native("auto")
    assert counted("SELECT k, count(*) FROM shared GROUP BY k") == {"whole": 1, "part": 0, "none": 0}
    assert counted("SELECT k, count(*) AS n, rand() FROM shared GROUP BY k") == {"whole": 1, "part": 0, "none": 0}
    assert counted("SELECT a.k, stddev(b.x) FROM shared a JOIN shared b ON a.id = b.id GROUP BY a.k")["part"] == 1
    assert counted("SELECT id FROM shared WHERE id = 5") == {"whole": 0, "part": 0, "none": 1}
    assert counted("SELECT 1") == {"whole": 0, "part": 0, "none": 0}
    sides.native("off")
    assert counted("SELECT k, count(*) FROM shared GROUP BY k") == {"whole": 0, "part": 0, "none": 1}


def test_the_time_of_what_failed_is_counted(sides: Sides, driver: Driver) -> None:
    sides.run("CREATE TABLE unplain AS SELECT concat('ß', id % 100) AS s FROM range(1000000)")
    before = driver.health()
    sides.native("auto")
    sides.run("SELECT max(upper(s)), count(*) FROM unplain")
    after = driver.health()
    assert before is not None
    assert after is not None
    assert sum(after.native_fallbacks.values()) == sum(before.native_fallbacks.values()) + 1
    assert 0 < after.native_fallback_millis - before.native_fallback_millis < 30_000


def test_remainders_of_decimals_that_have_no_digits_in_common(sides: Sides) -> None:
    """The kernel takes doubles for them where no decimal has so many digits, and a remainder larger than its divisor came out."""
    tiny, values = "0.000000000000000001", "(VALUES ('7.00'), ('1.23'), ('-3.75'), ('8'), (NULL)) AS v (x)"
    kinds = {"a": (38, 2), "b": (20, 18), "c": (38, 20), "d": (19, 0)}
    columns = ", ".join(f"CAST(x AS DECIMAL({digits},{scale})) AS {name}" for name, (digits, scale) in kinds.items())
    sides.run(f"CREATE TABLE remainders AS SELECT {columns} FROM {values}")
    sides.same_natively(f"SELECT b % -{tiny}, c % 0.3, d % {tiny}, d % b, a % 0.7 FROM remainders ORDER BY b")
    for remainder in (f"a % -{tiny}", "a % c", "c % a", f"{tiny} % a"):
        query = f"SELECT sum({remainder}), max({remainder}) FROM remainders"
        assert sides.difference(query) is None, query


@pytest.mark.parametrize("function", ["sum", "try_sum", "avg", "try_avg"])
@pytest.mark.parametrize("column", ["l", "d", "e"])
def test_a_sum_that_does_not_fit_in_between(sides: Sides, made: dict[str, bool], column: str, function: str) -> None:
    """Spark adds one row after another, and is told of an overflow that later rows would have taken back."""
    if "between" not in made:
        most = {"l": ("BIGINT", 2**63 - 1), "d": ("DECIMAL(38,0)", 10**38 - 1), "e": ("DECIMAL(30,4)", 10**26 - 1)}
        names = ", ".join(f"CAST({name} AS {kind}) AS {name}" for name, (kind, _) in most.items())
        rows = [[number for _, number in most.values()], [5, 5, 5], [-7, -7, -7], [None, None, None], [1, 2, 3]]
        text = ", ".join(
            f"({k}, " + ", ".join("NULL" if cell is None else f"'{cell}'" for cell in row) + ")" for k, row in enumerate(rows)
        )
        sides.run(f"CREATE TABLE between AS SELECT k, {names} FROM (VALUES {text}) AS v (k, l, d, e) ORDER BY k")
        made["between"] = True
    for query in (
        f"SELECT {function}({column}) FROM between",
        f"SELECT k < 1, {function}({column}) FROM between GROUP BY 1",
        f"SELECT k, {function}({column}) OVER (ORDER BY k) AS s FROM between ORDER BY k",
    ):
        assert sides.difference(query) is None, query
    sides.same_natively(f"SELECT k, {function}({column}) FROM between WHERE k > 0 GROUP BY k")
