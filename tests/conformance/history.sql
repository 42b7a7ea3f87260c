-- story: time travel
CREATE TABLE t AS SELECT 1L AS id;
--# 1
SELECT snapshot_id FROM "t$snapshots";
--$ first
SELECT date_format(committed_at, 'yyyy-MM-dd HH:mm:ss.SSS') FROM "t$snapshots";
--$ first_at
SELECT unix_millis(committed_at) FROM "t$snapshots";
--$ first_millis
SELECT unix_micros(committed_at) FROM "t$snapshots";
--$ first_micros
INSERT INTO t VALUES (2);
--# 1
SELECT snapshot_id FROM "t$snapshots" ORDER BY committed_at DESC;
--$ second
SELECT id FROM t FOR VERSION AS OF {first};
--= 1
SELECT id FROM t VERSION AS OF {first};
--= 1
SELECT id FROM t VERSION AS OF '{first}';
--= 1
SELECT id FROM t FOR SYSTEM_VERSION AS OF {first};
--= 1
SELECT id FROM t SYSTEM_VERSION AS OF {first};
--= 1
SELECT id FROM t VERSION AS OF {second} ORDER BY id;
--= 1
--= 2
SELECT id FROM t FOR TIMESTAMP AS OF '{first_at}';
--= 1
SELECT id FROM t TIMESTAMP AS OF '{first_at}';
--= 1
SELECT id FROM t FOR SYSTEM_TIME AS OF '{first_at}';
--= 1
SELECT id FROM t SYSTEM_TIME AS OF TIMESTAMP '{first_at}';
--= 1
SELECT id FROM t FOR TIMESTAMP AS OF {first_millis};
--= 1
SELECT id FROM t FOR TIMESTAMP AS OF {first_micros};
--= 1
SELECT id FROM t FOR TIMESTAMP AS OF current_timestamp() ORDER BY id;
--= 1
--= 2
SELECT id FROM t FOR TIMESTAMP AS OF DATE '2100-01-01' ORDER BY id;
--= 1
--= 2
SELECT id FROM t FOR TIMESTAMP AS OF 4102444800 ORDER BY id;
--= 1
--= 2
SELECT id FROM {catalog}.{schema}.t FOR VERSION AS OF {first};
--= 1
SELECT a.id FROM t FOR VERSION AS OF {first} AS a JOIN t AS b ON a.id = b.id;
--= 1
WITH old AS (SELECT * FROM t VERSION AS OF {first}) SELECT count(*) FROM old;
--= 1
SELECT count(*) FROM "t$files" FOR VERSION AS OF {first};
--= 1
SELECT count(*) FROM t.files VERSION AS OF {first};
--= 1
SELECT id FROM t FOR VERSION AS OF 123;
--! NOT_FOUND
SELECT id FROM t FOR VERSION AS OF 'missing';
--! NOT_FOUND
SELECT id FROM t FOR TIMESTAMP AS OF '1999-01-01';
--! NOT_FOUND
SELECT id FROM t FOR TIMESTAMP AS OF 915148800;
--! NOT_FOUND
SELECT id FROM t FOR TIMESTAMP AS OF 915148800000;
--! NOT_FOUND
SELECT id FROM missing FOR VERSION AS OF 1;
--! TABLE_NOT_FOUND
SELECT id FROM t FOR VERSION AS OF;
--! SYNTAX_ERROR

-- story: incremental reads
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
INSERT INTO t VALUES (3);
SELECT snapshot_id FROM "t$snapshots" ORDER BY committed_at LIMIT 1;
--$ one
SELECT snapshot_id FROM "t$snapshots" ORDER BY committed_at LIMIT 1 OFFSET 1;
--$ two
SELECT snapshot_id FROM "t$snapshots" ORDER BY committed_at LIMIT 1 OFFSET 2;
--$ three
SELECT id FROM t FOR INCREMENTAL BETWEEN SNAPSHOT {one} AND SNAPSHOT {three} ORDER BY id;
--= 2
--= 3
SELECT id FROM t FOR INCREMENTAL BETWEEN SNAPSHOT {one} AND SNAPSHOT {two};
--= 2
SELECT id FROM t FOR INCREMENTAL BETWEEN SNAPSHOT {two} AND SNAPSHOT {three};
--= 3
select x.id from t for incremental between snapshot {two} and snapshot {three} as x;
--= 3
SELECT id FROM {catalog}.{schema}.t /* all */ FOR INCREMENTAL BETWEEN SNAPSHOT {two} -- from
 AND SNAPSHOT {three};
