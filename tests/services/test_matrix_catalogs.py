"""The scoreboard's cells on catalogs: tables of both versions, written through each catalog, read by PyIceberg from its files."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator

import pytest
from catalog_capabilities import Desk
from clients import Addresses, Login
from every_catalog import config
from pyiceberg.table import StaticTable

from dev.services.stack import Stack
from sqe.config import Settings, load
from sqe.config.values import Secret
from sqe.engine.driver import Driver
from sqe.identity import Identity
from sqe.identity.catalogs import catalog_identities
from sqe.identity.login import Login as SessionLogin
from sqe.identity.login import Tokens
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions

pytestmark = pytest.mark.long  # every catalog that there is


@pytest.fixture(scope="module")
def services(stack: Stack) -> Addresses:
    return stack.up(["catalogs"])


@pytest.fixture(scope="module")
def session(driver: Driver, services: Addresses, login: Login, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """Carol's, who may do everything where a catalog asks who it is."""
    folder = tmp_path_factory.mktemp("matrix")
    (folder / "sqe.toml").write_text(config(services, folder))
    settings: Settings = load(folder / "sqe.toml", {})
    sessions = Sessions(driver, settings.catalog_options(), "lite", identities=catalog_identities(settings))
    yield sessions.open(SessionLogin(Identity("carol"), Tokens(Secret(login.password("carol")))))
    sessions.close_all()


@pytest.fixture
def desk(handler: QueryHandler, session: Session) -> Iterator[Callable[[str], Desk]]:
    made: list[Desk] = []

    def of(catalog: str) -> Desk:
        # In Nessie, people have a schema of their own name and no other.
        schema = "carol" if catalog == "nessie" else f"matrix_{secrets.token_hex(4)}"
        desk = Desk(handler, session, catalog, schema, lambda: session)
        desk.sql("CREATE SCHEMA IF NOT EXISTS {s}")
        made.append(desk)
        return desk

    yield of
    for desk in made:
        desk.sql("DROP TABLE IF EXISTS {s}.stock")
        desk.sql("DROP SCHEMA {s}")


def other_reader(services: Addresses, metadata: str) -> StaticTable:
    store = services["seaweedfs"]
    keys = {
        "s3.endpoint": store["s3"],
        "s3.region": store["region"],
        "s3.access-key-id": store["access_key"],
        "s3.secret-access-key": store["secret_key"],
        "s3.path-style-access": "true",
    }
    return StaticTable.from_metadata(metadata.replace("file:///", "file:/").replace("file:/", "file:///"), keys)


def lives(desk: Desk, services: Addresses, version: int, made: int) -> None:
    desk.sql(
        "CREATE TABLE {s}.stock (id BIGINT, name STRING, day DATE) PARTITIONED BY (days(day)) "
        f"TBLPROPERTIES ('format-version' = '{version}', 'write.delete.mode' = 'merge-on-read')"
    )
    desk.sql("INSERT INTO {s}.stock SELECT id, 'x', DATE '2026-01-01' FROM range(0, 10, 1, 1)")
    desk.sql("ALTER TABLE {s}.stock ADD COLUMN n INT")
    desk.sql("DELETE FROM {s}.stock WHERE id = 3")
    desk.sql("UPDATE {s}.stock SET n = 1 WHERE id = 4")
    desk.sql(
        "MERGE INTO {s}.stock t USING (SELECT 5L AS id UNION ALL SELECT 50L) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET name = 'merged' WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 7)"
    )
    ours = desk.sql("SELECT id, name, n FROM {s}.stock ORDER BY id")
    assert (len(ours), ours[3], ours[4], ours[-1]) == (10, (4, "x", 1), (5, "merged", None), (50, None, 7))
    [(metadata,)] = desk.sql("SELECT file FROM {s}.stock.metadata_log_entries ORDER BY timestamp DESC LIMIT 1")
    theirs = other_reader(services, str(metadata))
    assert theirs.format_version == made
    read = theirs.scan(selected_fields=("id", "name", "n")).to_arrow()
    assert sorted(tuple(row.values()) for row in read.to_pylist()) == ours
    if made == 3:
        assert len(set(desk.sql("SELECT _row_id FROM {s}.stock"))) == 10


# The column of the scoreboard, and the catalog's name in SQL.
CATALOGS = {
    "hive-metastore": "hive",
    "aws-glue-catalog": "glue",
    "rest-catalog": "fixture",
    "nessie": "nessie",
    "polaris": "polaris",
    "unity-catalog": "unity",
    "snowflake-horizon-catalog": "horizon",
    "hadoop-catalog": "folders",
    "jdbc-catalog": "postgres",
}

# Nessie 0.99.0 takes no notice of the version that is asked for.
MADE = {("nessie", 3): 2}


@pytest.mark.parametrize("version", [2, 3], ids=["v2", "v3"])
@pytest.mark.parametrize("catalog", CATALOGS)
def test_a_table_lives_in_the_catalog(services: Addresses, desk: Callable[[str], Desk], catalog: str, version: int) -> None:
    lives(desk(CATALOGS[catalog]), services, version, MADE.get((catalog, version), version))


@pytest.mark.parametrize("version", [2, 3], ids=["v2", "v3"])
def test_tables_of_several_catalogs_in_one_statement(desk: Callable[[str], Desk], version: int) -> None:
    first, second, third = desk("fixture"), desk("hive"), desk("folders")
    for each, rows in ((first, 10), (second, 5)):
        each.sql(f"CREATE TABLE {{s}}.stock TBLPROPERTIES ('format-version' = '{version}') AS SELECT id FROM range({rows})")
    third.sql(
        f"CREATE TABLE {{s}}.stock TBLPROPERTIES ('format-version' = '{version}') AS "
        f"SELECT a.id FROM {first.place}.stock a JOIN {second.place}.stock b USING (id)"
    )
    assert third.sql("SELECT count(*), sum(id) FROM {s}.stock") == [(5, 10)]
