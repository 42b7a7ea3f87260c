"""Comparisons and logic. NaN is equal to nothing and neither smaller nor larger; a NULL inside an array makes its answer NULL."""

from __future__ import annotations

import re
from dataclasses import replace

from sqlglot import exp

from sqe import errors
from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.compiler import Compiler, common_zone, handles
from sqe.sql.dialect.trino.values import Value, is_volatile, literal, mismatch, refused, wrong

_SYMBOLS = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}


@handles(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
def _comparison(c: Compiler, node: exp.Binary) -> Value:
    symbol = _SYMBOLS[type(node)]
    quantified = _quantified(node.right)
    if quantified is not None:
        return _quantifier(c, node, symbol, *quantified)
    return compare(c, node, symbol, c.value(node.left), c.value(node.right))


def compare(c: Compiler, node: exp.Expr, symbol: str, left: Value, right: Value) -> Value:
    left, right = comparable(c, node, [left, right])
    return Value(_compared(node, symbol, left, right), T.BOOLEAN)


def comparable(c: Compiler, node: exp.Expr, values: list[Value]) -> list[Value]:
    """As the type they have in common; char is compared without the blanks at its end."""
    shared = c.shared(node, values)
    if any(value.type.base == "char" for value in shared):
        return [Value(f"rtrim({value.sql})", value.type, text=value.text) for value in shared]
    if any(value.type.base == "map" for value in shared):
        raise refused(node, "A comparison of maps")
    return shared


def _compared(node: exp.Expr, symbol: str, left: Value, right: Value) -> str:
    a, b = left.sql, right.sql
    if left.type.base in ("real", "double"):
        return _floats(symbol, left, right)
    if left.type.base == "array":
        return _arrays(node, symbol, left, right)
    if left.type.base == "row":
        return _rows(node, symbol, left, right)
    return f"({a} {symbol} {b})"


def _floats(symbol: str, left: Value, right: Value) -> str:
    """Spark takes NaN for equal to itself and larger than all else."""
    a, b = left.sql, right.sql
    plain = f"{a} {symbol} {b}"
    if symbol == "<>":
        return f"({plain})" if left.is_literal or right.is_literal else f"({plain} OR (isnan({a}) AND {b} IS NOT NULL))"
    largest = right if symbol in ("<", "<=") else left  # the side on which a NaN would make it true
    if largest.is_literal or (symbol == "=" and right.is_literal):
        return f"({plain})"
    other = a if largest is right else b
    return f"({plain} AND (NOT isnan({largest.sql}) OR {other} IS NULL))"


def _arrays(node: exp.Expr, symbol: str, left: Value, right: Value) -> str:
    if symbol not in ("=", "<>"):
        return f"({left.sql} {symbol} {right.sql})"
    inner = left.type.inner[0]
    one, other = Value("x", inner), Value("y", inner)
    pairs = f"zip_with({left.sql}, {right.sql}, (x, y) -> {_compared(node, '=', one, other)})"
    same = f"(size({left.sql}) = size({right.sql}) AND forall({pairs}, z -> z))"
    return same if symbol == "=" else f"(NOT {same})"


def _rows(node: exp.Expr, symbol: str, left: Value, right: Value) -> str:
    if symbol not in ("=", "<>"):
        return f"({left.sql} {symbol} {right.sql})"
    from sqe.sql.dialect.trino.literals import numbered_field

    pairs = (_compared(node, "=", numbered_field(left, at), numbered_field(right, at)) for at in range(len(left.type.inner)))
    same = f"({' AND '.join(pairs)})"
    return same if symbol == "=" else f"(NOT {same})"


def _quantified(node: exp.Expr) -> tuple[str, exp.Expr] | None:
    """`ANY (query)`, `SOME (query)`, `ALL (query)`."""
    if isinstance(node, exp.Any):
        return "any", node.this
    if isinstance(node, exp.All):
        return "all", node.this
    if isinstance(node, exp.Anonymous) and str(node.this).lower() in ("all", "some", "any"):
        return str(node.this).lower(), node.expressions[0]
    return None


def _quantifier(c: Compiler, node: exp.Binary, symbol: str, quantifier: str, query: exp.Expr) -> Value:
    """By the least and the greatest of the query's values; with a NULL among them the answer may be NULL."""
    left = c.value(node.left)
    found = c.context.query(query, c.scope.below([]))
    if len(found.fields) != 1:
        raise mismatch(node, "The subquery must have one column")
    summary = "named_struct('n', count(1), 'k', count(q.c), 'lo', min(q.c), 'hi', max(q.c))"
    values = f"(SELECT {summary} FROM ({found.sql}) AS q(c))"
    column = found.fields[0]
    low, high = (
        _compared(node, symbol, *comparable(c, node, [left, Value(f"{values}.{name}", column.type)])) for name in ("lo", "hi")
    )
    every = quantifier == "all"
    both = f"({low} AND {high})" if every else f"({low} OR {high})"
    decided = {"=": both, "<>": both, "<": low, "<=": low, ">": high, ">=": high}
    if not every:  # one that is small or large enough will do
        decided |= {"<": high, "<=": high, ">": low, ">=": low}
    if (symbol == "=" and not every) or (symbol == "<>" and every):
        inside = _in_query(c, exp.In(this=node.left), query)
        return inside if symbol == "=" else Value(f"(NOT {inside.sql})", T.BOOLEAN)
    test = decided[symbol]
    empty, clear = ("true", "NOT " + test) if every else ("false", test)
    return Value(
        f"(CASE WHEN {values}.n = 0 THEN {empty} WHEN {clear} THEN {'false' if every else 'true'}"
        f" WHEN {values}.k < {values}.n THEN NULL ELSE {test} END)",
        T.BOOLEAN,
    )


@handles(exp.And, exp.Or)
def _logic(c: Compiler, node: exp.Connector) -> Value:
    word = "AND" if isinstance(node, exp.And) else "OR"
    # A chain of a thousand conditions is no depth of a thousand: walked, not called.
    parts: list[exp.Expr] = []
    at: exp.Expr = node
    while type(at) is type(node):
        parts.append(at.right)
        at = at.left
    parts.append(at)
    values = [c.value(part) for part in reversed(parts)]
    for part, value in zip(reversed(parts), values, strict=True):
        if value.type.base not in ("boolean", "unknown"):
            raise mismatch(part, f"{word} takes booleans, not {value.type}")
    check_try(c, node, values)
    return Value(f"({f' {word} '.join(value.sql for value in values)})", T.BOOLEAN)


def check_try(c: Compiler, node: exp.Expr, values: list[Value]) -> None:
    """Inside TRY a failing part becomes NULL; where a NULL would not reach the outside, that is not what TRY means."""
    if c.trying and any(not _is_plain(each) for each in node.iter_expressions()):
        raise refused(node, "TRY around a condition or choice", "put TRY into its branches")


def _is_plain(node: exp.Expr) -> bool:
    plain = (exp.Column, exp.Literal, exp.Boolean, exp.Null, exp.Paren, exp.Identifier)
    return all(isinstance(each, plain) for each in node.walk())


@handles(exp.Not)
def _not(c: Compiler, node: exp.Not) -> Value:
    inner = node.this.unnest()
    kept = c if isinstance(inner, exp.In) else replace(c, filtering=False)
    return Value(f"(NOT {kept.condition(node.this)})", T.BOOLEAN)


@handles(exp.Is)
def _is(c: Compiler, node: exp.Is) -> Value:
    if not isinstance(node.expression, exp.Null):
        raise refused(node, "IS with anything but NULL")
    value = c.value(node.this)
    check_try(c, node, [value])
    return Value(f"({value.sql} IS NULL)", T.BOOLEAN)


@handles(exp.NullSafeEQ, exp.NullSafeNEQ)
def _distinct_from(c: Compiler, node: exp.Binary) -> Value:
    left, right = comparable(c, node, [c.value(node.left), c.value(node.right)])
    check_try(c, node, [left, right])
    same = f"({left.sql} <=> {right.sql})"
    return Value(same if isinstance(node, exp.NullSafeEQ) else f"(NOT {same})", T.BOOLEAN)


@handles(exp.Between)
def _between(c: Compiler, node: exp.Between) -> Value:
    value, low, high = c.values([node.this, node.args["low"], node.args["high"]])
    if node.args.get("symmetric"):
        raise refused(node, "BETWEEN SYMMETRIC")
    if is_volatile(value):  # named once
        value, low, high = comparable(c, node, [value, low, high])
        return Value(f"({value.sql} BETWEEN {low.sql} AND {high.sql})", T.BOOLEAN)
    lower = compare(c, node, ">=", value, low)
    upper = compare(c, node, "<=", value, high)
    return Value(f"({lower.sql} AND {upper.sql})", T.BOOLEAN)


@handles(exp.In)
def _in(c: Compiler, node: exp.In) -> Value:
    query = node.args.get("query")
    if query is not None:
        return _in_query(c, node, query)
    value, *items = comparable(c, node, c.values([node.this, *node.expressions]))
    if value.type.base in ("array", "row") or (value.type.base in ("real", "double") and not all(i.is_literal for i in items)):
        return Value("(" + " OR ".join(_compared(node, "=", value, item) for item in items) + ")", T.BOOLEAN)
    return Value(f"({value.sql} IN ({', '.join(item.sql for item in items)}))", T.BOOLEAN)


def _in_query(c: Compiler, node: exp.In, query: exp.Expr) -> Value:
    left = [c.value(part) for part in node.this.expressions] if isinstance(node.this, exp.Tuple) else [c.value(node.this)]
    found = c.context.query(query, c.scope.below([]))
    if len(found.fields) != len(left):
        raise mismatch(node, f"The subquery must have {len(left)} columns, not {len(found.fields)}")
    kinds = []
    for value, column in zip(left, found.fields, strict=True):
        kind = T.common(value.type, column.type)
        if kind is None:
            raise mismatch(node, f"{value.type} and {column.type} have no type in common")
        kinds.append(kind)
    names = [f"c{at}" for at in range(len(left))]
    inner = found.sql
    if any(column.type.spark != kind.spark for column, kind in zip(found.fields, kinds, strict=True)):
        cells = (c.cast(Value(f"q.{n}", f.type, f.zone), k).sql for n, f, k in zip(names, found.fields, kinds, strict=True))
        inner = f"SELECT {', '.join(cells)} FROM ({found.sql}) AS q({', '.join(names)})"
    values = [c.cast(value, kind).sql for value, kind in zip(left, kinds, strict=True)]
    shown = values[0] if len(values) == 1 else f"({', '.join(values)})"
    if c.filtering:
        return Value(f"({shown} IN ({inner}))", T.BOOLEAN)
    # Outside of WHERE Spark answers false where NULLs make the answer unknown.
    if len(values) > 1:
        raise refused(node, "IN of several columns outside of WHERE")
    count = f"(SELECT named_struct('n', count(1), 'k', count(q.c)) FROM ({inner}) AS q(c))"
    found_ = f"({shown} IN ({inner}))"
    unknown = f"{shown} IS NULL OR {count}.k < {count}.n"
    return Value(
        f"(CASE WHEN {count}.n = 0 THEN false WHEN {found_} THEN true WHEN {unknown} THEN NULL ELSE false END)", T.BOOLEAN
    )


@handles(exp.Exists)
def _exists(c: Compiler, node: exp.Exists) -> Value:
    return Value(f"(EXISTS ({c.context.query(node.this, c.scope.below([])).sql}))", T.BOOLEAN)


@handles(exp.Subquery, exp.Select, exp.Values, exp.Union, exp.Except, exp.Intersect)
def _subquery(c: Compiler, node: exp.Expr) -> Value:
    found = c.context.query(node, c.scope.below([]))
    if len(found.fields) == 1:
        column = found.fields[0]
        return Value(f"({found.sql})", column.type, column.zone)
    from sqe.sql.dialect.trino.literals import row

    names = [f"c{at}" for at in range(len(found.fields))]
    packed = row([Value(name, each.type) for name, each in zip(names, found.fields, strict=True)])
    return Value(f"(SELECT {packed.sql} FROM ({found.sql}) AS q({', '.join(names)}))", packed.type)


@handles(exp.Like)
def _like(c: Compiler, node: exp.Like) -> Value:
    return _negated(node, like(c, node, c.value(node.this), c.value(node.expression), None))


def _negated(node: exp.Expr, found: Value) -> Value:
    return Value(f"(NOT {found.sql})", T.BOOLEAN) if node.args.get("negate") else found


@handles(exp.Escape)
def _escape(c: Compiler, node: exp.Escape) -> Value:
    inner = node.this
    if not isinstance(inner, exp.Like):
        raise refused(node, "ESCAPE at this place")
    return _negated(inner, like(c, node, c.value(inner.this), c.value(inner.expression), c.value(node.expression)))


def like(c: Compiler, node: exp.Expr, value: Value, pattern: Value, escape: Value | None) -> Value:
    """Without ESCAPE a backslash is a character in Trino, but Spark's escape."""
    if not all(each.type.is_text or each.is_null for each in (value, pattern)):
        raise mismatch(node, f"LIKE takes texts, not {value.type} and {pattern.type}")
    if escape is None:
        quoted = (
            literal(pattern.text.replace("\\", "\\\\"))
            if pattern.text is not None
            else f"replace({pattern.sql}, '\\\\', '\\\\\\\\')"
        )
        return Value(f"({value.sql} LIKE {quoted})", T.BOOLEAN)
    if escape.text is None or len(escape.text) != 1:
        raise wrong(node, errors.INVALID_FUNCTION_ARGUMENT, "Escape string must be a single character")
    searched = f"({value.sql} LIKE {pattern.sql} ESCAPE {escape.sql})"
    if pattern.text is None or value.type.base != "varchar" or not _COLUMN.fullmatch(value.sql):
        return Value(searched, T.BOOLEAN)
    # The engine looks up a text and its beginning without reading all there is, and JDBC's metadata calls are of this form.
    start, rest = _beginning(pattern.text, escape.text)
    if not rest:
        return Value(f"({value.sql} = {literal(start)})", T.BOOLEAN)
    return Value(f"(startswith({value.sql}, {literal(start)}) AND {searched})" if start else searched, T.BOOLEAN)


_COLUMN = re.compile(r"(?:`(?:[^`]|``)+`\.?)+")


def _beginning(pattern: str, escape: str) -> tuple[str, str]:
    """What a text that fits the pattern begins with, and the pattern from its first wildcard on."""
    found, at = "", 0
    while at < len(pattern) and pattern[at] not in "%_":
        if pattern[at] == escape:
            at += 1
            if at == len(pattern) or pattern[at] not in f"%_{escape}":
                return "", pattern  # badly formed: the engine says so
        found += pattern[at]
        at += 1
    return found, pattern[at:]


@handles(exp.Case)
def _case(c: Compiler, node: exp.Case) -> Value:
    subject = c.value(node.this) if node.this is not None else None
    if subject is not None and is_volatile(subject):
        raise refused(node, "A CASE of a random value")
    conditions = []
    for branch in node.args["ifs"]:
        if subject is None:
            conditions.append(c.condition(branch.this))
        else:
            conditions.append(compare(c, branch, "=", subject, c.value(branch.this)).sql)
    default = node.args.get("default")
    results = c.values([branch.args["true"] for branch in node.args["ifs"]])
    results.append(c.value(default) if default is not None else Value("NULL", T.UNKNOWN))
    return _choice(c, node, conditions, results)


@handles(exp.If)
def _if(c: Compiler, node: exp.If) -> Value:
    false = node.args.get("false")
    results = [c.value(node.args["true"]), c.value(false) if false is not None else Value("NULL", T.UNKNOWN)]
    return _choice(c, node, [c.condition(node.this)], results)


def _choice(c: Compiler, node: exp.Expr, conditions: list[str], results: list[Value]) -> Value:
    check_try(c, node, results)
    shared = c.shared(node, results)
    branches = " ".join(f"WHEN {test} THEN {value.sql}" for test, value in zip(conditions, shared[:-1], strict=True))
    zone = common_zone(result for result in results if not result.is_null)
    return Value(f"(CASE {branches} ELSE {shared[-1].sql} END)", shared[0].type, zone)
