"""What the translator passes around: a piece of Spark's SQL with its Trino type."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from sqe import errors
from sqe.errors import ErrorCode, SqeError
from sqe.sql.dialect.trino.types import Type


@dataclass(frozen=True)
class Value:
    """`sql` is one operand: a name, a call, a literal, or in brackets."""

    sql: str
    type: Type
    zone: str | None = None  # of an instant, where all rows have the same: the zone in Spark's words
    text: str | None = None  # of a string literal: what it says
    number: int | None = None  # of a whole number literal
    fallible: bool = False  # can fail for a row, in a way that only TRY around it would catch

    def of(self, sql: str) -> Value:
        return Value(sql, self.type, self.zone)

    @property
    def is_literal(self) -> bool:
        return self.text is not None or self.number is not None or self.sql in ("NULL", "true", "false")

    @property
    def is_null(self) -> bool:
        return self.type.base == "unknown"


LONG = 80
"""Characters of an operand that is calculated once instead of written several times."""


def once(value: Value, write: Callable[[Value], str]) -> str:
    """What `write` makes of an operand that it needs many times: else ten casts inside each other would be a text of gigabytes,
    and random() would be another number at each place."""
    if len(value.sql) <= LONG and not is_volatile(value):
        return write(value)
    name = f"once{len(value.sql)}"  # longer than every name inside it
    return f"get(transform(array({value.sql}), {name} -> {write(replace(value, sql=name))}), 0)"


_VOLATILE = re.compile(r"\b(?:rand|uuid|shuffle)\(")


def is_volatile(value: Value) -> bool:
    """Whether it is another value each time it is calculated."""
    return _VOLATILE.search(value.sql) is not None


def position(node: exp.Expr | None) -> tuple[int | None, int | None]:
    """Line and column of the first token below a node that knows where it stands; of a dotted name, its beginning."""
    if isinstance(node, exp.Table | exp.Column) and node.parts:
        node = node.parts[0]
    for each in node.walk() if node is not None else ():
        line, end = each.meta.get("line"), each.meta.get("col")
        if line is not None and end is not None:
            length = max(1, each.meta.get("end", 0) - each.meta.get("start", 0) + 1)
            return line, max(1, end - length + 1)
    return None, None


def wrong(node: exp.Expr | None, code: ErrorCode, message: str, hint: str | None = None) -> SqeError:
    line, column = position(node)
    return SqeError(code, message, hint=hint, line=line, column=column)


def refused(node: exp.Expr | None, what: str, hint: str | None = None) -> SqeError:
    return wrong(node, errors.NOT_SUPPORTED, f"{what} is not available in the Trino dialect", hint)


def mismatch(node: exp.Expr | None, message: str) -> SqeError:
    return wrong(node, errors.TYPE_MISMATCH, message)


def literal(text: str) -> str:
    """A string literal in Spark's words, where a backslash escapes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + escaped + "'"


def with_zone(value: Value, zone: str | None) -> Value:
    return replace(value, zone=zone)
