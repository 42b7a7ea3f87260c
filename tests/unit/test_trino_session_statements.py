"""What a Trino client asks of its session is read as it stands, and values come into their places."""

from __future__ import annotations

import pytest

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.dialect.trino import session_statements as statements
from sqe.sql.dialect.trino.session_statements import bind, read


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("PREPARE p FROM SELECT ?", statements.Prepare("p", "SELECT ?", statements.Position(1, 16))),
        ('prepare "P q"\nfrom select 1;', statements.Prepare("P q", "select 1", statements.Position(2, 6))),
        ("EXECUTE p", statements.Execute("p", ())),
        ("EXECUTE p USING 1, ARRAY[1, 2], 'a,b', f(1, 2)", statements.Execute("p", ("1", "ARRAY[1, 2]", "'a,b'", "f(1, 2)"))),
        ("EXECUTE IMMEDIATE 'SELECT ''x'', ?' USING 7", statements.ExecuteImmediate("SELECT 'x', ?", ("7",))),
        ("DEALLOCATE PREPARE p", statements.Deallocate("p")),
        ("DESCRIBE INPUT p", statements.DescribeInput("p")),
        ("DESCRIBE OUTPUT p", statements.DescribeOutput("p")),
        ("DESCRIBE input", None),
        ("USE lake.shop", statements.Use("lake", "shop")),
        ("USE shop", statements.Use(None, "shop")),
        ("SET SESSION lake.X = 5 + 1", statements.SetSession("lake.x", "5 + 1")),
        ("RESET SESSION x", statements.ResetSession("x")),
        ("SET TIME ZONE LOCAL", statements.SetTimeZone(None)),
        ("SET TIME ZONE 'Asia/Tokyo'", statements.SetTimeZone("'Asia/Tokyo'")),
        ("SET ROLE NONE", statements.SetRole("NONE", None)),
        ("SET ROLE admin IN lake", statements.SetRole("admin", "lake")),
        ("SET SESSION AUTHORIZATION 'bob'", statements.SetSessionAuthorization("bob")),
        ("START TRANSACTION", statements.StartTransaction(None, False)),
        (
            "START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
            statements.StartTransaction("REPEATABLE READ", True),
        ),
        ("COMMIT WORK", statements.Commit()),
        ("/* x */ ROLLBACK", statements.Rollback()),
        ("SELECT 1", None),
        ("SET sql_dialect = 'trino'", None),
    ],
)
def test_statements(sql: str, expected: object) -> None:
    assert read(sql) == expected


@pytest.mark.parametrize("sql", ["PREPARE p FROM", "EXECUTE p USING", "EXECUTE p USING 1,", "EXECUTE p USING (1", "COMMIT x"])
def test_what_is_badly_formed_says_where(sql: str) -> None:
    with pytest.raises(SqeError) as caught:
        read(sql)
    assert caught.value.code is errors.SYNTAX_ERROR
    assert caught.value.line == 1


def test_values_come_into_their_places() -> None:
    assert (
        bind("SELECT ?, '?', \"?\" FROM t WHERE x = ? -- ?", ["1", "'it''s'"])
        == "SELECT (1), '?', \"?\" FROM t WHERE x = ('it''s') -- ?"
    )


def test_too_few_values_are_an_error() -> None:
    with pytest.raises(SqeError) as caught:
        bind("SELECT ?, ?", ["1"])
    assert caught.value.code is errors.INVALID_PARAMETER_USAGE
