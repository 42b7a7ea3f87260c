"""TPC-E's market: sectors, industries, companies, securities and their prices day by day."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from sqe.bench.suites.columns import Column, chosen, days_since_1970, digits, joined, letters
from sqe.bench.suites.draws import Draw, Numbers

SECTORS = (
    "Basic Materials,Capital Goods,Conglomerates,Consumer Cyclical,Consumer Non-Cyclical,Energy,Financial,Healthcare,Services,"
    "Technology,Transportation,Utilities"
).split(",")
EXCHANGES = ("NYSE", "NASDAQ", "AMEX", "PCX")
STATUSES = {"ACTV": "Active", "CMPT": "Completed", "CNCL": "Canceled", "PNDG": "Pending", "SBMT": "Submitted"}
TRADE_TYPES = {"TMB": "Market-Buy", "TMS": "Market-Sell", "TLB": "Limit-Buy", "TLS": "Limit-Sell", "TSL": "Stop-Loss"}
INDUSTRIES, DAYS, QUARTERS = 102, 1_305, 20  # five years of weekdays, and of quarters
_MONDAY = days_since_1970("2000-01-03")
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def customers(scale: float) -> int:
    """One load unit of the specification at scale 1."""
    return max(round(5_000 * scale), 50)


def companies(scale: float) -> int:
    return customers(scale) // 2


def securities(scale: float) -> int:
    return customers(scale) * 685 // 1_000


def symbols(security: Numbers) -> pa.Array:
    """Five letters, in the order of their numbers."""
    return joined(*(chosen(_CAPITALS, security // 26**place % 26) for place in (4, 3, 2, 1, 0)))


def weekday(number: Numbers) -> Numbers:
    """Days since 1970 of the weekdays from the first Monday of 2000."""
    return _MONDAY + number // 5 * 7 + number % 5


def price(security: Numbers, day: Numbers) -> Numbers:
    """In cents: twenty to thirty dollars, by the day."""
    base = Draw("tpce.security.price").between(security, 2_200, 2_800)
    return base + Draw("tpce.security.day").between(security * DAYS + day, -200, 200)


def sector(_: float, rows: Numbers) -> Mapping[str, Column]:
    return {"sc_id": joined("S", digits(rows + 1, 2)), "sc_name": chosen(SECTORS, rows)}


def industry(_: float, rows: Numbers) -> Mapping[str, Column]:
    return {
        "in_id": joined("I", digits(rows + 1, 3)),
        "in_name": joined("Industry ", digits(rows + 1)),
        "in_sc_id": joined("S", digits(rows % len(SECTORS) + 1, 2)),
    }


def exchange(_: float, rows: Numbers) -> Mapping[str, Column]:
    names = chosen(EXCHANGES, rows)
    return {
        "ex_id": names,
        "ex_name": joined(names, " exchange"),
        "ex_open": np.full(len(rows), 930),
        "ex_close": np.full(len(rows), 1_600),
    }


def status_type(_: float, rows: Numbers) -> Mapping[str, Column]:
    return {"st_id": chosen(list(STATUSES), rows), "st_name": chosen(list(STATUSES.values()), rows)}


def trade_type(_: float, rows: Numbers) -> Mapping[str, Column]:
    names = list(TRADE_TYPES)
    return {
        "tt_id": chosen(names, rows),
        "tt_name": chosen(list(TRADE_TYPES.values()), rows),
        "tt_is_sell": np.isin(rows, [names.index(name) for name in ("TMS", "TLS", "TSL")]),
        "tt_is_mrkt": np.isin(rows, [names.index(name) for name in ("TMB", "TMS")]),
    }


def company(_: float, rows: Numbers) -> Mapping[str, Column]:
    return {
        "co_id": rows + 4_300_000_001,
        "co_st_id": chosen(("ACTV",), np.zeros(len(rows), dtype=np.int64)),
        "co_name": joined("Company ", digits(rows + 1)),
        "co_in_id": joined("I", digits(rows % INDUSTRIES + 1, 3)),
        "co_sp_rate": chosen(("AAA", "AA", "A", "BBB", "BB", "B", "CCC"), Draw("tpce.company.rate").below(rows, 7)),
        "co_ceo": letters(Draw("tpce.company.ceo"), rows, 10, 30),
        "co_open_date": days_since_1970("1800-01-01") + Draw("tpce.company.opened").below(rows, 73_000),
    }


def financial(_: float, rows: Numbers) -> Mapping[str, Column]:
    quarter = rows % QUARTERS
    year, of_year = 2000 + quarter // 4, quarter % 4
    begins = ((year - 1970) * 12 + of_year * 3).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    revenue = Draw("tpce.financial.revenue").between(rows, 100_000_000, 1_600_000_000)
    earned = revenue * Draw("tpce.financial.earned").between(rows, 1, 30) // 100
    return {
        "fi_co_id": rows // QUARTERS + 4_300_000_001,
        "fi_year": year,
        "fi_qtr": of_year + 1,
        "fi_qtr_start_date": begins,
        "fi_revenue": revenue,
        "fi_net_earn": earned,
        "fi_basic_eps": earned // Draw("tpce.financial.shares").between(rows // QUARTERS, 4_000_000, 9_500_000),
    }


def security(scale: float, rows: Numbers) -> Mapping[str, Column]:
    return {
        "s_symb": symbols(rows),
        "s_issue": chosen(("COMMON", "PREF_A", "PREF_B"), Draw("tpce.security.issue").weighted(rows, (73, 20, 7))),
        "s_st_id": chosen(("ACTV",), np.zeros(len(rows), dtype=np.int64)),
        "s_name": joined("Security ", digits(rows + 1)),
        "s_ex_id": chosen(EXCHANGES, rows % len(EXCHANGES)),
        "s_co_id": rows * companies(scale) // securities(scale) + 4_300_000_001,
        "s_num_out": Draw("tpce.security.out").between(rows, 4_000_000, 950_000_000),
        "s_dividend": Draw("tpce.security.dividend").below(rows, 1_000),
    }


def last_trade(_: float, rows: Numbers) -> Mapping[str, Column]:
    last = np.full(len(rows), DAYS - 1)
    return {
        "lt_s_symb": symbols(rows),
        "lt_dts": (weekday(last) * 86_400 + 16 * 3_600) * 1_000_000,
        "lt_price": price(rows, last),
        "lt_open_price": price(rows, last - 1),
        "lt_vol": Draw("tpce.last_trade.volume").between(rows, 1_000, 10_000) * 100,
    }


def daily_market(_: float, rows: Numbers) -> Mapping[str, Column]:
    number, day = rows // DAYS, rows % DAYS
    close = price(number, day)
    spread = Draw("tpce.daily_market.spread").between(rows, 5, 150)
    return {
        "dm_date": weekday(day),
        "dm_s_symb": symbols(number),
        "dm_close": close,
        "dm_high": close + spread,
        "dm_low": close - spread // 2,
        "dm_vol": Draw("tpce.daily_market.volume").between(rows, 1_000, 10_000) * 100,
    }
