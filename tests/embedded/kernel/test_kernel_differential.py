"""Random queries, natively and on Spark: the same rows of the same types, or the same error."""

from __future__ import annotations

import os

import pyarrow as pa
import pytest
from kernel_queries import Queries, table
from sides import Sides

from sqe.engine.driver import Driver
from sqe.query.ingest import IngestMode, TableName

# By seed, so that a failure can be run again: SQE_KERNEL_SEED.
SEED = int(os.environ.get("SQE_KERNEL_SEED", "20261116"))


@pytest.fixture
def random_tables(sides: Sides) -> Sides:
    for number, name in enumerate(("r1", "r2")):
        rows = table(SEED + number, 40)
        keyed = rows.add_column(0, "k", pa.array(range(rows.num_rows), pa.int64()))
        sides.handler.ingest(sides.session, TableName(name), IngestMode.CREATE, keyed.to_reader(), door="test")
    return sides


def test_random_queries_give_the_same_answers(random_tables: Sides, driver: Driver) -> None:
    compare(random_tables, driver, int(os.environ.get("SQE_KERNEL_QUERIES", "150")), SEED)


@pytest.mark.long
def test_thousands_of_random_queries_give_the_same_answers(random_tables: Sides, driver: Driver) -> None:
    compare(random_tables, driver, 5000, SEED + 1)


def compare(sides: Sides, driver: Driver, count: int, seed: int) -> None:
    queries, native, differences = Queries(seed), 0, []
    for _ in range(count):
        text, ordered = queries.next()
        before = driver.health()
        found = sides.difference(text, ordered=ordered)
        after = driver.health()
        assert before is not None
        assert after is not None
        native += after.native_fragments > before.native_fragments
        if found is not None:
            differences.append((text, found))
    assert not differences, "\n".join(f"{text}\n    {found}" for text, found in differences)
    assert native > count / 2, f"only {native} of {count} used the kernel: they compare Spark with itself"
    assert (after.native_open, after.native_leaks) == (0, 0)
