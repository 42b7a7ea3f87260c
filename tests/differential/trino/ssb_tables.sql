CREATE SCHEMA IF NOT EXISTS lake.ssb;
CREATE TABLE IF NOT EXISTS lake.ssb.dates AS
SELECT CAST(date_format(d, '%Y%m%d') AS integer) AS d_datekey, CAST(d AS date) AS d_date, date_format(d, '%W') AS d_dayofweek,
  date_format(d, '%M') AS d_month, CAST(year(d) AS integer) AS d_year, CAST(date_format(d, '%Y%m') AS integer) AS d_yearmonthnum,
  date_format(d, '%b%Y') AS d_yearmonth, CAST(week(d) AS integer) AS d_weeknuminyear
FROM UNNEST(sequence(TIMESTAMP '1992-01-01 00:00:00', TIMESTAMP '1998-12-31 00:00:00', INTERVAL '1' DAY)) AS t(d);
CREATE TABLE IF NOT EXISTS lake.ssb.customer AS
SELECT c_custkey, c_name, substr(rpad(n_name, 9, ' '), 1, 9) || CAST(c_custkey % 10 AS varchar) AS c_city, n_name AS c_nation, r_name AS c_region,
  c_phone, c_mktsegment
FROM tpchstd.tiny.customer JOIN tpchstd.tiny.nation ON c_nationkey = n_nationkey JOIN tpchstd.tiny.region ON n_regionkey = r_regionkey;
CREATE TABLE IF NOT EXISTS lake.ssb.supplier AS
SELECT s_suppkey, s_name, substr(rpad(n_name, 9, ' '), 1, 9) || CAST(s_suppkey % 10 AS varchar) AS s_city, n_name AS s_nation, r_name AS s_region, s_phone
FROM tpchstd.tiny.supplier JOIN tpchstd.tiny.nation ON s_nationkey = n_nationkey JOIN tpchstd.tiny.region ON n_regionkey = r_regionkey;
CREATE TABLE IF NOT EXISTS lake.ssb.part AS
SELECT p_partkey, p_name, 'MFGR#' || substr(p_mfgr, 14, 1) AS p_mfgr, 'MFGR#' || substr(p_mfgr, 14, 1) || CAST(p_partkey % 5 + 1 AS varchar) AS p_category,
  'MFGR#' || substr(p_mfgr, 14, 1) || CAST(p_partkey % 5 + 1 AS varchar) || CAST(p_partkey % 40 + 1 AS varchar) AS p_brand1, p_type, p_size, p_container
FROM tpchstd.tiny.part;
CREATE TABLE IF NOT EXISTS lake.ssb.lineorder AS
SELECT l_orderkey AS lo_orderkey, l_linenumber AS lo_linenumber, o_custkey AS lo_custkey, l_partkey AS lo_partkey, l_suppkey AS lo_suppkey,
  CAST(date_format(o_orderdate, '%Y%m%d') AS integer) AS lo_orderdate, o_orderpriority AS lo_orderpriority, CAST(l_quantity AS integer) AS lo_quantity,
  CAST(l_extendedprice * 100 AS bigint) AS lo_extendedprice, CAST(l_discount * 100 AS integer) AS lo_discount,
  CAST(l_extendedprice * 100 * (1 - l_discount) AS bigint) AS lo_revenue, CAST(l_extendedprice * 60 / l_quantity AS bigint) AS lo_supplycost,
  l_shipmode AS lo_shipmode
FROM tpchstd.tiny.lineitem JOIN tpchstd.tiny.orders ON l_orderkey = o_orderkey;
