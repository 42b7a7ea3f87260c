"""Joins per partition whose other side is made once, and given to each task as Arrow columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest
from bank import Person
from hidden_rows import TABLE, bound_analyst, stay_hidden
from partitions import PER_PARTITION, left, once, shaped
from sides import Sides, difference
from test_kernel_fed import COLUMNS, FED

from sqe import errors
from sqe.engine.driver import Driver
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions
from tests.waiting import eventually

Explain = Callable[[str], str]
Same = Callable[[str], pa.Table]

BUILT = "built once"

JOINED = [
    "SELECT a.i, b.s, b.d, b.l, b.b, b.day, b.at, b.x, md5(a.s) AS h FROM pieces a JOIN odd b ON a.i = b.i ORDER BY a.i, b.s, h",
    "SELECT a.i, b.s, md5(a.s) AS h FROM pieces a LEFT JOIN odd b ON a.i = b.i AND b.b ORDER BY a.i, b.s, h",
    "SELECT a.i, b.s, md5(b.s) AS h FROM odd a RIGHT JOIN pieces b ON a.i = b.i AND a.b ORDER BY a.i, b.s, h",
    "SELECT md5(s) AS h, i FROM pieces a WHERE EXISTS (SELECT 1 FROM odd b WHERE a.i = b.i AND b.l > 0) ORDER BY h, i",
    "SELECT md5(s) AS h, i FROM pieces a WHERE NOT EXISTS (SELECT 1 FROM odd b WHERE a.i = b.i AND b.l > 0) ORDER BY h, i",
    "SELECT md5(s) AS h, i FROM pieces WHERE i NOT IN (SELECT i FROM odd WHERE l = 5) ORDER BY h, i",
    "SELECT i, b OR EXISTS (SELECT 1 FROM odd o WHERE o.i = a.i AND o.b) AS e FROM pieces a ORDER BY i, e LIMIT 4",
    "SELECT b.s, count(*), sum(a.d), avg(a.i) FROM pieces a JOIN odd b ON a.i = b.i GROUP BY b.s",
    "SELECT b.n, count(*), sum(a.d) FROM pieces a JOIN (SELECT i, count(*) AS n FROM odd GROUP BY i) b USING (i) GROUP BY b.n",
    "SELECT a.i, b.s, c.d FROM pieces a JOIN odd b ON a.i = b.i JOIN odd c ON b.l = c.l ORDER BY a.i, b.s, c.d LIMIT 5",
    "SELECT a.i, stddev(b.w) FROM pieces a JOIN pieces b ON a.i = b.i AND b.t > 1 GROUP BY a.i",
    "SELECT count(*), max(a.s) FROM pieces a JOIN empty b ON a.i = b.i",
    "SELECT count(*), max(b.s) FROM pieces a LEFT JOIN (SELECT * FROM odd WHERE i < 0) b ON a.i = b.i",
]
# No two tasks would make the same of them.
NOT_ALIKE = [
    "SELECT b.s, count(*) FROM pieces a JOIN (SELECT s, i FROM odd ORDER BY i DESC, s LIMIT 2) b USING (i) GROUP BY 1 ORDER BY 1",
    "SELECT a.b, max(r) FROM pieces a JOIN (SELECT i, rank() OVER (ORDER BY i) AS r FROM odd) b USING (i) GROUP BY 1 ORDER BY 1",
    "SELECT a.b, count(*) FROM pieces a LEFT JOIN odd b ON a.i = b.i AND b.l < (SELECT max(l) FROM odd WHERE i > 1) GROUP BY a.b",
    "SELECT a.b, count(*) FROM pieces a JOIN (SELECT stddev(i) AS v FROM odd) b ON a.i > b.v GROUP BY a.b",
    "SELECT a.i, b.m, md5(a.s) AS h FROM pieces a JOIN (SELECT i, 10 DIV i AS m FROM odd) b ON a.i = b.i ORDER BY 1, 2, 3",
]


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize("query", [*JOINED, *NOT_ALIKE])
def test_what_is_made_once_joins_as_sparks_own(same: Same, explain: Explain, query: str) -> None:
    same(query)
    assert BUILT in explain(query), explain(query)


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize("query", JOINED)
def test_what_each_task_makes_for_itself_joins_the_same(
    same: Same, explain: Explain, parts: Sides, driver: Driver, query: str
) -> None:
    shaped(driver, parts.session, "repeated")
    same(query)
    assert BUILT not in explain(query)


def test_what_iceberg_decodes_is_decoded_once(same: Same, explain: Explain, parts: Sides, made: set[str]) -> None:
    once(
        made,
        "fed",
        parts,
        "CREATE TABLE facts PARTITIONED BY (bucket(4, id)) AS SELECT id, id % 50 AS k, CAST(id AS STRING) AS s FROM range(20000)",
        f"CREATE TABLE fed {FED} AS SELECT {COLUMNS} FROM range(50)",
    )
    query = "SELECT f.s, count(*), max(f.d), sum(a.id) FROM facts a JOIN fed f ON a.k = f.id WHERE f.id < 40 GROUP BY f.s"
    same(query)
    plan = explain(query)
    assert BUILT in plan
    assert "read by Iceberg" not in plan.split(PER_PARTITION)[1].splitlines()[0]


def test_the_same_side_is_made_once_for_two_fragments(same: Same, parts: Sides) -> None:
    each = "SELECT b.s, count(*) AS n, max(a.{}) AS m FROM pieces a JOIN odd b ON a.i = b.i GROUP BY b.s"
    same(f"SELECT p.s, p.n, p.m, q.m AS o FROM ({each.format('d')}) p JOIN ({each.format('l')}) q ON p.s = q.s")


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize(
    "side",
    [
        "SELECT i, 10 DIV (i - 3) AS m FROM odd",
        "SELECT CAST(l AS INT) AS i, count(*) AS m FROM odd GROUP BY 1",
        "SELECT i, (SELECT i FROM odd) AS m FROM odd",
    ],
)
def test_an_error_of_a_build_side_is_sparks_own(odd: Sides, driver: Driver, side: str) -> None:
    query = f"SELECT a.b, count(*), max(b.m) FROM pieces a JOIN ({side}) b ON a.i = b.i GROUP BY a.b"
    expected = odd.answer("off", query)
    assert isinstance(expected, str)
    assert odd.answer("auto", query) == expected
    eventually(lambda: left(driver) == (0, 0))


def test_a_side_that_is_too_large_is_sparks_and_is_not_tried_again(odd: Sides, made: set[str]) -> None:
    """jvm: BuildExec.mostBytes."""
    once(
        made,
        "wide",
        odd,
        "CREATE TABLE wide AS SELECT id, sha2(string(id), 512) AS a, sha2(string(-id), 512) AS b FROM range(300000)",
    )
    query = "SELECT max(w.a), max(w.b), count(*) FROM pieces p JOIN (SELECT * FROM wide ORDER BY id LIMIT 290000) w ON p.i = w.id"
    before = odd.fallbacks()
    assert odd.difference(query) is None
    assert odd.fallbacks() == before + 1
    assert odd.difference(query) is None
    assert odd.fallbacks() == before + 1


RUNAWAY_SIDE = """
    SELECT count(*) FROM pieces p JOIN (
      SELECT a.id AS i FROM numbers a, numbers b, numbers c WHERE a.id + b.id < c.id ORDER BY a.id LIMIT 3
    ) q ON p.i = q.i"""


def test_cancelling_stops_a_build_side(odd: Sides, driver: Driver, made: set[str]) -> None:
    once(made, "numbers", odd, "CREATE TABLE numbers AS SELECT id FROM range(20000)")
    assert PER_PARTITION in str(odd.run(f"EXPLAIN {RUNAWAY_SIDE}").column(0)[0])
    assert odd.cancelled(RUNAWAY_SIDE, mode="auto", when=lambda: left(driver)[0] >= 1) is errors.USER_CANCELED
    eventually(lambda: left(driver) == (0, 0))


def test_a_time_limit_stops_a_build_side(odd: Sides, driver: Driver, made: set[str]) -> None:
    once(made, "numbers", odd, "CREATE TABLE numbers AS SELECT id FROM range(20000)")
    odd.run("SET query_timeout_seconds = 2")
    assert odd.answer("auto", RUNAWAY_SIDE) == errors.EXCEEDED_TIME_LIMIT.name
    odd.run("RESET query_timeout_seconds")
    eventually(lambda: left(driver) == (0, 0))


@pytest.fixture(scope="module")
def analyst(handler: QueryHandler, driver: Driver, sessions: Sessions) -> Iterator[Person]:
    with bound_analyst(handler, driver, sessions) as person:
        yield person


FILTERED_SIDES = [
    "SELECT id, note AS m FROM {t} ORDER BY balance DESC LIMIT 3",
    "SELECT id, rank() OVER (ORDER BY iban, id) AS m FROM {t}",
    "SELECT id, balance AS m FROM {t} WHERE balance < (SELECT max(balance) FROM {t})",
]
# Each fails for a row that the analyst must not see.
TELLING_SIDES = [
    "SELECT id, 10 / divisor AS m FROM {t} ORDER BY id LIMIT 9",
    "SELECT id, rank() OVER (ORDER BY CAST(digits AS INT)) AS m FROM {t}",
    "SELECT id, balance AS m FROM {t} WHERE balance < (SELECT max(1000 / divisor) FROM {t})",
]


def joined_with(side: str) -> str:
    return f"SELECT a.region, count(*), max(b.m) FROM {{t}} a JOIN ({side}) b ON a.id = b.id GROUP BY a.region"


@pytest.mark.parametrize("side", [*FILTERED_SIDES, *TELLING_SIDES])
def test_hidden_rows_are_in_no_build_side(analyst: Person, driver: Driver, side: str) -> None:
    ran = stay_hidden(
        analyst, driver, f"SELECT a.region, count(*), max(b.m) FROM {{t}} a JOIN ({side}) b ON a.id = b.id GROUP BY a.region"
    )
    assert ran or side in TELLING_SIDES


@pytest.mark.parametrize("side", FILTERED_SIDES)
def test_a_filtered_side_is_one_that_is_built(parts: Sides, explain: Explain, analyst: Person, side: str) -> None:
    """As an administrator sees it: the test above is of build sides."""
    of_all = side.format(t=TABLE)
    assert BUILT in explain(
        f"SELECT a.region, count(*), max(b.m) FROM {TABLE} a JOIN ({of_all}) b ON a.id = b.id GROUP BY a.region"
    )


def test_a_defect_of_the_kernel_is_answered_by_spark_whatever_was_built(odd: Sides) -> None:
    query = "SELECT upper(a.s) AS u, max(b.d) FROM pieces a JOIN odd b ON a.i = b.i WHERE a.i < 999 GROUP BY 1"
    before = odd.fallbacks()
    assert odd.difference(query) is None
    assert odd.fallbacks() == before + 1


def test_rows_of_a_build_side_may_be_written_to_a_table(odd: Sides) -> None:
    odd.native("auto")
    odd.run("CREATE TABLE joined AS SELECT b.s, count(*) AS n FROM pieces a JOIN odd b ON a.i = b.i GROUP BY b.s")
    written = odd.run("SELECT * FROM joined")
    expected = odd.answer("off", "SELECT b.s, count(*) AS n FROM pieces a JOIN odd b ON a.i = b.i GROUP BY b.s")
    assert not isinstance(expected, str)
    assert sorted(written.to_pydict()["n"]) == sorted(expected.to_pydict()["n"])


def test_one_task_makes_it_for_itself(odd: Sides, explain: Explain, driver: Driver) -> None:
    shaped(driver, odd.session, "auto")
    query = "SELECT o.s, stddev(a.i) FROM pieces a JOIN odd o ON a.i = o.i GROUP BY o.s"
    plan = explain(query)
    assert PER_PARTITION in plan
    assert BUILT not in plan
    assert difference(odd.answer("off", query), odd.answer("auto", query)) is None
