"""CAST and TRY_CAST, and what turns into something else by itself."""

from __future__ import annotations

from sqlglot import exp

from sqe import errors
from sqe.sql.dialect.trino import moments
from sqe.sql.dialect.trino.compiler import Compiler, handles
from sqe.sql.dialect.trino.literals import numbered_field, type_of
from sqe.sql.dialect.trino.types import Type
from sqe.sql.dialect.trino.values import Value, literal, mismatch, once, refused, wrong


def coerce(c: Compiler, value: Value, target: Type) -> Value:
    """Without a word of the user's: only what loses nothing."""
    if value.type == target:
        return value
    if value.is_null:
        return Value(f"CAST(NULL AS {target.spark})", target, value.zone or c.context.zone)
    if value.type.base in ("varchar", "char") and target.is_text:
        padded = target.base == "char" and value.type.base == "char"
        return Value(_padded(value.sql, target.numbers[0]) if padded else value.sql, target, text=value.text)
    if value.type.base == target.base and target.base in ("timestamp", "timestamp with time zone", "time"):
        return Value(value.sql, target, value.zone)
    if value.type.base in ("date", "timestamp") and target.base in ("timestamp", "timestamp with time zone"):
        return moments.cast(c, None, value, target)
    if value.type.spark == target.spark:
        return Value(value.sql, target, value.zone)
    if value.type.base == target.base == "row":
        return _row(c, value, target, lambda field, kind: coerce(c, field, kind))
    return Value(f"CAST({value.sql} AS {target.spark})", target, number=value.number if target.is_number else None)


@handles(exp.Cast)
def _cast(c: Compiler, node: exp.Cast) -> Value:
    target = type_of(node.args["to"])
    if node.meta.get("literal"):
        return typed_literal(c, node, str(node.this.this), target)
    if c.trying:
        return convert(c, node, c.value(node.this), target, "TRY_CAST")
    return convert(c, node, c.value(node.this), target, "CAST")


@handles(exp.TryCast)
def _try_cast(c: Compiler, node: exp.TryCast) -> Value:
    return convert(c, node, c.value(node.this), type_of(node.args["to"]), "TRY_CAST")


def typed_literal(c: Compiler, node: exp.Expr, text: str, target: Type) -> Value:
    """`DECIMAL '1.50'` is a decimal(3,2), while CAST('1.50' AS decimal) has no digits behind the point."""
    from sqe.sql.dialect.trino.literals import number, string

    if target.base == "decimal":
        made = number(node, text.strip().lstrip("+-") if "." in text else text.strip().lstrip("+-") + ".")
        return Value(f"(- {made.sql})" if text.strip().startswith("-") else made.sql, made.type)
    if target.base == "char":
        return Value(literal(text), Type("char", numbers=(len(text),)), text=text)
    if target.base in ("timestamp", "timestamp with time zone", "time", "date"):
        return moments.typed_literal(c, node, text, target)
    return convert(c, node, string(text), target, "CAST")


def convert(c: Compiler, node: exp.Expr, value: Value, target: Type, word: str) -> Value:
    """`word` is CAST or TRY_CAST."""
    source = value.type
    if value.is_null:
        return Value(f"CAST(NULL AS {target.spark})", target, c.context.zone)
    if source.base == target.base and source.base in ("array", "map", "row"):
        return _container(c, node, value, target, word)
    if "json" in (source.base, target.base):
        from sqe.sql.dialect.trino import jsons

        return jsons.convert(c, node, value, target, word)
    if target.is_text:
        return _text(c, node, value, target, word)
    moment = ("date", "time", "timestamp", "timestamp with time zone")
    if source.base in moment or target.base in moment:
        return moments.cast(c, node, value, target, word)
    if not _possible(source, target):
        raise mismatch(node, f"Cannot cast {source} to {target}")
    return Value(_scalar(value, target, word), target)


def _possible(source: Type, target: Type) -> bool:
    if source.base == target.base:
        return True
    simple = source.is_text or source.is_number or source.base == "boolean"
    if target.is_number or target.base == "boolean":
        return simple
    if target.base == "varbinary":
        return source.is_text or source.base == "uuid"
    if target.base == "uuid":
        return source.is_text or source.base == "varbinary"
    return target.is_interval and source.is_text


