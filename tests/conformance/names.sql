-- story: metadata tables by their dollar names
CREATE TABLE t (id BIGINT, name STRING) PARTITIONED BY (name);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
--# 2
DELETE FROM t WHERE name = 'a';
--# 1
SELECT operation FROM "t$snapshots" ORDER BY committed_at;
--= append
--= delete
SELECT operation FROM "T$SNAPSHOTS" ORDER BY committed_at;
--= append
--= delete
SELECT count(*) FROM `t$history`;
--= 2
SELECT count(*) FROM "t$files";
--= 1
SELECT count(*) FROM "t$data_files";
--= 1
SELECT count(*) FROM "t$delete_files";
--= 0
SELECT count(*) > 0 FROM "t$manifests";
--= true
SELECT count(*) > 0 FROM "t$entries";
--= true
SELECT partition.name, record_count FROM "t$partitions";
--= b | 1
SELECT name, type FROM "t$refs";
--= main | BRANCH
SELECT count(*) FROM "t$all_data_files";
--= 3
SELECT count(*) FROM "t$all_files";
--= 3
SELECT count(*) FROM "t$all_delete_files";
--= 0
SELECT count(*) > 1 FROM "t$all_manifests";
--= true
SELECT count(*) > 1 FROM "t$all_entries";
--= true
SELECT count(*) FROM "t$metadata_log_entries";
--= 3
SELECT count(*) FROM "t$position_deletes";
--= 0
SELECT _change_type, id FROM "t$changes" ORDER BY _change_ordinal, id;
--= INSERT | 1
--= INSERT | 2
--= DELETE | 1
SELECT count(*) FROM {schema}."t$snapshots";
--= 2
SELECT count(*) FROM {catalog}.{schema}."t$snapshots";
--= 2
SELECT count(*) FROM {catalog}.{schema}."t$snapshots" AS s JOIN {catalog}.{schema}."t$history" AS h ON s.snapshot_id = h.snapshot_id;
--= 2
SELECT count(*) FROM t.snapshots;
--= 2
SELECT count(*) FROM T.Snapshots;
--= 2
SELECT count(*) FROM {catalog}.{schema}.t.files;
--= 1
WITH s AS (SELECT * FROM "t$snapshots") SELECT count(*) FROM s;
--= 2
SELECT (SELECT count(*) FROM "t$snapshots") AS n;
--= 2
DESCRIBE "t$refs" name;
CREATE VIEW changes_of_t AS SELECT operation FROM "t$snapshots";
SELECT count(*) FROM changes_of_t;
--= 2
SELECT * FROM "missing$snapshots";
--! TABLE_NOT_FOUND
SELECT * FROM "t$nonsense";
--! TABLE_NOT_FOUND
SELECT * FROM "$snapshots";
--! TABLE_NOT_FOUND
CREATE TABLE "other$files" (id INT);
--! NOT_SUPPORTED
INSERT INTO "t$snapshots" SELECT * FROM "t$snapshots";
--! NOT_SUPPORTED
DROP TABLE "t$snapshots";
--! TABLE_NOT_FOUND
SELECT count(*) FROM t;
--= 1

-- story: properties of a table
CREATE TABLE t (id BIGINT) TBLPROPERTIES ('colour' = 'green', 'commit.retry.num-retries' = '7');
SELECT key, value FROM "t$properties" WHERE key IN ('colour', 'commit.retry.num-retries') ORDER BY key;
--= colour | green
--= commit.retry.num-retries | 7
ALTER TABLE t SET TBLPROPERTIES ('colour' = 'red');
SELECT value FROM {schema}."t$properties" WHERE key = 'colour';
--= red
ALTER TABLE t UNSET TBLPROPERTIES ('colour');
SELECT count(*) FROM "t$properties" WHERE key = 'colour';
--= 0
SELECT * FROM "missing$properties";
--! TABLE_NOT_FOUND

-- story: reserved words and odd letters
CREATE TABLE "select" ("from" INT, "order" STRING, "group by" INT, "Mixed" INT);
INSERT INTO "select" VALUES (1, 'x', 2, 3);
--# 1
SELECT "from", "order", "group by", mixed FROM "select";
--= 1 | x | 2 | 3
SELECT `from` FROM `select` WHERE "order" = 'x';
--= 1
SELECT count(*) FROM "select".snapshots;
--= 1
SELECT count(*) FROM "select$snapshots";
--= 1
UPDATE "select" SET "order" = 'y';
--# 1
CREATE TABLE "naïve tablé" (id INT);
INSERT INTO "naïve tablé" VALUES (1);
--# 1
SELECT count(*) FROM "NAÏVE TABLÉ";
--= 1
SELECT count(*) FROM "naïve tablé$snapshots";
--= 1
CREATE TABLE Upper_Case (Id INT);
SELECT id FROM upper_case;
--=
SELECT ID FROM "UPPER_CASE";
--=
CREATE TABLE upper_case (id INT);
--! TABLE_ALREADY_EXISTS
DROP TABLE "select";
DROP TABLE "select";
--! TABLE_NOT_FOUND
DROP TABLE IF EXISTS "select";

-- story: schemas in schemas
CREATE SCHEMA {schema}.inner_one;
CREATE SCHEMA {schema}.inner_one.deep;
CREATE TABLE {schema}.inner_one.deep.t AS SELECT 1 AS x;
--# 1
SELECT x FROM {schema}.inner_one.deep.t;
--= 1
SELECT x FROM {catalog}.{schema}.inner_one.deep.t;
--= 1
SELECT count(*) FROM {schema}.inner_one.deep."t$snapshots";
--= 1
SELECT count(*) FROM {schema}.inner_one.deep.t.snapshots;
--= 1
USE {schema}.inner_one.deep;
SELECT x FROM t;
--= 1
SELECT count(*) FROM "t$files";
--= 1
USE {catalog}.{schema};
DROP SCHEMA {schema}.inner_one;
--! SCHEMA_NOT_EMPTY
CREATE VIEW {schema}.inner_one.v AS SELECT 1 AS n;
DROP SCHEMA {schema}.inner_one CASCADE;
SELECT x FROM {schema}.inner_one.deep.t;
--! TABLE_NOT_FOUND
DROP SCHEMA {schema}.inner_one;
--! SCHEMA_NOT_FOUND
DROP SCHEMA IF EXISTS {schema}.inner_one CASCADE;
