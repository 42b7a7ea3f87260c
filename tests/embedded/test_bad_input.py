"""Bad statements: the right code, one sentence that a person can read, and everything as it was before."""

from __future__ import annotations

import re
from collections.abc import Callable

import pyarrow as pa
import pytest

from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.session import Session

Sql = Callable[[str], pa.Table]

# What may never be in a sentence: classes, traces, plans, settings of Spark, paths of the server, SQLSTATEs, positions twice.
FORBIDDEN = re.compile(
    r"org\.apache|java\.|scala\.|Exception|\bat [a-z]+\.[a-z]+|== |\+- |'Project|SQLSTATE|spark\.|spark_catalog|/tmp|file:|"
    r"pos \d+|try_cast"
)

# code, line:column, statement
WRONG: list[tuple[str, str | None, str]] = [
    ("SYNTAX_ERROR", "1:1", "SELEC 1"),
    ("SYNTAX_ERROR", "1:11", "SELECT 1 +"),
    ("SYNTAX_ERROR", "3:14", "SELECT *\nFROM kept\n  WHERE id = = 1"),
    ("SYNTAX_ERROR", "1:8", "SELECT 'abc"),
    ("SYNTAX_ERROR", None, "SELECT 1 /* never closed"),
    ("SYNTAX_ERROR", None, ""),
    ("SYNTAX_ERROR", None, " \n\t; ;;"),
    ("SYNTAX_ERROR", None, "-- only a comment"),
    ("SYNTAX_ERROR", None, "/* only a comment */"),
    ("SYNTAX_ERROR", None, "SELECT '\0'"),
    ("SYNTAX_ERROR", None, "SELECT '\ud800'"),
    ("SYNTAX_ERROR", None, "\x1b[2J"),
    ("SYNTAX_ERROR", None, "SELECT 🎉"),
    ("SYNTAX_ERROR", None, "SELECT * FROM (VALUES (1, 2), (3))"),
    ("TABLE_NOT_FOUND", "2:6", "SELECT *\nFROM missing"),
    ("TABLE_NOT_FOUND", "1:15", "SELECT * FROM no_schema.kept"),
    ("TABLE_NOT_FOUND", "1:15", "SELECT * FROM no_catalog.default.kept"),
    ("TABLE_NOT_FOUND", None, "DROP TABLE missing"),
    ("TABLE_NOT_FOUND", None, "DROP VIEW missing"),
    ("TABLE_NOT_FOUND", None, "INSERT INTO missing VALUES (1)"),
    ("TABLE_NOT_FOUND", None, "DESCRIBE missing"),
    ("TABLE_NOT_FOUND", None, "CALL lake.system.expire_snapshots(table => 'default.missing')"),
    ("TABLE_NOT_FOUND", None, "CREATE TABLE other LIKE missing"),
    ("TABLE_NOT_FOUND", None, "SELECT * FROM `" + "x" * 50_000 + "`"),
    ("TABLE_NOT_FOUND", None, "SELECT * FROM `\x1b[2J`"),
    ("COLUMN_NOT_FOUND", "1:8", "SELECT nme FROM kept"),
    ("COLUMN_NOT_FOUND", None, "INSERT INTO kept (idd) VALUES (1)"),
    ("COLUMN_NOT_FOUND", None, "ALTER TABLE kept DROP COLUMN missing"),
    ("COLUMN_NOT_FOUND", None, "UPDATE kept SET missing = 1"),
    ("SCHEMA_NOT_FOUND", None, "USE missing"),
    ("SCHEMA_NOT_FOUND", None, "USE missing.schema"),
    ("SCHEMA_NOT_FOUND", None, "DROP SCHEMA missing"),
    ("SCHEMA_NOT_FOUND", None, "SHOW TABLES IN missing"),
    ("CATALOG_NOT_FOUND", None, "SET CATALOG missing"),
    ("FUNCTION_NOT_FOUND", "1:8", "SELECT missing(1)"),
    ("FUNCTION_NOT_FOUND", "1:15", "SELECT * FROM missing(1)"),
    ("PROCEDURE_NOT_FOUND", None, "CALL lake.system.missing()"),
    ("INVALID_PROCEDURE_ARGUMENT", None, "CALL lake.system.expire_snapshots(tabel => 'default.kept')"),
    ("NOT_FOUND", None, "SELECT * FROM kept VERSION AS OF 12345"),
    ("NOT_FOUND", None, "SELECT * FROM kept VERSION AS OF 'no_branch'"),
    ("NOT_FOUND", None, "SELECT * FROM kept TIMESTAMP AS OF '1999-01-01'"),
    ("NOT_FOUND", None, "KILL QUERY 'nothing'"),
    ("DIVISION_BY_ZERO", None, "SELECT 1 / 0"),
    ("DIVISION_BY_ZERO", None, "SELECT id / (id - id) FROM kept"),
    ("DIVISION_BY_ZERO", None, "SELECT 1 % 0"),
    ("INVALID_CAST_ARGUMENT", None, "SELECT CAST('abc' AS INT)"),
    ("INVALID_CAST_ARGUMENT", None, "SELECT CAST(name AS INT) FROM kept"),
    ("INVALID_CAST_ARGUMENT", None, "SELECT to_date('xyz')"),
    ("INVALID_CAST_ARGUMENT", None, "INSERT INTO kept SELECT CAST(9e18 AS DECIMAL(38)) * 9, 'big'"),
    ("INVALID_LITERAL", "1:8", "SELECT DATE'2026-13-45'"),
    ("NUMERIC_VALUE_OUT_OF_RANGE", None, "SELECT 2147483647 + 1"),
    ("NUMERIC_VALUE_OUT_OF_RANGE", None, "SELECT " + "9" * 40),
    ("TYPE_MISMATCH", "1:8", "SELECT true + 1"),
    ("TYPE_MISMATCH", None, "INSERT INTO kept VALUES (1)"),
    ("TYPE_MISMATCH", None, "INSERT INTO kept VALUES ('abc', 'x')"),
    ("TYPE_MISMATCH", None, "UPDATE kept SET id = 'abc'"),
    ("TYPE_NOT_FOUND", None, "SELECT CAST(1 AS NOSUCHTYPE)"),
    ("INVALID_FUNCTION_ARGUMENT", None, "SELECT array(1)[5]"),
    ("INVALID_FUNCTION_ARGUMENT", None, "SELECT upper(1, 2)"),
    ("INVALID_FUNCTION_ARGUMENT", None, "SELECT regexp_replace('a', '(', 'b')"),
    ("SUBQUERY_MULTIPLE_ROWS", None, "SELECT (SELECT id FROM kept)"),
    ("SUBQUERY_MULTIPLE_ROWS", None, "MERGE INTO kept USING (VALUES 1, 1) ON id = col1 WHEN MATCHED THEN UPDATE SET id = 3"),
    ("MISSING_GROUP_BY", None, "SELECT id, count(*) FROM kept"),
    ("AMBIGUOUS_NAME", None, "SELECT id FROM kept a JOIN kept b"),
    ("INVALID_PARAMETER_USAGE", None, "SELECT ?"),
    ("TABLE_ALREADY_EXISTS", None, "CREATE TABLE kept (id INT)"),
    ("TABLE_ALREADY_EXISTS", None, "CREATE TABLE kept AS SELECT 1"),
    ("SCHEMA_ALREADY_EXISTS", None, "CREATE SCHEMA default"),
    ("SCHEMA_NOT_EMPTY", None, "DROP SCHEMA default"),
    ("DUPLICATE_COLUMN_NAME", None, "CREATE TABLE twice (a INT, a INT)"),
    ("COLUMN_ALREADY_EXISTS", None, "ALTER TABLE kept ADD COLUMN name STRING"),
    ("NOT_SUPPORTED", None, "ALTER TABLE kept ALTER COLUMN name TYPE INT"),
    ("NOT_SUPPORTED", None, "CREATE TABLE odd (a INT) USING csv"),
    ("NOT_SUPPORTED", None, "ALTER TABLE kept ADD COLUMN more INT DEFAULT 5"),
    ("NOT_SUPPORTED", None, "SELECT * FROM STREAM kept"),
    ("NOT_SUPPORTED", None, "CREATE TABLE odd (a INT, b INT GENERATED ALWAYS AS (a + 1))"),
    ("CONSTRAINT_VIOLATION", None, "INSERT INTO never_null VALUES (NULL)"),
    ("SCHEMA_NOT_FOUND", None, "CREATE TABLE misspelt.t (a INT)"),
    ("SCHEMA_NOT_FOUND", None, "CREATE VIEW misspelt.v AS SELECT 1 AS n"),
    ("NOT_SUPPORTED", None, "CREATE TABLE `../../outside` (a INT)"),
    ("NOT_SUPPORTED", None, "CREATE TABLE `..` AS SELECT 1"),
    ("NOT_SUPPORTED", None, "CREATE VIEW `a/b` AS SELECT 1"),
    ("NOT_SUPPORTED", None, "CREATE SCHEMA `/outside`"),
    ("SYNTAX_ERROR", None, "CREATE SCHEMA `../outside`"),
    ("NOT_SUPPORTED", None, "ALTER TABLE kept RENAME TO `../outside`"),
    ("NOT_SUPPORTED", None, "CREATE TABLE `" + "long" * 100 + "` (a INT)"),
    ("NOT_SUPPORTED", None, "SELECT " + "array(" * 70 + "1" + ")" * 70),
    ("GENERIC_USER_ERROR", None, "SELECT raise_error('the order was cancelled; Permission denied')"),
    ("GENERIC_USER_ERROR", None, "SELECT raise_error('SQLITE_FULL') FROM kept"),
    ("GENERIC_USER_ERROR", None, "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT * FROM r"),
    ("QUERY_TEXT_TOO_LARGE", None, "SELECT '" + "x" * 2_000_000 + "'"),
    ("QUERY_TEXT_TOO_LARGE", None, "SELECT " + "(" * 10_000 + "1" + ")" * 10_000),
    ("QUERY_TEXT_TOO_LARGE", None, "SELECT " + "CASE WHEN true THEN 1 ELSE " * 10_000 + "0" + " END" * 10_000),
    ("QUERY_TEXT_TOO_LARGE", None, "SELECT CAST(NULL AS " + "ARRAY<" * 10_000 + "INT" + ">" * 10_000 + ")"),
    ("QUERY_TEXT_TOO_LARGE", None, "SELECT " + "NOT " * 50_000 + "true"),
    ("QUERY_TEXT_TOO_LARGE", None, "SELECT " + "+".join(["1"] * 50_000)),
]  # fmt: skip


