"""What every format writes, from the same rows."""

from __future__ import annotations

import datetime
import io
import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.render import FORMATS
from sqe.render.cells import cell_text
from sqe.render.json_values import json_text
from sqe.render.writer import Layout, render

PEOPLE = pa.table(
    {
        "id": [1, 2, None],
        "name": ["Alice", "李小龙", 'say "hi"'],
        "score": [1.0, None, 0.25],
        "tags": [["a", "b"], None, []],
    }
)
AMSTERDAM = datetime.timezone(datetime.timedelta(hours=1))


def rendered(table: pa.Table, format: str, width: int = 0) -> str:
    return rendered_bytes(table, format, width).decode()


def rendered_bytes(table: pa.Table, format: str, width: int = 0) -> bytes:
    sink = io.BytesIO()
    rows = render(table.schema, table.to_batches(), Layout(format, width), sink.write)
    assert rows == table.num_rows
    return sink.getvalue()


EXPECTED = {
    "table": """\
   id | name     | score | tags
------+----------+-------+-----------
    1 | Alice    |   1.0 | ["a","b"]
    2 | 李小龙   |  NULL | NULL
 NULL | say "hi" |  0.25 | []
(3 rows)
""",
    "csv": '''\
id,name,score,tags
1,Alice,1.0,"[""a"",""b""]"
2,李小龙,,
,"say ""hi""",0.25,[]
''',
    "tsv": '''\
id\tname\tscore\ttags
1\tAlice\t1.0\t"[""a"",""b""]"
2\t李小龙\t\t
\t"say ""hi"""\t0.25\t[]
''',
    "json": """\
[{"id":1,"name":"Alice","score":1.0,"tags":["a","b"]},
{"id":2,"name":"李小龙","score":null,"tags":null},
{"id":null,"name":"say \\"hi\\"","score":0.25,"tags":[]}]
""",
    "jsonl": """\
{"id":1,"name":"Alice","score":1.0,"tags":["a","b"]}
{"id":2,"name":"李小龙","score":null,"tags":null}
{"id":null,"name":"say \\"hi\\"","score":0.25,"tags":[]}
""",
    "markdown": """\
| id | name | score | tags |
|---:|---|---:|---|
| 1 | Alice | 1.0 | ["a","b"] |
| 2 | 李小龙 | NULL | NULL |
| NULL | say "hi" | 0.25 | [] |
""",
}


@pytest.mark.parametrize("format", EXPECTED)
def test_each_text_format_writes_the_same_rows_its_own_way(format: str) -> None:
    assert rendered(PEOPLE, format) == EXPECTED[format]


def test_arrow_and_parquet_give_the_rows_back_unchanged() -> None:
    assert pa.ipc.open_stream(rendered_bytes(PEOPLE, "arrow")).read_all().equals(PEOPLE)
    assert pq.read_table(io.BytesIO(rendered_bytes(PEOPLE, "parquet"))).equals(PEOPLE)


EMPTY = {
    "table": " a\n---\n(0 rows)\n",
    "csv": "a\n",
    "tsv": "a\n",
    "json": "[]\n",
    "jsonl": "",
    "markdown": "| a |\n|---:|\n",
}


@pytest.mark.parametrize("format", EMPTY)
def test_a_result_without_rows_still_shows_its_columns(format: str) -> None:
    assert rendered(pa.table({"a": pa.array([], pa.int64())}), format) == EMPTY[format]


@pytest.mark.parametrize("format", FORMATS)
def test_many_batches_are_one_result(format: str) -> None:
    table = pa.concat_tables([pa.table({"n": list(range(start, start + 700))}) for start in range(0, 21_000, 700)])
    assert rendered_bytes(table, format).count(b"20999") >= (0 if format in {"arrow", "parquet"} else 1)
    if format == "json":
        assert [row["n"] for row in json.loads(rendered(table, format))] == list(range(21_000))


def test_one_row_is_counted_in_the_singular() -> None:
    assert rendered(pa.table({"one": [1]}), "table") == " one\n-----\n   1\n(1 row)\n"


