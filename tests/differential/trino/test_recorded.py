"""SQE in Trino's dialect against what Trino 476 answered (dev/trino_answers.py), cell by cell.

`make test` compares every fourth case, `make test-all` all of them, and once more with a Trino that runs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cases
import comparing
import pytest

from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions

HERE = Path(__file__).parent
LEAST_EQUAL = 0.97

# Why a case is not equal: what is refused, what is approximate, what Trino itself does not define.
DIFFERENCES: dict[str, str] = json.loads((HERE / "differences.json").read_text())


def recorded(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text().split("\n") if line]


@pytest.fixture(scope="module")
def session(handler: QueryHandler, sessions: Sessions) -> Iterator[Session]:
    """In the schema `shop`, whose tables are made in Trino's own words."""
    session = sessions.open(Identity("tester"))
    session.settings["sql_dialect"] = "trino"
    for statement in re.split(r";[ \t]*\n", (HERE / "tables.sql").read_text()):
        if statement.strip():
            handler.submit(session, statement, door="test").close()
    handler.submit(session, "USE lake.shop", door="test").close()
    yield session
    sessions.close(session)


def unequal(handler: QueryHandler, session: Session, expected: list[dict[str, Any]], *, cells: bool) -> dict[str, str]:
    """What is different, by statement."""
    good = [each for each in expected if "error" not in each]
    failing = [each for each in expected if "error" in each]
    if cells:
        answers = comparing.ask_cells(handler, session, [each["sql"] for each in good]) if good else []
    else:
        answers = [comparing.ask(handler, session, each["sql"]) for each in good]
    answers += [comparing.ask(handler, session, each["sql"]) for each in failing]
    found = {}
    for each, answer in zip([*good, *failing], answers, strict=True):
        if difference := comparing.differs(each, answer):
            found[each["sql"]] = difference
        elif not cells and "error" not in each and answer.names != each["names"]:
            found[each["sql"]] = f"Trino: {each['names']}, SQE: {answer.names}"
    return found


def check(
    handler: QueryHandler, session: Session, expected: list[dict[str, Any]], *, cells: bool, least: float = LEAST_EQUAL
) -> None:
    found = unequal(handler, session, expected, cells=cells)
    unexplained = {sql: what for sql, what in found.items() if sql not in DIFFERENCES}
    assert not unexplained, "\n".join(f"{sql}\n    {what}" for sql, what in unexplained.items())
    asked = {each["sql"] for each in expected}
    no_more = [sql for sql in DIFFERENCES if sql in asked and sql not in found]
    assert not no_more, f"these are equal by now: {no_more}"
    assert 1 - len(found) / len(expected) >= least


def test_every_case_has_an_answer() -> None:
    assert [each["sql"] for each in recorded("expressions.jsonl")] == cases.expressions()
    assert [each["sql"] for each in recorded("queries.jsonl")] == cases.queries()
    assert len(cases.expressions()) >= 1500
    assert len(cases.queries()) >= 400
    assert DIFFERENCES.keys() <= {*cases.expressions(), *cases.queries()}


def test_differences_are_few_enough() -> None:
    total = len(cases.expressions()) + len(cases.queries())
    assert 1 - len(DIFFERENCES) / total >= LEAST_EQUAL


def test_some_expressions(handler: QueryHandler, session: Session) -> None:
    check(handler, session, recorded("expressions.jsonl")[::4], cells=True)


def test_some_queries(handler: QueryHandler, session: Session) -> None:
    check(handler, session, recorded("queries.jsonl")[::8], cells=False)


def test_what_tools_ask(handler: QueryHandler, session: Session) -> None:
    """Metadata as JDBC's, Superset's and dbt's statements want it: all of them, they are few."""
    asked = set(cases.queries("tools.sql"))
    check(handler, session, [each for each in recorded("queries.jsonl") if each["sql"] in asked], cells=False, least=0.9)


@pytest.mark.long
def test_all_expressions(handler: QueryHandler, session: Session) -> None:
    check(handler, session, recorded("expressions.jsonl"), cells=True)


@pytest.mark.long
def test_all_queries(handler: QueryHandler, session: Session) -> None:
    check(handler, session, recorded("queries.jsonl"), cells=False)
