"""Eight tables with the shape of TPC-H's and 22 questions of its kinds, in words of our own: joins, aggregates, subqueries."""

from __future__ import annotations

from sqe.bench.workspace import Table


def shop(rows: int) -> dict[str, Table]:
    """By their short names; `rows` of the largest, the others in TPC-H's proportions."""
    orders, parts, customers, suppliers = max(rows // 4, 1), max(rows // 30, 1), max(rows // 40, 1), max(rows // 600, 1)
    sizes = {"region": 5, "nation": 25, "supplier": suppliers, "customer": customers, "part": parts, "supply": parts * 4}
    sizes |= {"orders": orders, "item": rows}
    known = {"orders": orders, "parts": parts, "customers": customers, "suppliers": suppliers}
    return {name: Table(f"shop_{name}_{rows}", size, _COLUMNS[name].format(**known)) for name, size in sizes.items()}


_COLUMNS = {
    "region": "id AS rk, element_at(array('AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'OCEANIA'), CAST(id + 1 AS INT)) AS rname",
    "nation": "id AS nk, id % 5 AS n_rk, concat('NATION ', id) AS nname",
    "supplier": """id AS sk, pmod(hash(id), 25) AS s_nk, concat('Supplier ', id) AS sname,
        CAST(pmod(hash(id, 1), 1100000) / 100 - 1000 AS DECIMAL(12,2)) AS s_balance""",
    "customer": """id AS ck, pmod(hash(id), 25) AS c_nk, concat('Customer ', id) AS cname,
        CAST(pmod(hash(id, 1), 1100000) / 100 - 1000 AS DECIMAL(12,2)) AS c_balance,
        concat(10 + pmod(hash(id), 25), '-', pmod(hash(id, 2), 1000000)) AS phone,
        element_at(array('AUTO', 'BUILDING', 'FURNITURE', 'HOUSEHOLD', 'MACHINES'), pmod(hash(id, 3), 5) + 1) AS segment""",
    "part": """id AS pk, concat('Brand ', pmod(hash(id), 25)) AS brand, CAST(pmod(hash(id, 1), 50) + 1 AS INT) AS size,
        concat_ws(' ', element_at(array('SMALL', 'LARGE', 'PROMO', 'PLAIN'), pmod(hash(id, 2), 4) + 1),
            element_at(array('BRASS', 'STEEL', 'TIN', 'NICKEL'), pmod(hash(id, 3), 4) + 1)) AS kind,
        concat_ws(' ', element_at(array('SM', 'MED', 'LG', 'JUMBO'), pmod(hash(id, 4), 4) + 1),
            element_at(array('BOX', 'BAG', 'CAN'), pmod(hash(id, 5), 3) + 1)) AS packing""",
    "supply": """id div 4 AS y_pk, pmod(hash(id), {suppliers}) AS y_sk, CAST(pmod(hash(id, 1), 10000) AS INT) AS available,
        CAST(pmod(hash(id, 2), 100000) / 100 AS DECIMAL(12,2)) AS cost""",
    "orders": """id AS ok, pmod(hash(id), {customers}) AS o_ck, element_at(array('F', 'O', 'P'), pmod(hash(id, 1),
        3) + 1) AS status,
        CAST(pmod(hash(id, 2), 50000000) / 100 AS DECIMAL(12,2)) AS total, date_add(DATE '2019-01-01', pmod(hash(id, 3),
        2400)) AS ordered,
        concat(pmod(hash(id, 4), 5) + 1, '-LEVEL') AS priority, substr(sha1(CAST(id AS STRING)), 1, 20) AS remark""",
    "item": """pmod(hash(id), {orders}) AS i_ok, pmod(hash(id, 1), {parts}) AS i_pk, pmod(hash(id, 2), {suppliers}) AS i_sk,
        CAST(pmod(hash(id, 3), 50) + 1 AS DECIMAL(12,2)) AS quantity, CAST(pmod(hash(id, 4),
        10000000) / 100 AS DECIMAL(12,2)) AS price,
        CAST(pmod(hash(id, 5), 11) / 100 AS DECIMAL(4,2)) AS discount,
        element_at(array('A', 'N', 'R'), pmod(hash(id, 6), 3) + 1) AS returned,
        date_add(DATE '2019-01-01', pmod(hash(id, 7), 2500)) AS shipped, date_add(DATE '2019-01-01', pmod(hash(id, 8),
        2500)) AS promised,
        element_at(array('AIR', 'MAIL', 'RAIL', 'SHIP', 'TRUCK'), pmod(hash(id, 9), 5) + 1) AS mode""",
}

_REVENUE = "sum(price * (1 - discount))"

QUESTIONS = (
    f"SELECT returned, sum(quantity), sum(price), {_REVENUE}, avg(discount), count(*) FROM {{item}} "
    "WHERE shipped < DATE '2025-09-01' GROUP BY returned ORDER BY returned",
    "SELECT sname, nname, pk FROM {part} JOIN {supply} ON y_pk = pk JOIN {supplier} ON sk = y_sk JOIN {nation} ON nk = s_nk "
    "WHERE size = 15 AND cost = (SELECT min(cost) FROM {supply} WHERE y_pk = pk) ORDER BY s_balance DESC, pk LIMIT 100",
    f"SELECT ok, {_REVENUE} AS revenue FROM {{customer}} JOIN {{orders}} ON o_ck = ck JOIN {{item}} ON i_ok = ok "
    "WHERE segment = 'BUILDING' AND ordered < DATE '2022-03-15' AND shipped > DATE '2022-03-15' GROUP BY ok ORDER BY "
    "revenue DESC LIMIT 10",
    "SELECT priority, count(*) FROM {orders} WHERE ordered BETWEEN DATE '2021-07-01' AND DATE '2021-09-30' "
    "AND EXISTS (SELECT 1 FROM {item} WHERE i_ok = ok AND promised < shipped) GROUP BY priority ORDER BY priority",
    f"SELECT nname, {_REVENUE} AS revenue FROM {{customer}} JOIN {{orders}} ON o_ck = ck JOIN {{item}} ON i_ok = ok "
    "JOIN {supplier} ON sk = i_sk AND s_nk = c_nk JOIN {nation} ON nk = s_nk JOIN {region} ON rk = n_rk "
    "WHERE rname = 'ASIA' AND year(ordered) = 2022 GROUP BY nname ORDER BY revenue DESC",
    "SELECT sum(price * discount) FROM {item} WHERE year(shipped) = 2022 AND discount BETWEEN 0.05 AND 0.07 AND quantity < 24",
    f"SELECT s.nname AS seller, c.nname AS buyer, year(shipped) AS y, {_REVENUE} FROM {{item}} JOIN {{orders}} ON ok = i_ok "
    "JOIN {customer} ON ck = o_ck JOIN {supplier} ON sk = i_sk JOIN {nation} s ON s.nk = s_nk JOIN {nation} c ON c.nk = c_nk "
    "WHERE s.nname IN ('NATION 3', 'NATION 7') AND c.nname IN ('NATION 3', 'NATION 7') AND s.nk <> c.nk GROUP BY 1, 2, 3 "
    "ORDER BY 1, 2, 3",
    "SELECT year(ordered) AS y, sum(CASE WHEN nname = 'NATION 4' THEN price ELSE 0 END) / sum(price) FROM {item} JOIN "
    "{orders} ON ok = i_ok "
    "JOIN {part} ON pk = i_pk JOIN {supplier} ON sk = i_sk JOIN {nation} ON nk = s_nk WHERE kind = 'PROMO STEEL' GROUP BY "
    "1 ORDER BY 1",
    "SELECT nname, year(ordered) AS y, sum(price * (1 - discount) - cost * quantity) FROM {item} JOIN {part} ON pk = i_pk "
    "JOIN {supply} ON y_pk = i_pk AND y_sk = i_sk JOIN {orders} ON ok = i_ok JOIN {supplier} ON sk = i_sk JOIN {nation} ON "
    "nk = s_nk "
    "WHERE kind LIKE '%TIN' GROUP BY 1, 2 ORDER BY 1, 2 DESC",
    f"SELECT ck, cname, {_REVENUE} AS lost FROM {{customer}} JOIN {{orders}} ON o_ck = ck JOIN {{item}} ON i_ok = ok "
    "WHERE returned = 'R' AND ordered >= DATE '2022-10-01' AND ordered < DATE '2023-01-01' GROUP BY ck, cname ORDER BY "
    "lost DESC LIMIT 20",
    "SELECT y_pk, sum(cost * available) AS worth FROM {supply} JOIN {supplier} ON sk = y_sk WHERE s_nk = 9 GROUP BY y_pk "
    "HAVING sum(cost * available) > (SELECT avg(cost * available) * 2 FROM {supply}) ORDER BY worth DESC LIMIT 100",
    "SELECT mode, count_if(priority IN ('1-LEVEL', '2-LEVEL')), count_if(priority > '2-LEVEL') FROM {orders} JOIN {item} "
    "ON i_ok = ok "
    "WHERE mode IN ('MAIL', 'SHIP') AND promised < shipped AND year(shipped) = 2022 GROUP BY mode ORDER BY mode",
    "SELECT n, count(*) FROM (SELECT ck, count(ok) AS n FROM {customer} LEFT JOIN {orders} ON o_ck = ck AND remark NOT "
    "LIKE '%ab%' "
    "GROUP BY ck) GROUP BY n ORDER BY 2 DESC, 1 DESC",
    "SELECT 100 * sum(CASE WHEN kind LIKE 'PROMO%' THEN price ELSE 0 END) / sum(price) FROM {item} JOIN {part} ON pk = i_pk "
    "WHERE shipped >= DATE '2022-09-01' AND shipped < DATE '2022-10-01'",
    f"WITH earned AS (SELECT i_sk, {_REVENUE} AS sum_of FROM {{item}} WHERE quarter(shipped) = 1 GROUP BY i_sk) "
    "SELECT sk, sname, sum_of FROM {supplier} JOIN earned ON i_sk = sk WHERE sum_of = (SELECT max(sum_of) FROM earned) "
    "ORDER BY sk",
    "SELECT brand, kind, count(DISTINCT y_sk) AS n FROM {supply} JOIN {part} ON pk = y_pk WHERE brand <> 'Brand 5' AND "
    "size IN (3, 9, 14, 45) "
    "AND y_sk NOT IN (SELECT sk FROM {supplier} WHERE s_balance < -900) GROUP BY brand, kind ORDER BY n DESC, 1, 2 LIMIT 50",
    "SELECT sum(price) / 7 FROM {item} JOIN {part} ON pk = i_pk WHERE brand = 'Brand 3' AND packing = 'MED BOX' "
    "AND quantity < (SELECT 0.2 * avg(quantity) FROM {item} WHERE i_pk = pk)",
    "SELECT cname, ok, total, sum(quantity) FROM {customer} JOIN {orders} ON o_ck = ck JOIN {item} ON i_ok = ok "
    "WHERE ok IN (SELECT i_ok FROM {item} GROUP BY i_ok HAVING sum(quantity) > 250) GROUP BY 1, 2, 3 ORDER BY total DESC "
    "LIMIT 100",
    f"SELECT {_REVENUE} FROM {{item}} JOIN {{part}} ON pk = i_pk WHERE mode = 'AIR' AND (brand = 'Brand 1' AND quantity "
    f"BETWEEN 1 AND 11 "
    "AND size < 6 OR brand = 'Brand 2' AND quantity BETWEEN 10 AND 20 AND size < 11 OR brand = 'Brand 3' AND quantity > 20 "
    "AND size < 16)",
    "SELECT sname FROM {supplier} WHERE s_nk = 3 AND sk IN (SELECT y_sk FROM {supply} WHERE y_pk IN (SELECT pk FROM {part} "
    "WHERE kind LIKE 'S%') "
    "AND available > (SELECT 0.5 * sum(quantity) FROM {item} WHERE i_pk = y_pk AND i_sk = y_sk)) ORDER BY sname",
    "SELECT sname, count(*) AS late FROM {supplier} JOIN {item} a ON a.i_sk = sk JOIN {orders} ON ok = a.i_ok WHERE status = 'F' "
    "AND a.shipped > a.promised AND EXISTS (SELECT 1 FROM {item} b WHERE b.i_ok = a.i_ok AND b.i_sk <> a.i_sk) "
    "AND NOT EXISTS (SELECT 1 FROM {item} c WHERE c.i_ok = a.i_ok AND c.i_sk <> a.i_sk AND c.shipped > c.promised) "
    "GROUP BY sname ORDER BY late DESC, sname LIMIT 100",
    "SELECT left(phone, 2) AS code, count(*), sum(c_balance) FROM {customer} WHERE left(phone, 2) IN ('13', '17', '23', '29') "
    "AND c_balance > (SELECT avg(c_balance) FROM {customer} WHERE c_balance > 0) "
    "AND NOT EXISTS (SELECT 1 FROM {orders} WHERE o_ck = ck) GROUP BY 1 ORDER BY 1",
)
