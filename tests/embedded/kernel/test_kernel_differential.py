"""Random queries, natively and on Spark: the same rows of the same types, or the same error."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest
from kernel_queries import Queries
from kernel_tables import random_tables
from side_by_side import Outcome, SideBySide
from sides import Sides, difference

from sqe.engine.driver import Driver
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.query.ingest import IngestMode, TableName
from sqe.session import Session
from sqe.sessions import Sessions

# By seed, so that a failure can be run again: SQE_KERNEL_SEED.
SEED = int(os.environ.get("SQE_KERNEL_SEED", "20261116"))
QUERIES_A_SCHEMA = 250

Compare = Callable[[int, int, str | None], Outcome]


@pytest.fixture
def compare(driver: Driver, handler: QueryHandler, sessions: Sessions) -> Iterator[Compare]:
    """So many random queries of a seed, in parts that have tables of their own."""
    opened: list[Session] = []

    def session() -> Session:
        opened.append(sessions.open(Identity("tester")))
        return opened[-1]

    def compared(count: int, seed: int, shape: str | None) -> Outcome:
        outcome = Outcome()
        for part, first in enumerate(range(0, count, QUERIES_A_SCHEMA)):
            left, right = f"left_{seed}_{part}", f"right_{seed}_{part}"
            own = seed * 1000 + part
            pair = random_tables(own)
            for name, table in zip((left, right), pair, strict=True):
                write(handler, session(), name, table.rows, trimmed=part % 2 == 1)
            queries = Queries(own, pair[0].names, left, right)
            texts = (queries.next() for _ in range(min(QUERIES_A_SCHEMA, count - first)))
            found = SideBySide(handler, driver, session, shape).compare(texts)
            print(*(f"{text}\n    {unlike}" for text, unlike in found.differences), sep="\n")
            outcome += found
            print(f"seed {seed}, part {part}: {outcome}", flush=True)
            for done in opened:
                sessions.close(done)
            opened.clear()
        return outcome

    yield compared
    for left_over in opened:
        sessions.close(left_over)


def write(handler: QueryHandler, session: Session, name: str, rows: pa.Table, *, trimmed: bool) -> None:
    """By two commits, so in two files; some have lost rows since."""
    half = rows.num_rows // 2
    handler.ingest(session, TableName(name), IngestMode.CREATE, rows.slice(half).to_reader(), door="test")
    if half:
        handler.ingest(session, TableName(name), IngestMode.APPEND, rows.slice(0, half).to_reader(), door="test")
    if trimmed:
        run = Sides(handler, session).run
        run(f"ALTER TABLE {name} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
        run(f"DELETE FROM {name} WHERE k % 7 = 3")


@pytest.mark.parametrize(
    ("expected", "found", "ordered"),
    [
        (pa.table({"a": [0.0]}), pa.table({"a": [-0.0]}), False),
        (pa.table({"a": [1]}), pa.table({"a": [1.0]}), False),
        (pa.table({"a": pa.array([1], pa.int32())}), pa.table({"a": pa.array([1], pa.int64())}), False),
        (
            pa.table({"a": pa.array(["1.0"]).cast(pa.decimal128(9, 1))}),
            pa.table({"a": pa.array(["1.00"]).cast(pa.decimal128(9, 2))}),
            False,
        ),
        (pa.table({"a": [1, 1, 2]}), pa.table({"a": [1, 2, 2]}), False),
        (pa.table({"a": [1, 2]}), pa.table({"a": [2, 1]}), True),
        (pa.table({"a": ["é"]}), pa.table({"a": ["e\u0301"]}), False),
        (pa.table({"a": [None, "a"]}), pa.table({"a": ["None", "a"]}), False),
        (pa.table({"a": [1]}), pa.table({"b": [1]}), False),
        (pa.table({"a": pa.array([], pa.int64())}), "DIVISION_BY_ZERO", False),
        ("DIVISION_BY_ZERO", "NUMERIC_VALUE_OUT_OF_RANGE", False),
    ],
)
def test_a_difference_is_seen(expected: pa.Table | str, found: pa.Table | str, ordered: bool) -> None:
    assert difference(expected, expected, ordered=ordered) is None
    assert difference(expected, found, ordered=ordered) is not None


def test_random_queries_give_the_same_answers(compare: Compare) -> None:
    check(compare(int(os.environ.get("SQE_KERNEL_QUERIES", "150")), SEED, None))


@pytest.mark.long
def test_thousands_of_random_queries_give_the_same_answers(compare: Compare) -> None:
    check(compare(5000, SEED + 1, None))


@pytest.mark.long
def test_random_queries_give_the_same_answers_per_partition(compare: Compare) -> None:
    """Of each query the kernel runs scans, joins and first steps of aggregates, Spark the rest."""
    outcome = compare(int(os.environ.get("SQE_KERNEL_QUERIES", "500")), SEED + 2, "partitions")
    assert not outcome.differences, "\n".join(f"{text}\n    {unlike}" for text, unlike in outcome.differences)
    assert outcome.fragments > 0.6 * outcome.asked, str(outcome)


def check(outcome: Outcome) -> None:
    assert not outcome.differences, "\n".join(f"{text}\n    {unlike}" for text, unlike in outcome.differences)
    # Else they compare Spark with itself, or one error with another.
    assert outcome.native > 0.6 * outcome.asked, str(outcome)
    assert outcome.failed < 0.3 * outcome.asked, str(outcome)
    assert outcome.empty < 0.4 * outcome.asked, str(outcome)
