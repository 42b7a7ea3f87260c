"""Asks anything that speaks Trino's protocol, with Trino's own Python client, and makes Arrow of the rows."""

from __future__ import annotations

import re
import time
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from sqe.bench.engines.engine import Answer, EngineFailure, Parameters
from sqe.bench.engines.serving import first_line

_KINDS: dict[str, pa.DataType] = {
    "bigint": pa.int64(),
    "integer": pa.int64(),
    "smallint": pa.int64(),
    "tinyint": pa.int64(),
    "double": pa.float64(),
    "real": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "varbinary": pa.binary(),
}


class TrinoClient:
    """One connection; bare names mean tables of `schema`."""

    def __init__(self, url: str, catalog: str, schema: str, user: str, password: str = "") -> None:
        from trino import auth, dbapi

        place = urlsplit(url)
        self._connection = dbapi.connect(  # type: ignore[no-untyped-call]
            host=place.hostname,
            port=place.port or 8080,
            http_scheme=place.scheme or "http",
            user=user,
            # To the loopback address, or to where the person who measures says.
            allow_insecure_auth=True,
            auth=auth.BasicAuthentication(user, password) if password else None,
            catalog=catalog,
            schema=schema,
        )

    def run(self, sql: str, parameters: Parameters = ()) -> Answer:
        started = time.perf_counter()
        try:
            cursor = self._connection.cursor()
            cursor.execute(sql, list(parameters)) if parameters else cursor.execute(sql)
            rows = cursor.fetchall()
            described = cursor.description or []
        except Exception as failure:  # noqa: BLE001 - the client has several families of errors
            raise EngineFailure(_said(failure)) from None
        table = _arrow(rows, [(column[0], column[1]) for column in described])
        return Answer(table, time.perf_counter() - started)

    def close(self) -> None:
        self._connection.close()


def _said(failure: Exception) -> str:
    return str(getattr(failure, "message", "") or first_line(failure))[:500]


def _arrow(rows: list[Any], columns: list[tuple[str, str]]) -> pa.Table:
    """`varchar` and whatever else has no type of its own here is text."""
    cells = list(zip(*rows, strict=True)) if rows else [()] * len(columns)
    arrays = [_array(list(values), kind) for values, (_, kind) in zip(cells, columns, strict=True)]
    return pa.table(arrays, names=[name for name, _ in columns])


def _array(values: list[Any], kind: str) -> pa.Array:
    if kind in _KINDS:
        return pa.array(values, _KINDS[kind])
    if decimal := re.fullmatch(r"decimal\((\d+),\s*(\d+)\)", kind):
        return pa.array(values, pa.decimal128(int(decimal[1]), int(decimal[2])))
    if kind.startswith("timestamp"):
        return pa.array(values, pa.timestamp("us", tz="UTC" if kind.endswith("zone") else None))
    if kind.startswith(("varchar", "char", "json", "uuid")):
        return pa.array([None if value is None else str(value) for value in values], pa.string())
    return pa.array(values)
