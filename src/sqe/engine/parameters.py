"""Values for the `?` of a statement, from Arrow to what the driver reads: a Spark type and the value as text."""

from __future__ import annotations

import base64
import datetime as dt
import json
from typing import Any

import pyarrow as pa

from sqe import errors
from sqe.errors import SqeError

NO_VALUES = '{"values": []}'

_SIMPLE: dict[pa.DataType, str] = {
    pa.bool_(): "boolean",
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.uint8(): "smallint",
    pa.uint16(): "int",
    pa.uint32(): "bigint",
    pa.uint64(): "decimal(20,0)",
    pa.float16(): "float",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.string(): "string",
    pa.large_string(): "string",
    pa.string_view(): "string",
    pa.binary(): "binary",
    pa.large_binary(): "binary",
    pa.binary_view(): "binary",
    pa.date32(): "date",
    pa.date64(): "date",
    pa.null(): "void",
}


def encode(row: pa.RecordBatch | None) -> str:
    """One row of parameters as the driver's JSON."""
    if row is None or row.num_columns == 0:
        return NO_VALUES
    if row.num_rows != 1:
        raise SqeError(errors.INVALID_PARAMETER_USAGE, f"One row of parameters was expected, {row.num_rows} came")
    values = [{"type": spark_type(column.type), "value": _text(column[0].as_py())} for column in row.columns]
    return json.dumps({"values": values})


def spark_type(kind: pa.DataType) -> str:
    """The Spark SQL name of an Arrow type that a parameter may have."""
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if pa.types.is_decimal(kind) and kind.precision <= 38:
        return f"decimal({kind.precision},{kind.scale})"
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    if pa.types.is_dictionary(kind):
        return spark_type(kind.value_type)
    raise SqeError(errors.NOT_SUPPORTED, f"A parameter of Arrow type {kind} is not supported")


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.datetime):
        return (value.astimezone(dt.UTC) if value.tzinfo else value).isoformat(sep=" ")
    return str(value)
