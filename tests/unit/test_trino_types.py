"""Trino's types and values from Arrow's: names, signatures, JSON as Trino itself writes it."""

# ruff: noqa: E501 - the table reads better with a type a line

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from sqe.doors.trino.types import TrinoType, columns, declared, parse_type, trino_type
from sqe.doors.trino.values import Rows
from sqe.render.intervals import YearMonth

MODERN = frozenset({"PARAMETRIC_DATETIME"})


def written(array: pa.Array, kind: TrinoType | None = None, capabilities: frozenset[str] = MODERN) -> list[Any]:
    batch = pa.record_batch([array], names=["x"])
    seen = (kind or trino_type(array.type)).seen_by(capabilities)
    text = Rows(batch.schema, [seen], capabilities).text(batch).to_pybytes().decode()
    return [row[0] for row in json.loads(f"[{text}]")]


MOMENT = dt.datetime(2026, 2, 28, 1, 2, 3, 678_500)
BEFORE_1970 = dt.datetime(1969, 12, 31, 23, 59, 59, 999_600)

# Arrow's type, values, Trino's type, what a client gets.
TYPES: dict[str, tuple[pa.DataType, list[Any], str, list[Any]]] = {
    "boolean": (pa.bool_(), [True, None], "boolean", [True, None]),
    "tinyint": (pa.int8(), [-128], "tinyint", [-128]),
    "smallint": (pa.int16(), [32767], "smallint", [32767]),
    "integer": (pa.int32(), [None, -1], "integer", [None, -1]),
    "bigint": (pa.int64(), [2**63 - 1], "bigint", [2**63 - 1]),
    "real": (pa.float32(), [1.5, float("nan")], "real", [1.5, "NaN"]),
    "double": (pa.float64(), [0.1, float("inf"), -float("inf"), None], "double", [0.1, "Infinity", "-Infinity", None]),
    "decimal": (pa.decimal128(38, 2), [Decimal("1.50"), Decimal("-0.01")], "decimal(38,2)", ["1.50", "-0.01"]),
    "decimal without zeros": (pa.decimal128(12, 10), [Decimal("0.0000000001")], "decimal(12,10)", ["0.0000000001"]),
    "varchar": (pa.string(), ['a"b\\c', "Zeile\n\t\r", "\x01\x1f", "🦆", "", None], "varchar", ['a"b\\c', "Zeile\n\t\r", "\x01\x1f", "🦆", "", None]),
    "varbinary": (pa.binary(), [b"\x00\xff", b"", None], "varbinary", ["AP8=", "", None]),
    "date": (pa.date32(), [dt.date(2024, 2, 29), dt.date(1, 1, 1)], "date", ["2024-02-29", "0001-01-01"]),
    "time": (pa.time64("us"), [dt.time(1, 2, 3, 4)], "time(6)", ["01:02:03.000004"]),
    "time in nanoseconds": (pa.time64("ns"), [dt.time(1, 2, 3, 4)], "time(6)", ["01:02:03.000004"]),
    "timestamp": (pa.timestamp("us"), [MOMENT, BEFORE_1970], "timestamp(6)", ["2026-02-28 01:02:03.678500", "1969-12-31 23:59:59.999600"]),
    "timestamp with zone": (pa.timestamp("us", "Europe/Paris"), [MOMENT, None], "timestamp(6) with time zone", ["2026-02-28 01:02:03.678500 UTC", None]),
    "day to second": (pa.duration("us"), [dt.timedelta(days=-1, hours=-2, milliseconds=-5), dt.timedelta(days=400, seconds=1)], "interval day to second", ["-1 02:00:00.005", "400 00:00:01.000"]),
    "array": (pa.list_(pa.int32()), [[1, None], [], None], "array(integer)", [[1, None], [], None]),
    "map": (pa.map_(pa.string(), pa.int32()), [[("a", 1), ('"', None)], [], None], "map(varchar, integer)", [{"a": 1, '"': None}, {}, None]),
    "map of numbers": (pa.map_(pa.int32(), pa.list_(pa.string())), [[(1, ["x"])]], "map(integer, array(varchar))", [{"1": ["x"]}]),
    "row": (pa.struct([("a", pa.int32()), ("b c", pa.string())]), [{"a": 1, "b c": "x"}, None], 'row(a integer, "b c" varchar)', [[1, "x"], None]),
    "unknown": (pa.null(), [None], "unknown", [None]),
}  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
def test_a_type_has_trinos_name_and_values(name: str) -> None:
    kind, values, type_name, expected = TYPES[name]
    assert trino_type(kind).name == type_name
    assert written(pa.array(values, kind)) == expected


def test_months_are_an_interval() -> None:
    months = pa.ExtensionArray.from_storage(YearMonth(), pa.array([14, -1, None], pa.int32()))
    assert trino_type(months.type).name == "interval year to month"


