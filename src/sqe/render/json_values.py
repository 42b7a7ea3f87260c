"""Columns as JSON values that keep their types.

Numbers are numbers (decimals exact, with all digits), booleans are booleans, arrays are arrays, structs and maps are objects
(a map's key is always text). What JSON has no value for is a string: timestamps and dates in ISO 8601 (`2026-01-02T03:04:05Z`),
binary in upper-case hex, intervals, and `NaN`, `Infinity`, `-Infinity`.

Everything is built from whole arrays by kernels: a struct is an element-wise join, a list a join over its flattened values.
"""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.compute as pc

from sqe.render.scalars import each, is_plain_text, plain, scalar_text, timestamp_text
from sqe.render.variants import is_variant, variant_json

NULL = "null"

# Control characters must be escaped in JSON; U+2028/9 may stay. RE2 finds the values, Python writes only those.
_CONTROL = r"[\x00-\x1f]"
_USUAL_CONTROLS = (("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"))


def json_text(column: pa.Array) -> pa.StringArray:
    """Each value as JSON text; NULL becomes `null`."""
    column = plain(column)
    text = _present(column)
    return pc.if_else(column.is_valid(), text, NULL) if column.null_count else text


def quoted(text: pa.StringArray) -> pa.StringArray:
    """JSON strings from text."""
    escaped = pc.replace_substring(pc.replace_substring(text, "\\", "\\\\"), '"', '\\"')
    if pc.any(pc.match_substring_regex(text, _CONTROL)).as_py():
        for character, escape in _USUAL_CONTROLS:
            escaped = pc.replace_substring(escaped, character, escape)
        if pc.any(pc.match_substring_regex(escaped, _CONTROL)).as_py():
            return each(text, lambda value: json.dumps(value, ensure_ascii=False))
    return in_quotes(escaped)


def in_quotes(text: pa.StringArray) -> pa.StringArray:
    return pc.binary_join_element_wise('"', text, '"', "")


def objects(names: list[str], columns: list[pa.Array]) -> pa.StringArray:
    """One JSON object a row."""
    parts: list[pa.Array | str] = []
    for position, (name, column) in enumerate(zip(names, columns, strict=True)):
        parts.append(f"{',' if position else '{'}{json.dumps(name, ensure_ascii=False)}:")
        parts.append(json_text(column))
    return pc.binary_join_element_wise(*parts, "}", "")


def _present(column: pa.Array) -> pa.StringArray:
    """The text of the values that are there; what it says for a NULL does not matter."""
    kind = column.type
    if pa.types.is_null(kind):
        return pa.nulls(len(column), pa.string())
    if is_variant(kind):
        return variant_json(column)
    if pa.types.is_struct(kind):
        return _struct(column)
    if pa.types.is_map(kind):
        return _map(column)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _list(column)
    if pa.types.is_timestamp(kind):
        return in_quotes(timestamp_text(column, "T"))
    text = scalar_text(column)
    if pa.types.is_floating(kind):
        finite = pc.is_finite(column)
        return text if pc.all(finite).as_py() is not False else pc.if_else(finite, text, in_quotes(text))
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_decimal(kind):
        return text
    return in_quotes(text) if is_plain_text(kind) else quoted(text)


def _struct(column: pa.StructArray) -> pa.StringArray:
    if column.type.num_fields == 0:
        return pa.array(["{}"] * len(column), pa.string())
    return objects([field.name for field in column.type], column.flatten())


def _list(column: pa.Array) -> pa.StringArray:
    return put_back(column, json_text(column.flatten()), "[", "]")


def _map(column: pa.MapArray) -> pa.StringArray:
    lists, keys, items = map_entries(column)
    entries = pc.binary_join_element_wise(_keys(keys), ":", json_text(items), "")
    return put_back(lists, entries, "{", "}")


def map_entries(column: pa.MapArray) -> tuple[pa.ListArray, pa.Array, pa.Array]:
    """The map as a list of its entries, and their keys and values: its own `keys` and `items` ignore the offset of a slice."""
    entry = pa.struct([pa.field("key", column.type.key_type), pa.field("value", column.type.item_type)])
    lists = column.cast(pa.list_(entry))
    keys, items = lists.flatten().flatten()
    return lists, keys, items


def _keys(keys: pa.Array) -> pa.StringArray:
    """A key is a string in JSON whatever its type; one that is a string in JSON anyway stays as it is."""
    text = json_text(keys)
    return pc.if_else(pc.starts_with(text, '"'), text, quoted(text))


def put_back(column: pa.Array, entries: pa.StringArray, before: str, after: str) -> pa.StringArray:
    """The entries put back into their lists and joined with commas."""
    lengths = pc.fill_null(pc.list_value_length(column), 0)
    ends = pc.cumulative_sum(lengths.cast(pa.int32()))
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    lists = pa.ListArray.from_arrays(offsets, entries)
    return pc.binary_join_element_wise(before, pc.binary_join(lists, ","), after, "")
