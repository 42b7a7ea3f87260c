"""Tables of TPC-H's shape, a thousandth of its size, made by SQL: enough that each of the 22 queries has an answer."""

from __future__ import annotations

_NATIONS = (
    "ALGERIA 0, ARGENTINA 1, BRAZIL 1, CANADA 1, EGYPT 4, ETHIOPIA 0, FRANCE 3, GERMANY 3, INDIA 2, "
    "INDONESIA 2, IRAN 4, IRAQ 4, JAPAN 2, "
    "JORDAN 4, KENYA 0, MOROCCO 0, MOZAMBIQUE 0, PERU 1, CHINA 2, ROMANIA 3, SAUDI ARABIA 4, VIETNAM 2, "
    "RUSSIA 3, UNITED KINGDOM 3, "
    "UNITED STATES 1"
)


def _pick(words: str, seed: int, key: str = "id") -> str:
    """One of the words, by a hash of the row."""
    listed = ", ".join(f"'{word}'" for word in words.split("|"))
    return f"element_at(array({listed}), 1 + pmod(hash({key}, {seed}), {len(words.split('|'))}))"


def _number(seed: int, below: int, key: str = "id") -> str:
    return f"pmod(hash({key}, {seed}), {below})"


def _money(seed: int, below: int) -> str:
    return f"CAST({_number(seed, below * 100)} / 100 AS DECIMAL(15,2))"


def _nations() -> str:
    rows = [item.strip().rsplit(" ", 1) for item in _NATIONS.split(",")]
    return ", ".join(f"({key}L, '{name}', {region}L, 'c{key}')" for key, (name, region) in enumerate(rows))


STATEMENTS = [
    "CREATE TABLE region AS SELECT * FROM VALUES (0L, 'AFRICA', 'a'), (1L, 'AMERICA', 'b'), (2L, 'ASIA', "
    "'c'), (3L, 'EUROPE', 'd'), "
    "(4L, 'MIDDLE EAST', 'e') AS r(r_regionkey, r_name, r_comment)",
    f"CREATE TABLE nation AS SELECT * FROM VALUES {_nations()} AS n(n_nationkey, n_name, n_regionkey, n_comment)",
    f"""CREATE TABLE supplier AS SELECT id AS s_suppkey, concat('Supplier#', id) AS s_name, concat('at ', id) AS s_address,
        CAST(id % 25 AS BIGINT) AS s_nationkey, concat(10 + id % 25, '-555') AS s_phone, {_money(3, 9000)} AS s_acctbal,
        {_pick("quick|some Customer of Complaints|furious", 4)} AS s_comment FROM range(1, 51)""",
    f"""CREATE TABLE customer AS SELECT id AS c_custkey, concat('Customer#', id) AS c_name, concat('at ', id) AS c_address,
        CAST(id % 25 AS BIGINT) AS c_nationkey, concat({_pick("13|31|23|29|30|18|17|11", 5)}, '-100-', id) AS c_phone,
        {_money(6, 9000)} - 1000 AS c_acctbal, {_pick("BUILDING|AUTOMOBILE|MACHINERY", 7)} AS c_mktsegment, 'x' AS c_comment
        FROM range(1, 201)""",
    f"""CREATE TABLE part AS SELECT id AS p_partkey, {_pick("forest green|dark red|forest blue|light green", 8)} AS p_name,
        {_pick("Manufacturer#1|Manufacturer#2", 9)} AS p_mfgr, {_pick("Brand#12|Brand#23|Brand#34|Brand#45", 10)} AS p_brand,
        {_pick("LARGE BRASS|PROMO STEEL|ECONOMY ANODIZED STEEL|MEDIUM POLISHED TIN", 11)} AS p_type,
        CAST({_pick("15|49|14|23|45|19|3|36|9|1|5|10", 12)} AS INT) AS p_size,
        {_pick("MED BOX|SM CASE|SM BOX|SM PACK|SM PKG|MED BAG|MED PKG|LG CASE|LG BOX|LG PACK|LG PKG", 13)} AS p_container,
        {_money(14, 1000)} AS p_retailprice, 'p' AS p_comment FROM range(1, 201)""",
    f"""CREATE TABLE partsupp AS SELECT CAST(1 + id % 200 AS BIGINT) AS ps_partkey,
        CAST(1 + (id % 200 + 13 * CAST(id / 200 AS INT)) % 50 AS BIGINT) AS ps_suppkey,
        {_number(15, 9999)} AS ps_availqty, {_money(16, 1000)} AS ps_supplycost, 's' AS ps_comment FROM range(0, 800)""",
    f"""CREATE TABLE orders AS SELECT id AS o_orderkey, CAST(1 + {_number(17, 150)} AS BIGINT) AS o_custkey,
        {_pick("F|O|P", 18)} AS o_orderstatus, {_money(19, 300000)} AS o_totalprice,
        date_add(DATE '1992-01-01', {_number(20, 2400)}) AS o_orderdate,
        {_pick("1-URGENT|2-HIGH|3-MEDIUM|5-LOW", 21)} AS o_orderpriority,
        'Clerk' AS o_clerk, 0 AS o_shippriority, {_pick("plain|a special sort of requests", 22)} AS o_comment FROM range(1,
        1501)""",
    f"""CREATE TABLE lineitem AS SELECT CAST(1 + id / 5 AS BIGINT) AS l_orderkey, ps_partkey AS l_partkey,
        ps_suppkey AS l_suppkey,
        CAST(id % 5 AS INT) AS l_linenumber, CAST(1 + {_number(24, 50)} AS DECIMAL(15,2)) AS l_quantity,
        {_money(25, 90000)} AS l_extendedprice,
        CAST({_number(26, 11)} / 100 AS DECIMAL(15,2)) AS l_discount, CAST({_number(27, 9)} / 100 AS DECIMAL(15,2)) AS l_tax,
        {_pick("R|A|N", 28)} AS l_returnflag, {_pick("O|F", 29)} AS l_linestatus, shipped AS l_shipdate,
        date_add(shipped, {_number(30, 60)} - 30) AS l_commitdate, date_add(shipped, 1 + {_number(31, 30)}) AS l_receiptdate,
        {_pick("DELIVER IN PERSON|COLLECT COD|NONE", 32)} AS l_shipinstruct,
        {_pick("AIR|MAIL|SHIP|TRUCK|REG AIR", 33)} AS l_shipmode, 'l' AS l_comment
        FROM (SELECT id, date_add(DATE '1992-01-01', {_number(34, 2400)}) AS shipped,
        {_number(23, 800)} AS pair FROM range(0, 7500))
        JOIN (SELECT *, row_number() OVER (ORDER BY ps_partkey, ps_suppkey) - 1 AS number FROM partsupp) ON number = pair""",
]
