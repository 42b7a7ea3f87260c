"""Each statement of Spark and Iceberg runs, and has the class that its parsed plan says. Each area is a story in its order."""

from __future__ import annotations

import pytest

from sqe.query.handler import QueryHandler
from sqe.session import Session

METADATA_TABLES = [
    *(
        "m.history",
        "m.snapshots",
        "m.files",
        "m.manifests",
        "m.partitions",
        "m.entries",
        "m.refs",
        "m.data_files",
        "m.delete_files",
    ),
    *("m.all_data_files", "m.all_manifests", "m.metadata_log_entries", "m.position_deletes"),
    *("default.m.snapshots", "lake.default.m.refs"),
]

STORIES: dict[str, list[tuple[str, str]]] = {
    "schemas": [
        ("ddl", "CREATE SCHEMA sales COMMENT 'x' WITH PROPERTIES ('a'='b')"),
        ("ddl", "CREATE SCHEMA IF NOT EXISTS sales"),
        ("ddl", "ALTER SCHEMA sales SET PROPERTIES ('c'='d')"),
        ("ddl", "ALTER SCHEMA sales UNSET PROPERTIES ('c')"),
        ("ddl", "COMMENT ON SCHEMA sales IS 'what is sold'"),
        ("describe", "DESCRIBE SCHEMA EXTENDED sales"),
        ("show", "SHOW SCHEMAS"),
        ("show", "SHOW SCHEMAS IN lake LIKE 's*'"),
        ("show", "SHOW CATALOGS LIKE 'l*'"),
        ("show", "SHOW CURRENT SCHEMA"),
        ("use", "USE sales"),
        ("use", "USE SCHEMA sales"),
        ("use", "SET CATALOG lake"),
        ("use", "USE IDENTIFIER('lake.' || 'default')"),
        ("ddl", "DROP SCHEMA sales"),
        ("ddl", "DROP SCHEMA IF EXISTS sales"),
    ],
    "tables": [
        ("ddl", "CREATE TABLE t (id BIGINT NOT NULL, name STRING, at DATE) PARTITIONED BY (days(at), bucket(4, id)) COMMENT 'x'"),
        ("ddl", "CREATE TABLE IF NOT EXISTS t (id BIGINT) USING iceberg"),
        ("ddl", "CREATE OR REPLACE TABLE r (id INT)"),
        ("ddl", "CREATE TABLE copy AS SELECT * FROM t"),
        ("ddl", "CREATE TABLE IDENTIFIER('named') AS WITH x AS (SELECT 1 AS n) SELECT * FROM x"),
        ("ddl", "CREATE OR REPLACE TABLE copy PARTITIONED BY (name) AS SELECT 1L AS id, 'a' AS name"),
        ("ddl", "REPLACE TABLE copy AS SELECT 1L AS id"),
        ("ddl", "CREATE TABLE blank LIKE t"),
        ("ddl", "ALTER TABLE t ADD COLUMN extra INT COMMENT 'e' AFTER id"),
        ("ddl", "ALTER TABLE t ADD COLUMNS (p STRUCT<x: INT>, q ARRAY<INT>)"),
        ("ddl", "ALTER TABLE t RENAME COLUMN extra TO more"),
        ("ddl", "ALTER TABLE t ALTER COLUMN more TYPE BIGINT"),
        ("ddl", "ALTER TABLE t ALTER COLUMN more COMMENT 'c'"),
        ("ddl", "ALTER TABLE t ALTER COLUMN more FIRST"),
        ("ddl", "ALTER TABLE t ALTER COLUMN id DROP NOT NULL"),
        ("ddl", "ALTER TABLE t DROP COLUMN more"),
        ("ddl", "ALTER TABLE t DROP COLUMNS (p, q)"),
        ("ddl", "ALTER TABLE t SET TBLPROPERTIES ('a.b'='c')"),
        ("ddl", "ALTER TABLE t UNSET TBLPROPERTIES ('a.b')"),
        ("ddl", "ALTER TABLE t ADD PARTITION FIELD truncate(2, name) AS shard"),
        ("ddl", "ALTER TABLE t REPLACE PARTITION FIELD shard WITH name"),
        ("ddl", "ALTER TABLE t DROP PARTITION FIELD name"),
        ("ddl", "ALTER TABLE t WRITE ORDERED BY name DESC NULLS LAST"),
        ("ddl", "ALTER TABLE t WRITE DISTRIBUTED BY PARTITION LOCALLY ORDERED BY id"),
        ("ddl", "ALTER TABLE t WRITE UNORDERED"),
        ("ddl", "ALTER TABLE copy RENAME TO renamed"),
        ("ddl", "COMMENT ON TABLE t IS 'flat'"),
        ("ddl", "REFRESH TABLE t"),
        ("describe", "DESCRIBE t"),
        ("describe", "DESCRIBE TABLE EXTENDED t"),
        ("describe", "DESC t id"),
        ("show", "SHOW TABLES"),
        ("show", "SHOW TABLES IN lake.default LIKE 't*'"),
        ("show", "SHOW TABLE EXTENDED LIKE 't'"),
        ("show", "SHOW COLUMNS IN t"),
        ("show", "SHOW CREATE TABLE t"),
        ("show", "SHOW TBLPROPERTIES t"),
        ("ddl", "DROP TABLE renamed PURGE"),
        ("ddl", "DROP TABLE IF EXISTS IDENTIFIER('renamed')"),
    ],
    "identifier fields": [
        ("ddl", "CREATE TABLE keyed (id BIGINT NOT NULL)"),
        ("ddl", "ALTER TABLE keyed SET IDENTIFIER FIELDS id"),
        ("ddl", "ALTER TABLE keyed DROP IDENTIFIER FIELDS id"),
    ],
    "rows": [
        ("ddl", "CREATE TABLE w (id BIGINT, name STRING) PARTITIONED BY (name)"),
        ("insert", "INSERT INTO w VALUES (1,'a'),(2,'b'),(3,'c')"),
        ("insert", "-- a comment in front\n/* and another */ INSERT INTO w (name, id) VALUES ('d', 4)"),
        ("insert", "WITH more AS (SELECT 20L AS id, 'y' AS name) INSERT INTO w SELECT * FROM more"),
        ("insert", "INSERT INTO w WITH more AS (SELECT 21L AS id, 'y' AS name) SELECT * FROM more"),
        ("insert", "INSERT INTO w BY NAME SELECT 'z' AS name, 30L AS id"),
        ("insert", "INSERT INTO TABLE w TABLE w"),
        ("insert", "FROM w INSERT INTO w SELECT *"),
        ("insert", "INSERT INTO IDENTIFIER('w') VALUES (5, 'e')"),
        ("insert", "INSERT OVERWRITE w PARTITION (name = 'q') SELECT 6L"),
        ("insert", "INSERT INTO w REPLACE WHERE name = 'q' SELECT 7L, 'q'"),
        ("update", "UPDATE w SET name = 'u' WHERE id = 1"),
        ("update", "WITH few AS (SELECT 2L AS id) UPDATE w SET name = 'v' WHERE id IN (SELECT id FROM few)"),
        ("delete", "DELETE FROM w WHERE id = 2"),
        ("delete", "DELETE FROM w AS x WHERE EXISTS (SELECT 1 FROM w AS y WHERE y.id = x.id + 1)"),
        (
            "merge",
            "MERGE INTO w USING (SELECT 1L AS n) ON id = n WHEN MATCHED THEN DELETE "
            "WHEN NOT MATCHED THEN INSERT (id) VALUES (n)",
        ),
        ("merge", "WITH s AS (SELECT 1L AS id) MERGE INTO w USING s ON w.id = s.id WHEN MATCHED THEN UPDATE SET name = 'm'"),
        ("insert", "INSERT OVERWRITE w SELECT 5L, 'q'"),
        ("delete", "TRUNCATE TABLE w"),
    ],
    "branches and tags": [
        ("ddl", "CREATE TABLE b AS SELECT 1L AS id"),
        ("ddl", "ALTER TABLE b CREATE BRANCH audit"),
        ("ddl", "ALTER TABLE b CREATE OR REPLACE BRANCH audit RETAIN 7 DAYS WITH SNAPSHOT RETENTION 3 SNAPSHOTS 2 DAYS"),
        ("ddl", "ALTER TABLE b CREATE TAG eom RETAIN 30 DAYS"),
        ("ddl", "ALTER TABLE b REPLACE TAG eom"),
        ("insert", "INSERT INTO b.branch_audit VALUES (99)"),
        ("update", "UPDATE b.branch_audit SET id = 98 WHERE id = 99"),
        ("delete", "DELETE FROM lake.default.b.branch_audit WHERE id = 98"),
        ("query", "SELECT * FROM b VERSION AS OF 'audit'"),
        ("query", "SELECT * FROM b FOR VERSION AS OF 'eom'"),
        ("query", "SELECT * FROM b.branch_audit"),
        ("query", "SELECT * FROM b.tag_eom"),
        ("query", "SELECT * FROM b TIMESTAMP AS OF now()"),
        ("query", "SELECT * FROM b FOR SYSTEM_TIME AS OF now()"),
        ("ddl", "ALTER TABLE b DROP TAG eom"),
        ("ddl", "ALTER TABLE b DROP BRANCH audit"),
    ],
    "metadata tables": [
        ("ddl", "CREATE TABLE m AS SELECT 1L AS id"),
        *(("query", f"SELECT * FROM {name}") for name in METADATA_TABLES),
    ],
    "views": [
        ("ddl", "CREATE VIEW v AS SELECT 1 AS n"),
        ("ddl", "CREATE OR REPLACE VIEW v (k COMMENT 'x') COMMENT 'y' TBLPROPERTIES ('k'='v') AS SELECT 2 AS n"),
        ("query", "SELECT k FROM v"),
        ("ddl", "ALTER VIEW v SET TBLPROPERTIES ('k'='w')"),
        ("ddl", "ALTER VIEW v UNSET TBLPROPERTIES ('k')"),
        ("ddl", "ALTER VIEW v RENAME TO v2"),
        ("show", "SHOW CREATE TABLE v2"),
        ("describe", "DESCRIBE v2"),
        ("show", "SHOW VIEWS"),
        ("show", "SHOW VIEWS IN lake.default"),
        ("ddl", "DROP VIEW v2"),
        ("ddl", "CREATE TEMPORARY VIEW mine AS SELECT 1 AS x"),
        ("ddl", "CREATE OR REPLACE TEMP VIEW IDENTIFIER('mine') AS SELECT 2 AS x"),
        ("query", "SELECT * FROM mine"),
        ("describe", "DESCRIBE mine"),
        ("ddl", "DROP VIEW mine"),
    ],
    "the session": [
        ("set", "DECLARE VARIABLE most INT DEFAULT 5"),
        ("set", "SET VAR most = 7"),
        ("set", "SET VAR most = (SELECT 8)"),
        ("query", "SELECT most"),
        ("set", "DROP TEMPORARY VARIABLE most"),
        ("set", "SET time_zone = 'Europe/Berlin'"),
        ("set", "SET TIME ZONE 'UTC'"),
        ("set", "SET time_zone"),
        ("set", "SET"),
        ("show", "SHOW SESSION"),
        ("show", "/* c */ show -- d\n session ;"),
        ("set", "RESET time_zone"),
        ("set", "RESET"),
    ],
    "procedures": [
        ("ddl", "CREATE TABLE p AS SELECT 1L AS id"),
        ("call", "CALL lake.system.ancestors_of('default.p')"),
        ("call", "CALL system.expire_snapshots(table => 'default.p', retain_last => 1)"),
        ("call", "CALL IDENTIFIER('lake.system.rewrite_manifests')('default.p')"),
        ("show", "SHOW PROCEDURES"),
        ("describe", "DESCRIBE PROCEDURE lake.system.expire_snapshots"),
    ],
    "looking": [
        ("ddl", "CREATE TABLE e AS SELECT 1L AS id"),
        ("explain", "EXPLAIN SELECT 1"),
        ("explain", "EXPLAIN EXTENDED SELECT * FROM e"),
        ("explain", "EXPLAIN FORMATTED SELECT * FROM e"),
        ("explain", "EXPLAIN CODEGEN SELECT * FROM e"),
        ("explain", "EXPLAIN COST SELECT * FROM e"),
        ("explain", "EXPLAIN WITH x AS (SELECT 1) INSERT INTO e SELECT * FROM x"),
        ("explain", "EXPLAIN DROP TABLE e"),
        ("describe", "DESCRIBE QUERY SELECT * FROM e"),
        ("describe", "DESCRIBE SELECT 1"),
        ("describe", "DESCRIBE FUNCTION upper"),
        ("show", "SHOW FUNCTIONS LIKE 'upp*'"),
    ],
    "queries": [
        ("ddl", "CREATE TABLE q AS SELECT id, CAST(id AS STRING) AS name FROM range(5)"),
        *(
            ("query", text)
            for text in (
                "/* hint next */ SELECT /*+ BROADCAST(f) */ count(*) FROM q f JOIN q g ON f.id = g.id",
                "VALUES (1, 'a'), (2, 'b')",
                "TABLE q",
                "FROM q SELECT id",
                "(SELECT 1) UNION ALL (SELECT 2)",
                "SELECT * FROM range(5)",
                "SELECT * FROM explode(array(1, 2))",
                "SELECT count(*) FROM sql_keywords()",
                "SELECT id, x FROM q LATERAL VIEW OUTER explode(array(1, 2)) e AS x",
                "SELECT * FROM q f, LATERAL (SELECT f.id + 1 AS next)",
                "SELECT * FROM q JOIN LATERAL explode(array(id)) AS e(x)",
                "SELECT * FROM q PIVOT (count(id) FOR name IN ('1', '2'))",
                "SELECT * FROM (SELECT 1 AS a, 2 AS b) UNPIVOT (v FOR k IN (a, b))",
                "SELECT name, count(*) FROM q GROUP BY GROUPING SETS ((name), ())",
                "SELECT id, row_number() OVER w FROM q WINDOW w AS (PARTITION BY name ORDER BY id)",
                "SELECT id FROM q UNION SELECT 1 INTERSECT SELECT 1 EXCEPT SELECT 2",
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n",
                "FROM q |> WHERE id > 1 |> SELECT id |> ORDER BY id |> LIMIT 2",
                "FROM q |> AGGREGATE count(*) AS n GROUP BY name |> EXTEND n + 1 AS m |> DROP n",
                "SELECT * FROM q TABLESAMPLE (50 PERCENT)",
                "SELECT * FROM q ORDER BY id LIMIT 2 OFFSET 1",
                "SELECT * FROM q DISTRIBUTE BY id SORT BY id",
                "SELECT (SELECT max(id) FROM q) AS m, EXISTS (SELECT 1 FROM q)",
                "SELECT * FROM IDENTIFIER('q')",
                "SELECT IDENTIFIER('id') FROM q",
                'SELECT "id" FROM "q"',
                "SELECT * EXCEPT (id) FROM q",
                "SELECT transform(array(1, 2), x -> x + 1)",
                "SELECT name, sum(id) FILTER (WHERE id > 1) FROM q GROUP BY ALL HAVING sum(id) > 0 ORDER BY ALL",
                "SELECT * FROM q WITH ('split-size'='1000')",
            )
        ),
    ],
}  # fmt: skip


