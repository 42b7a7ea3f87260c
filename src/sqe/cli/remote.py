"""A session on a server (`--host`): Flight SQL, rendered on this side."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pyarrow as pa

from sqe.cli.arguments import Options, UsageError
from sqe.cli.backend import Failure, Request, Summary
from sqe.client import FlightClient, Result
from sqe.client.tls import ClientTls, pem
from sqe.errors import SqeError
from sqe.login.kept import kept_for
from sqe.render.writer import Layout, open_writer

if TYPE_CHECKING:
    from sqe.cli.backend import Output


def open_remote(options: Options) -> RemoteBackend:
    password = ask_password(options.user) if options.user else None
    silence_grpc()
    try:
        client = FlightClient(
            options.server,
            user=options.user or None,
            password=password,
            token=options.token or None,
            tokens=None if options.user or options.token or options.tls_cert else kept_for(options.server),
            tls=tls_of(options),
        )
        backend = RemoteBackend(client)
        if options.dialect:
            client.set_options(sql_dialect=options.dialect)
    except SqeError as error:
        raise failure(error) from None
    return backend


def silence_grpc() -> None:
    """It would write what it thinks of a failed handshake to the terminal, before our one sentence."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")


def tls_of(options: Options) -> ClientTls:
    try:
        return ClientTls(
            pem(options.tls_ca or None), pem(options.tls_cert or None), pem(options.tls_key or None), options.insecure
        )
    except SqeError as error:
        raise UsageError(error.message) from None


def ask_password(user: str) -> str:
    """Never an argument: other users of the machine see those."""
    password = os.environ.get("SQE_PASSWORD")
    if password is not None:
        return password
    if not sys.stdin.isatty():
        raise UsageError("the password must be in SQE_PASSWORD when there is no terminal to ask on")
    import getpass

    try:
        return getpass.getpass(f"Password for {user}: ")
    except EOFError:
        raise UsageError("no password was given") from None


class RemoteBackend:
    """Statements run in a thread of their own: a call inside gRPC hears no Ctrl-C, the waiting main thread does."""

    def __init__(self, client: FlightClient) -> None:
        self._client = client
        self._result: Result | None = None
        self._cancel_wanted = False

    def run(self, request: Request, output: Output) -> Summary:
        call = _Call(self, request, output)
        call.start()
        call.join()
        if call.summary is not None:
            return call.summary
        assert call.error is not None
        raise call.error

    def execute(self, request: Request, output: Output) -> Summary:
        started = time.monotonic()
        self._result, self._cancel_wanted = None, False
        with self._client.execute(request.sql) as result:
            self._result = result
            if self._cancel_wanted:
                result.cancel()
            rows = self._write(result, request, output) if result.has_rows else 0
            word = first_word(request.sql)
            return Summary(word, len(result.schema), rows, result.affected_rows, time.monotonic() - started)

    def _write(self, result: Result, request: Request, output: Output) -> int:
        writer = open_writer(result.schema, Layout(request.format, request.width), output.write)
        rows = 0
        for batch in result.batches():
            rows += batch.num_rows
            writer.add(batch)
        writer.finish()
        return rows

    def cancel(self) -> bool:
        # Not here: this may be a signal handler in the main thread, and the cancel is a call to the server.
        threading.Thread(target=self._stop, name="sqe-cancel", daemon=True).start()
        return True

    def _stop(self) -> None:
        self._cancel_wanted = True
        # A server that cannot be told is noticed by the statement itself.
        with suppress(SqeError):
            if self._result is not None:
                self._result.cancel()
            else:
                self._client.interrupt()

    def names(self, kind: str, path: list[str]) -> list[str]:
        try:
            return self._names(kind, path)
        except SqeError:
            return []

    def _names(self, kind: str, path: list[str]) -> list[str]:
        if kind == "catalogs":
            return self._client.catalogs()
        options = self._client.options()
        here = [options.get("catalog") or "", options.get("schema") or ""]
        if kind == "schemas" and len(path) <= 1:
            (catalog,) = path or here[:1]
            return list(self._client.schemas(catalog or None)["db_schema_name"].to_pylist())
        if kind == "tables" and len(path) <= 2:
            catalog, schema = [*here[: 2 - len(path)], *path]
            return list(self._client.tables(catalog or None, schema or None)["table_name"].to_pylist())
        if kind == "columns" and 1 <= len(path) <= 3:
            catalog, schema, table = [*here[: 3 - len(path)], *path]
            found = self._client.tables(catalog or None, schema or None, table, with_schema=True)
            return [name for each in found["table_schema"].to_pylist() for name in pa.ipc.read_schema(pa.py_buffer(each)).names]
        return []

    def close(self) -> None:
        self._client.close()


class _Call(threading.Thread):
    def __init__(self, backend: RemoteBackend, request: Request, output: Output) -> None:
        super().__init__(name="sqe-statement", daemon=True)
        self._backend = backend
        self._request = request
        self._output = output
        self.summary: Summary | None = None
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.summary = self._backend.execute(self._request, self._output)
        except SqeError as error:
            self.error = failure(error)
        except pa.ArrowException as error:
            self.error = Failure("NOT_SUPPORTED", f"The result cannot be written as {self._request.format}: {error}")
        except Exception as error:  # noqa: BLE001 - raised again in the thread that waits
            self.error = error


def failure(error: SqeError) -> Failure:
    return Failure(error.code.name, str(error).removeprefix(f"{error.code.name}: "))


def first_word(sql: str) -> str:
    """What the statement calls itself, for `INSERT: 3 rows`."""
    import re

    found = re.match(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(\w+)", sql, re.DOTALL)
    return found.group(1).lower() if found else ""
