"""SSB's data: sizes, keys and the shares that its specification derives for each question, and answers worked out another way."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import numpy as np
import pyarrow.compute as pc
import pytest
from suite_data import SMALL, generated, in_duckdb, near, one, orphans

from sqe.bench.suites.ssb import SUITE

TABLES = {table.name: table for table in SUITE.tables}


@pytest.fixture(scope="module")
def ssb() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = in_duckdb(SUITE)
    yield connection
    connection.close()


@pytest.mark.parametrize(
    ("scale", "published"),
    [
        (1, {"lineorder": 6_000_000, "customer": 30_000, "supplier": 2_000, "part": 200_000, "dates": 2_556}),
        (10, {"lineorder": 60_000_000, "customer": 300_000, "supplier": 20_000, "part": 800_000, "dates": 2_556}),
    ],
)
def test_tables_have_the_published_sizes(scale: float, published: dict[str, int]) -> None:
    assert {name: table.rows(scale) for name, table in TABLES.items()} == published


@pytest.mark.parametrize(
    ("key", "parent", "parent_key"),
    [
        ("lo_custkey", "customer", "c_custkey"),
        ("lo_suppkey", "supplier", "s_suppkey"),
        ("lo_partkey", "part", "p_partkey"),
        ("lo_orderdate", "dates", "d_datekey"),
        ("lo_commitdate", "dates", "d_datekey"),
    ],
)
def test_every_line_points_to_rows_that_are_there(ssb: duckdb.DuckDBPyConnection, key: str, parent: str, parent_key: str) -> None:
    assert orphans(ssb, "lineorder", key, parent, parent_key) == 0
    assert one(ssb, f"SELECT count(*) - count(DISTINCT {parent_key}) FROM {parent}") == 0


# The filter factors of the specification's section 3; orders end on 1998-08-02, so that a year has 365/2406 of them.
_YEAR = 365 / 2406


@pytest.mark.parametrize(
    ("where", "share"),
    [
        ("d_year = 1993 AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25", _YEAR * 3 / 11 * 24 / 50),
        ("d_yearmonthnum = 199401 AND lo_discount BETWEEN 4 AND 6 AND lo_quantity BETWEEN 26 AND 35", 31 / 2406 * 3 / 11 / 5),
        ("p_category = 'MFGR#12'", 1 / 25),
        ("p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228'", 1 / 125),
        ("p_mfgr IN ('MFGR#1', 'MFGR#2')", 2 / 5),
        ("lo_orderpriority = '1-URGENT'", 1 / 5),
        ("lo_shipmode = 'REG AIR'", 1 / 7),
    ],
)
def test_filters_keep_the_published_share(ssb: duckdb.DuckDBPyConnection, where: str, share: float) -> None:
    # Parts are 2,000 at this scale, and lines of one part are not independent.
    sql = f"SELECT avg(({where})::INT) FROM lineorder JOIN dates ON lo_orderdate = d_datekey JOIN part ON lo_partkey = p_partkey"
    assert near(one(ssb, sql), share, 2_000 if "p_" in where else 60_000)


def test_places_have_equal_shares_of_customers_and_suppliers() -> None:
    for table, key, each in (("customer", "c_city", 120), ("supplier", "s_city", 8)):
        counts = pc.value_counts(generated(TABLES[table], 1)[key])
        assert {count["counts"].as_py() for count in counts} == {each}
        assert len(counts) == 250


def test_a_third_of_the_customers_never_orders_and_orders_have_one_to_seven_lines(ssb: duckdb.DuckDBPyConnection) -> None:
    assert one(ssb, "SELECT count(DISTINCT lo_custkey) FROM lineorder") <= 200
    assert one(ssb, "SELECT count(*) FROM lineorder WHERE lo_custkey % 3 = 0") == 0
    orders = "SELECT count(*) AS n FROM lineorder GROUP BY lo_orderkey"
    sizes = ssb.execute(f"SELECT n, count(*) FROM ({orders}) GROUP BY n ORDER BY n").fetchall()
    assert [size for size, _ in sizes] == [1, 2, 3, 4, 5, 6, 7]
    assert max(count for _, count in sizes) - min(count for _, count in sizes) <= 2  # the last group is cut


def test_amounts_of_a_line_and_its_order_agree(ssb: duckdb.DuckDBPyConnection) -> None:
    assert one(ssb, "SELECT count(*) FROM lineorder WHERE lo_revenue <> lo_extendedprice * (100 - lo_discount) // 100") == 0
    wrong = """SELECT count(*) FROM (SELECT max(lo_ordtotalprice) AS told, min(lo_ordtotalprice) AS least,
        sum(lo_extendedprice * (100 - lo_discount) // 100 * (100 + lo_tax) // 100) AS worked_out
        FROM lineorder GROUP BY lo_orderkey)
        WHERE told <> worked_out OR least <> told"""
    assert one(ssb, wrong) == 0


def test_orders_that_lie_across_two_batches_have_one_total() -> None:
    """A batch has 65,536 lines: those of the order at each border have to agree with lines of another batch."""
    lines = generated(TABLES["lineorder"], 0.05)
    assert lines.num_rows > 4 * 65_536
    orders = lines.group_by("lo_orderkey").aggregate([("lo_ordtotalprice", "min"), ("lo_ordtotalprice", "max")])
    assert orders["lo_ordtotalprice_min"].equals(orders["lo_ordtotalprice_max"])
    keys = lines["lo_orderkey"].to_numpy()
    assert any(keys[border - 1] == keys[border] for border in range(65_536, len(keys), 65_536))
    assert (np.diff(keys) >= 0).all()


def test_days_are_those_of_the_calendar(ssb: duckdb.DuckDBPyConnection) -> None:
    wrong = """SELECT count(*) FROM (SELECT *, strptime(d_datekey::VARCHAR, '%Y%m%d') AS day FROM dates)
        WHERE strftime(day, '%A') <> d_dayofweek OR strftime(day, '%B %-d, %Y') <> d_date OR dayofyear(day) <> d_daynuminyear
        OR strftime(day, '%b%Y') <> d_yearmonth OR (last_day(day) = day) <> d_lastdayinmonthfl"""
    assert one(ssb, wrong) == 0


def test_the_first_question_worked_out_by_hand(ssb: duckdb.DuckDBPyConnection) -> None:
    lines = generated(TABLES["lineorder"])
    date, discount, quantity, price = (
        lines[f"lo_{name}"].to_numpy().astype(np.int64) for name in ("orderdate", "discount", "quantity", "extendedprice")
    )
    kept = (date // 10_000 == 1993) & (discount >= 1) & (discount <= 3) & (quantity < 25)
    [first] = [query for query in SUITE.queries(SMALL) if query.name == "q1.1"]
    assert one(ssb, first.sql) == int((price * discount)[kept].sum())


def test_profit_by_nation_worked_out_by_hand(ssb: duckdb.DuckDBPyConnection) -> None:
    lines, customers, suppliers, parts = (generated(TABLES[name]) for name in ("lineorder", "customer", "supplier", "part"))
    nation = np.array(customers["c_nation"].to_pylist())[lines["lo_custkey"].to_numpy() - 1]
    kept = pc.equal(customers["c_region"], "AMERICA").to_numpy()[lines["lo_custkey"].to_numpy() - 1]
    kept &= pc.equal(suppliers["s_region"], "AMERICA").to_numpy()[lines["lo_suppkey"].to_numpy() - 1]
    kept &= np.isin(np.array(parts["p_mfgr"].to_pylist()), ["MFGR#1", "MFGR#2"])[lines["lo_partkey"].to_numpy() - 1]
    profit = lines["lo_revenue"].to_numpy().astype(np.int64) - lines["lo_supplycost"].to_numpy()
    year = lines["lo_orderdate"].to_numpy() // 10_000
    groups = sorted({(int(y), str(n)) for y, n in zip(year[kept], nation[kept], strict=True)})
    expected = [(y, n, int(profit[kept & (year == y) & (nation == n)].sum())) for y, n in groups]
    [question] = [query for query in SUITE.queries(SMALL) if query.name == "q4.1"]
    assert ssb.execute(question.sql).fetchall() == expected
