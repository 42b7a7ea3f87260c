"""Ten questions of TPCx-BB that SQL alone answers, by their numbers there."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.bench.suites.portable import read
from sqe.bench.suites.suite import Query

_FLOAT = 1e-9

# Pairs of items that are bought together in some stores.
_Q01 = """WITH basket AS (
    SELECT DISTINCT ss_ticket_number AS ticket, ss_item_sk AS item FROM store_sales JOIN item ON i_item_sk = ss_item_sk
    WHERE i_category_id IN (1, 2, 3) AND ss_store_sk BETWEEN 1 AND 5)
SELECT a.item AS item_1, b.item AS item_2, count(*) AS together
FROM basket AS a JOIN basket AS b ON a.ticket = b.ticket AND a.item < b.item
GROUP BY a.item, b.item HAVING count(*) >= {often} ORDER BY together DESC, item_1, item_2 LIMIT 100"""

# Items that are looked at in the same visit as the best-known one; a visit ends with an hour without clicks.
_Q02 = """WITH clicks AS (
    SELECT wcs_user_sk AS person, wcs_item_sk AS item, wcs_click_date_sk * 86400 + wcs_click_time_sk AS clicked
    FROM web_clickstreams WHERE wcs_user_sk IS NOT NULL AND wcs_item_sk IS NOT NULL),
breaks AS (
    SELECT person, item, clicked,
        CASE WHEN clicked - lag(clicked) OVER (PARTITION BY person ORDER BY clicked) <= 3600 THEN 0 ELSE 1 END AS begins
    FROM clicks),
visits AS (
    SELECT person, item, sum(begins) OVER (PARTITION BY person ORDER BY clicked RANGE UNBOUNDED PRECEDING) AS visit FROM breaks),
seen AS (SELECT DISTINCT person, visit, item FROM visits)
SELECT b.item, count(*) AS together FROM seen AS a
JOIN seen AS b ON a.person = b.person AND a.visit = b.visit AND a.item <> b.item
WHERE a.item = 1 GROUP BY b.item ORDER BY together DESC, b.item LIMIT 30"""

# Customers whose spending moved from the stores to the web shop in the second of two years.
_Q06 = """WITH in_store AS (
    SELECT ss_customer_sk AS person, sum(CASE WHEN d_year = 2001 THEN ss_net_paid ELSE 0 END) AS first_year,
        sum(CASE WHEN d_year = 2002 THEN ss_net_paid ELSE 0 END) AS second_year
    FROM store_sales JOIN date_dim ON d_date_sk = ss_sold_date_sk WHERE d_year IN (2001, 2002) GROUP BY ss_customer_sk),
on_web AS (
    SELECT ws_bill_customer_sk AS person, sum(CASE WHEN d_year = 2001 THEN ws_net_paid ELSE 0 END) AS first_year,
        sum(CASE WHEN d_year = 2002 THEN ws_net_paid ELSE 0 END) AS second_year
    FROM web_sales JOIN date_dim ON d_date_sk = ws_sold_date_sk WHERE d_year IN (2001, 2002) GROUP BY ws_bill_customer_sk)
SELECT c_customer_sk, c_first_name, c_last_name, CAST(w.second_year AS DOUBLE) / CAST(w.first_year AS DOUBLE) AS web_growth,
    CAST(s.second_year AS DOUBLE) / CAST(s.first_year AS DOUBLE) AS store_growth
FROM customer JOIN in_store AS s ON s.person = c_customer_sk JOIN on_web AS w ON w.person = c_customer_sk
WHERE s.first_year > 0 AND w.first_year > 0 AND CAST(w.second_year AS DOUBLE) / CAST(w.first_year AS DOUBLE)
    > CAST(s.second_year AS DOUBLE) / CAST(s.first_year AS DOUBLE)
ORDER BY web_growth DESC, c_customer_sk LIMIT 100"""

# States where many customers bought things a fifth dearer than the average of their category in a month.
_Q07 = """WITH dear AS (
    SELECT i_item_sk FROM item JOIN
        (SELECT i_category_id AS category, avg(CAST(i_current_price AS DOUBLE)) AS usual FROM item
        GROUP BY i_category_id) AS prices
    ON category = i_category_id WHERE CAST(i_current_price AS DOUBLE) > usual * 1.2)
