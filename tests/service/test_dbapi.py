"""`sqe.connect("grpc://…")`: PEP 249 and the Arrow shortcuts, against the real engine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import sqe
from sqe import dbapi
from sqe.doors.flight.door import FlightDoor
from sqe.sessions import Sessions

pytestmark = pytest.mark.service


@pytest.fixture
def connection(door: FlightDoor) -> Iterator[dbapi.Connection]:
    with sqe.connect(door.address, user="root", password="secret") as connection:  # noqa: S106
        yield connection


def test_the_module_says_what_pep_249_asks_for() -> None:
    for module in (sqe, dbapi):
        assert (module.apilevel, module.threadsafety, module.paramstyle) == ("2.0", 1, "qmark")
    assert issubclass(dbapi.ProgrammingError, dbapi.DatabaseError)
    assert issubclass(dbapi.DatabaseError, dbapi.Error)
    assert (sqe.Error, sqe.Timestamp, sqe.STRING) == (dbapi.Error, dbapi.Timestamp, dbapi.STRING)
    assert not hasattr(sqe, "Eror")


def test_rows_come_one_by_one_in_portions_and_all_at_once(connection: dbapi.Connection) -> None:
    cursor = connection.cursor()
    cursor.execute("SELECT id FROM range(6) ORDER BY id")
    assert (cursor.fetchone(), cursor.fetchmany(2), cursor.fetchmany(), list(cursor), cursor.fetchone(), cursor.fetchall()) == (
        (0,),
        [(1,), (2,)],
        [(3,)],
        [(4,), (5,)],
        None,
        [],
    )


def test_a_cursor_describes_its_columns(connection: dbapi.Connection) -> None:
    cursor = connection.execute("SELECT CAST(1 AS DECIMAL(10,2)) AS price, 'x' AS name, current_timestamp() AS at, X'00' AS raw")
    assert cursor.description is not None
    assert [column[0] for column in cursor.description] == ["price", "name", "at", "raw"]
    assert [column[1] for column in cursor.description] == [dbapi.NUMBER, dbapi.STRING, dbapi.DATETIME, dbapi.BINARY]
    assert cursor.description[0][4:6] == (10, 2)
    assert connection.execute("CREATE TABLE described (id INT)").description is None


def test_results_as_arrow_and_pandas(connection: dbapi.Connection) -> None:
    sql = "SELECT id, id * 2 AS twice FROM range(3) ORDER BY id"
    table = connection.execute(sql).fetch_arrow_table()
    assert table.to_pydict() == {"id": [0, 1, 2], "twice": [0, 2, 4]}
    assert connection.execute(sql).fetch_record_batch().read_all().equals(table)
    assert connection.execute(sql).fetch_df()["twice"].tolist() == [0, 2, 4]


def test_year_month_intervals_are_numbers_of_months(connection: dbapi.Connection) -> None:
    """pyarrow 26 has no Python value for Arrow's own type."""
    with connection.cursor() as cursor:
        assert cursor.execute("SELECT INTERVAL '1-2' YEAR TO MONTH AS i, 'x' AS s").fetchall() == [(14, "x")]
        assert cursor.execute("SELECT INTERVAL '1-2' YEAR TO MONTH AS i").fetch_df()["i"].tolist() == [14]


def test_an_empty_result_has_its_columns(connection: dbapi.Connection) -> None:
    cursor = connection.execute("SELECT 1 AS x WHERE false")
    assert (cursor.fetch_arrow_table().column_names, connection.execute("SELECT 1 AS x WHERE false").fetchall()) == (["x"], [])


def test_values_go_in_and_come_out_as_they_were(connection: dbapi.Connection) -> None:
    columns = "b BOOLEAN, i INT, l BIGINT, d DOUBLE, p DECIMAL(20,4), s STRING, r BINARY, day DATE, at TIMESTAMP, n STRING"
    row = (
        True,
        7,
        2**60,
        1.5,
        Decimal("12.3456"),
        "ž",
        b"\x00\xff",
        date(2026, 2, 28),
        datetime(2026, 2, 28, 1, tzinfo=UTC),
        None,
    )
    connection.execute(f"CREATE TABLE round_trip ({columns})")
    assert connection.execute(f"INSERT INTO round_trip VALUES ({', '.join('?' * len(row))})", row).rowcount == 1
    assert connection.execute("SELECT * FROM round_trip WHERE s = ? AND l = ?", ["ž", 2**60]).fetchall() == [row]


def test_executemany_adds_up_what_it_changed(connection: dbapi.Connection) -> None:
    connection.execute("CREATE TABLE many (id BIGINT, name STRING)")
    cursor = connection.cursor()
    assert cursor.executemany("INSERT INTO many VALUES (?, ?)", [(1, "a"), (2, None)]).rowcount == 2
    assert cursor.executemany("INSERT INTO many VALUES (?, ?)", []).rowcount == 0
    assert cursor.execute("SELECT * FROM many ORDER BY id").fetchall() == [(1, "a"), (2, None)]


