"""Arrow's Flight SQL JDBC driver against the real engine: queries, prepared statements, types, DatabaseMetaData.

The driver runs in this process (JPype), in a JVM of its own: the engine's is another process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jpype
import pytest
from jdbc import connected, query, rows, update

from sqe.doors.flight.door import FlightDoor
from sqe.sessions import Sessions

pytestmark = pytest.mark.service

Connect = Callable[..., Any]


@pytest.fixture
def connect(door: FlightDoor) -> Connect:
    def open_connection(**properties: str) -> Any:
        return connected(door.port, **{"user": "root", "password": "secret", **properties})

    return open_connection


@pytest.fixture
def connection(connect: Connect) -> Iterator[Any]:
    connection = connect()
    yield connection
    connection.close()


def test_a_query_gives_its_rows(connection: Any) -> None:
    assert query(connection, "SELECT id, concat('n', id) FROM range(3) ORDER BY id") == [("0", "n0"), ("1", "n1"), ("2", "n2")]


TYPES = {
    "BOOLEAN": ("true", "True", "BOOLEAN"),
    "TINYINT": ("7Y", "7", "TINYINT"),
    "SMALLINT": ("7S", "7", "SMALLINT"),
    "INT": ("7", "7", "INTEGER"),
    "BIGINT": ("7L", "7", "BIGINT"),
    "FLOAT": ("CAST(1.5 AS FLOAT)", "1.5", "FLOAT"),
    "DOUBLE": ("1.5D", "1.5", "DOUBLE"),
    "DECIMAL": ("CAST(1.25 AS DECIMAL(10,2))", "1.25", "DECIMAL"),
    "STRING": ("'naïve 🦆'", "naïve 🦆", "VARCHAR"),
    "DATE": ("DATE '2026-02-28'", "2026-02-28", "DATE"),
    "TIMESTAMP_NTZ": ("TIMESTAMP_NTZ '2026-02-28 01:02:03'", "2026-02-28 01:02:03.0", "TIMESTAMP"),
    "ARRAY": ("array(1, 2)", "[1,2]", "ARRAY"),
    "NULL": ("CAST(NULL AS INT)", None, "INTEGER"),
}


@pytest.mark.parametrize("name", TYPES)
def test_a_type_has_its_value_and_its_jdbc_type(connection: Any, name: str) -> None:
    literal, value, jdbc_type = TYPES[name]
    statement = connection.createStatement()
    results = statement.executeQuery(f"SELECT {literal} AS v")
    kind = str(results.getMetaData().getColumnTypeName(1))
    [[found]] = rows(results)
    statement.close()
    assert (found, kind) == (value, jdbc_type)


def test_a_timestamp_is_the_same_instant(connection: Any) -> None:
    statement = connection.createStatement()
    results = statement.executeQuery("SELECT TIMESTAMP '2026-02-28 01:02:03Z' AS v, X'00FF' AS b")
    results.next()
    assert (int(results.getTimestamp(1).getTime()), bytes(results.getBytes(2))) == (1772240523000, b"\x00\xff")
    results.close()
    statement.close()


def test_decimals_keep_precision_and_scale(connection: Any) -> None:
    statement = connection.prepareStatement("SELECT CAST(1 AS DECIMAL(12,3)) AS d")
    columns = statement.getMetaData()
    assert (int(columns.getPrecision(1)), int(columns.getScale(1))) == (12, 3)
    statement.close()


def test_a_prepared_query_knows_the_types_of_its_parameters(connection: Any) -> None:
    update(connection, "CREATE TABLE prices (id BIGINT, name STRING, price DECIMAL(10,2), day DATE)")
    update(connection, "INSERT INTO prices VALUES (1, 'apple', 1.25, DATE '2026-01-01'), (2, 'pear', 2.50, DATE '2026-01-02')")
    statement = connection.prepareStatement("SELECT name FROM prices WHERE id = ? AND name = ? AND price > ? AND day < ?")
    kinds = [str(statement.getParameterMetaData().getParameterTypeName(index)) for index in range(1, 5)]
    statement.setLong(1, 2)
    statement.setString(2, "pear")
    statement.setBigDecimal(3, jpype.JClass("java.math.BigDecimal")("2.00"))
    statement.setDate(4, jpype.JClass("java.sql.Date").valueOf("2026-02-01"))
    found = rows(statement.executeQuery())
    statement.close()
    assert (found, kinds) == ([("pear",)], ["Int(64, true)", "Utf8", "Decimal(10, 2, 128)", "Date(DAY)"])


def test_a_prepared_query_runs_again_with_other_values(connection: Any) -> None:
    statement = connection.prepareStatement("SELECT id FROM range(10) WHERE id > ? ORDER BY id")
    answers = []
    for least in (7, 8):
        statement.setLong(1, least)
        answers.append(rows(statement.executeQuery()))
    statement.close()
    assert answers == [[("8",), ("9",)], [("9",)]]


def test_updates_count_their_rows(connection: Any) -> None:
    assert update(connection, "CREATE TABLE counted (id BIGINT, name STRING)") == 0
    assert update(connection, "INSERT INTO counted VALUES (1, 'a'), (2, 'b')") == 2
    statement = connection.prepareStatement("UPDATE counted SET name = ? WHERE id > ?")
    statement.setString(1, "z")
    statement.setLong(2, 1)
    assert int(statement.executeUpdate()) == 1
    statement.close()
    assert query(connection, "SELECT * FROM counted ORDER BY id") == [("1", "a"), ("2", "z")]


def test_a_batch_of_parameters_is_run_row_by_row(connection: Any) -> None:
    update(connection, "CREATE TABLE batched (id BIGINT, name STRING)")
    statement = connection.prepareStatement("INSERT INTO batched VALUES (?, ?)")
    for number, name in ((1, "a"), (2, None)):
        statement.setLong(1, number)
        statement.setString(2, name)
        statement.addBatch()
    statement.executeBatch()
    statement.close()
    assert query(connection, "SELECT * FROM batched ORDER BY id") == [("1", "a"), ("2", None)]


FAILURES = {"SELEC 1": "SYNTAX_ERROR: line 1:1", "SELECT * FROM nowhere": "TABLE_NOT_FOUND", "SELECT 1 / 0": "DIVISION_BY_ZERO"}


@pytest.mark.parametrize("sql", FAILURES)
def test_a_failure_is_one_sentence_with_its_code(connection: Any, sql: str) -> None:
    with pytest.raises(jpype.JException) as caught:
        query(connection, sql)
    said = str(caught.value)
    assert FAILURES[sql] in said
    assert "Traceback" not in said
    assert query(connection, "SELECT 1") == [("1",)]


def test_a_wrong_password_is_refused(connect: Connect) -> None:
    with pytest.raises(jpype.JException, match="Authentication failed"):
        connect(password="wrong")  # noqa: S106


@pytest.fixture
def shop(connection: Any) -> Any:
    update(connection, "CREATE SCHEMA IF NOT EXISTS shop")
    update(connection, "CREATE TABLE IF NOT EXISTS shop.sales (id BIGINT NOT NULL, price DECIMAL(10,2), tags ARRAY<STRING>)")
    update(connection, "CREATE VIEW IF NOT EXISTS shop.cheap AS SELECT id FROM shop.sales WHERE price < 1")
    return connection.getMetaData()


def test_metadata_of_catalogs_schemas_and_tables(shop: Any) -> None:
    assert ("lake",) in rows(shop.getCatalogs())
    assert ("shop", "lake") in rows(shop.getSchemas())
    assert [row[:4] for row in rows(shop.getTables(None, "sh%", None, None))] == [
        ("lake", "shop", "cheap", "VIEW"),
        ("lake", "shop", "sales", "TABLE"),
    ]
    assert [row[2] for row in rows(shop.getTables("lake", "shop", "%", ["VIEW"]))] == ["cheap"]
    assert rows(shop.getTables("lake", "sho", "%", None)) == []
    assert rows(shop.getTableTypes()) == [("TABLE",), ("VIEW",)]


def test_metadata_of_columns(shop: Any) -> None:
    name, type_name, size, digits, nullable = 3, 5, 6, 8, 17
    found = rows(shop.getColumns("lake", "shop", "sales", None))
    assert [(row[name], row[type_name], row[size], row[digits], row[nullable]) for row in found] == [
        ("id", "BIGINT", "19", "0", "NO"),
        ("price", "DECIMAL(10,2)", "10", "2", "YES"),
        ("tags", "ARRAY<STRING>", None, None, "YES"),
    ]


def test_metadata_of_keys_is_empty(shop: Any) -> None:
    table = ("lake", "shop", "sales")
    assert [
        rows(shop.getPrimaryKeys(*table)),
        rows(shop.getImportedKeys(*table)),
        rows(shop.getExportedKeys(*table)),
        rows(shop.getCrossReference(*table, *table)),
    ] == [[], [], [], []]


# Avatica's own, not the driver's: they fail or ask for nothing whatever the server says.
NOT_OURS = {"getRowIdLifetime"}


def test_every_fact_of_the_database_can_be_asked(connection: Any) -> None:
    facts = connection.getMetaData()
    failed = {}
    for method in facts.getClass().getDeclaredMethods():
        name = str(method.getName())
        if method.getParameterCount() == 0 and method.getReturnType().isPrimitive() and name not in NOT_OURS:
            try:
                getattr(facts, name)()
            except jpype.JException as error:
                failed[name] = str(error)
    assert failed == {}
    assert (str(facts.getDatabaseProductName()), str(facts.getIdentifierQuoteString()), bool(facts.supportsTransactions())) == (
        "SQE",
        '"',
        False,
    )
    assert (bool(facts.supportsFullOuterJoins()), bool(facts.supportsUnionAll()), bool(facts.isReadOnly())) == (True, True, False)


def test_the_catalog_of_the_url_is_the_session_s(connect: Connect, sessions: Sessions) -> None:
    before = len(sessions)
    connection = connect(catalog="lake")
    assert query(connection, "SELECT current_catalog()") == [("lake",)]
    # Driver 18.3.0 closes its channel twice when a catalog is set and complains the second time; the session is gone by then.
    with pytest.raises(jpype.JException, match="Channel shutdown"):
        connection.close()
    assert len(sessions) == before


def test_an_unknown_catalog_is_refused(connect: Connect) -> None:
    with pytest.raises(jpype.JException, match=r"Cannot set session option.*nowhere"):
        connect(catalog="nowhere")