--= 3
SELECT 'FOR INCREMENTAL BETWEEN SNAPSHOT 1 AND SNAPSHOT 2' AS text;
--= FOR INCREMENTAL BETWEEN SNAPSHOT 1 AND SNAPSHOT 2
SELECT count(*) FROM (SELECT * FROM t FOR INCREMENTAL BETWEEN SNAPSHOT {one} AND SNAPSHOT {three}) AS news;
--= 2
CREATE TABLE news AS SELECT * FROM t FOR INCREMENTAL BETWEEN SNAPSHOT {one} AND SNAPSHOT {three};
--# 2
SELECT id FROM t FOR INCREMENTAL BETWEEN SNAPSHOT {three} AND SNAPSHOT {one};
--! NOT_FOUND
SELECT id FROM t FOR INCREMENTAL BETWEEN SNAPSHOT {one} AND SNAPSHOT 99;
--! NOT_FOUND
SELECT id FROM t FOR INCREMENTAL BETWEEN;
--! SYNTAX_ERROR
SELECT id FROM missing FOR INCREMENTAL BETWEEN SNAPSHOT 1 AND SNAPSHOT 2;
--! TABLE_NOT_FOUND

-- story: changelogs
CREATE TABLE t (id BIGINT, name STRING);
INSERT INTO t VALUES (1, 'a'), (2, 'b');
SELECT snapshot_id FROM "t$snapshots";
--$ one
UPDATE t SET name = 'c' WHERE id = 2;
--# 1
DELETE FROM t WHERE id = 1;
--# 1
SELECT id, name, _change_type FROM t.changes WHERE _change_ordinal = 0 ORDER BY id;
--= 1 | a | INSERT
--= 2 | b | INSERT
SELECT DISTINCT _change_type FROM "t$changes" ORDER BY 1;
--= DELETE
--= INSERT
SELECT snapshot_id FROM "t$snapshots" ORDER BY committed_at DESC LIMIT 1;
--$ last
SELECT count(*) FROM "t$changes" FOR INCREMENTAL BETWEEN SNAPSHOT {one} AND SNAPSHOT {last} WHERE _change_ordinal < 0;
--= 0
SELECT count(DISTINCT _commit_snapshot_id) FROM t.changes FOR INCREMENTAL BETWEEN SNAPSHOT {one} AND SNAPSHOT {last};
--= 2
CALL {catalog}.system.create_changelog_view(table => '{schema}.t', changelog_view => 'updates', compute_updates => true, identifier_columns => array('id'));
SELECT id, name, _change_type FROM updates WHERE id = 2 ORDER BY _change_ordinal, _change_type;
--= 2 | b | INSERT
--= 2 | c | UPDATE_AFTER
--= 2 | b | UPDATE_BEFORE
CALL {catalog}.system.create_changelog_view(table => '{schema}.t', changelog_view => 'net', net_changes => true);
SELECT id, name, _change_type FROM net ORDER BY id;
--= 2 | c | INSERT

-- story: replacing a table keeps its history
CREATE TABLE t AS SELECT 1 AS id;
SELECT snapshot_id FROM "t$snapshots";
--$ before
CREATE OR REPLACE TABLE t AS SELECT 'x' AS name;
--# 1
SELECT name FROM t;
--= x
SELECT id FROM t VERSION AS OF {before};
--= 1
SELECT count(*) FROM "t$snapshots";
--= 2
CREATE OR REPLACE TABLE t AS SELECT 1 / 0 AS broken;
--! DIVISION_BY_ZERO
SELECT name FROM t;
--= x
REPLACE TABLE t (id BIGINT);
SELECT count(*) FROM t;
--= 0
CALL {catalog}.system.rollback_to_snapshot(table => '{schema}.t', snapshot_id => 1);
--! NOT_FOUND
REPLACE TABLE missing (id BIGINT);
--! TABLE_NOT_FOUND

