-- story: making and changing tables
CREATE TABLE t (id BIGINT NOT NULL, name STRING COMMENT 'the label', at DATE) PARTITIONED BY (months(at), bucket(4, id)) COMMENT 'things';
CREATE TABLE t (id BIGINT);
--! TABLE_ALREADY_EXISTS
CREATE TABLE IF NOT EXISTS t (id BIGINT);
CREATE TABLE {schema}.nowhere.t (id BIGINT);
--! SCHEMA_NOT_FOUND
CREATE TABLE twice (a INT, A INT);
--! DUPLICATE_COLUMN_NAME
CREATE TABLE odd (a NONSENSE);
--! TYPE_NOT_FOUND
CREATE TABLE copy AS SELECT 1L AS id, 'a' AS name;
--# 1
CREATE TABLE blank LIKE copy;
SELECT count(*) FROM blank;
--= 0
CREATE TABLE gone_wrong AS SELECT CAST('x' AS INT) AS n;
--! INVALID_CAST_ARGUMENT
SELECT * FROM gone_wrong;
--! TABLE_NOT_FOUND
ALTER TABLE t ADD COLUMN extra INT COMMENT 'e' AFTER id;
ALTER TABLE t ADD COLUMN extra INT;
--! COLUMN_ALREADY_EXISTS
ALTER TABLE t ADD COLUMNS (p STRUCT<x: INT>, q ARRAY<INT>);
ALTER TABLE t ADD COLUMN p.y STRING;
ALTER TABLE t RENAME COLUMN extra TO more;
ALTER TABLE t ALTER COLUMN more TYPE BIGINT;
ALTER TABLE t ALTER COLUMN more TYPE STRING;
--! NOT_SUPPORTED
ALTER TABLE t ALTER COLUMN more COMMENT 'c';
ALTER TABLE t ALTER COLUMN more FIRST;
ALTER TABLE t ALTER COLUMN id DROP NOT NULL;
SHOW COLUMNS IN t;
--= more
--= id
--= name
--= at
--= p
--= q
ALTER TABLE t DROP COLUMN more;
ALTER TABLE t DROP COLUMNS (p, q);
ALTER TABLE t DROP COLUMN missing;
--! COLUMN_NOT_FOUND
ALTER TABLE t ADD PARTITION FIELD truncate(2, name) AS shard;
ALTER TABLE t REPLACE PARTITION FIELD shard WITH name;
ALTER TABLE t DROP PARTITION FIELD name;
ALTER TABLE t WRITE ORDERED BY name DESC NULLS LAST;
ALTER TABLE t WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY id;
ALTER TABLE t WRITE UNORDERED;
ALTER TABLE t SET TBLPROPERTIES ('a.b' = 'c');
SHOW TBLPROPERTIES t ('a.b');
--= a.b | c
ALTER TABLE copy RENAME TO renamed;
SELECT id FROM renamed;
--= 1
SELECT id FROM copy;
--! TABLE_NOT_FOUND
DROP TABLE renamed PURGE;
DROP TABLE renamed;
--! TABLE_NOT_FOUND
CREATE TABLE keyed (id BIGINT NOT NULL, name STRING);
ALTER TABLE keyed SET IDENTIFIER FIELDS id;
ALTER TABLE keyed DROP IDENTIFIER FIELDS id;

-- story: comments
CREATE TABLE t (id BIGINT, name STRING);
COMMENT ON TABLE t IS 'things';
COMMENT ON COLUMN t.name IS 'it''s the label';
COMMENT ON COLUMN {catalog}.{schema}.t.id IS 'a "number"';
SELECT column_name, comment FROM {catalog}.information_schema.columns WHERE table_schema = '{schema}' AND table_name = 't' ORDER BY ordinal_position;
--= id | a "number"
--= name | it's the label
COMMENT ON COLUMN t.name IS NULL;
SELECT comment = '' FROM information_schema.columns WHERE table_schema = '{schema}' AND column_name = 'name';
--= true
COMMENT ON COLUMN t.missing IS 'x';
--! COLUMN_NOT_FOUND
COMMENT ON COLUMN missing.name IS 'x';
--! TABLE_NOT_FOUND
COMMENT ON COLUMN name IS 'x';
--! SYNTAX_ERROR
COMMENT ON COLUMN t.name;
--! SYNTAX_ERROR
CREATE VIEW v AS SELECT 1 AS n;
COMMENT ON VIEW v IS 'a view';
COMMENT ON SCHEMA {schema} IS 'a schema';

