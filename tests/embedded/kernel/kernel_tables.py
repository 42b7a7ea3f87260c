"""Random tables of awkward values. The same seed gives the same tables.

Columns have the same short names in every table, which say their kind. What a column is really called, how many digits a decimal
has, how many rows there are and how many of them are NULL is drawn.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import pyarrow as pa

# Code points whose order differs between UTF-8 and UTF-16, letters that grow when their case changes, all kinds of blanks.
_TEXTS = [
    *["", "a", "A", "ab", "abc", "b", "zz", "a%b", "a_b", "%", "\\", "'", '"', "NULL", "null", "0", "-1", "true"],
    *[" a ", "a ", "\ta", "a\u00a0", "x\ny", "x\r", "\u2028", "a\u0000b"],
    *["ä", "ß", "Straße", "ẞ", "İ", "ı", "ſ", "K", "é", "e\u0301", "ǆ", "ﬁ"],
    *["日本語", "🙂", "\U0001f469\u200d\U0001f467", "\uffff", "\ufffd", "\U00010000", "\U0010ffff", "שלום", "٣", "x" * 300],
]
# Of calendars, leap days, and ends of years and of ISO weeks.
DAYS = [
    *[date(1, 1, 1), date(4, 2, 29), date(1582, 10, 4), date(1582, 10, 15), date(1900, 2, 28), date(1900, 3, 1)],
    *[date(1969, 12, 31), date(1970, 1, 1), date(2000, 2, 29), date(2000, 12, 31), date(2016, 1, 3), date(2020, 12, 31)],
    *[date(2021, 1, 3), date(2021, 1, 4), date(2023, 2, 28), date(2024, 2, 29), date(2024, 12, 30), date(2024, 12, 31)],
    *[date(2025, 1, 1), date(2100, 2, 28), date(9999, 12, 31)],
]
_FAR_DAYS = [-719_529, -719_528, -735_000, 2_932_897, 3_000_000, 0, -1]  # the years 0, -13 and 10000
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896  # those that Python has dates for
# Around leap seconds, the epoch, and the second that begins a year.
_TIMES = [0, 1, 999_999, 1_000_000, 43_200_000_000, 86_399_000_000, 86_399_999_999]
_NAN = struct.unpack("<d", (0xFFF8000000000001).to_bytes(8, "little"))[0]
_DOUBLES = [
    *[0.0, -0.0, 1.0, 1.5, -2.25, 2.5, 0.1, 0.3, 1 / 3, 1e300, -1e300, 1.7976931348623157e308, 5e-324, 2.2250738585072014e-308],
    *[
        float("nan"),
        _NAN,
        float("inf"),
        float("-inf"),
        2.0**53,
        2.0**53 + 2,
        2.0**31,
        2147483647.5,
        -2147483648.5,
        2.0**63,
        -(2.0**63),
    ],
]
_FLOATS = [
    0.0,
    -0.0,
    1.5,
    -2.25,
    0.1,
    3.4028234663852886e38,
    1.401298464324817e-45,
    float("nan"),
    float("inf"),
    float("-inf"),
    2.0**24,
]
_LONGS = [0, 1, -1, 7, -7, 10, 1000, 2**31, -(2**31) - 1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 2**62]

_FIXED: dict[str, pa.DataType] = {
    "t": pa.int8(),
    "h": pa.int16(),
    "i": pa.int32(),
    "l": pa.int64(),
    "x": pa.float64(),
    "g": pa.float32(),
    "s": pa.string(),
    "u": pa.string(),
    "b": pa.bool_(),
    "c": pa.bool_(),
    "day": pa.date32(),
    "far": pa.date32(),
    "at": pa.timestamp("us", tz="UTC"),
    "here": pa.timestamp("us"),
}
# Up to nine, eighteen and thirty-eight digits: three ways to hold them, in files and in the kernel.
_DECIMALS = {"d": (1, 9), "e": (10, 18), "w": (19, 38), "z": (36, 38)}
# Text that spells numbers, days, times, truths and JSON; oddly in some tables only, since one such row makes a query fail.
_SPELLED = {
    "n": ["0", "7", "-12", "+3", "0.5", "-0.125", "12345.678", "007", "99999", "-0", "1.50", *["1"] * 9],
    "m": ["0", "7", "-12", "+3", "127", "-128", "0099", *["5"] * 9],
    "v": [day.isoformat() for day in DAYS],
    "q": [f"{day.isoformat()} {time}" for day in DAYS for time in ("00:00:00", "12:34:56", "23:59:59")],
    "y": ["true", "false", "t", "f", "1", "0", "yes", "n"],
    "js": [
        '{"a": "x", "b": {"c": 1}}',
        '{"a": 7}',
        '{"a": null}',
        "{}",
        '{"a": "ä\\n", "b": {"c": "y"}}',
        '{"b": {"c": true}}',
        '{"a": 1.5}',
    ],
}
_ODDLY_SPELLED = {
    "n": ["1e3", " 4", ".5", "1.23456789012345678901"],
    "m": ["32768", "2147483648", "9", " 8"],
    "v": ["2023-02-30", "2024-1-5", " 2024-01-05"],
    "q": ["2024-01-05T1:2", "2024-01-05 23:59:60", "2016-12-31 24:00:00"],
    "y": ["Yes", "TRUE", "on"],
    "js": ['{"a": [1]}', "no JSON", '{"a": 1, "a": 2}', '{"a": {"c": [true]}}'],
}
# That the kernel or the text for it uses itself.
_OWN_NAMES = [
    "filename",
    "file_row_number",
    "file",
    "bits",
    "c1",
    "c20",
    "deleted_rows",
    "own_files_",
    "rowid",
    "file_index",
    "select",
    "nothing",
]
_SMALL = pa.struct([("fa", pa.int32()), ("fb", pa.string())])
_NESTED: dict[str, pa.DataType] = {
    "ints": pa.list_(pa.int32()),
    "texts": pa.list_(pa.string()),
    "one": pa.struct([("fa", pa.int32()), ("fb", pa.string()), ("fc", pa.decimal128(9, 2)), ("fd", _SMALL)]),
    "many": pa.list_(_SMALL),
    "pairs": pa.map_(pa.string(), pa.int32()),
}


@dataclass(frozen=True)
class RandomTable:
    """`names` are the columns' real ones by their short ones, as SQL writes them. The key `k` counts the rows."""

    rows: pa.Table
    names: dict[str, str]


