"""JSON: a value of the type is its text, written as Trino writes it: without blanks, keys in order."""

from __future__ import annotations

import re

from sqlglot import exp

from sqe import errors
from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.calls import FUNCTIONS, RESULTS, Call, Modifiers, special, whole_text
from sqe.sql.dialect.trino.compiler import Compiler, handles
from sqe.sql.dialect.trino.types import Type
from sqe.sql.dialect.trino.values import Value, literal, mismatch, refused, wrong


def parse(value: Value) -> Value:
    return Value(f"to_json(parse_json({value.sql}))", T.JSON)


# Paths of json_extract: Trino's own small language, which Spark's variants have too.
_STEP = re.compile(r"\.([A-Za-z_][\w]*)|\[(\d+)\]|\[\"((?:[^\"\\]|\\.)*)\"\]|\['([^']*)'\]|\.\"((?:[^\"\\]|\\.)*)\"")


def variant_path(node: exp.Expr, path: str) -> str:
    """Only members and places in arrays: `$.a[0]["b c"]`."""
    if not path.startswith("$"):
        raise wrong(node, errors.INVALID_FUNCTION_ARGUMENT, f"Invalid JSON path: '{path[:60]}'")
    made, at = "$", 1
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            raise refused(node, f"The JSON path '{path[:60]}'", "members and array positions are there")
        name = next((part for part in (step[1], step[3], step[4], step[5]) if part is not None), None)
        if name is not None and ("'" in name or "\\" in name or '"' in name):
            raise refused(node, f"The JSON path '{path[:60]}'")
        made += f"['{name}']" if name is not None else f"[{step[2]}]"
        at = step.end()
    return made


def _variant(made: Call, tried: bool = True) -> str:
    path = literal(variant_path(made.node, whole_text(made[1])))
    return f"variant_get(try_parse_json({made[0].sql}), {path}, 'variant')"


def _extract(made: Call) -> str:
    return f"to_json({_variant(made)})"


def _scalar(text: str) -> str:
    """The text of a JSON text that is a scalar: without quotes; NULL for null, arrays and objects."""
    inner = f"get(from_json(concat('[', {text}, ']'), 'ARRAY<STRING>'), 0)"
    return f"CASE WHEN left({text}, 1) NOT IN ('{{', '[') THEN {inner} END"


def _extract_scalar(made: Call) -> str:
    return _scalar(_extract(made))


def _size(made: Call) -> str:
    text = _extract(made)
    count = (
        f"CASE left({text}, 1) WHEN '[' THEN json_array_length({text}) WHEN '{{' THEN size(json_object_keys({text})) ELSE 0 END"
    )
    return f"CASE WHEN {text} IS NOT NULL THEN CAST({count} AS BIGINT) END"


def _array_length(made: Call) -> str:
    text = made[0].sql
    return f"CASE WHEN left(trim({text}), 1) = '[' THEN CAST(json_array_length({text}) AS BIGINT) END"


def _array_get(made: Call) -> str:
    text, n = made[0].sql, f"CAST({made[1].sql} AS INT)"
    items = f"CAST(try_parse_json({text}) AS ARRAY<VARIANT>)"
    at = f"CASE WHEN {n} < 0 THEN size({items}) + {n} ELSE {n} END"
    item = f"to_json(get({items}, {at}))"
    # Texts come without their quotes, which is no JSON, but what Trino gives.
    return f"CASE WHEN left(trim({text}), 1) = '[' THEN CASE WHEN left({item}, 1) = '\"' THEN {_scalar(item)} ELSE {item} END END"


def _array_contains(made: Call) -> str:
    text, wanted = made[0].sql, made[1]
    as_json = to_json(made.compiler, made.node, wanted)
    items = f"transform(CAST(try_parse_json({text}) AS ARRAY<VARIANT>), e -> to_json(e))"
    return f"CASE WHEN left(trim({text}), 1) = '[' THEN exists({items}, e -> e = {as_json}) END"


def _is_scalar(made: Call) -> str:
    text = made[0].sql
    return f"CASE WHEN {text} IS NOT NULL THEN left(to_json(parse_json({text})), 1) NOT IN ('{{', '[') END"


