"""Trino's own Python client and SQLAlchemy with it, over TLS, against the real engine."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy
import trino
from authority import Authority, Pair
from sqlalchemy.engine import URL
from trino_door import ALICE, MANY, ROOT, tls_door

from sqe.doors.trino.door import TrinoDoor
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

pytestmark = pytest.mark.service


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(autouse=True)
def _only_the_tests_authority(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's list of authorities would count more for `requests` than the one that it is given."""
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def robot(authority: Authority) -> Pair:
    return authority.client("svc-etl")


@pytest.fixture(scope="module")
def door(handler: QueryHandler, sessions: Sessions, authority: Authority) -> Iterator[TrinoDoor]:
    with tls_door(handler, sessions, authority) as door:
        yield door


def connect(door: TrinoDoor, authority: Authority, who: tuple[str, str] = ALICE, **options: Any) -> trino.dbapi.Connection:
    given = {"auth": trino.auth.BasicAuthentication(*who), "verify": str(authority.file), "catalog": "lake", "schema": "default"}
    return trino.dbapi.connect(host="localhost", port=door.port, user=who[0], http_scheme="https", **{**given, **options})


@pytest.fixture
def cursor(door: TrinoDoor, authority: Authority) -> Iterator[Any]:
    with connect(door, authority) as connection:
        yield connection.cursor()


def ask(cursor: Any, sql: str, parameters: Any = None) -> list[list[Any]]:
    cursor.execute(sql, parameters)
    found: list[list[Any]] = cursor.fetchall()
    return found


def test_a_query_gives_its_rows_and_columns(cursor: Any) -> None:
    assert ask(cursor, "SELECT 1 AS one, 'x' AS x") == [[1, "x"]]
    assert [column[0] for column in cursor.description] == ["one", "x"]


def test_it_is_who_logged_in(cursor: Any) -> None:
    assert ask(cursor, "SELECT current_user") == [["alice"]]


def test_a_wrong_password_is_refused(door: TrinoDoor, authority: Authority) -> None:
    with connect(door, authority, ("alice", "looking-glass")) as wrong, pytest.raises(trino.exceptions.HttpError, match="401"):
        ask(wrong.cursor(), "SELECT 1")


def test_nobody_speaks_for_somebody_else(door: TrinoDoor, authority: Authority) -> None:
    auth = trino.auth.BasicAuthentication(*ALICE)
    with (
        connect(door, authority, ("root", ""), auth=auth) as wrong,
        pytest.raises(trino.exceptions.HttpError, match="cannot impersonate"),
    ):
        ask(wrong.cursor(), "SELECT 1")


def test_a_certificate_speaks_for_a_program(door: TrinoDoor, authority: Authority, robot: Pair) -> None:
    auth = trino.auth.CertificateAuthentication(str(robot.certificate), str(robot.key))
    with connect(door, authority, ("etl", ""), auth=auth) as connection:
        assert ask(connection.cursor(), "SELECT current_user") == [["etl"]]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("CAST(7 AS TINYINT)", 7),
        ("CAST(7 AS BIGINT)", 7),
        ("CAST(1.25 AS DECIMAL(10,2))", Decimal("1.25")),
        ("CAST(0.1 AS DOUBLE)", 0.1),
        ("CAST(NULL AS INTEGER)", None),
        ("true", True),
        ("'naïve 🦆'", "naïve 🦆"),
        ("DATE '2024-02-29'", dt.date(2024, 2, 29)),
        ("X'00FF'", b"\x00\xff"),
    ],
)
def test_a_value_arrives_as_what_it_is(cursor: Any, expression: str, value: Any) -> None:
    assert ask(cursor, f"SELECT {expression} AS x") == [[value]]


def test_parameters_are_bound(cursor: Any) -> None:
    moment = dt.datetime(2026, 2, 28, 1, 2, 3, tzinfo=ZoneInfo("UTC"))
    values = (7, "it's; -- ?", None, True, dt.date(2024, 2, 29), moment)
    (row,) = ask(cursor, "SELECT ?, ?, ?, ?, ?, ?", values)
    assert row == list(values)


def test_rows_are_written_read_and_counted(cursor: Any) -> None:
    ask(cursor, "DROP TABLE IF EXISTS cups")
    ask(cursor, "CREATE TABLE cups (id INTEGER, colour VARCHAR(20))")
    cursor.execute("INSERT INTO cups VALUES (1, 'red'), (2, 'blue')")
    assert (cursor.fetchall(), cursor.rowcount, cursor.update_type) == ([[2]], 2, "INSERT")
    cursor.executemany("INSERT INTO cups VALUES (?, ?)", [(3, "green"), (4, None)])
    assert ask(cursor, "SELECT * FROM cups ORDER BY id") == [[1, "red"], [2, "blue"], [3, "green"], [4, None]]
    ask(cursor, "DROP TABLE cups")


