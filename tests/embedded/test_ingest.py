"""Bulk ingest: a client's Arrow stream becomes rows of a table by one commit, or the table stays as it was."""

from __future__ import annotations

import datetime as dt
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pytest
from waiting import eventually

from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.query.events import QueryEvent, State
from sqe.query.handler import QueryHandler
from sqe.query.ingest import IngestMode, TableName
from sqe.session import Session

Sql = Callable[[str], pa.Table]
Ingest = Callable[..., int]


@pytest.fixture(autouse=True)
def spool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where rows wait until they are written; empty again after every test."""
    folder = tmp_path / "spool"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert not folder.exists() or list(folder.iterdir()) == []


@pytest.fixture
def ingest(handler: QueryHandler, session: Session) -> Ingest:
    def run(rows: pa.Table | pa.RecordBatchReader, table: str, mode: IngestMode = IngestMode.APPEND, **place: str) -> int:
        reader = rows.to_reader() if isinstance(rows, pa.Table) else rows
        return handler.ingest(session, TableName(table, **place), mode, reader, door="test")

    return run


def code(run: Callable[[], object]) -> str:
    with pytest.raises(SqeError) as failure:
        run()
    assert str(failure.value).count("\n") == 0
    assert "/spool" not in str(failure.value)
    return failure.value.code.name


def test_create_append_and_replace(ingest: Ingest, sql: Sql) -> None:
    rows = pa.table({"id": [1, 2], "name": ["a", None]})
    assert code(lambda: ingest(rows, "people")) == "TABLE_NOT_FOUND"
    assert ingest(rows, "people", IngestMode.CREATE) == 2
    assert code(lambda: ingest(rows, "people", IngestMode.CREATE)) == "TABLE_ALREADY_EXISTS"
    assert ingest(rows, "people") == 2
    assert ingest(rows, "people", IngestMode.CREATE_APPEND) == 2
    assert sql("SELECT count(*) AS n, count(name) AS names FROM people").to_pylist() == [{"n": 6, "names": 3}]
    assert sql("SELECT count(*) AS n FROM people.snapshots").to_pylist() == [{"n": 3}]
    assert ingest(pa.table({"other": [1.5]}), "people", IngestMode.REPLACE) == 1
    assert sql("SELECT * FROM people").to_pylist() == [{"other": 1.5}]
    assert ingest(rows, "fresh", IngestMode.CREATE_APPEND) == 2
    assert ingest(rows, "also_fresh", IngestMode.REPLACE) == 2


def test_a_name_may_say_its_schema_and_catalog(ingest: Ingest, sql: Sql) -> None:
    sql("CREATE SCHEMA depot")
    rows = pa.table({"id": [1]})
    ingest(rows, "one", IngestMode.CREATE, schema="depot")
    ingest(rows, "odd name; DROP TABLE one", IngestMode.CREATE, schema="depot", catalog="lake")
    sql("USE depot")
    ingest(rows, "one")
    assert sql("SELECT count(*) AS n FROM lake.depot.one").to_pylist() == [{"n": 2}]
    assert sql("SELECT * FROM depot.`odd name; DROP TABLE one`").num_rows == 1
    for table, place in [
        ("t", {"schema": "missing"}),
        ("t", {"catalog": "missing"}),
        ("t", {"catalog": "spark_catalog"}),
        ("../outside", {}),
        ("", {}),
    ]:
        refused = code(lambda table=table, place=place: ingest(rows, table, IngestMode.CREATE, **place))  # type: ignore[misc]
        assert refused in ("SCHEMA_NOT_FOUND", "CATALOG_NOT_FOUND", "NOT_SUPPORTED", "SYNTAX_ERROR", "INVALID_ARGUMENTS"), (
            table,
            place,
        )


PAIR = pa.struct([("a", pa.int32()), ("b", pa.string())])
NEW_YEAR = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)

# Arrow type of the client, value, Arrow type of the table, value in the table
CONVERSIONS: list[tuple[pa.DataType, Any, pa.DataType, Any]] = [
    (pa.bool_(), True, pa.bool_(), True),
    (pa.int8(), -128, pa.int32(), -128),
    (pa.uint8(), 255, pa.int32(), 255),
    (pa.uint16(), 65535, pa.int32(), 65535),
    (pa.uint32(), 2**32 - 1, pa.int64(), 2**32 - 1),
    (pa.uint64(), 2**64 - 1, pa.decimal128(20, 0), Decimal(2**64 - 1)),
    (pa.float16(), 1.5, pa.float32(), 1.5),
    (pa.float64(), -0.0, pa.float64(), -0.0),
    (pa.decimal128(38, 10), Decimal("-1.5"), pa.decimal128(38, 10), Decimal("-1.5000000000")),
    (pa.large_string(), "Grüße", pa.string(), "Grüße"),
    (pa.string_view(), "view", pa.string(), "view"),
    (pa.dictionary(pa.int8(), pa.string()), "one of few", pa.string(), "one of few"),
    (pa.large_binary(), b"\x00\xff", pa.binary(), b"\x00\xff"),
    (pa.binary(2), b"ab", pa.binary(), b"ab"),
    (pa.date32(), dt.date(1, 1, 1), pa.date32(), dt.date(1, 1, 1)),
    (pa.date64(), dt.date(2026, 1, 1), pa.date32(), dt.date(2026, 1, 1)),
    (pa.timestamp("s"), dt.datetime(2026, 1, 1), pa.timestamp("us"), dt.datetime(2026, 1, 1)),
    (pa.timestamp("ns"), dt.datetime(2026, 1, 1, microsecond=5), pa.timestamp("us"), dt.datetime(2026, 1, 1, microsecond=5)),
    (pa.timestamp("ms", "Europe/Berlin"), NEW_YEAR, pa.timestamp("us", "UTC"), NEW_YEAR),
    (pa.decimal256(20, 2), Decimal("1.50"), pa.decimal128(20, 2), Decimal("1.50")),
    (pa.list_(pa.int32()), [1, None], pa.list_(pa.field("element", pa.int32())), [1, None]),
    (pa.large_list(pa.large_string()), ["a"], pa.list_(pa.field("element", pa.string())), ["a"]),
    (pa.list_(pa.uint8(), 2), [1, 2], pa.list_(pa.field("element", pa.int32())), [1, 2]),
    (pa.map_(pa.string(), pa.uint8()), [("k", 7)], pa.map_(pa.string(), pa.int32()), [("k", 7)]),
    (pa.struct([("a", pa.uint8()), ("b", pa.string_view())]), {"a": 1, "b": "x"}, PAIR, {"a": 1, "b": "x"}),
]  # fmt: skip


def test_every_type_of_a_client_has_its_type_in_the_table(ingest: Ingest, sql: Sql) -> None:
    columns = {f"c{number}": pa.array([value, None], kind) for number, (kind, value, _, _) in enumerate(CONVERSIONS)}
    assert ingest(pa.table(columns), "converted", IngestMode.CREATE) == 2
    result = sql("SELECT * FROM converted")
    for number, (kind, _, expected, value) in enumerate(CONVERSIONS):
        column = result.column(f"c{number}")
        assert column.type == expected, kind
        assert sorted(column.to_pylist(), key=lambda item: item is None) == [value, None], kind


def test_columns_are_matched_by_name_and_cast_to_the_tables_types(ingest: Ingest, sql: Sql) -> None:
    sql("CREATE TABLE target (id BIGINT, amount DECIMAL(10, 2), at TIMESTAMP, note STRING)")
    at = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    rows = pa.table(
        {
            "note": ["x"],
            "at": pa.array([at], pa.timestamp("us", "UTC")),
            "amount": pa.array([3], pa.int32()),
            "id": pa.array([1], pa.int32()),
        }
    )
    assert ingest(rows, "target") == 1
    assert sql("SELECT id, amount, note FROM target").to_pylist() == [{"id": 1, "amount": Decimal("3.00"), "note": "x"}]


@pytest.mark.parametrize(
    "rows",
    [
        pa.table({"id": [1], "wrong": ["x"]}),
        pa.table({"id": [1], "name": ["x"], "extra": [1]}),
        pa.table({"id": ["text"], "name": ["x"]}),
        pa.table([[1], ["a"], ["b"]], names=["id", "name", "name"]),
        pa.table({"id": [1], "name": pa.array([dt.timedelta(1)], pa.duration("us"))}),
        pa.table({"id": pa.array([dt.datetime(3000, 1, 1)], pa.timestamp("us")), "name": ["x"]}),
        pa.table({}),
    ],
)
def test_rows_that_do_not_fit_leave_the_table_as_it_was(ingest: Ingest, sql: Sql, rows: pa.Table) -> None:
    sql("CREATE OR REPLACE TABLE strict (id BIGINT, name STRING)")
    sql("INSERT INTO strict VALUES (0, 'before')")
    known = ("TYPE_MISMATCH", "COLUMN_NOT_FOUND", "DUPLICATE_COLUMN_NAME", "AMBIGUOUS_NAME", "NOT_SUPPORTED", "INVALID_ARGUMENTS")
    assert code(lambda: ingest(rows, "strict")) in known
    assert sql("SELECT * FROM strict").to_pylist() == [{"id": 0, "name": "before"}]


def test_a_missing_nullable_column_is_null(ingest: Ingest, sql: Sql) -> None:
    sql("CREATE TABLE partial (id BIGINT, name STRING)")
    assert ingest(pa.table({"id": [1]}), "partial") == 1
    assert sql("SELECT * FROM partial").to_pylist() == [{"id": 1, "name": None}]


def test_no_rows_make_a_table_with_columns(ingest: Ingest, sql: Sql) -> None:
    assert ingest(pa.table({"id": pa.array([], pa.int64())}), "hollow", IngestMode.CREATE) == 0
    assert sql("SELECT * FROM hollow").schema.field("id").type == pa.int64()


def broken(rows: int) -> Iterator[pa.RecordBatch]:
    yield pa.record_batch({"id": list(range(rows))})
    raise ConnectionError("the client went away")


@pytest.mark.parametrize("mode", [IngestMode.APPEND, IngestMode.REPLACE])
def test_a_stream_that_breaks_off_leaves_the_table_as_it_was(ingest: Ingest, sql: Sql, mode: IngestMode) -> None:
    sql("CREATE OR REPLACE TABLE whole AS SELECT 1L AS id")
    reader = pa.RecordBatchReader.from_batches(pa.schema([("id", pa.int64())]), broken(100_000))
    with pytest.raises(SqeError) as failure:
        ingest(reader, "whole", mode)
    assert failure.value.message == "The client's stream of rows broke off; nothing was written"
    assert sql("SELECT * FROM whole").to_pylist() == [{"id": 1}]
    reader = pa.RecordBatchReader.from_batches(pa.schema([("id", pa.int64())]), broken(10))
    with pytest.raises(SqeError):
        ingest(reader, "never_made", IngestMode.CREATE)
    with pytest.raises(SqeError, match="TABLE_NOT_FOUND"):
        sql("SELECT * FROM never_made")


def test_a_spool_that_disappears_is_an_error_and_no_part_of_the_rows(ingest: Ingest, sql: Sql, spool: Path) -> None:
    sql("CREATE TABLE spooled (id BIGINT)")

    def rows() -> Iterator[pa.RecordBatch]:
        for start in range(3):
            yield pa.record_batch({"id": list(range(start * 10, start * 10 + 10))})
        shutil.rmtree(spool)

    reader = pa.RecordBatchReader.from_batches(pa.schema([("id", pa.int64())]), rows())
    assert code(lambda: ingest(reader, "spooled")) == "GENERIC_INTERNAL_ERROR"
    assert code(lambda: ingest(pa.table({"id": [1]}), "spooled")) == "GENERIC_INTERNAL_ERROR"
    assert sql("SELECT * FROM spooled").num_rows == 0


def test_a_cancelled_ingest_writes_nothing(handler: QueryHandler, session: Session, sql: Sql, driver: Driver) -> None:
    sql("CREATE TABLE stopped (id BIGINT)")
    flowing = threading.Event()

    def rows() -> Iterator[pa.RecordBatch]:
        while True:  # until the statement is stopped
            flowing.set()
            time.sleep(0.01)
            yield pa.record_batch({"id": [1]})

    outcome: list[str] = []

    def load() -> None:
        reader = pa.RecordBatchReader.from_batches(pa.schema([("id", pa.int64())]), rows())
        try:
            handler.ingest(session, TableName("stopped"), IngestMode.APPEND, reader, door="test")
        except SqeError as error:
            outcome.append(error.code.name)

    thread = threading.Thread(target=load, daemon=True)
    thread.start()
    flowing.wait(10)

    def under_way() -> list[QueryEvent]:
        return [event for event in handler.queries() if event.session_id == session.id and event.statement == "ingest"]

    eventually(lambda: bool(under_way()))  # pyarrow asks for the first rows before the statement is known
    (running,) = under_way()
    assert running.state is State.QUEUED  # its turn comes when all rows are here
    assert handler.cancel(session, running.query_id)
    thread.join(20)
    assert outcome == ["USER_CANCELED"]
    assert sql("SELECT * FROM stopped").num_rows == 0
    eventually(lambda: (health := driver.health()) is not None and health.executions == 0)


def test_a_million_rows_in_tiny_batches_need_little_memory(ingest: Ingest, sql: Sql) -> None:
    text = "x" * 100
    batch = pa.record_batch({"id": list(range(2000)), "text": [text] * 2000})
    process = psutil.Process()
    before, most = process.memory_info().rss, 0

    def rows() -> Iterator[pa.RecordBatch]:
        nonlocal most
        for number in range(500):
            if number % 50 == 0:
                most = max(most, process.memory_info().rss)
            yield batch

    reader = pa.RecordBatchReader.from_batches(batch.schema, rows())
    assert ingest(reader, "many", IngestMode.CREATE) == 1_000_000
    assert most - before < 100 << 20, "about 120 MB went through"
    assert sql("SELECT count(*) AS n, count(DISTINCT id) AS ids FROM many").to_pylist() == [{"n": 1_000_000, "ids": 2000}]
