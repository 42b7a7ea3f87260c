"""What the translator of Trino's SQL refuses, and where; what it says about types; what it costs to have it."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pytest

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.dialect import translate
from sqe.sql.dialect.trino.types import read_type

TABLE = pa.schema([("id", pa.int64()), ("name", pa.string()), ("seen", pa.timestamp("us", "UTC"))])


def refusal(sql: str, dialect: str = "trino") -> SqeError:
    with pytest.raises(SqeError) as caught:
        translate(sql, dialect, lambda relation: TABLE)
    return caught.value


def test_starting_a_server_does_not_load_the_parser() -> None:
    check = "import sys, sqe.server, sqe.doors.flight.door, sqe.sql.dialect; sys.exit('sqlglot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


@pytest.mark.parametrize(
    ("sql", "code", "line", "column"),
    [
        ("SELECT nosuch(1)", errors.FUNCTION_NOT_FOUND, 1, 8),
        # Spark has these, Trino has not: they must not slip through.
        ("SELECT\n  input_file_name()", errors.FUNCTION_NOT_FOUND, 2, 3),
        ("SELECT java_method('java.lang.System', 'exit')", errors.FUNCTION_NOT_FOUND, 1, 8),
        ("SELECT 1, raise_error('x')", errors.FUNCTION_NOT_FOUND, 1, 11),
        ("SELECT word_stem('running')", errors.NOT_SUPPORTED, 1, 8),
        ("SELECT nosuch FROM t", errors.COLUMN_NOT_FOUND, 1, 8),
        ("SELECT id + name FROM t", errors.TYPE_MISMATCH, 1, 8),
        ("SELECT length(1)", errors.FUNCTION_NOT_FOUND, 1, 8),
        ("SELECT * FROM t a JOIN t b ON true WHERE id = 1", errors.AMBIGUOUS_NAME, 1, 42),
        ("SELECT FROM WHERE", errors.SYNTAX_ERROR, 1, 13),
        ("slect asdlkjfsld", errors.SYNTAX_ERROR, 1, 7),
    ],
)
def test_what_is_not_known_is_refused_where_it_stands(sql: str, code: errors.ErrorCode, line: int, column: int) -> None:
    error = refusal(sql)
    assert (error.code.name, error.line, error.column) == (code.name, line, column)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM t MATCH_RECOGNIZE (ORDER BY id MEASURES A.id AS x PATTERN (A) DEFINE A AS true)",
        "SELECT id FROM t QUALIFY row_number() OVER (ORDER BY id) = 1",
        "SELECT DISTINCT ON (id) id FROM t",
        "SELECT * FROM t NATURAL JOIN t u",
        "SELECT * FROM t PIVOT (count(*) FOR name IN ('a'))",
        "SELECT count(*) OVER (ORDER BY id GROUPS CURRENT ROW) FROM t",
        "SELECT * FROM TABLE(sequence(1, 3))",
        "SELECT * FROM t LATERAL VIEW explode(array(1)) x",
        "SELECT id FROM t GROUP BY DISTINCT ROLLUP (id)",
        "SELECT TRY(coalesce(1 / 0, 5))",
        "SELECT TIMESTAMP '2020-01-01 00:00:00.123456789'",
        "SELECT CAST(1 AS decimal(38,30)) * CAST(1 AS decimal(38,8))",
        "ALTER TABLE t SET AUTHORIZATION x",
        "CREATE MATERIALIZED VIEW v AS SELECT 1",
        "ALTER TABLE a.b.t RENAME TO other.b.u",
        "ALTER TABLE t RENAME TO other.b.u",
        "ALTER VIEW v SET AUTHORIZATION x",
        "CREATE TABLE t (a integer) WITH (sorted_by = ARRAY['a'])",
    ],
)
def test_what_cannot_be_said_faithfully_is_not_said(sql: str) -> None:
    assert refusal(sql).code in (errors.NOT_SUPPORTED, errors.SYNTAX_ERROR)


@pytest.mark.parametrize(
    ("sql", "types"),
    [
        ("SELECT 7 / 2, 1.5 * 2.25, 1 / 3.0", ["integer", "decimal(5,3)", "decimal(12,1)"]),
        ("SELECT sum(id), avg(id), array_agg(name) FROM t", ["bigint", "double", "array(varchar)"]),
        ("SELECT seen, seen AT TIME ZONE 'Asia/Tokyo' FROM t", ["timestamp(6) with time zone"] * 2),
        ("SELECT ROW(1, 'a'), MAP(ARRAY['k'], ARRAY[1e0])", ["row(integer, varchar(1))", "map(varchar(1), double)"]),
        ("SELECT CAST(NULL AS timestamp(3)), INTERVAL '1' DAY", ["timestamp(3)", "interval day to second"]),
    ],
)
def test_columns_have_the_types_that_trino_gives(sql: str, types: list[str]) -> None:
    assert [each.type for each in translate(sql, "trino", lambda relation: TABLE).columns or ()] == types


def test_zones_go_along() -> None:
    columns = translate(
        "SELECT seen, seen AT TIME ZONE 'Asia/Tokyo', now() FROM t", "trino", lambda _: TABLE, "Europe/Rome"
    ).columns
    assert [each.zone for each in columns or ()] == ["UTC", "Asia/Tokyo", "Europe/Rome"]


def test_names_are_those_of_trino() -> None:
    columns = translate("SELECT Name, id + 1, count(*) AS N FROM t GROUP BY 1, 2", "trino", lambda relation: TABLE).columns
    assert [each.name for each in columns or ()] == ["Name", "_col1", "N"]


def test_quotes_cannot_be_left() -> None:
    for hostile in ("a`b", "a'; DROP TABLE x; --", "\\", "${env:HOME}", "/* */"):
        quoted = hostile.replace('"', '""')
        sql = translate(f'SELECT 1 AS "{quoted}"', "trino").sql
        assert sql == f"SELECT 1 AS `{hostile.replace('`', '``')}`"
        text = translate("SELECT '" + hostile.replace("'", "''") + "'", "trino").sql
        assert text == "SELECT '" + hostile.replace("\\", "\\\\").replace("'", "\\'") + "' AS `_col0`"


def test_depth_is_an_error_not_a_crash() -> None:
    assert refusal("SELECT " + "(" * 5000 + "1" + ")" * 5000).code is errors.SYNTAX_ERROR
    assert refusal("SELECT " + "-" + " - ".join(["1"] * 20_000)).code is errors.SYNTAX_ERROR
    chain = " AND ".join(["true"] * 300)
    assert translate(f"SELECT {chain}", "trino").sql.count("true") == 300


@pytest.mark.parametrize(
    "name", ["row(a bigint, b row(varchar, double))", "map(varchar, array(decimal(10,2)))", "timestamp(6) with time zone"]
)
def test_types_are_written_as_they_are_read(name: str) -> None:
    assert str(read_type(name)) == name


@pytest.mark.parametrize(
    ("dialect", "sql", "spark"),
    [
        ("duckdb", "SELECT 7 // 2", "SELECT 7 DIV 2"),
        ("postgres", "SELECT 'a'::text", "SELECT CAST('a' AS STRING)"),
        ("snowflake", "SELECT IFF(true, 1, 2)", "SELECT IF(TRUE, 1, 2)"),
        ("bigquery", "SELECT SAFE_CAST('1' AS INT64)", "SELECT TRY_CAST('1' AS BIGINT)"),
    ],
)
def test_other_dialects_are_sqlglots(dialect: str, sql: str, spark: str) -> None:
    assert translate(sql, dialect).sql == spark


def test_other_dialects_have_their_errors() -> None:
    assert refusal("SELECT 1; SELECT 2", "duckdb").code is errors.SYNTAX_ERROR
    error = refusal("SELECT (1", "postgres")
    assert (error.code, error.line) == (errors.SYNTAX_ERROR, 1)
    assert refusal("SELECT 1", "klingon").code is errors.INVALID_SESSION_PROPERTY


@pytest.mark.parametrize(
    "expression", ["CAST(random() AS varchar)", "random() BETWEEN 0.2e0 AND 0.4e0", "substr('abc', random(3))", "sqrt(random())"]
)
def test_a_random_value_is_one_value(expression: str) -> None:
    assert translate(f"SELECT {expression}", "trino").sql.count("rand()") == 1


@pytest.mark.parametrize("form", ["CAST(CAST({} AS varchar) AS double)", "(1e0 / {})", "truncate({})", "greatest({}, 2e0)"])
def test_a_short_text_cannot_become_gigabytes(form: str) -> None:
    text = "x"
    for _ in range(12):
        text = form.replace("{}", text)
    sql = f"SELECT {text} FROM (VALUES 1e0) t(x)"
    assert size(sql) < 1_000_000 or refusal(sql).code is errors.QUERY_TEXT_TOO_LARGE


def size(sql: str) -> float:
    """Of the translation; endless when there is none."""
    try:
        return len(translate(sql, "trino").sql)
    except SqeError:
        return float("inf")


def test_a_definers_view_is_one_where_there_are_rights_to_lend() -> None:
    """Trino's tools ask for it by default; without a policy the view reads what its reader may, never more."""
    found = translate("CREATE OR REPLACE VIEW a.b.v COMMENT 'x' SECURITY DEFINER AS SELECT 1 AS c", "trino")
    assert "SECURITY DEFINER AS SELECT" in found.sql
    assert found.without_policy is not None
    assert "DEFINER" not in found.without_policy
    assert translate("CREATE VIEW v SECURITY INVOKER AS SELECT 1 AS c", "trino").without_policy is None


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("ALTER TABLE a.b.t RENAME TO a.b.u", "`b`.`u`"),
        ("ALTER TABLE a.b.t RENAME TO c.u", "`c`.`u`"),
        ("ALTER TABLE a.b.t RENAME TO u", "`b`.`u`"),
        ("ALTER VIEW a.b.v RENAME TO a.b.u", "`b`.`u`"),
        ("ALTER TABLE t RENAME TO u", "`u`"),
    ],
)
def test_a_new_name_is_one_of_the_tables_catalog(sql: str, words: str) -> None:
    assert translate(sql, "trino").sql.endswith(f" RENAME TO {words}")


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        (r"a\_b", "= 'a_b'"),
        (r"a\\b", r"= 'a\\b'"),
        ("", "= ''"),
        (r"a\_b%", "startswith("),
        ("%a", "LIKE"),
        (r"a\b", "LIKE"),
        ("a\\", "LIKE"),
    ],
)
def test_a_pattern_without_wildcards_is_looked_up(pattern: str, said: str) -> None:
    sql = translate(f"SELECT id FROM t WHERE name LIKE '{pattern}' ESCAPE '\\'", "trino", lambda relation: TABLE).sql
    assert said in sql
    assert ("startswith" in sql) == (said == "startswith(")


