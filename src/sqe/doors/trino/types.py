"""Trino's types behind Arrow's: the name that people read, and the signature that clients decode values by."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyarrow import types as arrow

from sqe.render.intervals import YearMonth
from sqe.render.variants import is_variant

# What a client says it can read (X-Trino-Client-Capabilities); without them it gets the types of older servers.
PARAMETRIC_DATETIME = "PARAMETRIC_DATETIME"
VARIANT = "VARIANT"
VARIANT_BINARY = "VARIANT_BINARY"

PRECISIONS = {"s": 0, "ms": 3, "us": 6, "ns": 9}

_UNBOUNDED = 2**31 - 1
_SIMPLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class TrinoType:
    name: str  # varchar, decimal(10,2), array(row(a integer))
    raw: str
    arguments: tuple[dict[str, Any], ...] = ()

    @property
    def signature(self) -> dict[str, Any]:
        return {"rawType": self.raw, "arguments": list(self.arguments)}


def _plain(name: str) -> TrinoType:
    return TrinoType(name, name)


_SCALARS = {
    pa.null(): _plain("unknown"),
    pa.bool_(): _plain("boolean"),
    pa.int8(): _plain("tinyint"),
    pa.int16(): _plain("smallint"),
    pa.int32(): _plain("integer"),
    pa.int64(): _plain("bigint"),
    pa.float32(): _plain("real"),
    pa.float64(): _plain("double"),
    pa.date32(): _plain("date"),
}
VARCHAR = TrinoType("varchar", "varchar", ({"kind": "LONG", "value": _UNBOUNDED},))
YEAR_TO_MONTH = _plain("interval year to month")
DAY_TO_SECOND = _plain("interval day to second")


def trino_type(kind: pa.DataType, capabilities: Collection[str] = (PARAMETRIC_DATETIME,)) -> TrinoType:
    """The type under which a column of Arrow's type is sent to a client with these capabilities."""
    if kind in _SCALARS:
        return _SCALARS[kind]
    if arrow.is_decimal(kind):
        return _numbered("decimal", kind.precision, kind.scale)
    if arrow.is_timestamp(kind):
        return _of_time("timestamp", " with time zone" if kind.tz else "", kind.unit, capabilities)
    if arrow.is_time(kind):
        return _of_time("time", "", "us" if kind.unit == "ns" else kind.unit, capabilities)
    if arrow.is_duration(kind):
        return DAY_TO_SECOND
    if isinstance(kind, YearMonth) or kind.id == pa.lib.Type_INTERVAL_MONTHS:
        return YEAR_TO_MONTH
    if arrow.is_dictionary(kind):
        return trino_type(kind.value_type, capabilities)
    if arrow.is_nested(kind):
        return _nested(kind, capabilities)
    if arrow.is_binary(kind) or arrow.is_large_binary(kind) or arrow.is_fixed_size_binary(kind):
        return _plain("varbinary")
    return VARCHAR  # text, and what is shown as text: Spark's calendar intervals have no type in Trino


def _nested(kind: pa.DataType, capabilities: Collection[str]) -> TrinoType:
    if is_variant(kind):
        return _plain("variant" if VARIANT in capabilities or VARIANT_BINARY in capabilities else "json")
    if arrow.is_map(kind):
        key, item = trino_type(kind.key_type, capabilities), trino_type(kind.item_type, capabilities)
        return TrinoType(f"map({key.name}, {item.name})", "map", (_of_type(key), _of_type(item)))
    if arrow.is_struct(kind):
        fields = [(field.name, trino_type(field.type, capabilities)) for field in kind]
        named = ", ".join(f"{_shown(name)} {each.name}" for name, each in fields)
        return TrinoType(f"row({named})", "row", tuple(_of_field(name, each) for name, each in fields))
    item = trino_type(kind.value_type, capabilities)
    return TrinoType(f"array({item.name})", "array", (_of_type(item),))


def _numbered(name: str, *numbers: int) -> TrinoType:
    shown = ",".join(map(str, numbers))
    return TrinoType(f"{name}({shown})", name, tuple({"kind": "LONG", "value": number} for number in numbers))


def _of_time(name: str, zone: str, unit: str, capabilities: Collection[str]) -> TrinoType:
    if PARAMETRIC_DATETIME not in capabilities:
        return _plain(f"{name}{zone}")
    precision = PRECISIONS[unit]
    return TrinoType(f"{name}({precision}){zone}", f"{name}{zone}", ({"kind": "LONG", "value": precision},))


def _of_type(kind: TrinoType) -> dict[str, Any]:
    return {"kind": "TYPE", "value": kind.signature}


def _of_field(name: str, kind: TrinoType) -> dict[str, Any]:
    return {"kind": "NAMED_TYPE", "value": {"fieldName": {"name": name}, "typeSignature": kind.signature}}


def _shown(name: str) -> str:
    return name if _SIMPLE_NAME.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def column(name: str, kind: TrinoType) -> dict[str, Any]:
    """One column of a result, as clients read it."""
    return {"name": name, "type": kind.name, "typeSignature": kind.signature}


def columns(schema: pa.Schema, capabilities: Collection[str]) -> list[dict[str, Any]]:
    return [column(field.name, trino_type(field.type, capabilities)) for field in schema]