@pytest.fixture(scope="module")
def kept(handler: QueryHandler, sessions: object) -> None:
    from sqe.identity import Identity

    session = sessions.open(Identity("setup"))  # type: ignore[attr-defined]
    for text in (
        "CREATE TABLE kept (id BIGINT, name STRING)",
        "INSERT INTO kept VALUES (1, 'a'), (2, 'b')",
        "CREATE TABLE never_null (a INT NOT NULL)",
    ):
        handler.submit(session, text, door="test").close()


def test_each_wrong_statement_has_its_code_one_sentence_and_no_effect(
    sql: Sql, session: Session, handler: QueryHandler, driver: Driver, kept: None
) -> None:
    snapshots = sql("SELECT count(*) AS n FROM kept.snapshots").to_pylist()
    problems = [problem for expected in WRONG if (problem := _problem(sql, *expected))]
    assert not problems, "\n".join(problems)
    assert sql("SELECT count(*) AS n FROM kept.snapshots").to_pylist() == snapshots
    assert sorted(row["name"] for row in sql("SELECT name FROM kept").to_pylist()) == ["a", "b"]
    assert [entry.name for entry in handler.tables(session)] == ["kept", "never_null"]
    assert handler.schemas(session) == [("lake", "default")]
    health = driver.health()
    assert health is not None
    assert health.executions == 0
    assert driver.restarts == 0


