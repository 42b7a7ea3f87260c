"""The Star Schema Benchmark (O'Neil, O'Neil, Chen: revision 3, 2009): one fact table, four dimensions, thirteen questions."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor, log2

import numpy as np
import pyarrow as pa

from sqe.bench.suites.columns import Column, chosen, days_since_1970, digits, joined, letters, table
from sqe.bench.suites.draws import Draw, FanOut, Numbers
from sqe.bench.suites.ssb_queries import queries
from sqe.bench.suites.suite import Suite

# A region's nations are five neighbours in this list.
REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
NATIONS = (
    "ALGERIA,ETHIOPIA,KENYA,MOROCCO,MOZAMBIQUE,ARGENTINA,BRAZIL,CANADA,PERU,UNITED STATES,CHINA,INDIA,INDONESIA,JAPAN,VIETNAM,"
    "FRANCE,GERMANY,ROMANIA,RUSSIA,UNITED KINGDOM,EGYPT,IRAN,IRAQ,JORDAN,SAUDI ARABIA"
).split(",")
CITIES = [f"{nation[:9]:<9}{number}" for nation in NATIONS for number in range(10)]
SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
MODES = ("AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK")
COLOURS = (
    "amber apricot auburn azure beige black blue bronze brown burgundy camel carmine cerise cherry claret cobalt copper "
    "coral cream crimson cyan denim ebony emerald fawn fuchsia ginger gold green grey hazel indigo ivory jade khaki "
    "lavender lemon lilac lime magenta mahogany maroon mauve mint navy ochre olive orange orchid peach pearl pink plum "
    "purple red rose ruby rust saffron sage sand scarlet sepia silver sky slate tan teal turquoise umber vermilion violet "
    "white wine yellow"
).split()
TYPES = [
    f"{grade} {finish} {metal}"
    for grade in ("ECONOMY", "LARGE", "MEDIUM", "PROMO", "SMALL", "STANDARD")
    for finish in ("ANODIZED", "BRUSHED", "BURNISHED", "PLATED", "POLISHED")
    for metal in ("BRASS", "COPPER", "NICKEL", "STEEL", "TIN")
]
CONTAINERS = [
    f"{size} {kind}" for size in ("JUMBO", "LG", "MED", "SM", "WRAP") for kind in "BAG BOX CAN CASE DRUM JAR PACK PKG".split()
]
MONTHS = "January February March April May June July August September October November December".split()
WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split()
SEASONS = ("Winter", "Spring", "Summer", "Fall", "Christmas")

# The smallest scale has 20 suppliers: they begin where the narrowest questions look.
FIRST_CITIES = {"customer": 0, "supplier": CITIES.index("UNITED KI1")}
FIRST_DAY = days_since_1970("1992-01-01")
DAYS = 2_556  # as the specification counts its seven years
ORDER_DAYS = 2_406  # up to 1998-08-02, so that every promised day is in the table of dates
LINES = FanOut("ssb.lineorder.lines", 1, 7)

TEXT, WHOLE, LONG = pa.string(), pa.int32(), pa.int64()


def customer_rows(scale: float) -> int:
    return max(round(30_000 * scale), 3)


def supplier_rows(scale: float) -> int:
    return max(round(2_000 * scale), 1)


def part_rows(scale: float) -> int:
    """Grows with the logarithm above scale 1, as published."""
    return 200_000 * (1 + floor(log2(scale))) if scale >= 1 else max(round(200_000 * scale), 1)


def lineorder_rows(scale: float) -> int:
    return max(round(6_000_000 * scale), 1)


def dates(_: float, rows: Numbers) -> Mapping[str, Column]:
    days = (rows + FIRST_DAY).astype("datetime64[D]")
    months, years = days.astype("datetime64[M]"), days.astype("datetime64[Y]")
    year = years.astype(np.int64) + 1970
    month = months.astype(np.int64) % 12
    of_month = (days - months.astype("datetime64[D]")).astype(np.int64) + 1
    of_year = (days - years.astype("datetime64[D]")).astype(np.int64) + 1
    of_week = (rows + FIRST_DAY + 4) % 7  # 1970 began on a Thursday
    last_of_month = (days + 1).astype("datetime64[M]") != months
    season = np.where((month == 11) | ((month == 10) & (of_month > 20)), 4, (month % 12) // 3)
    named = chosen(MONTHS, month)
    short = chosen([name[:3] for name in MONTHS], month)
    return {
        "d_datekey": year * 10_000 + (month + 1) * 100 + of_month,
        "d_date": joined(named, " ", digits(of_month), ", ", digits(year)),
        "d_dayofweek": chosen(WEEKDAYS, of_week),
        "d_month": named,
        "d_year": year,
        "d_yearmonthnum": year * 100 + month + 1,
        "d_yearmonth": joined(short, digits(year)),
        "d_daynuminweek": of_week + 1,
        "d_daynuminmonth": of_month,
        "d_daynuminyear": of_year,
        "d_monthnuminyear": month + 1,
        "d_weeknuminyear": of_year // 7 + 1,
        "d_sellingseason": chosen(SEASONS, season),
        "d_lastdayinweekfl": of_week == 6,
        "d_lastdayinmonthfl": last_of_month,
        "d_holidayfl": ((month == 11) & (of_month == 25)) | ((month == 0) & (of_month == 1)),
        "d_weekdayfl": (of_week > 0) & (of_week < 6),
    }


def _place(who: str, rows: Numbers, first_city: int) -> Mapping[str, Column]:
    """Where a customer or supplier is; a city decides nation and region. In turn, so that each has exactly its share."""
    city = (rows * 157 + first_city) % len(CITIES)
    nation = city // 10
    number = Draw(f"ssb.{who}.phone").below(rows, 10_000_000)
    area, middle, last = digits(100 + number % 900), digits(100 + number // 1000 % 900), digits(1000 + number % 9000)
    return {
        "address": letters(Draw(f"ssb.{who}.address"), rows, 10, 25),
        "city": chosen(CITIES, city),
        "nation": chosen(NATIONS, nation),
        "region": chosen(REGIONS, nation // 5),
        "phone": joined(digits(nation + 10), area, middle, last, between="-"),
    }


def customer(_: float, rows: Numbers) -> Mapping[str, Column]:
    place = {f"c_{name}": column for name, column in _place("customer", rows, FIRST_CITIES["customer"]).items()}
    segment = chosen(SEGMENTS, Draw("ssb.customer.segment").below(rows, len(SEGMENTS)))
    return {"c_custkey": rows + 1, "c_name": joined("Customer#", digits(rows + 1, 9)), "c_mktsegment": segment, **place}


def supplier(_: float, rows: Numbers) -> Mapping[str, Column]:
    place = {f"s_{name}": column for name, column in _place("supplier", rows, FIRST_CITIES["supplier"]).items()}
    return {"s_suppkey": rows + 1, "s_name": joined("Supplier#", digits(rows + 1, 9)), **place}


def part(_: float, rows: Numbers) -> Mapping[str, Column]:
    brand = Draw("ssb.part.brand").below(rows, 1_000)  # 5 makers × 5 categories × 40 brands
    maker, category = brand // 200 + 1, brand // 40 % 5 + 1
    colour = chosen(COLOURS, Draw("ssb.part.colour").below(rows, len(COLOURS)))
    other = chosen(COLOURS, Draw("ssb.part.other").below(rows, len(COLOURS)))
    named = joined("MFGR#", digits(maker), digits(category))
    return {
        "p_partkey": rows + 1,
        "p_name": joined(colour, other, between=" "),
        "p_mfgr": joined("MFGR#", digits(maker)),
        "p_category": named,
        "p_brand1": joined(named, digits(brand % 40 + 1, 2)),
        "p_color": colour,
        "p_type": chosen(TYPES, Draw("ssb.part.type").below(rows, len(TYPES))),
        "p_size": Draw("ssb.part.size").between(rows, 1, 50),
        "p_container": chosen(CONTAINERS, Draw("ssb.part.container").below(rows, len(CONTAINERS))),
    }


def _datekeys(days: Numbers) -> Numbers:
    """yyyymmdd of days since the first one."""
    return _DATEKEYS[days]


_DATEKEYS = np.asarray(dates(1, np.arange(DAYS + 1, dtype=np.int64))["d_datekey"], dtype=np.int64)


def lineorder(scale: float, rows: Numbers) -> Mapping[str, Column]:
    order, number = LINES.of(rows)
    buyers = customer_rows(scale) // 3 * 2
    buyer = Draw("ssb.lineorder.customer").below(order, buyers)
    article, price = _articles(scale, rows)
    ordered = Draw("ssb.lineorder.ordered").below(order, ORDER_DAYS)
    extended, discount, tax = _amounts(scale, rows)
    return {
        "lo_orderkey": order // 8 * 32 + order % 8 + 1,  # one key in four is used, as in TPC-H
        "lo_linenumber": number + 1,
        "lo_custkey": buyer // 2 * 3 + buyer % 2 + 1,  # every third customer never orders
        "lo_partkey": article,
        "lo_suppkey": Draw("ssb.lineorder.supplier").below(rows, supplier_rows(scale)) + 1,
        "lo_orderdate": _datekeys(ordered),
        "lo_orderpriority": chosen(PRIORITIES, Draw("ssb.lineorder.priority").below(order, len(PRIORITIES))),
        "lo_shippriority": np.zeros(len(rows), dtype=np.int64),
        "lo_quantity": _quantity(rows),
        "lo_extendedprice": extended,
        "lo_ordtotalprice": _totals(scale, order, rows),
        "lo_discount": discount,
        "lo_revenue": extended * (100 - discount) // 100,
        "lo_supplycost": price * 6 // 10,
        "lo_tax": tax,
        "lo_commitdate": _datekeys(ordered + Draw("ssb.lineorder.promised").between(rows, 30, 90)),
        "lo_shipmode": chosen(MODES, Draw("ssb.lineorder.mode").below(rows, len(MODES))),
    }


def _articles(scale: float, rows: Numbers) -> tuple[Numbers, Numbers]:
    """What a line sells, and the price of one piece in cents, which follows from its key as in TPC-H."""
    article = Draw("ssb.lineorder.part").below(rows, part_rows(scale)) + 1
    return article, 90_000 + article // 10 % 20_001 + article % 1_000 * 100


def _quantity(rows: Numbers) -> Numbers:
    return Draw("ssb.lineorder.quantity").between(rows, 1, 50)


def _amounts(scale: float, rows: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Price of a line in cents, discount and tax in percent."""
    _, price = _articles(scale, rows)
    discount, tax = Draw("ssb.lineorder.discount").between(rows, 0, 10), Draw("ssb.lineorder.tax").between(rows, 0, 8)
    return price * _quantity(rows), discount, tax


