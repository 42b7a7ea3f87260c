"""After TPCx-BB (BigBench): a retailer's stores, web shop, clicks and reviews, and ten of its thirty questions.

Sales, returns, clicks and reviews grow with the scale; customers and items with its square root.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa

from sqe.bench.suites.columns import Column, chosen, days_since_1970, digits, joined, letters, nulls_where, phrases, table
from sqe.bench.suites.draws import Draw, FanOut, Numbers
from sqe.bench.suites.suite import Suite
from sqe.bench.suites.tpcbb_queries import queries

CATEGORIES = ("Books", "Children", "Electronics", "Home", "Jewelry", "Men", "Music", "Shoes", "Sports", "Women")
STATES = (
    "CA TX NY FL IL PA OH MI GA NC NJ VA WA MA IN AZ TN MO MD WI MN CO AL SC LA KY OR OK CT IA MS AR KS UT NV NM WV NE ID "
    "ME NH HI RI MT DE SD AK ND VT WY"
).split()
EDUCATION = ("Primary", "Secondary", "College", "2 yr Degree", "4 yr Degree", "Advanced Degree", "Unknown")
PAGE_TYPES = ("order", "general", "review", "dynamic", "feedback", "protected")
PRAISE = "excellent great perfect lovely sturdy recommended fast bargain pleased beautiful".split()
BLAME = "awful broken late poor refund useless flimsy wrong disappointed noisy".split()
MIDDLING = "average usual plain expected fair colour size price parcel box".split()

EPOCH = days_since_1970("1900-01-01")
DATES = 109_573  # three hundred years, as the kit has them
FIRST_SALE = days_since_1970("2001-01-01") - EPOCH
SALE_DAYS = 5 * 365 + 1  # to the end of 2005
TICKETS = FanOut("tpcbb.store_sales.lines", 1, 13)
BASKETS = FanOut("tpcbb.web_sales.lines", 1, 13)
SESSIONS = FanOut("tpcbb.web_clickstreams.clicks", 1, 19)

KEY, WHOLE, TEXT, MONEY = pa.int64(), pa.int32(), pa.string(), pa.decimal128(9, 2)


def _growing(rows: int) -> Callable[[float], int]:
    return lambda scale: max(round(rows * scale), 10)


def _slowly(rows: int) -> Callable[[float], int]:
    """By the square root, which is exact to the bit on every machine."""
    return lambda scale: max(round(rows * float(np.sqrt(scale))), 10)


customers, addresses, items = _slowly(99_000), _slowly(49_500), _slowly(17_820)
store_lines, web_lines, returned_lines = _growing(667_579), _growing(668_052), _growing(37_902)
clicks, reviews = _growing(6_770_550), _growing(89_991)


def stores(scale: float) -> int:
    return max(round(12 * float(np.sqrt(scale))), 6)


def demographics(scale: float) -> int:
    """Every combination of its columns; without two of them below scale 1."""
    return 1_920_800 if scale >= 1 else 39_200


def date_dim(_: float, rows: Numbers) -> Mapping[str, Column]:
    days = (rows + EPOCH).astype("datetime64[D]")
    months, years = days.astype("datetime64[M]"), days.astype("datetime64[Y]")
    month = months.astype(np.int64) % 12
    return {
        "d_date_sk": rows,
        "d_date": rows + EPOCH,
        "d_year": years.astype(np.int64) + 1970,
        "d_moy": month + 1,
        "d_dom": (days - months.astype("datetime64[D]")).astype(np.int64) + 1,
        "d_qoy": month // 3 + 1,
    }


def customer(scale: float, rows: Numbers) -> Mapping[str, Column]:
    number = digits(rows + 1, 16)
    return {
        "c_customer_sk": rows + 1,
        "c_customer_id": number,
        "c_current_cdemo_sk": Draw("tpcbb.customer.demographics").below(rows, demographics(scale)) + 1,
        "c_current_addr_sk": Draw("tpcbb.customer.address").below(rows, addresses(scale)) + 1,
        "c_first_name": letters(Draw("tpcbb.customer.first"), rows, 3, 10),
        "c_last_name": letters(Draw("tpcbb.customer.last"), rows, 4, 14),
        "c_birth_year": Draw("tpcbb.customer.born").between(rows, 1924, 1992),
        "c_email_address": joined("customer", number, "@mail.example"),
    }


def customer_address(_: float, rows: Numbers) -> Mapping[str, Column]:
    return {
        "ca_address_sk": rows + 1,
        "ca_city": letters(Draw("tpcbb.address.city"), rows, 5, 15),
        "ca_state": chosen(STATES, Draw("tpcbb.address.state").skewed(rows, len(STATES))),
        "ca_zip": digits(Draw("tpcbb.address.zip").below(rows, 100_000), 5),
        "ca_country": chosen(("United States",), np.zeros(len(rows), dtype=np.int64)),
    }


def customer_demographics(_: float, rows: Numbers) -> Mapping[str, Column]:
    return {
        "cd_demo_sk": rows + 1,
        "cd_gender": chosen(("M", "F"), rows % 2),
        "cd_marital_status": chosen(("M", "S", "D", "W", "U"), rows // 2 % 5),
        "cd_education_status": chosen(EDUCATION, rows // 10 % 7),
        "cd_purchase_estimate": rows // 70 % 20 * 500 + 500,
        "cd_credit_rating": chosen(("Good", "Low Risk", "High Risk", "Unknown"), rows // 1_400 % 4),
        "cd_dep_count": rows // 5_600 % 7,
        "cd_dep_employed_count": rows // 39_200 % 7,
        "cd_dep_college_count": rows // 274_400 % 7,
    }


def _price(item: Numbers) -> Numbers:
    """Of one piece, in cents: many cheap things, few dear ones."""
    return 99 + Draw("tpcbb.item.price").skewed(item, 5_000) * 2


def _category(item: Numbers) -> Numbers:
    return Draw("tpcbb.item.category").below(item, len(CATEGORIES))


def item(_: float, rows: Numbers) -> Mapping[str, Column]:
    category = _category(rows)
    kind = Draw("tpcbb.item.class").below(rows, 15) + 1
    return {
        "i_item_sk": rows + 1,
        "i_item_id": digits(rows + 1, 16),
        "i_item_desc": phrases(Draw("tpcbb.item.description"), rows, PRAISE + MIDDLING, 6),
        "i_current_price": _price(rows),
        "i_class_id": kind,
        "i_class": joined("class ", digits(kind)),
        "i_category_id": category + 1,
        "i_category": chosen(CATEGORIES, category),
    }


def item_marketprices(_: float, rows: Numbers) -> Mapping[str, Column]:
    """Five competitors for every item."""
    of = rows // 5
    begins = FIRST_SALE + Draw("tpcbb.marketprices.start").below(rows, SALE_DAYS - 400) + 100
    return {
        "imp_sk": rows + 1,
        "imp_item_sk": of + 1,
        "imp_competitor": joined("competitor ", digits(rows % 5 + 1)),
        "imp_competitor_price": np.maximum(_price(of) * Draw("tpcbb.marketprices.price").between(rows, 60, 140) // 100, 1),
        "imp_start_date": begins,
        "imp_end_date": begins + Draw("tpcbb.marketprices.days").between(rows, 30, 120),
    }


def store(_: float, rows: Numbers) -> Mapping[str, Column]:
    return {
        "s_store_sk": rows + 1,
        "s_store_id": digits(rows + 1, 16),
        "s_store_name": joined("store ", digits(rows + 1)),
        "s_state": chosen(STATES, rows % len(STATES)),
    }


def web_page(_: float, rows: Numbers) -> Mapping[str, Column]:
    return {
        "wp_web_page_sk": rows + 1,
        "wp_type": chosen(PAGE_TYPES, rows % len(PAGE_TYPES)),
        "wp_url": joined("https://shop.example/", digits(rows + 1)),
    }


def _quantity(name: str, rows: Numbers, article: Numbers, day: Numbers) -> Numbers:
    """Every other category is bought less from year to year, the others more."""
    base = Draw(name).between(rows, 1, 60)
    years = np.minimum((day - FIRST_SALE) // 365, 4)
    more: Numbers = np.where(_category(article) % 2 == 0, 4 - years, years) * 5
    return base + more


def _sale(scale: float, rows: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Of lines sold in stores: ticket, customer, item and day, the last three from 0."""
    ticket, _ = TICKETS.of(rows)
    buyer = Draw("tpcbb.store_sales.customer").below(ticket, customers(scale))
    article = Draw("tpcbb.store_sales.item").skewed(rows, items(scale))
    return ticket, buyer, article, FIRST_SALE + Draw("tpcbb.store_sales.day").below(ticket, SALE_DAYS)


