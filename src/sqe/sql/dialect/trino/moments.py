"""Dates, times, timestamps and intervals as values: literals, casts, arithmetic, text.

A `timestamp with time zone` is an instant in Spark, and its zone goes along in the translator (`Value.zone`): a literal's, the
session's, UTC for columns. Where rows may differ in it, what depends on it is refused. Sessions in this dialect have UTC as
Spark's own time zone, so that casts between the two kinds of timestamps shift nothing.
"""

from __future__ import annotations

import re

from sqlglot import exp

from sqe import errors
from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.compiler import Compiler, handles
from sqe.sql.dialect.trino.types import Type
from sqe.sql.dialect.trino.values import Value, literal, mismatch, refused, wrong

UTC = "'UTC'"

_DATE = r"[+-]?\d{1,6}-\d{1,2}-\d{1,2}"
_CLOCK = r"\d{1,2}:\d{1,2}(?::\d{1,2}(?:\.(\d+))?)?"
_MOMENT = re.compile(rf"\s*({_DATE})(?:\s+({_CLOCK}))?\s*([A-Za-z][\w/+-]*|[+-]\d{{1,2}}(?::?\d{{2}})?)?\s*")


def typed_literal(c: Compiler, node: exp.Expr, text: str, target: Type) -> Value:
    invalid = wrong(node, errors.INVALID_LITERAL, f"'{text[:60]}' is not a valid {target.base} literal")
    if target.base == "date":
        if not re.fullmatch(rf"\s*{_DATE}\s*", text):
            raise invalid
        return Value(f"DATE'{text.strip()}'", T.DATE)
    if target.base == "time":
        found = re.fullmatch(rf"\s*({_CLOCK})\s*", text)
        if found is None:
            raise invalid
        return Value(f"TIME{literal(text.strip())}", T.time(_digits(node, found[2])))
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise invalid
    day, clock, fraction, zone = match.groups()
    precision = _digits(node, fraction)
    clock = clock or "00:00:00"
    clock = clock if clock.count(":") == 2 else clock + ":00"
    if zone is None:
        return Value(f"TIMESTAMP_NTZ'{day} {clock}'", T.timestamp(precision))
    zone = normal_zone(zone)
    return Value(f"TIMESTAMP'{day} {clock} {zone}'", T.instant(precision), literal(zone))


def normal_zone(zone: str) -> str:
    offset = re.fullmatch(r"([+-])(\d{1,2})(?::?(\d{2}))?", zone)
    if offset:
        return f"{offset[1]}{int(offset[2]):02}:{offset[3] or '00'}"
    return "UTC" if zone.upper() in ("Z", "UTC", "GMT") else zone


def _digits(node: exp.Expr, fraction: str | None) -> int:
    digits = len(fraction or "")
    if digits > 6:
        raise refused(node, "More than microseconds")
    return digits


def local(node: exp.Expr | None, value: Value) -> Value:
    """What a clock in the value's zone shows, as a timestamp without zone."""
    if not value.type.is_instant:
        return value
    kind = T.timestamp(value.type.precision)
    if value.zone is None:
        raise refused(node, "What depends on a time zone that differs from row to row", "use AT TIME ZONE first")
    if value.zone == UTC:
        return Value(f"CAST({value.sql} AS TIMESTAMP_NTZ)", kind)
    return Value(f"CAST(from_utc_timestamp({value.sql}, {value.zone}) AS TIMESTAMP_NTZ)", kind)


def in_zone(value: Value, zone: str) -> Value:
    """The instant at which a clock in the zone shows the timestamp."""
    shown = f"CAST({value.sql} AS TIMESTAMP)"
    kind = T.instant(value.type.precision if value.type.numbers else 0)
    return Value(shown if zone == UTC else f"to_utc_timestamp({shown}, {zone})", kind, zone)


def micros(value: Value) -> str:
    """Since 1970, of an instant or a timestamp."""
    return f"unix_micros({value.sql})" if value.type.is_instant else f"unix_micros(CAST({value.sql} AS TIMESTAMP))"


def of_micros(sql: str, kind: Type, zone: str | None = None) -> Value:
    made = f"timestamp_micros({sql})"
    return Value(made if kind.is_instant else f"CAST({made} AS TIMESTAMP_NTZ)", kind, zone)


def rounded(value: Value, precision: int) -> Value:
    """Half up, as a cast to fewer digits does."""
    kind = Type(value.type.base, numbers=(precision,))
    if value.type.precision <= precision:
        return Value(value.sql, kind, value.zone)
    unit = 10 ** (6 - precision)
    moved = f"({micros(value)} + {unit // 2})"
    return of_micros(f"({moved} - pmod({moved}, {unit}))", kind, value.zone)