def _totals(scale: float, order: Numbers, rows: Numbers) -> Numbers:
    """What each line's order costs in all. A block may begin within an order: all lines of its orders are worked out."""
    first, last = LINES.first(order[:1])[0], LINES.first(order[-1:])[0] + LINES.sizes(order[-1:])[0]
    around = np.arange(first, min(last, lineorder_rows(scale)), dtype=np.int64)
    extended, discount, tax = _amounts(scale, around)
    charged = np.cumsum(extended * (100 - discount) // 100 * (100 + tax) // 100)
    charged = np.concatenate([np.zeros(1, dtype=np.int64), charged])
    begins = LINES.first(order) - first
    ends = np.minimum(begins + LINES.sizes(order), len(around))
    totals: Numbers = charged[ends] - charged[begins]
    return totals


_NUMBERS_OF_A_DAY = "d_daynuminweek d_daynuminmonth d_daynuminyear d_monthnuminyear d_weeknuminyear".split()
_FLAGS_OF_A_DAY = "d_lastdayinweekfl d_lastdayinmonthfl d_holidayfl d_weekdayfl".split()

SUITE = Suite(
    name="ssb",
    what="Star Schema Benchmark: 13 questions on sales and four dimensions",
    tables=(
        table(
            "dates",
            {"d_datekey": WHOLE, "d_date": TEXT, "d_dayofweek": TEXT, "d_month": TEXT, "d_year": WHOLE, "d_yearmonthnum": WHOLE}
            | {"d_yearmonth": TEXT, **dict.fromkeys(_NUMBERS_OF_A_DAY, WHOLE), "d_sellingseason": TEXT}
            | dict.fromkeys(_FLAGS_OF_A_DAY, pa.bool_()),
            lambda _: DAYS,
            dates,
        ),
        table(
            "customer",
            {"c_custkey": WHOLE, **dict.fromkeys("c_name c_address c_city c_nation c_region c_phone c_mktsegment".split(), TEXT)},
            customer_rows,
            customer,
        ),
        table(
            "supplier",
            {"s_suppkey": WHOLE, **dict.fromkeys("s_name s_address s_city s_nation s_region s_phone".split(), TEXT)},
            supplier_rows,
            supplier,
        ),
        table(
            "part",
            {"p_partkey": WHOLE, **dict.fromkeys("p_name p_mfgr p_category p_brand1 p_color p_type".split(), TEXT)}
            | {"p_size": WHOLE, "p_container": TEXT},
            part_rows,
            part,
        ),
        table(
            "lineorder",
            {"lo_orderkey": LONG, **dict.fromkeys("lo_linenumber lo_custkey lo_partkey lo_suppkey lo_orderdate".split(), WHOLE)}
            | {"lo_orderpriority": TEXT, "lo_shippriority": WHOLE, "lo_quantity": WHOLE, "lo_extendedprice": WHOLE}
            | dict.fromkeys("lo_ordtotalprice lo_discount lo_revenue lo_supplycost lo_tax lo_commitdate".split(), WHOLE)
            | {"lo_shipmode": TEXT},
            lineorder_rows,
            lineorder,
        ),
    ),
    queries=queries,
)