def _paid(name: str, rows: Numbers, article: Numbers, quantity: Numbers) -> tuple[Numbers, Numbers]:
    """Price of one piece after discount, and of all."""
    each = np.maximum(_price(article) * Draw(name).between(rows, 70, 100) // 100, 1)
    return each, each * quantity


def store_sales(scale: float, rows: Numbers) -> Mapping[str, Column]:
    ticket, buyer, article, day = _sale(scale, rows)
    quantity = _quantity("tpcbb.store_sales.quantity", rows, article, day)
    each, paid = _paid("tpcbb.store_sales.discount", rows, article, quantity)
    return {
        "ss_sold_date_sk": day,
        "ss_sold_time_sk": Draw("tpcbb.store_sales.time").between(ticket, 8 * 3600, 21 * 3600),
        "ss_item_sk": article + 1,
        "ss_customer_sk": buyer + 1,
        "ss_cdemo_sk": Draw("tpcbb.customer.demographics").below(buyer, demographics(scale)) + 1,
        "ss_addr_sk": Draw("tpcbb.customer.address").below(buyer, addresses(scale)) + 1,
        "ss_store_sk": Draw("tpcbb.store_sales.store").below(ticket, stores(scale)) + 1,
        "ss_ticket_number": ticket + 1,
        "ss_quantity": quantity,
        "ss_list_price": _price(article),
        "ss_sales_price": each,
        "ss_net_paid": paid,
        "ss_net_profit": paid - _price(article) * quantity * 8 // 10,
    }


def _returned(scale: float, rows: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers]:
    """Of returns: the sale's line, then as `_sale`, with the day of the return."""
    line = rows * store_lines(scale) // returned_lines(scale)
    ticket, buyer, article, day = _sale(scale, line)
    return line, ticket, buyer, article, day + Draw("tpcbb.store_returns.days").between(rows, 1, 60)


def store_returns(scale: float, rows: Numbers) -> Mapping[str, Column]:
    line, ticket, buyer, article, day = _returned(scale, rows)
    sold = _quantity("tpcbb.store_sales.quantity", line, article, _sale(scale, line)[3])
    quantity = 1 + Draw("tpcbb.store_returns.quantity").below(rows, sold)
    return {
        "sr_returned_date_sk": day,
        "sr_item_sk": article + 1,
        "sr_customer_sk": buyer + 1,
        "sr_ticket_number": ticket + 1,
        "sr_return_quantity": quantity,
        "sr_return_amt": _paid("tpcbb.store_sales.discount", line, article, quantity)[1],
    }


def web_sales(scale: float, rows: Numbers) -> Mapping[str, Column]:
    order, line = BASKETS.of(rows)
    # One order in ten is of somebody who brought something back to a store and buys it again in the web shop.
    again = Draw("tpcbb.web_sales.again").share(order, 10)
    from_return = Draw("tpcbb.web_sales.return").below(order, returned_lines(scale))
    _, _, returner, returned, returned_day = _returned(scale, from_return)
    buyer = np.where(again, returner, Draw("tpcbb.web_sales.customer").below(order, customers(scale)))
    any_day = FIRST_SALE + Draw("tpcbb.web_sales.day").below(order, SALE_DAYS)
    day = np.where(again, returned_day + Draw("tpcbb.web_sales.later").between(order, 1, 170), any_day)
    article = np.where(again & (line == 0), returned, Draw("tpcbb.web_sales.item").skewed(rows, items(scale)))
    quantity = _quantity("tpcbb.web_sales.quantity", rows, article, day)
    each, paid = _paid("tpcbb.web_sales.discount", rows, article, quantity)
    return {
        "ws_sold_date_sk": day,
        "ws_sold_time_sk": Draw("tpcbb.web_sales.time").below(order, 86_400),
        "ws_item_sk": article + 1,
        "ws_bill_customer_sk": buyer + 1,
        "ws_web_page_sk": Draw("tpcbb.web_sales.page").below(order, 60) + 1,
        "ws_order_number": order + 1,
        "ws_quantity": quantity,
        "ws_list_price": _price(article),
        "ws_sales_price": each,
        "ws_net_paid": paid,
    }


def web_clickstreams(scale: float, rows: Numbers) -> Mapping[str, Column]:
    """Clicks of one visit are at most ten minutes apart and look at neighbouring items; one visit in ten ends with an order."""
    visit, click = SESSIONS.of(rows)
    begins = Draw("tpcbb.clicks.time").below(visit, 86_400 - 19 * 600)
    around = Draw("tpcbb.clicks.topic").skewed(visit, items(scale))
    article = (around + Draw("tpcbb.clicks.item").below(rows, 8)) % items(scale)
    orders = BASKETS.of(np.array([web_lines(scale) - 1]))[0][0] + 1
    last = click == SESSIONS.sizes(visit) - 1
    buys = last & Draw("tpcbb.clicks.buys").share(visit, 10)
    return {
        "wcs_click_date_sk": FIRST_SALE + Draw("tpcbb.clicks.day").below(visit, SALE_DAYS),
        "wcs_click_time_sk": begins + click * 600 - Draw("tpcbb.clicks.pause").below(rows, 300) + 300,
        "wcs_sales_sk": nulls_where(Draw("tpcbb.clicks.order").below(visit, int(orders)) + 1, ~buys),
        "wcs_item_sk": nulls_where(article + 1, Draw("tpcbb.clicks.elsewhere").share(rows, 15)),
        "wcs_web_page_sk": Draw("tpcbb.clicks.page").below(rows, 60) + 1,
        "wcs_user_sk": nulls_where(
            Draw("tpcbb.clicks.user").below(visit, customers(scale)) + 1, Draw("tpcbb.clicks.stranger").share(visit, 20)
        ),
    }


def product_reviews(scale: float, rows: Numbers) -> Mapping[str, Column]:
    article = Draw("tpcbb.reviews.item").skewed(rows, items(scale))
    # What sells well is liked a little better.
    popular = np.where(article < items(scale) // 20, 1, 0)
    rating = 1 + np.maximum(Draw("tpcbb.reviews.rating").weighted(rows, (10, 8, 14, 28, 40)), popular)
    mood = np.where(rating > 3, 0, np.where(rating < 3, 1, 2))
    texts = [phrases(Draw(f"tpcbb.reviews.{n}"), rows, words + MIDDLING, 12) for n, words in enumerate((PRAISE, BLAME, MIDDLING))]
    return {
        "pr_review_sk": rows + 1,
        "pr_review_date_sk": FIRST_SALE + Draw("tpcbb.reviews.day").below(rows, SALE_DAYS),
        "pr_review_rating": rating,
        "pr_item_sk": article + 1,
        "pr_user_sk": Draw("tpcbb.reviews.user").below(rows, customers(scale)) + 1,
        "pr_review_content": pa.chunked_array(texts).combine_chunks().take(pa.array(mood * len(rows) + np.arange(len(rows)))),
    }


def _types(keys: str = "", wholes: str = "", texts: str = "", money: str = "") -> dict[str, pa.DataType]:
    kinds = ((keys, KEY), (wholes, WHOLE), (texts, TEXT), (money, MONEY))
    return {name: kind for names, kind in kinds for name in names.split()}


SUITE = Suite(
    name="tpcbb",
    what="After TPCx-BB: ten questions on a retailer's stores, web shop, clicks and reviews",
    tables=(
        table(
            "date_dim",
            {"d_date_sk": KEY, "d_date": pa.date32(), **_types(wholes="d_year d_moy d_dom d_qoy")},
            lambda _: DATES,
            date_dim,
        ),
        table(
            "customer",
            _types(
                "c_customer_sk c_current_cdemo_sk c_current_addr_sk",
                "c_birth_year",
                "c_customer_id c_first_name c_last_name c_email_address",
            ),
            customers,
            customer,
        ),
        table("customer_address", _types("ca_address_sk", "", "ca_city ca_state ca_zip ca_country"), addresses, customer_address),
        table(
            "customer_demographics",
            _types(
                "cd_demo_sk",
                "cd_purchase_estimate cd_dep_count cd_dep_employed_count cd_dep_college_count",
                "cd_gender cd_marital_status cd_education_status cd_credit_rating",
            ),
            demographics,
            customer_demographics,
        ),
        table(
            "item",
            _types("i_item_sk", "i_class_id i_category_id", "i_item_id i_item_desc i_class i_category", "i_current_price"),
            items,
            item,
        ),
        table(
            "item_marketprices",
            _types("imp_sk imp_item_sk imp_start_date imp_end_date", "", "imp_competitor", "imp_competitor_price"),
            lambda scale: items(scale) * 5,
            item_marketprices,
        ),
        table("store", _types("s_store_sk", "", "s_store_id s_store_name s_state"), stores, store),
        table("web_page", _types("wp_web_page_sk", "", "wp_type wp_url"), lambda _: 60, web_page),
        table(
            "store_sales",
            _types(
                "ss_sold_date_sk ss_sold_time_sk ss_item_sk ss_customer_sk ss_cdemo_sk ss_addr_sk ss_store_sk ss_ticket_number",
                "ss_quantity",
                "",
                "ss_list_price ss_sales_price ss_net_paid ss_net_profit",
            ),
            store_lines,
            store_sales,
        ),
        table(
            "store_returns",
            _types("sr_returned_date_sk sr_item_sk sr_customer_sk sr_ticket_number", "sr_return_quantity", "", "sr_return_amt"),
            returned_lines,
            store_returns,
        ),
        table(
            "web_sales",
            _types(
                "ws_sold_date_sk ws_sold_time_sk ws_item_sk ws_bill_customer_sk ws_web_page_sk ws_order_number",
                "ws_quantity",
                "",
                "ws_list_price ws_sales_price ws_net_paid",
            ),
            web_lines,
            web_sales,
        ),
        table(
            "web_clickstreams",
            _types("wcs_click_date_sk wcs_click_time_sk wcs_sales_sk wcs_item_sk wcs_web_page_sk wcs_user_sk"),
            clicks,
            web_clickstreams,
        ),
        table(
            "product_reviews",
            _types("pr_review_sk pr_review_date_sk pr_item_sk pr_user_sk", "pr_review_rating", "pr_review_content"),
            reviews,
            product_reviews,
        ),
    ),
    queries=queries,
)