def cast(c: Compiler, node: exp.Expr | None, value: Value, target: Type, word: str = "CAST") -> Value:
    if target.numbers and target.precision > 6:
        raise refused(node, f"The type {target} (more than microseconds)")
    source = value.type
    if source.is_text:
        return _of_text(c, node, value, target, word)
    if source.is_instant and target.base != source.base:
        return cast(c, node, local(node, value), target, word)
    if source.base == target.base:
        return (
            value
            if source.base == "date"
            else _time(value, target)
            if source.base == "time"
            else rounded(value, target.precision)
        )
    if source.base == "date" and target.base == "timestamp":
        return Value(f"CAST({value.sql} AS TIMESTAMP_NTZ)", target)
    if source.base in ("date", "timestamp") and target.is_instant:
        moment = cast(c, node, value, T.timestamp(target.precision), word)
        return Value(in_zone(moment, c.context.zone).sql, target, c.context.zone)
    if source.base == "timestamp" and target.base == "date":
        return Value(f"CAST({value.sql} AS DATE)", target)
    if source.base == "timestamp" and target.base == "time":
        return _time(Value(f"CAST({value.sql} AS TIME(6))", T.time(source.precision)), target)
    raise mismatch(node, f"Cannot cast {source} to {target}")


def _time(value: Value, target: Type) -> Value:
    if value.type.precision > target.precision:
        raise refused(None, "A cast of a time to fewer digits")
    return Value(value.sql, target)


# A zone at the end of a text, and what Trino takes for a date and a time of day.
_ZONED = r"(Z|[+-][0-9]{1,2}(:?[0-9]{2})?|[A-Za-z][A-Za-z0-9_/+-]*)\\s*$"
_SHAPES = {
    "date": r"^\\s*[+-]?[0-9]{1,6}-[0-9]{1,2}-[0-9]{1,2}\\s*$",
    "timestamp": r"^\\s*[+-]?[0-9]{1,6}-[0-9]{1,2}-[0-9]{1,2}( [0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}(\\.[0-9]+)?)?)?\\s*$",
    # As Trino: the clock of the zone is taken, and the zone forgotten.
    "zoned": r"^\\s*([+-]?[0-9]{1,6}-[0-9]{1,2}-[0-9]{1,2} [0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}(\\.[0-9]+)?)?)"
    r"\\s*(Z|UTC|GMT|[+-](0?[0-9]|1[0-7])(:?[0-5][0-9])?|[+-]18(:?00)?)\\s*$",
    "time": r"^[0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}(\\.[0-9]+)?)?$",
}


def _of_text(c: Compiler, node: exp.Expr | None, value: Value, target: Type, word: str) -> Value:
    x = value.sql
    if target.is_instant:
        zoned = f"CASE WHEN {x} RLIKE '{_ZONED}' THEN {x} ELSE concat({x}, ' ', {c.context.zone}) END"
        found = _MOMENT.fullmatch(value.text) if value.text is not None else None
        zone = literal(normal_zone(found[4])) if found and found[4] else c.context.zone if found else None
        return rounded(Value(f"{word}({zoned} AS TIMESTAMP)", T.instant(6), zone), target.precision)
    if target.base not in ("date", "time", "timestamp"):
        raise mismatch(node, f"Cannot cast {value.type} to {target}")
    shapes = {target.base: f"trim({x})"}
    if target.base == "timestamp":
        shapes["zoned"] = f"regexp_extract({x}, '{_SHAPES['zoned']}', 1)"
    taken = " ".join(f"WHEN {x} RLIKE '{_SHAPES[shape]}' THEN {text}" for shape, text in shapes.items())
    shaped = f"CASE {taken} WHEN {x} IS NOT NULL THEN '?' END"
    made = Value(f"{word}({shaped} AS {target.spark})", Type(target.base, numbers=(6,) if target.numbers else ()))
    return rounded(made, target.precision) if target.base == "timestamp" else Value(made.sql, target)


def to_text(c: Compiler, node: exp.Expr | None, value: Value) -> str:
    kind = value.type
    if kind.base == "date":
        return f"CAST({value.sql} AS STRING)"
    if kind.base == "time":
        text = f"CAST({value.sql} AS STRING)"
        if not kind.precision:
            return f"left({text}, 8)"
        return f"rpad(CASE WHEN {text} LIKE '%.%' THEN {text} ELSE concat({text}, '.') END, {9 + kind.precision}, '0')"
    shown = local(node, value)
    fraction = "." + "S" * kind.precision if kind.precision else ""
    text = f"date_format({shown.sql}, 'yyyy-MM-dd HH:mm:ss{fraction}')"
    return f"concat({text}, ' ', {value.zone})" if kind.is_instant else text


