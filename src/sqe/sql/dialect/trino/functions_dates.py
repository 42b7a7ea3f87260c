"""Functions on dates, timestamps and intervals."""

from __future__ import annotations

from sqlglot import exp

from sqe import errors
from sqe.sql.dialect.trino import moments
from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.calls import FUNCTIONS, MISSING, TOTAL, Call, Modifiers, Writing, named, special, whole_text
from sqe.sql.dialect.trino.compiler import Compiler, handles
from sqe.sql.dialect.trino.date_formats import java_of_joda, java_of_mysql
from sqe.sql.dialect.trino.types import Type
from sqe.sql.dialect.trino.values import Value, literal, refused, wrong

_UNITS = ("millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year")
_MICROS = {"millisecond": 1000, "second": 10**6, "minute": 60 * 10**6, "hour": 3600 * 10**6}


def _unit(made: Call) -> str:
    unit = whole_text(made[0]).lower()
    if unit not in _UNITS or (made[-1].type.base == "date" and unit in _MICROS):
        raise wrong(made.node, errors.INVALID_FUNCTION_ARGUMENT, f"'{unit}' is not a valid {made[-1].type.base} field")
    return unit


def _field(template: str, of_interval: str | None = None) -> Writing:
    """A field of what the clock shows in the value's zone."""

    def write(made: Call) -> str:
        value = made[0]
        if value.type.is_interval:
            if of_interval is None:
                raise made.refuse(f"of {value.type}")
            return f"CAST({of_interval.format(value.sql)} AS BIGINT)"
        if value.type.base == "time":
            return _of_time(made)
        return f"CAST({template.format(moments.local(made.node, value).sql)} AS BIGINT)"

    return write


def _of_time(made: Call) -> str:
    """By its text: Spark 4.1 has the type, but hardly a function for it."""
    text = f"CAST({made[0].sql} AS STRING)"
    start = {"hour": 1, "minute": 4, "second": 7}.get(made.name)
    if start is None:
        return f"CAST(rpad(substr({text}, 10, 3), 3, '0') AS BIGINT)"
    return f"CAST(substr({text}, {start}, 2) AS BIGINT)"


def _date_add(made: Call) -> Value:
    unit, n, value = _unit(made), made[1].sql, made[2]
    if value.type.base == "time":
        raise made.refuse("of a time")
    if value.type.base == "date":
        return Value(f"CAST(timestampadd({unit.upper()}, {_int(n)}, CAST({value.sql} AS TIMESTAMP_NTZ)) AS DATE)", value.type)
    if unit in _MICROS:
        moved = moments.of_micros(f"({moments.micros(value)} + {n} * {_MICROS[unit]}L)", _fine(value.type), value.zone)
        return moments.rounded(moved, value.type.precision)
    shown = moments.local(made.node, value)
    moved = Value(f"timestampadd({unit.upper()}, {_int(n)}, {shown.sql})", shown.type)
    return moments.in_zone(moved, value.zone or moments.UTC) if value.type.is_instant else moved


def _int(sql: str) -> str:
    return sql if sql.lstrip("(- ").rstrip(")").isdigit() else f"CAST({sql} AS INT)"


def _date_diff(made: Call) -> str:
    unit, start, end = _unit(made), made[1], made[2]
    if start.type.base == "time":
        raise made.refuse("of times")
    if start.type.base == "date":
        start, end = (Value(f"CAST({each.sql} AS TIMESTAMP_NTZ)", T.timestamp(0)) for each in (start, end))
    if unit in _MICROS:
        return f"(({moments.micros(end)} - {moments.micros(start)}) div {_MICROS[unit]}L)"
    zone = start.zone
    start, end = (
        moments.local(made.node, each if not each.type.is_instant else Value(each.sql, each.type, zone)) for each in (start, end)
    )
    if unit in ("day", "week"):
        return f"CAST(timestampdiff({unit.upper()}, {start.sql}, {end.sql}) AS BIGINT)"
    return _months(start.sql, end.sql, {"month": 1, "quarter": 3, "year": 12}[unit])


def _fine(kind: Type) -> Type:
    return Type(kind.base, numbers=(max(3, kind.precision),))