def _scalar(value: Value, target: Type, word: str) -> str:
    source = value.type
    if target.is_integer and source.base in ("double", "real", "decimal"):
        # Trino rounds, half away from zero; Spark cuts.
        return f"{word}(round({value.sql}, 0) AS {target.spark})"
    if source.is_text and (target.is_number or target.base == "boolean"):
        return _of_text(value, target, word)
    if target.base == "boolean" and source.is_number:
        return f"({value.sql} <> 0)"
    if source.base == "boolean" and target.base == "decimal":
        return f"{word}({word}({value.sql} AS INT) AS {target.spark})"
    if target.base == "uuid":
        return _uuid(value.sql, word)
    if target.base == "varbinary" and source.base == "uuid":
        return f"unhex(replace({value.sql}, '-', ''))"
    return f"{word}({value.sql} AS {target.spark})"


_FORMS = {
    "integer": r"\\s*[+-]?[0-9]+\\s*",
    "decimal": r"[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?",
    "float": r"\\s*([+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?[fFdD]?|[+-]?(NaN|Infinity))\\s*",
    "boolean": r"(?i)(true|false|t|f|1|0)",
}


def _of_text(value: Value, target: Type, word: str) -> str:
    """Spark also takes blanks, 'yes' or '1.5' where Trino does not: those fail here as a text that is no number."""
    name = "integer" if target.is_integer else target.base if target.base in ("decimal", "boolean") else "float"
    blanks = name in ("float", "integer")
    cleaned = f"trim({value.sql})" if blanks else value.sql
    allowed = f"CASE WHEN {value.sql} RLIKE '^(?:{_FORMS[name]})$' THEN {cleaned} WHEN {value.sql} IS NOT NULL THEN '?' END"
    if value.text is not None:
        import re

        fits = re.fullmatch(_FORMS[name].replace("\\\\", "\\"), value.text) is not None
        allowed = literal(value.text.strip()) if fits else "'?'"
    return f"{word}({allowed} AS {target.spark})"


def _uuid(sql: str, word: str) -> str:
    form = "'^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'"
    wrong_ = "NULL" if word == "TRY_CAST" else "raise_error('Cannot cast value to uuid')"
    return f"CASE WHEN {sql} RLIKE {form} THEN lower({sql}) WHEN {sql} IS NOT NULL THEN {wrong_} END"


def _text(c: Compiler, node: exp.Expr, value: Value, target: Type, word: str) -> Value:
    made = to_text(c, node, value)
    text = value.text
    if target.base == "char":
        return Value(_padded(f"rtrim(left({made}, {target.numbers[0]}))", target.numbers[0]), target)
    if target.numbers and not (value.type.base == "varchar" and value.type.numbers and value.type.numbers <= target.numbers):
        if value.type.is_text:
            made, text = f"left({made}, {target.numbers[0]})", text[: target.numbers[0]] if text is not None else None
        else:
            too_long = "NULL" if word == "TRY_CAST" else f"raise_error('Value cannot be represented as {target}')"
            made = f"CASE WHEN length({made}) > {target.numbers[0]} THEN {too_long} ELSE {made} END"
    return Value(made, target, text=text)


def to_text(c: Compiler, node: exp.Expr | None, value: Value) -> str:
    """As CAST(x AS varchar) writes it."""
    source = value.type
    if source.base in ("double", "real"):
        return once(value, float_text)
    if source.base == "char":
        return f"rpad(rtrim({value.sql}), {source.numbers[0]})" if source.numbers else value.sql
    if source.is_text or source.base == "uuid":
        return value.sql
    if source.base in ("date", "time", "timestamp", "timestamp with time zone"):
        return moments.to_text(c, node, value)
    if source.is_number or source.base == "boolean":
        return f"CAST({value.sql} AS STRING)"
    if source.is_interval:
        return moments.interval_text(value)
    raise mismatch(node, f"Cannot cast {source} to varchar")


