"""Trino's types: how they are written, what Spark holds them in, and which of two a value of both becomes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.tokens import quote_name

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Type:
    """`decimal(10,2)` is ("decimal", numbers=(10, 2)), `map(bigint, varchar)` is ("map", inner=(…, …))."""

    base: str
    inner: tuple[Type, ...] = ()
    numbers: tuple[int, ...] = ()  # length, precision and scale
    names: tuple[str | None, ...] = ()  # of a row's fields

    def __str__(self) -> str:
        if self.base == "row":
            fields = (f"{_field(name)} {kind}" if name else str(kind) for name, kind in zip(self.names, self.inner, strict=True))
            return f"row({', '.join(fields)})"
        if self.inner:
            return f"{self.base}({', '.join(map(str, self.inner))})"
        if self.numbers:
            first, *rest = self.base.split(" ", 1)
            return " ".join([f"{first}({','.join(map(str, self.numbers))})", *rest])
        return self.base

    @property
    def spark(self) -> str:
        """The type in which Spark holds it."""
        if self.base == "array":
            return f"ARRAY<{self.inner[0].spark}>"
        if self.base == "map":
            return f"MAP<{self.inner[0].spark}, {self.inner[1].spark}>"
        if self.base == "row":
            fields = (f"{quote_name(name)}: {kind.spark}" for name, kind in zip(self.field_names, self.inner, strict=True))
            return f"STRUCT<{', '.join(fields)}>"
        if self.base == "decimal":
            return f"DECIMAL({self.numbers[0]},{self.numbers[1]})"
        if self.base not in _IN_SPARK:
            raise SqeError(errors.NOT_SUPPORTED, f"The type {self} is not available")
        return _IN_SPARK[self.base]

    @property
    def field_names(self) -> tuple[str, ...]:
        """As Spark's struct has them: it wants a name for every field."""
        return tuple(name or f"field{index}" for index, name in enumerate(self.names))

    @property
    def precision(self) -> int:
        return self.numbers[0] if self.numbers else 3

    @property
    def is_integer(self) -> bool:
        return self.base in INTEGERS

    @property
    def is_number(self) -> bool:
        return self.base in INTEGERS or self.base in ("decimal", "double", "real")

    @property
    def is_text(self) -> bool:
        return self.base in ("varchar", "char")

    @property
    def is_instant(self) -> bool:
        return self.base == "timestamp with time zone"

    @property
    def is_interval(self) -> bool:
        return self.base.startswith("interval")

    @property
    def is_known(self) -> bool:
        """Whether it says what a value is; `unknown` is the type of NULL."""
        return self.base != "unknown" and all(each.is_known for each in self.inner)


INTEGERS = ("tinyint", "smallint", "integer", "bigint")
_DIGITS = {"tinyint": 3, "smallint": 5, "integer": 10, "bigint": 19}

_IN_SPARK = {
    "boolean": "BOOLEAN",
    "tinyint": "TINYINT",
    "smallint": "SMALLINT",
    "integer": "INT",
    "bigint": "BIGINT",
    "real": "FLOAT",
    "double": "DOUBLE",
    "varchar": "STRING",
    "char": "STRING",
    "varbinary": "BINARY",
    "json": "STRING",
    "uuid": "STRING",
    "date": "DATE",
    "time": "TIME(6)",
    "timestamp": "TIMESTAMP_NTZ",
    "timestamp with time zone": "TIMESTAMP",
    "interval year to month": "INTERVAL YEAR TO MONTH",
    "interval day to second": "INTERVAL DAY TO SECOND",
    "unknown": "VOID",
}

BOOLEAN, TINYINT, SMALLINT, INTEGER, BIGINT = map(Type, ("boolean", "tinyint", "smallint", "integer", "bigint"))
REAL, DOUBLE, VARCHAR, VARBINARY, JSON, UUID, DATE = map(Type, ("real", "double", "varchar", "varbinary", "json", "uuid", "date"))
YEAR_MONTH, DAY_SECOND, UNKNOWN = map(Type, ("interval year to month", "interval day to second", "unknown"))


def decimal(precision: int, scale: int) -> Type:
    return Type("decimal", numbers=(precision, scale))


def timestamp(precision: int) -> Type:
    return Type("timestamp", numbers=(precision,))


def instant(precision: int) -> Type:
    return Type("timestamp with time zone", numbers=(precision,))


def time(precision: int) -> Type:
    return Type("time", numbers=(precision,))


def varchar(length: int) -> Type:
    return Type("varchar", numbers=(length,))