def _months(start: str, end: str, size: int) -> str:
    """Whole months from the earlier to the later: a month is over on the same day, or on the last one of a shorter month."""
    first, last = f"least({start}, {end})", f"greatest({start}, {end})"
    count = f"((year({last}) - year({first})) * 12 + month({last}) - month({first}))"
    whole = f"({count} - CASE WHEN {first} + make_ym_interval(0, {count}) > {last} THEN 1 ELSE 0 END)"
    signed = f"CASE WHEN {start} IS NULL OR {end} IS NULL THEN NULL WHEN {start} <= {end} THEN {whole} ELSE - {whole} END"
    return f"CAST(({signed}) div {size} AS BIGINT)"


def _date_trunc(made: Call) -> Value:
    unit, value = _unit(made), made[1]
    if value.type.base == "time":
        raise made.refuse("of a time")
    if value.type.base == "date":
        return Value(value.sql if unit == "day" else f"trunc({value.sql}, '{unit}')", value.type)
    shown = moments.local(made.node, value)
    cut = Value(f"CAST(date_trunc('{unit}', CAST({shown.sql} AS TIMESTAMP)) AS TIMESTAMP_NTZ)", shown.type)
    return moments.in_zone(cut, value.zone or moments.UTC) if value.type.is_instant else cut


def _formatted(made: Call, java: str) -> str:
    shown = moments.local(made.node, made[0])
    return f"date_format({shown.sql}, {literal(java)})"


def _date_format(made: Call) -> str:
    return _formatted(made, java_of_mysql(made.node, whole_text(made[1]), parsing=False))


def _format_datetime(made: Call) -> str:
    return _formatted(made, java_of_joda(made.node, whole_text(made[1])))


def _date_parse(made: Call) -> Value:
    java = java_of_mysql(made.node, whole_text(made[1]), parsing=True)
    return Value(f"to_timestamp_ntz({made[0].sql}, {literal(java)})", T.timestamp(3))


def _parse_datetime(made: Call) -> Value:
    java = java_of_joda(made.node, whole_text(made[1]))
    if any(letter in java for letter in "zZVXx"):
        raise made.refuse("with a time zone in the format")
    parsed = Value(f"to_timestamp_ntz({made[0].sql}, {literal(java)})", T.timestamp(3))
    return moments.in_zone(parsed, made.compiler.context.zone)


def _from_unixtime(made: Call) -> Value:
    zone = made.compiler.context.zone
    if len(made) == 2:
        zone = literal(moments.normal_zone(made[1].text)) if made[1].text is not None else made[1].sql
    if len(made) == 3:
        if made[1].number is None or made[2].number is None:
            raise made.refuse("with an offset that is no literal")
        zone = literal(f"{'-' if made[1].number < 0 else '+'}{abs(made[1].number):02}:{abs(made[2].number):02}")
    return Value(f"timestamp_millis(CAST(round({made[0].sql} * 1000D) AS BIGINT))", T.instant(3), zone)


def _from_iso8601_timestamp(made: Call) -> Value:
    text = made[0].text
    zone = None
    if text is not None:
        found = moments._MOMENT.fullmatch(text.replace("T", " ", 1))
        zone = literal(moments.normal_zone(found[4])) if found and found[4] else made.compiler.context.zone
    x = made[0].sql
    zoned = f"CASE WHEN {x} RLIKE '{moments._ZONED}' THEN {x} ELSE concat({x}, {made.compiler.context.zone}) END"
    return moments.rounded(Value(f"CAST({zoned} AS TIMESTAMP)", T.instant(6), zone), 3)


def _to_iso8601(made: Call) -> str:
    value = made[0]
    if value.type.base == "date":
        return f"date_format({value.sql}, 'yyyy-MM-dd')"
    shown = moments.local(made.node, value)
    fraction = "." + "S" * value.type.precision if value.type.precision else ""
    text = f"date_format({shown.sql}, 'yyyy-MM-dd\\'T\\'HH:mm:ss{fraction}')"
    if not value.type.is_instant:
        return text
    if value.zone == moments.UTC:
        return f"concat({text}, 'Z')"
    minutes = f"CAST((unix_micros(CAST({shown.sql} AS TIMESTAMP)) - unix_micros({value.sql})) div 60000000 AS INT)"
    offset = (
        f"format_string('%s%02d:%02d', CASE WHEN {minutes} < 0 THEN '-' ELSE '+' END, abs({minutes}) div 60, abs({minutes}) % 60)"
    )
    return f"concat({text}, CASE WHEN {minutes} = 0 THEN 'Z' ELSE {offset} END)"


def _offset(part: str) -> Writing:
    def write(made: Call) -> str:
        value = made[0]
        shown = moments.local(made.node, value)
        minutes = f"((unix_micros(CAST({shown.sql} AS TIMESTAMP)) - unix_micros({value.sql})) div 60000000)"
        return f"({minutes} div 60)" if part == "hour" else f"({minutes} % 60)"

    return write


