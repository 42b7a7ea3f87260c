"""Catalogs, schemas, tables and the other questions of DatabaseMetaData: a command in, a small table out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import flight

from sqe.doors.flight import schemas
from sqe.doors.flight.calls import Call
from sqe.doors.flight.sqlinfo import sql_info
from sqe.doors.flight.types import described, type_info
from sqe.doors.flight.wire import messages, pack

if TYPE_CHECKING:
    from sqe.query.handler import QueryHandler

TABLE_TYPES = ("TABLE", "VIEW")


class Metadata:
    """The metadata commands. Nothing runs before DoGet: the ticket is the command itself, and any session may present it."""

    def __init__(self, handler: QueryHandler) -> None:
        self._handler = handler
        self._rows: dict[type, Callable[[Call, Any], pa.Table]] = {
            messages.CommandGetCatalogs: self._catalogs,
            messages.CommandGetDbSchemas: self._db_schemas,
            messages.CommandGetTables: self._tables,
            messages.CommandGetTableTypes: self._table_types,
            messages.CommandGetSqlInfo: lambda call, command: sql_info(command.info),
            messages.CommandGetXdbcTypeInfo: self._type_info,
            messages.CommandGetPrimaryKeys: lambda call, command: schemas.PRIMARY_KEYS.empty_table(),
            messages.CommandGetExportedKeys: lambda call, command: schemas.FOREIGN_KEYS.empty_table(),
            messages.CommandGetImportedKeys: lambda call, command: schemas.FOREIGN_KEYS.empty_table(),
            messages.CommandGetCrossReference: lambda call, command: schemas.FOREIGN_KEYS.empty_table(),
        }
        self.commands = tuple(self._rows)

    def info(self, call: Call, command: Any, descriptor: flight.FlightDescriptor) -> flight.FlightInfo:
        endpoint = flight.FlightEndpoint(flight.Ticket(pack(command)), [])
        return flight.FlightInfo(self.schema(call, command), descriptor, [endpoint], -1, -1, True)

    def schema(self, call: Call, command: Any) -> pa.Schema:
        if isinstance(command, messages.CommandGetTables) and command.include_schema:
            return schemas.TABLES_WITH_SCHEMA
        return _SCHEMAS[type(command)]

    def rows(self, call: Call, command: Any) -> flight.FlightDataStream:
        return flight.RecordBatchStream(self._rows[type(command)](call, command))

    def _catalogs(self, call: Call, command: messages.CommandGetCatalogs) -> pa.Table:
        return pa.table([sorted(self._handler.catalogs(call.session))], schema=schemas.CATALOGS)

    def _db_schemas(self, call: Call, command: messages.CommandGetDbSchemas) -> pa.Table:
        if _without_catalog(command):
            return schemas.DB_SCHEMAS.empty_table()
        pairs = self._handler.schemas(call.session, _given(command, "catalog"), _given(command, "db_schema_filter_pattern"))
        return _table(sorted(pairs), schemas.DB_SCHEMAS)

    def _tables(self, call: Call, command: messages.CommandGetTables) -> pa.Table:
        if _without_catalog(command):
            return self.schema(call, command).empty_table()
        entries = self._handler.tables(
            call.session,
            catalog=_given(command, "catalog"),
            schema_pattern=_given(command, "db_schema_filter_pattern"),
            table_pattern=_given(command, "table_name_filter_pattern"),
            types=list(command.table_types) or None,
            with_schema=command.include_schema,
        )
        ordered = sorted(entries, key=lambda entry: (entry.catalog, entry.schema, entry.name, entry.type))
        rows = [(entry.catalog, entry.schema, entry.name, entry.type) for entry in ordered]
        if not command.include_schema:
            return _table(rows, schemas.TABLES)
        columns = [described(entry.arrow_schema or schemas.EMPTY).serialize().to_pybytes() for entry in ordered]
        return _table(rows, schemas.TABLES).append_column(
            schemas.TABLES_WITH_SCHEMA.field("table_schema"), pa.array(columns, pa.binary())
        )

    def _table_types(self, call: Call, command: messages.CommandGetTableTypes) -> pa.Table:
        return pa.table([list(TABLE_TYPES)], schema=schemas.TABLE_TYPES)

    def _type_info(self, call: Call, command: messages.CommandGetXdbcTypeInfo) -> pa.Table:
        return type_info(_given(command, "data_type"))


_SCHEMAS: dict[type, pa.Schema] = {
    messages.CommandGetCatalogs: schemas.CATALOGS,
    messages.CommandGetDbSchemas: schemas.DB_SCHEMAS,
    messages.CommandGetTables: schemas.TABLES,
    messages.CommandGetTableTypes: schemas.TABLE_TYPES,
    messages.CommandGetSqlInfo: schemas.SQL_INFO,
    messages.CommandGetXdbcTypeInfo: schemas.XDBC_TYPE_INFO,
    messages.CommandGetPrimaryKeys: schemas.PRIMARY_KEYS,
    messages.CommandGetExportedKeys: schemas.FOREIGN_KEYS,
    messages.CommandGetImportedKeys: schemas.FOREIGN_KEYS,
    messages.CommandGetCrossReference: schemas.FOREIGN_KEYS,
}


def _given(command: Any, name: str) -> Any:
    """An optional field: None when the client did not send it, which is not the same as an empty string."""
    return getattr(command, name) if command.HasField(name) else None


def _without_catalog(command: Any) -> bool:
    """An empty name asks for what belongs to no catalog, and here everything has one."""
    return bool(_given(command, "catalog") == "")


def _table(rows: list[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schema)
    return pa.table([list(column) for column in columns], schema=schema)