def array(element: Type) -> Type:
    return Type("array", (element,))


def map_of(key: Type, value: Type) -> Type:
    return Type("map", (key, value))


def row(*fields: tuple[str | None, Type]) -> Type:
    return Type("row", tuple(kind for _, kind in fields), names=tuple(name for name, _ in fields))


def _field(name: str) -> str:
    return name if re.fullmatch(r"[a-z_][a-z0-9_]*", name) else '"' + name.replace('"', '""') + '"'


# Reading type names.

_TOKENS = re.compile(r'\s*(?:("(?:[^"]|"")*")|(\w+)|(.))', re.DOTALL)
_ALIASES = {
    "int": "integer",
    "string": "varchar",
    "float": "real",
    "dec": "decimal",
    "numeric": "decimal",
    "double precision": "double",
}
_WITH_NUMBERS = {"varchar", "char", "decimal", "timestamp", "time"}
_KNOWN = {*_IN_SPARK, "decimal", "time with time zone", "ipaddress", "hyperloglog", "p4hyperloglog", "qdigest", "tdigest"}
_SIMPLE = _KNOWN | {"color", "setdigest", "jsonpath", "json2016", "likepattern", "joniregexp", "codepoints"}


def read_type(text: str) -> Type:
    """A type as Trino writes it. Raises TYPE_NOT_FOUND."""
    words = [(quoted, word, symbol) for quoted, word, symbol in _TOKENS.findall(text) if quoted or word or symbol.strip()]
    reader = _TypeReader(text, words)
    found = reader.type()
    if reader.at != len(words):
        raise reader.wrong()
    return found


class _TypeReader:
    def __init__(self, text: str, words: list[tuple[str, str, str]]) -> None:
        self.text, self.words, self.at = text, words, 0

    def wrong(self) -> SqeError:
        return SqeError(errors.TYPE_NOT_FOUND, f"Unknown type: {self.text[:100]}")

    def peek(self, ahead: int = 0) -> str:
        return "".join(self.words[self.at + ahead]).lower() if self.at + ahead < len(self.words) else ""

    def take(self, *phrase: str) -> bool:
        if tuple(self.peek(ahead) for ahead in range(len(phrase))) != phrase:
            return False
        self.at += len(phrase)
        return True

    def expect(self, word: str) -> None:
        if not self.take(word):
            raise self.wrong()

    def type(self) -> Type:
        if self.at >= len(self.words) or not self.words[self.at][1]:
            raise self.wrong()
        base = self.peek()
        self.at += 1
        if base == "double" and self.take("precision"):
            return DOUBLE
        if base == "interval":
            for unit in ("year to month", "day to second"):
                if self.take(*unit.split()):
                    return Type(f"interval {unit}")
            raise self.wrong()
        base = _ALIASES.get(base, base)
        if base == "row":
            return self.row()
        if base in ("array", "map", "function"):
            return Type(base, tuple(self.inner()))
        if base == "array" and self.take("<"):
            raise self.wrong()
        found = Type(base, numbers=tuple(self.numbers()) if base in _WITH_NUMBERS else ())
        if base in ("timestamp", "time"):
            if self.take("with", "time", "zone"):
                found = replace(found, base=f"{base} with time zone")
            else:
                self.take("without", "time", "zone")
            found = replace(found, numbers=found.numbers or (3,))
        if base == "decimal":
            found = replace(found, numbers=(*found.numbers, 0)[:2] if found.numbers else (38, 0))
            if not (0 < found.numbers[0] <= 38 and found.numbers[1] <= found.numbers[0]):
                raise self.wrong()
        if base == "char":
            found = replace(found, numbers=found.numbers or (1,))
        if found.base not in _SIMPLE:
            raise self.wrong()
        while self.take("array"):
            found = array(found)
        return found

    def inner(self) -> Iterator[Type]:
        closing = ">" if self.take("<") else ")"
        if closing == ")":
            self.expect("(")
        yield self.type()
        while self.take(","):
            yield self.type()
        self.expect(closing)

    def numbers(self) -> Iterator[int]:
        if not self.take("("):
            return
        while not self.take(")"):
            if not self.peek().isdigit():
                raise self.wrong()
            yield int(self.peek())
            self.at += 1
            self.take(",")

    def row(self) -> Type:
        self.expect("(")
        fields: list[tuple[str | None, Type]] = []
        while not self.take(")"):
            if fields:
                self.expect(",")
            fields.append(self.field())
        return row(*fields)

    def field(self) -> tuple[str | None, Type]:
        quoted, word, _ = self.words[self.at] if self.at < len(self.words) else ("", "", "")
        if quoted:
            self.at += 1
            return quoted[1:-1].replace('""', '"'), self.type()
        start = self.at
        follows = self.peek(1)
        if follows not in (",", ")", "(", "<") and not (
            word.lower() in ("timestamp", "time", "double", "interval") and follows in _SECOND_WORDS
        ):
            self.at += 1
            return word.lower(), self.type()
        self.at = start
        return None, self.type()


