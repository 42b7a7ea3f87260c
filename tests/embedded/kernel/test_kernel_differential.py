"""Random queries, natively and on Spark: the same rows of the same types, or the same error."""

from __future__ import annotations

import os
import re
from collections import Counter
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
QUERIES_A_SCHEMA = 100  # so that those of `make test` meet each history of a table

_HISTORIES = ("plain", "trimmed", "partitioned", "renamed", "grown")
_RENAMED = frozenset({"k", "i", "s", "d", "day"})
# Columns that came later, and what older rows have in them.
_GROWN = {
    "i": "INT DEFAULT -7",
    "l": "BIGINT DEFAULT 7",
    "s": "STRING DEFAULT 'ä'",
    "x": "DOUBLE DEFAULT 0.1",
    "b": "BOOLEAN DEFAULT true",
} | {
    "day": "DATE DEFAULT DATE '2024-02-29'",
    "at": "TIMESTAMP DEFAULT TIMESTAMP '1969-12-31 23:59:59.999999'",
}

# Of the tables in jvm/sqe/kernel.
_FUNCTIONS = """
abs add_months array array_contains array_distinct array_join array_max array_min array_position array_size
arrays_overlap avg bit_and bit_or bit_xor bool_and bool_or btrim cardinality ceil coalesce collect_list collect_set
concat concat_ws contains count count_if cume_dist date_add date_format date_from_unix_date date_sub date_trunc
datediff day dayname dayofweek dayofyear dense_rank element_at endswith every exists explode filter first_value floor
from_unixtime get get_json_object greatest grouping grouping_id hour if initcap inline instr isnan lag last_day
last_value lead least left length listagg locate lower lpad ltrim make_date map map_contains_key map_entries map_keys
map_values max md5 median min minute month monthname named_struct nth_value ntile nullif nvl nvl2 octet_length
percent_rank percentile percentile_cont posexplode quarter rank regexp_extract regexp_replace repeat replace reverse
right round row_number rpad rtrim second sha1 sha2 shiftright sign size slice some sort_array split split_part sqrt
startswith struct substring substring_index sum timestamp_micros timestamp_millis timestamp_seconds timestampadd
timestampdiff to_date to_timestamp to_unix_timestamp transform translate trim trunc try_add try_divide try_element_at
try_multiply try_subtract try_sum unix_date unix_micros unix_seconds unix_timestamp upper weekday weekofyear year
"""

Compare = Callable[[int, int, str | None], Outcome]


@pytest.fixture
def compare(driver: Driver, handler: QueryHandler, sessions: Sessions) -> Iterator[Compare]:
    """So many random queries of a seed, in parts that have tables of their own."""
    opened: list[Session] = []

    def session() -> Session:
        opened.append(sessions.open(Identity("tester")))
        return opened[-1]

    def compared(count: int, seed: int, shape: str | None) -> Outcome:
        outcome, sides, writer = Outcome(), SideBySide(handler, driver, session, shape), session()
        for part, first in enumerate(range(0, count, QUERIES_A_SCHEMA)):
            left, right = f"left_{seed}_{part}", f"right_{seed}_{part}"
            own = seed * 1000 + part
            pair = random_tables(own)
            for name, table in zip((left, right), pair, strict=True):
                write(handler, writer, name, table.rows, _HISTORIES[part % len(_HISTORIES)])
            queries = Queries(own, pair[0].names, left, right)
            texts = (queries.next() for _ in range(min(QUERIES_A_SCHEMA, count - first)))
            found = sides.compare(texts)
            print(*(f"{text}\n    {unlike}" for text, unlike in found.differences + found.unasked), sep="\n")
            outcome += found
            print(f"seed {seed}, part {part}: {outcome}", flush=True)
        return outcome

    yield compared
    for left_over in opened:
        sessions.close(left_over)


def write(handler: QueryHandler, session: Session, name: str, rows: pa.Table, history: str) -> None:
    """By two commits, so in two files; what has become of the first one since is its history."""
    run, half = Sides(handler, session).run, rows.num_rows // 2
    first = rows.rename_columns([f"old_{column}" if column in _RENAMED else column for column in rows.column_names])
    grown = sorted(set(rows.column_names) & set(_GROWN)) if history == "grown" else []
    early = first if history == "renamed" else rows.drop_columns(grown)
    handler.ingest(session, TableName(name), IngestMode.CREATE, early.slice(half).to_reader(), door="test")
    if grown:
        run(f"ALTER TABLE {name} SET TBLPROPERTIES ('format-version' = '3')")
        for column in grown:
            run(f"ALTER TABLE {name} ADD COLUMN {column} {_GROWN[column]}")
    if history == "renamed":
        for column in set(rows.column_names) & _RENAMED:
            run(f"ALTER TABLE {name} RENAME COLUMN old_{column} TO {column}")
    if history == "partitioned":
        run(f"ALTER TABLE {name} ADD PARTITION FIELD bucket(3, k)")
    if half:
        handler.ingest(session, TableName(name), IngestMode.APPEND, rows.slice(0, half).to_reader(), door="test")
    if history == "trimmed":
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


def test_random_queries_ask_for_each_function_that_the_kernel_knows() -> None:
    queries = Queries(SEED, random_tables(SEED)[0].names, "a", "b")
    asked = Counter(call for _ in range(5000) for call in set(re.findall(r"([a-z_0-9]+)\(", queries.next().text)))
    assert {name: asked[name] for name in _FUNCTIONS.split() if asked[name] < 5} == {}


def test_random_queries_give_the_same_answers(compare: Compare) -> None:
    check(compare(int(os.environ.get("SQE_KERNEL_QUERIES", "500")), SEED, None))


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
    assert len(outcome.unasked) < 0.02 * outcome.asked, outcome.unasked
    # Else they compare Spark with itself, or one error with another.
    assert outcome.native > 0.6 * outcome.asked, str(outcome)
    assert outcome.failed < 0.3 * outcome.asked, str(outcome)
    assert outcome.empty < 0.4 * outcome.asked, str(outcome)
