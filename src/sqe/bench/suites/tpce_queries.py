"""The statements of TPC-E's transactions, each alone: eleven that read, twelve that write, and a look at what each wrote."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sqe.bench.suites.portable import read, write
from sqe.bench.suites.suite import Query
from sqe.bench.suites.tpce_market import symbols
from sqe.bench.suites.tpce_trades import ACCOUNTS, FIRST_ACCOUNT, FIRST_CUSTOMER, FIRST_TRADE, completed, held, trades

_FLOAT = 1e-9
_WHEN = "TIMESTAMP '2005-01-03 10:11:12'"  # after the last trading day


def queries(scale: float) -> Sequence[Query]:
    """They are of the fifth customer and the first account, and of a security in it."""
    symbol = symbols(held(scale, np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)))[0].as_py()
    return [*_reads(scale, symbol), *_writes(scale, symbol)]


def _reads(scale: float, symbol: str) -> list[Query]:
    person, account = FIRST_CUSTOMER + 4, FIRST_ACCOUNT + 4 * ACCOUNTS
    some = ", ".join(str(FIRST_TRADE + completed(scale) // 20 * place + place) for place in range(20))
    texts = {
        # Broker-Volume: what waits at each broker in some sectors.
        "r1": """SELECT b_name, sum(tr_qty * tr_bid_price) AS volume FROM trade_request
            JOIN security ON s_symb = tr_s_symb JOIN company ON co_id = s_co_id JOIN industry ON in_id = co_in_id
            JOIN sector ON sc_id = in_sc_id JOIN broker ON b_id = tr_b_id
            WHERE sc_name IN ('Energy', 'Technology', 'Utilities') GROUP BY b_name ORDER BY volume DESC, b_name""",
        # Customer-Position: the accounts of a customer, with what their securities are worth.
        "r2": f"""SELECT ca_id, ca_bal, coalesce(sum(hs_qty * lt_price), 0) AS assets FROM customer_account
            LEFT JOIN holding_summary ON hs_ca_id = ca_id LEFT JOIN last_trade ON lt_s_symb = hs_s_symb
            WHERE ca_c_id = {person} GROUP BY ca_id, ca_bal ORDER BY assets, ca_id""",
        # Customer-Position: what happened to the last ten trades of an account.
        "r3": f"""SELECT t_id, t_s_symb, t_qty, st_name, th_dts FROM
            (SELECT t_id, t_s_symb, t_qty FROM trade WHERE t_ca_id = {account} ORDER BY t_dts DESC, t_id DESC LIMIT 10) AS recent
            JOIN trade_history ON th_t_id = t_id JOIN status_type ON st_id = th_st_id
            ORDER BY th_dts DESC, t_id, st_name LIMIT 30""",
        # Market-Watch: how a customer's watch list did since a day.
        "r4": f"""SELECT count(*) AS watched,
            100 * (sum(CAST(s_num_out AS DOUBLE) * CAST(lt_price AS DOUBLE))
                / sum(CAST(s_num_out AS DOUBLE) * CAST(dm_close AS DOUBLE)) - 1) AS change FROM watch_list
            JOIN watch_item ON wi_wl_id = wl_id JOIN security ON s_symb = wi_s_symb
            JOIN last_trade ON lt_s_symb = wi_s_symb JOIN daily_market ON dm_s_symb = wi_s_symb AND dm_date = DATE '2003-02-10'
            WHERE wl_c_id = {person}""",
        # Security-Detail: a security, its company and the company's last quarters.
        "r5": f"""SELECT s_name, s_num_out, s_dividend, co_name, co_sp_rate, co_open_date, in_name, sc_name, ex_name, lt_price,
            fi_year, fi_qtr, fi_revenue, fi_net_earn, fi_basic_eps FROM security JOIN company ON co_id = s_co_id
            JOIN industry ON in_id = co_in_id JOIN sector ON sc_id = in_sc_id JOIN exchange ON ex_id = s_ex_id
            JOIN last_trade ON lt_s_symb = s_symb JOIN financial ON fi_co_id = co_id
            WHERE s_symb = '{symbol}' ORDER BY fi_year, fi_qtr LIMIT 20""",
        # Security-Detail: its days since one.
        "r6": f"""SELECT dm_date, dm_close, dm_high, dm_low, dm_vol FROM daily_market
            WHERE dm_s_symb = '{symbol}' AND dm_date >= DATE '2002-06-03' ORDER BY dm_date LIMIT 20""",
        # Trade-Lookup: some trades by number, with their settlement and cash.
        "r7": f"""SELECT t_id, t_bid_price, t_exec_name, t_is_cash, tt_is_mrkt, t_trade_price, se_amt, se_cash_due_date,
            se_cash_type, ct_amt, ct_dts, ct_name FROM trade JOIN trade_type ON tt_id = t_tt_id JOIN settlement ON se_t_id = t_id
            LEFT JOIN cash_transaction ON ct_t_id = t_id WHERE t_id IN ({some}) ORDER BY t_id""",
        # Trade-Lookup: trades of an account from a time on.
        "r8": f"""SELECT t_id, t_dts, t_s_symb, t_qty, t_trade_price, t_exec_name, se_amt FROM trade
            JOIN settlement ON se_t_id = t_id WHERE t_ca_id = {account} AND t_dts >= TIMESTAMP '2004-12-22 00:00:00'
            ORDER BY t_dts, t_id LIMIT 20""",
        # Trade-Lookup: trades of a security in a time.
        "r9": f"""SELECT t_id, t_ca_id, t_tt_id, t_qty, t_trade_price, th_dts FROM trade
            JOIN trade_history ON th_t_id = t_id AND th_st_id = 'CMPT' WHERE t_s_symb = '{symbol}'
            AND t_dts BETWEEN TIMESTAMP '2004-12-21 00:00:00' AND TIMESTAMP '2004-12-28 00:00:00'
            ORDER BY t_dts, t_id LIMIT 20""",
        # Trade-Lookup: what became of what an account's trades opened.
        "r10": f"""SELECT hh_h_t_id, hh_t_id, hh_before_qty, hh_after_qty FROM holding_history
            WHERE hh_h_t_id IN (SELECT hh_h_t_id FROM holding_history JOIN trade ON t_id = hh_t_id WHERE t_ca_id = {account})
            ORDER BY hh_h_t_id, hh_t_id LIMIT 50""",
        # Trade-Status: the newest trades of an account, with names for everything.
        "r11": f"""SELECT t_id, t_dts, st_name, tt_name, t_s_symb, t_qty, t_exec_name, t_chrg, s_name, ex_name, c_l_name,
            c_f_name, b_name FROM trade JOIN status_type ON st_id = t_st_id
            JOIN trade_type ON tt_id = t_tt_id JOIN security ON s_symb = t_s_symb
            JOIN exchange ON ex_id = s_ex_id JOIN customer_account ON ca_id = t_ca_id JOIN customer ON c_id = ca_c_id
            JOIN broker ON b_id = ca_b_id WHERE t_ca_id = {account} ORDER BY t_dts DESC, t_id DESC LIMIT 50""",
    }
    return [read(name, sql, _FLOAT if "DOUBLE" in sql else 0.0) for name, sql in texts.items()]


def _writes(scale: float, symbol: str) -> list[Query]:
    new, first_open = FIRST_TRADE + trades(scale), FIRST_TRADE + completed(scale)
    account, broker = FIRST_ACCOUNT, FIRST_CUSTOMER
    # Decimals are cast to the column's type: Trino refuses wider ones, Spark and DuckDB cast by themselves.
    pairs = {
        # Market-Feed: prices from the exchange.
        "w1": (
            f"""MERGE INTO last_trade USING (SELECT s_symb AS symbol, CAST(25.50 AS DECIMAL(8, 2)) AS price FROM security
            WHERE s_ex_id = 'NYSE' OR s_symb = '{symbol}') AS tick ON lt_s_symb = symbol
            WHEN MATCHED THEN UPDATE SET lt_price = price, lt_vol = lt_vol + 100, lt_dts = {_WHEN}""",
            """SELECT lt_dts, lt_price = 25.50 AS fed, count(*) AS n, sum(lt_vol) AS volume FROM last_trade
            GROUP BY 1, 2 ORDER BY lt_dts, fed""",
        ),
        # Trade-Order: a limit order …
        "w2": (
            f"""INSERT INTO trade VALUES ({new}, {_WHEN}, 'PNDG', 'TLB', true, '{symbol}', 200, CAST(24.75 AS DECIMAL(8, 2)),
            {account}, 'Trader 1', NULL, CAST(1.50 AS DECIMAL(12, 2)), CAST(4.95 AS DECIMAL(12, 2)),
            CAST(0 AS DECIMAL(12, 2)))""",
            f"""SELECT t_st_id, count(*) AS n, max(t_id) AS newest, sum(t_qty) AS shares FROM trade WHERE t_id >= {first_open}
            GROUP BY t_st_id ORDER BY t_st_id""",
        ),
        # … that waits for its price.
        "w3": (
            f"INSERT INTO trade_request VALUES ({new}, 'TLB', '{symbol}', 200, CAST(24.75 AS DECIMAL(8, 2)), {broker})",
            "SELECT tr_tt_id, count(*) AS n, sum(tr_qty) AS shares, max(tr_t_id) AS newest FROM trade_request GROUP BY tr_tt_id "
            "ORDER BY tr_tt_id",
        ),
        # Trade-Result: the order is carried out …
        "w4": (
            f"UPDATE trade SET t_st_id = 'CMPT', t_trade_price = t_bid_price, t_dts = {_WHEN} WHERE t_id = {first_open}",
            f"""SELECT t_id, t_st_id, t_trade_price, t_dts FROM trade
            WHERE t_id BETWEEN {first_open - 1} AND {first_open + 1} ORDER BY t_id""",
        ),
        # … adds to what the account holds, or is the first of its kind there …
        "w5": (
            f"""MERGE INTO holding_summary USING (SELECT {account} AS account, s_symb AS symbol, 200 AS quantity FROM security
            WHERE s_symb <= 'AAAAK' OR s_symb = '{symbol}') AS bought ON hs_ca_id = account AND hs_s_symb = symbol
            WHEN MATCHED THEN UPDATE SET hs_qty = hs_qty + quantity
            WHEN NOT MATCHED THEN INSERT (hs_ca_id, hs_s_symb, hs_qty) VALUES (account, symbol, quantity)""",
            f"SELECT hs_s_symb, hs_qty FROM holding_summary WHERE hs_ca_id = {account} ORDER BY hs_s_symb",
        ),
        # … is settled …
        "w6": (
            f"INSERT INTO settlement VALUES ({first_open}, 'Cash Account', DATE '2005-01-05', CAST(-4950.00 AS DECIMAL(12, 2)))",
            f"""SELECT se_t_id, se_cash_type, se_cash_due_date, se_amt FROM settlement WHERE se_t_id >= {first_open - 2}
            ORDER BY se_t_id""",
        ),
        # … paid …
        "w7": (
            f"""INSERT INTO cash_transaction VALUES ({first_open}, {_WHEN}, CAST(-4950.00 AS DECIMAL(12, 2)),
            'TLB 200 shares of {symbol}')""",
            f"""SELECT count(*) AS n, sum(ct_amt) AS paid, max(ct_dts) AS newest FROM cash_transaction
            WHERE ct_t_id >= {first_open - 100}""",
        ),
        # … out of the account …
        "w8": (
            f"UPDATE customer_account SET ca_bal = CAST(ca_bal - 4950.00 AS DECIMAL(12, 2)) WHERE ca_id = {account}",
            f"SELECT ca_id, ca_bal FROM customer_account WHERE ca_id <= {account + 4} ORDER BY ca_id",
        ),
        # … and brings the broker a commission.
        "w9": (
            f"""UPDATE broker SET b_num_trades = b_num_trades + 1, b_comm_total = CAST(b_comm_total + 4.95 AS DECIMAL(12, 2))
            WHERE b_id = {broker}""",
            "SELECT b_id, b_num_trades, b_comm_total FROM broker ORDER BY b_id",
        ),
        # Trade-Update: names of cash transactions are written out.
        "w10": (
            f"""UPDATE cash_transaction SET ct_name = concat('Limit-Buy', substring(ct_name, 4))
            WHERE ct_name LIKE 'TLB %' AND ct_t_id < {FIRST_TRADE + 1_000}""",
            "SELECT substring(ct_name, 1, 3) AS kind, count(*) AS n FROM cash_transaction GROUP BY 1 ORDER BY kind",
        ),
        # Data-Maintenance: the volume of a day of the month is corrected.
        "w11": (
            f"UPDATE daily_market SET dm_vol = dm_vol + 1 WHERE dm_s_symb = '{symbol}' AND day(dm_date) = 5",
            f"""SELECT day(dm_date) AS d, sum(dm_vol) AS volume FROM daily_market WHERE dm_s_symb = '{symbol}'
            GROUP BY 1 ORDER BY d""",
        ),
        # Trade-Cleanup: what still waits is dropped.
        "w12": (
            "DELETE FROM trade_request WHERE tr_tt_id IN (SELECT tt_id FROM trade_type WHERE tt_is_sell)",
            "SELECT tr_tt_id, count(*) AS n FROM trade_request GROUP BY tr_tt_id ORDER BY tr_tt_id",
        ),
    }
    return [query for name, (sql, check) in pairs.items() for query in write(name, sql, check)]
