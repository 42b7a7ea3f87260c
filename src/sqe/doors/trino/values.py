"""Columns as the JSON values of Trino's protocol, built from whole arrays by kernels: no Python work per row but where said.

Numbers and booleans are JSON's; decimals, dates, times and intervals are strings in Trino's own forms; binary is base64; arrays
and rows are JSON arrays; a map is an object whose keys are text.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from sqe.doors.trino.types import VARIANT, VARIANT_BINARY, TrinoType
from sqe.render.intervals import YearMonth, calendar, readable_batch, readable_schema, year_month
from sqe.render.json_values import NULL, in_quotes, map_entries, put_back, quoted
from sqe.render.lines import text_of
from sqe.render.scalars import decimal_text, each, float_text, plain
from sqe.render.variants import is_variant, variant_json

_OLD_PRECISION = 3  # of clients that know no other
_IN_A_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


class Rows:
    """Writes batches of one schema as rows of JSON, each column as a value of its type."""

    def __init__(self, schema: pa.Schema, types: Sequence[TrinoType], capabilities: Collection[str]) -> None:
        self._schema = readable_schema(schema)
        self._types = types
        self._capabilities = frozenset(capabilities)

    def text(self, batch: pa.RecordBatch) -> pa.Buffer:
        """`[1,"a"],[2,"b"]`: the rows with commas between them and none around."""
        if not batch.num_rows:
            return pa.py_buffer(b"")
        columns = readable_batch(batch, self._schema).columns
        parts: list[pa.Array | str] = [",["]
        for position, (column, kind) in enumerate(zip(columns, self._types, strict=True)):
            parts += [",", self._json(column, kind)] if position else [self._json(column, kind)]
        return text_of(pc.binary_join_element_wise(*parts, "]", "")).slice(1)

    def _json(self, column: pa.Array, kind: TrinoType) -> pa.StringArray:
        column = plain(column)
        text = self._present(column, kind)
        return pc.if_else(column.is_valid(), text, NULL) if column.null_count else text

    def _present(self, column: pa.Array, kind: TrinoType) -> pa.StringArray:
        """The text of the values that are there; what it says for a NULL does not matter."""
        stored = column.type
        if pa.types.is_null(stored):
            return pa.nulls(len(column), pa.string())
        if pa.types.is_nested(stored):
            return self._nested(column, kind)
        if pa.types.is_boolean(stored) or pa.types.is_integer(stored):
            return pc.cast(column, pa.string())
        if pa.types.is_floating(stored):
            return _float(column)
        if pa.types.is_string(stored) or pa.types.is_large_string(stored):
            text = pc.cast(column, pa.string())
            return quoted(pc.utf8_rpad(text, kind.numbers[0]) if kind.raw == "char" and kind.numbers else text)
        if pa.types.is_decimal(stored):
            return in_quotes(decimal_text(column))
        if pa.types.is_temporal(stored):
            return in_quotes(_temporal(column, kind))
        return in_quotes(_without_kernel(column))

    def _nested(self, column: pa.Array, kind: TrinoType) -> pa.StringArray:
        if is_variant(column.type):
            return self._variant(column)
        if pa.types.is_struct(column.type):
            return self._row(column, kind)
        if pa.types.is_map(column.type):
            lists, keys, items = map_entries(column)
            key, item = kind.children
            entries = pc.binary_join_element_wise(_keys(self._json(keys, key)), ":", self._json(items, item), "")
            return put_back(lists, entries, "{", "}")
        return put_back(column, self._json(column.flatten(), kind.children[0]), "[", "]")

    def _row(self, column: pa.StructArray, kind: TrinoType) -> pa.StringArray:
        if column.type.num_fields == 0:
            return pa.array(["[]"] * len(column), pa.string())
        parts: list[pa.Array | str] = ["["]
        for position, (child, child_kind) in enumerate(zip(column.flatten(), kind.children, strict=True)):
            parts += [",", self._json(child, child_kind)] if position else [self._json(child, child_kind)]
        return pc.binary_join_element_wise(*parts, "]", "")

    def _variant(self, column: pa.StructArray) -> pa.StringArray:
        if VARIANT_BINARY in self._capabilities:
            value, metadata = (in_quotes(_base64(child)) for child in column.flatten())
            return pc.binary_join_element_wise('{"metadata":', metadata, ',"value":', value, "}", "")
        text = variant_json(column)
        return text if VARIANT in self._capabilities else quoted(text)


def _temporal(column: pa.Array, kind: TrinoType) -> pa.StringArray:
    stored = column.type
    precision = kind.numbers[0] if kind.numbers else _OLD_PRECISION
    if pa.types.is_timestamp(stored):
        # Arrow needs 1.3 µs to write a timestamp with a zone and 0.03 µs for one without: the zone is written beside it.
        text = _with_precision(_local(column, kind.zone) if stored.tz else column, pa.timestamp, precision)
        return pc.binary_join_element_wise(text, f" {kind.zone}", "") if stored.tz else text
    if pa.types.is_time(stored):
        return _with_precision(column, _time, precision)
    if pa.types.is_duration(stored):
        return _day_to_second(column)
    if stored == pa.month_day_nano_interval():
        return each(column, calendar)
    return pc.cast(column, pa.string())


def _local(column: pa.Array, zone: str) -> pa.Array:
    if zone == "UTC":
        return pc.cast(column, pa.timestamp(column.type.unit))
    return pc.local_timestamp(pc.cast(column, pa.timestamp(column.type.unit, zone)))


def _time(unit: str) -> pa.DataType:
    return pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit)


def _with_precision(column: pa.Array, of_unit: object, precision: int) -> pa.StringArray:
    """The text with so many digits after the point; half of the last one goes up."""
    unit = next((unit for unit, size in _IN_A_SECOND.items() if size >= 10**precision), "ns")
    have = _IN_A_SECOND[column.type.unit]
    last = 10**precision
    if last < have:  # rounded in its own unit, so that any number of digits can be had
        step = have // last
        number = pc.cast(column, pa.int32() if pa.types.is_time32(column.type) else pa.int64()).cast(pa.int64())
        column = pc.multiply(_floor(pc.add(number, step // 2), step), step)
        whole = column if _IN_A_SECOND[unit] == have else _floor(column, have // _IN_A_SECOND[unit])
        target = of_unit(unit)  # type: ignore[operator]
        column = whole.cast(pa.int32()).cast(target) if pa.types.is_time32(target) else whole.cast(target)
    text = pc.cast(column, pa.string())
    digits = len(str(_IN_A_SECOND[column.type.unit])) - 1
    if precision > digits:
        return pc.binary_join_element_wise(text, ("" if digits else ".") + "0" * (precision - digits), "")
    # Those beyond the wanted are zeros: they were rounded away.
    return pc.utf8_slice_codeunits(text, 0, precision - digits) if precision < digits else text


def _floor(number: pa.Array, by: int) -> pa.Array:
    quotient = pc.divide(number, by)
    return pc.subtract(quotient, pc.less(pc.subtract(number, pc.multiply(quotient, by)), 0).cast(pa.int64()))


def _float(column: pa.Array) -> pa.StringArray:
    text = float_text(column)
    finite = pc.is_finite(column)
    return text if pc.all(finite).as_py() is not False else pc.if_else(finite, text, in_quotes(text))


def _keys(text: pa.StringArray) -> pa.StringArray:
    """A key is a string in JSON whatever its type; one that is a string in JSON anyway stays as it is."""
    return pc.if_else(pc.starts_with(text, '"'), text, quoted(text))


def _day_to_second(column: pa.Array) -> pa.StringArray:
    """`-1 02:03:04.500`: Trino's interval has milliseconds."""
    micros = pc.cast(column, pa.duration("us"), safe=False).cast(pa.int64())
    millis = pc.divide(micros, 1000)
    sign = pc.if_else(pc.less(millis, 0), "-", "")
    rest = pc.abs(millis)

    def part(divisor: int, size: int | None, digits: int) -> pa.StringArray:
        quotient = pc.divide(rest, divisor)
        number = quotient if size is None else pc.subtract(quotient, pc.multiply(pc.divide(quotient, size), size))
        return pc.utf8_lpad(pc.cast(number, pa.string()), digits, "0") if digits else pc.cast(number, pa.string())

    clock = [part(3_600_000, 24, 2), ":", part(60_000, 60, 2), ":", part(1000, 60, 2), ".", part(1, 1000, 3)]
    return pc.binary_join_element_wise(sign, part(86_400_000, None, 0), " ", *clock, "")


def _without_kernel(column: pa.Array) -> pa.StringArray:
    """One Python call a value."""
    if isinstance(column.type, YearMonth):
        return each(column.storage, year_month)
    if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type) or pa.types.is_fixed_size_binary(column.type):
        return _base64(column)
    return each(column, str)


def _base64(column: pa.Array) -> pa.StringArray:
    return each(column, lambda value: base64.b64encode(value).decode("ascii"))
