"""TPC-E's data: the specification's sizes per customer, trades that agree with each other, and an answer worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import duckdb
import pytest
from suite_data import SMALL, generated, in_duckdb, near, one, orphans

from sqe.bench.suites.tpce import SUITE

TABLES = {table.name: table for table in SUITE.tables}


@pytest.fixture(scope="module")
def tpce() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = in_duckdb(SUITE)
    yield connection
    connection.close()


def test_tables_have_the_published_sizes_of_a_load_unit() -> None:
    sizes = {name: table.rows(1) for name, table in TABLES.items()}
    fixed = {"sector": 12, "industry": 102, "exchange": 4, "status_type": 5, "trade_type": 5}
    per_customer = {"customer": 5_000, "customer_account": 25_000, "broker": 50, "watch_list": 5_000, "watch_item": 500_000}
    per_company = {"company": 2_500, "security": 3_425, "last_trade": 3_425, "daily_market": 3_425 * 1_305, "financial": 50_000}
    for published in (fixed, per_customer, per_company):
        assert {name: sizes[name] for name in published} == published
    # Ten trading days of the specification's three hundred: 17,280 trades a customer there.
    completed = 17_280 * 5_000 // 30
    assert sizes["settlement"] == completed
    assert sizes["cash_transaction"] == completed * 92 // 100
    assert sizes["trade"] == completed + sizes["trade_request"]
    assert sizes["trade_history"] == completed * 24 // 10 + sizes["trade_request"]


@pytest.mark.parametrize(
    ("child", "key", "parent", "parent_key"),
    [
        ("industry", "in_sc_id", "sector", "sc_id"),
        ("company", "co_in_id", "industry", "in_id"),
        ("security", "s_co_id", "company", "co_id"),
        ("security", "s_ex_id", "exchange", "ex_id"),
        ("last_trade", "lt_s_symb", "security", "s_symb"),
        ("daily_market", "dm_s_symb", "security", "s_symb"),
        ("financial", "fi_co_id", "company", "co_id"),
        ("customer_account", "ca_c_id", "customer", "c_id"),
        ("customer_account", "ca_b_id", "broker", "b_id"),
        ("watch_item", "wi_wl_id", "watch_list", "wl_id"),
        ("watch_item", "wi_s_symb", "security", "s_symb"),
        ("trade", "t_ca_id", "customer_account", "ca_id"),
        ("trade", "(t_ca_id, t_s_symb)", "holding_summary", "(hs_ca_id, hs_s_symb)"),
        ("trade", "t_tt_id", "trade_type", "tt_id"),
        ("trade_history", "th_t_id", "trade", "t_id"),
        ("trade_history", "th_st_id", "status_type", "st_id"),
        ("trade_request", "(tr_t_id, tr_s_symb, tr_qty, tr_bid_price)", "trade", "(t_id, t_s_symb, t_qty, t_bid_price)"),
        ("settlement", "se_t_id", "trade", "t_id"),
        ("cash_transaction", "ct_t_id", "trade", "t_id"),
        ("holding_history", "hh_h_t_id", "trade", "t_id"),
    ],
)
def test_rows_point_to_rows_that_are_there(
    tpce: duckdb.DuckDBPyConnection, child: str, key: str, parent: str, parent_key: str
) -> None:
    assert orphans(tpce, child, key, parent, parent_key) == 0
    assert one(tpce, f"SELECT count(*) - count(DISTINCT {parent_key}) FROM {parent}") == 0


def test_every_security_has_a_price_on_every_weekday_of_five_years(tpce: duckdb.DuckDBPyConnection) -> None:
    assert tpce.execute("SELECT DISTINCT count(DISTINCT dm_date), count(*) FROM daily_market GROUP BY dm_s_symb").fetchall() == [
        (1305, 1305)
    ]
    assert (
        one(tpce, "SELECT count(*) FROM daily_market WHERE isodow(dm_date) > 5 OR dm_low > dm_close OR dm_high < dm_close") == 0
    )
    assert one(tpce, "SELECT min(dm_close) >= 20 AND max(dm_close) <= 30 FROM daily_market")


def test_kinds_of_trades_have_the_specified_shares(tpce: duckdb.DuckDBPyConnection) -> None:
    shares = tpce.execute(
        """SELECT t_tt_id, count(*) / (SELECT count(*) FROM trade WHERE t_st_id = 'CMPT')
        FROM trade WHERE t_st_id = 'CMPT' GROUP BY ALL"""
    ).fetchall()
    assert dict(shares) == pytest.approx({"TMB": 0.3, "TMS": 0.3, "TLB": 0.2, "TLS": 0.1, "TSL": 0.1})
    assert one(tpce, "SELECT avg(t_is_cash::INT) FROM trade WHERE t_st_id = 'CMPT'") == 0.92


def test_higher_tiers_trade_more(tpce: duckdb.DuckDBPyConnection) -> None:
    opened = "trade JOIN customer_account ON ca_id = t_ca_id JOIN customer ON c_id = ca_c_id WHERE t_tt_id = 'TMB'"
    for tier, share in ((1, 0.1), (2, 0.6), (3, 0.3)):
        assert near(one(tpce, f"SELECT avg((c_tier = {tier})::INT) FROM {opened}"), share, 8_640)


def test_a_sale_closes_what_an_earlier_trade_opened(tpce: duckdb.DuckDBPyConnection) -> None:
    pairs = """holding_history JOIN trade AS s ON s.t_id = hh_t_id JOIN trade AS b ON b.t_id = hh_h_t_id
        JOIN trade_type ON tt_id = s.t_tt_id"""
    assert one(tpce, f"SELECT count(*) FROM {pairs} WHERE (hh_t_id <> hh_h_t_id) <> tt_is_sell") == 0
    unlike = "(s.t_ca_id, s.t_s_symb, s.t_qty) <> (b.t_ca_id, b.t_s_symb, b.t_qty) OR s.t_dts < b.t_dts"
    assert one(tpce, f"SELECT count(*) FROM {pairs} WHERE {unlike}") == 0


def test_trades_are_settled_for_what_they_cost(tpce: duckdb.DuckDBPyConnection) -> None:
    wrong = """SELECT count(*) FROM trade JOIN trade_type ON tt_id = t_tt_id JOIN settlement ON se_t_id = t_id
        LEFT JOIN cash_transaction ON ct_t_id = t_id
        WHERE se_amt <> t_trade_price * t_qty * CASE WHEN tt_is_sell THEN 1 ELSE -1 END OR t_is_cash <> (ct_t_id IS NOT NULL)
        OR ct_amt <> se_amt OR t_is_cash <> (se_cash_type = 'Cash Account')"""
    assert one(tpce, wrong) == 0


def test_histories_end_as_their_trades_are(tpce: duckdb.DuckDBPyConnection) -> None:
    wrong = """SELECT count(*) FROM trade JOIN
        (SELECT th_t_id, max_by(th_st_id, th_dts) AS last, count(*) AS n, min(th_dts) AS first
        FROM trade_history GROUP BY th_t_id) AS h ON th_t_id = t_id WHERE last <> t_st_id OR first < t_dts
        OR n <> CASE WHEN t_st_id = 'PNDG' THEN 1 WHEN t_tt_id IN ('TMB', 'TMS') THEN 2 ELSE 3 END"""
    assert one(tpce, wrong) == 0


def test_what_accounts_are_worth_worked_out_by_hand(tpce: duckdb.DuckDBPyConnection) -> None:
    price = {row["lt_s_symb"]: row["lt_price"] for row in generated(TABLES["last_trade"]).to_pylist()}
    accounts = [row for row in generated(TABLES["customer_account"]).to_pylist() if row["ca_c_id"] == 4_300_000_005]
    worth: dict[int, Decimal] = {row["ca_id"]: Decimal(0) for row in accounts}
    for row in generated(TABLES["holding_summary"]).to_pylist():
        if row["hs_ca_id"] in worth:
            worth[row["hs_ca_id"]] += row["hs_qty"] * price[row["hs_s_symb"]]
    expected = sorted(((row["ca_id"], row["ca_bal"], worth[row["ca_id"]]) for row in accounts), key=lambda row: (row[2], row[0]))
    [query] = [query for query in SUITE.queries(SMALL) if query.name == "r2"]
    assert tpce.execute(query.sql).fetchall() == expected