VALUES: list[tuple[str, pa.Array, list[str | None], list[Any]]] = [
    ("booleans", pa.array([True, None]), ["true", None], [True, None]),
    ("doubles", pa.array([1.0, 1e20, -0.5]), ["1.0", "1e+20", "-0.5"], [1.0, 1e20, -0.5]),
    ("not finite", pa.array([float("nan"), float("-inf")]), ["NaN", "-Infinity"], ["NaN", "-Infinity"]),
    (
        "decimals",
        pa.array([Decimal("0.0000000001"), None, Decimal("12345678901234567890.5")], pa.decimal128(38, 10)),
        ["0.0000000001", None, "12345678901234567890.5000000000"],
        [Decimal("1E-10"), None, Decimal("12345678901234567890.5000000000")],
    ),
    ("dates", pa.array([datetime.date(2026, 1, 2)]), ["2026-01-02"], ["2026-01-02"]),
    (
        "timestamps",
        pa.array([datetime.datetime(2026, 1, 2, 3, 4, 5, 500000), datetime.datetime(2026, 1, 2, 10, 20)], pa.timestamp("us")),
        ["2026-01-02 03:04:05.5", "2026-01-02 10:20:00"],
        ["2026-01-02T03:04:05.5", "2026-01-02T10:20:00"],
    ),
    (
        "timestamps with a zone",
        pa.array([datetime.datetime(2026, 1, 2, 3, 4, tzinfo=AMSTERDAM)], pa.timestamp("us", "Europe/Amsterdam")),
        ["2026-01-02 03:04:00+01:00"],
        ["2026-01-02T03:04:00+01:00"],
    ),
    (
        "zones west of Greenwich",
        pa.array([0, 1_750_000_000_500_000, None], pa.timestamp("us", "America/St_Johns")),
        ["1969-12-31 20:30:00-03:30", "2025-06-15 12:36:40.5-02:30", None],
        ["1969-12-31T20:30:00-03:30", "2025-06-15T12:36:40.5-02:30", None],
    ),
    ("whole seconds", pa.array([36_000], pa.time32("s")), ["10:00:00"], ["10:00:00"]),
    (
        "far away",
        pa.array([-62_135_596_800, 253_402_300_799], pa.timestamp("s")),
        ["0001-01-01 00:00:00", "9999-12-31 23:59:59"],
        ["0001-01-01T00:00:00", "9999-12-31T23:59:59"],
    ),
    ("UTC", pa.array([0], pa.timestamp("us", "UTC")), ["1970-01-01 00:00:00Z"], ["1970-01-01T00:00:00Z"]),
    ("binary", pa.array([b"\x00\xff", b"", None]), ["00FF", "", None], ["00FF", "", None]),
    (
        "day-time intervals",
        pa.array([datetime.timedelta(days=1, seconds=5), datetime.timedelta(seconds=-1, microseconds=-500_000)]),
        ["1 00:00:05", "-0 00:00:01.5"],
        ["1 00:00:05", "-0 00:00:01.5"],
    ),
    (
        "calendar intervals",
        pa.array(
            [pa.MonthDayNano([14, 25, 3_661_500_000_000]), pa.MonthDayNano([0, 0, 0]), pa.MonthDayNano([-1, 0, -1_000_000_000])]
        ),
        ["1 years 2 months 25 days 1 hours 1 minutes 1.5 seconds", "0 seconds", "-1 months -1 seconds"],
        ["1 years 2 months 25 days 1 hours 1 minutes 1.5 seconds", "0 seconds", "-1 months -1 seconds"],
    ),
    (
        "times",
        pa.array([datetime.time(10, 0, 1), datetime.time(0, 0, 0, 500_000)]),
        ["10:00:01", "00:00:00.5"],
        ["10:00:01", "00:00:00.5"],
    ),
    ("nothing", pa.nulls(2), [None, None], [None, None]),
    ("dictionaries", pa.array(["a", "b", "a"]).dictionary_encode(), ["a", "b", "a"], ["a", "b", "a"]),
    ("control characters", pa.array(["a\tb\x01"]), ["a\tb\x01"], ["a\tb\x01"]),
    ("backslashes", pa.array(["C:\\x"]), ["C:\\x"], ["C:\\x"]),
    ("lists", pa.array([[1, None], None, []]), ["[1,null]", None, "[]"], [[1, None], None, []]),
    (
        "structs",
        pa.array([{"a": 1, "b": {"c": None}}, None]),
        ['{"a":1,"b":{"c":null}}', None],
        [{"a": 1, "b": {"c": None}}, None],
    ),
    (
        "maps",
        pa.array([[(1, Decimal("1.50"))], None, []], pa.map_(pa.int32(), pa.decimal128(5, 2))),
        ['{"1":1.50}', None, "{}"],
        [{"1": Decimal("1.50")}, None, {}],
    ),
    (
        "lists of structs of timestamps",
        pa.array([[{"at": 0}]], pa.list_(pa.struct([("at", pa.timestamp("us"))]))),
        ['[{"at":"1970-01-01T00:00:00"}]'],
        [[{"at": "1970-01-01T00:00:00"}]],
    ),
]