SELECT ca_state, count(DISTINCT ss_customer_sk) AS people FROM store_sales JOIN dear ON i_item_sk = ss_item_sk
JOIN date_dim ON d_date_sk = ss_sold_date_sk JOIN customer ON c_customer_sk = ss_customer_sk
JOIN customer_address ON ca_address_sk = c_current_addr_sk WHERE d_year = 2004 AND d_moy = 7
GROUP BY ca_state HAVING count(DISTINCT ss_customer_sk) >= {people} ORDER BY people DESC, ca_state LIMIT 10"""

# How much was sold to people of some families, schools and places, by price and profit.
_Q09 = """SELECT sum(ss_quantity) AS pieces, count(*) AS sales FROM store_sales JOIN date_dim ON d_date_sk = ss_sold_date_sk
JOIN customer_address ON ca_address_sk = ss_addr_sk JOIN customer_demographics ON cd_demo_sk = ss_cdemo_sk
JOIN store ON s_store_sk = ss_store_sk
WHERE d_year = 2001
AND (cd_marital_status = 'M' AND cd_education_status = '4 yr Degree' AND ss_sales_price BETWEEN 1 AND 150
    OR cd_marital_status = 'S' AND cd_education_status = 'Secondary' AND ss_sales_price BETWEEN 1 AND 200
    OR cd_marital_status = 'W' AND cd_education_status = 'Advanced Degree' AND ss_sales_price BETWEEN 1 AND 200)
AND (ca_state IN ('KY', 'GA', 'NM', 'CA') AND ss_net_profit BETWEEN -500 AND 2000
    OR ca_state IN ('MT', 'OR', 'IN', 'TX') AND ss_net_profit BETWEEN -500 AND 3000
    OR ca_state IN ('WI', 'MO', 'WV', 'NY') AND ss_net_profit BETWEEN -500 AND 25000)"""

# Whether items with many and good reviews earn more.
_Q11 = """WITH rated AS (
    SELECT pr_item_sk AS item, count(*) AS reviews, avg(pr_review_rating) AS rating FROM product_reviews GROUP BY pr_item_sk),
earned AS (
    SELECT ws_item_sk AS item, CAST(sum(ws_net_paid) AS DOUBLE) AS revenue FROM web_sales
    JOIN date_dim ON d_date_sk = ws_sold_date_sk WHERE d_year = 2003 GROUP BY ws_item_sk)
SELECT count(*) AS items, corr(CAST(reviews AS DOUBLE), rating) AS of_reviews,
    corr(CAST(reviews AS DOUBLE), revenue) AS of_revenue
FROM rated JOIN earned ON earned.item = rated.item"""

# Who looked at an item of some categories in the web shop and bought one in a store within ninety days.
_Q12 = """SELECT DISTINCT wcs_user_sk AS person FROM web_clickstreams
JOIN item AS looked ON looked.i_item_sk = wcs_item_sk
JOIN store_sales ON ss_customer_sk = wcs_user_sk
    AND ss_sold_date_sk > wcs_click_date_sk AND ss_sold_date_sk <= wcs_click_date_sk + 90
JOIN item AS bought ON bought.i_item_sk = ss_item_sk JOIN date_dim ON d_date_sk = wcs_click_date_sk
WHERE looked.i_category IN ('Books', 'Electronics') AND bought.i_category IN ('Books', 'Electronics')
AND wcs_sales_sk IS NULL AND d_year = 2001 AND d_moy BETWEEN 9 AND 11 ORDER BY person LIMIT 100"""

# Categories that a store sells less and less of: the slope of a line through its days.
_Q15 = """WITH days AS (
    SELECT i_category_id AS category, CAST(ss_sold_date_sk AS DOUBLE) - {first_day} AS x, CAST(sum(ss_net_paid) AS DOUBLE) AS y
    FROM store_sales JOIN item ON i_item_sk = ss_item_sk JOIN date_dim ON d_date_sk = ss_sold_date_sk
    WHERE ss_store_sk <= 3 AND d_year BETWEEN 2001 AND 2005 GROUP BY i_category_id, ss_sold_date_sk)
