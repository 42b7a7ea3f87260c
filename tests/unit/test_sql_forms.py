"""SQE's own forms of statements: what becomes of their text, and that quotes and comments fool nobody."""

from __future__ import annotations

import time

import pytest

from sqe.errors import SqeError
from sqe.sql.forms import with_forms
from sqe.sql.own import CopyTo, ExplainAnalyze, parse_own
from sqe.sql.tokens import tokens

CATALOGS = ("lake", "sales")

REWRITTEN = {
    "CREATE BRANCH b ON t": "ALTER TABLE `t` CREATE BRANCH `b` ",
    "create or replace tag x on lake.a.t retain 3 days": "ALTER TABLE `lake`.`a`.`t` CREATE OR REPLACE TAG `x` retain 3 days",
    "DROP BRANCH IF EXISTS b IN TABLE t": "ALTER TABLE `t` DROP BRANCH IF EXISTS `b` ",
    "/* a */ COMMENT ON COLUMN a.b.c IS 'x;''y' ;": "ALTER TABLE `a`.`b` ALTER COLUMN `c` COMMENT 'x;''y'",
    "COMMENT ON COLUMN t.c IS NULL": "ALTER TABLE `t` ALTER COLUMN `c` COMMENT ''",
    'SHOW STATS FOR "a b".t': "SELECT * FROM `a b`.`t$column_stats`",
    "SHOW CREATE VIEW v": "SHOW CREATE TABLE v",
    "CREATE VIEW a.v SECURITY DEFINER AS SELECT 1": "CREATE VIEW a.v TBLPROPERTIES ('sqe.security' = 'definer') AS SELECT 1",
    "create or replace view v (a) security definer TBLPROPERTIES ('x' = 'y') AS SELECT 1": (
        "create or replace view v (a)                  TBLPROPERTIES ('sqe.security' = 'definer', 'x' = 'y') AS SELECT 1"
    ),
    "CREATE VIEW v TBLPROPERTIES('x'='y') SECURITY DEFINER AS SELECT 1": (
        "CREATE VIEW v TBLPROPERTIES('sqe.security' = 'definer', 'x'='y')                  AS SELECT 1"
    ),
    "CREATE VIEW v SECURITY INVOKER AS SELECT 1": "CREATE VIEW v                  AS SELECT 1",
    'ALTER TABLE "t" DROP TAG "x`y"': "ALTER TABLE `t` DROP TAG `x``y`",
    "ALTER TABLE t EXECUTE optimize_manifests": "CALL system.rewrite_manifests(table => '`t`')",
    "ALTER TABLE SALES.a.t EXECUTE rollback_to_snapshot(7)": (
        "CALL `SALES`.system.rollback_to_snapshot(table => '`SALES`.`a`.`t`', snapshot_id => 7)"
    ),
    "SELECT * FROM t FOR INCREMENTAL BETWEEN SNAPSHOT 12 AND SNAPSHOT 34 x": (
        "SELECT * FROM t WITH('start-snapshot-id'=12,'end-snapshot-id'=34)   x"
    ),
}

LEFT_ALONE = [
    "SELECT 'FOR INCREMENTAL BETWEEN SNAPSHOT 1 AND SNAPSHOT 2'",
    'SELECT "FOR INCREMENTAL" FROM t',
    "SELECT 1 -- FOR INCREMENTAL BETWEEN\n",
    "SELECT /* /* nested */ FOR INCREMENTAL BETWEEN */ 1",
    "SELECT incremental FROM t",
    "CREATE VIEW v AS SELECT security definer FROM t",
    "CREATE VIEW v (security COMMENT 'SECURITY DEFINER') AS SELECT 1",
    "CREATE TABLE t (security definer)",
    "CREATE TABLE branch (tag INT)",
    "DROP TABLE tag",
    "ALTER TABLE t ADD COLUMN execute INT",
    "COMMENT ON TABLE t IS 'x'",
    "SHOW TABLES",
    "",
]


@pytest.mark.parametrize("sql", REWRITTEN)
def test_a_form_becomes_what_spark_understands(sql: str) -> None:
    form = with_forms(sql, CATALOGS)
    assert form is not None
    assert form.sql == REWRITTEN[sql]


@pytest.mark.parametrize("sql", LEFT_ALONE)
def test_other_statements_are_left_alone(sql: str) -> None:
    assert with_forms(sql, CATALOGS) is None


def test_a_name_cannot_break_out_of_the_statement_that_is_made_of_it() -> None:
    form = with_forms("""ALTER TABLE "a', x => 'y`" EXECUTE optimize_manifests""", CATALOGS)
    assert form is not None
    assert form.sql == r"CALL system.rewrite_manifests(table => '`a\', x => \'y```')"


def test_what_follows_an_incremental_read_keeps_its_line_and_column() -> None:
    sql = "SELECT *\nFROM t FOR INCREMENTAL\n  BETWEEN SNAPSHOT 1 AND SNAPSHOT 2 WHERE x"
    form = with_forms(sql, CATALOGS)
    assert form is not None
    assert form.keeps_positions
    last, made = sql.split("\n")[-1], form.sql.split("\n")[-1]
    assert form.sql.count("\n") == sql.count("\n")
    assert made.index("WHERE") == last.index("WHERE")


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE BRANCH ON t",
        "CREATE BRANCH b",
        "COMMENT ON COLUMN c IS 'x'",
        "SHOW STATS FOR t u",
        "COPY (SELECT 1 TO 'x.csv'",
        "COPY (SELECT 1) TO x.csv",
        "COPY (SELECT 1) TO '/x.csv' (HEADER)",
        "SELECT * FROM t FOR INCREMENTAL BETWEEN SNAPSHOT AND SNAPSHOT 2",
    ],
)
def test_a_form_that_is_wrong_is_a_syntax_error_with_its_place(sql: str) -> None:
    read = parse_own if sql.startswith("COPY") else lambda text: with_forms(text, CATALOGS)
    with pytest.raises(SqeError) as raised:
        read(sql)
    assert raised.value.code.name == "SYNTAX_ERROR"
    assert raised.value.line == 1


def test_copy_knows_its_query_its_file_and_its_format() -> None:
    assert parse_own("COPY (SELECT ')' AS a) TO '/x.csv'") == CopyTo("SELECT ')' AS a", "/x.csv", "csv")
    assert parse_own("copy a.t to '/x' with (format Parquet)") == CopyTo("SELECT * FROM `a`.`t`", "/x", "parquet")
    assert parse_own("COPY t TO '/it''s.ndjson';") == CopyTo("SELECT * FROM `t`", "/it's.ndjson", "jsonl")
    with pytest.raises(SqeError, match="There is no format doc"):
        parse_own("COPY t TO '/x.doc'")


def test_explain_analyze_keeps_its_query() -> None:
    assert parse_own("-- why\nEXPLAIN ANALYZE SELECT 1") == ExplainAnalyze(" SELECT 1")
    assert parse_own("EXPLAIN ANALYZED") is None


@pytest.mark.parametrize(
    "text", ["/*" * 100_000, "'" + "\\" * 100_001, "-- x\n" * 100_000, " " * 500_000, '"' * 300_001, "(" * 100_000]
)
def test_hostile_texts_are_read_in_linear_time(text: str) -> None:
    began = time.monotonic()
    tokens(text)
    with_forms(f"SELECT incremental {text}", CATALOGS)
    assert time.monotonic() - began < 5