def test_the_server_tells_its_version() -> None:
    assert "476-sqe-" in translate("SELECT version()", "trino").sql
    assert refusal("SELECT version(1)").code is errors.FUNCTION_NOT_FOUND


@pytest.mark.parametrize(
    ("sql", "has_row"),
    [
        ("SELECT name, count(*) FROM t GROUP BY ROLLUP (name)", True),
        ("SELECT name, count(*) FROM t GROUP BY GROUPING SETS ((name), ()) ORDER BY count(*) LIMIT 3", True),
        ("SELECT t.name FROM t GROUP BY CUBE (t.name, id) HAVING count(*) > 1 ORDER BY t.name", True),
        ("SELECT 1 FROM t GROUP BY ROLLUP (1)", True),
        ("SELECT name, count(*) FROM t GROUP BY GROUPING SETS ((name), (id))", False),
        ("SELECT name, id, count(*) FROM t GROUP BY name, ROLLUP (id)", False),
        ("SELECT name FROM t GROUP BY ROLLUP (name) ORDER BY max(id)", False),
    ],
)
def test_the_empty_grouping_set_has_a_row_over_no_rows(sql: str, has_row: bool) -> None:
    assert ("`of_group`" in translate(sql, "trino", lambda relation: TABLE).sql) == has_row


@pytest.mark.parametrize(
    ("number", "plain"), [("1_000", "1000"), ("0x1F", "31"), ("0b101", "5"), ("0o17", "15"), ("1_0.5_0", "10.50")]
)
def test_numbers_may_be_written_in_other_ways(number: str, plain: str) -> None:
    assert translate(f"SELECT {number}", "trino").sql == translate(f"SELECT {plain}", "trino").sql
    assert "'1_0'" in translate("SELECT '1_0'", "trino").sql


def test_joins_stand_in_brackets_within_brackets() -> None:
    sql = "SELECT a.id FROM ((t a JOIN t b ON a.id = b.id) LEFT JOIN t c ON b.id = c.id)"
    assert "((`t` AS `a` JOIN `t` AS `b`" in translate(sql, "trino", lambda relation: TABLE).sql
