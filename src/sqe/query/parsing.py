"""From text to a statement that may run: its size, SQE's own forms, Spark's parser, the gate."""

from __future__ import annotations

import re
import secrets
import string
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from sqe import errors
from sqe.engine.driver import Driver
from sqe.engine.failures import PolicyNeeded
from sqe.errors import SqeError
from sqe.query.places import refuse_encryption, refuse_files, refuse_places
from sqe.query.running import decode_schema
from sqe.query.statements import StatementClass, classify
from sqe.session import Session
from sqe.sql.attach import AttachStatement, ShowSecrets
from sqe.sql.dialect import NATIVE, ResultColumn, translate
from sqe.sql.forms import with_forms
from sqe.sql.own import CopyTo, ExplainJson, KillQuery, OwnStatement, ShowCreateSchema, ShowSession, parse_own
from sqe.sql.rights import CHANGES as RIGHTS_CHANGES
from sqe.sql.rights import RightsStatement

# The settings of a session are the same in every dialect; else nobody could leave one.
_SETTING = re.compile(r"\s*(?:SET|RESET)\b(?!\s+SESSION\b)", re.IGNORECASE)


@dataclass(frozen=True)
class Parsed:
    """A statement after Spark's parser, or one of our own."""

    sql: str  # in Spark's words
    statement: StatementClass
    node: str
    details: dict[str, str]
    own: OwnStatement | None = None
    parameters: int = 0
    asks_system: bool = False  # reads tables of the catalog `system`
    keeps_positions: bool = True  # an error's line and column mean the same in the user's text
    inner: Parsed | None = None  # the query of a COPY or EXPLAIN ANALYZE
    columns: tuple[ResultColumn, ...] | None = None  # of the result, in the words of the session's dialect where that has its own


class StatementParser:
    def __init__(self, driver: Driver, max_bytes: int, *, allow_locations: bool) -> None:
        self._driver = driver
        self._max_bytes = max_bytes  # 0 = no limit
        self._allow_locations = allow_locations

    def checked(self, sql: str) -> str:
        """The text without what surrounds it, when it can be a statement at all."""
        size = len(sql.encode("utf-8", "surrogatepass"))
        if self._max_bytes and size > self._max_bytes:
            raise SqeError(
                errors.QUERY_TEXT_TOO_LARGE,
                f"The statement has {size} bytes, the limit is {self._max_bytes}",
                hint="query.max_sql_bytes",
            )
        if "\0" in sql:
            raise SqeError(errors.SYNTAX_ERROR, "The statement contains a NUL character")
        if not sql.isascii() and any("\ud800" <= char <= "\udfff" for char in sql):
            raise SqeError(errors.SYNTAX_ERROR, "The statement is not valid UTF-8")
        text = sql.removeprefix("\N{BYTE ORDER MARK}").strip().rstrip(f";{string.whitespace}")
        if not text:
            raise SqeError(errors.SYNTAX_ERROR, "The statement is empty")
        return text

    def parse(self, session: Session, text: str) -> Parsed:
        if own := parse_own(text):
            return self._own(session, text, own)
        dialect = session.setting("sql_dialect")
        if dialect == NATIVE or _SETTING.match(text):
            return self._parse_native(session, text)
        translation = translate(text, dialect, lambda relation: self._columns(session, relation), session.setting("time_zone"))
        sql = translation.sql if session.decisions is not None else translation.without_policy or translation.sql
        with positions(kept=False):
            parsed = self._parse_native(session, sql)
        return replace(parsed, keeps_positions=False, columns=translation.columns)

    def _parse_native(self, session: Session, text: str) -> Parsed:
        form = with_forms(text, session.catalogs)
        sql = form.sql if form else text
        keeps_positions = form is None or form.keeps_positions
        with positions(keeps_positions):
            facts = self._facts(session, sql)
        statement = classify(facts["node"], facts["nodes"])
        if form and form.statement:
            statement = form.statement
        explained = facts["details"].get("explained")
        while explained:
            classify(explained["node"], explained["nodes"])
            explained = explained["details"].get("explained")
        if "Global" in facts["details"].get("view", ""):
            raise SqeError(errors.NOT_SUPPORTED, "Global temporary views are not available: they would be shared by all users")
        refuse_encryption(facts["details"])
        if not self._allow_locations:
            refuse_places(facts["details"])
        return Parsed(
            sql,
            statement,
            facts["node"],
            facts["details"],
            parameters=facts["parameters"],
            asks_system=facts["asks_system"],
            keeps_positions=keeps_positions,
        )

    def _columns(self, session: Session, relation: str) -> pa.Schema:
        """Of a relation, as the session's user sees it. Through the gate like every statement, then by analysis, in which what is
        hidden or masked is what it will be in the statement itself."""
        with positions(kept=False):
            parsed = self._parse_native(session, f"SELECT * FROM {relation}")
            answer = session.ask("prepare", secrets.token_hex(16), parsed.sql)
        return decode_schema(answer["schema"])

    def _own(self, session: Session, text: str, own: OwnStatement) -> Parsed:
        if isinstance(own, KillQuery):
            return Parsed(text, StatementClass.KILL, "KillQuery", {}, own)
        if isinstance(own, ShowSession):
            return Parsed(text, StatementClass.SHOW, "ShowSession", {}, own)
        if isinstance(own, RightsStatement):
            statement = StatementClass.DDL if isinstance(own, RIGHTS_CHANGES) else StatementClass.SHOW
            return Parsed(text, statement, type(own).__name__, {}, own)
        if isinstance(own, ExplainJson | ShowCreateSchema):
            with positions(kept=False):
                inner = self.parse(session, self.checked(own.asks))
            if isinstance(own, ExplainJson) and own.analyze:
                inner = inner.inner or inner
            statement = StatementClass.EXPLAIN if isinstance(own, ExplainJson) else StatementClass.SHOW
            return Parsed(
                text, statement, type(own).__name__, {}, own, inner.parameters, inner=replace(inner, keeps_positions=False)
            )
        if isinstance(own, AttachStatement):
            statement = StatementClass.SHOW if isinstance(own, ShowSecrets) else StatementClass.DDL
            return Parsed(text, statement, type(own).__name__, {}, own)
        what, statement = (
            ("COPY", StatementClass.COPY) if isinstance(own, CopyTo) else ("EXPLAIN ANALYZE", StatementClass.EXPLAIN)
        )
        if isinstance(own, CopyTo) and not self._allow_locations:
            raise refuse_files()
        with positions(kept=False):
            inner = self.parse(session, self.checked(own.query))
        if inner.statement is not StatementClass.QUERY:
            raise SqeError(errors.NOT_SUPPORTED, f"{what} takes a query")
        return Parsed(text, statement, type(own).__name__, {}, own, inner.parameters, inner=replace(inner, keeps_positions=False))

    def _facts(self, session: Session, text: str) -> dict[str, Any]:
        """What the parser says. Asked again in a new driver when the old one died since the last statement: nothing ran yet."""
        try:
            return self._driver.call("parse", session.in_engine(), text)
        except PolicyNeeded:  # Iceberg's parser looks whether a name is a view's
            return session.ask("parse", text)
        except SqeError as error:
            if error.code is not errors.REMOTE_HOST_GONE:
                raise
            return self._driver.call("parse", session.in_engine(), text)


@contextmanager
def positions(kept: bool) -> Iterator[None]:
    """An error of a text that is not quite the user's must not name places in it."""
    try:
        yield
    except SqeError as error:
        if not kept:
            error.line = error.column = None
        raise
