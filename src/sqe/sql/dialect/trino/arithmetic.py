"""`+ - * / %`: whole numbers stay whole and overflow is an error, decimals keep Trino's scales, floats divide by zero."""

from __future__ import annotations

from sqlglot import exp

from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.compiler import Compiler, handles
from sqe.sql.dialect.trino.types import Type
from sqe.sql.dialect.trino.values import Value, mismatch, refused

_SYMBOLS = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}
_TRIED = {"+": "try_add", "-": "try_subtract", "*": "try_multiply", "%": "try_mod"}


@handles(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod)
def _binary(c: Compiler, node: exp.Binary) -> Value:
    return calculate(c, node, _SYMBOLS[type(node)], c.value(node.left), c.value(node.right))


def calculate(c: Compiler, node: exp.Expr, symbol: str, left: Value, right: Value) -> Value:
    from sqe.sql.dialect.trino import moments

    if left.is_null and right.is_null:
        return Value("NULL", T.UNKNOWN)
    if found := moments.calculate(c, node, symbol, left, right):
        return found
    left, right = (_typed(c, each, other) for each, other in ((left, right), (right, left)))
    if not (left.type.is_number and right.type.is_number):
        raise mismatch(node, f"Cannot apply operator: {left.type} {symbol} {right.type}")
    kind = T.common(left.type, right.type)
    if kind is None or kind.base == "decimal":
        return _decimal(c, node, symbol, left, right)
    left, right = c.cast(left, kind), c.cast(right, kind)
    if kind.is_integer:
        return _whole(c, symbol, left, right, kind)
    return _float(symbol, left, right, kind)


def _typed(c: Compiler, value: Value, other: Value) -> Value:
    return c.cast(value, other.type) if value.is_null else value


def _whole(c: Compiler, symbol: str, left: Value, right: Value, kind: Type) -> Value:
    if symbol == "/":
        divided = f"({left.sql} div {right.sql})"
        if c.trying:
            divided = f"({left.sql} div nullif({right.sql}, {_zero(kind)}))"
        return Value(f"CAST({divided} AS {kind.spark})" if kind.base != "bigint" else divided, kind, fallible=True)
    if c.trying:
        return Value(f"{_TRIED[symbol]}({left.sql}, {right.sql})", kind)
    return Value(f"({left.sql} {symbol} {right.sql})", kind, fallible=True)


def _zero(kind: Type) -> str:
    return f"CAST(0 AS {kind.spark})"


def _float(symbol: str, left: Value, right: Value, kind: Type) -> Value:
    if symbol in "+-*":
        return Value(f"({left.sql} {symbol} {right.sql})", kind)
    # ANSI fails where IEEE 754 has an answer. pow keeps the sign of a zero: 1 / -0.0 is -Infinity.
    plain = f"({left.sql} {symbol} {right.sql})"
    if not right.is_literal or not right.number:  # or a literal that is, or may be, zero
        by_zero = f"{left.sql} * pow({right.sql}, -1)" if symbol == "/" else f"{left.sql} * double('NaN')"
        plain = f"CASE WHEN {right.sql} = 0 THEN {by_zero} ELSE {left.sql} {symbol} {right.sql} END"
    return Value(f"CAST({plain} AS FLOAT)" if kind.base == "real" else f"({plain})", kind)