def _timezone(made: Call) -> str:
    if made[0].zone is None:
        raise made.refuse("of a time zone that differs from row to row")
    return made[0].zone


def _last_day(made: Call) -> str:
    shown = moments.local(made.node, made[0])
    return f"last_day({shown.sql})"


def _sequence(made: Call) -> str:
    start, stop = made[0].sql, made[1].sql
    if made[0].type.is_integer:
        step = made[2].sql if len(made) > 2 else f"CASE WHEN {start} <= {stop} THEN 1L ELSE -1L END"
        return f"sequence({start}, {stop}, {step})"
    if len(made) == 2:
        return f"sequence({start}, {stop}, CASE WHEN {start} <= {stop} THEN INTERVAL '1' DAY ELSE INTERVAL '-1' DAY END)"
    if made[0].type.base == "date" and made[2].type == T.DAY_SECOND:
        stamps = f"sequence(CAST({start} AS TIMESTAMP_NTZ), CAST({stop} AS TIMESTAMP_NTZ), {made[2].sql})"
        return f"transform({stamps}, d -> CAST(d AS DATE))"
    return f"sequence({start}, {stop}, {made[2].sql})"


_DURATIONS = {"ns": 10**-3, "us": 1, "ms": 1000, "s": 10**6, "m": 60 * 10**6, "h": 3600 * 10**6, "d": 86400 * 10**6}
_SIZES = ("B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB")


def _parse_duration(made: Call) -> str:
    x = made[0].sql
    number = f"CAST(regexp_extract({x}, '^\\\\s*([0-9]+(?:\\\\.[0-9]+)?)\\\\s*([a-zA-Z]+)\\\\s*$', 1) AS DOUBLE)"
    unit = f"regexp_extract({x}, '^\\\\s*([0-9]+(?:\\\\.[0-9]+)?)\\\\s*([a-zA-Z]+)\\\\s*$', 2)"
    factors = " ".join(f"WHEN '{name}' THEN {size / 10**6!r}D" for name, size in _DURATIONS.items())
    failed = "raise_error('duration is not a valid data duration string')"
    seconds = f"round({number} * CASE {unit} {factors} ELSE {failed} END, 3)"
    return f"make_dt_interval(0, 0, 0, CAST({seconds} AS DECIMAL(18,6)))"


def _parse_data_size(made: Call) -> str:
    x = made[0].sql
    form = "'^([0-9]+(?:\\\\.[0-9]+)?)([a-zA-Z]+)$'"
    factors = " ".join(f"WHEN '{name}' THEN {1024**at}BD" for at, name in enumerate(_SIZES))
    failed = "raise_error('Invalid data size')"
    size = f"CASE regexp_extract({x}, {form}, 2) {factors} ELSE {failed} END"
    return f"CAST(floor(CAST(regexp_extract({x}, {form}, 1) AS DECIMAL(20,4)) * CAST({size} AS DECIMAL(26,0))) AS DECIMAL(38,0))"


