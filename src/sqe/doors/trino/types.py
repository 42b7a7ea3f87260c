"""Trino's types: their names, the signatures that clients decode values by, and which one a column of Arrow's has."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
from pyarrow import types as arrow

from sqe.render.intervals import YearMonth
from sqe.render.variants import is_variant

# What a client says it can read (X-Trino-Client-Capabilities); without them it gets the types of older servers.
PARAMETRIC_DATETIME = "PARAMETRIC_DATETIME"
VARIANT = "VARIANT"
VARIANT_BINARY = "VARIANT_BINARY"

_PRECISIONS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
_UNBOUNDED = 2**31 - 1
_SIMPLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ZONED = " with time zone"
_TIMED = ("timestamp", "time", f"timestamp{_ZONED}", f"time{_ZONED}")


@dataclass(frozen=True)
class TrinoType:
    raw: str  # varchar, timestamp with time zone, row
    numbers: tuple[int, ...] = ()  # length, precision and scale
    children: tuple[TrinoType, ...] = ()
    names: tuple[str, ...] = ()  # of a row's fields
    zone: str = "UTC"  # in which instants are shown

    @property
    def name(self) -> str:
        """As people write it: `decimal(10,2)`, `array(row(a integer))`, `timestamp(6) with time zone`."""
        if self.raw == "row":
            fields = zip(self.names or [""] * len(self.children), self.children, strict=True)
            return f"row({', '.join(f'{_shown(name)} {child.name}'.strip() for name, child in fields)})"
        if self.children:
            return f"{self.raw}({', '.join(child.name for child in self.children)})"
        if not self.numbers:
            return self.raw
        base, zone = (self.raw.removesuffix(_ZONED), _ZONED) if self.raw.endswith(_ZONED) else (self.raw, "")
        return f"{base}({','.join(map(str, self.numbers))}){zone}"

    @property
    def signature(self) -> dict[str, Any]:
        numbers = self.numbers or ((_UNBOUNDED,) if self.raw == "varchar" else ())
        arguments: list[dict[str, Any]] = [{"kind": "LONG", "value": number} for number in numbers]
        if self.raw == "row":
            fields = zip(self.names or [""] * len(self.children), self.children, strict=True)
            arguments += [{"kind": "NAMED_TYPE", "value": _named(name, child)} for name, child in fields]
        else:
            arguments += [{"kind": "TYPE", "value": child.signature} for child in self.children]
        return {"rawType": self.raw, "arguments": arguments}

    def seen_by(self, capabilities: Collection[str]) -> TrinoType:
        """The type under which a client with these capabilities gets the values."""
        children = tuple(child.seen_by(capabilities) for child in self.children)
        if self.raw in _TIMED and PARAMETRIC_DATETIME not in capabilities:
            return TrinoType(self.raw, zone=self.zone)
        if self.raw == "variant" and VARIANT not in capabilities and VARIANT_BINARY not in capabilities:
            return TrinoType("json")
        return replace(self, children=children)


def _named(name: str, kind: TrinoType) -> dict[str, Any]:
    return {"fieldName": {"name": name} if name else None, "typeSignature": kind.signature}


def _shown(name: str) -> str:
    return name if not name or _SIMPLE_NAME.fullmatch(name) else '"' + name.replace('"', '""') + '"'


_SCALARS = {
    pa.null(): "unknown",
    pa.bool_(): "boolean",
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "integer",
    pa.int64(): "bigint",
    pa.float32(): "real",
    pa.float64(): "double",
    pa.date32(): "date",
}


def trino_type(kind: pa.DataType) -> TrinoType:
    """The type of a column of Arrow's."""
    if isinstance(kind, YearMonth) or kind.id == pa.lib.Type_INTERVAL_MONTHS:
        return TrinoType("interval year to month")
    if kind in _SCALARS:
        return TrinoType(_SCALARS[kind])
    if arrow.is_decimal(kind):
        return TrinoType("decimal", (kind.precision, kind.scale))
    if arrow.is_timestamp(kind):
        return TrinoType(f"timestamp{_ZONED if kind.tz else ''}", (_PRECISIONS[kind.unit],))
    if arrow.is_time(kind):
        return TrinoType("time", (min(6, _PRECISIONS[kind.unit]),))  # Spark has microseconds, in a type that could hold more
    if arrow.is_duration(kind):
        return TrinoType("interval day to second")
    if arrow.is_dictionary(kind):
        return trino_type(kind.value_type)
    if arrow.is_nested(kind):
        return _nested(kind)
    if _is_binary(kind):
        return TrinoType("varbinary")
    return TrinoType("varchar")  # text, and what is shown as text: Spark's calendar intervals have no type in Trino


def _nested(kind: pa.DataType) -> TrinoType:
    if is_variant(kind):
        return TrinoType("variant")
    if arrow.is_map(kind):
        return TrinoType("map", children=(trino_type(kind.key_type), trino_type(kind.item_type)))
    if arrow.is_struct(kind):
        return TrinoType("row", children=tuple(trino_type(each.type) for each in kind), names=tuple(each.name for each in kind))
    return TrinoType("array", children=(trino_type(kind.value_type),))


