"""Columns as the JSON values of Trino's protocol, built from whole arrays by kernels: no Python work per row but where said.

Numbers and booleans are JSON's; decimals, dates, times and intervals are strings in Trino's own forms; binary is base64; arrays
and rows are JSON arrays; a map is an object whose keys are text.
"""

from __future__ import annotations

import base64
from collections.abc import Collection

import pyarrow as pa
import pyarrow.compute as pc

from sqe.doors.trino.types import PARAMETRIC_DATETIME, VARIANT, VARIANT_BINARY
from sqe.render.intervals import YearMonth, calendar, readable_batch, readable_schema, year_month
from sqe.render.json_values import NULL, in_quotes, map_entries, put_back, quoted
from sqe.render.lines import text_of
from sqe.render.scalars import decimal_text, each, float_text, plain
from sqe.render.variants import is_variant, variant_json

_HALF = {"us": 500, "ns": 500_000}  # of a millisecond, for clients that know no smaller unit


class Rows:
    """Writes batches of one schema as rows of JSON, for a client with these capabilities."""

    def __init__(self, schema: pa.Schema, capabilities: Collection[str]) -> None:
        self.schema = readable_schema(schema)
        self._capabilities = frozenset(capabilities)

    def text(self, batch: pa.RecordBatch) -> pa.Buffer:
        """`[1,"a"],[2,"b"]`: the rows with commas between them and none around."""
        if not batch.num_rows:
            return pa.py_buffer(b"")
        columns = [self._json(column) for column in readable_batch(batch, self.schema).columns]
        parts: list[pa.Array | str] = [",["]
        for position, column in enumerate(columns):
            parts += [",", column] if position else [column]
        return text_of(pc.binary_join_element_wise(*parts, "]", "")).slice(1)

    def _json(self, column: pa.Array) -> pa.StringArray:
        column = plain(column)
        text = self._present(column)
        return pc.if_else(column.is_valid(), text, NULL) if column.null_count else text

    def _present(self, column: pa.Array) -> pa.StringArray:
        """The text of the values that are there; what it says for a NULL does not matter."""
        kind = column.type
        if pa.types.is_null(kind):
            return pa.nulls(len(column), pa.string())
        if pa.types.is_nested(kind):
            return self._nested(column)
        if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
            return pc.cast(column, pa.string())
        if pa.types.is_floating(kind):
            return _float(column)
        if pa.types.is_string(kind):
            return quoted(column)
        if pa.types.is_large_string(kind):
            return quoted(pc.cast(column, pa.string()))
        if pa.types.is_decimal(kind):
            return in_quotes(decimal_text(column))
        if pa.types.is_temporal(kind):
            return in_quotes(self._temporal(column))
        return in_quotes(_without_kernel(column))

    def _nested(self, column: pa.Array) -> pa.StringArray:
        kind = column.type
        if is_variant(kind):
            return self._variant(column)
        if pa.types.is_struct(kind):
            return self._row(column)
        if pa.types.is_map(kind):
            lists, keys, items = map_entries(column)
            return put_back(lists, pc.binary_join_element_wise(_keys(self._json(keys)), ":", self._json(items), ""), "{", "}")
        return put_back(column, self._json(column.flatten()), "[", "]")

    def _row(self, column: pa.StructArray) -> pa.StringArray:
        if column.type.num_fields == 0:
            return pa.array(["[]"] * len(column), pa.string())
        parts: list[pa.Array | str] = ["["]
        for position, child in enumerate(column.flatten()):
            parts += [",", self._json(child)] if position else [self._json(child)]
        return pc.binary_join_element_wise(*parts, "]", "")

    def _variant(self, column: pa.StructArray) -> pa.StringArray:
        if VARIANT_BINARY in self._capabilities:
            value, metadata = (in_quotes(_base64(child)) for child in column.flatten())
            return pc.binary_join_element_wise('{"metadata":', metadata, ',"value":', value, "}", "")
        text = variant_json(column)
        return text if VARIANT in self._capabilities else quoted(text)

    def _temporal(self, column: pa.Array) -> pa.StringArray:
        kind = column.type
        if pa.types.is_timestamp(kind):
            # Arrow needs 1.3 µs to write a timestamp with a zone and 0.03 µs for one without: the zone is written beside it.
            local = pc.cast(column, pa.timestamp(kind.unit)) if kind.tz else column
            text = pc.cast(self._rounded(local), pa.string())
            return pc.binary_join_element_wise(text, " UTC", "") if kind.tz else text
        if pa.types.is_time(kind):
            micros = pc.cast(column, pa.time64("us"), safe=False) if kind.unit == "ns" else column
            old = PARAMETRIC_DATETIME not in self._capabilities and pa.types.is_time64(micros.type)
            return pc.cast(pc.cast(micros, pa.time32("ms"), safe=False) if old else micros, pa.string())
        if pa.types.is_duration(kind):
            return _day_to_second(column)
        if kind == pa.month_day_nano_interval():
            return each(column, calendar)
        return pc.cast(column, pa.string())

    def _rounded(self, column: pa.Array) -> pa.Array:
        """For a client that knows milliseconds only; half of one goes up."""
        half = _HALF.get(column.type.unit)
        if half is None or PARAMETRIC_DATETIME in self._capabilities:
            return column
        unit = pa.timestamp("ms")
        floored = pc.floor_temporal(column, 1, "millisecond")
        up = pc.greater_equal(pc.subtract(column.cast(pa.int64()), floored.cast(pa.int64())), half)
        millis = floored.cast(unit).cast(pa.int64())
        return pc.add(millis, up.cast(pa.int64())).cast(unit)


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
