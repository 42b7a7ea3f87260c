"""Bulk ingest: a client streams Arrow batches into a table. They pass through; nothing is collected here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import flight

from sqe.doors.flight.calls import Call
from sqe.doors.flight.wire import messages
from sqe.errors import INVALID_ARGUMENTS, NOT_SUPPORTED, USER_CANCELED, SqeError
from sqe.query.ingest import IngestMode, TableName

if TYPE_CHECKING:
    from sqe.query.handler import QueryHandler

DOOR = "flight"

_Options = messages.CommandStatementIngest.TableDefinitionOptions

# (when the table is missing, when it exists) → what to do. ADBC's create, append, create_append and replace.
_MODES: dict[tuple[int, int], IngestMode] = {
    (_Options.TABLE_NOT_EXIST_OPTION_CREATE, _Options.TABLE_EXISTS_OPTION_FAIL): IngestMode.CREATE,
    (_Options.TABLE_NOT_EXIST_OPTION_FAIL, _Options.TABLE_EXISTS_OPTION_APPEND): IngestMode.APPEND,
    (_Options.TABLE_NOT_EXIST_OPTION_CREATE, _Options.TABLE_EXISTS_OPTION_APPEND): IngestMode.CREATE_APPEND,
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
            rows = self._handler.ingest(call.session, target, mode, _whole(call, reader), door=DOOR)
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
            hint="ADBC's modes create, append, create_append and replace",
        )
    return mode


def _whole(call: Call, reader: flight.MetadataRecordBatchReader) -> pa.RecordBatchReader:
    """The client's batches as the handler pulls them; gRPC's flow control slows the client down.

    A client that is killed in the middle looks to Arrow's reader like one that is done, so half a stream would be
    committed. Only the call knows the difference.
    """
    try:
        batches = reader.to_reader()
    except (pa.ArrowException, OSError) as wrong:
        raise SqeError(INVALID_ARGUMENTS, "The call brings no well-formed Arrow stream to ingest") from wrong
    return pa.RecordBatchReader.from_batches(batches.schema, _to_the_end(call, batches))


def _to_the_end(call: Call, batches: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    yield from batches
    if call.context.is_cancelled():
        raise SqeError(USER_CANCELED, "The client left before the end of its data")
