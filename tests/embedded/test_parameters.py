"""Parameters of statements: values arrive as they are, their number is checked, and their types are known beforehand."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.session import Session

Ask = Callable[..., pa.Table]


@pytest.fixture
def ask(handler: QueryHandler, session: Session) -> Ask:
    def run(text: str, *values: pa.Array) -> pa.Table:
        row = pa.RecordBatch.from_arrays(list(values), names=[f"p{number}" for number in range(len(values))])
        with handler.submit(session, text, door="test", parameters=row) as query:
            return query.read_all()

    return run


NOON = dt.datetime(2026, 6, 15, 12, tzinfo=dt.UTC)

# Arrow type of the client, value
VALUES: list[tuple[pa.DataType, Any]] = [
    (pa.bool_(), True),
    (pa.int8(), -128),
    (pa.int64(), -(2**63)),
    (pa.uint64(), 2**64 - 1),
    (pa.float32(), 1.5),
    (pa.float64(), -math.inf),
    (pa.float64(), 5e-324),
    (pa.decimal128(38, 0), Decimal("-" + "9" * 38)),
    (pa.decimal128(38, 20), Decimal("1E-20")),
    (pa.string(), 'it\'s\n"quoted" \\ with 🎉 and ?'),
    (pa.string(), ""),
    (pa.large_string(), "x" * 100_000),
    (pa.binary(), b"\x00\xff'"),
    (pa.date32(), dt.date(1, 1, 1)),
    (pa.date64(), dt.date(9999, 12, 31)),
    (pa.timestamp("us"), dt.datetime.min),
    (pa.timestamp("s"), dt.datetime(2026, 1, 1)),
    (pa.timestamp("us", "UTC"), NOON),
    (pa.timestamp("ms", "Asia/Tokyo"), NOON),
    (pa.int32(), None),
    (pa.null(), None),
]


def test_every_value_arrives_as_it_is(ask: Ask) -> None:
    for kind, value in VALUES:
        result = ask("SELECT ? AS v, ? IS NULL AS missing", pa.array([value], kind), pa.array([value], kind)).to_pylist()
        assert result == [{"v": value, "missing": value is None}], kind
    assert math.isnan(ask("SELECT ? AS v", pa.array([math.nan])).column("v")[0].as_py())


def test_times_do_not_depend_on_the_sessions_zone(ask: Ask) -> None:
    ask("SET time_zone = 'America/New_York'")
    assert ask("SELECT ? AS v", pa.array([NOON], pa.timestamp("us", "UTC"))).to_pylist() == [{"v": NOON}]
    local = dt.datetime(2026, 6, 15, 12)
    assert ask("SELECT ? AS v", pa.array([local], pa.timestamp("us"))).to_pylist() == [{"v": local}]


def test_parameters_stand_wherever_a_value_may(ask: Ask) -> None:
    ask("CREATE TABLE p (id BIGINT, name STRING)")
    one, two = pa.array([1]), pa.array([2])
    ask("INSERT INTO p VALUES (?, ?), (?, 'b')", one, pa.array(["a"]), two)
    ask("UPDATE p SET name = ? WHERE id = ?", pa.array(["c"]), two)
    assert ask("SELECT id FROM p WHERE name IN (?, ?) ORDER BY id", pa.array(["a"]), pa.array(["c"])).num_rows == 2
    assert ask("WITH x AS (SELECT id FROM p WHERE id > ?) SELECT * FROM x", one).to_pylist() == [{"id": 2}]
    assert ask("SELECT id FROM p WHERE id = (SELECT max(id) FROM p WHERE id < ?)", two).to_pylist() == [{"id": 1}]
    assert ask("SELECT id FROM range(10) LIMIT ? OFFSET ?", two, pa.array([3])).to_pylist() == [{"id": 3}, {"id": 4}]
    assert ask("SELECT id FROM (SELECT id FROM range(10) LIMIT ?) ORDER BY id DESC LIMIT 1", two).to_pylist() == [{"id": 1}]
    assert ask("SELECT '?' AS q, ? AS p -- ?", one).to_pylist() == [{"q": "?", "p": 1}]
    assert ask("SELECT count(*) AS n FROM IDENTIFIER(?)", pa.array(["p"])).to_pylist() == [{"n": 2}]
    assert ask("EXPLAIN SELECT ?", one).num_rows == 1
    ask("DELETE FROM p WHERE id = ?", one)
    assert ask("SELECT id FROM p").to_pylist() == [{"id": 2}]


@pytest.mark.parametrize(
    ("text", "values", "sentence"),
    [
        ("SELECT ?, ?", 1, "The statement has 2 parameters, but 1 values came"),
        ("SELECT ?", 2, "The statement has 1 parameters, but 2 values came"),
        ("SELECT 1", 1, "The statement has 0 parameters, but 1 values came"),
        ("SELECT ?", 0, "The statement has 1 parameters, but 0 values came"),
        ("SELECT * FROM range(3) LIMIT ?", 0, "The statement has 1 parameters, but 0 values came"),
        ("SELECT :name", 0, "A parameter of the statement has no value"),
    ],
)
def test_the_number_of_values_must_be_right(ask: Ask, text: str, values: int, sentence: str) -> None:
    with pytest.raises(SqeError) as failure:
        ask(text, *[pa.array([1])] * values)
    assert (failure.value.code.name, failure.value.message) == ("INVALID_PARAMETER_USAGE", sentence)


def test_values_of_other_types_and_more_rows_than_one_are_refused(ask: Ask) -> None:
    for array, code in [
        (pa.array([[1]]), "NOT_SUPPORTED"),
        (pa.array([dt.timedelta(1)]), "NOT_SUPPORTED"),
        (pa.array([1, 2]), "INVALID_PARAMETER_USAGE"),
        (pa.array([], pa.int64()), "INVALID_PARAMETER_USAGE"),
    ]:
        with pytest.raises(SqeError) as failure:
            ask("SELECT ?", array)
        assert failure.value.code.name == code, array.type


def test_types_are_known_before_there_are_values(ask: Ask, handler: QueryHandler, session: Session) -> None:
    ask("CREATE OR REPLACE TABLE typed (id BIGINT, name STRING, price DECIMAL(10, 2), at TIMESTAMP)")
    at = pa.timestamp("us", "UTC")
    for text, types in [
        ("SELECT * FROM typed WHERE id = ? AND name LIKE ?", [pa.int64(), pa.string()]),
        ("INSERT INTO typed VALUES (?, ?, ?, ?)", [pa.int64(), pa.string(), pa.decimal128(10, 2), at]),
        ("INSERT INTO typed (at, id) VALUES (?, ?)", [at, pa.int64()]),
        ("UPDATE typed SET price = ? WHERE at BETWEEN ? AND ?", [pa.decimal128(10, 2), at, at]),
        ("DELETE FROM typed WHERE id IN (?, ?)", [pa.int64(), pa.int64()]),
        ("MERGE INTO typed USING (SELECT ? AS k) s ON typed.id = s.k WHEN MATCHED THEN DELETE", [pa.int64()]),
        ("WITH x AS (SELECT id FROM typed WHERE id > ?) SELECT * FROM x LIMIT ?", [pa.int64(), pa.int32()]),
        ("SELECT upper(?)", [pa.string()]),
        ("SELECT ?", [pa.string()]),
    ]:
        prepared = handler.prepare(session, text)
        assert prepared.parameter_schema.types == types, text
    assert handler.prepare(session, "SELECT id, price FROM typed WHERE id = ?").schema == pa.schema(
        [("id", pa.int64()), ("price", pa.decimal128(10, 2))]
    )
    assert handler.prepare(session, "INSERT INTO typed VALUES (?, ?, ?, ?)").schema.names == []
