-- story: statistics
CREATE TABLE t (id BIGINT, name STRING, at DATE, doc STRUCT<x: INT>);
INSERT INTO t VALUES (1, 'b', DATE '2026-01-01', named_struct('x', 1)), (5, NULL, DATE '2026-02-01', NULL);
INSERT INTO t VALUES (3, 'a', NULL, NULL), (4, 'c', NULL, NULL);
SELECT column_name, distinct_values_count, nulls_fraction, row_count, low_value, high_value FROM "t$column_stats";
--= id | NULL | 0.0 | NULL | 1 | 5
--= name | NULL | 0.25 | NULL | a | c
--= at | NULL | 0.5 | NULL | 2026-01-01 | 2026-02-01
--= doc | NULL | NULL | NULL | NULL | NULL
--= NULL | NULL | NULL | 4.0 | NULL | NULL
CALL {catalog}.system.compute_table_stats(table => '{schema}.t', columns => array('id', 'name'));
SELECT column_name, distinct_values_count FROM {schema}."t$column_stats" WHERE distinct_values_count IS NOT NULL;
--= id | 4.0
--= name | 3.0
SHOW STATS FOR t;
SHOW STATS FOR {catalog}.{schema}.t;
SHOW STATS FOR missing;
--! TABLE_NOT_FOUND
SHOW STATS FOR;
--! SYNTAX_ERROR
SHOW STATS t;
--! SYNTAX_ERROR
CREATE TABLE blank (id INT);
SELECT column_name, row_count FROM "blank$column_stats";
--= id | NULL
--= NULL | 0.0
CREATE TABLE v3 (id BIGINT) TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read');
INSERT INTO v3 SELECT id FROM range(10);
DELETE FROM v3 WHERE id IN (3, 4);
SELECT row_count FROM "v3$column_stats" WHERE column_name IS NULL;
--= 8.0

-- story: the information schema
CREATE TABLE t (id BIGINT NOT NULL, name STRING, price DECIMAL(10, 2), tags ARRAY<STRING>);
CREATE TABLE u (id INT);
CREATE VIEW v AS SELECT id FROM u;
SELECT table_catalog, table_schema, table_name, table_type FROM information_schema.tables WHERE table_schema = '{schema}' ORDER BY table_name;
--= {catalog} | {schema} | t | BASE TABLE
--= {catalog} | {schema} | u | BASE TABLE
--= {catalog} | {schema} | v | VIEW
SELECT column_name, ordinal_position, is_nullable, data_type FROM {catalog}.information_schema.columns WHERE table_schema = '{schema}' AND table_name = 't' ORDER BY ordinal_position;
--= id | 1 | NO | bigint
--= name | 2 | YES | string
--= price | 3 | YES | decimal(10,2)
--= tags | 4 | YES | array<string>
SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = '{schema}' AND table_name IN ('u', 'v') ORDER BY 1;
--= u | id
--= v | id
SELECT count(*) FROM INFORMATION_SCHEMA.SCHEMATA WHERE schema_name = '{schema}';
--= 1
SELECT count(*) FROM {catalog}.Information_Schema.Views WHERE table_name = 'v' AND table_schema = '{schema}';
--= 1
SELECT t.table_name, count(*) FROM information_schema.tables AS t JOIN information_schema.columns AS c USING (table_schema, table_name) WHERE t.table_schema = '{schema}' GROUP BY 1 ORDER BY 1;
--= t | 4
--= u | 1
--= v | 1
SELECT count(*) FROM information_schema.tables WHERE table_schema = 'no such schema';
--= 0
SHOW TABLES IN information_schema;
--= information_schema | columns | false
--= information_schema | schemata | false
--= information_schema | table_privileges | false
--= information_schema | tables | false
--= information_schema | views | false
DESCRIBE information_schema.tables table_name;
SELECT * FROM information_schema.missing;
--! TABLE_NOT_FOUND
INSERT INTO information_schema.schemata VALUES ('a', 'b');
--! NOT_SUPPORTED
CREATE TABLE information_schema.mine (id INT);
--! NOT_SUPPORTED
CREATE SCHEMA information_schema;
--! NOT_SUPPORTED
DROP TABLE information_schema.tables;
--! TABLE_NOT_FOUND