def float_text(value: Value) -> str:
    """`1.0E0`, with the shortest digits that give the number back: Java writes those, in another form between 1e-3 and 1e7."""
    x = value.sql
    digits = f"CAST({x} AS STRING)"
    negative = f"CASE WHEN {x} < 0 OR {digits} = '-0.0' THEN '-' ELSE '' END"
    # 123.45, 0.00123, and 1.5 of 1.5E10
    plain = f"regexp_replace(substring_index(trim(LEADING '-' FROM {digits}), 'E', 1), '\\\\.0$', '')"
    behind = f"substring_index({plain}, '.', -1)"
    bare = f"trim(LEADING '0' FROM replace({plain}, '.', ''))"  # 12345, 123, 15
    exponent = (
        f"CASE WHEN {digits} LIKE '%E%' THEN CAST(substring_index({digits}, 'E', -1) AS INT)"
        f" WHEN abs({x}) >= 1 THEN length(substring_index({plain}, '.', 1)) - 1"
        f" ELSE length({behind}) * -1 + length(trim(LEADING '0' FROM {behind})) - 1 END"
    )
    trimmed = f"trim(TRAILING '0' FROM {bare})"
    mantissa = f"concat(left({trimmed}, 1), '.', CASE WHEN length({trimmed}) > 1 THEN substr({trimmed}, 2) ELSE '0' END)"
    return (
        f"CASE WHEN isnan({x}) OR {digits} IN ('Infinity', '-Infinity') THEN {digits}"
        f" WHEN {x} = 0 THEN concat({negative}, '0E0')"
        f" ELSE concat({negative}, {mantissa}, 'E', {exponent}) END"
    )


def _padded(sql: str, length: int) -> str:
    return f"rpad({sql}, {length})"


def _container(c: Compiler, node: exp.Expr, value: Value, target: Type, word: str) -> Value:
    """By its parts: their casts are Trino's, too."""
    if value.type == target:
        return value
    if not value.type.is_known and value.type.base != "row":
        return Value(f"CAST({value.sql} AS {target.spark})", target)
    if value.type.base == "row":
        if len(value.type.inner) != len(target.inner):
            raise mismatch(node, f"Cannot cast {value.type} to {target}")
        return _row(c, value, target, lambda field, kind: convert(c, node, field, kind, word))
    if target.base == "array":
        x = f"x{_depth(target)}"
        inner = convert(c, node, Value(x, value.type.inner[0]), target.inner[0], word)
        return Value(f"transform({value.sql}, {x} -> {inner.sql})", target)
    k, v = f"k{_depth(target)}", f"v{_depth(target)}"
    keys = convert(c, node, Value(k, value.type.inner[0]), target.inner[0], word)
    items = convert(c, node, Value(v, value.type.inner[1]), target.inner[1], word)
    turned = f"transform_keys({value.sql}, ({k}, {v}) -> {keys.sql})" if keys.sql != k else value.sql
    return Value(f"transform_values({turned}, ({k}, {v}) -> {items.sql})", target)


def _depth(kind: Type) -> int:
    return 1 + max((_depth(each) for each in kind.inner), default=0)


def _row(c: Compiler, value: Value, target: Type, turn: object) -> Value:
    if len(value.type.inner) != len(target.inner):
        raise wrong(None, errors.TYPE_MISMATCH, f"Cannot cast {value.type} to {target}")
    cells = (
        f"{literal(name)}, {turn(numbered_field(value, at), kind).sql}"  # type: ignore[operator]
        for at, (name, kind) in enumerate(zip(target.field_names, target.inner, strict=True))
    )
    return Value(f"CASE WHEN {value.sql} IS NOT NULL THEN named_struct({', '.join(cells)}) END", target)


@handles(exp.ParseJSON)
def _json_literal(c: Compiler, node: exp.ParseJSON) -> Value:
    from sqe.sql.dialect.trino import jsons

    if not node.args.get("is_literal"):
        raise refused(node, "This way to make JSON")
    return jsons.parse(c.value(node.this))
