"""The statements of TPC-C's transactions (clause 2), each alone: eight that read, nine that write, and a look at what each wrote.

They are of warehouse 1 and its district 1. A lake has no row locks and commits by the file: what is measured is the statement,
not transactions a minute.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqe.bench.suites.portable import read, write
from sqe.bench.suites.suite import Query

_HERE = "{0}_w_id = 1 AND {0}_d_id = 1"
_WHEN = "TIMESTAMP '2026-02-03 04:05:06'"
_NAME = "BARBARABLE"  # customer 3 of every district, and others by chance


def queries(customers: int, items: int, delivered: int) -> Sequence[Query]:
    """Of the customers (and orders) of a district, the items, and how many of the orders are delivered."""
    buyer, order = customers // 2, customers + 1
    bought = [(1 + number * (items // 11), number % 9 + 1) for number in range(10)]
    return [*_reads(buyer, [item for item, _ in bought]), *_writes(buyer, order, bought, delivered + 1)]


def _reads(buyer: int, bought: Sequence[int]) -> list[Query]:
    texts = {
        # New-Order: who buys, and what taxes apply.
        "r1": f"""SELECT c_discount, c_last, c_credit, w_tax, d_tax, d_next_o_id FROM customer
            JOIN warehouse ON w_id = c_w_id JOIN district ON d_w_id = c_w_id AND d_id = c_d_id
            WHERE {_HERE.format("c")} AND c_id = {buyer}""",
        # New-Order: prices and stock of what is bought.
        "r2": f"""SELECT i_id, i_name, i_price, s_quantity, s_dist_01,
            CASE WHEN i_data LIKE '%ORIGINAL%' AND s_data LIKE '%ORIGINAL%' THEN 'B' ELSE 'G' END AS kind
            FROM item JOIN stock ON s_i_id = i_id WHERE s_w_id = 1 AND i_id IN ({", ".join(map(str, bought))}) ORDER BY i_id""",
        # Payment: customers of a name.
        "r3": f"""SELECT c_id, c_first, c_middle, c_balance, c_credit FROM customer
            WHERE {_HERE.format("c")} AND c_last = '{_NAME}' ORDER BY c_first, c_id""",
        # Order-Status: the lines of a customer's newest order.
        "r4": f"""SELECT o_id, o_entry_d, o_carrier_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
            FROM orders JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
            WHERE {_HERE.format("o")} AND o_id = (SELECT max(o_id) FROM orders WHERE {_HERE.format("o")} AND o_c_id = {buyer})
            ORDER BY o_id, ol_number""",
        # Order-Status: of the customers of a name the one in the middle, with the newest order.
        "r5": f"""SELECT c_id, c_first, c_balance, max(o_id) AS newest FROM
            (SELECT c_id, c_first, c_balance, row_number() OVER (ORDER BY c_first, c_id) AS place, count(*) OVER () AS n
             FROM customer WHERE {_HERE.format("c")} AND c_last = '{_NAME}') AS named
            JOIN orders ON {_HERE.format("o")} AND o_c_id = c_id WHERE place * 2 BETWEEN n AND n + 1
            GROUP BY c_id, c_first, c_balance ORDER BY c_id""",
        # Delivery: what waits longest in each district, whose it is and what it costs.
        "r6": """SELECT o_d_id, o_id, o_c_id, sum(ol_amount) AS amount FROM orders
            JOIN order_line ON ol_w_id = o_w_id AND ol_d_id = o_d_id AND ol_o_id = o_id
            JOIN (SELECT no_d_id, min(no_o_id) AS oldest FROM new_order WHERE no_w_id = 1 GROUP BY no_d_id) AS waiting
            ON no_d_id = o_d_id AND oldest = o_id WHERE o_w_id = 1 GROUP BY o_d_id, o_id, o_c_id ORDER BY o_d_id""",
        # Stock-Level: items of the last twenty orders that run out.
        "r7": f"""SELECT count(DISTINCT s_i_id) AS low_stock FROM district
            JOIN order_line ON ol_w_id = d_w_id AND ol_d_id = d_id AND ol_o_id >= d_next_o_id - 20 AND ol_o_id < d_next_o_id
            JOIN stock ON s_w_id = d_w_id AND s_i_id = ol_i_id WHERE {_HERE.format("ol")} AND s_quantity < 15""",
        # Clause 3.3.2: what has to agree in every district does.
        "r8": """SELECT d_w_id, d_id, d_next_o_id - 1 AS newest, o.last_order, n.last_new, o.promised, l.lines
            FROM district
            JOIN (SELECT o_w_id, o_d_id, max(o_id) AS last_order, sum(o_ol_cnt) AS promised FROM orders
                GROUP BY o_w_id, o_d_id) AS o
            ON o_w_id = d_w_id AND o_d_id = d_id
            JOIN (SELECT no_w_id, no_d_id, max(no_o_id) AS last_new FROM new_order GROUP BY no_w_id, no_d_id) AS n
            ON no_w_id = d_w_id AND no_d_id = d_id
            JOIN (SELECT ol_w_id, ol_d_id, count(*) AS lines FROM order_line GROUP BY ol_w_id, ol_d_id) AS l
            ON ol_w_id = d_w_id AND ol_d_id = d_id ORDER BY d_w_id, d_id""",
    }
    return [read(name, sql) for name, sql in texts.items()]


def _writes(buyer: int, order: int, bought: Sequence[tuple[int, int]], oldest: int) -> list[Query]:
    lines = ", ".join(f"({number}, {item}, {quantity})" for number, (item, quantity) in enumerate(bought, 1))
    asked = f"(VALUES {lines}) AS line (number, item, quantity)"
    of_order = _HERE.format("ol") + f" AND ol_o_id = {order}"
    # Decimals are cast to the column's type: Trino refuses wider ones, Spark and DuckDB cast by themselves.
    pairs = {
        # New-Order takes the district's next number …
        "w1": (
            "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 1",
            "SELECT d_id, d_next_o_id FROM district WHERE d_w_id = 1 ORDER BY d_id",
        ),
        # … writes the order …
        "w2": (
            f"INSERT INTO orders VALUES ({order}, 1, 1, {buyer}, {_WHEN}, NULL, {len(bought)}, 1)",
            f"""SELECT o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, count(*) AS n FROM orders
            WHERE {_HERE.format("o")} AND o_id >= {order - 2} GROUP BY o_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt
            ORDER BY o_id""",
        ),
        # … says that it waits …
        "w3": (
            f"INSERT INTO new_order VALUES ({order}, 1, 1)",
            f"""SELECT count(*) AS waiting, min(no_o_id) AS oldest, max(no_o_id) AS newest FROM new_order
            WHERE {_HERE.format("no")}""",
        ),
        # … takes it from stock, which is filled up when little is left …
        "w4": (
            f"""MERGE INTO stock USING (SELECT item, quantity FROM {asked}) AS sold
            ON s_w_id = 1 AND s_i_id = item WHEN MATCHED THEN UPDATE SET
            s_quantity = CASE WHEN s_quantity >= quantity + 10 THEN s_quantity - quantity ELSE s_quantity - quantity + 91 END,
            s_ytd = s_ytd + quantity, s_order_cnt = s_order_cnt + 1""",
            "SELECT s_i_id, s_quantity, s_ytd, s_order_cnt FROM stock WHERE s_w_id = 1 AND s_order_cnt > 0 ORDER BY s_i_id",
        ),
        # … and writes its lines.
        "w5": (
            f"""INSERT INTO order_line SELECT {order}, 1, 1, number, item, 1, CAST(NULL AS TIMESTAMP), quantity,
            CAST(quantity * i_price AS DECIMAL(6, 2)), s_dist_01 FROM {asked}
            JOIN item ON i_id = item JOIN stock ON s_w_id = 1 AND s_i_id = item""",
            f"""SELECT ol_number, ol_i_id, ol_quantity, ol_amount, ol_dist_info, count(*) AS n FROM order_line WHERE {of_order}
            GROUP BY ol_number, ol_i_id, ol_quantity, ol_amount, ol_dist_info ORDER BY ol_number""",
        ),
        # Payment changes what the customer owes; of bad payers it is written down …
        "w6": (
            f"""UPDATE customer SET c_balance = CAST(c_balance - 150.25 AS DECIMAL(12, 2)),
            c_ytd_payment = CAST(c_ytd_payment + 150.25 AS DECIMAL(12, 2)), c_payment_cnt = c_payment_cnt + 1,
            c_data = CASE WHEN c_credit = 'BC' THEN substring(concat('{buyer} 1 1 150.25 ', c_data), 1, 500) ELSE c_data END
            WHERE {_HERE.format("c")} AND c_id BETWEEN 1 AND {buyer}""",
            """SELECT c_credit, c_payment_cnt, count(*) AS n, sum(c_balance) AS owed, sum(c_ytd_payment) AS paid,
            sum(length(c_data)) AS written FROM customer WHERE c_w_id = 1 GROUP BY c_credit, c_payment_cnt
            ORDER BY c_credit, c_payment_cnt""",
        ),
        # … and every payment is kept.
        "w7": (
            f"INSERT INTO history VALUES ({buyer}, 1, 1, 1, 1, {_WHEN}, CAST(150.25 AS DECIMAL(6, 2)), 'paid by hand')",
            f"""SELECT h_c_id, h_date, h_amount, h_data, count(*) AS n FROM history WHERE {_HERE.format("h")} AND h_c_id = {buyer}
            GROUP BY h_c_id, h_date, h_amount, h_data ORDER BY h_date, h_amount, h_data""",
        ),
        # Delivery takes the order that waits longest from the list …
        "w8": (
            f"""DELETE FROM new_order WHERE {_HERE.format("no")}
            AND no_o_id = (SELECT min(no_o_id) FROM new_order WHERE {_HERE.format("no")})""",
            """SELECT no_d_id, count(*) AS waiting, min(no_o_id) AS oldest FROM new_order WHERE no_w_id = 1
            GROUP BY no_d_id ORDER BY no_d_id""",
        ),
        # … and writes down when its lines were delivered.
        "w9": (
            f"UPDATE order_line SET ol_delivery_d = {_WHEN} WHERE {_HERE.format('ol')} AND ol_o_id = {oldest}",
            f"""SELECT ol_o_id, count(ol_delivery_d) AS delivered, min(ol_delivery_d) AS first, max(ol_delivery_d) AS last
            FROM order_line WHERE {_HERE.format("ol")} AND ol_o_id BETWEEN {oldest - 1} AND {oldest + 1}
            GROUP BY ol_o_id ORDER BY ol_o_id""",
        ),
    }
    return [query for name, (sql, check) in pairs.items() for query in write(name, sql, check)]
