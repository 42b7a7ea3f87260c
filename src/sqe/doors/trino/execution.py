"""Runs one statement in its thread: by the query handler, or by an answer that changes what the client keeps."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sqe import errors
from sqe.doors.trino import roles, types
from sqe.doors.trino.changes import Changes
from sqe.doors.trino.pages import Encoder
from sqe.doors.trino.properties import setting_of
from sqe.doors.trino.request import is_zone
from sqe.doors.trino.statement import End, Statement, Stopped
from sqe.doors.trino.types import TrinoType
from sqe.errors import SqeError
from sqe.sql.dialect.trino import session_statements
from sqe.sql.dialect.trino.lexer import text_of, trino_tokens
from sqe.sql.dialect.trino.session_statements import SessionStatement
from sqe.sql.verbs import verb

if TYPE_CHECKING:
    from sqe.doors.trino.callers import Callers
    from sqe.doors.trino.request import ClientRequest
    from sqe.query.handler import QueryHandler
    from sqe.query.running import Query
    from sqe.sql.dialect import ResultColumn

DOOR = "trino"

# A prepared statement may be an EXECUTE of another one, but not for ever.
_DEEPEST = 4

_AFFECTED = pa.schema([("rows", pa.int64())])


class Runner:
    def __init__(self, handler: QueryHandler, callers: Callers) -> None:
        self._handler = handler
        self._callers = callers

    def run(self, statement: Statement) -> End:
        """Raises `SqeError` for a statement that failed."""
        return self._read(statement, statement.sql, _DEEPEST)

    def _read(self, statement: Statement, sql: str, depth: int) -> End:
        found = session_statements.read(sql)
        match found:
            case None:
                return self._by_handler(statement, sql)
            case session_statements.Execute() | session_statements.ExecuteImmediate() if depth:
                text = (
                    found.statement
                    if isinstance(found, session_statements.ExecuteImmediate)
                    else _prepared(statement, found.name)
                )
                return self._read(statement, session_statements.bind(text, found.values), depth - 1)
            case session_statements.Use():
                return self._use(statement, found)
            case session_statements.SetRole():
                identity, catalogs = statement.login.login.identity, statement.session.catalogs
                chosen = roles.header_of(found, identity.roles, catalogs)
                return End(update_type="SET ROLE", changes=Changes(set_role=(chosen,)))
            case session_statements.ShowRoles():
                return self._show_roles(statement, found)
            case session_statements.DescribeInput():
                return self._describe_input(statement, found.name)
            case session_statements.DescribeOutput():
                return self._describe_output(statement, found.name)
            case _:
                return answered(statement.client, found, statement.warnings)

    def _by_handler(self, statement: Statement, sql: str) -> End:
        statement.session.settle()
        query = self._handler.submit(statement.session, sql, door=DOOR, query_id=statement.id, known=statement.known)
        with query:
            if query.schema.names:
                self._send(statement, query)
                return End()
            count, update_type = query.affected_rows, _update_type(query, sql)
            if count is not None:
                _add(statement, pa.record_batch([pa.array([count], pa.int64())], schema=_AFFECTED), update_type)
            return End(update_type=update_type, update_count=count)

    def _send(self, statement: Statement, query: Query) -> None:
        client = statement.client
        names, kinds = _columns(query.schema, query.columns, client)
        encoder = Encoder(query.schema, kinds, client.capabilities, client.encoding)
        statement.describe(types.columns(names, kinds))
        try:
            for batch in query.batches():
                for chunk in encoder.chunks(batch):
                    statement.add(chunk)
        except Stopped:
            if statement.stop_error is not None:
                raise statement.stop_error from None

    def _use(self, statement: Statement, use: session_statements.Use) -> End:
        """Checked in a session that stands there; the client's next statement will find the same one."""
        catalog = use.catalog or statement.client.catalog
        if not catalog:
            raise SqeError(errors.NOT_FOUND, "Catalog must be specified when session catalog is not set")
        there = self._callers.session(statement.login, replace(statement.client, catalog=catalog, schema=use.schema))
        name = f"{_quoted(catalog)}.{_quoted(use.schema)}"
        with self._handler.submit(there, f"USE {name}", door=DOOR, query_id=statement.id, known=statement.known):
            pass
        return End(update_type="USE", changes=Changes(catalog=catalog, schema=use.schema))

    def _show_roles(self, statement: Statement, found: session_statements.ShowRoles) -> End:
        """One's own alone: which others there are is nobody's business."""
        who = statement.session.identity if found.current else statement.login.login.identity
        _add(statement, pa.RecordBatch.from_pydict({found.column: pa.array(sorted(who.roles), pa.string())}))
        return End()

    def _describe_input(self, statement: Statement, name: str) -> End:
        text = _prepared(statement, name)
        try:
            schema = self._handler.prepare(statement.session, text).parameter_schema
            kinds = [types.trino_type(field.type).name for field in schema]
        except SqeError as error:
            if error.code is not errors.NOT_SUPPORTED:
                raise
            kinds = ["unknown"] * len(session_statements.parameters(text))  # as Trino says where it cannot tell
        columns: dict[str, Any] = {"Position": pa.array(range(len(kinds)), pa.int64()), "Type": pa.array(kinds, pa.string())}
        _add(statement, pa.RecordBatch.from_pydict(columns))
        return End()

    def _describe_output(self, statement: Statement, name: str) -> End:
        """Where a column comes from is not told: the engine knows no more than its name and type."""
        prepared = self._handler.prepare(statement.session, _prepared(statement, name))
        schema = prepared.schema
        names, kinds = _columns(schema, prepared.columns, statement.client)
        nothing = pa.array([""] * len(schema), pa.string())
        columns = {
            "Column Name": pa.array(names, pa.string()),
            "Catalog": nothing,
            "Schema": nothing,
            "Table": nothing,
            "Type": pa.array([kind.name for kind in kinds], pa.string()),
            "Type Size": pa.array([_size(field.type) for field in schema], pa.int32()),
            "Aliased": pa.array([False] * len(schema), pa.bool_()),
        }
        _add(statement, pa.RecordBatch.from_pydict(columns))
        return End()


