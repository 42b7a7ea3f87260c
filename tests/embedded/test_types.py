"""Every type of Spark reaches the client as its Arrow type, whichever way the rows take out of the engine."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

Sql = Callable[[str], pa.Table]

UTC = dt.UTC
MIN_DAY, MAX_DAY = dt.date(1, 1, 1), dt.date(9999, 12, 31)
MAP = pa.map_(pa.string(), pa.float64())
VARIANT = pa.struct([pa.field("value", pa.binary(), False), pa.field("metadata", pa.binary(), False)])


def list_of(kind: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", kind))


# expression, Arrow type, value in Python
VALUES: list[tuple[str, pa.DataType, Any]] = [
    ("true", pa.bool_(), True),
    ("CAST(-128 AS TINYINT)", pa.int8(), -128),
    ("CAST(-32768 AS SMALLINT)", pa.int16(), -32768),
    ("-2147483648", pa.int32(), -(2**31)),
    ("-9223372036854775808", pa.int64(), -(2**63)),
    ("CAST(1.5 AS FLOAT)", pa.float32(), 1.5),
    ("CAST('NaN' AS FLOAT)", pa.float32(), math.nan),
    ("CAST('Infinity' AS FLOAT)", pa.float32(), math.inf),
    ("CAST('NaN' AS DOUBLE)", pa.float64(), math.nan),
    ("CAST('-Infinity' AS DOUBLE)", pa.float64(), -math.inf),
    ("-0.0D", pa.float64(), -0.0),
    ("4.9E-324D", pa.float64(), 5e-324),
    ("-1.50", pa.decimal128(3, 2), Decimal("-1.50")),
    ("CAST('9' AS DECIMAL(18,0))", pa.decimal128(18, 0), Decimal(9)),
    (f"CAST('-{'9' * 38}' AS DECIMAL(38,0))", pa.decimal128(38, 0), Decimal("-" + "9" * 38)),
    (f"CAST('0.{'0' * 37}1' AS DECIMAL(38,38))", pa.decimal128(38, 38), Decimal("1E-38")),
    ("'Grüße 🎉'", pa.string(), "Grüße 🎉"),
    ("''", pa.string(), ""),
    ("CAST('ab' AS VARCHAR(5))", pa.string(), "ab"),
    ("'x' COLLATE UTF8_LCASE", pa.string(), "x"),
    ("X'00FF'", pa.binary(), b"\x00\xff"),
    ("X''", pa.binary(), b""),
    ("DATE'0001-01-01'", pa.date32(), MIN_DAY),
    ("DATE'9999-12-31'", pa.date32(), MAX_DAY),
    ("DATE'1582-10-10'", pa.date32(), dt.date(1582, 10, 10)),
    ("TIMESTAMP'0001-01-01 00:00:00'", pa.timestamp("us", "UTC"), dt.datetime(1, 1, 1, tzinfo=UTC)),
    ("TIMESTAMP'9999-12-31 23:59:59.999999'", pa.timestamp("us", "UTC"), dt.datetime.max.replace(tzinfo=UTC)),
    ("TIMESTAMP'2026-06-15 12:00:00+02:00'", pa.timestamp("us", "UTC"), dt.datetime(2026, 6, 15, 10, tzinfo=UTC)),
    ("TIMESTAMP_NTZ'0001-01-01 00:00:00'", pa.timestamp("us"), dt.datetime.min),
    ("TIMESTAMP_NTZ'9999-12-31 23:59:59.999999'", pa.timestamp("us"), dt.datetime.max),
    ("TIME'23:59:59.999999'", pa.time64("ns"), dt.time.max),
    ("INTERVAL '5 04:03:02.000001' DAY TO SECOND", pa.duration("us"), dt.timedelta(5, 14582, 1)),
    ("INTERVAL '-1' SECOND", pa.duration("us"), dt.timedelta(seconds=-1)),
    ("make_interval(1, 2, 0, 4, 0, 0, 7.5)", pa.month_day_nano_interval(), pa.MonthDayNano([14, 4, 7_500_000_000])),
    ("NULL", pa.null(), None),
    ("array(1, NULL, 3)", list_of(pa.int32()), [1, None, 3]),
    ("array(array('a', NULL), NULL)", list_of(list_of(pa.string())), [["a", None], None]),
    ("map('a', 1, 'b', NULL)", pa.map_(pa.string(), pa.int32()), [("a", 1), ("b", None)]),
    ("named_struct('a', 1L, 'b', CAST(NULL AS STRING))", None, {"a": 1, "b": None}),
    ("named_struct('x', array(map(1, named_struct('z', 1.5))))", None, {"x": [[(1, {"z": Decimal("1.5")})]]}),
    ("named_struct('i', INTERVAL '1' DAY, 'd', DATE'2026-01-01')", None, {"i": dt.timedelta(1), "d": dt.date(2026, 1, 1)}),
]  # fmt: skip

ROUTES = {
    "in the answer": "SELECT {columns}",
    "by the stream without a job": "SELECT {columns} FROM VALUES " + ", ".join(["(1)"] * 300),
    "by the stream of a job": "SELECT {columns} FROM range(0, 5, 1, 3)",
}


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, float):
        return (
            math.isnan(found)
            if math.isnan(expected)
            else (found, math.copysign(1, found)) == (expected, math.copysign(1, expected))
        )
    return bool(found == expected)


@pytest.mark.parametrize("route", ROUTES)
def test_every_type_keeps_its_type_and_value(sql: Sql, route: str) -> None:
    columns = ", ".join(f"{expression} AS c{number}" for number, (expression, _, _) in enumerate(VALUES))
    result = sql(ROUTES[route].replace("{columns}", columns))
    for number, (expression, arrow_type, value) in enumerate(VALUES):
        column = result.column(number)
        if arrow_type is not None:
            assert column.type == arrow_type, expression
        for found in column.to_pylist():
            assert same(found, value), (expression, found)


@pytest.mark.parametrize("route", ROUTES)
def test_every_type_can_be_null(sql: Sql, route: str) -> None:
    columns = ", ".join(
        f"CASE WHEN current_user() = '' THEN {expression} END AS c{n}" for n, (expression, *_) in enumerate(VALUES)
    )
    result = sql(ROUTES[route].replace("{columns}", columns))
    assert result.num_rows > 0
    for column, (expression, arrow_type, _) in zip(result.columns, VALUES, strict=True):
        assert column.null_count == result.num_rows, expression
        assert arrow_type is None or column.type == arrow_type, expression


@pytest.mark.parametrize("route", ROUTES)
def test_years_and_months_are_a_month_interval(sql: Sql, route: str) -> None:
    text = "INTERVAL '-3-4' YEAR TO MONTH AS v"
    column = sql(ROUTES[route].replace("{columns}", text)).column(0)
    assert str(column.type) == "month_interval"
    assert set(column.to_string().split()) <= {"[", "]", "],", "-40M", "-40M,", "..."}  # pyarrow has no Python value for it


@pytest.mark.parametrize("route", ROUTES)
def test_a_variant_is_its_two_binaries(sql: Sql, route: str) -> None:
    text = """parse_json('{"a": [1, "x", null]}') AS v, CAST(NULL AS VARIANT) AS none"""
    result = sql(ROUTES[route].replace("{columns}", text))
    assert result.schema.field("v").type == VARIANT
    assert result.column("none").null_count == result.num_rows
    assert all(value["value"] and value["metadata"] for value in result.column("v").to_pylist())


def test_timestamps_carry_the_sessions_time_zone(sql: Sql) -> None:
    sql("SET time_zone = 'Europe/Berlin'")
    for route in ROUTES.values():
        text = "TIMESTAMP'2026-07-01 12:00:00' AS v"
        column = sql(route.replace("{columns}", text)).column(0)
        assert column.type == pa.timestamp("us", "Europe/Berlin")
        assert column[0].as_py().astimezone(UTC) == dt.datetime(2026, 7, 1, 10, tzinfo=UTC)


# column type in SQL, values as SQL, Arrow type, values in Python; each with a NULL after them
STORED: list[tuple[str, list[str], pa.DataType, list[Any]]] = [
    ("BOOLEAN", ["true", "false"], pa.bool_(), [True, False]),
    ("INT", ["-2147483648", "2147483647"], pa.int32(), [-(2**31), 2**31 - 1]),
    ("BIGINT", ["-9223372036854775808", "9223372036854775807"], pa.int64(), [-(2**63), 2**63 - 1]),
    ("FLOAT", ["CAST('NaN' AS FLOAT)", "CAST('-Infinity' AS FLOAT)"], pa.float32(), [math.nan, -math.inf]),
    ("DOUBLE", ["-0.0D", "1.7976931348623157E308D"], pa.float64(), [-0.0, 1.7976931348623157e308]),
    ("DECIMAL(9,2)", ["-1234567.89", "0.01"], pa.decimal128(9, 2), [Decimal("-1234567.89"), Decimal("0.01")]),
    ("DECIMAL(18,3)", ["-123456789012345.678", "1"], pa.decimal128(18, 3), [Decimal("-123456789012345.678"), Decimal("1.000")]),
    ("DECIMAL(38,0)", ["9" * 38, "-" + "9" * 38], pa.decimal128(38, 0), [Decimal("9" * 38), Decimal("-" + "9" * 38)]),
    ("STRING", ["'Grüße 🎉'", "''"], pa.string(), ["Grüße 🎉", ""]),
    ("BINARY", ["X'00FF'", "X''"], pa.binary(), [b"\x00\xff", b""]),
    ("DATE", ["DATE'0001-01-01'", "DATE'9999-12-31'"], pa.date32(), [MIN_DAY, MAX_DAY]),
    (
        "TIMESTAMP",
        ["TIMESTAMP'0001-01-01 00:00:00'", "TIMESTAMP'9999-12-31 23:59:59.999999'"],
        pa.timestamp("us", "UTC"),
        [dt.datetime(1, 1, 1, tzinfo=UTC), dt.datetime.max.replace(tzinfo=UTC)],
    ),
    (
        "TIMESTAMP_NTZ",
        ["TIMESTAMP_NTZ'0001-01-01 00:00:00'", "TIMESTAMP_NTZ'2026-06-15 12:30:00.123456'"],
        pa.timestamp("us"),
        [dt.datetime.min, dt.datetime(2026, 6, 15, 12, 30, 0, 123456)],
    ),
    ("ARRAY<INT>", ["array(1, NULL)", "array()"], list_of(pa.int32()), [[1, None], []]),
    ("MAP<STRING, DOUBLE>", ["map('a', 1D, 'b', NULL)", "map()"], MAP, [[("a", 1.0), ("b", None)], []]),
    (
        "STRUCT<a: INT, b: ARRAY<STRUCT<c: STRING>>>",
        ["named_struct('a', 1, 'b', array(named_struct('c', 'x')))", "named_struct('a', NULL, 'b', NULL)"],
        pa.struct([("a", pa.int32()), ("b", list_of(pa.struct([("c", pa.string())])))]),
        [{"a": 1, "b": [{"c": "x"}]}, {"a": None, "b": None}],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("version", "file_format"), [("2", "parquet"), ("3", "parquet"), ("2", "orc"), ("2", "avro")])
def test_every_type_comes_back_from_a_table(sql: Sql, version: str, file_format: str) -> None:
    name = f"kept_{version}_{file_format}"
    columns = ", ".join(f"c{number} {column[0]}" for number, column in enumerate(STORED))
    properties = f"'format-version'='{version}', 'write.format.default'='{file_format}'"
    sql(f"CREATE TABLE {name} (n INT, {columns}) TBLPROPERTIES ({properties})")
    rows = [f"(0, {', '.join(column[1][0] for column in STORED)})", f"(1, {', '.join(column[1][1] for column in STORED)})"]
    rows.append(f"(2, {', '.join('NULL' for _ in STORED)})")
    sql(f"INSERT INTO {name} VALUES {', '.join(rows)}")
    result = sql(f"SELECT * FROM {name} ORDER BY n")
    plain = sql(f"SELECT * FROM {name}").sort_by("n")  # columnar where the file format is
    for number, (sql_type, _, arrow_type, values) in enumerate(STORED):
        for column in (result.column(f"c{number}"), plain.column(f"c{number}")):
            assert column.type == arrow_type, sql_type
            *found, null = column.to_pylist()
            assert null is None, sql_type
            assert all(same(one, other) for one, other in zip(found, values, strict=True)), (sql_type, found)


def test_variants_come_back_from_a_table_of_format_3(sql: Sql) -> None:
    sql("CREATE TABLE variants (n INT, v VARIANT) TBLPROPERTIES ('format-version'='3')")
    sql(
        """INSERT INTO variants SELECT n, parse_json(j) FROM VALUES (1, '{"a": [1, 2.5, "x"]}'), (2, '7'), (3, NULL) AS t(n, j)"""
    )
    assert sql("SELECT v FROM variants").schema.field("v").type == VARIANT
    texts = sql("SELECT to_json(v) AS j, variant_get(v, '$.a[1]', 'double') AS second FROM variants ORDER BY n")
    assert [json.loads(text) if text else None for text in texts.column("j").to_pylist()] == [{"a": [1, 2.5, "x"]}, 7, None]
    assert texts.column("second").to_pylist() == [2.5, None, None]


def test_columns_may_share_a_name(sql: Sql) -> None:
    result = sql("SELECT 1 AS a, 'x' AS a, id AS a FROM range(1)")
    assert result.column_names == ["a", "a", "a"]
    assert [column.to_pylist() for column in result.columns] == [[1], ["x"], [0]]
