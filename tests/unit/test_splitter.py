"""Where one statement ends and the next begins."""

from __future__ import annotations

import pytest

from sqe.cli.splitter import Splitter, split

CASES = [
    ("SELECT 1", ["SELECT 1"]),
    ("SELECT 1;", ["SELECT 1"]),
    ("SELECT 1; SELECT 2", ["SELECT 1", "SELECT 2"]),
    (" ;; \n ; ", []),
    ("SELECT ';'; SELECT 2", ["SELECT ';'", "SELECT 2"]),
    ("SELECT 'it''s;'; SELECT 2", ["SELECT 'it''s;'", "SELECT 2"]),
    (r"SELECT 'a\';b'; SELECT 2", [r"SELECT 'a\';b'", "SELECT 2"]),
    (r"SELECT r'a\'; SELECT 2", [r"SELECT r'a\'", "SELECT 2"]),
    (r"SELECT R'a\'; SELECT 2", [r"SELECT R'a\'", "SELECT 2"]),
    (r"SELECT over'a\';b'; SELECT 2", [r"SELECT over'a\';b'", "SELECT 2"]),
    ('SELECT "a;""b" FROM t; SELECT 2', ['SELECT "a;""b" FROM t', "SELECT 2"]),
    ("SELECT `a;``b`; SELECT 2", ["SELECT `a;``b`", "SELECT 2"]),
    (r"SELECT `a\`; SELECT 2", [r"SELECT `a\`", "SELECT 2"]),
    ("SELECT 1 -- no; end\n; SELECT 2", ["SELECT 1 -- no; end", "SELECT 2"]),
    ("SELECT 1 -- it's\n; SELECT 2", ["SELECT 1 -- it's", "SELECT 2"]),
    ("SELECT 1 -- on \\\n and on;\n; SELECT 2", ["SELECT 1 -- on \\\n and on;", "SELECT 2"]),
    ("SELECT 1 /* ; */; SELECT 2", ["SELECT 1 /* ; */", "SELECT 2"]),
    ("SELECT 1 /* a /* ; */ ; */; SELECT 2", ["SELECT 1 /* a /* ; */ ; */", "SELECT 2"]),
    ("SELECT /*+ BROADCAST(t) */ 1; SELECT 2", ["SELECT /*+ BROADCAST(t) */ 1", "SELECT 2"]),
    ("-- only a comment", []),
    ("-- first\nSELECT 1;\n-- last", ["-- first\nSELECT 1"]),
    ("/* only */ ;", []),
    ("SELECT 'open; SELECT 2", ["SELECT 'open; SELECT 2"]),
    ("SELECT 1 /* open; SELECT 2", ["SELECT 1 /* open; SELECT 2"]),
    ("SELECT 5 - -1 / 2 * 3; SELECT 2", ["SELECT 5 - -1 / 2 * 3", "SELECT 2"]),
    (".tables main\nSELECT 1;", [".tables main", "SELECT 1"]),
    ("SELECT 1; .timer on\nSELECT 2", ["SELECT 1", ".timer on", "SELECT 2"]),
    (".help", [".help"]),
    ("SELECT\n.5;", ["SELECT\n.5"]),
    ("SELECT '李;小'; SELECT 2", ["SELECT '李;小'", "SELECT 2"]),
]


@pytest.mark.parametrize(("text", "statements"), CASES)
def test_statements_are_found(text: str, statements: list[str]) -> None:
    assert [statement.text for statement in split(text)] == statements


@pytest.mark.parametrize(("text", "statements"), CASES)
def test_text_that_comes_line_by_line_gives_the_same_statements(text: str, statements: list[str]) -> None:
    splitter = Splitter()
    found = [statement for line in text.splitlines(keepends=True) for statement in splitter.feed(line)]
    assert [statement.text for statement in found + splitter.finish()] == statements


def test_a_backslash_is_no_escape_in_other_dialects() -> None:
    assert [s.text for s in split(r"SELECT 'a\'; SELECT 2", dialect="trino")] == [r"SELECT 'a\'", "SELECT 2"]


def test_each_statement_knows_its_line() -> None:
    text = "SELECT 1;\n\nSELECT\n2; SELECT 3;\n.help\n  SELECT 4"
    assert [(s.line, s.text) for s in split(text)] == [
        (1, "SELECT 1"),
        (3, "SELECT\n2"),
        (4, "SELECT 3"),
        (5, ".help"),
        (6, "SELECT 4"),
    ]


@pytest.mark.parametrize(
    ("text", "pending"),
    [
        ("", False),
        ("  \n", False),
        ("SELECT 1", True),
        ("SELECT 1;", False),
        ("SELECT ';", True),
        ("-- x\n", False),
        ("/* x", True),
    ],
)
def test_a_shell_can_ask_whether_a_statement_is_open(text: str, pending: bool) -> None:
    splitter = Splitter()
    splitter.feed(text)
    assert splitter.pending is pending


def test_a_long_statement_is_scanned_once() -> None:
    splitter = Splitter()
    for number in range(2000):
        assert splitter.feed(f"-- line {number} with 'quotes'\n, {number}\n") == []
    assert len(splitter.feed(";")) == 1