_SECOND_WORDS = ("with", "without", "precision", "year", "day")


# What two types have in common.


def common(left: Type, right: Type) -> Type | None:
    """The type to which both are turned without a cast; None when there is none."""
    if left == right:
        return left
    if left.base == "unknown":
        return right
    if right.base == "unknown":
        return left
    if left.base == right.base and left.base in ("array", "map", "row"):
        return _common_inner(left, right)
    if left.is_number and right.is_number:
        return _common_number(left, right)
    if left.is_text and right.is_text:
        return _common_text(left, right)
    order = ("date", "timestamp", "timestamp with time zone")
    if left.base in order and right.base in order:
        base = max(left.base, right.base, key=order.index)
        return Type(base, numbers=(max(left.numbers[0] if left.numbers else 0, right.numbers[0] if right.numbers else 0),))
    if left.base == right.base and left.numbers:
        return left if left.numbers >= right.numbers else right
    return None


def _common_inner(left: Type, right: Type) -> Type | None:
    if len(left.inner) != len(right.inner):
        return None
    inner = tuple(common(one, other) for one, other in zip(left.inner, right.inner, strict=True))
    if any(each is None for each in inner):
        return None
    names = tuple(one if one == other else None for one, other in zip(left.names, right.names, strict=True))
    return Type(left.base, tuple(each for each in inner if each), names=names)


def _common_number(left: Type, right: Type) -> Type:
    for approximate in ("double", "real"):
        if approximate in (left.base, right.base):
            return Type(approximate)
    if left.is_integer and right.is_integer:
        return max(left, right, key=lambda kind: INTEGERS.index(kind.base))
    (p1, s1), (p2, s2) = as_decimal(left).numbers, as_decimal(right).numbers
    scale = max(s1, s2)
    return decimal(min(38, max(p1 - s1, p2 - s2) + scale), scale)


def _common_text(left: Type, right: Type) -> Type:
    if left.base == right.base == "varchar" and not (left.numbers and right.numbers):
        return VARCHAR
    if left.base == right.base:
        return max(left, right, key=lambda kind: kind.numbers)
    text, padded = (left, right) if left.base == "varchar" else (right, left)
    return Type("char", numbers=(max(padded.numbers[0], text.numbers[0]),)) if text.numbers else VARCHAR


def as_decimal(kind: Type) -> Type:
    return kind if kind.base == "decimal" else decimal(_DIGITS[kind.base], 0)


def coerces(source: Type, target: Type) -> bool:
    if source.base == "unknown" or source == target:
        return True
    if source.is_text and target.base == source.base and not target.numbers:
        return True
    return common(source, target) == target


# From the engine's schemas.


def of_arrow(kind: pa.DataType) -> Type:
    """The type of a column. Iceberg has microseconds, and its instants are in UTC for Trino."""
    import pyarrow as pa

    simple = _OF_ARROW.get(str(kind))
    if simple:
        return simple
    if pa.types.is_decimal(kind):
        return decimal(kind.precision, kind.scale)
    if pa.types.is_timestamp(kind):
        return instant(6) if kind.tz else timestamp(6)
    if pa.types.is_time(kind):
        return time(6)
    if pa.types.is_duration(kind):
        return DAY_SECOND
    if pa.types.is_map(kind):
        return map_of(of_arrow(kind.key_type), of_arrow(kind.item_type))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return array(of_arrow(kind.value_type))
    if pa.types.is_struct(kind):
        return row(*((field.name, of_arrow(field.type)) for field in kind))
    if str(kind).startswith("month"):
        return YEAR_MONTH
    raise SqeError(errors.NOT_SUPPORTED, f"A column of the type {kind} is not available in the Trino dialect")


_OF_ARROW = {
    "bool": BOOLEAN,
    "int8": TINYINT,
    "int16": SMALLINT,
    "int32": INTEGER,
    "int64": BIGINT,
    "float": REAL,
    "double": DOUBLE,
    "string": VARCHAR,
    "large_string": VARCHAR,
    "binary": VARBINARY,
    "large_binary": VARBINARY,
    "date32[day]": DATE,
    "null": UNKNOWN,
}
