"""One SQL text for SQLite and PostgreSQL: a connection for each thread, `?` for parameters, transactions that end.

Only what both understand is used. PostgreSQL is an extra: `pip install 'sqe[postgres]'`.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from sqe import errors
from sqe.errors import SqeError

Row = Sequence[Any]
# SQLite waits this long for another process's write; PostgreSQL for its server and for each statement.
WAIT_SECONDS = 2


class Cursor(Protocol):
    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]: ...


class Database(Protocol):
    def read(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]: ...
    @contextmanager
    def write(self) -> Iterator[Cursor]: ...
    def close(self) -> None: ...


def open_database(url: str) -> Database:
    if url.startswith("sqlite:///"):
        return Sqlite(Path(url.removeprefix("sqlite:///")))
    return Postgres(url)


class Sqlite:
    """WAL: readers never wait for a writer. Connections belong to threads and are closed together."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._local = threading.local()
        self._lock = threading.Lock()
        self._open: list[sqlite3.Connection] = []
        self._closed = False

    def read(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        return self._connection().execute(sql, parameters).fetchall()

    @contextmanager
    def write(self) -> Iterator[Cursor]:
        connection = self._connection()
        connection.execute("BEGIN IMMEDIATE")  # the write lock first: two that read and then write would deadlock
        try:
            yield _SqliteCursor(connection)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    def close(self) -> None:
        with self._lock:
            self._closed = True
            while self._open:
                self._open.pop().close()

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            with self._lock:
                if self._closed:
                    raise sqlite3.ProgrammingError("the store is closed")
                self._path.touch(mode=0o600, exist_ok=True)  # filters and masks are nobody else's business
                connection = sqlite3.connect(self._path, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False)
                self._open.append(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")  # a DENY that was answered survives a power cut
            self._local.connection = connection
        return connection


class _SqliteCursor:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(sql, parameters).fetchall()


class Postgres:
    """A connection that fails is thrown away; the next question opens a new one."""

    def __init__(self, url: str) -> None:
        try:
            import psycopg
        except ImportError:
            raise SqeError(
                errors.CONFIGURATION_INVALID,
                "policy.store is a PostgreSQL URL, and psycopg is not installed",
                hint="pip install 'sqe[postgres]'",
            ) from None
        self._psycopg = psycopg
        self._url = url
        self._local = threading.local()
        self._lock = threading.Lock()
        self._open: list[Any] = []

    def read(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        with self._using() as connection:
            return list(connection.execute(_numbered(sql), parameters).fetchall())

    @contextmanager
    def write(self) -> Iterator[Cursor]:
        with self._using() as connection, connection.transaction():
            yield _PostgresCursor(connection)

    def close(self) -> None:
        with self._lock:
            while self._open:
                self._open.pop().close()

    @contextmanager
    def _using(self) -> Iterator[Any]:
        connection = getattr(self._local, "connection", None)
        if connection is None or connection.closed:
            connection = self._psycopg.connect(
                self._url, autocommit=True, connect_timeout=WAIT_SECONDS, options=f"-c statement_timeout={WAIT_SECONDS}s"
            )
            with self._lock:
                self._open = [each for each in self._open if not each.closed] + [connection]
            self._local.connection = connection
        try:
            yield connection
        except self._psycopg.OperationalError:
            connection.close()
            raise


class _PostgresCursor:
    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> list[Row]:
        cursor = self._connection.execute(_numbered(sql), parameters)
        return list(cursor.fetchall()) if cursor.description else []


def _numbered(sql: str) -> str:
    return sql.replace("?", "%s")


def place_of(url: str) -> str:
    """A store's address for messages: without user and password."""
    if url.startswith("sqlite:"):
        return url
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
