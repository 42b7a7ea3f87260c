"""What DBeaver, Metabase and their kind ask of a JDBC driver about a database, by Trino's own driver.

That the statements behind these calls give what Trino gives is compared in tests/differential/trino (queries/tools.sql).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jpype
import pytest
from authority import Authority
from jdbc import Rows, query, rows, started_jvm, update
from trino_door import ALICE, BOB, tls_door

from sqe.doors.trino.door import TrinoDoor
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

pytestmark = pytest.mark.service


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def door(handler: QueryHandler, sessions: Sessions, authority: Authority) -> Iterator[TrinoDoor]:
    with tls_door(handler, sessions, authority) as door:
        yield door


def connected(door: TrinoDoor, authority: Authority, who: tuple[str, str]) -> Any:
    started_jvm()
    given = jpype.JClass("java.util.Properties")()
    values = {"user": who[0], "password": who[1], "SSL": "true", "SSLTrustStorePath": str(authority.file)}
    for name, value in values.items():
        given.setProperty(name, value)
    return jpype.JClass("io.trino.jdbc.TrinoDriver")().connect(f"jdbc:trino://localhost:{door.port}/lake", given)


@pytest.fixture(scope="module")
def connection(door: TrinoDoor, authority: Authority) -> Iterator[Any]:
    connection = connected(door, authority, ALICE)
    for statement in (
        "CREATE SCHEMA lake.meta_data",
        "CREATE TABLE lake.meta_data.cups (id bigint NOT NULL COMMENT 'its number', colour varchar, price decimal(6,2), "
        'made timestamp(6) with time zone, tags array(varchar), place row(x integer, "Y" double))',
        "CREATE TABLE lake.meta_data.cupboards (id bigint)",
        "CREATE VIEW lake.meta_data.red AS SELECT id FROM lake.meta_data.cups WHERE colour = 'red'",
        "CREATE SCHEMA lake.metaxdata",
        "CREATE TABLE lake.metaxdata.cups (id bigint)",
    ):
        update(connection, statement)
    yield connection
    connection.close()


@pytest.fixture
def metadata(connection: Any) -> Any:
    return connection.getMetaData()


def some(found: Rows, *columns: int) -> Rows:
    return [tuple(row[column] for column in columns) for row in found]


def test_catalogs_and_schemas(metadata: Any) -> None:
    assert ("lake",) in rows(metadata.getCatalogs())
    assert ("meta_data", "lake") in rows(metadata.getSchemas())
    assert rows(metadata.getSchemas("lake", "meta\\_data")) == [("meta_data", "lake")]
    assert rows(metadata.getSchemas("lake", "meta_data")) == [("meta_data", "lake"), ("metaxdata", "lake")]
    assert rows(metadata.getSchemas("lake", "no_such")) == []


def test_tables_by_pattern_and_type(metadata: Any) -> None:
    def tables(catalog: str | None, schema: str | None, table: str | None, kinds: list[str] | None) -> Rows:
        return some(rows(metadata.getTables(catalog, schema, table, kinds)), 1, 2, 3)

    cups, cupboards = ("meta_data", "cups", "TABLE"), ("meta_data", "cupboards", "TABLE")
    assert tables("lake", "meta\\_data", None, None) == [cupboards, cups, ("meta_data", "red", "VIEW")]
    assert tables("lake", "meta\\_data", "cup%", ["TABLE"]) == [cupboards, cups]
    assert tables("lake", "meta\\_data", "cup_", ["TABLE", "VIEW"]) == [cups]
    assert tables("lake", "meta_data", "cups", ["TABLE"]) == [cups, ("metaxdata", "cups", "TABLE")]
    assert tables("lake", "meta\\_data", "%", ["VIEW"]) == [("meta_data", "red", "VIEW")]
    assert tables("no_such", None, None, None) == []
    assert tables("lake", "meta\\_data", "%", []) == []
    assert rows(metadata.getTableTypes()) == [("TABLE",), ("VIEW",)]


def test_columns_have_trinos_types(metadata: Any) -> None:
    found = rows(metadata.getColumns("lake", "meta\\_data", "cups", "%"))
    # Name, JDBC's number of the type, its name, size, digits, radix, nullable, remarks, position, is nullable.
    assert some(found, 3, 4, 5, 6, 8, 9, 10, 11, 16, 17) == [
        ("id", "-5", "bigint", "19", None, "10", "0", "its number", "1", "NO"),
        ("colour", "12", "varchar", "2147483647", None, None, "1", None, "2", "YES"),
        ("price", "3", "decimal(6,2)", "6", "2", "10", "1", None, "3", "YES"),
        ("made", "2014", "timestamp(6) with time zone", "62", "6", None, "1", None, "4", "YES"),
        ("tags", "2003", "array(varchar)", None, None, None, "1", None, "5", "YES"),
        ("place", "2000", 'row(x integer, "Y" double)', None, None, None, "1", None, "6", "YES"),
    ]
    assert some(rows(metadata.getColumns("lake", "meta\\_data", "cu%", "i%")), 2, 3) == [("cupboards", "id"), ("cups", "id")]
    assert some(rows(metadata.getColumns("lake", "meta\\_data", "red", None)), 3, 5) == [("id", "bigint")]


def test_keys_types_and_what_there_is_none_of(metadata: Any) -> None:
    assert rows(metadata.getPrimaryKeys("lake", "meta_data", "cups")) == []
    assert rows(metadata.getImportedKeys("lake", "meta_data", "cups")) == []
    types = rows(metadata.getTypeInfo())
    expected = {"bigint", "varchar", "decimal", "timestamp with time zone", "array", "row", "map", "json"}
    assert expected <= {row[0] for row in types}
    assert [int(str(row[1])) for row in types] == sorted(int(str(row[1])) for row in types)
    for empty in (
        metadata.getProcedures(None, None, None),
        metadata.getProcedureColumns(None, None, None, None),
        metadata.getUDTs(None, None, None, None),
        metadata.getSuperTypes(None, None, None),
        metadata.getSuperTables(None, None, None),
        metadata.getAttributes(None, None, None, None),
        metadata.getPseudoColumns(None, None, None, None),
    ):
        assert rows(empty) == []
    assert rows(metadata.getClientInfoProperties())
    with pytest.raises(jpype.JException, match="not supported"):
        metadata.getExportedKeys("lake", "meta_data", "cups")


def test_what_the_server_is(metadata: Any) -> None:
    assert str(metadata.getDatabaseProductName()) == "Trino"
    assert str(metadata.getDatabaseProductVersion()).startswith("476-sqe-")
    assert str(metadata.getIdentifierQuoteString()) == '"'
    assert bool(metadata.supportsSchemasInTableDefinitions())


def test_metabase_lists_by_statements(connection: Any) -> None:
    assert ("meta_data",) in query(connection, 'SHOW SCHEMAS FROM "lake"')
    assert query(connection, 'SHOW TABLES FROM "lake"."meta_data"') == [("cupboards",), ("cups",), ("red",)]
    assert query(connection, 'DESCRIBE "lake"."meta_data"."cupboards"') == [("id", "bigint", "", "")]


def test_a_name_with_quotes_and_wildcards_is_only_a_name(metadata: Any, door: TrinoDoor, authority: Authority) -> None:
    for odd in ("x' OR '1'='1", "%'--", "\\", "é%_", "a\\_b'"):
        found = rows(metadata.getTables("lake", odd, odd, None)) if odd != "\\" else []
        assert found == []
    other = connected(door, authority, BOB)
    assert some(rows(other.getMetaData().getTables("lake", "meta\\_data", "red", None)), 2) == [("red",)]
    other.close()
