"""The client: one object, one session at the server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import pyarrow as pa
from google.protobuf.message import Message
from pyarrow import flight

from sqe.client import parameters as values
from sqe.client.failures import reaching, understood
from sqe.client.results import Result
from sqe.doors.flight.wire import messages, pack, parse
from sqe.errors import INVALID_ARGUMENTS, SqeError

_Options = messages.CommandStatementIngest.TableDefinitionOptions

INGEST_MODES = {
    "create": (_Options.TABLE_NOT_EXIST_OPTION_CREATE, _Options.TABLE_EXISTS_OPTION_FAIL),
    "append": (_Options.TABLE_NOT_EXIST_OPTION_FAIL, _Options.TABLE_EXISTS_OPTION_APPEND),
    "replace": (_Options.TABLE_NOT_EXIST_OPTION_CREATE, _Options.TABLE_EXISTS_OPTION_REPLACE),
}

M = TypeVar("M", bound=Message)


class FlightClient:
    """`uri` is grpc://host:port, grpc+tls://host:port or grpc+unix:///path. Safe to use from several threads.

    With `user` (or neither user nor token) it logs in and gets a session of its own; `token` is an identity provider's
    bearer token and goes along with every call. `session_headers` travel with the log-in.
    """

    def __init__(
        self,
        uri: str,
        *,
        user: str | None = None,
        password: str | None = None,
        token: str | None = None,
        tls_root_certs: bytes | None = None,
        insecure: bool = False,
        session_headers: Mapping[str, str] | None = None,
    ) -> None:
        self._uri = uri
        with reaching(uri):
            self._client = flight.FlightClient(uri, tls_root_certs=tls_root_certs, disable_server_verification=insecure)
        try:
            self._options = flight.FlightCallOptions(headers=[self._log_in(user, password, token, session_headers or {})])
        except SqeError:
            self._client.close()
            raise

    def execute(self, sql: str, parameters: Sequence[Any] | pa.RecordBatch | None = None) -> Result:
        """Runs a statement; with parameters, one value for each `?`."""
        if parameters is None:
            return self._result(messages.CommandStatementQuery(query=sql.encode("utf-8", "surrogatepass")))
        with self.prepare(sql) as prepared:
            return prepared.execute(parameters)

    def update(self, sql: str, rows: values.Rows | None = None) -> int:
        """Runs a statement without rows, once for each row of parameters; the number of rows it changed."""
        if rows is None:
            return self._put_count(messages.CommandStatementUpdate(query=sql.encode("utf-8", "surrogatepass")), pa.schema([]), ())
        with self.prepare(sql) as prepared:
            return prepared.update(rows)

    def prepare(self, sql: str) -> Prepared:
        request = messages.ActionCreatePreparedStatementRequest(query=sql.encode("utf-8", "surrogatepass"))
        body = self._act("CreatePreparedStatement", pack(request))
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
        return self._put_count(command, reader.schema, reader)

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
        body = self._act("GetSessionOptions", messages.GetSessionOptionsRequest().SerializeToString())
        options = parse(messages.GetSessionOptionsResult, body).session_options
        return {name: value.string_value for name, value in options.items()}

    def set_options(self, **options: str) -> None:
        request = messages.SetSessionOptionsRequest()
        for name, value in options.items():
            request.session_options[name].string_value = value
        refused = parse(messages.SetSessionOptionsResult, self._act("SetSessionOptions", request.SerializeToString())).errors
        if refused:
            raise SqeError(INVALID_ARGUMENTS, f"The session does not take {', '.join(sorted(refused))}")

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
            return b"authorization", b"Bearer " + token.encode()
        options = flight.FlightCallOptions(headers=[(name.encode(), value.encode()) for name, value in headers.items()])
        with reaching(self._uri):
            # Nobody logs in as well: the answer is the token of a session of its own.
            header: tuple[bytes, bytes] = self._client.authenticate_basic_token(user or "", password or "", options)
        return header

    def _result(self, command: Message) -> Result:
        with understood():
            info = self._client.get_flight_info(flight.FlightDescriptor.for_command(pack(command)), self._options)
        return Result(info, lambda ticket: self._client.do_get(ticket, self._options), self.cancel)

    def _metadata(self, command: Message) -> pa.Table:
        return self._result(command).read_all()

    def _act(self, name: str, body: bytes) -> bytes:
        with understood():
            results = [result.body.to_pybytes() for result in self._client.do_action(flight.Action(name, body), self._options)]
        return results[0] if results else b""

    def _put(self, command: Message, schema: pa.Schema, batches: Iterator[pa.RecordBatch] | Any) -> bytes:
        with understood():
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

    def _put_count(self, command: Message, schema: pa.Schema, batches: Any) -> int:
        return parse(messages.DoPutUpdateResult, self._put(command, schema, batches)).record_count


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


def _any_value(body: bytes) -> bytes:
    from google.protobuf.any_pb2 import Any as Wrapped

    wrapped: bytes = parse(Wrapped, body).value
    return wrapped
