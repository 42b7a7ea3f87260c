"""The thirteen questions of SSB in four flights; a flight narrows one question down, so that its share of the facts falls."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.bench.suites.portable import read
from sqe.bench.suites.suite import Query

_SALES = "lineorder JOIN dates ON lo_orderdate = d_datekey"
_MAKES = f"{_SALES} JOIN part ON lo_partkey = p_partkey JOIN supplier ON lo_suppkey = s_suppkey"
_TRADE = f"{_SALES} JOIN customer ON lo_custkey = c_custkey JOIN supplier ON lo_suppkey = s_suppkey"
_ALL = f"{_TRADE} JOIN part ON lo_partkey = p_partkey"
_COUSINS = "c_city IN ('UNITED KI1', 'UNITED KI5') AND s_city IN ('UNITED KI1', 'UNITED KI5')"


def _discounted(where: str) -> str:
    return f"SELECT sum(lo_extendedprice * lo_discount) AS revenue FROM {_SALES} WHERE {where}"


def _by_brand(where: str) -> str:
    return (
        f"SELECT sum(lo_revenue) AS revenue, d_year, p_brand1 FROM {_MAKES} WHERE {where} "
        "GROUP BY d_year, p_brand1 ORDER BY d_year, p_brand1"
    )


def _between_places(place: str, where: str) -> str:
    # Places break ties of revenue: the specification leaves them open.
    return (
        f"SELECT c_{place}, s_{place}, d_year, sum(lo_revenue) AS revenue FROM {_TRADE} WHERE {where} "
        f"GROUP BY c_{place}, s_{place}, d_year ORDER BY d_year, revenue DESC, c_{place}, s_{place}"
    )


def _profit(by: str, where: str) -> str:
    earned = "sum(lo_revenue - lo_supplycost) AS profit"
    return f"SELECT d_year, {by}, {earned} FROM {_ALL} WHERE {where} GROUP BY d_year, {by} ORDER BY d_year, {by}"


_TEXTS = {
    "q1.1": _discounted("d_year = 1993 AND lo_discount BETWEEN 1 AND 3 AND lo_quantity < 25"),
    "q1.2": _discounted("d_yearmonthnum = 199401 AND lo_discount BETWEEN 4 AND 6 AND lo_quantity BETWEEN 26 AND 35"),
    "q1.3": _discounted(
        "d_weeknuminyear = 6 AND d_year = 1994 AND lo_discount BETWEEN 5 AND 7 AND lo_quantity BETWEEN 26 AND 35"
    ),
    "q2.1": _by_brand("p_category = 'MFGR#12' AND s_region = 'AMERICA'"),
    "q2.2": _by_brand("p_brand1 BETWEEN 'MFGR#2221' AND 'MFGR#2228' AND s_region = 'ASIA'"),
    "q2.3": _by_brand("p_brand1 = 'MFGR#2221' AND s_region = 'EUROPE'"),
    "q3.1": _between_places("nation", "c_region = 'ASIA' AND s_region = 'ASIA' AND d_year BETWEEN 1992 AND 1997"),
    "q3.2": _between_places("city", "c_nation = 'UNITED STATES' AND s_nation = 'UNITED STATES' AND d_year BETWEEN 1992 AND 1997"),
    "q3.3": _between_places("city", f"{_COUSINS} AND d_year BETWEEN 1992 AND 1997"),
    "q3.4": _between_places("city", f"{_COUSINS} AND d_yearmonth = 'Dec1997'"),
    "q4.1": _profit("c_nation", "c_region = 'AMERICA' AND s_region = 'AMERICA' AND p_mfgr IN ('MFGR#1', 'MFGR#2')"),
    "q4.2": _profit(
        "s_nation, p_category",
        "c_region = 'AMERICA' AND s_region = 'AMERICA' AND d_year IN (1997, 1998) AND p_mfgr IN ('MFGR#1', 'MFGR#2')",
    ),
    "q4.3": _profit(
        "s_city, p_brand1",
        "c_region = 'AMERICA' AND s_nation = 'UNITED STATES' AND d_year IN (1997, 1998) AND p_category = 'MFGR#14'",
    ),
}


def queries(_: float) -> Sequence[Query]:
    return [read(name, sql) for name, sql in _TEXTS.items()]
