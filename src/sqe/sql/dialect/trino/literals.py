"""Literals and names."""

from __future__ import annotations

import re
from decimal import Decimal

from sqlglot import exp

from sqe import errors
from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.compiler import Compiler, handles
from sqe.sql.dialect.trino.types import Type
from sqe.sql.dialect.trino.values import Value, literal, refused, wrong
from sqe.sql.tokens import quote_name


@handles(exp.Literal)
def _literal(c: Compiler, node: exp.Literal) -> Value:
    text = str(node.this)
    return string(text) if node.is_string else number(node, text)


def string(text: str) -> Value:
    return Value(literal(text), T.varchar(len(text)), text=text)


def number(node: exp.Expr, text: str) -> Value:
    text = text.replace("_", "")
    if re.fullmatch(r"0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+", text):
        text = str(int(text, 0))
    if text.isdigit():
        return whole(node, int(text))
    if "e" in text.lower():
        return Value(f"{float(text)!r}D" if float(text) not in (float("inf"),) else "double('Infinity')", T.DOUBLE, number=0)
    digits = Decimal(text).as_tuple()
    scale = max(0, -int(digits.exponent))
    return Value(f"{Decimal(text):f}BD", T.decimal(max(len(digits.digits), scale, 1), scale), number=0)


def whole(node: exp.Expr, value: int) -> Value:
    if value < 2**31:
        return Value(str(value), T.INTEGER, number=value)
    if value < 2**63:
        return Value(f"{value}L", T.BIGINT, number=value)
    raise wrong(node, errors.INVALID_LITERAL, f"Invalid numeric literal: {value}")


@handles(exp.Boolean)
def _boolean(c: Compiler, node: exp.Boolean) -> Value:
    return Value("true" if node.this else "false", T.BOOLEAN)


@handles(exp.Null)
def _null(c: Compiler, node: exp.Null) -> Value:
    return Value("NULL", T.UNKNOWN)


@handles(exp.HexString)
def _bytes(c: Compiler, node: exp.HexString) -> Value:
    text = re.sub(r"\s", "", str(node.this))
    if len(text) % 2 or not re.fullmatch(r"[0-9a-fA-F]*", text):
        raise wrong(node, errors.INVALID_LITERAL, "Binary literal must contain an even number of hexadecimal digits")
    return Value(f"X'{text}'", T.VARBINARY, number=0)


@handles(exp.UnicodeString)
def _unicode(c: Compiler, node: exp.UnicodeString) -> Value:
    escape = node.args.get("escape")
    mark = re.escape(escape.name if isinstance(escape, exp.Expr) else "\\")
    pattern = rf"{mark}(?:({mark})|\+([0-9a-fA-F]{{6}})|([0-9a-fA-F]{{4}}))"
    return string(re.sub(pattern, lambda found: found[1] or chr(int(found[2] or found[3], 16)), str(node.this)))


@handles(exp.Paren)
def _paren(c: Compiler, node: exp.Paren) -> Value:
    return c.value(node.this)


@handles(exp.Column)
def _column(c: Compiler, node: exp.Column) -> Value:
    if isinstance(node.this, exp.Star):
        raise refused(node, "A star at this place")
    parts = [part.name for part in node.parts]
    found, left = c.scope.find(node, parts)
    return fields_of(node, found, left)


@handles(exp.Identifier)
def _identifier(c: Compiler, node: exp.Identifier) -> Value:
    """sqlglot has bare identifiers where lambdas name their parameters."""
    found, _ = c.scope.find(node, [node.name])
    return found


@handles(exp.Dot)
def _dot(c: Compiler, node: exp.Dot) -> Value:
    if isinstance(node.expression, exp.Identifier):
        return fields_of(node, c.value(node.this), [node.expression.name])
    raise refused(node, "A function with a qualified name")


def fields_of(node: exp.Expr, value: Value, names: list[str]) -> Value:
    for name in names:
        if value.type.base != "row":
            raise wrong(node, errors.TYPE_MISMATCH, f"Expression is not of type ROW: there is no field '{name}'")
        value = row_field(node, value, name)
    return value


def row_field(node: exp.Expr, value: Value, name: str) -> Value:
    at = [index for index, each in enumerate(value.type.names) if each is not None and each.lower() == name.lower()]
    if len(at) != 1:
        raise wrong(node, errors.COLUMN_NOT_FOUND, f"Field '{name}' cannot be resolved")
    return numbered_field(value, at[0])


def numbered_field(value: Value, at: int) -> Value:
    """Fields by their place: two of them may have the same name."""
    return Value(f"{value.sql}.{quote_name(value.type.field_names[at])}", value.type.inner[at])


