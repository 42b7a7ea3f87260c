"""Statements about rights are read from tokens: every form, odd spellings, and mistakes with their place."""

from __future__ import annotations

import time

import pytest

from sqe.errors import SqeError
from sqe.sql.own import parse_own
from sqe.sql.rights import (
    CheckAccess,
    Clauses,
    DenyStatement,
    Grantee,
    GrantStatement,
    Object,
    Privilege,
    RevokeStatement,
    SetTags,
    ShowEffectivePolicy,
    ShowGrants,
    TagName,
    UnsetTags,
)

SELECT = (Privilege("select"),)
TABLE = Object("table", ("t",))
ALICE = (Grantee("user", "alice"),)

FORMS = {
    "GRANT SELECT ON t TO USER alice": GrantStatement(SELECT, TABLE, ALICE),
    "grant select on table a.b.t to role r;": GrantStatement(SELECT, Object("table", ("a", "b", "t")), (Grantee("role", "r"),)),
    'GRANT SELECT ON "my t".`x.y` TO USER "a b", GROUP \'g@x\'': GrantStatement(
        SELECT, Object("table", ("my t", "x.y")), (Grantee("user", "a b"), Grantee("group", "g@x"))
    ),
    "GRANT ALL PRIVILEGES ON SCHEMA s TO USER alice WITH GRANT OPTION": GrantStatement(
        (Privilege("all"),), Object("schema", ("s",)), ALICE, Clauses(grant_option=True)
    ),
    "GRANT SELECT (a, `b c`), INSERT ON VIEW t TO USER alice": GrantStatement(
        (Privilege("select", ("a", "b c")), Privilege("insert")), TABLE, ALICE
    ),
    "GRANT SELECT ON FUTURE TABLES IN CATALOG c TO USER alice": GrantStatement(
        SELECT, Object("catalog", ("c",), "future"), ALICE
    ),
    "GRANT SELECT ON ALL TABLES IN SCHEMA s TO USER alice": GrantStatement(SELECT, Object("schema", ("s",), "all"), ALICE),
    'GRANT SELECT ON "schema" TO USER alice': GrantStatement(SELECT, Object("table", ("schema",)), ALICE),
    "GRANT SELECT ON t TO USER alice ROWS WHERE (a IN (1, 2) -- why )\n AND b = ')')": GrantStatement(
        SELECT, TABLE, ALICE, Clauses(rows="a IN (1, 2) AND b = ')'")
    ),
    "GRANT SELECT ON t TO USER alice HIDING (x, TAG pii, UNTAGGED COLUMNS) MASKED WITH (a = f(a, '='), TAG (k = 'v') = NULL)": (
        GrantStatement(
            SELECT,
            TABLE,
            ALICE,
            Clauses(masks=(("a", "f(a, '=')"), (TagName("k", "v"), "NULL")), hiding=("x", TagName("pii")), hide_untagged=True),
        )
    ),
    "DENY SELECT (a) ON t TO USER alice": DenyStatement((Privilege("select", ("a",)),), TABLE, ALICE),
    "REVOKE SELECT ON t FROM USER alice": RevokeStatement(SELECT, TABLE, ALICE),
    "REVOKE GRANT OPTION FOR SELECT ON t FROM USER alice": RevokeStatement(SELECT, TABLE, ALICE, only_option=True),
    "SHOW GRANTS": ShowGrants(),
    "show /* x */ grants on catalog c to role r": ShowGrants(Object("catalog", ("c",)), Grantee("role", "r")),
    "SHOW GRANTS TO USER alice": ShowGrants(to=ALICE[0]),
    "SHOW EFFECTIVE POLICY ON t": ShowEffectivePolicy(("t",)),
    "SHOW EFFECTIVE POLICY FOR USER alice ON a.t": ShowEffectivePolicy(("a", "t"), "alice"),
    "CHECK ACCESS SELECT ON TABLE t FOR USER 'x y'": CheckAccess("select", ("t",), "x y"),
    "ALTER TABLE t ALTER COLUMN c SET TAG PII = 'high', seen": SetTags(
        ("t",), "c", (TagName("pii", "high"), TagName("seen", ""))
    ),
    "ALTER TABLE t ALTER COLUMN c SET TAGS (a = 'x')": SetTags(("t",), "c", (TagName("a", "x"),)),
    "ALTER TABLE t ALTER c UNSET TAG pii": UnsetTags(("t",), "c", ("pii",)),
}