FUNCTIONS.update(
    {
        "is_json_scalar": _is_scalar,
        "json_array_contains": _array_contains,
        "json_array_get": _array_get,
        "json_array_length": _array_length,
        "json_extract": _extract,
        "json_extract_scalar": _extract_scalar,
        "json_format": "{0}",
        "json_parse": lambda made: parse(made[0]),
        "json_size": _size,
    }
)
RESULTS["json_extract_scalar"] = lambda kinds, values: T.VARCHAR


# Casts.


def convert(c: Compiler, node: exp.Expr, value: Value, target: Type, word: str) -> Value:
    if target.base == "json":
        if value.type.base == "json":
            return value
        return Value(f"CASE WHEN {value.sql} IS NOT NULL THEN {to_json(c, node, value)} END", T.JSON)
    return Value(_of_json(c, node, value, target, word), target)


def to_json(c: Compiler, node: exp.Expr, value: Value) -> str:
    kind = value.type
    if kind.base == "json":
        return value.sql
    if kind.is_integer or kind.base in ("boolean", "decimal"):
        return f"CAST({value.sql} AS STRING)"
    if kind.base in ("double", "real"):
        odd = f"isnan({value.sql}) OR abs({value.sql}) = double('Infinity')"
        return f"CASE WHEN {odd} THEN concat('\"', {value.sql}, '\"') ELSE CAST({value.sql} AS STRING) END"
    if kind.base in ("date", "timestamp", "timestamp with time zone"):
        from sqe.sql.dialect.trino.moments import to_text

        return f"concat('\"', {to_text(c, node, value)}, '\"')"
    if kind.is_text:
        return f"substr(to_json(array({value.sql})), 2, length(to_json(array({value.sql}))) - 2)"
    if kind.base == "array":
        return f"concat('[', array_join(transform({value.sql}, e -> {_nullable(c, node, 'e', kind.inner[0])}), ','), ']')"
    if kind.base == "map" and (kind.inner[0].is_text or kind.inner[0].is_integer):
        keys = f"array_sort(map_keys({value.sql}))"
        key = to_json(c, node, Value("CAST(k AS STRING)", T.VARCHAR))
        item = _nullable(c, node, f"element_at({value.sql}, k)", kind.inner[1])
        return f"concat('{{', array_join(transform({keys}, k -> concat({key}, ':', {item})), ','), '}}')"
    if kind.base == "row":
        from sqe.sql.dialect.trino.literals import numbered_field

        fields = [numbered_field(value, at) for at in range(len(kind.inner))]
        cells = [
            f"{literal(_json_text(name or '') + ':')}, {_nullable(c, node, f.sql, f.type)}"
            for name, f in zip(kind.names, fields, strict=True)
        ]
        between = ", ',', "
        return f"concat('{{', {between.join(cells)}, '}}')" if cells else "'{}'"
    raise mismatch(node, f"Cannot cast {kind} to json")


def _json_text(name: str) -> str:
    import json

    return json.dumps(name, ensure_ascii=False)


def _nullable(c: Compiler, node: exp.Expr, sql: str, kind: Type) -> str:
    if kind.base == "unknown":
        return "'null'"
    return f"CASE WHEN {sql} IS NULL THEN 'null' ELSE {to_json(c, node, Value(sql, kind))} END"


def _of_json(c: Compiler, node: exp.Expr, value: Value, target: Type, word: str) -> str:
    x = value.sql
    if target.is_text or target.is_number or target.base == "boolean":
        from sqe.sql.dialect.trino.casts import convert as cast

        failed = "NULL" if word == "TRY_CAST" else "raise_error('Cannot cast JSON to a scalar')"
        text = f"CASE WHEN left({x}, 1) IN ('{{', '[') THEN {failed} ELSE {_scalar(x)} END"
        if target.is_text:
            return text
        if target.is_integer:
            return f"{word}(round({word}({text} AS DECIMAL(38,10)), 0) AS {target.spark})"
        return cast(c, node, Value(f"({text})", T.VARCHAR), target, word).sql
    if _has(target, ("date", "timestamp", "timestamp with time zone", "varbinary", "json", "time")):
        raise refused(node, f"A cast of JSON to {target}")
    mode = "PERMISSIVE" if word == "TRY_CAST" else "FAILFAST"
    return f"from_json(nullif({x}, 'null'), '{_schema(target)}', map('mode', '{mode}'))"