@handles(exp.Interval)
def _interval(c: Compiler, node: exp.Interval) -> Value:
    sign, text = "", node.this
    while isinstance(text, exp.Neg):
        sign, text = "" if sign else "-", text.this
    if not isinstance(text, exp.Literal) or not text.is_string:
        raise refused(node, "An interval that is not a literal")
    unit = node.args.get("unit")
    units = [unit.this.name, unit.expression.name] if isinstance(unit, exp.IntervalSpan) else [unit.name if unit else ""]
    return interval(node, sign, text.name.strip(), [each.upper().rstrip("S") for each in units])


_MONTHS = {"YEAR": 12, "MONTH": 1}
_MICROS = {"DAY": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000}


def interval(node: exp.Expr, sign: str, text: str, units: list[str]) -> Value:
    if text[:1] in "+-":
        sign, text = ("" if sign else "-") if text[0] == "-" else sign, text[1:]
    months = _count(text, units, _MONTHS, r"(\d+)(?:-(\d+))?")
    if months is not None:
        return Value(f"INTERVAL '{sign}{months // 12}-{months % 12}' YEAR TO MONTH", T.YEAR_MONTH)
    micros = _count(text, units, _MICROS, r"(\d+(?:\.\d+)?)(?:[ :](\d+(?:\.\d+)?))?(?::(\d+(?:\.\d+)?))?(?::(\d+(?:\.\d+)?))?")
    if micros is None:
        raise wrong(node, errors.INVALID_LITERAL, f"Invalid interval: '{text[:40]}' {' to '.join(units)}")
    seconds, rest = divmod(micros, 1_000_000)
    days, seconds = divmod(seconds, 86_400)
    clock = f"{days} {seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:06}"
    return Value(f"INTERVAL '{sign}{clock}' DAY TO SECOND", T.DAY_SECOND)


def _count(text: str, units: list[str], sizes: dict[str, int], pattern: str) -> int | None:
    order = list(sizes)
    if any(unit not in sizes for unit in units):
        return None
    covered = order[order.index(units[0]) : order.index(units[-1]) + 1]
    match = re.fullmatch(pattern, text)
    if match is None:
        return None
    given = [part for part in match.groups() if part is not None]
    if len(given) > len(covered):
        return None
    total = Decimal(0)
    for part, unit in zip(given, covered, strict=False):
        if "." in part and unit != "SECOND":
            return None
        total += Decimal(part) * sizes[unit]
    return int(total)


@handles(exp.Array)
def _array(c: Compiler, node: exp.Array) -> Value:
    items = c.shared(node, c.values(node.expressions))
    kind = items[0].type if items else T.UNKNOWN
    return Value(f"array({', '.join(item.sql for item in items)})", T.array(kind))


@handles(exp.Tuple)
def _tuple(c: Compiler, node: exp.Tuple) -> Value:
    return row(c.values(node.expressions))


def row(items: list[Value]) -> Value:
    kind = T.row(*((None, item.type) for item in items))
    pairs = (f"{literal(name)}, {item.sql}" for name, item in zip(kind.field_names, items, strict=True))
    return Value(f"named_struct({', '.join(pairs)})", kind)


@handles(exp.Bracket)
def _bracket(c: Compiler, node: exp.Bracket) -> Value:
    value = c.value(node.this)
    (index,) = c.values(node.expressions)
    return subscript(c, node, value, index)


def subscript(c: Compiler, node: exp.Expr, value: Value, index: Value) -> Value:
    if value.type.base == "row" and index.number:
        if not 0 < index.number <= len(value.type.inner):
            raise wrong(node, errors.INVALID_FUNCTION_ARGUMENT, f"Row index {index.number} is out of bounds")
        return numbered_field(value, index.number - 1)
    if value.type.base == "array":
        if not index.type.is_integer:
            raise wrong(node, errors.TYPE_MISMATCH, f"An array has no subscript of the type {index.type}")
        if c.trying:
            return Value(f"get({value.sql}, {index.sql} - 1)", value.type.inner[0])
        # ANSI: an index outside of the array fails, as in Trino; a negative one too, which element_at would count from the end.
        return Value(f"{value.sql}[{_zero_based(index)}]", value.type.inner[0], fallible=True)
    if value.type.base == "map":
        key, item = value.type.inner
        found = f"element_at({value.sql}, {c.cast(index, key).sql})"
        if c.trying:
            return Value(found, item)
        missing = "raise_error('Key not present in map')"
        present = f"map_contains_key({value.sql}, {c.cast(index, key).sql})"
        return Value(f"CASE WHEN {present} IS FALSE THEN {missing} ELSE {found} END", item, fallible=True)
    raise wrong(node, errors.TYPE_MISMATCH, f"{value.type} has no subscripts")


def _zero_based(index: Value) -> str:
    return str(index.number - 1) if index.number is not None else f"({index.sql} - 1)"


def type_of(node: exp.Expr) -> Type:
    """The type that a CAST names."""
    from sqe.sql.dialect.trino.parser import TrinoText

    try:
        return T.read_type(node.sql(dialect=TrinoText))
    except errors.SqeError as error:
        raise wrong(node, error.code, error.message) from None
