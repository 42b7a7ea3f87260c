"""What nobody may run is refused before it has any effect, however it is wrapped. The list is what a hostile user tries."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.session import Session

Sql = Callable[[str], pa.Table]

# {made}: a path that must not exist afterwards. {secret}: a file of the server's that must not be read.
NOT_SUPPORTED = [
    # programs
    "SELECT TRANSFORM(1) USING 'touch {made}' AS (a)",
    "SELECT * FROM (SELECT TRANSFORM(1) USING 'touch {made}' AS (a))",
    "WITH x AS (SELECT TRANSFORM(1) USING 'touch {made}' AS (a)) SELECT * FROM x",
    "WITH x AS (WITH y AS (SELECT TRANSFORM(1) USING 'touch {made}' AS (a)) SELECT * FROM y) SELECT * FROM x",
    "SELECT 1 WHERE 1 IN (SELECT TRANSFORM(1) USING 'touch {made}' AS (a))",
    "SELECT (WITH x AS (SELECT TRANSFORM(1) USING 'touch {made}' AS (a)) SELECT max(a) FROM x)",
    "FROM canary MAP id USING 'touch {made}' AS (a)",
    "FROM canary REDUCE id USING 'touch {made}' AS (a)",
    "INSERT INTO canary SELECT TRANSFORM(1) USING 'touch {made}' AS (a BIGINT)",
    "INSERT INTO IDENTIFIER('canary') SELECT TRANSFORM(1) USING 'touch {made}' AS (a BIGINT)",
    "CREATE TABLE made AS SELECT TRANSFORM(1) USING 'touch {made}' AS (a)",
    "CREATE TABLE IDENTIFIER('made') AS WITH x AS (SELECT TRANSFORM(1) USING 'touch {made}' AS (a)) SELECT * FROM x",
    "CREATE VIEW made AS SELECT TRANSFORM(1) USING 'touch {made}' AS (a)",
    "CREATE TEMPORARY VIEW made AS SELECT TRANSFORM(1) USING 'touch {made}' AS (a)",
    "CREATE TEMPORARY VIEW IDENTIFIER('made') AS SELECT TRANSFORM(1) USING 'touch {made}' AS (a)",
    "MERGE INTO canary USING (SELECT TRANSFORM(1) USING 'touch {made}' AS (a BIGINT)) s ON id = a WHEN MATCHED THEN DELETE",
    "DELETE FROM canary WHERE id IN (SELECT TRANSFORM(1) USING 'touch {made}' AS (a BIGINT))",
    "SET VAR x = (SELECT TRANSFORM(1) USING 'touch {made}' AS (a))",
    "DESCRIBE QUERY SELECT TRANSFORM(1) USING 'touch {made}' AS (a)",
    "EXPLAIN SELECT TRANSFORM(1) USING 'touch {made}' AS (a)",
    "SELECT 1 |> UNION ALL (SELECT TRANSFORM(1) USING 'touch {made}' AS (a))",
    # statements that run during analysis
    "EXECUTE IMMEDIATE 'DROP TABLE canary'",
    "EXPLAIN EXECUTE IMMEDIATE 'DROP TABLE canary'",
    "EXPLAIN EXPLAIN EXECUTE IMMEDIATE 'DROP TABLE canary'",
    "BEGIN DROP TABLE canary; END",
    "BEGIN DECLARE x INT; SET x = 1; DELETE FROM canary; END",
    # more than one statement in one
    "FROM canary INSERT INTO canary SELECT id INSERT INTO canary SELECT id + 1",
    # shared between users
    "CACHE TABLE canary",
    "CACHE LAZY TABLE made AS SELECT * FROM canary",
    "CACHE TABLE IDENTIFIER('canary')",
    "UNCACHE TABLE canary",
    "CLEAR CACHE",
    "CREATE GLOBAL TEMPORARY VIEW made AS SELECT 1",
    "CREATE GLOBAL TEMPORARY VIEW IDENTIFIER('made') AS SELECT 1",
    # code and files of the server
    "ADD JAR '{secret}'",
    "ADD FILE '{secret}'",
    "ADD ARCHIVE '{secret}'",
    "LIST JARS",
    "LIST FILES",
    "CREATE FUNCTION made AS 'java.lang.String'",
    "CREATE TEMPORARY FUNCTION made AS 'java.lang.String' USING JAR '{secret}'",
    "CREATE TEMPORARY FUNCTION made() RETURNS INT RETURN 1",
    "CREATE FUNCTION IDENTIFIER('made') AS 'java.lang.String'",
    "DROP FUNCTION made",
    "REFRESH FUNCTION made",
    "LOAD DATA LOCAL INPATH '{secret}' INTO TABLE canary",
    "INSERT OVERWRITE DIRECTORY '{made}' USING csv SELECT 1",
    "INSERT OVERWRITE LOCAL DIRECTORY '{made}' USING parquet SELECT * FROM canary",
    "INSERT OVERWRITE LOCAL DIRECTORY '{made}' STORED AS TEXTFILE SELECT 1",
    "CREATE TEMPORARY VIEW made USING csv OPTIONS (path '{secret}')",
    "CREATE OR REPLACE TEMPORARY VIEW made (a STRING) USING text OPTIONS (path '{secret}')",
    "SELECT from_xml('<a/>', 'b INT', map('rowValidationXSDPath', '{secret}'))",
    "SELECT schema_of_xml('<a/>', map('ROWvalidation' || 'XSDPath', 'file://{secret}'))",
    "SELECT from_xml('<a/>', schema_of_xml('<a/>', map('rowValidationXSDPath', '{secret}')))",
    "REFRESH '{secret}'",
    "MSCK REPAIR TABLE canary",
    "ALTER TABLE canary RECOVER PARTITIONS",
    "ANALYZE TABLE canary COMPUTE STATISTICS",
    # Spark's own catalog, where tables of any kind lie over any path
    "CREATE TABLE spark_catalog.default.made USING csv OPTIONS (path '{secret}')",
    "CREATE TABLE spark_catalog.default.made USING parquet LOCATION '{made}' AS SELECT 1 AS a",
    "CREATE TABLE IDENTIFIER('spark_catalog.default.made') (a INT) USING text LOCATION '{secret}'",
    "CREATE VIEW spark_catalog.default.made AS SELECT 1 AS a",
    # Spark's declarative pipelines
    "CREATE MATERIALIZED VIEW made AS SELECT 1",
    "CREATE STREAMING TABLE made",
]  # fmt: skip

OTHERWISE_REFUSED = [
    ("SYNTAX_ERROR", "SELECT 1; DROP TABLE canary"),
    ("SYNTAX_ERROR", "SELECT 1;; SELECT 2"),
    ("SYNTAX_ERROR", "SELECT 1 -- ;\n; DROP TABLE canary"),
    ("INVALID_ARGUMENTS", "SELECT xpath_string('<!DOCTYPE a SYSTEM \"file://{secret}\"><a/>', 'a')"),
    ("FUNCTION_NOT_FOUND", "SELECT reflect('java.lang.System', 'getProperty', 'user.home')"),
    ("FUNCTION_NOT_FOUND", "SELECT java_method('java.lang.System', 'exit', 1)"),
    ("FUNCTION_NOT_FOUND", "SELECT try_reflect('java.lang.System', 'getenv', 'PATH')"),
    ("FUNCTION_NOT_FOUND", "SELECT IDENTIFIER('reflect')('java.lang.System', 'getProperty', 'user.home')"),
    ("FUNCTION_NOT_FOUND", "CREATE VIEW made AS SELECT reflect('java.lang.System', 'getProperty', 'user.home') AS a"),
    ("TABLE_NOT_FOUND", "SELECT * FROM csv.`{secret}`"),
    ("TABLE_NOT_FOUND", "SELECT * FROM text.`{secret}`"),
    ("TABLE_NOT_FOUND", "SELECT * FROM binaryFile.`{secret}`"),
    ("TABLE_NOT_FOUND", "SELECT * FROM `org.apache.spark.sql.execution.datasources.text`.`{secret}`"),
    ("TABLE_NOT_FOUND", "SELECT * FROM IDENTIFIER('text.`{secret}`')"),
    ("TABLE_NOT_FOUND", "INSERT INTO parquet.`{made}` VALUES (1)"),
    ("TABLE_NOT_FOUND", "SELECT * FROM spark_catalog.default.canary"),
    ("TABLE_NOT_FOUND", "SELECT * FROM global_temp.anything"),
    ("TABLE_NOT_FOUND", "DROP TABLE spark_catalog.default.made"),
    ("CATALOG_NOT_FOUND", "USE spark_catalog"),
    ("CATALOG_NOT_FOUND", "SET CATALOG spark_catalog"),
    ("CATALOG_NOT_FOUND", "USE IDENTIFIER('spark_' || 'catalog')"),
    ("SCHEMA_NOT_FOUND", "USE spark_catalog.default"),
    ("SCHEMA_NOT_FOUND", "SHOW TABLES IN spark_catalog.default"),
    ("SCHEMA_NOT_FOUND", "CREATE SCHEMA spark_catalog.made LOCATION '{made}'"),
    ("SCHEMA_NOT_FOUND", "CREATE TABLE spark_catalog.default.made (a INT) USING iceberg LOCATION '{made}'"),
    ("INVALID_SESSION_PROPERTY", "SET spark.sql.runSQLOnFiles = true"),
    ("INVALID_SESSION_PROPERTY", "SET `spark.sql.ansi.enabled` = false"),
    ("INVALID_SESSION_PROPERTY", "SET spark.sql.catalog.lake.uri"),
    ("INVALID_SESSION_PROPERTY", "SET spark.sql.catalog.evil = org.apache.iceberg.spark.SparkCatalog"),
    ("INVALID_SESSION_PROPERTY", "SET -v"),
    ("INVALID_SESSION_PROPERTY", "SET hive.exec.pre.hooks = x"),
    ("INVALID_SESSION_PROPERTY", "RESET spark.sql.runSQLOnFiles"),
    ("INVALID_SESSION_PROPERTY", "SET time_zone = 'Mars/Olympus'"),
    ("INVALID_SESSION_PROPERTY", "SET shuffle_partitions = -1"),
    ("INVALID_SESSION_PROPERTY", "SET query_timeout_seconds = 'soon'"),
]  # fmt: skip


@pytest.fixture(scope="module")
def warehouse(sessions: object) -> Path:
    return Path(sessions._catalogs["lake"]["path"])  # type: ignore[attr-defined]


@pytest.fixture
def canary(sql: Sql) -> None:
    sql("CREATE OR REPLACE TABLE canary AS SELECT 1L AS id")


def test_nothing_that_is_refused_has_an_effect(
    sql: Sql, session: Session, handler: QueryHandler, canary: None, warehouse: Path, tmp_path: Path
) -> None:
    made, secret = tmp_path / "made", tmp_path / "secret.csv"
    secret.write_text("never shown\n")
    files = sorted(warehouse.rglob("*"))
    refused = [("NOT_SUPPORTED", text) for text in NOT_SUPPORTED] + OTHERWISE_REFUSED
    for code, template in refused:
        text = template.replace("{made}", str(made)).replace("{secret}", str(secret))
        with pytest.raises(SqeError) as failure:
            sql(text)
        assert failure.value.code.name == code, (text, str(failure.value))
        assert "never shown" not in str(failure.value)
        assert not made.exists(), text
    assert sorted(warehouse.rglob("*")) == files
    assert sql("SELECT * FROM canary").to_pylist() == [{"id": 1}]
    assert {entry.name for entry in handler.tables(session)} == {"canary"}
    assert sql("SELECT current_catalog(), current_schema()").to_pylist() == [
        {"current_catalog()": "lake", "current_schema()": "default"}
    ]


@pytest.mark.parametrize("text", [text for text in NOT_SUPPORTED if "{" not in text and "spark_catalog" not in text])
def test_preparing_it_is_refused_too(handler: QueryHandler, session: Session, text: str) -> None:
    with pytest.raises(SqeError) as failure:
        handler.prepare(session, text)
    assert failure.value.code.name in ("NOT_SUPPORTED", "TABLE_NOT_FOUND")


def test_explaining_a_procedure_does_not_run_it(sql: Sql, canary: None) -> None:
    sql("INSERT INTO canary VALUES (2)")
    before = sql("SELECT * FROM canary.snapshots ORDER BY committed_at")
    first = before.column("snapshot_id")[0].as_py()
    for call in (
        f"CALL lake.system.rollback_to_snapshot('default.canary', {first})",
        "CALL lake.system.expire_snapshots(table => 'default.canary', older_than => now(), retain_last => 1)",
    ):
        for explain in ("EXPLAIN", "EXPLAIN EXTENDED", "EXPLAIN FORMATTED", "EXPLAIN COST", "EXPLAIN CODEGEN", "EXPLAIN EXPLAIN"):
            sql(f"{explain} {call}")
    assert sql("SELECT * FROM canary.snapshots ORDER BY committed_at").to_pylist() == before.to_pylist()
    assert sql("SELECT count(*) AS n FROM canary").to_pylist() == [{"n": 2}]


def test_explaining_a_change_does_not_make_it(sql: Sql, canary: None) -> None:
    for text in ("DROP TABLE canary", "DELETE FROM canary", "INSERT INTO canary VALUES (2)", "SET TIME ZONE 'Asia/Tokyo'",
                 "CREATE TABLE explained AS SELECT 1", "USE nowhere"):  # fmt: skip
        for explain in ("EXPLAIN", "EXPLAIN EXTENDED", "EXPLAIN FORMATTED"):
            with suppress(SqeError):
                sql(f"{explain} {text}")
    assert sql("SELECT * FROM canary").to_pylist() == [{"id": 1}]
    assert sql("SELECT current_timezone() AS z").to_pylist() == [{"z": "UTC"}]


def test_bare_set_shows_no_setting_of_spark(sql: Sql) -> None:
    shown = sql("SET").to_pylist()
    assert shown == sql("SHOW SESSION").to_pylist()
    assert {row["name"] for row in shown} == {
        "time_zone",
        "write_branch",
        "query_timeout_seconds",
        "max_result_rows",
        "native",
        "shuffle_partitions",
        "sql_dialect",
    }


@pytest.mark.parametrize("value", ["x'; DROP TABLE canary; --", "\\'; DROP TABLE canary", "?", "'\"`", "a\nb", "\\", "🎉\\u0027"])
def test_a_parameter_is_a_value_and_never_sql(
    handler: QueryHandler, session: Session, sql: Sql, canary: None, value: str
) -> None:
    row = pa.RecordBatch.from_pydict({"p": [value]})
    with handler.submit(session, "SELECT ? AS v, length(?) AS n FROM canary", door="test", parameters=_twice(row)) as query:
        assert query.read_all().to_pylist() == [{"v": value, "n": len(value)}]
    with pytest.raises(SqeError), handler.submit(session, "DROP TABLE IDENTIFIER(?)", door="test", parameters=row):
        pass
    assert sql("SELECT * FROM canary").to_pylist() == [{"id": 1}]


def _twice(row: pa.RecordBatch) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([row.column(0), row.column(0)], names=["a", "b"])