def random_tables(seed: int) -> Sequence[RandomTable]:
    """Two of them: joins and unions then meet the same kinds with other digits.

    They are small: of many rows that fail, each in its own way, Spark tells of any.
    """
    draw = random.Random(seed)
    unusual = draw.sample(_OWN_NAMES, len(_OWN_NAMES))
    odd = {
        name: unusual.pop() if unusual and draw.random() < 0.6 else f"{name} 'ä%"
        for name in [*_FIXED, *_DECIMALS]
        if draw.random() < 0.15
    }
    return [_table(draw, odd, draw.choice(counts)) for counts in ([8, 25, 40, 40], [1, 8, 25, 40])]


def _table(draw: random.Random, odd: Mapping[str, str], count: int) -> RandomTable:
    types = _FIXED | {name: _digits(draw, *bounds) for name, bounds in _DECIMALS.items()}
    nulls = draw.choice([0.02, 0.12, 0.12, 0.4])
    columns: dict[str, pa.Array] = {"k": pa.array(range(count), pa.int64())}
    for name, kind in types.items():
        columns[odd.get(name, name)] = _column(draw, name, kind, count, nulls)
    for name, kind in _NESTED.items():
        columns[name] = pa.array([_sometimes_null(draw, nulls, _nested(draw, kind, nulls)) for _ in range(count)], kind)
    for name, plain in _SPELLED.items():
        words = plain * 4 + (_ODDLY_SPELLED[name] if draw.random() < 0.3 else [])
        columns[name] = pa.array([_sometimes_null(draw, nulls, draw.choice(words)) for _ in range(count)], pa.string())
    return RandomTable(
        pa.table(columns), {name: f"`{odd[name]}`" if name in odd else name for name in [*types, *_SPELLED, *_NESTED, "k"]}
    )


def _digits(draw: random.Random, fewest: int, most: int) -> pa.Decimal128Type:
    precision = draw.choice([fewest, most, draw.randint(fewest, most), draw.randint(fewest, most)])
    scale = draw.choice([0, min(2, precision), precision // 3, draw.randint(0, precision)])
    return pa.decimal128(precision, scale)


def _column(draw: random.Random, name: str, kind: pa.DataType, count: int, nulls: float) -> pa.Array:
    values = [_sometimes_null(draw, nulls, _value(draw, name, kind)) for _ in range(count)]
    if pa.types.is_date(kind):  # days that Python has no date for
        return pa.array(values, pa.int32()).cast(kind)
    return pa.array(values, pa.int64()).cast(kind) if pa.types.is_timestamp(kind) else pa.array(values, kind)


def _sometimes_null(draw: random.Random, nulls: float, value: object) -> object:
    return None if draw.random() < nulls else value


def _nested(draw: random.Random, kind: pa.DataType, nulls: float) -> object:
    """Empty, of one, of a few; a struct of NULLs is no NULL."""

    def inner(of: pa.DataType) -> object:
        return _sometimes_null(draw, nulls, _nested(draw, of, nulls) if pa.types.is_nested(of) else _value(draw, "", of))

    if pa.types.is_map(kind):
        return [(key, inner(kind.item_type)) for key in draw.sample(["a", "b", "", "ß"], draw.randint(0, 3))]
    if pa.types.is_list(kind):
        return [inner(kind.value_type) for _ in range(draw.choice([0, 1, 2, 2, 4]))]
    return {field.name: inner(field.type) for field in kind}


def _value(draw: random.Random, name: str, kind: pa.DataType) -> object:
    if pa.types.is_integer(kind):
        least, most = -(2 ** (kind.bit_width - 1)), 2 ** (kind.bit_width - 1) - 1
        edges = [least, most, *[number for number in _LONGS if least <= number <= most]]
        return draw.choice(edges) if draw.random() < 0.12 else draw.randint(-9, 9)
    if pa.types.is_decimal(kind):
        largest = 10**kind.precision - 1
        edges = [largest, -largest, 1, -1, 5, -5, 0, largest // 2, draw.randint(-largest, largest)]
        whole = draw.choice(edges) if draw.random() < 0.15 else draw.randint(-min(largest, 2000), min(largest, 2000))
        return Decimal(f"{whole}e-{kind.scale}")  # exact: arithmetic would round to 28 digits
    if pa.types.is_floating(kind):
        return draw.choice(_DOUBLES if kind == pa.float64() else _FLOATS)
    if pa.types.is_string(kind):
        return draw.choice(_TEXTS)
    if pa.types.is_boolean(kind):
        return draw.random() < 0.5
    day = min(max((draw.choice(DAYS) - date(1970, 1, 1)).days + draw.choice([0, 0, 0, 1, -1]), _FIRST_DAY), _LAST_DAY)
    if name == "far":
        return draw.choice([*_FAR_DAYS, day])
    return day if pa.types.is_date(kind) else day * 86_400_000_000 + draw.choice(_TIMES)
