"""JDBC drivers, Arrow's for Flight SQL and Trino's, in this process (JPype), in a JVM of its own: the engine's is another."""

from __future__ import annotations

from functools import cache
from typing import Any

import jpype

from sqe.engine.install.jars import TEST_JARS, ensure_jars

Rows = list[tuple[str | None, ...]]


@cache
def started_jvm() -> None:
    """A process can have one JVM, so it is never shut down."""
    if not jpype.isJVMStarted():
        classpath = [str(path) for path in ensure_jars(TEST_JARS)]
        jpype.startJVM(
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "-Xmx256m",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
            classpath=classpath,
        )
        jpype.JClass("java.util.logging.LogManager").getLogManager().reset()


def driver_class() -> Any:
    started_jvm()
    return jpype.JClass("org.apache.arrow.driver.jdbc.ArrowFlightJdbcDriver")


def connected(port: int, **properties: str) -> Any:
    driver = driver_class()()
    given = jpype.JClass("java.util.Properties")()
    for name, value in {"useEncryption": "false", **properties}.items():
        given.setProperty(name, value)
    return driver.connect(f"jdbc:arrow-flight-sql://127.0.0.1:{port}/", given)


def rows(results: Any) -> Rows:
    """All rows as texts; Java's objects have their own idea of equality."""
    try:
        columns = range(1, results.getMetaData().getColumnCount() + 1)
        found = []
        while results.next():
            found.append(tuple(text(results.getObject(index)) for index in columns))
        return found
    finally:
        results.close()


def text(value: Any) -> str | None:
    return None if value is None else str(value)


def query(connection: Any, sql: str) -> Rows:
    statement = connection.createStatement()
    try:
        return rows(statement.executeQuery(sql))
    finally:
        statement.close()


def update(connection: Any, sql: str) -> int:
    statement = connection.createStatement()
    try:
        return int(statement.executeUpdate(sql))
    finally:
        statement.close()
