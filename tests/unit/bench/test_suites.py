"""Every suite whose data we make: the same rows always, as many as published, questions that have answers."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import duckdb
import pyarrow as pa
import pytest
import sqlglot
from suite_data import SMALL, SUITES, duckdb_text, fingerprint, generated, in_duckdb

from sqe.bench.suites.suite import Query, Suite
from sqe.sql.dialect import translate

# Of all values at the small scale: a generator that changes makes old measurements incomparable, so a change has to be meant.
FINGERPRINTS = {
    "ssb": "a3a184f762d3b150063c364a0680949e73a758589abf8c437a42b45b2f909d07",
    "clickbench": "0aad3df94fbadb0e53ded056a30efd4120606841bfbf927395367d51f7ad7997",
    "tpcc": "e24971602b72fa7ba74bc60ddf76ae9c6ce7376240b010d4cac6634631089321",
    "tpcbb": "d03a0081339aba33c4a6b99775b2b79e60b7b72b87fd4a2404bb43166e223363",
    "tpce": "61058f198f6553f5d5607a5f720e29c2d384dcf1018217f641829a6597270690",
}
QUERIES = {
    "ssb": {"read": 13},
    "clickbench": {"read": 43},
    "tpcc": {"read": 8, "write": 9},
    "tpcbb": {"read": 10},
    "tpce": {"read": 11, "write": 12},
}


@pytest.fixture(scope="module", params=SUITES)
def suite(request: pytest.FixtureRequest) -> Suite:
    found: Suite = importlib.import_module(f"sqe.bench.suites.{request.param}").SUITE
    return found


@pytest.fixture(scope="module")
def loaded(suite: Suite) -> Iterator[duckdb.DuckDBPyConnection]:
    connection = in_duckdb(suite)
    yield connection
    connection.close()


def test_the_same_scale_always_gives_the_same_rows(suite: Suite) -> None:
    assert fingerprint(suite) == FINGERPRINTS[suite.name]


def test_tables_have_the_rows_they_announce_in_bounded_batches(suite: Suite) -> None:
    for table in suite.tables:
        batches = list(table.batches(SMALL))
        assert sum(batch.num_rows for batch in batches) == table.rows(SMALL), table.name
        assert max(batch.num_rows for batch in batches) <= 70_000
        assert {batch.schema for batch in batches} == {table.schema}
        pa.Table.from_batches(batches).validate(full=True)


def test_a_batch_is_made_without_those_before_it(suite: Suite) -> None:
    """Asked in another order and interleaved, the same rows come: nothing is carried from batch to batch."""
    streams = [(table, table.batches(SMALL)) for table in suite.tables]
    firsts = {table.name: next(stream) for table, stream in reversed(streams)}
    for table in suite.tables:
        assert generated(table).slice(0, firsts[table.name].num_rows).equals(pa.Table.from_batches([firsts[table.name]]))


def test_a_larger_scale_has_more_rows_of_the_same_kind(suite: Suite) -> None:
    for table in suite.tables:
        assert table.rows(SMALL) <= table.rows(0.1) <= table.rows(1) <= table.rows(10)
        assert next(table.batches(10)).schema == table.schema


def test_queries_are_as_many_as_the_suite_has(suite: Suite) -> None:
    queries = suite.queries(SMALL)
    assert len({query.name for query in queries}) == len(queries)
    assert Counter(query.kind for query in queries if not query.name.startswith("check")) == QUERIES[suite.name]


def test_every_query_runs_and_reads_have_rows_that_say_something(suite: Suite, loaded: duckdb.DuckDBPyConnection) -> None:
    for query in suite.queries(SMALL):
        rows = loaded.execute(duckdb_text(query)).fetchall()
        if query.kind == "read":
            told = any(value is not None for row in rows for value in row)
            assert told is not query.vacuous, query.name


def test_every_write_is_followed_by_a_look_that_it_changes(suite: Suite) -> None:
    queries = suite.queries(SMALL)
    connection = in_duckdb(suite)
    for write, check in pairwise(queries):
        if write.kind == "write":
            assert check.name == f"check-{write.name}"
            before = connection.execute(duckdb_text(check)).fetchall()
            connection.execute(duckdb_text(write))
            assert connection.execute(duckdb_text(check)).fetchall() != before, write.name
    assert queries[-1].kind == "read"
    connection.close()


def test_ordered_queries_decide_every_rows_place(suite: Suite, loaded: duckdb.DuckDBPyConnection) -> None:
    """Sorting the answer by the ORDER BY's own keys alone has one outcome: rows with the same keys are the same."""
    for query in suite.queries(SMALL):
        if query.ordered and (keys := _sort_keys(query)):
            rows = loaded.execute(duckdb_text(query)).fetchall()
            columns = [column[0].lower() for column in loaded.description]
            if all(key in columns for key in keys):
                places = {tuple(row[columns.index(key)] for key in keys) for row in rows}
                assert len(places) == len(set(rows)), query.name


def _sort_keys(query: Query) -> list[str]:
    """Names that the outermost ORDER BY sorts by."""
    order = sqlglot.parse_one(query.sql, dialect="spark").args.get("order")
    return [key.this.name.lower() for key in order.expressions] if order else []


def test_texts_for_trino_are_trinos_own(suite: Suite) -> None:
    """SQE's translator knows Trino's functions and types, and refuses columns, functions and comparisons that Trino has not."""
    schemas = {f"`{table.name}`": table.schema for table in suite.tables}
    for query in suite.queries(SMALL):
        translate(dict(query.dialects)["trino"], "trino", schemas.__getitem__)


def test_no_translator_touches_a_text(suite: Suite) -> None:
    """Its times without a zone would get one, its casts would hide failures, its divisions would be guarded."""
    for query in suite.queries(SMALL):
        assert set(dict(query.dialects)) == {"trino", "duckdb"}
        assert "LIMIT 10 OFFSET" not in dict(query.dialects)["trino"]
