"""DoAction: prepared statements, cancelling, session options. Some bodies are an `Any`, some are bare; clients differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import flight

from sqe.doors.flight.calls import Call
from sqe.doors.flight.handles import Handles
from sqe.doors.flight.options import SessionOptions
from sqe.doors.flight.statements import Statements
from sqe.doors.flight.wire import messages, pack, parse, unpack
from sqe.errors import INVALID_ARGUMENTS, NOT_FOUND, NOT_SUPPORTED, SqeError

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from sqe.doors.flight.callers import Callers
    from sqe.query.handler import QueryHandler
    from sqe.sessions import Sessions

ACTIONS = {
    "CreatePreparedStatement": "Prepares a statement: ActionCreatePreparedStatementRequest",
    "ClosePreparedStatement": "Forgets a prepared statement: ActionClosePreparedStatementRequest",
    "CancelFlightInfo": "Cancels a query: CancelFlightInfoRequest",
    "CancelQuery": "Cancels a query, the older form: ActionCancelQueryRequest",
    "CancelStatements": "Cancels the statements whose GetFlightInfo or DoPut the session waits for (SQE's own; no body)",
    "SetSessionOptions": "Sets catalog, schema and settings of the session: SetSessionOptionsRequest",
    "GetSessionOptions": "Shows catalog, schema and settings of the session: GetSessionOptionsRequest",
    "CloseSession": "Ends the session: CloseSessionRequest",
    "RenewLogin": "Lets the session go on with a newer bearer token of its user (SQE's own; the body is the token)",
    "LoginOptions": "How people log in, for clients that have not yet (SQE's own; no body, answers JSON)",
}

# Answered without a session.
LOGIN_OPTIONS = "LoginOptions"

_TRANSACTIONS = {"BeginTransaction", "EndTransaction", "BeginSavepoint", "EndSavepoint"}


class Actions:
    """One method an action; each takes the body's bytes and answers with the results' bytes."""

    def __init__(
        self, handler: QueryHandler, sessions: Sessions, handles: Handles, statements: Statements, callers: Callers
    ) -> None:
        self._sessions = sessions
        self._callers = callers
        self._handles = handles
        self._statements = statements
        self._options = SessionOptions(handler)
        self._methods = {
            "CreatePreparedStatement": self._prepare,
            "ClosePreparedStatement": self._close_prepared,
            "CancelFlightInfo": self._cancel_flight_info,
            "CancelQuery": self._cancel_query,
            "CancelStatements": self._cancel_statements,
            "SetSessionOptions": self._set_options,
            "GetSessionOptions": self._get_options,
            "CloseSession": self._close_session,
            "RenewLogin": self._renew_login,
        }

    def do(self, call: Call, name: str, body: bytes) -> list[flight.Result]:
        method = self._methods.get(name)
        if method is not None:
            return [flight.Result(result) for result in method(call, body)]
        if name in _TRANSACTIONS:
            raise SqeError(NOT_SUPPORTED, "Transactions are not supported; every statement commits on its own")
        if "Substrait" in name:
            raise SqeError(NOT_SUPPORTED, "Substrait plans are not supported")
        raise SqeError(NOT_SUPPORTED, f"The action {name[:80]!r} is not supported")

    def _prepare(self, call: Call, body: bytes) -> list[bytes]:
        return [pack(self._statements.prepare(call, _any(messages.ActionCreatePreparedStatementRequest, body)))]

    def _close_prepared(self, call: Call, body: bytes) -> list[bytes]:
        request = _any(messages.ActionClosePreparedStatementRequest, body)
        call.handles.close_prepared(request.prepared_statement_handle)
        return []

    def _cancel_flight_info(self, call: Call, body: bytes) -> list[bytes]:
        request = parse(messages.CancelFlightInfoRequest, body)
        _cancel(call, request.info)
        return [messages.CancelFlightInfoResult(status=messages.CANCEL_STATUS_CANCELLED).SerializeToString()]

    def _cancel_query(self, call: Call, body: bytes) -> list[bytes]:
        request = _any(messages.ActionCancelQueryRequest, body)
        _cancel(call, request.info)
        result = messages.ActionCancelQueryResult
        return [pack(result(result=result.CANCEL_RESULT_CANCELLED))]

    def _cancel_statements(self, call: Call, body: bytes) -> list[bytes]:
        call.submissions.cancel_all(call.session)
        return []

    def _set_options(self, call: Call, body: bytes) -> list[bytes]:
        return [self._options.set(call, parse(messages.SetSessionOptionsRequest, body)).SerializeToString()]

    def _get_options(self, call: Call, body: bytes) -> list[bytes]:
        parse(messages.GetSessionOptionsRequest, body)
        return [self._options.get(call).SerializeToString()]

    def _close_session(self, call: Call, body: bytes) -> list[bytes]:
        parse(messages.CloseSessionRequest, body)
        self._handles.close(call.session)
        self._sessions.close(call.session)
        return [messages.CloseSessionResult(status=messages.CloseSessionResult.CLOSED).SerializeToString()]

    def _renew_login(self, call: Call, body: bytes) -> list[bytes]:
        self._callers.renew(call.session, body, call.peer)
        return []


def _any(kind: type[Message], body: bytes) -> Message:
    request = unpack(body)
    if not isinstance(request, kind):
        raise SqeError(INVALID_ARGUMENTS, f"The action takes a {kind.DESCRIPTOR.name} message")
    return request


def _cancel(call: Call, info: bytes) -> None:
    """Cancels what the tickets of a FlightInfo stand for, waiting or streaming."""
    try:
        tickets = [endpoint.ticket.ticket for endpoint in flight.FlightInfo.deserialize(info).endpoints]
    except (pa.ArrowException, ValueError) as wrong:
        raise SqeError(INVALID_ARGUMENTS, "The request holds no well-formed FlightInfo") from wrong
    queries = [call.handles.query(ticket.statement_handle) for ticket in map(unpack, tickets) if _is_query(ticket)]
    running = [query for query in queries if query is not None]
    if not running:
        raise SqeError(NOT_FOUND, "The query is unknown or has ended")
    for query in running:
        query.cancel()


def _is_query(ticket: Message) -> bool:
    return isinstance(ticket, messages.TicketStatementQuery)
