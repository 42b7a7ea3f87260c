"""Random queries, natively and on Spark: the same rows of the same types, or the same error."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from kernel_queries import Queries
from kernel_tables import random_tables
from side_by_side import Outcome, SideBySide

from sqe.engine.driver import Driver
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.query.ingest import IngestMode, TableName
from sqe.session import Session
from sqe.sessions import Sessions

# By seed, so that a failure can be run again: SQE_KERNEL_SEED.
SEED = int(os.environ.get("SQE_KERNEL_SEED", "20261116"))
QUERIES_A_SCHEMA = 250

Compare = Callable[[int, int], Outcome]


@pytest.fixture
def compare(driver: Driver, handler: QueryHandler, sessions: Sessions) -> Iterator[Compare]:
    """So many random queries of a seed, in parts that have tables of their own."""
    opened: list[Session] = []

    def session() -> Session:
        opened.append(sessions.open(Identity("tester")))
        return opened[-1]

    def compared(count: int, seed: int) -> Outcome:
        outcome = Outcome()
        for part, first in enumerate(range(0, count, QUERIES_A_SCHEMA)):
            left, right = f"left_{seed}_{part}", f"right_{seed}_{part}"
            pair = random_tables(seed + part)
            for name, table in zip((left, right), pair, strict=True):
                handler.ingest(session(), TableName(name), IngestMode.CREATE, table.rows.to_reader(), door="test")
            queries = Queries(seed + part, pair[0].names, left, right)
            texts = (queries.next() for _ in range(min(QUERIES_A_SCHEMA, count - first)))
            outcome += SideBySide(handler, driver, session).compare(texts)
            print(f"seed {seed}, part {part}: {outcome}", flush=True)
            for done in opened:
                sessions.close(done)
            opened.clear()
        return outcome

    yield compared
    for left_over in opened:
        sessions.close(left_over)


def test_random_queries_give_the_same_answers(compare: Compare) -> None:
    check(compare(int(os.environ.get("SQE_KERNEL_QUERIES", "200")), SEED))


@pytest.mark.long
def test_thousands_of_random_queries_give_the_same_answers(compare: Compare) -> None:
    check(compare(5000, SEED + 1000))


def check(outcome: Outcome) -> None:
    assert not outcome.differences, "\n".join(f"{text}\n    {unlike}" for text, unlike in outcome.differences)
    # Else they compare Spark with itself, or one error with another.
    assert outcome.native > 0.5 * outcome.asked, str(outcome)
    assert outcome.failed < 0.3 * outcome.asked, str(outcome)
    assert outcome.empty < 0.3 * outcome.asked, str(outcome)