def test_ingest_takes_tables_readers_and_data_frames(connection: dbapi.Connection) -> None:
    table = pa.table({"id": [1, 2], "name": ["a", "b"]})
    counts = [
        connection.ingest("loaded", table),
        connection.ingest("loaded", table.to_reader(), mode="append"),
        connection.ingest("loaded", table.to_pandas(), mode="append"),
    ]
    assert (counts, connection.execute("SELECT count(*) FROM loaded").fetchone()) == ([2, 2, 2], (6,))
    with pytest.raises(dbapi.ProgrammingError, match="TABLE_ALREADY_EXISTS"):
        connection.ingest("loaded", table)


ERRORS = {
    "SELEC 1": (dbapi.ProgrammingError, "SYNTAX_ERROR", "42601"),
    "SELECT * FROM nowhere": (dbapi.ProgrammingError, "TABLE_NOT_FOUND", "42P01"),
    "SELECT 1 / 0": (dbapi.DataError, "DIVISION_BY_ZERO", "22012"),
    "SELECT CAST('x' AS INT)": (dbapi.DataError, "INVALID_CAST_ARGUMENT", "22018"),
    "CACHE TABLE t": (dbapi.NotSupportedError, "NOT_SUPPORTED", "0A000"),
}


@pytest.mark.parametrize("sql", ERRORS)
def test_an_error_has_the_class_the_code_and_the_sqlstate(connection: dbapi.Connection, sql: str) -> None:
    kind, code, sqlstate = ERRORS[sql]
    with pytest.raises(kind, match=f"^{code}: ") as caught:
        connection.execute(sql).fetchall()
    assert (caught.value.code, caught.value.sqlstate) == (code, sqlstate)


def test_an_error_in_the_middle_of_a_stream_is_an_error(connection: dbapi.Connection) -> None:
    sql = "SELECT 1 / (id - 90000) FROM range(100000)"
    for fetch in ("fetchall", "fetch_arrow_table"):
        cursor = connection.execute(sql)
        with pytest.raises(dbapi.DataError, match="DIVISION_BY_ZERO"):
            getattr(cursor, fetch)()


WRONG_PARAMETERS: dict[str, Any] = {"too few": [], "too many": [1, 2], "a text": "1", "of no type": [object()]}


@pytest.mark.parametrize("name", WRONG_PARAMETERS)
def test_wrong_parameters_are_refused(connection: dbapi.Connection, name: str) -> None:
    with pytest.raises(dbapi.ProgrammingError, match="INVALID_PARAMETER_USAGE"):
        connection.execute("SELECT ? + 1", WRONG_PARAMETERS[name])


def test_misuse_is_said(connection: dbapi.Connection) -> None:
    cursor = connection.cursor()
    with pytest.raises(dbapi.ProgrammingError, match="no rows to fetch"):
        cursor.fetchone()
    cursor.execute("SELECT 1").fetchone()
    with pytest.raises(dbapi.ProgrammingError, match="as tuples already"):
        cursor.fetch_arrow_table()
    cursor.close()
    with pytest.raises(dbapi.InterfaceError, match="closed"):
        cursor.execute("SELECT 1")
    with pytest.raises(dbapi.NotSupportedError, match="Transactions are not supported"):
        connection.rollback()
    connection.commit()


def test_connecting_is_refused_with_a_reason(door: FlightDoor) -> None:
    with pytest.raises(dbapi.OperationalError, match="AUTHENTICATION_FAILED: Authentication failed"):
        sqe.connect(door.address, user="root", password="wrong")  # noqa: S106
    with pytest.raises(dbapi.OperationalError, match="AUTHENTICATION_FAILED"):
        sqe.connect(door.address, token="nothing").execute("SELECT 1")  # noqa: S106
    with pytest.raises(dbapi.OperationalError, match=r"REMOTE_HOST_GONE: The server at grpc://127.0.0.1:1 cannot be reached"):
        sqe.connect("grpc://127.0.0.1:1", user="root", password="secret")  # noqa: S106
    with pytest.raises(dbapi.InterfaceError, match="leave uri away"):
        sqe.connect(door.address, warehouse="x")
    with pytest.raises(dbapi.InterfaceError, match="give its uri"):
        sqe.connect(user="root")


def test_closing_the_connection_ends_its_session(door: FlightDoor, sessions: Sessions) -> None:
    before = len(sessions)
    connection = sqe.connect(door.address, user="root", password="secret")  # noqa: S106
    cursor = connection.execute("SELECT id FROM range(100000000)")
    connection.close()
    connection.close()
    assert (len(sessions), cursor.closed) == (before, True)
    with pytest.raises(dbapi.InterfaceError, match="closed"):
        connection.cursor().execute("SELECT 1")


ENDLESS = "SELECT sum(id % 7) AS total FROM range(1000000000000)"


@pytest.mark.parametrize("sql", [ENDLESS, f"CREATE TABLE endless AS {ENDLESS}"], ids=["fetching", "executing"])
def test_a_cursor_can_be_cancelled_from_another_thread(connection: dbapi.Connection, sql: str) -> None:
    cursor = connection.cursor()
    timer = threading.Timer(1.5, cursor.cancel)
    timer.start()
    with pytest.raises(dbapi.OperationalError, match="USER_CANCELED"):
        cursor.execute(sql).fetchall()
    timer.join()
    assert cursor.execute("SELECT 1").fetchall() == [(1,)]
