-- story: procedures with named arguments
CREATE TABLE t (id BIGINT);
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
SELECT snapshot_id FROM "t$snapshots" ORDER BY committed_at LIMIT 1;
--$ first
SELECT snapshot_id FROM "t$snapshots" ORDER BY committed_at DESC LIMIT 1;
--$ second
CALL {catalog}.system.rollback_to_snapshot(table => '{schema}.t', snapshot_id => {first});
--= {second} | {first}
SELECT count(*) FROM t;
--= 1
CALL {catalog}.system.set_current_snapshot(table => '{schema}.t', snapshot_id => {second});
CALL {catalog}.system.ancestors_of(table => '{schema}.t');
CALL {catalog}.system.rewrite_data_files(table => '{schema}.t', options => map('min-input-files', '2'));
SELECT count(*) FROM "t$files";
--= 1
CALL {catalog}.system.rewrite_manifests(table => '{schema}.t');
CALL {catalog}.system.rewrite_position_delete_files(table => '{schema}.t');
CALL {catalog}.system.expire_snapshots(table => '{schema}.t', retain_last => 5);
CALL {catalog}.system.remove_orphan_files(table => '{schema}.t', dry_run => true);
--=
CALL {catalog}.system.compute_table_stats(table => '{schema}.t');
CREATE TABLE parted (id BIGINT, part STRING) PARTITIONED BY (part);
INSERT INTO parted VALUES (1, 'a');
CALL {catalog}.system.compute_partition_stats(table => '{schema}.parted');
CALL system.rewrite_manifests('{schema}.t');
CALL {catalog}.system.refresh_catalog_cache();
--= 0
CALL {catalog}.system.expire_snapshots(tabel => '{schema}.t');
--! INVALID_PROCEDURE_ARGUMENT
CALL {catalog}.system.expire_snapshots(table => '{schema}.t', retain_lst => 1);
--! INVALID_PROCEDURE_ARGUMENT
CALL {catalog}.system.expire_snapshots();
--! INVALID_PROCEDURE_ARGUMENT
CALL {catalog}.system.expire_snapshot(table => '{schema}.t');
--! PROCEDURE_NOT_FOUND
CALL {catalog}.system.expire_snapshots(table => '{schema}.missing');
--! TABLE_NOT_FOUND
SELECT count(*) FROM t;
--= 2

-- story: the health of a table
CREATE TABLE t (id BIGINT);
CALL {catalog}.system.table_health(table => '{schema}.t');
INSERT INTO t VALUES (1);
INSERT INTO t VALUES (2);
INSERT INTO t VALUES (3);
INSERT INTO t VALUES (4);
INSERT INTO t VALUES (5);
CALL {catalog}.system.table_health(table => '{schema}.t');
CALL {catalog}.system.table_health('t');
CALL {catalog}.system.table_health(tabel => '{schema}.t');
--! INVALID_PROCEDURE_ARGUMENT
CALL {catalog}.system.table_health();
--! INVALID_PROCEDURE_ARGUMENT
CALL {catalog}.system.table_health(table => '{schema}.missing');
--! TABLE_NOT_FOUND
CALL {catalog}.system.table_health(table => '');
--! SYNTAX_ERROR

-- story: Trino's procedures on a table
CREATE TABLE t (id BIGINT, part STRING) PARTITIONED BY (part);
INSERT INTO t VALUES (1, 'a');
INSERT INTO t VALUES (2, 'a');
INSERT INTO t VALUES (3, 'b');
INSERT INTO t VALUES (4, 'b');
ALTER TABLE t EXECUTE optimize WHERE part = 'a';
SELECT part, count(*) FROM (SELECT partition.part AS part FROM "t$files") GROUP BY part ORDER BY part;
--= a | 1
--= b | 2
ALTER TABLE {catalog}.{schema}.t EXECUTE optimize(file_size_threshold => '128MB');
SELECT count(*) FROM "t$files";
--= 2
ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '7d');
ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '0s');
SELECT count(*) FROM "t$snapshots";
--= 1
ALTER TABLE t EXECUTE remove_orphan_files(retention_threshold => '7d');
ALTER TABLE t EXECUTE remove_orphan_files;
ALTER TABLE t EXECUTE optimize_manifests;
ALTER TABLE t EXECUTE optimise;
--! PROCEDURE_NOT_FOUND
ALTER TABLE t EXECUTE optimize(file_size_treshold => '10MB');
--! INVALID_PROCEDURE_ARGUMENT
ALTER TABLE t EXECUTE optimize(file_size_threshold => 'large');
--! INVALID_PROCEDURE_ARGUMENT
ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '7 fortnights');
--! INVALID_PROCEDURE_ARGUMENT
ALTER TABLE t EXECUTE rollback_to_snapshot(1);
--! NOT_FOUND
ALTER TABLE missing EXECUTE optimize;
--! TABLE_NOT_FOUND
ALTER TABLE t EXECUTE;
--! SYNTAX_ERROR
ALTER TABLE t EXECUTE optimize WHERE missing = 1;
--! COLUMN_NOT_FOUND
SELECT count(*) FROM t;
--= 4
