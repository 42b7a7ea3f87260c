"""Intervals as text, and year-month intervals as something that Python can hold.

Spark's year-month interval is Arrow's `month_interval`, for which pyarrow 26 has no array class: touching such a column raises
KeyError. Its values are 32-bit numbers of months, so a batch is imported again under a schema that calls them that.
"""

from __future__ import annotations

from functools import cache

import pyarrow as pa


class YearMonth(pa.ExtensionType):  # type: ignore[misc]
    """Months, as a type of our own so that they are not taken for numbers."""

    def __init__(self) -> None:
        super().__init__(pa.int32(), "sqe.year_month")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: pa.DataType, serialized: bytes) -> YearMonth:
        return cls()


def readable_schema(schema: pa.Schema) -> pa.Schema:
    """The schema with year-month intervals that can be read."""
    return pa.schema([field.with_type(_readable(field.type)) for field in schema], schema.metadata)


def readable_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The batch under its readable schema; no value is copied."""
    _register()
    _, values = batch.__arrow_c_array__()
    return pa.RecordBatch._import_from_c_capsule(schema.__arrow_c_schema__(), values)


@cache
def _register() -> None:
    pa.register_extension_type(YearMonth())


def _readable(kind: pa.DataType) -> pa.DataType:
    if kind.id == pa.lib.Type_INTERVAL_MONTHS:
        return YearMonth()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_readable(field.type)) for field in kind])
    if pa.types.is_map(kind):
        key, item = kind.key_field, kind.item_field
        return pa.map_(key.with_type(_readable(key.type)), item.with_type(_readable(item.type)))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_readable(kind.value_type)))
    return kind


def year_month(months: int) -> str:
    """`1-2`: years and months."""
    sign, rest = ("-", -months) if months < 0 else ("", months)
    return f"{sign}{rest // 12}-{rest % 12}"


def day_time(microseconds: int) -> str:
    """`1 02:03:04.5`: days, then the clock."""
    sign, rest = ("-", -microseconds) if microseconds < 0 else ("", microseconds)
    seconds, fraction = divmod(rest, 1_000_000)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return f"{sign}{days} {hour:02d}:{minute:02d}:{second:02d}{_fraction(fraction)}"


def calendar(value: pa.MonthDayNano) -> str:
    """`1 years 2 months 25 days`, as Spark writes what `make_interval` returns."""
    parts = []
    for number, unit in ((_quotient(value.months, 12), "years"), (_remainder(value.months, 12), "months"), (value.days, "days")):
        if number:
            parts.append(f"{number} {unit}")
    microseconds = _quotient(value.nanoseconds, 1000)
    for size, unit in ((3_600_000_000, "hours"), (60_000_000, "minutes")):
        if number := _quotient(microseconds, size):
            parts.append(f"{number} {unit}")
        microseconds = _remainder(microseconds, size)
    if microseconds:
        sign = "-" if microseconds < 0 else ""
        seconds, fraction = divmod(abs(microseconds), 1_000_000)
        parts.append(f"{sign}{seconds}{_fraction(fraction)} seconds")
    return " ".join(parts) or "0 seconds"


def _fraction(microseconds: int) -> str:
    return f".{microseconds:06d}".rstrip("0") if microseconds else ""


def _quotient(number: int, by: int) -> int:
    """Rounded towards zero, so that the parts of a negative interval are all negative."""
    return number // by if number >= 0 else -(-number // by)


def _remainder(number: int, by: int) -> int:
    return number - _quotient(number, by) * by
