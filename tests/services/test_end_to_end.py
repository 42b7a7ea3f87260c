"""Every query runs as its user: from the log-in at Keycloak to the catalog and the object store. No service account anywhere."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest
from clients import Addresses, Json, Login, log_lines
from running import (
    SERVER,
    RunningServer,
    bearer_provider,
    gateway_catalog,
    nessie_catalog,
    password_provider,
    refusal,
    rows,
    serving,
)

from dev.services.stack import Stack

TABLE = "end_to_end"


@pytest.fixture(scope="module")
def services(stack: Stack, lake: Addresses) -> Addresses:
    return lake | stack.up(["nessie"])


@pytest.fixture(scope="module")
def server(services: Addresses, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    config = (
        SERVER
        + password_provider(services["keycloak"])
        + bearer_provider(services["keycloak"])
        + gateway_catalog(services)
        + nessie_catalog(services)
        + nessie_catalog(services, "[catalogs.elsewhere]")
        + 'auth = "token_exchange"\naudience = "report"\nclient_id = "sqe"\nclient_secret = "sqe-secret"\n'
        + f'token_endpoint = "{services["keycloak"]["token"]}"\n'
    )
    with serving(tmp_path_factory.mktemp("end-to-end"), config) as running:
        yield running
    assert "eyJ" not in running.log.read_text(), "a token is in the server's log"


@pytest.fixture(scope="module")
def tables(server: RunningServer, services: Addresses) -> Iterator[Json]:
    """A table of alice's and one of bob's in each catalog; with where the logs stood before anybody came."""
    marks = {name: len(log_lines(path)) for name, path in _logs(services).items()}
    for user in ("alice", "bob"):
        with server.connected(user) as connection:
            for catalog in ("lake", "nessie"):
                name = f"{catalog}.{user}.{TABLE}"
                rows(connection, f"CREATE SCHEMA IF NOT EXISTS {catalog}.{user}")
                rows(connection, f"DROP TABLE IF EXISTS {name}")
                rows(connection, f"CREATE TABLE {name} AS SELECT id, '{user}' AS owner FROM range(10)")
    yield marks
    for user in ("alice", "bob"):
        with server.connected(user) as connection:
            for catalog in ("lake", "nessie"):
                rows(connection, f"DROP TABLE IF EXISTS {catalog}.{user}.{TABLE}")


def _logs(services: Addresses) -> dict[str, str]:
    return {"gateway": services["gateway"]["audit"], "store": services["storelog"]["requests"]}


@pytest.mark.parametrize("catalog", ["lake", "nessie"])
@pytest.mark.parametrize(("user", "other"), [("alice", "bob"), ("bob", "alice")])
def test_everybody_reads_and_writes_their_own(server: RunningServer, tables: Json, catalog: str, user: str, other: str) -> None:
    with server.connected(user) as connection:
        name = f"{catalog}.{user}.{TABLE}"
        rows(connection, f"INSERT INTO {name} VALUES (10, 'more')")
        rows(connection, f"DELETE FROM {name} WHERE id = 10")
        assert rows(connection, f"SELECT count(*), min(owner), max(owner) FROM {name}") == [(10, user, user)]


@pytest.mark.parametrize(("user", "other"), [("alice", "bob"), ("bob", "alice")])
def test_everybody_sees_their_own_schemas_and_tables(server: RunningServer, tables: Json, user: str, other: str) -> None:
    with server.connected(user) as connection:
        schemas = {row[0] for row in rows(connection, "SHOW SCHEMAS IN lake")}
        assert user in schemas
        assert other not in schemas
        assert (TABLE,) in [row[1:2] for row in rows(connection, f"SHOW TABLES IN lake.{user}")]
        found = connection.adbc_get_objects(depth="tables", catalog_filter="lake").read_all().to_pylist()
        listed = {schema["db_schema_name"] for catalog in found for schema in catalog["catalog_db_schemas"]}
        assert user in listed
        assert other not in listed


@pytest.mark.parametrize("catalog", ["lake", "nessie"])
def test_the_native_kernel_reads_with_the_users_own_rights(server: RunningServer, tables: Json, catalog: str) -> None:
    """The files lie in S3: Iceberg's reader gets them with the user's keys, and the kernel gets columns (docs/native.md)."""
    query = f"SELECT owner, count(*), sum(id) FROM {catalog}.alice.{TABLE} WHERE id > 1 GROUP BY owner"
    with server.connected("alice") as connection:
        rows(connection, "SET native = require")
        assert rows(connection, query) == [("alice", 8, 44)]
    with server.connected("bob") as connection:
        rows(connection, "SET native = require")
        if catalog == "lake":
            assert refusal(connection, query) == refusal(connection, query.replace(".alice.", ".noone.")).replace(
                "noone", "alice"
            )


FORMS = (
    "SELECT * FROM lake.{schema}.{table}",
    "SELECT count(*) FROM lake.{schema}.{table}.files",
    "DESCRIBE TABLE lake.{schema}.{table}",
    "DESCRIBE TABLE EXTENDED lake.{schema}.{table}",
    "SHOW CREATE TABLE lake.{schema}.{table}",
    "SHOW TBLPROPERTIES lake.{schema}.{table}",
    "INSERT INTO lake.{schema}.{table} VALUES (1, 'x')",
    "DELETE FROM lake.{schema}.{table}",
    "UPDATE lake.{schema}.{table} SET id = 1",
    "DROP TABLE lake.{schema}.{table}",
    "ALTER TABLE lake.{schema}.{table} ADD COLUMN x INT",
    "SHOW TABLES IN lake.{schema}",
    "CREATE TABLE lake.{schema}.{table} (a INT)",
    "SELECT * FROM lake.{schema}.{table} VERSION AS OF 1",
    "SHOW COLUMNS IN lake.{schema}.{table}",
    "TRUNCATE TABLE lake.{schema}.{table}",
)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_denied_looks_exactly_like_what_is_missing(server: RunningServer, tables: Json, form: str) -> None:
    with server.connected("bob") as connection:
        denied = refusal(connection, form.format(schema="alice", table=TABLE))
        missing = refusal(connection, form.format(schema="noone", table=TABLE))
    assert denied == missing.replace("noone", "alice")


def test_a_catalog_that_gives_a_user_no_token_is_none(server: RunningServer) -> None:
    """Keycloak gives no user a token for the audience `report`."""
    with server.connected("alice") as connection:
        assert rows(connection, "SHOW CATALOGS") == [("lake",), ("nessie",)]
        denied = refusal(connection, "SELECT * FROM elsewhere.a.b")
        missing = refusal(connection, "SELECT * FROM elsewhen.a.b")
    assert denied == missing.replace("elsewhen", "elsewhere")


def test_the_catalog_hears_each_user_and_nobody_else(server: RunningServer, tables: Json, services: Addresses) -> None:
    server.query("alice", f"SELECT * FROM lake.alice.{TABLE}")
    server.query("bob", f"SELECT * FROM lake.bob.{TABLE}")
    asked = log_lines(services["gateway"]["audit"])[tables["gateway"] :]
    for user in ("alice", "bob"):
        loads = [line for line in asked if line["path"].endswith(f"/namespaces/{user}/tables/{TABLE}") and line["vended"]]
        assert loads
        assert {line["name"] for line in loads} == {user}


def test_the_store_sees_keys_of_each_user_and_no_others(server: RunningServer, tables: Json, services: Addresses) -> None:
    """The catalogs themselves come to the store as root; the engine never does."""
    for user in ("alice", "bob"):
        assert server.query(user, f"SELECT count(*) FROM lake.{user}.{TABLE}") == [(10,)]
    requests = log_lines(services["storelog"]["requests"])[tables["store"] :]
    ours = [line for line in requests if "Apache Iceberg 1.12" in line["user_agent"]]
    for user in ("alice", "bob"):
        mine = [line for line in ours if line["key"].startswith(f"{user}/{TABLE}") and line["status"] < 300]
        assert mine
        assert {line["requester_arn"].rpartition("/")[2] for line in mine} == {user}
    assert not [line for line in ours if line["requester_arn"].endswith("/root") or line["signature_version"] == "Anonymous"]


def test_the_users_own_token_is_what_the_catalog_gets(server: RunningServer, services: Addresses, login: Login) -> None:
    token = login.password("carol")
    before = len(log_lines(services["gateway"]["audit"]))
    with server.connected(token=token) as connection:
        rows(connection, "SHOW SCHEMAS IN lake")
        assert rows(connection, "SELECT current_user()") == [("carol",)]
    asked = [line for line in log_lines(services["gateway"]["audit"])[before:] if line["name"] == "carol"]
    assert {line["authorization"] for line in asked} == {hashlib.sha256(f"Bearer {token}".encode()).hexdigest()}
