"""Bulk ingest: a client streams Arrow batches into a table. They pass through; nothing is collected here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import flight

from sqe.doors.flight.calls import Call
from sqe.doors.flight.wire import messages
from sqe.errors import INVALID_ARGUMENTS, NOT_SUPPORTED, SqeError
from sqe.query.ingest import IngestMode, TableName

if TYPE_CHECKING:
    from sqe.query.handler import QueryHandler

DOOR = "flight"

_Options = messages.CommandStatementIngest.TableDefinitionOptions

# (when the table is missing, when it exists) → what to do. ADBC's create, append and replace.
_MODES: dict[tuple[int, int], IngestMode] = {
    (_Options.TABLE_NOT_EXIST_OPTION_CREATE, _Options.TABLE_EXISTS_OPTION_FAIL): IngestMode.CREATE,
    (_Options.TABLE_NOT_EXIST_OPTION_FAIL, _Options.TABLE_EXISTS_OPTION_APPEND): IngestMode.APPEND,
    (_Options.TABLE_NOT_EXIST_OPTION_CREATE, _Options.TABLE_EXISTS_OPTION_REPLACE): IngestMode.REPLACE,
}


class Ingest:
    """CommandStatementIngest by DoPut."""

    def __init__(self, handler: QueryHandler) -> None:
        self._handler = handler

    def put(
        self,
        call: Call,
        command: messages.CommandStatementIngest,
        reader: flight.MetadataRecordBatchReader,
        writer: flight.FlightMetadataWriter,
    ) -> None:
        target, mode = _target(command), _mode(command)
        with call.submitting():
            rows = self._handler.ingest(call.session, target, mode, _as_reader(reader), door=DOOR)
        writer.write(messages.DoPutUpdateResult(record_count=rows).SerializeToString())


def _target(command: messages.CommandStatementIngest) -> TableName:
    if command.temporary:
        raise SqeError(NOT_SUPPORTED, "Temporary tables are not supported; name a schema of your own instead")
    if command.transaction_id:
        raise SqeError(NOT_SUPPORTED, "Transactions are not supported; an ingest commits on its own")
    if not command.table:
        raise SqeError(INVALID_ARGUMENTS, "The ingest names no table")
    return TableName(command.table, command.schema or None, command.catalog or None)


def _mode(command: messages.CommandStatementIngest) -> IngestMode:
    options = command.table_definition_options
    mode = _MODES.get((options.if_not_exist, options.if_exists))
    if mode is None:
        raise SqeError(
            NOT_SUPPORTED,
            "An ingest creates a table, appends to one or replaces one; other combinations are not supported",
            hint="ADBC's modes create, append and replace",
        )
    return mode


def _as_reader(reader: flight.MetadataRecordBatchReader) -> pa.RecordBatchReader:
    """Arrow's own C++ reader over the call: the handler pulls, gRPC's flow control slows the client down."""
    try:
        return reader.to_reader()
    except pa.ArrowException as wrong:
        raise SqeError(INVALID_ARGUMENTS, "The stream to ingest is not well-formed Arrow data") from wrong
