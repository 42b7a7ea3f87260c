"""The verbs of Flight, each a lookup: which message came, and who answers it.

gRPC's C++ server runs every call in a thread of its own pool and the verb blocks there until the handler answers, with
the GIL released while it waits; hundreds of calls at once are hundreds of mostly sleeping threads. How many statements
run at the same time is the handler's decision, not the door's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import flight

from sqe.doors.flight.actions import ACTIONS, LOGIN_OPTIONS, Actions
from sqe.doors.flight.callers import Caller, Callers, Handshake
from sqe.doors.flight.calls import Call
from sqe.doors.flight.failures import guarded
from sqe.doors.flight.handles import Handles
from sqe.doors.flight.ingest import Ingest
from sqe.doors.flight.metadata import Metadata
from sqe.doors.flight.statements import Statements
from sqe.doors.flight.watch import Submissions, Watch
from sqe.doors.flight.wire import messages, unpack
from sqe.errors import INVALID_ARGUMENTS, NOT_SUPPORTED, SqeError

if TYPE_CHECKING:
    from sqe.query.handler import QueryHandler
    from sqe.sessions import Sessions

_CALLER = "caller"

# A command can be anything up to a bulk of table types; statements have their own limit in the handler.
MAX_COMMAND_BYTES = 32 * 1024 * 1024


class Server(flight.FlightServerBase):  # type: ignore[misc]
    """Serves from its construction on (pyarrow's way) until `shutdown`."""

    def __init__(
        self,
        location: str | tuple[str, int],
        *,
        handler: QueryHandler,
        sessions: Sessions,
        callers: Callers,
        handles: Handles,
        watch: Watch,
        login_options: bytes = b"[]",
    ) -> None:
        statements, metadata = Statements(handler), Metadata(handler)
        self._handles = handles
        self._watch = watch
        self._submissions = Submissions(handler, watch)
        self._actions = Actions(handler, sessions, handles, statements, callers)
        self._login_options = login_options
        self._infos: dict[type, Callable[..., flight.FlightInfo]] = {
            messages.CommandStatementQuery: statements.query_info,
            messages.CommandPreparedStatementQuery: statements.prepared_info,
            **dict.fromkeys(metadata.commands, metadata.info),
        }
        self._schemas: dict[type, Callable[..., pa.Schema]] = {
            messages.CommandStatementQuery: statements.query_schema,
            messages.CommandPreparedStatementQuery: statements.prepared_schema,
            **dict.fromkeys(metadata.commands, metadata.schema),
        }
        self._gets: dict[type, Callable[..., flight.FlightDataStream]] = {
            messages.TicketStatementQuery: statements.stream,
            **dict.fromkeys(metadata.commands, metadata.rows),
        }
        self._puts: dict[type, Callable[..., None]] = {
            messages.CommandStatementUpdate: statements.update,
            messages.CommandPreparedStatementQuery: statements.bind,
            messages.CommandPreparedStatementUpdate: statements.prepared_update,
            messages.CommandStatementIngest: Ingest(handler).put,
        }
        super().__init__(location, auth_handler=Handshake(), middleware={_CALLER: callers})

    @guarded
    def get_flight_info(self, context: flight.ServerCallContext, descriptor: flight.FlightDescriptor) -> flight.FlightInfo:
        call = self._call(context)
        command = unpack(_command(descriptor))
        return _answerer(self._infos, command, "GetFlightInfo")(call, command, descriptor)

    @guarded
    def get_schema(self, context: flight.ServerCallContext, descriptor: flight.FlightDescriptor) -> flight.SchemaResult:
        call = self._call(context)
        command = unpack(_command(descriptor))
        return flight.SchemaResult(_answerer(self._schemas, command, "GetSchema")(call, command))

    @guarded
    def do_get(self, context: flight.ServerCallContext, ticket: flight.Ticket) -> flight.FlightDataStream:
        call = self._call(context)
        command = unpack(ticket.ticket)
        return _answerer(self._gets, command, "DoGet")(call, command)

    @guarded
    def do_put(
        self,
        context: flight.ServerCallContext,
        descriptor: flight.FlightDescriptor,
        reader: flight.MetadataRecordBatchReader,
        writer: flight.FlightMetadataWriter,
    ) -> None:
        call = self._call(context)
        command = unpack(_command(descriptor))
        _answerer(self._puts, command, "DoPut")(call, command, reader, writer)

    @guarded
    def do_action(self, context: flight.ServerCallContext, action: flight.Action) -> Iterator[flight.Result]:
        if action.type == LOGIN_OPTIONS:  # for people who are not logged in yet: the same words for everybody
            return iter([flight.Result(self._login_options)])
        # The answer is complete before pyarrow sees it: an error inside a generator would come too late for `guarded`.
        return iter(self._actions.do(self._call(context), action.type, action.body.to_pybytes()))

    @guarded
    def list_actions(self, context: flight.ServerCallContext) -> list[flight.ActionType]:
        self._call(context)
        return [flight.ActionType(name, about) for name, about in ACTIONS.items()]

    @guarded
    def list_flights(self, context: flight.ServerCallContext, criteria: bytes) -> Iterator[flight.FlightInfo]:
        self._call(context)
        raise SqeError(NOT_SUPPORTED, "ListFlights is not part of Flight SQL; ask with CommandGetTables")

    @guarded
    def do_exchange(self, context: flight.ServerCallContext, descriptor: Any, reader: Any, writer: Any) -> None:
        self._call(context)
        raise SqeError(NOT_SUPPORTED, "DoExchange is not part of Flight SQL")

    def _call(self, context: flight.ServerCallContext) -> Call:
        caller: Caller = context.get_middleware(_CALLER)
        session = caller.session(context)
        return Call(context, session, caller.peer(context), self._handles.of(session), self._watch, self._submissions)


def _command(descriptor: flight.FlightDescriptor) -> bytes:
    if descriptor.descriptor_type != flight.DescriptorType.CMD:
        raise SqeError(INVALID_ARGUMENTS, "The descriptor must hold a Flight SQL command, not a path")
    command: bytes = descriptor.command
    if len(command) > MAX_COMMAND_BYTES:
        raise SqeError(INVALID_ARGUMENTS, f"A command may have {MAX_COMMAND_BYTES >> 20} MB, not more")
    return command


def _answerer(table: dict[type, Callable[..., Any]], command: Any, verb: str) -> Callable[..., Any]:
    found = table.get(type(command))
    if found is None:
        raise SqeError(NOT_SUPPORTED, f"{command.DESCRIPTOR.name} cannot be sent by {verb}")
    return found
