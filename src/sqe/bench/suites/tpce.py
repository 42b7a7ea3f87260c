"""After TPC-E (revision 1.14): a brokerage house, and the statements of its transactions one by one.

Scale 1 is one load unit of 5,000 customers with ten trading days behind them; the specification has three hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pyarrow as pa

from sqe.bench.suites import tpce_market as market
from sqe.bench.suites import tpce_trades as trading
from sqe.bench.suites.columns import Column, table
from sqe.bench.suites.draws import Numbers
from sqe.bench.suites.suite import Suite, Table
from sqe.bench.suites.tpce_queries import queries

_KINDS = {
    "id": pa.int64(),
    "int": pa.int32(),
    "text": pa.string(),
    "yes": pa.bool_(),
    "day": pa.date32(),
    "time": pa.timestamp("us"),
    "price": pa.decimal128(8, 2),
    "money": pa.decimal128(12, 2),
    "sum": pa.decimal128(15, 2),
}


def _table(rows: Callable[[float], int], columns: Callable[[float, Numbers], Mapping[str, Column]], types: str) -> Table:
    """Named as the function that makes it; `types` has a kind behind every column."""
    words = types.split()
    return table(
        columns.__name__, {name: _KINDS[kind] for name, kind in zip(words[::2], words[1::2], strict=True)}, rows, columns
    )


SUITE = Suite(
    name="tpce",
    what="After TPC-E: the reads and writes of a brokerage house's transactions, a statement each",
    tables=(
        _table(lambda _: len(market.SECTORS), market.sector, "sc_id text sc_name text"),
        _table(lambda _: market.INDUSTRIES, market.industry, "in_id text in_name text in_sc_id text"),
        _table(lambda _: len(market.EXCHANGES), market.exchange, "ex_id text ex_name text ex_open int ex_close int"),
        _table(lambda _: len(market.STATUSES), market.status_type, "st_id text st_name text"),
        _table(lambda _: len(market.TRADE_TYPES), market.trade_type, "tt_id text tt_name text tt_is_sell yes tt_is_mrkt yes"),
        _table(
            market.companies,
            market.company,
            "co_id id co_st_id text co_name text co_in_id text co_sp_rate text co_ceo text co_open_date day",
        ),
        _table(
            lambda scale: market.companies(scale) * market.QUARTERS,
            market.financial,
            "fi_co_id id fi_year int fi_qtr int fi_qtr_start_date day fi_revenue sum fi_net_earn sum fi_basic_eps money",
        ),
        _table(
            market.securities,
            market.security,
            "s_symb text s_issue text s_st_id text s_name text s_ex_id text s_co_id id s_num_out id s_dividend money",
        ),
        _table(market.securities, market.last_trade, "lt_s_symb text lt_dts time lt_price price lt_open_price price lt_vol id"),
        _table(
            lambda scale: market.securities(scale) * market.DAYS,
            market.daily_market,
            "dm_date day dm_s_symb text dm_close price dm_high price dm_low price dm_vol id",
        ),
        _table(
            market.customers,
            trading.customer,
            "c_id id c_tax_id text c_st_id text c_l_name text c_f_name text c_gndr text c_tier int c_dob day c_email_1 text",
        ),
        _table(
            trading.accounts, trading.customer_account, "ca_id id ca_b_id id ca_c_id id ca_name text ca_tax_st int ca_bal money"
        ),
        _table(trading.brokers, trading.broker, "b_id id b_st_id text b_name text b_num_trades int b_comm_total money"),
        _table(market.customers, trading.watch_list, "wl_id id wl_c_id id"),
        _table(lambda scale: market.customers(scale) * trading.watched(scale), trading.watch_item, "wi_wl_id id wi_s_symb text"),
        _table(
            trading.trades,
            trading.trade,
            "t_id id t_dts time t_st_id text t_tt_id text t_is_cash yes t_s_symb text t_qty int t_bid_price price t_ca_id id "
            "t_exec_name text t_trade_price price t_chrg money t_comm money t_tax money",
        ),
        _table(trading.history_rows, trading.trade_history, "th_t_id id th_dts time th_st_id text"),
        _table(
            trading.waiting,
            trading.trade_request,
            "tr_t_id id tr_tt_id text tr_s_symb text tr_qty int tr_bid_price price tr_b_id id",
        ),
        _table(trading.completed, trading.settlement, "se_t_id id se_cash_type text se_cash_due_date day se_amt money"),
        _table(trading.cash_rows, trading.cash_transaction, "ct_t_id id ct_dts time ct_amt money ct_name text"),
        _table(
            lambda scale: trading.accounts(scale) * trading.HELD, trading.holding_summary, "hs_ca_id id hs_s_symb text hs_qty int"
        ),
        _table(trading.completed, trading.holding_history, "hh_h_t_id id hh_t_id id hh_before_qty int hh_after_qty int"),
    ),
    queries=queries,
)