def answered(client: ClientRequest, found: SessionStatement, warnings: list[str]) -> End:
    """A statement whose whole effect is in the headers of its answer."""
    match found:
        case session_statements.Prepare():
            return End(update_type="PREPARE", changes=Changes(added_prepare=((found.name, found.statement),)))
        case session_statements.Deallocate():
            if found.name not in client.prepared:
                raise _not_prepared(found.name)
            return End(update_type="DEALLOCATE", changes=Changes(deallocated_prepare=(found.name,)))
        case session_statements.SetSession():
            value = _literal(found.value)
            setting_of(found.name, value)
            return End(update_type="SET SESSION", changes=Changes(set_session=((found.name, value),)))
        case session_statements.ResetSession():
            return End(update_type="RESET SESSION", changes=Changes(clear_session=(found.name,)))
        case session_statements.SetTimeZone():
            return End(update_type="SET TIME ZONE", changes=_zone_change(None if found.value is None else _literal(found.value)))
        case session_statements.SetPath():
            return End(update_type="SET PATH", changes=Changes(path=found.path))
        case session_statements.StartTransaction() | session_statements.Commit() | session_statements.Rollback():
            return _transaction(client, found, warnings)
        case _:
            raise SqeError(errors.NOT_SUPPORTED, "This kind of statement is not available on this server")


def _zone_change(zone: str | None) -> Changes:
    if zone is None:
        return Changes(clear_session=("time_zone_id",))
    if not is_zone(zone):
        raise SqeError(errors.INVALID_ARGUMENTS, f"Time zone not supported: {zone[:64]}")
    return Changes(set_session=(("time_zone_id", zone),))


def _transaction(client: ClientRequest, found: SessionStatement, warnings: list[str]) -> End:
    """Every statement commits by itself: Iceberg has no transaction over several. Clients that insist on one are served."""
    if isinstance(found, session_statements.StartTransaction):
        if client.transaction:
            raise SqeError(errors.NOT_SUPPORTED, "Nested transactions not supported")
        return End(update_type="START TRANSACTION", changes=Changes(started_transaction=str(uuid.uuid4())))
    if not client.transaction:
        raise SqeError(errors.NOT_IN_TRANSACTION, "No transaction in progress")
    if isinstance(found, session_statements.Rollback):
        warnings.append("Each statement was committed when it ended: nothing is rolled back")
        return End(update_type="ROLLBACK", changes=Changes(clear_transaction=True))
    return End(update_type="COMMIT", changes=Changes(clear_transaction=True))


def _prepared(statement: Statement, name: str) -> str:
    text = statement.client.prepared.get(name)
    if text is None:
        raise _not_prepared(name)
    return text


def _not_prepared(name: str) -> SqeError:
    return SqeError(errors.NOT_FOUND, f"Prepared statement not found: {name[:128]}")


def _add(statement: Statement, batch: pa.RecordBatch, update_type: str | None = None) -> None:
    client = statement.client
    names, kinds = _columns(batch.schema, None, client)
    statement.describe(types.columns(names, kinds), update_type)
    for chunk in Encoder(batch.schema, kinds, client.capabilities, client.encoding).chunks(batch):
        statement.add(chunk, last=True)


def _columns(
    schema: pa.Schema, said: tuple[ResultColumn, ...] | None, client: ClientRequest
) -> tuple[list[str], list[TrinoType]]:
    """Names and types as the statement's dialect has them, where it says so and the values are of them."""
    if said is None or len(said) != len(schema):
        return schema.names, [types.trino_type(field.type).seen_by(client.capabilities) for field in schema]
    kinds = [types.declared(each.type, field.type, each.zone) for each, field in zip(said, schema, strict=True)]
    return [each.name for each in said], [kind.seen_by(client.capabilities) for kind in kinds]


def _literal(expression: str) -> str:
    """The value of a property: a literal."""
    found = trino_tokens(expression)
    if len(found) == 1 and found[0].kind == "string":
        return text_of(found[0])
    if found and found[-1].kind in ("number", "word") and (len(found) == 1 or (len(found) == 2 and found[0].says("-"))):
        return expression
    raise SqeError(errors.NOT_SUPPORTED, "A session property takes a literal")


def _update_type(query: Query, sql: str) -> str:
    return query.statement.value.upper() if query.statement.is_dml else verb(sql)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _size(kind: pa.DataType) -> int:
    return kind.bit_width // 8 if pa.types.is_primitive(kind) else 0
