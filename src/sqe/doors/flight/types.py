"""The SQL types behind Arrow's, in one table: names for JDBC's columns, and the rows of XdbcTypeInfo."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyarrow import types as arrow

from sqe.doors.flight.schemas import XDBC_TYPE_INFO

_NULLABLE = 1
_SEARCHABLE_NONE, _SEARCHABLE_BASIC, _SEARCHABLE_FULL = 0, 2, 3
_DATETIME, _SUBCODE_DATE, _SUBCODE_TIMESTAMP = 9, 1, 3


@dataclass(frozen=True)
class SqlType:
    """One row of XdbcTypeInfo; `code` is the number that ODBC and JDBC give the type."""

    name: str
    code: int
    size: int | None = None
    quote: tuple[str, str] | None = None
    parameters: tuple[str, ...] | None = None
    case_sensitive: bool = False
    searchable: int = _SEARCHABLE_BASIC
    scale: tuple[int, int] | None = None
    generic_code: int | None = None
    subcode: int | None = None
    radix: int | None = None

    def row(self) -> dict[str, object]:
        prefix, suffix = self.quote or (None, None)
        smallest, largest = self.scale or (None, None)
        return {
            "type_name": self.name,
            "data_type": self.code,
            "column_size": self.size,
            "literal_prefix": prefix,
            "literal_suffix": suffix,
            "create_params": list(self.parameters) if self.parameters else None,
            "nullable": _NULLABLE,
            "case_sensitive": self.case_sensitive,
            "searchable": self.searchable,
            "unsigned_attribute": False if self.radix else None,
            "fixed_prec_scale": False,
            "auto_increment": False if self.radix else None,
            "local_type_name": self.name,
            "minimum_scale": smallest,
            "maximum_scale": largest,
            "sql_data_type": self.generic_code or self.code,
            "datetime_subcode": self.subcode,
            "num_prec_radix": self.radix,
            "interval_precision": None,
        }


_LONGEST = 2**31 - 1
_QUOTED = ("'", "'")

# Ordered by code, then name, as the answer has to be.
SQL_TYPES = (
    SqlType("BOOLEAN", -7, 1),
    SqlType("TINYINT", -6, 3, radix=10, scale=(0, 0)),
    SqlType("BIGINT", -5, 19, radix=10, scale=(0, 0)),
    SqlType("BINARY", -3, _LONGEST, ("X'", "'")),
    SqlType("CHAR", 1, _LONGEST, _QUOTED, ("length",), case_sensitive=True, searchable=_SEARCHABLE_FULL),
    SqlType("DECIMAL", 3, 38, parameters=("precision", "scale"), radix=10, scale=(0, 38)),
    SqlType("INT", 4, 10, radix=10, scale=(0, 0)),
    SqlType("SMALLINT", 5, 5, radix=10, scale=(0, 0)),
    SqlType("FLOAT", 7, 24, radix=2),
    SqlType("DOUBLE", 8, 53, radix=2),
    SqlType("STRING", 12, _LONGEST, _QUOTED, case_sensitive=True, searchable=_SEARCHABLE_FULL),
    SqlType("VARCHAR", 12, _LONGEST, _QUOTED, ("length",), case_sensitive=True, searchable=_SEARCHABLE_FULL),
    SqlType("DATE", 91, 10, ("DATE '", "'"), generic_code=_DATETIME, subcode=_SUBCODE_DATE),
    SqlType("TIMESTAMP", 93, 26, ("TIMESTAMP '", "'"), scale=(6, 6), generic_code=_DATETIME, subcode=_SUBCODE_TIMESTAMP),
    SqlType("TIMESTAMP_NTZ", 93, 26, ("TIMESTAMP_NTZ '", "'"), scale=(6, 6), generic_code=_DATETIME, subcode=_SUBCODE_TIMESTAMP),
    SqlType("MAP", 1111, searchable=_SEARCHABLE_NONE),
    SqlType("STRUCT", 2002, searchable=_SEARCHABLE_NONE),
    SqlType("ARRAY", 2003, searchable=_SEARCHABLE_NONE),
)


def type_info(code: int | None = None) -> pa.Table:
    """XdbcTypeInfo: one type, or all."""
    rows = [kind.row() for kind in SQL_TYPES if code is None or kind.code == code]
    return pa.Table.from_pylist(rows, schema=XDBC_TYPE_INFO)


_SCALAR_NAMES = {
    pa.null(): "VOID",
    pa.bool_(): "BOOLEAN",
    pa.int8(): "TINYINT",
    pa.int16(): "SMALLINT",
    pa.int32(): "INT",
    pa.int64(): "BIGINT",
    pa.float32(): "FLOAT",
    pa.float64(): "DOUBLE",
    pa.date32(): "DATE",
}
_INTEGER_DIGITS = {pa.int8(): 3, pa.int16(): 5, pa.int32(): 10, pa.int64(): 19}


def type_name(kind: pa.DataType) -> str:
    """The SQL name of an Arrow type, as one would write it in CREATE TABLE."""
    if kind in _SCALAR_NAMES:
        return _SCALAR_NAMES[kind]
    if arrow.is_decimal(kind):
        return f"DECIMAL({kind.precision},{kind.scale})"
    if arrow.is_string(kind) or arrow.is_large_string(kind) or arrow.is_string_view(kind):
        return "STRING"
    if arrow.is_timestamp(kind):
        return "TIMESTAMP" if kind.tz else "TIMESTAMP_NTZ"
    if arrow.is_time(kind):
        return "TIME"
    if arrow.is_duration(kind) or arrow.is_interval(kind):
        return "INTERVAL"
    if arrow.is_map(kind):
        return f"MAP<{type_name(kind.key_type)}, {type_name(kind.item_type)}>"
    if arrow.is_struct(kind):
        return f"STRUCT<{', '.join(f'{field.name}: {type_name(field.type)}' for field in kind)}>"
    if arrow.is_nested(kind) and hasattr(kind, "value_type"):
        return f"ARRAY<{type_name(kind.value_type)}>"
    return "BINARY"


def described(schema: pa.Schema) -> pa.Schema:
    """The schema with what JDBC's column metadata shows and Arrow's types do not say: SQL type name, precision, scale."""
    return pa.schema([field.with_metadata({**(field.metadata or {}), **_description(field.type)}) for field in schema])


def _description(kind: pa.DataType) -> dict[str, str]:
    description = {"ARROW:FLIGHT:SQL:TYPE_NAME": type_name(kind)}
    if arrow.is_decimal(kind):
        description["ARROW:FLIGHT:SQL:PRECISION"] = str(kind.precision)
        description["ARROW:FLIGHT:SQL:SCALE"] = str(kind.scale)
    elif kind in _INTEGER_DIGITS:
        description["ARROW:FLIGHT:SQL:PRECISION"] = str(_INTEGER_DIGITS[kind])
        description["ARROW:FLIGHT:SQL:SCALE"] = "0"
    return description
