"""`sqe-bench`: when two answers are the same, and what an answer is worth."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from sqe.bench.answers import compare
from sqe.bench.suites.suite import Query
from sqe.bench.verdicts import Verdict, judge

D = Decimal


def column(*values: object, kind: pa.DataType | None = None) -> pa.Table:
    return pa.table({"a": pa.array(list(values), kind)})


SAME = [
    (column(1, 2, kind=pa.int32()), column(1, 2, kind=pa.int64())),
    (column(D("1.20")), column(D("1.2000"))),
    (column(D("0.049985")), column(D("0.05"))),  # Trino's average of decimals has two places
    (column(D("1.25")), column(1.25)),
    (column(D("0.33")), column(1 / 3)),
    (column(5), column(D("5.00"))),
    (column(1.0), column(1.0 + 1e-12)),
    (column(float("nan")), column(float("nan"))),
    (column("é"), column("é", kind=pa.large_string())),
    (column(None, kind=pa.int64()), column(None)),
    (column(date(2026, 1, 1)), column(datetime(2026, 1, 1))),
    (column(datetime(2026, 1, 1, tzinfo=UTC), kind=pa.timestamp("us", "UTC")), column(datetime(2026, 1, 1))),
    (column([1, 2]), column([1, 2])),
    (pa.table({"a": [1], "b": ["x"]}), pa.table({"x": [1], "y": ["x"]})),  # names are the engine's own
]

OTHER = [
    (column(1), column(2)),
    (column(1), column(1, 1)),
    (column(1), pa.table({"a": [1], "b": [1]})),
    (column(D("1.20")), column(D("1.21"))),
    (column(D("0.044")), column(D("0.05"))),
    (column(D("12345678901234567890.12")), column(D("12345678901234567890.13"))),  # beyond what a float can tell
    (column(D("0.33")), column(0.336)),
    (column(5), column(D("5.40"))),
    (column(1.0), column(1.0 + 1e-6)),
    (column(0.0), column(None, kind=pa.float64())),
    (column(float("nan")), column(1.0)),
    (column("a"), column("A")),
    (column("a"), column("a ")),
    (column("1"), column(1)),
    (column(None, kind=pa.int64()), column(0)),
    (column(date(2026, 1, 1)), column(date(2026, 1, 2))),
    (column([1, 2]), column([2, 1])),
]


@pytest.mark.parametrize(("ours", "theirs"), SAME)
def test_the_same_in_other_types_is_the_same(ours: pa.Table, theirs: pa.Table) -> None:
    assert compare(ours, theirs, ordered=True).differences == ()
    assert compare(theirs, ours, ordered=False).differences == ()


@pytest.mark.parametrize(("ours", "theirs"), OTHER)
def test_one_cell_that_differs_is_noticed(ours: pa.Table, theirs: pa.Table) -> None:
    for ordered in (True, False):
        assert compare(ours, theirs, ordered=ordered).differences
        assert compare(theirs, ours, ordered=ordered).differences


def test_places_count_only_where_the_query_decides_them() -> None:
    up, down = pa.table({"a": [1, 2], "b": ["x", None]}), pa.table({"a": [2, 1], "b": [None, "x"]})
    assert compare(up, down, ordered=False).equal
    assert compare(up, down, ordered=True).differences[0] == "column 1 (a), row 1: Decimal('1') and Decimal('2')"


def test_rows_are_kept_together_when_they_are_sorted() -> None:
    """Sorting each column by itself would find these equal."""
    ours = pa.table({"a": [1, 2], "b": ["x", "y"]})
    theirs = pa.table({"a": [1, 2], "b": ["y", "x"]})
    assert not compare(ours, theirs, ordered=False).equal


def test_how_often_a_row_comes_counts() -> None:
    assert not compare(column(1, 1, 2), column(1, 2, 2), ordered=False).equal


def test_a_query_may_allow_more_of_floating_point_numbers_and_of_nothing_else() -> None:
    assert compare(column(100.0), column(100.9), ordered=True, tolerance=0.01).equal
    assert not compare(column(100), column(101), ordered=True, tolerance=0.01).equal
    assert not compare(column(D("100.0")), column(D("100.9")), ordered=True, tolerance=0.01).equal


def test_large_answers_are_compared_in_arrow() -> None:
    """A million rows in seconds, with the one that differs found."""
    import time

    numbers = list(range(1_000_000))
    ours = pa.table({"a": numbers, "b": pa.array(numbers).cast(pa.float64())})
    theirs = pa.table({"a": [*numbers[:-1], -1], "b": pa.array(numbers).cast(pa.float64())})
    started = time.monotonic()
    assert compare(ours, ours, ordered=False).equal
    assert not compare(ours, theirs, ordered=False).equal
    assert time.monotonic() - started < 30


# Verdicts.

RIGHT, WRONG, NOTHING = column(1, 2), column(1, 3), column(kind=pa.int64())
QUERY = Query("q", "SELECT 1")


def verdicts(**answers: pa.Table) -> dict[str, str]:
    return {name: judged.verdict.value for name, judged in judge(QUERY, answers).items()}


def test_an_answer_that_others_gave_too_is_a_pass() -> None:
    assert verdicts(sqe=RIGHT, duckdb=RIGHT) == {"sqe": "ok", "duckdb": "ok"}


def test_the_one_that_differs_from_all_others_is_wrong() -> None:
    assert verdicts(sqe=WRONG, pyspark=RIGHT, duckdb=RIGHT) == {"sqe": "different", "pyspark": "ok", "duckdb": "ok"}
    (why,) = judge(QUERY, {"pyspark": RIGHT, "duckdb": RIGHT, "sqe": WRONG})["sqe"].why
    assert why == "sqe and pyspark: column 1 (a), row 2: Decimal('3') and Decimal('2')"


def test_when_two_differ_nobody_is_right() -> None:
    assert set(verdicts(sqe=WRONG, duckdb=RIGHT).values()) == {"different"}
    assert set(verdicts(a=WRONG, b=WRONG, c=RIGHT, d=RIGHT).values()) == {"different"}


def test_an_answer_without_rows_is_vacuous() -> None:
    assert verdicts(sqe=NOTHING, duckdb=NOTHING) == {"sqe": "vacuous", "duckdb": "vacuous"}
    assert verdicts(sqe=column(None, kind=pa.int64()), duckdb=column(0)) == {"sqe": "different", "duckdb": "different"}
    assert verdicts(sqe=column(0), duckdb=column(0)) == {"sqe": "vacuous", "duckdb": "vacuous"}


def test_an_empty_answer_where_others_have_rows_is_wrong() -> None:
    assert verdicts(sqe=NOTHING, pyspark=RIGHT, duckdb=RIGHT)["sqe"] == "different"


def test_an_engine_alone_proves_nothing() -> None:
    assert judge(QUERY, {"sqe": RIGHT})["sqe"].verdict is Verdict.ALONE


def test_without_an_order_the_number_of_rows_still_counts() -> None:
    some = Query("q", "SELECT * FROM t LIMIT 2", any_rows=True)
    assert judge(some, {"a": RIGHT, "b": WRONG})["a"].verdict is Verdict.OK
    assert judge(some, {"a": RIGHT, "b": column(1)})["a"].verdict is Verdict.DIFFERENT