@pytest.mark.parametrize("name", TYPES)
def test_a_slice_of_a_column_is_written_like_the_column(name: str) -> None:
    kind, values, _, expected = TYPES[name]
    doubled = pa.array([*values, *values], kind)
    assert written(doubled.slice(len(values))) == expected


def test_clients_of_old_get_milliseconds_and_types_without_precision() -> None:
    stamps = pa.array([MOMENT, BEFORE_1970], pa.timestamp("us", "UTC"))
    assert trino_type(stamps.type).seen_by(()).name == "timestamp with time zone"
    assert written(stamps, capabilities=frozenset()) == ["2026-02-28 01:02:03.679 UTC", "1970-01-01 00:00:00.000 UTC"]
    assert written(pa.array([dt.time(1, 2, 3, 4)], pa.time64("us")), capabilities=frozenset()) == ["01:02:03.000"]


@pytest.mark.parametrize(
    ("type_name", "expected"),
    [
        ("timestamp(0)", "2026-02-28 01:02:04"),
        ("timestamp(1)", "2026-02-28 01:02:03.7"),
        ("timestamp(3)", "2026-02-28 01:02:03.679"),
        ("timestamp(6)", "2026-02-28 01:02:03.678500"),
        ("timestamp(9)", "2026-02-28 01:02:03.678500000"),
        ("timestamp(12)", "2026-02-28 01:02:03.678500000000"),
    ],
)
def test_a_declared_precision_has_its_digits(type_name: str, expected: str) -> None:
    stamps = pa.array([MOMENT], pa.timestamp("us"))
    assert written(stamps, declared(type_name, stamps.type)) == [expected]


def test_instants_are_shown_in_the_zone_of_their_column() -> None:
    stamps = pa.array([MOMENT], pa.timestamp("us", "UTC"))
    kind = declared("timestamp(3) with time zone", stamps.type, "America/New_York")
    assert written(stamps, kind) == ["2026-02-27 20:02:03.679 America/New_York"]


def test_char_is_padded() -> None:
    assert written(pa.array(["ab", None]), declared("char(4)", pa.string())) == ["ab  ", None]


@pytest.mark.parametrize(
    ("said", "kind", "expected"),
    [
        ("varchar(5)", pa.string(), "varchar(5)"),
        ("json", pa.string(), "json"),
        ("uuid", pa.string(), "uuid"),
        ("bigint", pa.int32(), "bigint"),
        ("row(x integer)", pa.struct([("a", pa.int32())]), "row(x integer)"),
        # Not what the values are: the column's own type is sent, so that clients can read it.
        ("bigint", pa.string(), "varchar"),
        ("double", pa.decimal128(5, 2), "decimal(5,2)"),
        ("varchar", pa.int32(), "integer"),
        ("timestamp(3)", pa.timestamp("us", "UTC"), "timestamp(6) with time zone"),
        ("array(varchar)", pa.list_(pa.int32()), "array(integer)"),
        ("row(a integer, b integer)", pa.struct([("a", pa.int32())]), "row(a integer)"),
        ("no such(", pa.int32(), "integer"),
    ],
)
def test_a_declared_type_counts_where_the_values_are_of_it(said: str, kind: pa.DataType, expected: str) -> None:
    assert declared(said, kind).name == expected


@pytest.mark.parametrize(
    "name",
    [
        "bigint",
        "varchar(10)",
        "decimal(10,2)",
        "timestamp(3) with time zone",
        "interval year to month",
        "array(map(varchar, row(a integer, b array(decimal(1,0)))))",
        'row("a b" integer, "x""y" varchar)',
        "row(integer, varchar)",
    ],
)
def test_a_name_is_read_and_written_alike(name: str) -> None:
    assert parse_type(name).name == name


@pytest.mark.parametrize(
    "name", ["", "(", "varchar(", "varchar(1", "row(a", "1", "a b c", "timestamp with", "array()", "décimal"]
)
def test_what_is_no_type_is_refused(name: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - it has no text, only its callers see it
        parse_type(name)


def test_the_signature_is_what_clients_decode_by() -> None:
    (column,) = columns(["c"], [parse_type("array(row(a decimal(10,2), b varchar, c timestamp(3) with time zone))")])
    fields = column["typeSignature"]["arguments"][0]["value"]["arguments"]
    assert column["typeSignature"]["rawType"] == "array"
    assert [field["value"]["fieldName"]["name"] for field in fields] == ["a", "b", "c"]
    assert [field["value"]["typeSignature"] for field in fields] == [
        {"rawType": "decimal", "arguments": [{"kind": "LONG", "value": 10}, {"kind": "LONG", "value": 2}]},
        {"rawType": "varchar", "arguments": [{"kind": "LONG", "value": 2147483647}]},
        {"rawType": "timestamp with time zone", "arguments": [{"kind": "LONG", "value": 3}]},
    ]