def _readable_seconds(made: Call) -> str:
    s = f"CAST(round({made[0].sql}) AS BIGINT)"
    parts = [(604800, "week"), (86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
    shown = []
    for at, (size, name) in enumerate(parts):
        count = f"({s} div {size})" if at == 0 else f"(({s} % {parts[at - 1][0]}) div {size})"
        always = f" OR {s} = 0" if size == 1 else ""
        shown.append(
            f"CASE WHEN {count} <> 0{always} THEN concat({count}, CASE WHEN {count} = 1 THEN ' {name}' ELSE ' {name}s' END) END"
        )
    return f"CASE WHEN {made[0].sql} IS NOT NULL THEN concat_ws(', ', {', '.join(shown)}) END"


def _to_milliseconds(made: Call) -> str:
    return f"(unix_micros(TIMESTAMP'1970-01-01 00:00:00Z' + {made[0].sql}) div 1000)"


_EXTRACTED = {
    "YEAR": "year",
    "QUARTER": "quarter",
    "MONTH": "month",
    "WEEK": "week",
    "DAY": "day",
    "DAY_OF_MONTH": "day_of_month",
    "DAY_OF_WEEK": "day_of_week",
    "DOW": "dow",
    "DAY_OF_YEAR": "day_of_year",
    "DOY": "doy",
    "YEAR_OF_WEEK": "year_of_week",
    "YOW": "yow",
    "HOUR": "hour",
    "MINUTE": "minute",
    "SECOND": "second",
    "TIMEZONE_HOUR": "timezone_hour",
    "TIMEZONE_MINUTE": "timezone_minute",
}


@handles(exp.Extract)
def _extract(c: Compiler, node: exp.Extract) -> Value:
    name = _EXTRACTED.get(node.this.name.upper())
    if name is None:
        raise wrong(node, errors.SYNTAX_ERROR, f"Invalid EXTRACT field: {node.this.name}")
    return named(c, node, name, [node.expression])


@special("localtimestamp", "current_timestamp")
def _now_with_precision(c: Compiler, node: exp.Anonymous, modifiers: Modifiers) -> Value:
    (digits,) = c.values(node.expressions)
    if digits.number is None or digits.number > 6:
        raise refused(node, "This precision")
    kind = T.instant(digits.number)
    unit = {0: "SECOND", 3: "MILLISECOND", 6: "MICROSECOND"}.get(digits.number)
    if unit is None:
        raise refused(node, "This precision")
    found = Value(f"date_trunc('{unit}', current_timestamp())", kind, c.context.zone)
    return found if str(node.this).lower() == "current_timestamp" else moments.local(node, found)


def _to_unixtime(made: Call) -> str:
    return f"({moments.micros(made[0])} / 1000000D)"


def _date(made: Call) -> Value:
    return moments.cast(made.compiler, made.node, made[0], T.DATE)


FUNCTIONS.update(
    {
        "at_timezone": lambda made: moments.at_zone(made.compiler, made.node, made[0], made[1]),
        "current_timezone": lambda made: Value(made.compiler.context.zone, T.VARCHAR),
        "date": _date,
        "date_add": _date_add,
        "date_diff": _date_diff,
        "date_format": _date_format,
        "date_parse": _date_parse,
        "date_trunc": _date_trunc,
        "day": _field("day({0})", "extract(DAY FROM {0})"),
        "day_of_month": _field("day({0})", "extract(DAY FROM {0})"),
        "day_of_week": _field("(weekday({0}) + 1)"),
        "dow": _field("(weekday({0}) + 1)"),
        "day_of_year": _field("dayofyear({0})"),
        "doy": _field("dayofyear({0})"),
        "format_datetime": _format_datetime,
        "from_iso8601_date": "CAST({0} AS DATE)",
        "from_iso8601_timestamp": _from_iso8601_timestamp,
        "from_unixtime": _from_unixtime,
        "hour": _field("hour({0})", "extract(HOUR FROM {0})"),
        "human_readable_seconds": _readable_seconds,
        "last_day_of_month": _last_day,
        "millisecond": _field("(extract(SECOND FROM {0}) * 1000 % 1000)", "floor(extract(SECOND FROM {0}) * 1000 % 1000)"),
        "minute": _field("minute({0})", "extract(MINUTE FROM {0})"),
        "month": _field("month({0})", "extract(MONTH FROM {0})"),
        "now": lambda made: moments.now(made.compiler),
        "parse_data_size": _parse_data_size,
        "parse_presto_data_size": _parse_data_size,
        "parse_datetime": _parse_datetime,
        "parse_duration": _parse_duration,
        "quarter": _field("quarter({0})"),
        "second": _field("second({0})", "floor(extract(SECOND FROM {0}))"),
        "sequence": _sequence,
        "timezone": _timezone,
        "timezone_hour": _offset("hour"),
        "timezone_minute": _offset("minute"),
        "to_iso8601": _to_iso8601,
        "to_milliseconds": _to_milliseconds,
        "to_unixtime": _to_unixtime,
        "week": _field("weekofyear({0})"),
        "week_of_year": _field("weekofyear({0})"),
        "with_timezone": lambda made: moments.in_zone(made[0], _zone(made[1])),
        "year": _field("year({0})", "extract(YEAR FROM {0})"),
        "year_of_week": _field("extract(YEAROFWEEK FROM {0})"),
        "yow": _field("extract(YEAROFWEEK FROM {0})"),
    }
)


def _zone(value: Value) -> str:
    return literal(moments.normal_zone(value.text)) if value.text is not None else value.sql


TOTAL |= {"year", "month", "day", "hour", "minute", "second", "quarter", "week", "day_of_week", "day_of_year", "date_trunc"}

for _name in ("from_unixtime_nanos", "from_iso8601_timestamp_nanos"):
    MISSING[_name] = "the engine has microseconds"
