"""Trino's own JDBC driver against the real engine, in this process (JPype), in a JVM of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jpype
import pytest
from authority import Authority
from jdbc import query, rows, started_jvm, update
from trino_door import ALICE, tls_door

from sqe.doors.trino.door import TrinoDoor
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

pytestmark = pytest.mark.service

Connect = Callable[..., Any]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def door(handler: QueryHandler, sessions: Sessions, authority: Authority) -> Iterator[TrinoDoor]:
    with tls_door(handler, sessions, authority) as door:
        yield door


@pytest.fixture
def connect(door: TrinoDoor, authority: Authority) -> Connect:
    def open_connection(place: str = "lake/default", **properties: str) -> Any:
        started_jvm()
        driver = jpype.JClass("io.trino.jdbc.TrinoDriver")()
        given = jpype.JClass("java.util.Properties")()
        tls = {"SSL": "true", "SSLTrustStorePath": str(authority.file)}
        for name, value in {"user": ALICE[0], "password": ALICE[1], **tls, **properties}.items():
            given.setProperty(name, value)
        return driver.connect(f"jdbc:trino://localhost:{door.port}/{place}", given)

    return open_connection


@pytest.fixture
def connection(connect: Connect) -> Iterator[Any]:
    connection = connect()
    yield connection
    connection.close()


def test_a_query_gives_its_rows(connection: Any) -> None:
    assert query(connection, "SELECT 1 AS one, 'x' AS x") == [("1", "x")]


def test_a_wrong_password_is_refused(connect: Connect) -> None:
    with pytest.raises(jpype.JException, match="Authentication failed"):
        query(connect(password="looking" + "-glass"), "SELECT 1")


@pytest.mark.parametrize(
    ("expression", "value", "type_name"),
    [
        ("CAST(7 AS TINYINT)", "7", "tinyint"),
        ("CAST(7 AS BIGINT)", "7", "bigint"),
        ("CAST(1.25 AS DECIMAL(10,2))", "1.25", "decimal(10,2)"),
        ("CAST(NULL AS INTEGER)", None, "integer"),
        ("'naïve 🦆'", "naïve 🦆", "varchar(7)"),
        ("DATE '2024-02-29'", "2024-02-29", "date"),
        ("TIMESTAMP '2024-02-29 01:02:03.456 UTC'", "2024-02-29 01:02:03.456", "timestamp(3) with time zone"),
    ],
)
def test_a_type_has_its_value_and_its_name(connect: Connect, expression: str, value: str | None, type_name: str) -> None:
    connection = connect(timezone="UTC")
    try:
        results = connection.createStatement().executeQuery(f"SELECT {expression} AS x")
        assert str(results.getMetaData().getColumnTypeName(1)) == type_name
        assert rows(results) == [(value,)]
    finally:
        connection.close()


def test_prepared_statements_take_values(connection: Any) -> None:
    statement = connection.prepareStatement("SELECT ? AS a, ? AS b")
    statement.setLong(1, 7)
    statement.setString(2, "it's")
    assert rows(statement.executeQuery()) == [("7", "it's")]
    assert statement.getParameterMetaData().getParameterCount() == 2
    statement.close()


def test_rows_are_written_and_counted(connection: Any) -> None:
    assert update(connection, "CREATE TABLE jdbc_cups (id INTEGER, colour VARCHAR(20))") == 0
    assert update(connection, "INSERT INTO jdbc_cups VALUES (1, 'red'), (2, 'blue')") == 2
    statement = connection.prepareStatement("INSERT INTO jdbc_cups VALUES (?, ?)")
    for number, colour in ((3, "green"), (4, "pink")):
        statement.setInt(1, number)
        statement.setString(2, colour)
        statement.addBatch()
    assert list(statement.executeBatch()) == [1, 1]
    assert query(connection, "SELECT count(*), max(colour) FROM jdbc_cups") == [("4", "red")]
    assert update(connection, "DELETE FROM jdbc_cups WHERE id > 2") == 2
    update(connection, "DROP TABLE jdbc_cups")


def test_the_connection_moves(connection: Any) -> None:
    update(connection, "CREATE SCHEMA IF NOT EXISTS lake.jdbc_place")
    connection.setSchema("jdbc_place")
    update(connection, "CREATE TABLE here (id INTEGER)")
    assert query(connection, "SELECT count(*) FROM lake.jdbc_place.here") == [("0",)]
    update(connection, "USE lake.default")
    assert str(connection.getSchema()) == "default"


def test_transactions_are_accepted(connection: Any) -> None:
    connection.setAutoCommit(False)
    assert query(connection, "SELECT 1") == [("1",)]
    connection.commit()
    assert query(connection, "SELECT 2") == [("2",)]
    connection.rollback()
    connection.setAutoCommit(True)
    assert query(connection, "SELECT 3") == [("3",)]


def test_an_error_has_its_code(connection: Any) -> None:
    with pytest.raises(jpype.JException) as raised:
        query(connection, "SELECT * FROM no_such_table")
    assert raised.value.getErrorCode() == 46
    assert "no_such_table does not exist" in str(raised.value.getMessage())


@pytest.mark.usefixtures("many")
def test_a_query_can_be_cancelled(connection: Any, handler: QueryHandler) -> None:
    statement = connection.createStatement()
    results = statement.executeQuery("SELECT a.id FROM many AS a CROSS JOIN many AS b")
    assert results.next()
    statement.cancel()
    statement.close()
    assert any(event.error and event.error.code.name == "USER_CANCELED" for event in handler.queries())


def test_progress_is_told(connection: Any) -> None:
    seen: list[float] = []

    @jpype.JImplements("java.util.function.Consumer")
    class Monitor:
        @jpype.JOverride
        def accept(self, stats: Any) -> None:
            seen.append(float(stats.getProgressPercentage().orElse(-1.0)))

    statement = connection.createStatement()
    statement.unwrap(jpype.JClass("io.trino.jdbc.TrinoStatement")).setProgressMonitor(Monitor())
    rows(statement.executeQuery("SELECT 1"))
    assert seen[-1] == 100.0


def test_metadata_is_asked_in_sql(connection: Any) -> None:
    metadata = connection.getMetaData()
    assert str(metadata.getDatabaseProductVersion()).startswith("476-sqe-")
    assert str(metadata.getUserName()) == "alice"
