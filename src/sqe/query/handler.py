"""The only way to the engine. A statement is checked, parsed, classified, admitted, run and watched; observers learn its end."""

from __future__ import annotations

import fnmatch
import json
import logging
import string
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from sqe import errors
from sqe.engine import parameters as parameter_values
from sqe.engine.driver import Driver
from sqe.engine.touched import Touched
from sqe.errors import SqeError
from sqe.limits import QueryRates
from sqe.query import metadata
from sqe.query.admission import Admission
from sqe.query.events import Events, QueryEvent, State
from sqe.query.ingest import IngestMode, Spool, TableName
from sqe.query.looks import Look, Looks
from sqe.query.metadata import TableEntry
from sqe.query.places import refuse_places
from sqe.query.registry import Registry
from sqe.query.running import NO_COLUMNS, Progress, Query, decode_schema, failed_preparation
from sqe.query.session_settings import SETTINGS, checked_value, setting_named
from sqe.query.statements import ANALYSABLE, StatementClass, classify
from sqe.query.watchdog import Watchdog
from sqe.session import Session
from sqe.sql.own import KillQuery, OwnStatement, parse_own

log = logging.getLogger("sqe.query")


@dataclass(frozen=True)
class QueryLimits:
    """`[query]` of sqe.toml. 0 = no limit."""

    max_sql_bytes: int = 1 << 20
    timeout_seconds: float = 0
    max_result_rows: int = 0
    max_concurrent: int = 64
    max_queued: int = 256
    abandoned_seconds: float = 300


@dataclass(frozen=True)
class Prepared:
    """What a client needs to know of a statement before it runs. The schema is empty for one without rows."""

    sql: str
    statement: StatementClass
    schema: pa.Schema
    parameter_schema: pa.Schema


@dataclass(frozen=True)
class Parsed:
    """A statement after Spark's parser, or one of our own."""

    statement: StatementClass
    node: str
    details: dict[str, str]
    own: OwnStatement | None = None
    parameters: int = 0