def interval_text(value: Value) -> str:
    text = f"regexp_extract(CAST({value.sql} AS STRING), '\\'(.*)\\'', 1)"
    if value.type == T.YEAR_MONTH:
        return text
    fraction = f"CASE WHEN {text} LIKE '%.%' THEN rpad(left(substring_index({text}, '.', -1), 3), 3, '0') ELSE '000' END"
    return f"concat(regexp_replace(substring_index({text}, '.', 1), '^(-?)0*([0-9]+) ', '$1$2 '), '.', {fraction})"


# Arithmetic.


def calculate(c: Compiler, node: exp.Expr, symbol: str, left: Value, right: Value) -> Value | None:
    """What `symbol` does with dates, times and intervals; None when there are none."""
    moments = ("date", "time", "timestamp", "timestamp with time zone")
    if not any(each.type.base in moments or each.type.is_interval for each in (left, right)):
        return None
    if symbol == "+" and left.type.is_interval and right.type.base in moments:
        left, right = right, left
    if symbol in "+-" and right.type.is_interval and left.type.base in moments:
        return add(c, node, symbol, left, right)
    if symbol in "+-" and left.type.is_interval and left.type == right.type:
        return Value(f"({left.sql} {symbol} {right.sql})", left.type, fallible=True)
    if symbol == "-" and left.type.base in moments and right.type.base in moments:
        return _difference(c, node, left, right)
    if symbol == "*" and left.type.is_number and right.type.is_interval:
        left, right = right, left
    if symbol in "*/" and left.type.is_interval and right.type.is_number:
        return Value(f"CAST(({left.sql} {symbol} {right.sql}) AS {left.type.spark})", left.type, fallible=True)
    if left.is_null or right.is_null:
        kind = right.type if left.is_null else left.type
        return Value(f"CAST(NULL AS {kind.spark})", kind, left.zone or right.zone)
    raise mismatch(node, f"Cannot apply operator: {left.type} {symbol} {right.type}")


def add(c: Compiler, node: exp.Expr | None, symbol: str, moment: Value, interval: Value) -> Value:
    kind = moment.type
    if kind.base == "time":
        raise refused(node, "A time plus an interval")
    if kind.base == "date":
        if interval.type == T.YEAR_MONTH:
            return Value(f"({moment.sql} {symbol} {interval.sql})", kind)
        return Value(f"CAST((CAST({moment.sql} AS TIMESTAMP_NTZ) {symbol} {interval.sql}) AS DATE)", kind)
    if kind.is_instant and interval.type == T.YEAR_MONTH:  # months are counted on the calendar of the zone
        shown = local(node, moment)
        moved = Value(f"({shown.sql} {symbol} {interval.sql})", shown.type)
        return in_zone(moved, moment.zone or UTC)
    precision = max(kind.precision, 3) if interval.type == T.DAY_SECOND else kind.precision
    return Value(f"({moment.sql} {symbol} {interval.sql})", Type(kind.base, numbers=(precision,)), moment.zone)


def _difference(c: Compiler, node: exp.Expr, left: Value, right: Value) -> Value:
    kind = T.common(left.type, right.type)
    if kind is None or kind.base == "time":
        raise refused(node, f"{left.type} - {right.type}")
    left, right = c.cast(left, kind), c.cast(right, kind)
    return Value(f"CAST(({left.sql} - {right.sql}) AS INTERVAL DAY TO SECOND)", T.DAY_SECOND)


# Zones and now.


@handles(exp.AtTimeZone)
def _at_time_zone(c: Compiler, node: exp.AtTimeZone) -> Value:
    return at_zone(c, node, c.value(node.this), c.value(node.args["zone"]))


def at_zone(c: Compiler, node: exp.Expr, value: Value, zone: Value) -> Value:
    if value.type.base in ("date", "timestamp"):
        value = cast(c, node, value, T.instant(value.type.precision if value.type.numbers else 0))
    if not value.type.is_instant:
        raise mismatch(node, f"Cannot move {value.type} to another time zone")
    if zone.type.base == "interval day to second":
        raise refused(node, "A time zone as an interval")
    return Value(value.sql, value.type, literal(normal_zone(zone.text)) if zone.text is not None else zone.sql)


def now(c: Compiler) -> Value:
    return Value("date_trunc('MILLISECOND', current_timestamp())", T.instant(3), c.context.zone)


@handles(exp.CurrentTimestamp)
def _current_timestamp(c: Compiler, node: exp.Expr) -> Value:
    return now(c)


@handles(exp.Localtimestamp)
def _localtimestamp(c: Compiler, node: exp.Expr) -> Value:
    return local(node, now(c))


@handles(exp.CurrentDate)
def _current_date(c: Compiler, node: exp.Expr) -> Value:
    return cast(c, node, now(c), T.DATE)


@handles(exp.Localtime)
def _localtime(c: Compiler, node: exp.Expr) -> Value:
    return cast(c, node, now(c), T.time(3))
