"""TPCx-BB's data: sizes, keys, the habits that its questions look for, and answers worked out another way."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations

import duckdb
import numpy as np
import pytest
from suite_data import SMALL, generated, in_duckdb, near, one, orphans

from sqe.bench.suites.tpcbb import SUITE

TABLES = {table.name: table for table in SUITE.tables}


@pytest.fixture(scope="module")
def tpcbb() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = in_duckdb(SUITE)
    yield connection
    connection.close()


def test_tables_have_the_sizes_of_scale_1() -> None:
    assert {name: table.rows(1) for name, table in TABLES.items()} == {
        "date_dim": 109_573,
        "customer": 99_000,
        "customer_address": 49_500,
        "customer_demographics": 1_920_800,
        "item": 17_820,
        "item_marketprices": 89_100,
        "store": 12,
        "web_page": 60,
        "store_sales": 667_579,
        "store_returns": 37_902,
        "web_sales": 668_052,
        "web_clickstreams": 6_770_550,
        "product_reviews": 89_991,
    }


def test_people_and_items_grow_with_the_square_root() -> None:
    assert TABLES["customer"].rows(100) == 990_000
    assert TABLES["item"].rows(100) == 178_200
    assert TABLES["store_sales"].rows(100) == 66_757_900


@pytest.mark.parametrize(
    ("child", "key", "parent", "parent_key"),
    [
        ("customer", "c_current_addr_sk", "customer_address", "ca_address_sk"),
        ("customer", "c_current_cdemo_sk", "customer_demographics", "cd_demo_sk"),
        ("item_marketprices", "imp_item_sk", "item", "i_item_sk"),
        ("store_sales", "ss_item_sk", "item", "i_item_sk"),
        ("store_sales", "ss_customer_sk", "customer", "c_customer_sk"),
        ("store_sales", "ss_store_sk", "store", "s_store_sk"),
        ("store_sales", "ss_sold_date_sk", "date_dim", "d_date_sk"),
        (
            "store_sales",
            "(ss_customer_sk, ss_addr_sk, ss_cdemo_sk)",
            "customer",
            "(c_customer_sk, c_current_addr_sk, c_current_cdemo_sk)",
        ),
        (
            "store_returns",
            "(sr_ticket_number, sr_item_sk, sr_customer_sk)",
            "store_sales",
            "(ss_ticket_number, ss_item_sk, ss_customer_sk)",
        ),
        ("web_sales", "ws_item_sk", "item", "i_item_sk"),
        ("web_sales", "ws_bill_customer_sk", "customer", "c_customer_sk"),
        ("web_sales", "ws_web_page_sk", "web_page", "wp_web_page_sk"),
        ("web_clickstreams", "wcs_item_sk", "item", "i_item_sk"),
        ("web_clickstreams", "wcs_user_sk", "customer", "c_customer_sk"),
        ("web_clickstreams", "wcs_sales_sk", "web_sales", "ws_order_number"),
        ("product_reviews", "pr_item_sk", "item", "i_item_sk"),
        ("product_reviews", "pr_user_sk", "customer", "c_customer_sk"),
    ],
)
def test_rows_point_to_rows_that_are_there(
    tpcbb: duckdb.DuckDBPyConnection, child: str, key: str, parent: str, parent_key: str
) -> None:
    assert orphans(tpcbb, child, key, parent, parent_key) == 0


def test_demographics_are_every_combination_once(tpcbb: duckdb.DuckDBPyConnection) -> None:
    columns = "cd_gender, cd_marital_status, cd_education_status, cd_purchase_estimate, cd_credit_rating, cd_dep_count"
    assert one(tpcbb, f"SELECT count(DISTINCT ({columns})) FROM customer_demographics") == 2 * 5 * 7 * 20 * 4 * 7 == 39_200


def test_nobody_returns_more_than_was_bought_or_earlier(tpcbb: duckdb.DuckDBPyConnection) -> None:
    wrong = """SELECT count(*) FROM store_returns WHERE NOT EXISTS (SELECT 1 FROM store_sales
        WHERE ss_ticket_number = sr_ticket_number AND ss_item_sk = sr_item_sk AND ss_quantity >= sr_return_quantity
        AND ss_sold_date_sk < sr_returned_date_sk)"""
    assert one(tpcbb, wrong) == 0
    for column in ("sr_return_quantity FROM store_returns", "ss_quantity FROM store_sales", "ws_quantity FROM web_sales"):
        assert one(tpcbb, f"SELECT min(x) FROM (SELECT {column}) AS t (x)") >= 1


def test_one_click_in_five_is_a_strangers_and_one_visit_in_ten_buys(tpcbb: duckdb.DuckDBPyConnection) -> None:
    visits = 67_706 // 10
    assert near(one(tpcbb, "SELECT avg((wcs_user_sk IS NULL)::INT) FROM web_clickstreams"), 0.2, visits // 2)
    assert near(one(tpcbb, f"SELECT count(wcs_sales_sk) / {visits} FROM web_clickstreams"), 0.1, visits)


def test_good_reviews_use_other_words_than_bad_ones(tpcbb: duckdb.DuckDBPyConnection) -> None:
    assert one(tpcbb, "SELECT count(*) FROM product_reviews WHERE pr_review_rating > 3 AND pr_review_content LIKE '%awful%'") == 0
    assert one(tpcbb, "SELECT count(*) FROM product_reviews WHERE pr_review_rating < 3 AND pr_review_content LIKE '%awful%'") > 0


def test_times_of_clicks_stay_within_their_day(tpcbb: duckdb.DuckDBPyConnection) -> None:
    assert one(tpcbb, "SELECT min(wcs_click_time_sk) >= 0 AND max(wcs_click_time_sk) < 86400 FROM web_clickstreams")


def test_pairs_in_baskets_worked_out_by_hand(tpcbb: duckdb.DuckDBPyConnection) -> None:
    category = generated(TABLES["item"])["i_category_id"].to_pylist()
    baskets: dict[int, set[int]] = defaultdict(set)
    for sale in generated(TABLES["store_sales"]).select(["ss_ticket_number", "ss_item_sk", "ss_store_sk"]).to_pylist():
        if category[sale["ss_item_sk"] - 1] <= 3 and sale["ss_store_sk"] <= 5:
            baskets[sale["ss_ticket_number"]].add(sale["ss_item_sk"])
    pairs = Counter(pair for basket in baskets.values() for pair in combinations(sorted(basket), 2))
    expected = sorted(((*pair, count) for pair, count in pairs.items() if count >= 2), key=lambda row: (-row[2], row[0], row[1]))[
        :100
    ]
    assert tpcbb.execute(_text("q01")).fetchall() == expected


def test_declining_categories_worked_out_by_hand(tpcbb: duckdb.DuckDBPyConnection) -> None:
    category = np.array(generated(TABLES["item"])["i_category_id"].to_pylist())
    sales = generated(TABLES["store_sales"])
    of = category[sales["ss_item_sk"].to_numpy() - 1]
    kept = sales["ss_store_sk"].to_numpy() <= 3
    day, paid = sales["ss_sold_date_sk"].to_numpy(), np.array([float(value) for value in sales["ss_net_paid"].to_pylist()])
    expected = {}
    for number in range(1, 11):
        rows = kept & (of == number)
        days = np.unique(day[rows])
        slope = np.polyfit(days - days.mean(), [paid[rows & (day == one_day)].sum() for one_day in days], 1)[0]
        if slope <= 0:
            expected[number] = slope
    answer = {category: slope for category, _, slope in tpcbb.execute(_text("q15")).fetchall()}
    assert answer == pytest.approx(expected, rel=1e-6)


def _text(name: str) -> str:
    [query] = [query for query in SUITE.queries(SMALL) if query.name == name]
    return query.sql