@pytest.mark.usefixtures("many")
def test_all_rows_come_once_and_in_order(cursor: Any) -> None:
    assert ask(cursor, "SELECT id, text FROM many ORDER BY id") == [[number, str(number)] for number in range(MANY)]


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("encoding", ["json", "json+lz4", "json+zstd", None])
def test_rows_are_the_same_in_every_encoding(door: TrinoDoor, authority: Authority, encoding: str | None) -> None:
    with connect(door, authority, encoding=encoding) as connection:
        rows = ask(connection.cursor(), "SELECT id, text FROM many ORDER BY id DESC")
    assert (len(rows), rows[0]) == (MANY, [MANY - 1, str(MANY - 1)])


def test_an_error_has_trinos_name_number_and_place(cursor: Any) -> None:
    with pytest.raises(trino.exceptions.TrinoUserError) as raised:
        ask(cursor, "SELECT *\nFROM no_such_table")
    error = raised.value
    assert (error.error_name, error.error_code, error.error_type) == ("TABLE_NOT_FOUND", 46, "USER_ERROR")
    assert error.query_id


def test_use_moves_the_connection(cursor: Any) -> None:
    ask(cursor, "CREATE SCHEMA IF NOT EXISTS lake.elsewhere")
    ask(cursor, "USE lake.elsewhere")
    ask(cursor, "CREATE TABLE IF NOT EXISTS here (id INTEGER)")
    assert ask(cursor, "SELECT count(*) FROM lake.elsewhere.here") == [[0]]


def test_a_schema_that_comes_later_is_found(door: TrinoDoor, authority: Authority) -> None:
    with connect(door, authority, schema="not_yet") as connection:
        cursor = connection.cursor()
        ask(cursor, "CREATE SCHEMA not_yet")
        ask(cursor, "CREATE TABLE there (id INTEGER)")
        assert ask(cursor, "SELECT count(*) FROM not_yet.there") == [[0]]


def test_transactions_are_accepted(door: TrinoDoor, authority: Authority) -> None:
    level = trino.transaction.IsolationLevel.READ_COMMITTED
    with connect(door, authority, isolation_level=level) as connection:
        cursor = connection.cursor()
        assert ask(cursor, "SELECT 1") == [[1]]
        connection.commit()
    with connect(door, authority, isolation_level=level) as connection:
        ask(connection.cursor(), "SELECT 2")
        connection.rollback()


def test_session_properties_are_kept_by_the_client(door: TrinoDoor, authority: Authority) -> None:
    properties = {"query_max_run_time": "5m", "join_distribution_type": "BROADCAST"}
    with connect(door, authority, session_properties=properties) as connection:
        cursor = connection.cursor()
        assert ask(cursor, "SELECT 1") == [[1]]
        assert [each["message"] for each in cursor.warnings] == [
            "Session property join_distribution_type has no effect on this server"
        ]
    with (
        connect(door, authority, session_properties={"no_such": "1"}) as connection,
        pytest.raises(trino.exceptions.TrinoUserError, match="'no_such' does not exist"),
    ):
        ask(connection.cursor(), "SELECT 1")


@pytest.mark.usefixtures("many")
def test_a_statement_can_be_cancelled(cursor: Any, handler: QueryHandler) -> None:
    cursor.execute("SELECT a.id FROM many AS a CROSS JOIN many AS b")
    cursor.cancel()
    assert "USER_CANCELED" in {event.error.code.name for event in handler.queries() if event.error}


@pytest.fixture(scope="module")
def engine(door: TrinoDoor, authority: Authority) -> Iterator[sqlalchemy.Engine]:
    url = URL.create("trino", *ROOT, host="localhost", port=door.port, database="lake/shop")
    engine = sqlalchemy.create_engine(url, connect_args={"verify": str(authority.file), "http_scheme": "https"})
    yield engine
    engine.dispose()


def test_sqlalchemy_runs_statements(engine: sqlalchemy.Engine) -> None:
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("CREATE SCHEMA IF NOT EXISTS shop"))
        connection.execute(sqlalchemy.text("DROP TABLE IF EXISTS orders"))
        connection.execute(sqlalchemy.text("CREATE TABLE orders (id BIGINT, price DECIMAL(6,2), note VARCHAR(20))"))
        connection.execute(
            sqlalchemy.text("INSERT INTO orders VALUES (:id, CAST(:price AS DECIMAL(6,2)), :note)"),
            {"id": 1, "price": "4.50", "note": "a"},
        )
        found = connection.execute(sqlalchemy.text("SELECT * FROM orders WHERE id = :id"), {"id": 1}).all()
    assert found == [(1, Decimal("4.50"), "a")]
