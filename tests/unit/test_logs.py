"""What operators read on standard error."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sqe.config.sections import Log
from sqe.errors import GENERIC_INTERNAL_ERROR, SYNTAX_ERROR, SqeError
from sqe.identity import Identity
from sqe.observe.logs import QueryLog, configure, loggable
from sqe.query.events import QueryEvent, State

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def logged() -> Iterator[Lines]:
    """Logs of this test, read back as the objects they are."""
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    stream = io.StringIO()
    configure(Log(level="info"), stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.handlers[:], root.level = before


def ended(state: State, sql: str = "SELECT 'private'", error: SqeError | None = None) -> QueryEvent:
    return QueryEvent("q7", "s3", Identity("alice"), "flight", sql, "query", state, 0.1234, rows=2, bytes=64, error=error)


def test_every_line_is_one_json_object_whatever_the_message(logged: Lines) -> None:
    logging.getLogger("sqe.test").warning("two\nlines and \x00 and %s", "ü", extra={"query_id": "q1"})
    (line,) = logged()
    assert line["event"] == "two\nlines and \x00 and ü"
    assert (line["level"], line["logger"], line["query_id"]) == ("warning", "sqe.test", "q1")
    assert line["ts"].endswith("Z")


CREDENTIALS = [
    "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl",
    "Bearer 0123456789abcdef0123456789abcdef",
    "authorization: bearer opaque-token-of-an-issuer==",
    "Basic YWxpY2U6YWxpY2UtcGFzc3dvcmQ=",
    "sqe-session-" + "A" * 43,
]


@pytest.mark.parametrize("credential", CREDENTIALS)
def test_what_lets_somebody_in_is_hidden_wherever_it_comes_from(logged: Lines, credential: str) -> None:
    try:
        raise ValueError(f"the catalog said {credential}")
    except ValueError:
        logging.getLogger("some.library").exception("sent %s", credential, extra={"header": credential})
    (line,) = logged()
    assert credential.rpartition(" ")[2] not in str(line)
    assert line["event"].startswith("sent ")
    assert line["event"].endswith("***")


def test_words_about_credentials_are_not_hidden(logged: Lines) -> None:
    told = "Bearer tokens and basic authentication; session sqe-session-x; eyJ alone"
    logging.getLogger("sqe.test").warning(told)
    assert [line["event"] for line in logged()] == [told]


def test_an_exception_stays_on_its_line(logged: Lines) -> None:
    try:
        raise KeyError("gone")
    except KeyError:
        logging.getLogger("sqe.test").exception("failed")
    (line,) = logged()
    assert "KeyError: 'gone'" in line["exception"]


def test_lines_below_the_level_are_not_written(logged: Lines) -> None:
    logging.getLogger("sqe.test").debug("nobody reads this")
    assert logged() == []


def test_setting_logs_up_again_does_not_double_them(logged: Lines) -> None:
    stream = io.StringIO()
    configure(Log(), stream)
    logging.getLogger("sqe.test").info("once")
    assert len(stream.getvalue().splitlines()) == 1
    assert logged() == []


def test_a_statement_that_ended_has_one_line_without_its_text(logged: Lines) -> None:
    observer = QueryLog("none")
    for state in (State.QUEUED, State.RUNNING, State.FINISHED):
        observer.observe(ended(state))
    (line,) = logged()
    told = {"query_id": "q7", "session_id": "s3", "user": "alice", "door": "flight", "statement": "query", "state": "FINISHED"}
    assert line | told | {"rows": 2, "elapsed_ms": 123.4} == line
    assert len(line["sql_sha256"]) == 16
    assert "sql" not in line
    assert "private" not in json.dumps(line)


@pytest.mark.parametrize(("code", "level"), [(SYNTAX_ERROR, "info"), (GENERIC_INTERNAL_ERROR, "error")])
def test_only_our_own_failures_are_errors(logged: Lines, code: Any, level: str) -> None:
    QueryLog("none").observe(ended(State.FAILED, error=SqeError(code, "no")))
    (line,) = logged()
    assert (line["level"], line["code"]) == (level, code.name)


def test_a_statement_that_is_no_utf8_can_be_logged(logged: Lines) -> None:
    QueryLog("full").observe(ended(State.FAILED, sql="SELECT '\udcff'"))
    assert len(logged()) == 1


@pytest.mark.parametrize(
    ("mode", "sql", "shown"),
    [
        ("none", "SELECT 1", None),
        ("full", "SELECT 'x'", "SELECT 'x'"),
        ("full", "CREATE SECRET s (TYPE bearer, TOKEN 'eyJ')", "CREATE SECRET s (TYPE bearer, TOKEN '…')"),
        ("truncated", "SELECT 'it''s', 'a\\'b', c", "SELECT '…', '…', c"),
        ("truncated", "SELECT 'open", "SELECT '…'"),
        ("truncated", "SELECT " + "a, " * 1000, ("SELECT " + "a, " * 1000)[:256] + "…"),
    ],
)
def test_how_much_of_a_statement_is_shown(mode: str, sql: str, shown: str | None) -> None:
    assert loggable(sql, mode) == shown
