"""Our own: statements that people wait for although they are small. Many rounds, because each takes milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from sqe.bench.suites.rows import batches, cents, mixed, words
from sqe.bench.suites.suite import Query, Suite, Table

_ORDERS = pa.schema(
    [
        ("o_key", pa.int64()),
        ("o_customer", pa.int64()),
        ("o_status", pa.string()),
        ("o_total", pa.decimal128(12, 2)),
        ("o_comment", pa.string()),
    ]
)
_ITEMS = pa.schema([("i_order", pa.int64()), ("i_part", pa.int64()), ("i_price", pa.decimal128(12, 2)), ("i_mode", pa.string())])


def _orders(numbers: Any) -> list[Any]:
    import pyarrow.compute as pc

    comments = pc.binary_join_element_wise(
        pa.array(mixed(numbers, 4)).cast(pa.string()), pa.array(mixed(numbers, 5)).cast(pa.string()), " "
    )
    return [numbers, mixed(numbers, 1) % 150_000, words(("F", "O", "P"), mixed(numbers, 2)), cents(numbers, 3, 500_000), comments]


def _items(numbers: Any) -> list[Any]:
    modes = ("AIR", "MAIL", "RAIL", "SHIP", "TRUCK")
    return [numbers // 4, mixed(numbers, 6) % 200_000, cents(numbers, 7, 100_000), words(modes, mixed(numbers, 8))]


def order_rows(scale: float) -> int:
    return max(round(1_500_000 * scale), 1000)


def item_rows(scale: float) -> int:
    return 4 * order_rows(scale)


TABLES = (
    Table("orders", _ORDERS, order_rows, batches(_ORDERS, order_rows, _orders)),
    Table("items", _ITEMS, item_rows, batches(_ITEMS, item_rows, _items)),
)


def queries(scale: float) -> Sequence[Query]:
    key = order_rows(scale) // 3
    return (
        Query("select-1", "SELECT 1 AS one"),
        Query("point", f"SELECT * FROM orders WHERE o_key = {key}"),
        Query("limit", "SELECT * FROM items LIMIT 10", any_rows=True),
        Query("count", "SELECT count(*) AS n FROM items"),
        Query("prepared", "SELECT o_total, o_comment FROM orders WHERE o_key = ?", parameters=(key + 7,)),
        Query("top", "SELECT o_key, o_total FROM orders ORDER BY o_total DESC, o_key LIMIT 5", ordered=True),
        Query("group", "SELECT o_status, count(*) AS n FROM orders GROUP BY o_status ORDER BY o_status", ordered=True),
        Query("join", f"SELECT o_total, i_price FROM orders JOIN items ON i_order = o_key WHERE o_key = {key + 1}"),
    )


SUITE = Suite("small", "our own: point look-up, LIMIT, count, SELECT 1, prepared", TABLES, queries, repeat=31)
