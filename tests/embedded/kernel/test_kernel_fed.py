"""Files that the kernel does not read itself are decoded by Iceberg's reader, and the rest of the query is native."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from partitions import left
from sides import FED, Sides
from waiting import eventually

from sqe import errors
from sqe.engine.driver import Driver

Explain = Callable[[str], str]

COLUMNS = """id, id % 7 AS k, CAST(id % 100 AS INT) AS i, CAST(id AS SMALLINT) AS h, CAST(id % 50 AS TINYINT) AS t,
    CAST(id AS DECIMAL(9,2)) AS d, CAST(id AS DECIMAL(38,10)) * 1000 AS w, if(id % 5 = 0, NULL, concat('text ', id, 'ä')) AS s,
    id % 2 = 0 AS b, date_add(DATE '2000-01-01', CAST(id % 900 AS INT)) AS day, timestamp_micros(id * 1000001) AS at,
    CAST(timestamp_micros(id) AS TIMESTAMP_NTZ) AS here, id / 8D AS x, CAST(id AS FLOAT) AS g"""

TABLES = {
    "mapped": FED,
    "many_files": f"PARTITIONED BY (bucket(8, id)) {FED}",
}


@pytest.fixture(scope="module")
def made() -> set[str]:
    return set()


@pytest.fixture
def fed(sides: Sides, made: set[str]) -> Sides:
    if not made:
        for name, properties in TABLES.items():
            sides.run(f"CREATE TABLE {name} {properties} AS SELECT {COLUMNS} FROM range(20000)")
        sides.run("CREATE TABLE plain AS SELECT id AS k, concat('k', id) AS name FROM range(7)")
        made.add("all")
    return sides


QUERIES = [
    "SELECT k, count(*), count(s), sum(d), max(w), min(s), max(day), max(at), max(here), sum(i), sum(h), sum(t) FROM {t} "
    "WHERE id < 19000 GROUP BY k",
    "SELECT name, sum(d) FROM {t} JOIN plain USING (k) WHERE b AND s LIKE '%9%' GROUP BY name",
    "SELECT a.id, b.s, b.x, b.g FROM {t} a JOIN {t} b ON a.id = b.id + 1 WHERE a.i < 3 ORDER BY a.id",
    "SELECT * FROM {t} ORDER BY id DESC LIMIT 100",
    "SELECT count(s) FROM {t} WHERE d > (SELECT avg(d) FROM {t})",
    "SELECT max(id) FROM {t} WHERE id < 0",
]


@pytest.mark.parametrize("table", TABLES)
def test_the_rest_is_native(fed: Sides, explain: Explain, driver: Driver, table: str) -> None:
    before = fed.fallbacks()
    for query in QUERIES:
        fed.same_natively(query.format(t=table), ordered="ORDER BY" in query)
    assert fed.fallbacks() == before, "it ran on Spark in the end"
    assert "(read by Iceberg)" in explain(QUERIES[0].format(t=table))
    assert left(driver) == (0, 0)


def test_one_row_of_it_is_sparks(fed: Sides, explain: Explain) -> None:
    """Which is faster at that (jvm: Worth), unless values have to be told apart."""
    query = "SELECT count(s), sum(d), max(i) + 1 FROM mapped WHERE b"
    assert fed.difference(query) is None
    assert "not Aggregate: few rows of columns that the kernel would be given" in explain(query)
    assert "the whole query" in explain("SELECT count(DISTINCT s) FROM mapped WHERE b")


@pytest.mark.parametrize("kind", ["avro", "orc"])
def test_what_iceberg_reads_by_rows_is_left_to_spark(sides: Sides, explain: Explain, kind: str) -> None:
    sides.run(f"CREATE TABLE {kind} TBLPROPERTIES ('write.format.default' = '{kind}') AS SELECT id, id % 3 AS k FROM range(10)")
    query = f"SELECT k, count(*) FROM {kind} GROUP BY k"
    assert sides.difference(query) is None
    assert ": files that are read by rows" in explain(query)


def test_rows_that_come_once_are_not_asked_for_twice(fed: Sides, explain: Explain) -> None:
    """A comparison with what can fail stands twice in the kernel's text, and its subquery with it."""
    fed.same_natively("SELECT count(*) FROM plain WHERE k > (SELECT min(k) FROM mapped WHERE i > 3) AND 10 / (k + 1) > 1")
    # An aggregate that stands twice is made once.
    fed.same_natively("SELECT count(*) FROM plain WHERE if(k > 2, k, 1) + (SELECT min(k) FROM mapped WHERE i > 3) > 1")
    query = "SELECT count(*) FROM plain WHERE if(k > 2, k, 1) + (SELECT k FROM mapped WHERE i = 3) > 1"
    assert fed.difference(query) is None
    assert ": scan by Iceberg's reader that is needed twice" in explain(query)


def test_a_damaged_file_is_sparks_error(sides: Sides, driver: Driver) -> None:
    sides.run(f"CREATE TABLE damaged {FED} AS SELECT id, id % 3 AS k FROM range(1000)")
    path = sides.run("SELECT file_path FROM damaged.files").column(0)[0].as_py().removeprefix("file:")
    with open(path, "r+b") as file:
        file.truncate(100)
    assert sides.difference("SELECT k, count(*) FROM damaged GROUP BY k") is None
    assert left(driver) == (0, 0)


@pytest.mark.parametrize("text", ["X'82'", "X'4182'", "X'ff'"])
def test_text_that_is_none_is_sparks(sides: Sides, driver: Driver, text: str) -> None:
    """The kernel believes columns that it is given: it counted no letter where Spark counts one."""
    table = f"bytes_{text[2:-1]}"
    sides.run(f"CREATE TABLE {table} {FED} AS SELECT id, CAST(if(id = 77, {text}, X'c3a4') AS STRING) AS s FROM range(100)")
    before = sides.fallbacks()
    assert sides.difference(f"SELECT length(s) AS n, count(*) FROM {table} GROUP BY 1 ORDER BY n", ordered=True) is None
    assert sides.fallbacks() == before + 1
    assert left(driver) == (0, 0)


def test_cancelling_ends_the_decoders(fed: Sides, driver: Driver) -> None:
    text = "SELECT count(*) FROM many_files a, many_files b, many_files c WHERE a.x + b.x < c.x AND a.s < concat(b.s, c.s)"
    assert fed.cancelled(text, when=lambda: left(driver)[0] == 1) is errors.USER_CANCELED
    eventually(lambda: left(driver) == (0, 0))
