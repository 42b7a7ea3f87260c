"""Statements of SQE's own are recognised whatever stands around their words, and nothing else is."""

from __future__ import annotations

import time

import pytest

from sqe.sql.own import KillQuery, ShowSession, parse_own


@pytest.mark.parametrize(
    ("sql", "statement"),
    [
        ("KILL QUERY 'abc'", KillQuery("abc")),
        ("  kill /* why */ query -- that one\n 'abc' ; ", KillQuery("abc")),
        ("SHOW SESSION", ShowSession()),
        ("/**/show\tsession;", ShowSession()),
        ("SHOW SESSIONS", None),
        ("KILL QUERY abc", None),
        ("KILL QUERY 'a'; DROP TABLE t", None),
        ("SELECT 'KILL QUERY ''a'''", None),
        ("", None),
    ],
)
def test_own_statements_are_recognised(sql: str, statement: object) -> None:
    assert parse_own(sql) == statement


def test_a_text_of_nothing_but_comments_takes_no_time() -> None:
    began = time.perf_counter()
    assert parse_own("/**/" * 240 + "x") is None
    assert time.perf_counter() - began < 0.1
