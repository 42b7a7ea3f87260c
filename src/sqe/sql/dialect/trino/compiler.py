"""Expressions: every node of sqlglot that has a meaning here, by its class; the others are refused.

The modules of the themes (`arithmetic`, `comparisons`, …) put their handlers into the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from sqlglot import exp

from sqe import errors
from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.scope import Scope
from sqe.sql.dialect.trino.types import Type
from sqe.sql.dialect.trino.values import Value, literal, mismatch, refused, wrong

if TYPE_CHECKING:
    from sqe.sql.dialect import Relations
    from sqe.sql.dialect.trino.queries import Query

# Characters of one translated expression. Some of Trino's operations take many of Spark's, and each level may multiply.
LONGEST = 500_000

Handler = Callable[["Compiler", exp.Expr], Value]
HANDLERS: dict[type[exp.Expr], Handler] = {}

H = TypeVar("H", bound=Callable[..., Value])


def handles(*nodes: type[exp.Expr]) -> Callable[[H], H]:
    def register(handler: H) -> H:
        for node in nodes:
            HANDLERS[node] = handler
        return handler

    return register


# What a node may say besides its operands: anything else is refused, since nobody looks at it. (`NOT LIKE` is a LIKE with
# `negate`.)
_USUAL = ("this", "expression", "expressions")
_PARTS: dict[type[exp.Expr], tuple[str, ...]] = {
    exp.Array: ("value_constructor",),
    exp.AtTimeZone: ("zone",),
    exp.Between: ("low", "high", "symmetric"),
    exp.Case: ("ifs", "default"),
    exp.Cast: ("to",),
    exp.Column: ("table", "db", "catalog"),
    exp.DPipe: ("safe",),
    exp.Div: ("typed", "safe"),
    exp.Except: ("distinct", "order", "limit", "offset", "with_"),
    exp.GroupConcat: ("separator", "on_overflow"),
    exp.Identifier: ("quoted",),
    exp.If: ("true", "false"),
    exp.In: ("query",),
    exp.Intersect: ("distinct", "order", "limit", "offset", "with_"),
    exp.Interval: ("unit",),
    exp.JSONExtract: ("option", "json_query", "quote", "on_condition"),
    exp.JSONObject: ("null_handling", "unique_keys", "return_type"),
    exp.JSONValue: ("path", "returning", "on_condition"),
    exp.Like: ("negate",),
    exp.Literal: ("is_string",),
    exp.ParseJSON: ("is_literal",),
    exp.StrPosition: ("substr",),
    exp.Trim: ("position",),
    exp.TryCast: ("to", "safe"),
    exp.UnicodeString: ("escape",),
    exp.Union: ("distinct", "order", "limit", "offset", "with_"),
    exp.Window: ("partition_by", "order", "spec", "alias", "over"),
    **dict.fromkeys((exp.Select, exp.Subquery, exp.Values), tuple(exp.Select.arg_types)),  # queries check their own
}


@dataclass(frozen=True)
class Context:
    """What holds for a whole statement."""

    relations: Relations | None
    time_zone: str
    query: Callable[[exp.Expr, Scope], Query]  # translates a query inside an expression

    @property
    def zone(self) -> str:
        return literal(self.time_zone)


@dataclass(frozen=True)
class Compiler:
    context: Context
    scope: Scope
    trying: bool = False  # inside TRY: what fails for a row is NULL
    filtering: bool = (
        False  # a condition of WHERE, or a part of it that all others are joined to by AND: NULL is as good as false
    )

    def value(self, node: exp.Expr | None) -> Value:
        if node is None:
            raise wrong(None, errors.SYNTAX_ERROR, "The statement is not complete")
        handler = HANDLERS.get(type(node))
        if handler is None:
            raise refused(node, describe(node))
        known = _PARTS.get(type(node), ())
        for name, part in node.args.items():
            if part not in (None, False, [], "") and name not in _USUAL and name not in known:
                raise refused(node, f"{describe(node)} with {name.strip('_').upper()}")
        kept = self.filtering and isinstance(node, (exp.And, exp.Not, exp.Paren, exp.In))
        value = handler(self if kept or not self.filtering else replace(self, filtering=False), node)
        if len(value.sql) > LONGEST:
            raise wrong(node, errors.QUERY_TEXT_TOO_LARGE, "The expression is too large in the engine's words")
        return value

    def values(self, nodes: Iterable[exp.Expr]) -> list[Value]:
        return [self.value(node) for node in nodes]

    def condition(self, node: exp.Expr | None) -> str:
        value = self.value(node)
        if value.type.base not in ("boolean", "unknown"):
            raise mismatch(node, f"A condition must be a boolean, not {value.type}")
        return value.sql

    def filter(self, node: exp.Expr | None) -> str:
        """A condition of WHERE."""
        return replace(self, filtering=True).condition(node)

    def cast(self, value: Value, target: Type) -> Value:
        """The value as a type that it turns into by itself."""
        from sqe.sql.dialect.trino.casts import coerce

        return coerce(self, value, target)

    def shared(self, node: exp.Expr, values: list[Value]) -> list[Value]:
        """All of them as the type that they have in common."""
        kind = T.UNKNOWN
        for value in values:
            shared = T.common(kind, value.type)
            if shared is None:
                raise mismatch(node, f"{kind} and {value.type} have no type in common")
            kind = shared
        return [self.cast(value, kind) for value in values]

    def inside(self, scope: Scope) -> Compiler:
        return replace(self, scope=scope)

    def inside_try(self) -> Compiler:
        return replace(self, trying=True)


def describe(node: exp.Expr) -> str:
    words = "".join(f" {char.lower()}" if char.isupper() else char for char in type(node).__name__).strip()
    return words[:1].upper() + words[1:]


def common_zone(values: Iterable[Value]) -> str | None:
    """The zone that all instants among the values have; None when they have several."""
    zones = {value.zone for value in values if value.type.is_instant}
    return zones.pop() if len(zones) == 1 else None
