"""TPC-E's customers, brokers and trades.

Trades come in tens: three bought and three sold at the market's price, two bought and one sold at a limit, one sold to stop a
loss. A sale closes what an earlier one of its ten opened, with the same account, security and quantity. The orders that still
wait follow behind all trades that are completed.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sqe.bench.suites.columns import Column, chosen, days_since_1970, digits, joined, letters, nulls_where
from sqe.bench.suites.draws import Draw, Numbers
from sqe.bench.suites.tpce_market import DAYS, customers, price, securities, symbols, weekday

FIRST_CUSTOMER, FIRST_ACCOUNT, FIRST_TRADE = 4_300_000_001, 43_000_000_001, 200_000_000_000_001
ACCOUNTS, HELD = 5, 10  # of a customer, and securities of an account
TRADING_DAYS, TRADES_A_DAY = 10, 57.6  # the specification has 300 days: 17,280 trades a customer

_TYPES = ("TMB", "TMS", "TLB", "TLS", "TSL")
_TYPE_OF = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3, 4])
_OPENED_BY = np.array([0, 0, 0, 3, 3, 3, 0, 0, 2, 2])  # so many trades before a sale
_HISTORY = np.array([2, 2, 2, 2, 2, 2, 3, 3, 3, 3])
_HISTORY_TRADE = np.repeat(np.arange(10), _HISTORY)
_HISTORY_STEP = np.concatenate([np.arange(3 - steps, 3) for steps in _HISTORY])
_MICROSECONDS = 1_000_000


def accounts(scale: float) -> int:
    return customers(scale) * ACCOUNTS


def brokers(scale: float) -> int:
    return max(customers(scale) // 100, 5)


def completed(scale: float) -> int:
    return round(customers(scale) * TRADING_DAYS * TRADES_A_DAY) // 100 * 100


def waiting(scale: float) -> int:
    return max(completed(scale) // 500, 200)


def trades(scale: float) -> int:
    return completed(scale) + waiting(scale)


def watched(scale: float) -> int:
    """Securities of a watch list: a hundred, or half of all when there are few."""
    return min(100, securities(scale) // 2)


def broker_of(scale: float, account: Numbers) -> Numbers:
    return account * brokers(scale) // accounts(scale)


def tier(customer: Numbers) -> Numbers:
    """One customer in five is of tier 1, one of tier 3."""
    return np.array([1, 1, 2, 2, 2, 2, 2, 2, 3, 3])[customer % 10]


def held(scale: float, account: Numbers, place: Numbers) -> Numbers:
    """The securities of an account: neighbours, so that no two are the same."""
    return (Draw("tpce.account.security").below(account, securities(scale)) + place) % securities(scale)


def customer(_: float, rows: Numbers) -> Mapping[str, Column]:
    return {
        "c_id": rows + FIRST_CUSTOMER,
        "c_tax_id": joined(digits(rows + 1, 9), "TX"),
        "c_st_id": chosen(("ACTV",), np.zeros(len(rows), dtype=np.int64)),
        "c_l_name": letters(Draw("tpce.customer.last"), rows, 4, 20),
        "c_f_name": letters(Draw("tpce.customer.first"), rows, 3, 15),
        "c_gndr": chosen(("F", "M"), Draw("tpce.customer.gender").below(rows, 2)),
        "c_tier": tier(rows),
        "c_dob": days_since_1970("1920-01-01") + Draw("tpce.customer.born").below(rows, 30_000),
        "c_email_1": joined("customer", digits(rows + 1), "@mail.example"),
    }


def customer_account(scale: float, rows: Numbers) -> Mapping[str, Column]:
    return {
        "ca_id": rows + FIRST_ACCOUNT,
        "ca_b_id": broker_of(scale, rows) + FIRST_CUSTOMER,
        "ca_c_id": rows // ACCOUNTS + FIRST_CUSTOMER,
        "ca_name": joined("Account ", digits(rows + 1)),
        "ca_tax_st": Draw("tpce.account.tax").weighted(rows, (20, 50, 30)),
        "ca_bal": Draw("tpce.account.balance").between(rows, -9_999_999, 99_999_999),
    }


def broker(scale: float, rows: Numbers) -> Mapping[str, Column]:
    each = completed(scale) // brokers(scale)
    return {
        "b_id": rows + FIRST_CUSTOMER,
        "b_st_id": chosen(("ACTV",), np.zeros(len(rows), dtype=np.int64)),
        "b_name": joined("Broker ", digits(rows + 1, 4)),
        "b_num_trades": np.full(len(rows), each),
        "b_comm_total": each * Draw("tpce.broker.commission").between(rows, 1_000, 3_000),
    }


def watch_list(_: float, rows: Numbers) -> Mapping[str, Column]:
    return {"wl_id": rows + 1, "wl_c_id": rows + FIRST_CUSTOMER}


def watch_item(scale: float, rows: Numbers) -> Mapping[str, Column]:
    number, place = rows // watched(scale), rows % watched(scale)
    first = Draw("tpce.watch_item.first").below(number, securities(scale))
    return {"wi_wl_id": number + 1, "wi_s_symb": symbols((first + place) % securities(scale))}


def _what(scale: float, trade: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Account, security and quantity, all from 0 and of the trade that opened what a sale closes."""
    opened = trade - np.where(trade < completed(scale), _OPENED_BY[trade % 10], 0)
    # Customers of tier 2 trade twice, of tier 3 three times as often as of tier 1.
    group = np.array([0, 2, 8])[Draw("tpce.trade.tier").weighted(opened, (10, 60, 30))]
    member = Draw("tpce.trade.member").below(opened, np.where(group == 2, 6, 2))
    who = Draw("tpce.trade.customer").below(opened, customers(scale) // 10) * 10 + group + member
    account = who * ACCOUNTS + Draw("tpce.trade.account").below(opened, ACCOUNTS)
    security = held(scale, account, Draw("tpce.trade.security").below(opened, HELD))
    quantity = np.array([100, 200, 400, 800])[Draw("tpce.trade.quantity").below(opened, 4)]
    return account, security, quantity


def _type(scale: float, trade: Numbers) -> Numbers:
    """A place in `_TYPES`; orders that wait have a limit."""
    limit = 2 + Draw("tpce.trade.limit").below(trade, 3)
    return np.where(trade < completed(scale), _TYPE_OF[trade % 10], limit)


def _when(scale: float, trade: Numbers) -> Numbers:
    """Microseconds since 1970: eight hours on each of the last trading days."""
    day, second = np.divmod(trade * (TRADING_DAYS * 28_800) // trades(scale), 28_800)
    return (weekday(DAYS - TRADING_DAYS + day) * 86_400 + 9 * 3_600 + second) * _MICROSECONDS


def _price(trade: Numbers, security: Numbers) -> Numbers:
    return price(security, np.full(len(trade), DAYS - 1)) + Draw("tpce.trade.price").between(trade, -50, 50)


def trade(scale: float, rows: Numbers) -> Mapping[str, Column]:
    account, security, quantity = _what(scale, rows)
    paid = _price(rows, security)
    open_still = rows >= completed(scale)
    return {
        "t_id": rows + FIRST_TRADE,
        "t_dts": _when(scale, rows),
        "t_st_id": chosen(("CMPT", "PNDG"), np.where(open_still, 1, 0)),
        "t_tt_id": chosen(_TYPES, _type(scale, rows)),
        "t_is_cash": rows % 100 < 92,
        "t_s_symb": symbols(security),
        "t_qty": quantity,
        "t_bid_price": paid + Draw("tpce.trade.bid").between(rows, -20, 20),
        "t_ca_id": account + FIRST_ACCOUNT,
        "t_exec_name": joined("Trader ", digits(Draw("tpce.trade.trader").below(rows, 500))),
        "t_trade_price": nulls_where(paid, open_still),
        "t_chrg": 100 + tier(account // ACCOUNTS) * 50,
        "t_comm": paid * quantity // 1_000,
        "t_tax": paid * quantity // 10_000,
    }


def trade_history(scale: float, rows: Numbers) -> Mapping[str, Column]:
    done = completed(scale) * 24 // 10
    within = rows % 24
    of_done = rows // 24 * 10 + _HISTORY_TRADE[within]
    number = np.where(rows < done, of_done, completed(scale) + rows - done)
    # Limit orders wait first, all are submitted, then completed.
    step = np.where(rows < done, _HISTORY_STEP[within], 0)
    return {
        "th_t_id": number + FIRST_TRADE,
        "th_dts": _when(scale, number) + step * _MICROSECONDS,
        "th_st_id": chosen(("PNDG", "SBMT", "CMPT"), step),
    }


def history_rows(scale: float) -> int:
    return completed(scale) * 24 // 10 + waiting(scale)


def trade_request(scale: float, rows: Numbers) -> Mapping[str, Column]:
    number = rows + completed(scale)
    account, security, quantity = _what(scale, number)
    return {
        "tr_t_id": number + FIRST_TRADE,
        "tr_tt_id": chosen(_TYPES, _type(scale, number)),
        "tr_s_symb": symbols(security),
        "tr_qty": quantity,
        "tr_bid_price": _price(number, security) + Draw("tpce.trade.bid").between(number, -20, 20),
        "tr_b_id": broker_of(scale, account) + FIRST_CUSTOMER,
    }


def _signed(scale: float, number: Numbers) -> Numbers:
    """What a trade brings (sales) or costs, in cents."""
    _, security, quantity = _what(scale, number)
    return _price(number, security) * quantity * np.where(np.isin(_type(scale, number), (1, 3, 4)), 1, -1)


def settlement(scale: float, rows: Numbers) -> Mapping[str, Column]:
    return {
        "se_t_id": rows + FIRST_TRADE,
        "se_cash_type": chosen(("Margin", "Cash Account"), np.where(rows % 100 < 92, 1, 0)),
        "se_cash_due_date": _when(scale, rows) // (86_400 * _MICROSECONDS) + 2,
        "se_amt": _signed(scale, rows),
    }


def cash_transaction(scale: float, rows: Numbers) -> Mapping[str, Column]:
    number = rows // 92 * 100 + rows % 92
    _, security, quantity = _what(scale, number)
    kind = chosen(_TYPES, _type(scale, number))
    return {
        "ct_t_id": number + FIRST_TRADE,
        "ct_dts": _when(scale, number),
        "ct_amt": _signed(scale, number),
        "ct_name": joined(kind, " ", digits(quantity), " shares of ", symbols(security)),
    }


def cash_rows(scale: float) -> int:
    return completed(scale) // 100 * 92


def holding_summary(scale: float, rows: Numbers) -> Mapping[str, Column]:
    account, place = rows // HELD, rows % HELD
    return {
        "hs_ca_id": account + FIRST_ACCOUNT,
        "hs_s_symb": symbols(held(scale, account, place)),
        "hs_qty": Draw("tpce.holding.quantity").between(rows, 1, 80) * 100,
    }


def holding_history(scale: float, rows: Numbers) -> Mapping[str, Column]:
    _, _, quantity = _what(scale, rows)
    opened = _OPENED_BY[rows % 10]
    bought = opened == 0
    return {
        "hh_h_t_id": rows - opened + FIRST_TRADE,
        "hh_t_id": rows + FIRST_TRADE,
        "hh_before_qty": np.where(bought, 0, quantity),
        "hh_after_qty": np.where(bought, quantity, 0),
    }
