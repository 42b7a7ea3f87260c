"""Columns as text: what one value looks like in the table, CSV and Markdown formats.

| type | text |
|---|---|
| float, double | shortest form that reads back the same, always with a point or exponent: `1.0`, `NaN`, `Infinity` |
| decimal | plain digits with the declared scale, never an exponent |
| timestamp | `2026-01-02 03:04:05.5`, with zone `2026-01-02 03:04:05.5+01:00` (UTC is `Z`) |
| binary | upper-case hex, as Spark's `hex()`; `X'…'` takes it back |
| array, map, struct | JSON (see json_values.py) |
| day-time interval | `1 02:03:04.5` (days, then the clock), negative with a leading `-` |
| year-month interval | `1-2` (years-months); what `make_interval` returns is `1 years 2 months 3 days` |
| variant | JSON |
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from sqe.render import json_values
from sqe.render.scalars import plain, scalar_text, timestamp_text


def cell_text(column: pa.Array) -> pa.StringArray:
    """The column as strings; NULL stays null."""
    column = plain(column)
    if pa.types.is_nested(column.type):
        return pc.if_else(column.is_valid(), json_values.json_text(column), pa.scalar(None, pa.string()))
    if pa.types.is_timestamp(column.type):
        return timestamp_text(column)
    return scalar_text(column)