def _has(kind: Type, bases: tuple[str, ...]) -> bool:
    return kind.base in bases or any(_has(each, bases) for each in kind.inner)


def _schema(target: Type) -> str:
    return target.spark.replace("\\", "\\\\").replace("'", "\\'")


# SQL's own JSON functions, with the paths above.


def _sql_path(node: exp.Expr, path: exp.Expr | None) -> str:
    text = path.name if isinstance(path, exp.Literal) and path.is_string else ""
    mode, _, rest = text.strip().partition(" ")
    if mode != "lax" or not rest:
        raise refused(node, "This JSON path", "lax paths of members and array positions are there")
    return variant_path(node, rest.strip())


def _got(c: Compiler, node: exp.Expr, source: exp.Expr, path: str) -> str:
    value = c.value(source)
    if not (value.type.is_text or value.type.base == "json"):
        raise mismatch(node, f"JSON functions take texts, not {value.type}")
    return f"variant_get(try_parse_json({value.sql}), {literal(path)}, 'variant')"


@handles(exp.JSONValue)
def _json_value(c: Compiler, node: exp.JSONValue) -> Value:
    from sqe.sql.dialect.trino.literals import type_of

    if node.args.get("on_condition"):
        raise refused(node, "json_value with ON EMPTY or ON ERROR")
    text = f"to_json({_got(c, node, node.this, _sql_path(node, node.args.get('path')))})"
    returning = node.args.get("returning")
    found = Value(_scalar(text), T.VARCHAR)
    if not returning:
        return found
    target = type_of(returning)
    if target.is_text:
        return Value(found.sql, target)
    if not (target.is_number or target.base == "boolean"):
        raise refused(node, f"json_value RETURNING {target}")
    return Value(f"TRY_CAST({found.sql} AS {target.spark})", target)


@handles(exp.JSONExtract)
def _json_query(c: Compiler, node: exp.JSONExtract) -> Value:
    option = node.args.get("option")
    if node.args.get("on_condition") or node.args.get("quote") or not node.args.get("json_query"):
        raise refused(node, "json_query with this clause")
    words = option.name.upper().split() if option else []
    text = f"to_json({_got(c, node, node.this, _sql_path(node, node.expression))})"
    if words[:1] == ["WITH"] and "CONDITIONAL" not in words:
        return Value(f"CASE WHEN {text} IS NOT NULL THEN concat('[', {text}, ']') END", T.VARCHAR)
    if words[:1] == ["WITH"]:
        raise refused(node, "json_query WITH CONDITIONAL WRAPPER")
    return Value(text, T.VARCHAR)


@special("json_exists")
def _json_exists(c: Compiler, node: exp.Anonymous, modifiers: Modifiers) -> Value:
    if len(node.expressions) != 2:
        raise refused(node, "json_exists with these arguments")
    source, path = node.expressions
    value = c.value(source)
    return Value(
        f"CASE WHEN {value.sql} IS NOT NULL THEN ({_got(c, node, source, _sql_path(node, path))} IS NOT NULL) END", T.BOOLEAN
    )


@special("json_array")
def _json_array(c: Compiler, node: exp.Anonymous, modifiers: Modifiers) -> Value:
    """NULLs are left out, which is the default of the standard."""
    items = [
        f"CASE WHEN {value.sql} IS NOT NULL THEN {to_json(c, node, value)} END"
        for value in c.values(node.expressions)
        if not value.is_null
    ]
    joined = f"array_join(array({', '.join(items)}), ',')" if items else "''"
    return Value(f"concat('[', {joined}, ']')", T.VARCHAR)


@handles(exp.JSONObject)
def _json_object(c: Compiler, node: exp.JSONObject) -> Value:
    if node.args.get("null_handling") or node.args.get("unique_keys") or node.args.get("return_type"):
        raise refused(node, "json_object with this clause")
    cells = []
    for pair in node.expressions:
        key, value = c.value(pair.this), c.value(pair.expression)
        shown = "'null'" if value.is_null else _nullable(c, node, value.sql, value.type)
        cells.append(f"concat({to_json(c, node, key)}, ':', {shown})")
    joined = f"concat_ws(',', {', '.join(cells)})" if cells else "''"
    return Value(f"concat('{{', {joined}, '}}')", T.VARCHAR)