@pytest.mark.parametrize(("name", "column", "text", "value"), VALUES, ids=[row[0] for row in VALUES])
def test_values_are_text_and_keep_their_type_in_json(name: str, column: pa.Array, text: list[Any], value: list[Any]) -> None:
    assert cell_text(column).to_pylist() == text
    assert [json.loads(cell, parse_float=Decimal) for cell in json_text(column).to_pylist()] == [
        Decimal(repr(v)) if isinstance(v, float) else v for v in value
    ]


@pytest.mark.parametrize(("name", "column", "text", "value"), VALUES, ids=[row[0] for row in VALUES])
def test_a_slice_renders_its_own_rows(name: str, column: pa.Array, text: list[Any], value: list[Any]) -> None:
    doubled = pa.concat_arrays([column, column])
    assert cell_text(doubled.slice(1, len(column))).to_pylist() == (text + text)[1 : len(column) + 1]
    assert cell_text(column.slice(0, 0)).to_pylist() == []


def test_csv_keeps_null_and_the_empty_string_apart() -> None:
    assert rendered(pa.table({"a": ["", None, " x", "a,b", "c\nd"]}), "csv") == 'a\n""\n\n" x"\n"a,b"\n"c\nd"\n'


def test_markdown_escapes_what_would_break_the_table() -> None:
    assert rendered(pa.table({"a|b": ["x|y\nz"]}), "markdown") == "| a\\|b |\n|---|\n| x\\|y<br>z |\n"


def test_a_value_cannot_talk_to_the_terminal() -> None:
    assert rendered(pa.table({"a": ["\x1b[2J\x9b1m\n", ""]}), "table").splitlines()[2] == " \\x1b[2J\\x9b1m\\n"


def test_a_single_text_keeps_its_lines_in_a_table() -> None:
    plan = pa.table({"plan": ["Project\n+- Scan\x1b[31m\n\n"]})
    assert rendered(plan, "table") == " plan\n-----------------\n Project\n +- Scan\\x1b[31m\n(1 row)\n"
    assert rendered(pa.concat_tables([plan, plan]), "table").count("\n") == 5  # elsewhere a row is a line


def test_a_wide_table_is_folded_to_the_terminal() -> None:
    table = pa.table({"id": [1], "text": ["the quick brown fox jumps over the lazy dog"], "x": [3.5]})
    assert rendered(table, "table", 40) == (
        " id | text                        |   x\n"
        "----+-----------------------------+-----\n"
        "  1 | the quick brown fox jumps   | 3.5\n"
        "    | over the lazy dog           |\n"
        "(1 row)\n"
    )
    assert rendered(table, "table", 120).count("\n") == 4


def test_a_table_with_too_many_columns_is_written_as_records() -> None:
    table = pa.table({f"column_{number}": [f"value number {number}"] for number in range(9)})
    lines = rendered(table, "table", 40).splitlines()
    assert lines[0] == "-[ 1 ]" + "-" * 34
    assert lines[1] == "column_0 | value number 0"
    assert lines[-1] == "(1 row)"
    assert max(len(line) for line in lines) <= 40


@pytest.mark.parametrize("width", [20, 40, 80])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    later = ["x" * 3] * 1500 + ["宽" * 200]
    table = pa.table({"n": list(range(1501)), "text": later})
    from wcwidth import wcswidth

    assert max(wcswidth(line) for line in rendered(table, "table", width).splitlines()) <= width


def test_a_later_wider_value_stays_whole_in_a_file() -> None:
    table = pa.table({"text": ["x"] * 2000 + ["y" * 50]})
    assert "y" * 50 in rendered(table, "table")