@pytest.mark.parametrize(("sql", "statement"), FORMS.items(), ids=list(FORMS))
def test_every_form_is_read(sql: str, statement: object) -> None:
    assert parse_own(sql) == statement


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "SHOW TABLES",
        "ALTER TABLE t RENAME TO grants",
        "ALTER TABLE t CREATE TAG x",
        "ALTER TABLE t SET TBLPROPERTIES ('set tag' = 'x')",
        "CHECK 'ACCESS'",
        "'GRANT SELECT ON t TO USER x'",
        "GRANTS",
        "SELECT 'not closed",
    ],
)
def test_other_statements_are_left_to_spark(sql: str) -> None:
    assert parse_own(sql) is None


MISTAKES = {
    "GRANT SELECT ON t TO alice": "line 1:22: Expected USER, ROLE or GROUP, not alice",
    "GRANT SELECT\nON t FROM USER alice": "line 2:6: Expected TO, not FROM",
    "GRANT ON t TO USER alice": "line 1:10: Expected ON, not t",
    "GRANT SELECT ON t TO USER alice ROWS WHERE a = 1": "line 1:44: Expected '(', not a",
    "GRANT SELECT ON t TO USER alice ROWS WHERE (a = (1)": "line 1:52: Expected ')', not the end",
    "GRANT SELECT ON t TO USER alice ROWS WHERE ()": "line 1:45: Expected an expression, not )",
    "GRANT SELECT ON t TO USER alice ROWS WHERE (a; b)": "line 1:46: Expected ')', not ;",
    "GRANT SELECT ON t TO USER alice ROWS WHERE (a) ROWS WHERE (b)": "line 1:48: ROWS is there twice",
    "GRANT SELECT ON t TO USER alice MASKED WITH (a)": "line 1:47: Expected '=', not )",
    "GRANT SELECT ON t TO USER alice; DROP TABLE t": "line 1:34: Expected the end of the statement, not DROP",
    "GRANT SELECT ON t TO USER alice 'x": "line 1:33: This quote is not closed",
    "GRANT SELECT ON t TO USER ''": "line 1:27: Expected a name, not ''",
    "GRANT SELECT ON FUTURE TABLES IN TABLE t TO USER alice": "line 1:40: Expected SCHEMA or CATALOG, not t",
    "DENY SELECT ON t TO USER alice ROWS WHERE (a)": "line 1:32: Expected the end of the statement, not ROWS",
    "SHOW EFFECTIVE ON t": "line 1:16: Expected POLICY, not ON",
    "ALTER TABLE t SET TAG x": "line 1:15: Expected ALTER COLUMN, not SET",
}


@pytest.mark.parametrize(("sql", "message"), MISTAKES.items(), ids=list(MISTAKES))
def test_mistakes_are_told_with_their_place(sql: str, message: str) -> None:
    with pytest.raises(SqeError) as caught:
        parse_own(sql)
    assert str(caught.value) == f"SYNTAX_ERROR: {message}"


@pytest.mark.parametrize("text", ["SELECT " + "a, " * 300_000, "/*" * 200_000, "-- \\\n" * 100_000, "'" + "\\" * 500_000])
def test_long_statements_of_others_cost_nothing(text: str) -> None:
    began = time.perf_counter()
    assert parse_own(text) is None
    assert time.perf_counter() - began < 0.5
