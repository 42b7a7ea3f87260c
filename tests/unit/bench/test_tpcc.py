"""TPC-C's data: the population of clause 4.3.3, the consistency conditions of clause 3.3.2, and what its statements answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import duckdb
import numpy as np
import pytest
from suite_data import generated, in_duckdb, near, one, orphans

from sqe.bench.suites.draws import Draw
from sqe.bench.suites.tpcc import LAST_NAMES, SUITE, nurand

TABLES = {table.name: table for table in SUITE.tables}
SCALE = 0.1


@pytest.fixture(scope="module")
def tpcc() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = in_duckdb(SUITE, SCALE)
    yield connection
    connection.close()


@pytest.mark.parametrize("warehouses", [1, 7])
def test_tables_have_the_published_sizes(warehouses: int) -> None:
    sizes = {name: table.rows(warehouses) for name, table in TABLES.items()}
    assert 0.999 < sizes.pop("order_line") / (300_000 * warehouses) < 1.001  # 5 to 15 lines an order
    each = {
        "warehouse": 1,
        "district": 10,
        "stock": 100_000,
        "customer": 30_000,
        "history": 30_000,
        "orders": 30_000,
        "new_order": 9_000,
    }
    assert sizes == {name: rows * warehouses for name, rows in each.items()} | {"item": 100_000}


@pytest.mark.parametrize(
    ("child", "key", "parent", "parent_key"),
    [
        ("district", "d_w_id", "warehouse", "w_id"),
        ("stock", "s_i_id", "item", "i_id"),
        ("customer", "(c_w_id, c_d_id)", "district", "(d_w_id, d_id)"),
        ("history", "(h_c_w_id, h_c_d_id, h_c_id)", "customer", "(c_w_id, c_d_id, c_id)"),
        ("orders", "(o_w_id, o_d_id, o_c_id)", "customer", "(c_w_id, c_d_id, c_id)"),
        ("new_order", "(no_w_id, no_d_id, no_o_id)", "orders", "(o_w_id, o_d_id, o_id)"),
        ("order_line", "(ol_w_id, ol_d_id, ol_o_id)", "orders", "(o_w_id, o_d_id, o_id)"),
        ("order_line", "(ol_supply_w_id, ol_i_id)", "stock", "(s_w_id, s_i_id)"),
    ],
)
def test_rows_point_to_rows_that_are_there(
    tpcc: duckdb.DuckDBPyConnection, child: str, key: str, parent: str, parent_key: str
) -> None:
    assert orphans(tpcc, child, key, parent, parent_key) == 0
    assert one(tpcc, f"SELECT count(*) - count(DISTINCT {parent_key}) FROM {parent}") == 0


def test_every_district_is_consistent(tpcc: duckdb.DuckDBPyConnection) -> None:
    [query] = [query for query in SUITE.queries(SCALE) if query.name == "r8"]
    districts = tpcc.execute(query.sql).fetchall()
    assert len(districts) == 10
    for _, _, newest, last_order, last_new, promised, lines in districts:
        assert newest == last_order == last_new
        assert promised == lines
    assert one(tpcc, "SELECT w_ytd = (SELECT sum(d_ytd) FROM district) FROM warehouse")
    unlike = """SELECT count(*) FROM (SELECT max(o_ol_cnt) AS told, count(*) AS n FROM orders JOIN order_line
        ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id GROUP BY o_w_id, o_d_id, o_id) WHERE told <> n"""
    assert one(tpcc, unlike) == 0


def test_orders_that_wait_have_no_carrier_and_no_day_of_delivery(tpcc: duckdb.DuckDBPyConnection) -> None:
    waiting = "(o_w_id, o_d_id, o_id) IN (SELECT (no_w_id, no_d_id, no_o_id) FROM new_order)"
    assert one(tpcc, f"SELECT count(*) FROM orders WHERE ({waiting}) <> (o_carrier_id IS NULL)") == 0
    assert one(tpcc, "SELECT count(*) / (SELECT count(*) FROM orders) FROM new_order") == 0.3
    assert one(tpcc, "SELECT count(*) FROM order_line WHERE (ol_delivery_d IS NULL) <> (ol_amount > 0)") == 0


def test_every_customer_of_a_district_has_ordered_once(tpcc: duckdb.DuckDBPyConnection) -> None:
    assert tpcc.execute("SELECT DISTINCT count(DISTINCT o_c_id), count(*) FROM orders GROUP BY o_d_id").fetchall() == [(300, 300)]


def test_one_in_ten_is_original_or_pays_badly() -> None:
    items, customers = generated(TABLES["item"], 1), generated(TABLES["customer"], SCALE)
    original = sum("ORIGINAL" in text for text in items["i_data"].to_pylist())
    assert near(original / items.num_rows, 0.1, items.num_rows)
    bad = Counter(customers["c_credit"].to_pylist())["BC"]
    assert near(bad / customers.num_rows, 0.1, customers.num_rows)


def test_last_names_are_in_turn_first_and_skewed_then() -> None:
    # The third thousand of the first district, which the cut-down warehouse does not have.
    names = next(TABLES["customer"].batches(1))["c_last"].slice(0, 3_000).to_pylist()
    assert names[:1_000] == LAST_NAMES
    assert names[371] == "PRICALLYOUGHT"
    assert len(set(names[1_000:])) < 700  # 2,000 even draws of 1,000 would give 865


def test_nurand_is_not_even() -> None:
    drawn = nurand(Draw("test"), np.arange(200_000), 255, 0, 999)
    counts = np.bincount(drawn, minlength=1_000)
    assert drawn.min() >= 0
    assert drawn.max() <= 999
    assert counts.max() > 4 * counts.mean()  # a number with many ones in it is met by many pairs


def test_what_runs_out_worked_out_by_hand(tpcc: duckdb.DuckDBPyConnection) -> None:
    lines, stock = generated(TABLES["order_line"], SCALE).to_pylist(), generated(TABLES["stock"], SCALE)["s_quantity"].to_pylist()
    recent = {line["ol_i_id"] for line in lines if line["ol_d_id"] == 1 and 281 <= line["ol_o_id"] <= 300}
    [query] = [query for query in SUITE.queries(SCALE) if query.name == "r7"]
    assert one(tpcc, query.sql) == sum(stock[item - 1] < 15 for item in recent) > 0
