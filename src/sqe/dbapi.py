"""DB-API 2.0 (PEP 249) on the Flight SQL client, with Arrow and pandas results: what `sqe.connect()` returns."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sqe.client import FlightClient, Result
from sqe.client.embedded import EmbeddedClient
from sqe.client.tls import ClientTls, PemFile, pem
from sqe.errors import SqeError
from sqe.login.kept import kept_for
from sqe.render.intervals import readable_batch, readable_schema

if TYPE_CHECKING:
    import pandas as pd

apilevel = "2.0"
threadsafety = 1
paramstyle = "qmark"

Date, Time, Timestamp = date, time, datetime
DateFromTicks = date.fromtimestamp
TimestampFromTicks = datetime.fromtimestamp
Binary = bytes


def TimeFromTicks(ticks: float) -> time:
    return datetime.fromtimestamp(ticks).time()


# Exceptions. Each carries the code that every door shows, and the SQLSTATE.


class Warning(Exception):
    pass


class Error(Exception):
    """`code` is the name (TABLE_NOT_FOUND), `sqlstate` the SQLSTATE of what happened."""

    def __init__(self, text: str, code: str = "", sqlstate: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.sqlstate = sqlstate


class InterfaceError(Error):
    pass


class DatabaseError(Error):
    pass


class DataError(DatabaseError):
    pass


class OperationalError(DatabaseError):
    pass


class IntegrityError(DatabaseError):
    pass


class InternalError(DatabaseError):
    pass


class ProgrammingError(DatabaseError):
    pass


class NotSupportedError(DatabaseError):
    pass


# By the class of the SQLSTATE, its first two characters; the rest is ProgrammingError.
_BY_STATE_CLASS: dict[str, type[DatabaseError]] = {
    "08": OperationalError,
    "0A": NotSupportedError,
    "22": DataError,
    "23": IntegrityError,
    "28": OperationalError,
    "40": OperationalError,
    "53": OperationalError,
    "54": OperationalError,
    "57": OperationalError,
    "F0": OperationalError,
    "XX": InternalError,
}


@contextmanager
def _as_dbapi() -> Iterator[None]:
    try:
        yield
    except SqeError as error:
        kind = _BY_STATE_CLASS.get(error.code.sqlstate[:2], ProgrammingError)
        raise kind(str(error), error.code.name, error.code.sqlstate) from None


class TypeObject:
    """Compares equal to the Arrow types that it stands for; `Cursor.description` holds Arrow types."""

    def __init__(self, name: str, matches: Callable[[pa.DataType], bool]) -> None:
        self.name = name
        self._matches = matches

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, pa.DataType) and self._matches(other))

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


STRING = TypeObject("STRING", lambda kind: bool(pa.types.is_string(kind) or pa.types.is_large_string(kind)))
BINARY = TypeObject("BINARY", lambda kind: bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind)))
NUMBER = TypeObject(
    "NUMBER", lambda kind: bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))
)
DATETIME = TypeObject("DATETIME", lambda kind: bool(pa.types.is_temporal(kind)))
ROWID = TypeObject("ROWID", lambda kind: False)


def connect(
    uri: str | None = None,
    *,
    user: str | None = None,
    password: str | None = None,
    token: str | None = None,
    tls_root_certs: PemFile | None = None,
    tls_cert: PemFile | None = None,
    tls_key: PemFile | None = None,
    insecure: bool = False,
    warehouse: str | Path | None = None,
    catalogs: dict[str, str] | None = None,
    memory: bool = False,
    memory_limit: str | None = None,
) -> Connection:
    """Opens a session.

    Without `uri`: the embedded engine of this user, started when it does not run, on `warehouse` (default ~/.sqe/warehouse),
    on more folders as `catalogs` {name: folder}, or with `memory` on a warehouse that is thrown away at the end.
    With `uri` (grpc://host:50051, grpc+tls://…): a server; log in with `user` and `password`, with a `token`, or with none of
    them by the log-in that `sqe login` keeps for the server. PEM texts or files: `tls_root_certs` for a server whose authority
    the system does not know, `tls_cert` and `tls_key` for a client certificate.
    """
    if uri is None:
        if user or password or token or tls_root_certs or tls_cert or tls_key or insecure:
            raise InterfaceError("user, password, token and TLS options belong to a server: give its uri")
        thrown_away = tempfile.mkdtemp(prefix="sqe-memory-") if memory else None
        try:
            with _as_dbapi():
                return Connection(EmbeddedClient(thrown_away or warehouse, catalogs, memory_limit), thrown_away)
        except BaseException:
            _remove(thrown_away)
            raise
    if warehouse or catalogs or memory or memory_limit:
        raise InterfaceError("warehouse, catalogs, memory and memory_limit belong to the embedded engine: leave uri away")
    with _as_dbapi():
        tls = ClientTls(pem(tls_root_certs), pem(tls_cert), pem(tls_key), insecure)
        tokens = kept_for(uri) if user is None and password is None and token is None and tls_cert is None else None
        return Connection(FlightClient(uri, user=user, password=password, token=token, tokens=tokens, tls=tls))


def _remove(folder: str | None) -> None:
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


class Connection:
    """One session. Every statement commits on its own; use one connection in one thread at a time."""

    # PEP 249's optional way to find the exceptions.
    Warning = Warning
    Error = Error
    InterfaceError = InterfaceError
    DatabaseError = DatabaseError
    DataError = DataError
    OperationalError = OperationalError
    IntegrityError = IntegrityError
    InternalError = InternalError
    ProgrammingError = ProgrammingError
    NotSupportedError = NotSupportedError

    autocommit = True

    def __init__(self, client: FlightClient, thrown_away: str | None = None) -> None:
        self._client: FlightClient | None = client
        self._thrown_away = thrown_away
        self._cursors: list[Cursor] = []

    @property
    def client(self) -> FlightClient:
        """The Flight SQL client underneath: metadata, session options, prepared statements."""
        if self._client is None:
            raise InterfaceError("The connection is closed")
        return self._client

    def cursor(self) -> Cursor:
        cursor = Cursor(self)
        self._cursors = [open_one for open_one in self._cursors if not open_one.closed]
        self._cursors.append(cursor)
        return cursor

    def execute(self, operation: str, parameters: Sequence[Any] | None = None) -> Cursor:
        """A cursor that ran the statement."""
        return self.cursor().execute(operation, parameters)

    def ingest(
        self, table: str, data: Any, *, mode: str = "create", schema: str | None = None, catalog: str | None = None
    ) -> int:
        """Writes an Arrow table, a record batch reader or a data frame to a table: mode create, append or replace."""
        with _as_dbapi():
            return self.client.ingest(table, data, mode=mode, schema=schema, catalog=catalog)

    def commit(self) -> None:
        """Nothing to do: statements commit on their own."""
        _ = self.client

    def rollback(self) -> None:
        raise NotSupportedError(
            "NOT_SUPPORTED: Transactions are not supported; every statement commits on its own", "NOT_SUPPORTED", "0A000"
        )

    def close(self) -> None:
        if self._client is None:
            return
        for cursor in self._cursors:
            cursor.close()
        client, self._client = self._client, None
        client.close()
        _remove(self._thrown_away)

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


class Cursor:
    """Runs statements and gives their rows: as tuples, as Arrow or as pandas. Rows stream; what is not fetched is not sent."""

    arraysize = 1

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.closed = False
        self.rowcount = -1
        self._result: Result | None = None
        self._batches: Iterator[pa.RecordBatch] | None = None
        self._rows: Iterator[tuple[Any, ...]] | None = None

    @property
    def description(self) -> list[tuple[str, pa.DataType, None, None, int | None, int | None, bool]] | None:
        if self._result is None or not self._result.has_rows:
            return None
        return [_described(field) for field in self._result.schema]

    @property
    def query_id(self) -> str | None:
        """The id under which the server knows the statement."""
        return (self._result.query_id or None) if self._result else None

    def execute(self, operation: str, parameters: Sequence[Any] | None = None) -> Cursor:
        self._open()
        self._finish()
        with _as_dbapi():
            self._result = self.connection.client.execute(operation, parameters if parameters else None)
        affected = self._result.affected_rows
        self.rowcount = -1 if affected is None else affected
        return self

    def executemany(self, operation: str, seq_of_parameters: Sequence[Sequence[Any]] | pa.Table | pa.RecordBatch) -> Cursor:
        """Runs the statement once for each row of parameters; an INSERT of VALUES writes them all by one commit."""
        self._open()
        self._finish()
        rows = seq_of_parameters if isinstance(seq_of_parameters, (pa.Table, pa.RecordBatch)) else list(seq_of_parameters)
        if len(rows) == 0:
            self.rowcount = 0
            return self
        with _as_dbapi():
            self.rowcount = self.connection.client.update(operation, rows)
        return self

    def fetchone(self) -> tuple[Any, ...] | None:
        return next(self._row_iterator(), None)

    def fetchmany(self, size: int | None = None) -> list[tuple[Any, ...]]:
        rows = self._row_iterator()
        return [row for _, row in zip(range(self.arraysize if size is None else size), rows, strict=False)]

    def fetchall(self) -> list[tuple[Any, ...]]:
        return list(self._row_iterator())

    def fetch_arrow_table(self) -> pa.Table:
        """All rows that were not fetched yet."""
        result, batches = self._streaming()
        return pa.Table.from_batches(batches, result.schema)

    def fetch_df(self) -> pd.DataFrame:
        result, batches = self._streaming()
        return pa.Table.from_batches(map(_held, batches), readable_schema(result.schema)).to_pandas()

    def fetch_record_batch(self) -> pa.RecordBatchReader:
        """A reader that streams the rows from the server as they are read."""
        result, batches = self._streaming()
        return pa.RecordBatchReader.from_batches(result.schema, batches)

    def cancel(self) -> bool:
        """Stops the statement that another thread executes or fetches from."""
        result = self._result
        if result is not None:
            return result.cancel()
        with _as_dbapi():
            self.connection.client.interrupt()
        return True

    def setinputsizes(self, sizes: Sequence[Any]) -> None:
        """Required by PEP 249; the server knows the types of parameters."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Required by PEP 249; there is nothing to limit."""

    def close(self) -> None:
        self.closed = True
        self._finish()

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self

    def __next__(self) -> tuple[Any, ...]:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def __enter__(self) -> Cursor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> None:
        if self.closed:
            raise InterfaceError("The cursor is closed")

    def _finish(self) -> None:
        result, self._result, self._batches, self._rows = self._result, None, None, None
        self.rowcount = -1
        if result is not None:
            result.close()

    def _streaming(self) -> tuple[Result, Iterator[pa.RecordBatch]]:
        self._open()
        if self._result is None or not self._result.has_rows:
            raise ProgrammingError("There are no rows to fetch: no statement ran, or it returns none")
        if self._batches is None:
            self._batches = _batches(self._result)
        if self._rows is not None:
            # Tuples were taken from the batch at hand; Arrow would have to begin in its middle.
            raise ProgrammingError("The rows of this statement are being fetched as tuples already")
        return self._result, self._batches

    def _row_iterator(self) -> Iterator[tuple[Any, ...]]:
        if self._rows is None:
            _, batches = self._streaming()
            self._rows = (row for batch in batches for row in _tuples(batch))
        self._open()
        return self._rows


def _batches(result: Result) -> Iterator[pa.RecordBatch]:
    with _as_dbapi():
        yield from result.batches()


def _tuples(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.to_pylist() for column in _held(batch).columns), strict=True)


def _held(batch: pa.RecordBatch) -> pa.RecordBatch:
    """With year-month intervals as numbers of months: pyarrow 26 can carry Arrow's type for them but not look into it."""
    schema = readable_schema(batch.schema)
    return batch if schema == batch.schema else readable_batch(batch, schema)


def _described(field: pa.Field) -> tuple[str, pa.DataType, None, None, int | None, int | None, bool]:
    precision, scale = (field.type.precision, field.type.scale) if pa.types.is_decimal(field.type) else (None, None)
    return field.name, field.type, None, None, precision, scale, field.nullable