-- story: branches and tags
CREATE TABLE t AS SELECT 1L AS id;
CREATE BRANCH trial ON t;
CREATE BRANCH trial ON t;
--! ALREADY_EXISTS
CREATE BRANCH IF NOT EXISTS trial ON t;
CREATE BRANCH kept IN TABLE {catalog}.{schema}.t RETAIN 7 DAYS WITH SNAPSHOT RETENTION 3 SNAPSHOTS 2 DAYS;
CREATE TAG "end of-month" ON t RETAIN 30 DAYS;
SHOW REFS FROM t;
ALTER TABLE t CREATE TAG plain;
SELECT name, type, max_reference_age_in_ms, min_snapshots_to_keep, max_snapshot_age_in_ms FROM "t$refs" ORDER BY name;
--= end of-month | TAG | 2592000000 | NULL | NULL
--= kept | BRANCH | 604800000 | 3 | 172800000
--= main | BRANCH | NULL | NULL | NULL
--= plain | TAG | NULL | NULL | NULL
--= trial | BRANCH | NULL | NULL | NULL
INSERT INTO t.branch_trial VALUES (2);
--# 1
SELECT count(*) FROM t;
--= 1
SELECT count(*) FROM t FOR VERSION AS OF 'trial';
--= 2
SELECT count(*) FROM t.branch_trial;
--= 2
SELECT count(*) FROM t VERSION AS OF 'end of-month';
--= 1
UPDATE t.branch_trial SET id = 3 WHERE id = 2;
--# 1
DELETE FROM t.branch_trial WHERE id = 3;
--# 1
MERGE INTO t.branch_trial AS x USING (SELECT 9L AS id) AS y ON x.id = y.id WHEN NOT MATCHED THEN INSERT *;
--# 1
SELECT count(*) FROM t VERSION AS OF 'trial';
--= 2
CREATE OR REPLACE BRANCH trial ON t;
SELECT count(*) FROM t VERSION AS OF 'trial';
--= 1
REPLACE TAG plain ON t;
INSERT INTO t.branch_trial VALUES (4);
CALL {catalog}.system.fast_forward(table => '{schema}.t', branch => 'main', to => 'trial');
SELECT id FROM t ORDER BY id;
--= 1
--= 4
DROP BRANCH kept ON t;
DROP BRANCH kept ON t;
--! NOT_FOUND
DROP BRANCH IF EXISTS kept ON t;
DROP TAG plain ON t;
ALTER TABLE t DROP TAG "end of-month";
SHOW BRANCHES FROM t;
SHOW TAGS IN TABLE t;
--=
CREATE TAG nowhere ON t AS OF VERSION 1;
--! NOT_FOUND
CREATE BRANCH b ON missing;
--! TABLE_NOT_FOUND
CREATE BRANCH ON t;
--! SYNTAX_ERROR
DROP BRANCH main ON t;
--! GENERIC_USER_ERROR

-- story: writing to a branch
CREATE TABLE t AS SELECT 1L AS id, 'a' AS name;
CREATE TABLE other AS SELECT 1L AS id;
CREATE BRANCH b ON t;
SET WRITE_BRANCH = 'b';
INSERT INTO t VALUES (2, 'b');
--# 1
UPDATE t SET name = 'c' WHERE id = 1;
--# 1
MERGE INTO {catalog}.{schema}.t AS x USING (SELECT 3L AS id) AS y ON x.id = y.id WHEN NOT MATCHED THEN INSERT (id) VALUES (y.id);
--# 1
DELETE FROM {schema}.t WHERE id = 2;
--# 1
SELECT id, name FROM t ORDER BY id;
--= 1 | a
SELECT id, name FROM t VERSION AS OF 'b' ORDER BY id;
--= 1 | c
--= 3 | NULL
INSERT INTO other VALUES (2);
--! NOT_FOUND
SELECT count(*) FROM other;
--= 1
INSERT INTO IDENTIFIER('t') VALUES (9, 'no');
--! NOT_SUPPORTED
UPDATE IDENTIFIER('t') SET name = 'no';
--! NOT_SUPPORTED
WITH x AS (SELECT 7L AS id, 'w' AS name) INSERT INTO t SELECT * FROM x;
--# 1
INSERT OVERWRITE t VALUES (8, 'o');
--# 1
SELECT count(*) FROM t;
--= 1
CREATE BRANCH c ON t;
INSERT INTO t.branch_c VALUES (5, 'e');
--# 1
SELECT count(*) FROM t VERSION AS OF 'c';
--= 2
TRUNCATE TABLE t;
--# 1
SELECT count(*) FROM t VERSION AS OF 'b';
--= 0
SELECT count(*) FROM t;
--= 1
SET write_branch = DEFAULT;
INSERT INTO t VALUES (6, 'f');
--# 1
SELECT count(*) FROM t;
--= 2
SET write_branch = 'b';
RESET write_branch;
INSERT INTO other VALUES (2);
--# 1
