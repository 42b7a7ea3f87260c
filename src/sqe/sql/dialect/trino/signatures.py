"""Trino's own list of functions, and which signature of a name a call means: by the types of its arguments, as Trino decides."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.types import Type


@dataclass(frozen=True)
class Pattern:
    """A type with variables: `map(K, array(V))`, `decimal(p,s)`."""

    base: str
    arguments: tuple[Pattern, ...] = ()

    @property
    def is_variable(self) -> bool:
        return not self.arguments and self.base not in _BASES


@dataclass(frozen=True)
class Signature:
    name: str
    kind: str  # scalar, aggregate, window or table
    result: Pattern
    arguments: tuple[Pattern, ...]

    @property
    def is_variadic(self) -> bool:
        return self.name in _VARIADIC and (self.name != "concat" or len(self.arguments) == 1)


@dataclass
class Bindings:
    types: dict[str, Type] = field(default_factory=dict)
    numbers: dict[str, int | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Lambda:
    """A place that a lambda takes in a call: its type follows from the other arguments."""

    parameters: int


_VARIADIC = {"concat", "concat_ws", "greatest", "least", "map_concat"}

# Texts in the role of something that Trino compiles beforehand.
_OF_TEXT = {"joniregexp", "jsonpath", "codepoints", "likepattern", "color"}
_BASES = {
    *("boolean", "tinyint", "smallint", "integer", "bigint", "real", "double", "varchar", "char", "varbinary", "json", "uuid"),
    *("date", "time", "timestamp", "timestamp with time zone", "time with time zone", "decimal", "unknown", "ipaddress"),
    *("interval day to second", "interval year to month", "array", "map", "row", "function", *_OF_TEXT),
    *("hyperloglog", "qdigest", "tdigest", "setdigest", "geometry", "sphericalgeography", "kdbtree", "bingtile", "model"),
}

_NUMBER_ORDER = {"tinyint": 0, "smallint": 1, "integer": 2, "bigint": 3, "decimal": 4, "real": 5, "double": 6}


@functools.cache
def signatures() -> dict[str, tuple[Signature, ...]]:
    found: dict[str, list[Signature]] = {}
    for line in files(__package__).joinpath("signatures.tsv").read_text().splitlines():
        if not line.startswith("#"):
            name, kind, result, arguments = line.split("\t")
            patterns = tuple(_split(arguments))
            found.setdefault(name.lower(), []).append(Signature(name.lower(), kind, _pattern(result), patterns))
    return {name: tuple(each) for name, each in found.items()}


def _split(text: str) -> Iterator[Pattern]:
    depth = start = 0
    for at, char in enumerate(text + ","):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            if text[start:at].strip():
                yield _pattern(text[start:at].strip())
            start = at + 1


def _pattern(text: str) -> Pattern:
    match = re.fullmatch(r"([^()]+)\((.*)\)([^()]*)", text, re.DOTALL)
    if match is None:
        return Pattern(text)
    return Pattern(match[1] + match[3], tuple(_split(match[2])))


def choose(name: str, given: Sequence[Type | Lambda]) -> tuple[Signature, Bindings] | None:
    """The cheapest signature that takes these; None when there is none."""
    best: tuple[int, Signature, Bindings] | None = None
    for signature in signatures().get(name, ()):
        bindings = Bindings()
        cost = _cost(spread(signature, len(given)), given, bindings)
        if cost is not None and (best is None or cost < best[0]):
            best = (cost, signature, bindings)
    return (best[1], best[2]) if best else None


def spread(signature: Signature, count: int) -> tuple[Pattern, ...]:
    """The patterns of a call with so many arguments."""
    patterns = signature.arguments
    if signature.is_variadic and count > len(patterns):
        return (*patterns, *[patterns[-1]] * (count - len(patterns)))
    return patterns


def _cost(patterns: tuple[Pattern, ...], given: Sequence[Type | Lambda], bindings: Bindings) -> int | None:
    if len(patterns) != len(given):
        return None
    total = 0
    for pattern, kind in zip(patterns, given, strict=True):
        if isinstance(kind, Lambda):
            if pattern.base != "function" or len(pattern.arguments) != kind.parameters + 1:
                return None
            continue
        cost = None if pattern.base == "function" else unify(pattern, kind, bindings)
        if cost is None:
            return None
        total += cost
    return total


def unify(pattern: Pattern, kind: Type, bindings: Bindings) -> int | None:
    """How far the type is from the pattern: 0 = none of it is turned into something else; None = it does not fit."""
    if pattern.is_variable:
        return _bind(pattern.base, kind, bindings)
    if kind.base == "unknown":
        return 1
    if pattern.base == kind.base:
        return _unify_inner(pattern, kind, bindings)
    if pattern.base in _OF_TEXT and kind.is_text:
        return 0
    turned = _turned(pattern.base, kind)
    if turned is None:
        return None
    cost, target = turned
    inner = _unify_inner(pattern, target, bindings)
    return None if inner is None else cost + inner


def _bind(variable: str, kind: Type, bindings: Bindings) -> int | None:
    bound = bindings.types.get(variable)
    if bound is None or bound.base == "unknown":
        bindings.types[variable] = kind
        return 0
    shared = T.common(bound, kind)
    if shared is None:
        return None
    bindings.types[variable] = shared
    return 0 if shared == bound == kind else 1


def _unify_inner(pattern: Pattern, kind: Type, bindings: Bindings) -> int | None:
    if not pattern.arguments:
        return 0
    if kind.inner:
        if len(kind.inner) != len(pattern.arguments):
            return None
        costs = [unify(inner, each, bindings) for inner, each in zip(pattern.arguments, kind.inner, strict=True)]
        return None if any(cost is None for cost in costs) else sum(cost or 0 for cost in costs)
    for at, inner in enumerate(pattern.arguments):
        number = kind.numbers[at] if at < len(kind.numbers) else None
        if inner.base.isdigit():
            continue
        known = bindings.numbers.get(inner.base)
        bindings.numbers[inner.base] = number if known is None else max(known, number or 0)
    return 0


def _turned(base: str, kind: Type) -> tuple[int, Type] | None:
    """The type of this base that a value turns into by itself, and at what cost."""
    if kind.base in _NUMBER_ORDER and base in _NUMBER_ORDER:
        steps = _NUMBER_ORDER[base] - _NUMBER_ORDER[kind.base]
        if steps <= 0:
            return None
        # Decimals are the last choice of whole numbers: sqrt(2) takes a double although decimals are nearer.
        return (steps, T.as_decimal(kind)) if base == "decimal" else (steps, Type(base))
    if kind.base == "char" and base == "varchar":
        return 1, T.varchar(kind.numbers[0])
    order = ("date", "timestamp", "timestamp with time zone")
    if kind.base in order and base in order and order.index(base) > order.index(kind.base):
        return order.index(base) - order.index(kind.base), Type(base, numbers=kind.numbers or (0,))
    return None


def substitute(pattern: Pattern, bindings: Bindings) -> Type:
    """The pattern with its variables filled in."""
    if pattern.is_variable:
        return bindings.types.get(pattern.base, T.UNKNOWN)
    if pattern.base in _OF_TEXT:
        return T.VARCHAR
    if pattern.base == "row":
        return T.row(*((None, substitute(each, bindings)) for each in pattern.arguments))
    if pattern.base in ("array", "map", "function"):
        return Type(pattern.base, tuple(substitute(each, bindings) for each in pattern.arguments))
    numbers = [_number(each.base, bindings) for each in pattern.arguments]
    if any(number is None for number in numbers):
        numbers = []
    if pattern.base.startswith("time") and not numbers:
        numbers = [3]
    if pattern.base == "decimal" and not numbers:
        numbers = [38, 0]
    return Type(pattern.base, numbers=tuple(number for number in numbers if number is not None))


def _number(text: str, bindings: Bindings) -> int | None:
    return int(text) if text.isdigit() else bindings.numbers.get(text)