@pytest.mark.parametrize("area", STORIES)
def test_statements_run_and_have_their_class(handler: QueryHandler, session: Session, area: str) -> None:
    for expected, text in STORIES[area]:
        with handler.submit(session, text, door="test") as query:
            rows = query.read_all()
        assert query.statement.value == expected, text
        assert query.statement.returns_rows or not rows.num_rows or query.statement.value == "set", text


def test_a_prepared_statement_has_the_same_class_and_nothing_happens(handler: QueryHandler, session: Session) -> None:
    handler.submit(session, "CREATE TABLE seen AS SELECT 1L AS id", door="test").close()
    for expected, text in [
        ("query", "SELECT * FROM seen WHERE id = ?"),
        ("insert", "INSERT INTO seen VALUES (?)"),
        ("insert", "WITH x AS (SELECT 1L) INSERT INTO seen SELECT * FROM x"),
        ("update", "UPDATE seen SET id = ? WHERE id = ?"),
        ("delete", "DELETE FROM seen"),
        ("merge", "MERGE INTO seen USING (SELECT 1L AS id) s ON seen.id = s.id WHEN MATCHED THEN DELETE"),
        ("ddl", "DROP TABLE seen"),
        ("ddl", "CREATE TABLE not_made AS SELECT 1"),
        ("call", "CALL lake.system.rollback_to_snapshot('default.seen', 1)"),
        ("set", "SET time_zone = 'Asia/Tokyo'"),
        ("use", "USE nowhere"),
        ("kill", "KILL QUERY 'x'"),
        ("explain", "EXPLAIN DROP TABLE seen"),
    ]:
        assert handler.prepare(session, text).statement.value == expected, text
    with handler.submit(session, "SELECT id FROM seen", door="test") as query:
        assert query.read_all().to_pylist() == [{"id": 1}]
    assert session.setting("time_zone") == "UTC"
    assert "not_made" not in [entry.name for entry in handler.tables(session)]
