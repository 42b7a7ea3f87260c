"""The text of scalar columns, shared by all text formats. cells.py tells what each type looks like.

A column becomes one string array by pyarrow's kernels (about 0.1 µs a value). Python touches single values only where no
kernel exists (binary, intervals) or where a value is rare and needs care (decimals below a millionth).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sqe.render.intervals import YearMonth, calendar, day_time, year_month

UTC_NAMES = ("UTC", "Etc/UTC", "Z", "+00:00", "GMT")


def plain(column: pa.Array) -> pa.Array:
    """Without the wrappers that only change how the same values are stored."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.ExtensionArray) and not isinstance(column.type, YearMonth):
        return plain(column.storage)
    if pa.types.is_dictionary(column.type):
        return plain(column.dictionary_decode())
    return column


def scalar_text(column: pa.Array) -> pa.StringArray:
    """The text that all text formats share, JSON included."""
    kind = column.type
    if pa.types.is_string(kind):
        return column
    if pa.types.is_floating(kind):
        return float_text(column)
    if pa.types.is_decimal(kind):
        return decimal_text(column)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return each(column, lambda value: bytes(value).hex().upper())
    if pa.types.is_duration(kind):
        return each(pc.cast(column, pa.duration("us"), safe=False).cast(pa.int64()), day_time)
    if kind == pa.month_day_nano_interval():
        return each(column, calendar)
    if isinstance(kind, YearMonth):
        return each(column.storage, year_month)
    if pa.types.is_time(kind) and kind.unit != "s":
        return short_fraction(pc.cast(column, pa.string()))
    try:
        return pc.cast(column, pa.string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return each(column, str)


def float_text(column: pa.Array) -> pa.StringArray:
    """Arrow writes 1.0 as `1`: the point is kept, so that the value shows its type and JSON readers keep it."""
    text = pc.cast(column, pa.string())
    # From here on Arrow writes an exponent.
    whole = pc.and_(pc.equal(column, pc.trunc(column)), pc.less(pc.abs(column), 1e15))
    if pc.any(whole).as_py():
        text = pc.if_else(whole, pc.binary_join_element_wise(text, ".0", ""), text)
    if pc.all(pc.is_finite(column)).as_py() is False:
        text = pc.replace_substring(pc.replace_substring(text, "inf", "Infinity"), "nan", "NaN")
        text = pc.replace_substring(text, "-NaN", "NaN")
    return text


def decimal_text(column: pa.Array) -> pa.StringArray:
    """Arrow switches to an exponent below a millionth (`1E-10`); those values alone are written by Python."""
    text = pc.cast(column, pa.string())
    exponent = pc.match_substring(text, "E")
    if not pc.any(exponent).as_py():
        return text
    digits = [format(value.as_py(), "f") for value in column.filter(exponent)]
    return pc.replace_with_mask(text, pc.fill_null(exponent, False), pa.array(digits, pa.string()))


def timestamp_text(column: pa.Array, between: str = " ") -> pa.StringArray:
    """ISO 8601 with the fraction as short as the value allows.

    Arrow needs 1.3 µs to write a timestamp with a zone and 0.03 µs for one without: the zone is written beside it.
    """
    zone = column.type.tz
    local = column if zone is None else pc.local_timestamp(column)
    seconds = pc.cast(local, pa.timestamp("s"), safe=False)
    if pc.all(pc.equal(pc.cast(seconds, local.type), local)).as_py() is False:
        text = short_fraction(pc.cast(local, pa.string()))
    else:
        text = pc.cast(seconds, pa.string())
    if between != " ":
        text = pc.replace_substring(text, " ", between, max_replacements=1)
    if zone is None:
        return text
    return pc.binary_join_element_wise(text, "Z" if zone in UTC_NAMES else _offsets(column, local), "")


def _offsets(column: pa.Array, local: pa.Array) -> pa.StringArray:
    """`+01:00` for each value; a column has few different ones."""
    apart = pc.subtract(pc.cast(local, pa.int64()), pc.cast(column, pa.int64())).dictionary_encode()
    a_minute = {"s": 60, "ms": 60_000, "us": 60_000_000, "ns": 60_000_000_000}[column.type.unit]
    names = [_offset(value // a_minute) for value in apart.dictionary.to_pylist()]
    return pa.array(names, pa.string()).take(apart.indices)


def _offset(minutes: int) -> str:
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def short_fraction(text: pa.StringArray) -> pa.StringArray:
    """Without the zeros at the end of a fraction, which must be there, and without the point when nothing follows it."""
    return pc.utf8_rtrim(pc.utf8_rtrim(text, "0"), ".")


def each(column: pa.Array, write: Callable[[Any], str]) -> pa.StringArray:
    """One Python call a value, for the types that no kernel writes."""
    return pa.array([None if value is None else write(value) for value in column.to_pylist()], pa.string())


def is_plain_text(kind: pa.DataType) -> bool:
    """Types whose text is digits, letters and punctuation that no format has to quote or escape."""
    return is_number(kind) or bool(pa.types.is_boolean(kind) or pa.types.is_temporal(kind))


def is_number(kind: pa.DataType) -> bool:
    """Types that line up at their right end."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))