def _problem(sql: Sql, code: str, position: str | None, text: str) -> str | None:
    try:
        sql(text)
    except SqeError as error:
        said = f"{error.message} {error.hint or ''}"
        checks = {
            "code": error.code.name == code,
            "position": position is None or f"{error.line}:{error.column}" == position,
            "words": not FORBIDDEN.search(said)
            and not re.search(r"[\x00-\x1f\x7f-\x9f]", said)
            and 3 < len(error.message) <= 500,
            "one sentence": not re.search(r"[.!?]\s+[A-Z][a-z]+ ", error.message),
        }
        wrong = [check for check, passed in checks.items() if not passed]
        return f"{wrong} of {text[:100]!r}: {str(error)[:300]}" if wrong else None
    return f"{text[:100]!r} was not refused"


def test_errors_say_what_to_do_where_there_is_something(sql: Sql, kept: None) -> None:
    for text, hint in [
        ("SELECT nme FROM kept", "did you mean name"),
        ("SELECT 1 / 0", "try_divide"),
        ("CALL lake.system.expire_snapshots(tabel => 'default.kept')", "did you mean table"),
        ("SET tim_zone = 'UTC'", "did you mean time_zone"),
    ]:
        with pytest.raises(SqeError) as failure:
            sql(text)
        assert hint in (failure.value.hint or ""), text