class QueryHandler:
    def __init__(
        self,
        driver: Driver,
        limits: QueryLimits | None = None,
        admin_roles: frozenset[str] = frozenset(),
        *,
        allow_locations: bool = False,
        rates: QueryRates | None = None,
        may_start: Callable[[], None] = lambda: None,
    ) -> None:
        """`may_start` raises while no statement may start (audit): nothing of it runs then, and nobody is told of it."""
        self.events = Events()
        self._driver = driver
        self._limits = limits or QueryLimits()
        self._admin_roles = admin_roles
        self._allow_locations = allow_locations
        self._rates = rates
        self._may_start = may_start
        self._registry = Registry()
        self._admission = Admission(self._limits.max_concurrent, self._limits.max_queued)
        self._looks = Looks()
        self._watchdog = Watchdog(self._registry, self._looks, self._time_limit, self._limits.abandoned_seconds)
        self._watchdog.start()

    def close(self) -> None:
        self._watchdog.stop()
        for query in self._registry.running():
            query.cancel(SqeError(errors.SERVER_SHUTTING_DOWN, "The server is shutting down"))

    # Statements.

    def submit(self, session: Session, sql: str, *, door: str, parameters: pa.RecordBatch | None = None) -> Query:
        """Runs a statement until its schema is known; a command has run to its end then. Raises `SqeError` only."""
        self._count(session)
        return self._submit(session, sql, door, parameters)

    def _submit(self, session: Session, sql: str, door: str, parameters: pa.RecordBatch | None) -> Query:
        query = self._admitted(session, sql, door)
        try:
            self._run(query, parameters)
            return query
        except SqeError as error:
            raise query.failed(error) from None
        except Exception:
            log.exception("query %s met a defect", query.id)
            raise query.failed(errors.internal()) from None

    def submit_many(self, session: Session, sql: str, rows: pa.RecordBatchReader, *, door: str) -> int:
        """Runs a statement for each row of parameters and gives the affected rows. An INSERT of VALUES is one commit."""
        self._count(session)
        parsed = self._parse(session, self._checked_text(sql))
        _check_count(parsed.parameters, len(rows.schema.names))
        if parsed.details.get("one_row"):
            return self._insert_many(session, sql, rows, door)
        total = 0
        for batch in rows:
            for index in range(batch.num_rows):
                with self._submit(session, sql, door, batch.slice(index, 1)) as query:
                    total += query.affected_rows or 0
        return total

    def look(self, session: Session) -> Look:
        """For `prepare`, to whoever may have to cancel it."""
        return Look(session, self._driver)

    def prepare(self, session: Session, sql: str, look: Look | None = None) -> Prepared:
        """Looks at a statement without running it. No slot is taken: analysis is short and prepared statements are many."""
        self._count(session)
        session.touch()
        started = time.monotonic()
        try:
            return self._prepared(look or self.look(session), self._checked_text(sql))
        except SqeError as error:
            self.events.publish(failed_preparation(session, sql, error, time.monotonic() - started))
            raise

    def _prepared(self, look: Look, text: str) -> Prepared:
        session = look.session
        parsed = self._parse(session, text)
        if parsed.own is not None or parsed.statement not in ANALYSABLE or parsed.node == "ShowCatalogsCommand":
            return Prepared(text, parsed.statement, self._schema_without_analysis(session, parsed), NO_COLUMNS)
        self._looks.add(look)
        try:
            answer = look.prepare(text)
        finally:
            self._looks.remove(look)
        schema = decode_schema(answer["schema"]) if parsed.statement.returns_rows else NO_COLUMNS
        return Prepared(text, parsed.statement, schema, decode_schema(answer["parameters"]))

    def _schema_without_analysis(self, session: Session, parsed: Parsed) -> pa.Schema:
        if parsed.node == "ShowCatalogsCommand":
            return _NAMES
        if parsed.node == "ShowSession":
            return _session_table(session).schema
        # A procedure's columns are known once it ran; one text column says "rows will come" to JDBC.
        return pa.schema([("result", pa.string())]) if parsed.statement.returns_rows else NO_COLUMNS

    def ingest(self, session: Session, target: TableName, mode: IngestMode, reader: pa.RecordBatchReader, *, door: str) -> int:
        """Streams rows into a table: spooled to files as they come, then one commit. Returns the number of rows."""

        def load(query: Query, spool: Spool) -> dict[str, Any]:
            request = spool.request(self._resolved(session, target), mode)
            query.entered_engine()
            return session.ask("load", query.id, request)

        self._count(session)
        return self._spooled(session, f"INGEST INTO {target}", StatementClass.INGEST, reader, door, load)

    def _insert_many(self, session: Session, sql: str, rows: pa.RecordBatchReader, door: str) -> int:
        def insert(query: Query, spool: Spool) -> dict[str, Any]:
            query.entered_engine()
            text = self._checked_text(sql)
            return session.ask("execute", query.id, text, spool.parameters())

        return self._spooled(session, sql, StatementClass.INSERT, rows, door, insert)

    def _spooled(
        self,
        session: Session,
        sql: str,
        statement: StatementClass,
        reader: pa.RecordBatchReader,
        door: str,
        write: Callable[[Query, Spool], dict[str, Any]],
    ) -> int:
        """A write whose rows come from a client: all of them are here before `write` commits them."""
        query = self._known(session, sql, door)
        try:
            query.statement = statement
            query.streaming = True
            with Spool() as spool:
                # Its turn comes when the rows are here: a client that sends none must not keep others waiting.
                spool.fill(reader, query.check)
                query.turn.take(self._time_limit(query.session) or None)
                query.begin(State.RUNNING)
                written = write(query, spool)
            query.affected_rows, query.touched = int(written["affected"]), Touched.of(written)
            query.finished()
            return query.affected_rows
        except SqeError as error:
            raise query.failed(error) from None
        except pa.ArrowException as error:
            raise query.failed(SqeError(errors.TYPE_MISMATCH, str(error).split("\n", 1)[0][:300])) from None
        except Exception:
            log.exception("query %s met a defect", query.id)
            raise query.failed(errors.internal()) from None

    def cancel(self, session: Session, query_id: str) -> bool:
        """Stops one of the session's user's own queries. Somebody else's looks like none."""
        query = self._registry.find(query_id)
        if query is None or not self._may_stop(session, query):
            return False
        query.cancel()
        return True

    def cancel_all(self, session: Session, reason: SqeError) -> None:
        """Stops what the session runs, for a reason that its user reads."""
        for query in self._registry.running():
            if query.session is session:
                query.cancel(reason)
        for look in self._looks.all():
            if look.session is session:
                look.cancel(reason)

    def progress(self, session: Session) -> Progress | None:
        """How far the session's running statement is, also while `submit` still runs it; None when there is none."""
        running = [query for query in self._registry.running() if query.session is session]
        return running[-1].progress() if running else None

    def queries(self) -> list[QueryEvent]:
        return [*self._registry.recent(), *(query.snapshot() for query in self._registry.running())]

    # Names, for the doors' metadata calls.

    def catalogs(self, session: Session) -> list[str]:
        return sorted(session.catalogs)

    def schemas(self, session: Session, catalog: str | None = None, pattern: str | None = None) -> list[tuple[str, str]]:
        self._count(session)
        session.touch()
        return metadata.schemas(session, catalog, pattern)

    def tables(
        self,
        session: Session,
        catalog: str | None = None,
        schema_pattern: str | None = None,
        table_pattern: str | None = None,
        types: Sequence[str] | None = None,
        with_schema: bool = False,
    ) -> list[TableEntry]:
        self._count(session)
        session.touch()
        return metadata.tables(session, catalog, schema_pattern, table_pattern, types, with_schema)

    # The way of one statement.

    def _count(self, session: Session) -> None:
        """Before anything else: refusing must cost less than asking."""
        if self._rates is not None:
            self._rates.admit(session.identity.user, session.id)

    def _known(self, session: Session, sql: str, door: str) -> Query:
        """A statement that is known from now on, and waits."""
        self._may_start()
        session.began()
        query = Query(session, sql, door, self._driver, self._admission.turn(), self._row_limit(session), self._changed)
        self._registry.add(query)
        query.queued()
        return query

    def _admitted(self, session: Session, sql: str, door: str) -> Query:
        """A statement that has its turn when this returns."""
        query = self._known(session, sql, door)
        try:
            query.turn.take(self._time_limit(query.session) or None)
        except SqeError as error:
            raise query.failed(error) from None
        return query

    def _run(self, query: Query, parameters: pa.RecordBatch | None) -> None:
        text = self._checked_text(query.sql)
        values = parameter_values.encode(parameters)
        query.begin(State.PLANNING)
        parsed = self._parse(query.session, text)
        _check_count(parsed.parameters, parameters.num_columns if parameters is not None else 0)
        query.statement = parsed.statement
        if parsed.statement is not StatementClass.QUERY:  # a command runs inside the call that plans it
            query.begin(State.RUNNING)
        if (table := self._answer(query.session, parsed)) is not None:
            query.answered_locally(table)
            return
        query.entered_engine()
        try:
            query.answered_by_engine(query.session.ask("execute", query.id, text, values))
            if parsed.statement is StatementClass.USE:
                self._remember_place(query.session)
        except SqeError:
            if parsed.statement is StatementClass.USE:  # Spark stays in the catalog when the schema is wrong
                query.session.return_to_place()
            raise
        if parsed.statement is StatementClass.QUERY:
            query.begin(State.RUNNING)
        if not query.schema.names:
            query.finished()

    def _parse(self, session: Session, text: str) -> Parsed:
        if own := parse_own(text):
            return Parsed(StatementClass.KILL if isinstance(own, KillQuery) else StatementClass.SHOW, type(own).__name__, {}, own)
        facts = self._facts(session, text)
        statement = classify(facts["node"], facts["nodes"])
        explained = facts["details"].get("explained")
        while explained:
            classify(explained["node"], explained["nodes"])
            explained = explained["details"].get("explained")
        if "Global" in facts["details"].get("view", ""):
            raise SqeError(errors.NOT_SUPPORTED, "Global temporary views are not available: they would be shared by all users")
        if not self._allow_locations:
            refuse_places(facts["details"])
        return Parsed(statement, facts["node"], facts["details"], parameters=facts["parameters"])

    def _facts(self, session: Session, text: str) -> dict[str, Any]:
        """What the parser says. Asked again in a new driver when the old one died since the last statement: nothing ran yet."""
        try:
            return self._driver.call("parse", session.in_engine(), text)
        except SqeError as error:
            if error.code is not errors.REMOTE_HOST_GONE:
                raise
            return self._driver.call("parse", session.in_engine(), text)

    def _answer(self, session: Session, parsed: Parsed) -> pa.Table | None:
        """The rows of a statement that SQE answers itself; None for Spark's."""
        if isinstance(parsed.own, KillQuery):
            if not self.cancel(session, parsed.own.query_id):
                raise SqeError(errors.NOT_FOUND, f"Query {parsed.own.query_id} does not exist")
            return _no_rows()
        if parsed.own is not None:
            return _session_table(session)
        if parsed.node == "ShowCatalogsCommand":
            pattern = parsed.details.get("pattern") or "*"
            return pa.table([[name for name in self.catalogs(session) if fnmatch.fnmatchcase(name, pattern)]], schema=_NAMES)
        if parsed.node == "SetCommand":
            return self._set(session, parsed.details)
        if parsed.node == "ResetCommand":
            self._reset(session, parsed.details.get("key"))
            return _no_rows()
        return None

    def _set(self, session: Session, details: dict[str, str]) -> pa.Table:
        if "key" not in details:
            return _session_table(session)
        setting = setting_named(details["key"])
        if details.get("value") is None:
            return _session_table(session, setting.name)
        value = checked_value(setting, details["value"])
        self._configure(session, setting.name, setting.spark_key, value)
        session.settings[setting.name] = value
        return _no_rows()

    def _reset(self, session: Session, name: str | None) -> None:
        for setting in [setting_named(name)] if name else list(SETTINGS.values()):
            self._configure(session, setting.name, setting.spark_key, setting.default)
            session.settings.pop(setting.name, None)

    def _configure(self, session: Session, name: str, spark_key: str | None, value: str) -> None:
        if spark_key is None:
            return
        try:
            self._driver.call("configureSession", session.in_engine(), json.dumps({spark_key: value}))
        except SqeError as error:
            if error.code is errors.REMOTE_HOST_GONE:
                raise
            raise SqeError(errors.INVALID_SESSION_PROPERTY, f"Session setting {name} cannot be {value[:64]!r}") from None

    def _remember_place(self, session: Session) -> None:
        place = self._driver.call("current", session.in_engine())
        if place["catalog"] not in session.catalogs:  # Spark has catalogs of its own; nobody was given them
            raise SqeError(errors.CATALOG_NOT_FOUND, f"Catalog {place['catalog']} does not exist")
        session.current = (place["catalog"], tuple(place["namespace"]))

    def _resolved(self, session: Session, target: TableName) -> TableName:
        place = self._driver.call("current", session.in_engine())
        return target.within(place["catalog"], tuple(place["namespace"]))

    def _checked_text(self, sql: str) -> str:
        size = len(sql.encode("utf-8", "surrogatepass"))
        if self._limits.max_sql_bytes and size > self._limits.max_sql_bytes:
            raise SqeError(
                errors.QUERY_TEXT_TOO_LARGE,
                f"The statement has {size} bytes, the limit is {self._limits.max_sql_bytes}",
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

    def _time_limit(self, session: Session) -> float:
        own = float(session.setting("query_timeout_seconds"))
        limits = [limit for limit in (own, self._limits.timeout_seconds) if limit]
        return min(limits, default=0)

    def _row_limit(self, session: Session) -> int:
        limits = [limit for limit in (int(session.setting("max_result_rows")), self._limits.max_result_rows) if limit]
        return min(limits, default=0)

    def _may_stop(self, session: Session, query: Query) -> bool:
        return query.session.identity.user == session.identity.user or bool(session.identity.roles & self._admin_roles)

    def _changed(self, query: Query) -> None:
        event = query.snapshot()
        self.events.publish(event)
        if event.state.ended:  # the event's: an observer may have ended the query meanwhile, which was told on its own
            self._registry.end(query)
            query.session.ended()


_NAMES = pa.schema([("catalog", pa.string())])


def _check_count(wanted: int, given: int) -> None:
    if given != wanted:
        raise SqeError(errors.INVALID_PARAMETER_USAGE, f"The statement has {wanted} parameters, but {given} values came")


def _no_rows() -> pa.Table:
    return pa.table({}, schema=NO_COLUMNS)


def _session_table(session: Session, only: str | None = None) -> pa.Table:
    names = [only] if only else sorted(SETTINGS)
    return pa.table(
        {
            "name": names,
            "value": [session.setting(name) for name in names],
            "default": [SETTINGS[name].default for name in names],
            "description": [SETTINGS[name].about for name in names],
        }
    )