def _is_binary(kind: pa.DataType) -> bool:
    return bool(arrow.is_binary(kind) or arrow.is_large_binary(kind) or arrow.is_fixed_size_binary(kind))


# Declared types whose values are text in Arrow.
_TEXTS = frozenset({"varchar", "char", "json", "uuid", "ipaddress", "unknown"})
_NUMBERS = {"tinyint": arrow.is_integer, "smallint": arrow.is_integer, "integer": arrow.is_integer, "bigint": arrow.is_integer}
_NUMBERS |= {"real": arrow.is_floating, "double": arrow.is_floating, "decimal": arrow.is_decimal, "boolean": arrow.is_boolean}
_TIMES = {"date": arrow.is_date, "time": arrow.is_time, "timestamp": arrow.is_timestamp, f"timestamp{_ZONED}": arrow.is_timestamp}


def declared(name: str, kind: pa.DataType, zone: str | None = None) -> TrinoType:
    """The type that a statement's dialect gives a column, where the column's values can be of it; else the column's own."""
    own = trino_type(kind)
    try:
        wanted = parse_type(name)
    except ValueError:
        return own
    return replace(wanted if _fits(wanted, kind) else own, zone=zone or "UTC")


def _fits(wanted: TrinoType, kind: pa.DataType) -> bool:
    own = trino_type(kind)
    if wanted.raw in ("array", "map", "row"):
        if own.raw != wanted.raw or len(own.children) != len(wanted.children):
            return False
        kinds = [kind.key_type, kind.item_type] if arrow.is_map(kind) else [each.type for each in _fields(kind)]
        return all(_fits(child, each) for child, each in zip(wanted.children, kinds, strict=True))
    if wanted.raw in _TEXTS:
        return own.raw in ("varchar", "unknown")
    check = _NUMBERS.get(wanted.raw) or _TIMES.get(wanted.raw)
    if check is None:
        return own.raw == wanted.raw
    if wanted.raw in _TIMED and wanted.raw.endswith(_ZONED) != own.raw.endswith(_ZONED):
        return False
    return bool(check(kind))


def _fields(kind: pa.DataType) -> list[pa.Field]:
    return [kind.field(index) for index in range(kind.num_fields)]


_TYPE_TOKEN = re.compile(r'\s*("(?:[^"]|"")*"|[A-Za-z_][A-Za-z0-9_]*|\d+|[(),])')


def parse_type(text: str) -> TrinoType:
    """A type as Trino writes it. Raises ValueError."""
    tokens: list[str] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TYPE_TOKEN.match(text, at)
        if match is None:
            raise ValueError(text)
        tokens.append(match[1])
        at = match.end()
    reading = _Reading(tokens)
    kind = reading.type()
    if reading.tokens:
        raise ValueError(text)
    return kind


class _Reading:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def type(self) -> TrinoType:
        word = self._word()
        if word == "interval":
            return TrinoType(" ".join([word, self._word(), self._word(), self._word()]))
        if word == "double" and self._sees("precision"):
            self.tokens.pop(0)
        numbers: list[int] = []
        children: list[TrinoType] = []
        names: list[str] = []
        while self._sees("(") or ((children or numbers) and self._sees(",")):
            self.tokens.pop(0)
            if self.tokens and self.tokens[0].isdigit():
                numbers.append(int(self.tokens.pop(0)))
                continue
            if word == "row":
                names.append(self._field_name())
            children.append(self.type())
        if numbers or children:
            self._expect(")")
        if word in ("timestamp", "time") and self._sees("with"):
            for part in ("with", "time", "zone"):
                self._expect(part)
            word += _ZONED
        return TrinoType(word, tuple(numbers), tuple(children), tuple(names))

    def _field_name(self) -> str:
        """Fields may have none: then the type comes first, and a comma, bracket or end after it."""
        following = self.tokens[1] if len(self.tokens) > 1 else ")"
        if self.tokens and self.tokens[0].startswith('"'):
            return self.tokens.pop(0)[1:-1].replace('""', '"')
        return "" if following in "(,)" else self.tokens.pop(0)

    def _word(self) -> str:
        if not self.tokens or not self.tokens[0][0].isalpha():
            raise ValueError
        return self.tokens.pop(0).lower()

    def _sees(self, token: str) -> bool:
        return bool(self.tokens) and self.tokens[0].lower() == token

    def _expect(self, token: str) -> None:
        if not self._sees(token):
            raise ValueError
        self.tokens.pop(0)


def columns(names: Sequence[str], kinds: Sequence[TrinoType]) -> list[dict[str, Any]]:
    """The columns of a result, as clients read them."""
    return [{"name": name, "type": kind.name, "typeSignature": kind.signature} for name, kind in zip(names, kinds, strict=True)]