-- story: queries of the server
SELECT 'find me' AS mark;
--= find me
SELECT count(*) >= 1 FROM system.runtime.queries WHERE query LIKE 'SELECT ''find me''%' AND state = 'FINISHED';
--= true
SELECT DISTINCT user = current_user() FROM SYSTEM.runtime.Queries;
--= true
SELECT q.statement FROM system.runtime.queries AS q WHERE q.query LIKE 'SELECT ''find me''%' LIMIT 1;
--= query
SHOW TABLES IN system.runtime;
--= runtime | nodes | false
--= runtime | queries | false
--= runtime | tasks | false
DROP TABLE system.runtime.queries;
--! NOT_SUPPORTED
CREATE TABLE system.runtime.mine (id INT);
--! NOT_SUPPORTED
SELECT * FROM system.runtime.missing;
--! TABLE_NOT_FOUND
USE system.runtime;
--! CATALOG_NOT_FOUND
SELECT 1 / 0 AS marked;
--! DIVISION_BY_ZERO
SELECT DISTINCT error_code FROM system.runtime.queries WHERE query = 'SELECT 1 / 0 AS marked';
--= DIVISION_BY_ZERO
KILL QUERY 'missing';
--! NOT_FOUND

-- story: the session
SELECT current_catalog(), current_schema();
--= {catalog} | {schema}
SHOW SESSION;
SET time_zone = 'Asia/Tokyo';
SELECT current_timezone();
--= Asia/Tokyo
SET time_zone = DEFAULT;
SELECT current_timezone();
--= UTC
SET max_result_rows = 'many';
--! INVALID_SESSION_PROPERTY
SET nonsense = 1;
--! INVALID_SESSION_PROPERTY
SET spark.sql.ansi.enabled = false;
--! INVALID_SESSION_PROPERTY
RESET;
USE nowhere;
--! SCHEMA_NOT_FOUND
SELECT 0.06 - 0.01 = 0.05;
--= true
SELECT 1 / 0;
--! DIVISION_BY_ZERO
SELECT CAST('x' AS INT);
--! INVALID_CAST_ARGUMENT
SELEC 1;
--! SYNTAX_ERROR
SELECT missing;
--! COLUMN_NOT_FOUND
SELECT no_such_function(1);
--! FUNCTION_NOT_FOUND
EXPLAIN SELECT 1;
DESCRIBE QUERY SELECT 1 AS one;
--= one | int | NULL
SHOW FUNCTIONS LIKE 'upper';
SHOW CATALOGS LIKE '{catalog}';
--= {catalog}

-- story: what a query takes
CREATE TABLE t AS SELECT id FROM range(10);
EXPLAIN ANALYZE SELECT count(*) FROM t WHERE id > 3;
EXPLAIN ANALYZE SELECT 1;
EXPLAIN ANALYZE DELETE FROM t;
--! NOT_SUPPORTED
EXPLAIN ANALYZE SELECT * FROM missing;
--! TABLE_NOT_FOUND
EXPLAIN ANALYZE;
--! SYNTAX_ERROR
SELECT count(*) FROM t;
--= 10

-- story: functions of the catalog, by their short and their full names
SELECT system.bucket(4, 7), {catalog}.system.bucket(4, 7);
--= 3 | 3
SELECT SYSTEM.truncate(10, 47);
--= 40
SELECT system.nothing(1);
--! FUNCTION_NOT_FOUND
SELECT system.builtin.reflect('java.lang.System', 'lineSeparator');
--! FUNCTION_NOT_FOUND