def _decimal(c: Compiler, node: exp.Expr, symbol: str, left: Value, right: Value) -> Value:
    """Spark's own scales are others; a cast gives Trino's, for which Spark's intermediate one must not be the smaller."""
    one, other = T.as_decimal(left.type), T.as_decimal(right.type)
    left, right = c.cast(left, one), c.cast(right, other)
    (p1, s1), (p2, s2) = one.numbers, other.numbers
    kind = decimal_result(node, symbol, one, other)
    if symbol == "/" and s1 < kind.numbers[1]:
        # More digits than the result has: rounding twice must not be seen.
        wider = T.decimal(min(38, p1 - s1 + kind.numbers[1]), kind.numbers[1])
        left, (p1, s1) = Value(f"CAST({left.sql} AS {wider.spark})", wider), wider.numbers
    if _spark_scale(symbol, p1, s1, p2, s2) < kind.numbers[1]:
        narrow = _narrowed(symbol, (p1, s1), (p2, s2), kind.numbers[1])
        if narrow is None:
            raise refused(
                node, f"{one} {symbol} {other}, whose result has more digits than the engine keeps,", "cast to smaller decimals"
            )
        left, right = (Value(f"CAST({each.sql} AS {to.spark})", to) for each, to in zip((left, right), narrow, strict=True))
    tried = {**_TRIED, "/": "try_divide"}[symbol] if c.trying else None
    made = f"{tried}({left.sql}, {right.sql})" if tried else f"({left.sql} {symbol} {right.sql})"
    return Value(f"CAST({made} AS {kind.spark})", kind, fallible=not c.trying)


# Digits before the point that an operand keeps at least, when it gives up others to those behind it.
_LEAST_WHOLE = 15


def _narrowed(symbol: str, one: tuple[int, int], other: tuple[int, int], scale: int) -> tuple[Type, Type] | None:
    """Types of the operands with which Spark keeps all digits behind the point. A value with more digits before it fails then,
    where Trino would go on: an error, and no other result."""
    (p1, s1), (p2, s2) = one, other
    if symbol in "+-":
        both = T.decimal(37, scale)
        return (both, both) if 37 - scale >= _LEAST_WHOLE else None
    if symbol == "/":
        whole = 38 - scale - s2
        found = (T.decimal(min(38, whole + s1), s1), T.decimal(p2, s2)) if whole >= _LEAST_WHOLE else None
    elif symbol == "*":
        smaller = min(p1 - s1, p2 - s2)
        whole = 37 - scale - smaller
        types = [T.decimal(min(p, whole + s), s) for p, s in (one, other)]
        found = (types[0], types[1]) if whole >= _LEAST_WHOLE else None
    else:
        return None
    if found is None or _spark_scale(symbol, *found[0].numbers, *found[1].numbers) < scale:
        return None
    return found


def decimal_result(node: exp.Expr | None, symbol: str, left: Type, right: Type) -> Type:
    (p1, s1), (p2, s2) = left.numbers, right.numbers
    scale = max(s1, s2)
    if symbol in "+-":
        return T.decimal(min(38, max(p1 - s1, p2 - s2) + scale + 1), scale)
    if symbol == "*":
        if s1 + s2 > 38:
            raise mismatch(node, f"DECIMAL scale must be in range [0, precision (38)]: {s1 + s2}")
        return T.decimal(min(38, p1 + p2), s1 + s2)
    if symbol == "/":
        return T.decimal(min(38, p1 + s2 + max(0, s2 - s1)), scale)
    return T.decimal(min(38, min(p1 - s1, p2 - s2) + scale), scale)


def _spark_scale(symbol: str, p1: int, s1: int, p2: int, s2: int) -> int:
    """The scale of Spark's result, which gives up digits behind the point when there are more than 38."""
    if symbol in "+-":
        scale, precision = max(s1, s2), max(p1 - s1, p2 - s2) + max(s1, s2) + 1
    elif symbol == "*":
        scale, precision = s1 + s2, p1 + p2 + 1
    elif symbol == "/":
        scale = max(6, s1 + p2 + 1)
        precision = p1 - s1 + s2 + scale
    else:
        scale, precision = max(s1, s2), min(p1 - s1, p2 - s2) + max(s1, s2)
    return scale if precision <= 38 else max(38 - (precision - scale), min(scale, 6))


@handles(exp.Neg)
def _negative(c: Compiler, node: exp.Neg) -> Value:
    if isinstance(node.this, exp.Literal) and not node.this.is_string and str(node.this.this) == str(2**63):
        return Value(f"-{2**63}L", T.BIGINT)
    value = c.value(node.this)
    if value.is_null:
        return value
    if not (value.type.is_number or value.type.is_interval):
        raise mismatch(node, f"Cannot negate {value.type}")
    return Value(f"(- {value.sql})", value.type, number=-value.number if value.number else None, fallible=value.fallible)