SELECT category, count(*) AS days, (count(*) * sum(x * y) - sum(x) * sum(y)) / (count(*) * sum(x * x) - sum(x) * sum(x)) AS slope
FROM days GROUP BY category
HAVING (count(*) * sum(x * y) - sum(x) * sum(y)) / (count(*) * sum(x * x) - sum(x) * sum(x)) <= 0 ORDER BY category"""

# What was brought back to a store, and bought again in the web shop by the same person within half a year.
_Q21 = """SELECT i_item_id, s_store_id, sum(ss_quantity) AS sold, sum(sr_return_quantity) AS returned,
    sum(ws_quantity) AS bought_again
FROM store_returns JOIN store_sales ON ss_ticket_number = sr_ticket_number AND ss_item_sk = sr_item_sk
    AND ss_customer_sk = sr_customer_sk
JOIN web_sales ON ws_bill_customer_sk = sr_customer_sk AND ws_item_sk = sr_item_sk
JOIN item ON i_item_sk = sr_item_sk JOIN store ON s_store_sk = ss_store_sk JOIN date_dim ON d_date_sk = sr_returned_date_sk
WHERE d_year = 2003 AND ws_sold_date_sk > sr_returned_date_sk AND ws_sold_date_sk <= sr_returned_date_sk + 180
GROUP BY i_item_id, s_store_id ORDER BY i_item_id, s_store_id LIMIT 100"""

# How sales of the best-known items answer to a competitor's price, before and after it changed.
_Q24 = """WITH changes AS (
    SELECT i_item_sk AS item, imp_sk AS price, imp_start_date AS starts, imp_end_date - imp_start_date AS lasts,
        (CAST(imp_competitor_price AS DOUBLE) - CAST(i_current_price AS DOUBLE)) / CAST(i_current_price AS DOUBLE) AS change
    FROM item JOIN item_marketprices ON imp_item_sk = i_item_sk WHERE i_item_sk <= 20 AND imp_competitor_price < i_current_price),
sold AS (
    SELECT ss_item_sk AS item, ss_sold_date_sk AS day, ss_quantity AS quantity FROM store_sales WHERE ss_item_sk <= 20
    UNION ALL SELECT ws_item_sk, ws_sold_date_sk, ws_quantity FROM web_sales WHERE ws_item_sk <= 20),
answered AS (
    SELECT changes.item, price, change, sum(CASE WHEN day >= starts AND day < starts + lasts THEN quantity ELSE 0 END) AS during,
        sum(CASE WHEN day >= starts - lasts AND day < starts THEN quantity ELSE 0 END) AS earlier
    FROM changes JOIN sold ON sold.item = changes.item GROUP BY changes.item, price, change)
SELECT item, count(*) AS prices, avg(CAST(during - earlier AS DOUBLE) / (CAST(earlier AS DOUBLE) * change)) AS elasticity
FROM answered WHERE earlier > 0 AND during > 0 GROUP BY item ORDER BY item"""


def queries(scale: float) -> Sequence[Query]:
    """Thresholds of counts follow the scale up to those of the kit, which are for large ones."""
    often, people = min(max(round(50 * scale), 2), 50), min(max(round(10 * scale), 1), 10)
    texts = {
        "q01": _Q01.format(often=often),
        "q02": _Q02,
        "q06": _Q06,
        "q07": _Q07.format(people=people),
        "q09": _Q09,
        "q11": _Q11,
        "q12": _Q12,
        "q15": _Q15.format(first_day=36_890),  # near the first sale: products of small numbers keep their digits
        "q21": _Q21,
        "q24": _Q24,
    }
    floating = {"q06": _FLOAT, "q11": 1e-6, "q15": 1e-6, "q24": _FLOAT}
    return [read(name, sql, floating.get(name, 0.0)) for name, sql in texts.items()]