-- story: defaults of columns
CREATE TABLE t (id INT, x INT DEFAULT 5) TBLPROPERTIES ('format-version' = '3');
INSERT INTO t (id) VALUES (1);
ALTER TABLE t ADD COLUMN y INT DEFAULT 7;
ALTER TABLE t ALTER COLUMN x SET DEFAULT 6;
INSERT INTO t (id) VALUES (2);
SELECT id, x, y FROM t ORDER BY id;
--= 1 | 5 | 7
--= 2 | 6 | 7
CREATE TABLE old (id INT, x INT DEFAULT 5);
--! NOT_SUPPORTED

-- story: rows
CREATE TABLE w (id BIGINT, name STRING) PARTITIONED BY (name);
INSERT INTO w VALUES (1, 'a'), (2, 'b'), (3, 'c');
--# 3
INSERT INTO w (name, id) VALUES ('d', 4);
--# 1
INSERT INTO w BY NAME SELECT 'z' AS name, 30L AS id;
--# 1
WITH more AS (SELECT 20L AS id, 'y' AS name) INSERT INTO w SELECT * FROM more;
--# 1
INSERT INTO w SELECT 1 AS id;
--! TYPE_MISMATCH
INSERT INTO w VALUES ('x', 'a');
--! TYPE_MISMATCH
INSERT INTO missing VALUES (1);
--! TABLE_NOT_FOUND
UPDATE w SET name = 'u' WHERE id = 1;
--# 1
UPDATE w SET missing = 1;
--! COLUMN_NOT_FOUND
DELETE FROM w WHERE id = 2;
--# 1
DELETE FROM w WHERE id = 2;
--# 0
MERGE INTO w USING (SELECT * FROM VALUES (1L, 'one'), (99L, 'new') AS v (id, name)) AS s ON w.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT *;
--# 2
MERGE INTO w USING (SELECT 99L AS id) AS s ON w.id = s.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED BY SOURCE AND w.id = 30 THEN DELETE;
--# 2
MERGE INTO w USING (SELECT * FROM VALUES (1L), (1L) AS v (id)) AS s ON w.id = s.id WHEN MATCHED THEN UPDATE SET name = 'x';
--! SUBQUERY_MULTIPLE_ROWS
SELECT id, name FROM w ORDER BY id;
--= 1 | one
--= 3 | c
--= 4 | d
--= 20 | y
INSERT OVERWRITE w PARTITION (name = 'q') SELECT 6L;
--# 1
INSERT INTO w REPLACE WHERE name = 'q' SELECT 7L, 'q';
--# 1
INSERT OVERWRITE w SELECT 5L, 'only';
--# 1
TRUNCATE TABLE w;
SELECT count(*) FROM w;
--= 0

-- story: rows of a V3 table
CREATE TABLE t (id BIGINT, doc VARIANT) TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read');
INSERT INTO t SELECT 1, parse_json('{"a": [1, {"b": 2}]}') UNION ALL SELECT 2, parse_json('null');
--# 2
SELECT variant_get(doc, '$.a[1].b', 'int') FROM t WHERE id = 1;
--= 2
DELETE FROM t WHERE id = 2;
--# 1
SELECT count(*) FROM t;
--= 1
SELECT DISTINCT _row_id >= 0 FROM t;
--= true

-- story: views
CREATE VIEW v AS SELECT 1 AS n;
CREATE VIEW v AS SELECT 2 AS n;
--! TABLE_ALREADY_EXISTS
CREATE OR REPLACE VIEW v (k COMMENT 'x') COMMENT 'y' AS SELECT 2 AS n;
SELECT k FROM v;
--= 2
SELECT table_name, view_definition FROM information_schema.views WHERE table_schema = '{schema}';
--= v | SELECT 2 AS n
SHOW CREATE VIEW v;
SHOW CREATE TABLE v;
ALTER VIEW v RENAME TO w;
SELECT * FROM v;
--! TABLE_NOT_FOUND
SELECT k FROM w;
--= 2
DROP VIEW w;
DROP VIEW w;
--! TABLE_NOT_FOUND
CREATE TEMPORARY VIEW mine AS SELECT 3 AS x;
SELECT x FROM mine;
--= 3
DROP VIEW mine;
