"""The client: one object, one session at the server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

import pyarrow as pa
from google.protobuf.message import Message
from pyarrow import flight

from sqe.client import parameters as values
from sqe.client.failures import reaching, understood
from sqe.client.handshake import as_bytes, check_size, session_header
from sqe.client.results import Result
from sqe.client.tls import SYSTEM_TLS, ClientTls
from sqe.client.upkeep import TokenSource, Upkeep
from sqe.doors.flight.wire import messages, pack, parse
from sqe.errors import INVALID_ARGUMENTS, SqeError

if TYPE_CHECKING:  # loads the whole configuration
    from sqe.config.values import Secret

_Options = messages.CommandStatementIngest.TableDefinitionOptions

INGEST_MODES = {
    "create": (_Options.TABLE_NOT_EXIST_OPTION_CREATE, _Options.TABLE_EXISTS_OPTION_FAIL),
    "append": (_Options.TABLE_NOT_EXIST_OPTION_FAIL, _Options.TABLE_EXISTS_OPTION_APPEND),
    "replace": (_Options.TABLE_NOT_EXIST_OPTION_CREATE, _Options.TABLE_EXISTS_OPTION_REPLACE),
}

M = TypeVar("M", bound=Message)

Calling = AbstractContextManager[None]


class FlightClient:
    """`uri` is grpc://host:port, grpc+tls://host:port or grpc+unix:///path. Safe to use from several threads.

    It logs in with `user` and `password`, with a bearer `token` of somebody else, or as nobody, and gets a session of its own.
    `tokens` renews its token by itself and keeps the session alive with it. `session_headers` travel with a password.
    """

    def __init__(
        self,
        uri: str,
        *,
        user: str | None = None,
        password: str | None = None,
        token: str | None = None,
        tokens: TokenSource | None = None,
        tls: ClientTls = SYSTEM_TLS,
        session_headers: Mapping[str, str] | None = None,
    ) -> None:
        self._uri = uri
        self._connection = tls.options(uri)
        self._results: WeakSet[Result] = WeakSet()
        self._given_options: dict[str, str] = {}
        self._upkeep: Upkeep | None = None
        with reaching(uri):
            self._client = flight.FlightClient(uri, **self._connection)
        try:
            if tokens is not None:
                self._upkeep = Upkeep(tokens, self._open_session, self._renew_login, self._streaming)
            else:
                self._options = flight.FlightCallOptions(headers=[self._log_in(user, password, token, session_headers or {})])
        except SqeError:
            self._client.close()
            raise

    def execute(self, sql: str, parameters: Sequence[Any] | pa.RecordBatch | None = None) -> Result:
        """Runs a statement; with parameters, one value for each `?`."""
        if parameters is None:
            command = messages.CommandStatementQuery(query=sql.encode("utf-8", "surrogatepass"))
            return self._result(command, self._statement(sql))
        with self.prepare(sql) as prepared:
            return prepared.execute(parameters)

    def update(self, sql: str, rows: values.Rows | None = None) -> int:
        """Runs a statement without rows, once for each row of parameters; the number of rows it changed."""
        if rows is None:
            command = messages.CommandStatementUpdate(query=sql.encode("utf-8", "surrogatepass"))
            return self._put_count(command, pa.schema([]), (), self._statement(sql))
        with self.prepare(sql) as prepared:
            return prepared.update(rows)

    def prepare(self, sql: str) -> Prepared:
        request = messages.ActionCreatePreparedStatementRequest(query=sql.encode("utf-8", "surrogatepass"))
        body = self._act("CreatePreparedStatement", pack(request), self._statement(sql))
        return Prepared(self, parse(messages.ActionCreatePreparedStatementResult, _any_value(body)))

    def ingest(
        self, table: str, data: Any, *, mode: str = "create", schema: str | None = None, catalog: str | None = None
    ) -> int:
        """Streams a table, a record batch reader or a data frame into a table; the number of rows."""
        if mode not in INGEST_MODES:
            raise SqeError(INVALID_ARGUMENTS, f"The mode of an ingest is {', '.join(INGEST_MODES)}, not {mode!r}")
        if_not_exist, if_exists = INGEST_MODES[mode]
        command = messages.CommandStatementIngest(
            table_definition_options=_Options(if_not_exist=if_not_exist, if_exists=if_exists),
            table=table,
            schema=schema,
            catalog=catalog,
        )
        reader = data if isinstance(data, pa.RecordBatchReader) else pa.RecordBatchReader.from_stream(data)
        return self._put_count(command, reader.schema, reader, self._statement("INSERT"))

    # names

    def catalogs(self) -> list[str]:
        return list(self._metadata(messages.CommandGetCatalogs())["catalog_name"].to_pylist())

    def schemas(self, catalog: str | None = None, pattern: str | None = None) -> pa.Table:
        return self._metadata(messages.CommandGetDbSchemas(catalog=catalog, db_schema_filter_pattern=pattern))

    def tables(
        self,
        catalog: str | None = None,
        schema_pattern: str | None = None,
        table_pattern: str | None = None,
        types: Sequence[str] = (),
        with_schema: bool = False,
    ) -> pa.Table:
        command = messages.CommandGetTables(
            catalog=catalog,
            db_schema_filter_pattern=schema_pattern,
            table_name_filter_pattern=table_pattern,
            table_types=types,
            include_schema=with_schema,
        )
        return self._metadata(command)

    def table_types(self) -> list[str]:
        return list(self._metadata(messages.CommandGetTableTypes())["table_type"].to_pylist())

    def sql_info(self, numbers: Sequence[int] = ()) -> dict[int, Any]:
        table = self._metadata(messages.CommandGetSqlInfo(info=numbers))
        return dict(zip(table["info_name"].to_pylist(), table["value"].to_pylist(), strict=True))

    def type_info(self) -> pa.Table:
        return self._metadata(messages.CommandGetXdbcTypeInfo())

    # the session

    def options(self) -> dict[str, str]:
        body = self._act("GetSessionOptions", messages.GetSessionOptionsRequest().SerializeToString(), self._call())
        options = parse(messages.GetSessionOptionsResult, body).session_options
        return {name: value.string_value for name, value in options.items()}

    def set_options(self, **options: str) -> None:
        request = messages.SetSessionOptionsRequest()
        for name, value in options.items():
            request.session_options[name].string_value = value
        # Not called a change of the session: a new one gets them again.
        body = self._act("SetSessionOptions", request.SerializeToString(), self._call())
        refused = parse(messages.SetSessionOptionsResult, body).errors
        if refused:
            raise SqeError(INVALID_ARGUMENTS, f"The session does not take {', '.join(sorted(refused))}")
        self._given_options |= options

    def cancel(self, info: flight.FlightInfo) -> bool:
        """Stops a query of this session; False when it is not there any more."""
        request = messages.CancelFlightInfoRequest(info=info.serialize())
        try:
            self._act("CancelFlightInfo", request.SerializeToString())
        except SqeError:
            return False
        return True

    def interrupt(self) -> None:
        """Stops the statements that other threads are waiting for in `execute`, `update` or `ingest`."""
        self._act("CancelStatements", b"")

    def close(self) -> None:
        """Ends the session. A server that is gone already is no error."""
        if self._upkeep is not None:
            self._upkeep.close()
        try:
            self._act("CloseSession", messages.CloseSessionRequest().SerializeToString())
        except SqeError:
            pass
        finally:
            self._client.close()

    def __enter__(self) -> FlightClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # the wire

    def _log_in(
        self, user: str | None, password: str | None, token: str | None, headers: Mapping[str, str]
    ) -> tuple[bytes, bytes]:
        if token is not None:
            from sqe.config.values import Secret  # loads the whole configuration

            return session_header(self._uri, Secret(token), **self._connection)
        options = flight.FlightCallOptions(headers=[(name.encode(), value.encode()) for name, value in headers.items()])
        check_size(user or "", password or "")
        with reaching(self._uri, lambda: list(self._client.list_actions(flight.FlightCallOptions(timeout=5)))):
            # Nobody logs in as well: the answer is the token of a session of its own.
            header: tuple[bytes, bytes] = self._client.authenticate_basic_token(user or "", password or "", options)
        return header

    def _open_session(self, token: Secret) -> None:
        """With the options that the program gave; what statements changed is gone with the old session."""
        self._options = flight.FlightCallOptions(headers=[session_header(self._uri, token, **self._connection)])
        if self._given_options:
            request = messages.SetSessionOptionsRequest()
            for name, value in self._given_options.items():
                request.session_options[name].string_value = value
            self._act("SetSessionOptions", request.SerializeToString())

    def _renew_login(self, token: Secret) -> None:
        self._act("RenewLogin", as_bytes(token))

    def _streaming(self) -> bool:
        return any(not result.done for result in list(self._results))

    def _statement(self, sql: str) -> Calling:
        return understood() if self._upkeep is None else _both(self._upkeep.statement(sql))

    def _call(self) -> Calling:
        return understood() if self._upkeep is None else _both(self._upkeep.call())

    def _result(self, command: Message, calling: Calling | None = None) -> Result:
        with calling or self._call():
            options = self._options
            info = self._client.get_flight_info(flight.FlightDescriptor.for_command(pack(command)), options)
        result = Result(info, lambda ticket: self._client.do_get(ticket, options), self.cancel)
        self._results.add(result)
        return result

    def _metadata(self, command: Message) -> pa.Table:
        return self._result(command).read_all()

    def _act(self, name: str, body: bytes, calling: Calling | None = None) -> bytes:
        """Without `calling` the session is taken as it is: for calls that make no sense in a new one."""
        with calling or understood():
            results = [result.body.to_pybytes() for result in self._client.do_action(flight.Action(name, body), self._options)]
        return results[0] if results else b""

    def _put(
        self, command: Message, schema: pa.Schema, batches: Iterator[pa.RecordBatch] | Any, calling: Calling | None = None
    ) -> bytes:
        with calling or self._call():
            descriptor = flight.FlightDescriptor.for_command(pack(command))
            writer, answers = self._client.do_put(descriptor, schema, self._options)
            try:
                for batch in batches:
                    writer.write_batch(batch)
                writer.done_writing()
                answer = answers.read()
            finally:
                # A server that refuses ends the call while we write; only closing it tells why.
                writer.close()
        return answer.to_pybytes() if answer is not None else b""

    def _put_count(self, command: Message, schema: pa.Schema, batches: Any, calling: Calling | None = None) -> int:
        return parse(messages.DoPutUpdateResult, self._put(command, schema, batches, calling)).record_count


class Prepared:
    """A statement that the server has looked at. Close it, or use it as a context manager."""

    def __init__(self, client: FlightClient, created: messages.ActionCreatePreparedStatementResult) -> None:
        self._client = client
        self._handle = created.prepared_statement_handle
        self.schema = pa.ipc.read_schema(pa.py_buffer(created.dataset_schema))
        self.parameter_schema = pa.ipc.read_schema(pa.py_buffer(created.parameter_schema))
        self.is_update = created.is_update

    def execute(self, parameters: Sequence[Any] | pa.RecordBatch = ()) -> Result:
        rows = parameters if isinstance(parameters, pa.RecordBatch) else [parameters]
        batches = list(values.batches(rows, self.parameter_schema))
        command = messages.CommandPreparedStatementQuery(prepared_statement_handle=self._handle)
        if batches:
            self._client._put(command, batches[0].schema, batches)
        return self._client._result(command)

    def update(self, rows: values.Rows = ((),)) -> int:
        """Once for each row; the sum of the rows changed."""
        batches = list(values.batches(rows, self.parameter_schema))
        command = messages.CommandPreparedStatementUpdate(prepared_statement_handle=self._handle)
        schema = batches[0].schema if batches else pa.schema([])
        return self._client._put_count(command, schema, batches)

    def close(self) -> None:
        request = messages.ActionClosePreparedStatementRequest(prepared_statement_handle=self._handle)
        self._client._act("ClosePreparedStatement", pack(request))

    def __enter__(self) -> Prepared:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def _both(upkeep: Calling) -> Iterator[None]:
    with upkeep, understood():
        yield


def _any_value(body: bytes) -> bytes:
    from google.protobuf.any_pb2 import Any as Wrapped

    wrapped: bytes = parse(Wrapped, body).value
    return wrapped
