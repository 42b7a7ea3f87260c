"""The only way to the engine. A statement is checked, parsed, classified, admitted, run and watched; observers learn its end."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sqe import errors
from sqe.engine import parameters as parameter_values
from sqe.engine.driver import Driver
from sqe.engine.touched import Touched
from sqe.errors import SqeError
from sqe.limits import QueryRates
from sqe.query import metadata
from sqe.query.admission import Admission
from sqe.query.copy import check_file, write_file
from sqe.query.events import Events, QueryEvent, State
from sqe.query.ingest import IngestMode, Spool, TableName
from sqe.query.looks import Look, Looks
from sqe.query.metadata import TableEntry
from sqe.query.own_answers import OwnAnswers
from sqe.query.parsing import Parsed, StatementParser, positions
from sqe.query.registry import Registry
from sqe.query.retelling import PLAN, retold
from sqe.query.running import NO_COLUMNS, Progress, Query, decode_schema, failed_preparation
from sqe.query.statements import ANALYSABLE, StatementClass
from sqe.query.system_tables import nodes_as_rows, queries_as_rows, tasks_as_rows
from sqe.query.watchdog import Watchdog
from sqe.session import Session
from sqe.sql.attach import without_secrets
from sqe.sql.dialect import ResultColumn
from sqe.sql.own import CopyTo, ExplainJson, ShowCreateSchema

if TYPE_CHECKING:
    from sqe.policy.statements import Rights

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
    columns: tuple[ResultColumn, ...] | None = None  # as in `Query`


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
        rights: Rights | None = None,
    ) -> None:
        """`may_start` raises while no statement may start (audit): nothing of it runs then, and nobody is told of it."""
        self.events = Events()
        self._driver = driver
        self._limits = limits or QueryLimits()
        self._admin_roles = admin_roles
        self._parser = StatementParser(driver, self._limits.max_sql_bytes, allow_locations=allow_locations)
        self._rates = rates
        self._may_start = may_start
        self._own = OwnAnswers(driver, self._parser, admin_roles, rights, cancel=self.cancel, prepare=self._schema_of)
        self._registry = Registry()
        self._admission = Admission(self._limits.max_concurrent, self._limits.max_queued)
        self._looks = Looks()
        self._watchdog = Watchdog(self._registry, self._looks, self._time_limit, self._limits.abandoned_seconds)
        self._watchdog.start()
        self._draining = False

    def drain(self) -> None:
        """From now on nothing new begins; what runs goes on."""
        self._draining = True

    @property
    def running(self) -> int:
        return len(self._registry.running())

    def close(self) -> None:
        self._watchdog.stop()
        for query in self._registry.running():
            query.cancel(errors.shutting_down())

    # Statements.

    def submit(
        self,
        session: Session,
        sql: str,
        *,
        door: str,
        parameters: pa.RecordBatch | None = None,
        query_id: str | None = None,
        known: Callable[[Query], None] = lambda _: None,
    ) -> Query:
        """Runs a statement until its schema is known; a command has run to its end then. Raises `SqeError` only.

        For doors that answer before it runs: `query_id` is 32 random hex digits, `known` is told of the query before it waits.
        """
        self._count(session)
        return self._submit(session, sql, door, parameters, query_id, known)

    def _submit(
        self,
        session: Session,
        sql: str,
        door: str,
        parameters: pa.RecordBatch | None,
        query_id: str | None = None,
        known: Callable[[Query], None] = lambda _: None,
    ) -> Query:
        query = self._admitted(session, without_secrets(sql), door, query_id, known)
        try:
            self._run(query, sql, parameters)
            return query
        except SqeError as error:
            raise query.failed(error) from None
        except Exception:
            log.exception("query %s met a defect", query.id)
            raise query.failed(errors.internal()) from None

    def submit_aside(self, session: Session, sql: str) -> None:
        """A statement of the server's own for the session's user, who did not ask for it and whom it costs none of its rate."""
        if not self._draining:
            with self._submit(session, sql, "statistics", None) as query:
                query.read_all()

    def submit_many(self, session: Session, sql: str, rows: pa.RecordBatchReader, *, door: str) -> int:
        """Runs a statement for each row of parameters and gives the affected rows. An INSERT of VALUES is one commit."""
        self._count(session)
        parsed = self._parser.parse(session, self._parser.checked(sql))
        _check_count(parsed.parameters, len(rows.schema.names))
        if parsed.details.get("one_row"):
            return self._insert_many(session, parsed, rows, door)
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
            return self._prepared(look or self.look(session), self._parser.checked(sql))
        except SqeError as error:
            self.events.publish(failed_preparation(session, without_secrets(sql), error, time.monotonic() - started))
            raise

    def _schema_of(self, session: Session, sql: str) -> pa.Schema:
        return self.prepare(session, sql).schema

    def _prepared(self, look: Look, text: str) -> Prepared:
        session = look.session
        parsed = self._parser.parse(session, text)
        if parsed.own is not None or parsed.statement not in ANALYSABLE or parsed.node == "ShowCatalogsCommand":
            return Prepared(text, parsed.statement, self._own.schema(session, parsed), NO_COLUMNS)
        self._looks.add(look)
        try:
            with positions(parsed.keeps_positions):
                answer = look.prepare(parsed.sql)
        finally:
            self._looks.remove(look)
        schema = decode_schema(answer["schema"]) if parsed.statement.returns_rows else NO_COLUMNS
        return Prepared(text, parsed.statement, schema, decode_schema(answer["parameters"]), parsed.columns)

    def ingest(self, session: Session, target: TableName, mode: IngestMode, reader: pa.RecordBatchReader, *, door: str) -> int:
        """Streams rows into a table: spooled to files as they come, then one commit. Returns the number of rows."""

        def load(query: Query, spool: Spool) -> dict[str, Any]:
            request = spool.request(self._resolved(session, target), mode)
            query.entered_engine()
            return session.ask("load", query.id, request)

        self._count(session)
        return self._spooled(session, f"INGEST INTO {target}", StatementClass.INGEST, reader, door, load)

    def _insert_many(self, session: Session, parsed: Parsed, rows: pa.RecordBatchReader, door: str) -> int:
        def insert(query: Query, spool: Spool) -> dict[str, Any]:
            query.entered_engine()
            return session.ask("execute", query.id, parsed.sql, spool.parameters())

        return self._spooled(session, parsed.sql, StatementClass.INSERT, rows, door, insert)

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
            self._own.learn(session, written)
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

    def visible_queries(self, session: Session) -> list[QueryEvent]:
        """One's own, running and recent; everybody's for administrators."""
        everybody = bool(session.identity.roles & self._admin_roles)
        return [event for event in self.queries() if everybody or event.identity.user == session.identity.user]

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
        if self._draining:
            raise errors.shutting_down()
        if self._rates is not None:
            self._rates.admit(session.identity.user, session.id)

    def _known(self, session: Session, sql: str, door: str, query_id: str | None = None) -> Query:
        """A statement that is known from now on, and waits."""
        self._may_start()
        session.began()
        query = Query(session, sql, door, self._driver, self._admission.turn(), self._row_limit(session), self._changed, query_id)
        self._registry.add(query)
        query.queued()
        return query

    def _admitted(self, session: Session, sql: str, door: str, query_id: str | None, known: Callable[[Query], None]) -> Query:
        """A statement that has its turn when this returns."""
        query = self._known(session, sql, door, query_id)
        known(query)
        try:
            query.turn.take(self._time_limit(query.session) or None)
        except SqeError as error:
            raise query.failed(error) from None
        return query

    def _run(self, query: Query, sql: str, parameters: pa.RecordBatch | None) -> None:
        text = self._parser.checked(sql)
        values = parameter_values.encode(parameters)
        query.begin(State.PLANNING)
        parsed = self._parser.parse(query.session, text)
        _check_count(parsed.parameters, parameters.num_columns if parameters is not None else 0)
        query.statement, query.columns = parsed.statement, parsed.columns
        if parsed.statement is not StatementClass.QUERY:  # a command runs inside the call that plans it
            query.begin(State.RUNNING)
        if (table := self._own.answer(query.session, parsed)) is not None:
            query.answered_locally(table)
            return
        if parsed.inner is not None:
            self._run_inner(query, parsed, parsed.inner, values)
            return
        try:
            self._execute(query, parsed, values)
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

    def _execute(self, query: Query, parsed: Parsed, values: str) -> None:
        query.entered_engine()  # first: what is given to the driver is taken back by closing the query there
        self._give_queries(query, parsed)
        with positions(parsed.keeps_positions):
            answer = query.session.ask("execute", query.id, parsed.sql, values)
        self._own.learn(query.session, answer)
        query.answered_by_engine(answer)

    def _run_inner(self, query: Query, parsed: Parsed, inner: Parsed, values: str) -> None:
        """The query of a statement that does something else with its rows than giving them to the client."""
        if isinstance(parsed.own, CopyTo):
            path = check_file(parsed.own)
            self._execute(query, inner, values)
            query.wrote(write_file(parsed.own, path, query.schema, query.kept_here()))
            query.finished()
            return
        if isinstance(parsed.own, ShowCreateSchema | ExplainJson) and inner.statement is not StatementClass.QUERY:
            self._execute(query, inner, values)
            rows = pa.Table.from_batches(list(query.kept_here()), query.schema).to_pylist()
            query.streaming = False
            query.answered_locally(retold(parsed.own, rows))
            return
        query.entered_engine()
        self._give_queries(query, inner)
        with positions(inner.keeps_positions):
            answer = query.session.ask("analyze", query.id, inner.sql, values)
        query.touched = Touched.of(answer)
        if isinstance(parsed.own, ExplainJson):
            query.answered_locally(retold(parsed.own, [{"plan": line} for line in answer["lines"]]))
            return
        query.answered_locally(pa.table([answer["lines"]], schema=PLAN))

    def _give_queries(self, query: Query, parsed: Parsed) -> None:
        if parsed.asks_system:
            visible = self.visible_queries(query.session)
            seen = {event.query_id for event in visible}
            running = {each.id: each.progress() for each in self._registry.running() if each.id in seen}
            rows = {"queries": queries_as_rows(visible), "tasks": tasks_as_rows(visible, running), "nodes": nodes_as_rows()}
            self._driver.call("giveQueries", query.id, json.dumps(rows))

    def _remember_place(self, session: Session) -> None:
        place = self._driver.call("current", session.in_engine())
        if place["catalog"] not in session.catalogs:  # Spark has catalogs of its own; nobody was given them
            raise SqeError(errors.CATALOG_NOT_FOUND, f"Catalog {place['catalog']} does not exist")
        session.current = (place["catalog"], tuple(place["namespace"]))

    def _resolved(self, session: Session, target: TableName) -> TableName:
        place = self._driver.call("current", session.in_engine())
        return target.within(place["catalog"], tuple(place["namespace"]))

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


def _check_count(wanted: int, given: int) -> None:
    if given != wanted:
        raise SqeError(errors.INVALID_PARAMETER_USAGE, f"The statement has {wanted} parameters, but {given} values came")
