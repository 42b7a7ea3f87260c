"""Statements that SQE answers itself, without Spark: about queries, settings, catalogs, secrets and rights."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sqe import errors
from sqe.attached import statements as attaching
from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.query import setting_statements
from sqe.query.parsing import Parsed, StatementParser
from sqe.query.retelling import PLAN, STATEMENT
from sqe.query.running import NO_COLUMNS
from sqe.session import Session
from sqe.sql.attach import AttachStatement
from sqe.sql.own import KillQuery
from sqe.sql.rights import RightsStatement

if TYPE_CHECKING:
    from sqe.policy.statements import Rights

_NAMES = pa.schema([("catalog", pa.string())])


class OwnAnswers:
    def __init__(
        self,
        driver: Driver,
        parser: StatementParser,
        admin_roles: frozenset[str],
        rights: Rights | None,
        *,
        cancel: Callable[[Session, str], bool],
        prepare: Callable[[Session, str], pa.Schema],
    ) -> None:
        """`rights` is None on a server without a policy; `prepare` gives a query's columns without running it."""
        self._driver = driver
        self._parser = parser
        self._admin_roles = admin_roles
        self._rights = rights
        self._cancel = cancel
        self._prepare = prepare

    def schema(self, session: Session, parsed: Parsed) -> pa.Schema:
        """The columns of a statement that Spark is not asked about before it runs."""
        if parsed.node == "ShowCatalogsCommand":
            return _NAMES
        if parsed.node in ("ExplainAnalyze", "ExplainJson"):
            return PLAN
        if parsed.node == "ShowCreateSchema":
            return STATEMENT
        if parsed.node == "ShowSecrets":
            return attaching.SECRETS
        if parsed.node == "ShowSession":
            return setting_statements.as_table(session).schema
        if self._rights is not None and isinstance(parsed.own, RightsStatement):
            return self._rights.schema(parsed.own)
        # A procedure's columns are known once it ran; one text column says "rows will come" to JDBC.
        return pa.schema([("result", pa.string())]) if parsed.statement.returns_rows else NO_COLUMNS

    def answer(self, session: Session, parsed: Parsed) -> pa.Table | None:
        """The rows of a statement that SQE answers itself; None for Spark's."""
        if isinstance(parsed.own, KillQuery):
            if not self._cancel(session, parsed.own.query_id):
                raise SqeError(errors.NOT_FOUND, f"Query {parsed.own.query_id} does not exist")
            return _no_rows()
        if isinstance(parsed.own, RightsStatement):
            return self._run_about_rights(session, parsed.own)
        if parsed.inner is not None:
            return None
        if isinstance(parsed.own, AttachStatement):
            return attaching.answer(self._driver, session, parsed.own, self._admin_roles)
        if parsed.own is not None:
            return setting_statements.as_table(session)
        if parsed.node == "ShowCatalogsCommand":
            pattern = parsed.details.get("pattern") or "*"
            return pa.table([[name for name in sorted(session.catalogs) if fnmatch.fnmatchcase(name, pattern)]], schema=_NAMES)
        if parsed.node == "SetCommand":
            shown = setting_statements.set_or_show(self._driver, session, parsed.details)
            return shown if shown is not None else _no_rows()
        if parsed.node == "ResetCommand":
            setting_statements.reset(self._driver, session, parsed.details.get("key"))
            return _no_rows()
        return None

    def learn(self, session: Session, answer: dict[str, Any]) -> None:
        """Rights are kept by name: of what a statement made, dropped and renamed."""
        if self._rights is not None:
            self._rights.learn(session.identity, answer["changes"])

    def _run_about_rights(self, session: Session, statement: RightsStatement) -> pa.Table:
        if self._rights is None:
            raise SqeError(
                errors.NOT_SUPPORTED, "This server has no policy: rights are the catalog's", hint="[policy] in sqe.toml"
            )
        from sqe.policy.facts import DriverFacts
        from sqe.policy.spark_check import SparkCheck
        from sqe.policy.statements import Place

        here = self._driver.call("current", session.in_engine())
        check = SparkCheck(
            session.identity, lambda sql: self._prepare(session, sql), lambda sql: self._parser.parse(session, sql)
        )
        facts = DriverFacts(self._driver, session)
        return self._rights.run(Place(session.identity, here["catalog"], tuple(here["namespace"]), facts, check), statement)


def _no_rows() -> pa.Table:
    return pa.table({}, schema=NO_COLUMNS)
