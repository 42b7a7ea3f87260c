"""Two users by Arrow's JDBC driver: each sees, reads and changes what is theirs, and the rest is not there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jpype
import pytest
from clients import Addresses, Login, log_lines
from jdbc import connected, query, rows, update
from running import SERVER, RunningServer, bearer_provider, gateway_catalog, password_provider, serving

TABLE = "by_jdbc"
USERS = [("alice", "bob"), ("bob", "alice")]


@pytest.fixture(scope="module")
def server(lake: Addresses, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    config = SERVER + password_provider(lake["keycloak"]) + bearer_provider(lake["keycloak"]) + gateway_catalog(lake)
    with serving(tmp_path_factory.mktemp("jdbc"), config) as running:
        yield running
    assert "eyJ" not in running.log.read_text(), "a token is in the server's log"


@pytest.fixture(scope="module")
def connections(server: RunningServer) -> Iterator[dict[str, Any]]:
    opened = {user: connected(server.port, user=user, password=f"{user}-password") for user, _ in USERS}
    for user, connection in opened.items():
        update(connection, f"CREATE SCHEMA IF NOT EXISTS lake.{user}")
        update(connection, f"CREATE OR REPLACE TABLE lake.{user}.{TABLE} AS SELECT id, '{user}' AS owner FROM range(10)")
    yield opened
    for user, connection in opened.items():
        update(connection, f"DROP TABLE lake.{user}.{TABLE}")
        connection.close()


@pytest.mark.parametrize(("user", "other"), USERS)
def test_everybody_reads_and_changes_their_own(connections: dict[str, Any], user: str, other: str) -> None:
    mine = connections[user]
    assert update(mine, f"INSERT INTO lake.{user}.{TABLE} VALUES (10, 'more')") == 1
    assert update(mine, f"DELETE FROM lake.{user}.{TABLE} WHERE id = 10") == 1
    assert query(mine, f"SELECT count(*), min(owner), current_user() FROM lake.{user}.{TABLE}") == [("10", user, user)]


@pytest.mark.parametrize(("user", "other"), USERS)
def test_another_s_table_looks_missing(connections: dict[str, Any], user: str, other: str) -> None:
    def told(schema: str) -> tuple[str, str]:
        with pytest.raises(jpype.JClass("java.sql.SQLException")) as refused:
            query(connections[user], f"SELECT * FROM lake.{schema}.{TABLE}")
        return str(refused.value.getMessage()), str(refused.value.getSQLState())

    denied, missing = told(other), told("noone")
    assert f"Table lake.{other}.{TABLE} does not exist" in denied[0]
    assert denied == (missing[0].replace("noone", other), missing[1])


@pytest.mark.parametrize(("user", "other"), USERS)
def test_metadata_is_each_user_s_own(connections: dict[str, Any], user: str, other: str) -> None:
    metadata = connections[user].getMetaData()
    assert str(metadata.getUserName()) == user
    schemas = {row[0] for row in rows(metadata.getSchemas("lake", None))}
    assert user in schemas
    assert other not in schemas
    tables = {row[1:3] for row in rows(metadata.getTables("lake", None, TABLE, None))}
    assert tables == {(user, TABLE)}
    columns = [row[3] for row in rows(metadata.getColumns("lake", None, TABLE, None))]
    assert columns == ["id", "owner"]
    assert rows(metadata.getTables("lake", other, None, None)) == []


def test_a_token_logs_in_as_its_user(server: RunningServer, lake: Addresses, login: Login) -> None:
    before = len(log_lines(lake["gateway"]["audit"]))
    connection = connected(server.port, token=login.password("carol"))
    try:
        assert query(connection, "SELECT current_user()") == [("carol",)]
        query(connection, "SHOW SCHEMAS IN lake")
    finally:
        connection.close()
    assert {line["name"] for line in log_lines(lake["gateway"]["audit"])[before:]} >= {"carol"}


def test_a_wrong_password_is_told_nothing(server: RunningServer) -> None:
    told = []
    for user, password in (("alice", "wrong"), ("nobody", "wrong"), ("bob", "alice-password")):
        with pytest.raises(jpype.JClass("java.sql.SQLException")) as refused:
            connected(server.port, user=user, password=password)
        told.append(str(refused.value.getMessage()))
    assert len(set(told)) == 1
    assert "Authentication failed" in told[0]
