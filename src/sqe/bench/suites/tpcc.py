"""After TPC-C (revision 5.11): a wholesale supplier's warehouses, and the statements of its five transactions one by one.

A scale is a number of warehouses; below 1 it is a warehouse that is cut down, which the specification does not know.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from sqe.bench.suites.columns import Column, chosen, days_since_1970, digits, joined, letters, nulls_where, table
from sqe.bench.suites.draws import Draw, FanOut, Numbers, scattered
from sqe.bench.suites.suite import Suite
from sqe.bench.suites.tpcc_queries import queries

DISTRICTS = 10
LINES = FanOut("tpcc.order_line.lines", 5, 15)
SYLLABLES = ("BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING")
LAST_NAMES = [SYLLABLES[n // 100] + SYLLABLES[n // 10 % 10] + SYLLABLES[n % 10] for n in range(1_000)]
START = days_since_1970("2025-01-01") * 86_400_000_000

WHOLE, TEXT, TIME = pa.int32(), pa.string(), pa.timestamp("us")
MONEY, RATE = pa.decimal128(12, 2), pa.decimal128(4, 4)


def warehouses(scale: float) -> int:
    return max(round(scale), 1)


def items(scale: float) -> int:
    return max(round(100_000 * min(scale, 1)), 100)


def customers(scale: float) -> int:
    """Of a district; it has as many orders."""
    return max(round(3_000 * min(scale, 1)), 10)


def delivered(scale: float) -> int:
    """Orders of a district before the first that waits: 2,100 of 3,000."""
    return customers(scale) * 7 // 10


def districts(scale: float) -> int:
    return warehouses(scale) * DISTRICTS


def all_customers(scale: float) -> int:
    return districts(scale) * customers(scale)


def nurand(draw: Draw, rows: Numbers, spread: int, low: int, high: int) -> Numbers:
    """Clause 2.1.6: some values are met more often than others."""
    other = Draw(f"{draw.name}.other").below(rows, spread + 1)
    return ((other | draw.between(rows, low, high)) + spread // 2) % (high - low + 1) + low


def _data(name: str, rows: Numbers, low: int, high: int) -> pa.Array:
    """A text; one in ten has ORIGINAL in it."""
    text = letters(Draw(name), rows, low, high)
    marked = np.where(Draw(f"{name}.original").share(rows, 10), 1, 0)
    return joined(text, chosen(("", " ORIGINAL"), marked))


def _address(who: str, rows: Numbers) -> Mapping[str, Column]:
    name = f"tpcc.{who}"
    capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    first, second = (chosen(capitals, Draw(f"{name}.state.{place}").below(rows, 26)) for place in (1, 2))
    return {
        "street_1": letters(Draw(f"{name}.street_1"), rows, 10, 20),
        "street_2": letters(Draw(f"{name}.street_2"), rows, 10, 20),
        "city": letters(Draw(f"{name}.city"), rows, 10, 20),
        "state": joined(first, second),
        "zip": joined(digits(Draw(f"{name}.zip").below(rows, 10_000), 4), "11111"),
    }


def _named(prefix: str, columns: Mapping[str, Column]) -> Mapping[str, Column]:
    return {f"{prefix}_{name}": column for name, column in columns.items()}


def item(_: float, rows: Numbers) -> Mapping[str, Column]:
    return {
        "i_id": rows + 1,
        "i_im_id": Draw("tpcc.item.image").between(rows, 1, 10_000),
        "i_name": letters(Draw("tpcc.item.name"), rows, 14, 24),
        "i_price": Draw("tpcc.item.price").between(rows, 100, 10_000),
        "i_data": _data("tpcc.item.data", rows, 17, 41),
    }


def warehouse(_: float, rows: Numbers) -> Mapping[str, Column]:
    return {
        "w_id": rows + 1,
        "w_name": letters(Draw("tpcc.warehouse.name"), rows, 6, 10),
        **_named("w", _address("warehouse", rows)),
        "w_tax": Draw("tpcc.warehouse.tax").between(rows, 0, 2_000),
        "w_ytd": np.full(len(rows), 30_000_000),
    }


def stock(scale: float, rows: Numbers) -> Mapping[str, Column]:
    nothing = np.zeros(len(rows), dtype=np.int64)
    return {
        "s_i_id": rows % items(scale) + 1,
        "s_w_id": rows // items(scale) + 1,
        "s_quantity": Draw("tpcc.stock.quantity").between(rows, 10, 100),
        **{f"s_dist_{n:02}": letters(Draw(f"tpcc.stock.district {n}"), rows, 24, 24) for n in range(1, DISTRICTS + 1)},
        "s_ytd": nothing,
        "s_order_cnt": nothing,
        "s_remote_cnt": nothing,
        "s_data": _data("tpcc.stock.data", rows, 17, 41),
    }


def district(scale: float, rows: Numbers) -> Mapping[str, Column]:
    return {
        "d_id": rows % DISTRICTS + 1,
        "d_w_id": rows // DISTRICTS + 1,
        "d_name": letters(Draw("tpcc.district.name"), rows, 6, 10),
        **_named("d", _address("district", rows)),
        "d_tax": Draw("tpcc.district.tax").between(rows, 0, 2_000),
        "d_ytd": np.full(len(rows), 3_000_000),
        "d_next_o_id": np.full(len(rows), customers(scale) + 1),
    }


def customer(scale: float, rows: Numbers) -> Mapping[str, Column]:
    number, place = rows % customers(scale), rows // customers(scale)
    name = np.where(number < 1_000, number, nurand(Draw("tpcc.customer.last"), rows, 255, 0, 999))
    front, back = (digits(Draw(f"tpcc.customer.phone.{half}").below(rows, 10**8), 8) for half in (1, 2))
    return {
        "c_id": number + 1,
        "c_d_id": place % DISTRICTS + 1,
        "c_w_id": place // DISTRICTS + 1,
        "c_first": letters(Draw("tpcc.customer.first"), rows, 8, 16),
        "c_middle": chosen(("OE",), np.zeros(len(rows), dtype=np.int64)),
        "c_last": chosen(LAST_NAMES, name),
        **_named("c", _address("customer", rows)),
        "c_phone": joined(front, back),
        "c_since": np.full(len(rows), START),
        "c_credit": chosen(("GC", "BC"), np.where(Draw("tpcc.customer.credit").share(rows, 10), 1, 0)),
        "c_credit_lim": np.full(len(rows), 5_000_000),
        "c_discount": Draw("tpcc.customer.discount").between(rows, 0, 5_000),
        "c_balance": np.full(len(rows), -1_000),
        "c_ytd_payment": np.full(len(rows), 1_000),
        "c_payment_cnt": np.ones(len(rows), dtype=np.int64),
        "c_delivery_cnt": np.zeros(len(rows), dtype=np.int64),
        "c_data": letters(Draw("tpcc.customer.data"), rows, 300, 500),
    }


def history(scale: float, rows: Numbers) -> Mapping[str, Column]:
    place = rows // customers(scale)
    home = {"d_id": place % DISTRICTS + 1, "w_id": place // DISTRICTS + 1}
    return {
        "h_c_id": rows % customers(scale) + 1,
        **_named("h_c", home),
        **_named("h", home),
        "h_date": np.full(len(rows), START),
        "h_amount": np.full(len(rows), 1_000),
        "h_data": letters(Draw("tpcc.history.data"), rows, 12, 24),
    }


def orders(scale: float, rows: Numbers) -> Mapping[str, Column]:
    number, place = rows % customers(scale), rows // customers(scale)
    waits = number >= delivered(scale)
    return {
        "o_id": number + 1,
        "o_d_id": place % DISTRICTS + 1,
        "o_w_id": place // DISTRICTS + 1,
        "o_c_id": scattered(number + place, customers(scale)) + 1,  # every customer has ordered once
        "o_entry_d": START + number * 60_000_000,
        "o_carrier_id": nulls_where(Draw("tpcc.orders.carrier").between(rows, 1, 10), waits),
        "o_ol_cnt": LINES.sizes(rows),
        "o_all_local": np.ones(len(rows), dtype=np.int64),
    }


def new_order(scale: float, rows: Numbers) -> Mapping[str, Column]:
    waiting = customers(scale) - delivered(scale)
    place = rows // waiting
    return {
        "no_o_id": delivered(scale) + rows % waiting + 1,
        "no_d_id": place % DISTRICTS + 1,
        "no_w_id": place // DISTRICTS + 1,
    }


def order_line(scale: float, rows: Numbers) -> Mapping[str, Column]:
    order, line = LINES.of(rows)
    number, place = order % customers(scale), order // customers(scale)
    waits = number >= delivered(scale)
    return {
        "ol_o_id": number + 1,
        "ol_d_id": place % DISTRICTS + 1,
        "ol_w_id": place // DISTRICTS + 1,
        "ol_number": line + 1,
        "ol_i_id": Draw("tpcc.order_line.item").below(rows, items(scale)) + 1,
        "ol_supply_w_id": place // DISTRICTS + 1,
        "ol_delivery_d": nulls_where(START + number * 60_000_000, waits),
        "ol_quantity": np.full(len(rows), 5),
        "ol_amount": np.where(waits, Draw("tpcc.order_line.amount").between(rows, 1, 999_999), 0),
        "ol_dist_info": letters(Draw("tpcc.order_line.district"), rows, 24, 24),
    }


def _address_types(prefix: str) -> dict[str, pa.DataType]:
    return dict.fromkeys((f"{prefix}_{part}" for part in ("street_1", "street_2", "city", "state", "zip")), TEXT)


SUITE = Suite(
    name="tpcc",
    what="After TPC-C: the reads and writes of a wholesale supplier's transactions, a statement each",
    tables=(
        table(
            "warehouse",
            {"w_id": WHOLE, "w_name": TEXT, **_address_types("w"), "w_tax": RATE, "w_ytd": MONEY},
            warehouses,
            warehouse,
        ),
        table(
            "district",
            {
                "d_id": WHOLE,
                "d_w_id": WHOLE,
                "d_name": TEXT,
                **_address_types("d"),
                "d_tax": RATE,
                "d_ytd": MONEY,
                "d_next_o_id": WHOLE,
            },
            districts,
            district,
        ),
        table(
            "item", {"i_id": WHOLE, "i_im_id": WHOLE, "i_name": TEXT, "i_price": pa.decimal128(5, 2), "i_data": TEXT}, items, item
        ),
        table(
            "stock",
            {"s_i_id": WHOLE, "s_w_id": WHOLE, "s_quantity": WHOLE}
            | {f"s_dist_{n:02}": TEXT for n in range(1, DISTRICTS + 1)}
            | {"s_ytd": pa.int64(), "s_order_cnt": WHOLE, "s_remote_cnt": WHOLE, "s_data": TEXT},
            lambda scale: warehouses(scale) * items(scale),
            stock,
        ),
        table(
            "customer",
            {"c_id": WHOLE, "c_d_id": WHOLE, "c_w_id": WHOLE, "c_first": TEXT, "c_middle": TEXT, "c_last": TEXT}
            | _address_types("c")
            | {"c_phone": TEXT, "c_since": TIME, "c_credit": TEXT, "c_credit_lim": MONEY, "c_discount": RATE, "c_balance": MONEY}
            | {"c_ytd_payment": MONEY, "c_payment_cnt": WHOLE, "c_delivery_cnt": WHOLE, "c_data": TEXT},
            all_customers,
            customer,
            block=32_768,
        ),
        table(
            "history",
            dict.fromkeys(("h_c_id", "h_c_d_id", "h_c_w_id", "h_d_id", "h_w_id"), WHOLE)
            | {"h_date": TIME, "h_amount": pa.decimal128(6, 2), "h_data": TEXT},
            all_customers,
            history,
        ),
        table(
            "orders",
            {"o_id": WHOLE, "o_d_id": WHOLE, "o_w_id": WHOLE, "o_c_id": WHOLE, "o_entry_d": TIME}
            | {"o_carrier_id": WHOLE, "o_ol_cnt": WHOLE, "o_all_local": WHOLE},
            all_customers,
            orders,
        ),
        table(
            "new_order",
            {"no_o_id": WHOLE, "no_d_id": WHOLE, "no_w_id": WHOLE},
            lambda scale: districts(scale) * (customers(scale) - delivered(scale)),
            new_order,
        ),
        table(
            "order_line",
            dict.fromkeys(("ol_o_id", "ol_d_id", "ol_w_id", "ol_number", "ol_i_id", "ol_supply_w_id"), WHOLE)
            | {"ol_delivery_d": TIME, "ol_quantity": WHOLE, "ol_amount": pa.decimal128(6, 2), "ol_dist_info": TEXT},
            lambda scale: LINES.lines(all_customers(scale)),
            order_line,
        ),
    ),
    queries=lambda scale: queries(customers(scale), items(scale), delivered(scale)),
)