def test_large_but_reasonable_statements_run(sql: Sql) -> None:
    deep = "SELECT " + "(" * 200 + "1" + ")" * 200 + " AS n"
    assert sql(deep).to_pylist() == [{"n": 1}]
    long_text = sql("SELECT '" + "x" * 500_000 + "' AS text")
    assert len(long_text.column("text")[0].as_py()) == 500_000
    assert sql("SELECT " + "+".join(["1"] * 1000) + " AS n").to_pylist() == [{"n": 1000}]
    conditions = " AND ".join(f"{number} = {number}" for number in range(2000))
    assert sql(f"SELECT 1 AS n WHERE {conditions}").num_rows == 1
    among = ", ".join(str(number) for number in range(5000))
    assert sql(f"SELECT id FROM range(3) WHERE id IN ({among})").num_rows == 3


def test_a_result_may_have_thousands_of_columns(sql: Sql) -> None:
    inline = sql("SELECT " + ", ".join(f"{number} AS c{number}" for number in range(10_000)))
    assert (inline.num_columns, inline.column("c9999")[0].as_py()) == (10_000, 9999)
    streamed = sql("SELECT " + ", ".join(f"id + {number} AS c{number}" for number in range(1000)) + " FROM range(3)")
    assert streamed.column("c999").to_pylist() == [999, 1000, 1001]


def test_variables_of_the_server_are_plain_text(sql: Sql) -> None:
    for text in ("${env:PATH}", "${system:user.dir}", "${spark.app.name}", "${spark:spark.master}", "${hiveconf:x}"):
        assert sql(f"SELECT '{text}' AS v").to_pylist() == [{"v": text}]


@pytest.mark.parametrize(
    "text", ["\ufeffSELECT 1 AS n", "  SELECT 1 AS n ; ;\n", "SELECT\u00a01 AS n", "-- first\nSELECT 1 AS n -- last;"]
)
def test_harmless_oddities_around_a_statement_do_not_matter(sql: Sql, text: str) -> None:
    assert sql(text).to_pylist() == [{"n": 1}]
