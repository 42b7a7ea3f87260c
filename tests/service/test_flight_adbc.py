"""ADBC's Flight SQL driver, as people use it, against the real engine."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import adbc_driver_manager
import pyarrow as pa
import pytest

from sqe.doors.flight.door import FlightDoor
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

pytestmark = pytest.mark.service

Connection = adbc.Connection


def connect(door: FlightDoor, user: str = "root", password: str = "secret") -> Connection:
    return adbc.connect(door.address, db_kwargs={"username": user, "password": password}, autocommit=True)


@pytest.fixture
def connection(door: FlightDoor) -> Iterator[Connection]:
    with connect(door) as connection:
        yield connection


def rows(connection: Connection, sql: str, parameters: Any = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def run(connection: Connection, sql: str, parameters: Any = None) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return int(cursor.rowcount)


def test_a_query_gives_its_rows_in_order(connection: Connection) -> None:
    assert rows(connection, "SELECT id, id * 2 AS twice FROM range(3) ORDER BY id DESC") == [(2, 4), (1, 2), (0, 0)]


TYPES = {
    "boolean": ("true", pa.bool_(), True),
    "tinyint": ("7Y", pa.int8(), 7),
    "smallint": ("7S", pa.int16(), 7),
    "int": ("7", pa.int32(), 7),
    "bigint": ("7L", pa.int64(), 7),
    "float": ("CAST(1.5 AS FLOAT)", pa.float32(), 1.5),
    "double": ("1.5D", pa.float64(), 1.5),
    "decimal": ("CAST(1.25 AS DECIMAL(10,2))", pa.decimal128(10, 2), Decimal("1.25")),
    "wide decimal": ("CAST(1.25 AS DECIMAL(38,18))", pa.decimal128(38, 18), Decimal("1.250000000000000000")),
    "string": ("'naïve 🦆'", pa.string(), "naïve 🦆"),
    "binary": ("X'00FF'", pa.binary(), b"\x00\xff"),
    "date": ("DATE '2026-02-28'", pa.date32(), date(2026, 2, 28)),
    "timestamp": (
        "TIMESTAMP '2026-02-28 01:02:03.000004Z'",
        pa.timestamp("us", "UTC"),
        datetime(2026, 2, 28, 1, 2, 3, 4, tzinfo=UTC),
    ),
    "timestamp_ntz": ("TIMESTAMP_NTZ '2026-02-28 01:02:03'", pa.timestamp("us"), datetime(2026, 2, 28, 1, 2, 3)),
    "interval": ("INTERVAL '1 02:00:00' DAY TO SECOND", pa.duration("us"), timedelta(days=1, hours=2)),
    "array": ("array(1, 2)", pa.list_(pa.field("element", pa.int32(), False)), [1, 2]),
    "map": ("map('a', 1)", pa.map_(pa.string(), pa.field("value", pa.int32(), False)), [("a", 1)]),
    "struct": (
        "named_struct('a', 1, 'b', 'x')",
        pa.struct([pa.field("a", pa.int32(), False), pa.field("b", pa.string(), False)]),
        {"a": 1, "b": "x"},
    ),
    "null": ("NULL", pa.null(), None),
}


@pytest.mark.parametrize("name", TYPES)
def test_a_type_arrives_as_its_arrow_type(connection: Connection, name: str) -> None:
    literal, kind, value = TYPES[name]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {literal} AS v")
        table = cursor.fetch_arrow_table()
    assert (table.schema.field("v").type.equals(kind), table["v"].to_pylist()) == (True, [value])


def test_parameters_go_in_by_position(connection: Connection) -> None:
    assert rows(connection, "SELECT ? + 1, upper(?)", (41, "abc")) == [(42, "ABC")]


def test_dml_tells_how_many_rows_it_changed(connection: Connection) -> None:
    run(connection, "CREATE TABLE changed (id BIGINT, name STRING)")
    assert [
        run(connection, "INSERT INTO changed VALUES (1, 'a'), (2, 'b'), (3, 'c')"),
        run(connection, "UPDATE changed SET name = 'z' WHERE id > 1"),
        run(connection, "DELETE FROM changed WHERE id = ?", (3,)),
    ] == [3, 2, 1]
    assert rows(connection, "SELECT * FROM changed ORDER BY id") == [(1, "a"), (2, "z")]


def test_executemany_runs_once_for_each_row_of_parameters(connection: Connection) -> None:
    run(connection, "CREATE TABLE many (id BIGINT, name STRING)")
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO many VALUES (?, ?)", [(1, "a"), (2, "b")])
        assert cursor.rowcount == 2
    assert rows(connection, "SELECT * FROM many ORDER BY id") == [(1, "a"), (2, "b")]


def test_a_query_takes_one_row_of_parameters(connection: Connection) -> None:
    with pytest.raises(adbc_driver_manager.ProgrammingError, match="A query takes one row of parameters, not 2"):
        rows(connection, "SELECT ?", pa.record_batch({"p": [1, 2]}))


PEOPLE = pa.table(
    {"id": pa.array([1, 2, 3], pa.int64()), "name": ["Ann", None, "Čeněk"], "at": [date(2026, 1, day) for day in (1, 2, 3)]}
)


@pytest.mark.parametrize("data", [PEOPLE, PEOPLE.to_reader(1)], ids=["table", "reader"])
def test_ingest_creates_appends_and_replaces(connection: Connection, data: Any) -> None:
    with connection.cursor() as cursor:
        assert cursor.adbc_ingest("people", data, mode="replace") == 3
        assert cursor.adbc_ingest("people", PEOPLE, mode="append") == 3
    assert rows(connection, "SELECT count(*), count(name), max(at) FROM people") == [(6, 4, date(2026, 1, 3))]


def test_ingest_appends_to_a_table_that_it_makes_when_there_is_none(connection: Connection) -> None:
    with connection.cursor() as cursor:
        counts = [cursor.adbc_ingest("either", PEOPLE, mode="create_append") for _ in range(2)]
    assert (counts, rows(connection, "SELECT count(*) FROM either")) == ([3, 3], [(6,)])


def test_ingest_into_a_named_schema(connection: Connection) -> None:
    run(connection, "CREATE SCHEMA staging")
    with connection.cursor() as cursor:
        cursor.adbc_ingest("people", PEOPLE, mode="create", catalog_name="lake", db_schema_name="staging")
    assert rows(connection, "SELECT count(*) FROM lake.staging.people") == [(3,)]


def test_ingest_refuses_what_it_was_not_asked_for(connection: Connection) -> None:
    run(connection, "CREATE TABLE taken (id BIGINT)")
    refusals = [
        ({"table_name": "taken", "mode": "create"}, adbc_driver_manager.Error, "TABLE_ALREADY_EXISTS"),
        ({"table_name": "absent", "mode": "append"}, adbc_driver_manager.ProgrammingError, "TABLE_NOT_FOUND"),
        ({"table_name": "brief", "mode": "create", "temporary": True}, adbc_driver_manager.NotSupportedError, "Temporary tables"),
    ]
    for arguments, kind, text in refusals:
        with connection.cursor() as cursor, pytest.raises(kind, match=text):
            cursor.adbc_ingest(data=pa.table({"id": [1]}), **arguments)
    assert rows(connection, "SELECT count(*) FROM taken") == [(0,)]


FAILURES = {
    "wrong SQL": ("SELEC 1", adbc_driver_manager.ProgrammingError, "INVALID_ARGUMENT.*SYNTAX_ERROR: line 1:1"),
    "unknown table": ("SELECT * FROM nowhere", adbc_driver_manager.ProgrammingError, "NOT_FOUND.*TABLE_NOT_FOUND"),
    "unknown column": ("SELECT nothing FROM range(1)", adbc_driver_manager.ProgrammingError, "NOT_FOUND.*COLUMN_NOT_FOUND"),
    "division by zero": ("SELECT 1 / 0", adbc_driver_manager.ProgrammingError, "INVALID_ARGUMENT.*DIVISION_BY_ZERO"),
    "division by zero in a row": (
        "SELECT 1 / (id - 5000) FROM range(10000)",
        adbc_driver_manager.ProgrammingError,
        "DIVISION_BY_ZERO",
    ),
    "wrong type": ("SELECT CAST('x' AS INT)", adbc_driver_manager.ProgrammingError, "INVALID_CAST_ARGUMENT"),
    "too long": (f"SELECT '{'x' * (2 << 20)}'", adbc_driver_manager.ProgrammingError, "QUERY_TEXT_TOO_LARGE"),
    "empty": (" ; ", adbc_driver_manager.ProgrammingError, "SYNTAX_ERROR: The statement is empty"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_one_sentence_with_its_code_and_status(connection: Connection, name: str) -> None:
    sql, kind, text = FAILURES[name]
    with pytest.raises(kind, match=text) as caught:
        rows(connection, sql)
    assert not [word for word in ("Traceback", "File ", "org.apache", "java.") if word in str(caught.value)]
    assert rows(connection, "SELECT 1") == [(1,)]


def test_the_sqlstate_travels_in_the_details_of_an_error(connection: Connection) -> None:
    with pytest.raises(adbc_driver_manager.ProgrammingError) as caught:
        rows(connection, "SELECT * FROM nowhere")
    assert (b"x-sqe-error", b'{"code": "TABLE_NOT_FOUND", "number": 46, "sqlstate": "42P01"}') in [
        (name.encode() if isinstance(name, str) else name, value) for name, value in caught.value.details
    ]


def test_catalogs_schemas_tables_and_columns(connection: Connection) -> None:
    run(connection, "CREATE SCHEMA shop")
    run(connection, "CREATE TABLE shop.sales (id BIGINT NOT NULL, price DECIMAL(10,2))")
    run(connection, "CREATE VIEW shop.cheap AS SELECT * FROM shop.sales WHERE price < 1")
    objects = connection.adbc_get_objects(depth="all", db_schema_filter="shop").read_all().to_pylist()
    [lake] = [catalog for catalog in objects if catalog["catalog_name"] == "lake"]
    [shop] = lake["catalog_db_schemas"]
    tables = {table["table_name"]: table for table in shop["db_schema_tables"]}
    assert {name: table["table_type"] for name, table in tables.items()} == {"sales": "TABLE", "cheap": "VIEW"}
    assert [(column["column_name"], column["xdbc_type_name"]) for column in tables["sales"]["table_columns"]] == [
        ("id", "BIGINT"),
        ("price", "DECIMAL(10,2)"),
    ]
    schema = connection.adbc_get_table_schema("sales", catalog_filter="lake", db_schema_filter="shop")
    assert schema.equals(pa.schema([pa.field("id", pa.int64(), nullable=False), ("price", pa.decimal128(10, 2))]))
    assert connection.adbc_get_table_types() == ["TABLE", "VIEW"]


def test_the_server_says_what_it_is(connection: Connection) -> None:
    info = connection.adbc_get_info()
    assert (info["vendor_name"], info["vendor_arrow_version"]) == ("SQE", pa.__version__)


def test_catalog_and_schema_are_the_session_s(connection: Connection) -> None:
    run(connection, "CREATE SCHEMA elsewhere")
    assert (connection.adbc_current_catalog, connection.adbc_current_db_schema) == ("lake", "default")
    connection.adbc_current_db_schema = "elsewhere"
    assert rows(connection, "SELECT current_schema()") == [("elsewhere",)]
    assert connection.adbc_current_db_schema == "elsewhere"
    with pytest.raises(adbc_driver_manager.Error):
        connection.adbc_current_db_schema = "missing"
    assert rows(connection, "SELECT current_schema()") == [("elsewhere",)]


def test_sessions_do_not_see_each_other(door: FlightDoor) -> None:
    with connect(door) as one, connect(door, "alice", "wonderland") as other:
        run(one, "CREATE TEMPORARY VIEW mine AS SELECT 1 AS x")
        run(one, "SET time_zone = 'Europe/Paris'")
        with pytest.raises(adbc_driver_manager.ProgrammingError, match="TABLE_NOT_FOUND"):
            rows(other, "SELECT * FROM mine")
        assert rows(other, "SELECT current_timezone()") == [("UTC",)]


def test_closing_the_connection_ends_the_session(door: FlightDoor, sessions: Sessions) -> None:
    before = len(sessions)
    with connect(door) as connection:
        rows(connection, "SELECT 1")
        assert len(sessions) == before + 1
    assert len(sessions) == before


def logged_in_query(door: FlightDoor, user: str, password: str) -> None:
    with connect(door, user, password) as connection:
        rows(connection, "SELECT 1")


@pytest.mark.parametrize("credentials", [("root", "wrong"), ("nobody", "secret"), ("", ""), ("root", "")])
def test_who_cannot_log_in_learns_only_that(door: FlightDoor, credentials: tuple[str, str]) -> None:
    with pytest.raises(adbc_driver_manager.ProgrammingError, match=r"UNAUTHENTICATED.*Authentication failed") as caught:
        logged_in_query(door, *credentials)
    assert credentials[0] not in str(caught.value) or not credentials[0]


def test_transactions_are_refused(door: FlightDoor) -> None:
    with (
        pytest.warns(Warning, match="autocommit"),
        adbc.connect(door.address, db_kwargs={"username": "root", "password": "secret"}) as connection,
    ):
        assert rows(connection, "SELECT 1") == [(1,)]


def until(condition: Any, seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


def busy(handler: QueryHandler) -> bool:
    return any(not event.state.ended for event in handler.queries())


# Slow on any machine, and without a row before its end.
ENDLESS = "SELECT sum(id % 7) FROM range(1000000000000)"

CANCELLED = {"while its rows are awaited": ENDLESS, "while a command runs": f"CREATE TABLE never AS {ENDLESS}"}


@pytest.mark.parametrize("when", CANCELLED)
def test_cancelling_ends_the_job(connection: Connection, handler: QueryHandler, when: str) -> None:
    with connection.cursor() as cursor:

        def cancel_soon() -> None:
            until(lambda: busy(handler))
            time.sleep(1)
            cursor.adbc_cancel()

        def run_to_the_end() -> None:
            cursor.execute(CANCELLED[when])
            cursor.fetchall()

        canceller = threading.Thread(target=cancel_soon)
        canceller.start()
        with pytest.raises(adbc_driver_manager.Error, match=r"(?i)cancel"):
            run_to_the_end()
        canceller.join()
    assert until(lambda: not busy(handler))
    assert handler.queries()[-1].state.value == "CANCELED"


def test_a_reader_that_leaves_early_ends_the_job(connection: Connection, handler: QueryHandler) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT id, uuid() FROM range(50000000)")
        cursor.fetchone()
        assert busy(handler)
    assert until(lambda: not busy(handler))


def test_many_connections_at_once(door: FlightDoor, sessions: Sessions) -> None:
    before = len(sessions)
    answers: list[Any] = []

    def work(number: int) -> None:
        with connect(door) as connection:
            answers.extend(rows(connection, "SELECT ?", (number,))[0][0] for _ in range(3))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (sorted(answers), len(sessions)) == (sorted(list(range(16)) * 3), before)
