"""`[storage] s3_identity` on a store that checks keys, and on an STS that gives them for a token."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from every_catalog import stores_own_catalog

from dev.services.s3 import Keys, client
from dev.services.service import Address
from dev.services.stack import Stack
from sqe import errors
from sqe.attached import Attachments
from sqe.config import load
from sqe.engine.catalogs import spark_settings
from sqe.engine.driver import Driver
from sqe.engine.files import FileRights
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.identity.catalogs import catalog_identities
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

Rows = list[dict[str, object]]
Sql = Callable[[str], Rows]
Opened = Callable[[str, str], Sql]

PROVIDER = "spark.sql.catalog.far.client.credentials-provider"
ROLE = "arn:aws:iam::123456789012:role/lake"


@pytest.fixture(scope="module")
def store(stack: Stack) -> Address:
    return stack.up(["seaweedfs"])["seaweedfs"]


@pytest.fixture
def warehouse(store: Address) -> str:
    return f"s3://{store['bucket']}/identity_{secrets.token_hex(4)}"


@pytest.fixture
def opened(driver: Driver, handler: QueryHandler, tmp_path: Path) -> Iterator[Opened]:
    """A session with the catalog `far` and the keys of `[storage]` that are given."""
    all_sessions: list[Sessions] = []

    def open_with(catalog: str, storage: str) -> Sql:
        (tmp_path / "sqe.toml").write_text(f'[catalog]\nname = "far"\n{catalog}\n[storage]\ns3_path_style = true\n{storage}\n')
        settings = load(tmp_path / "sqe.toml", {})
        rights = FileRights(prefixes={"*": ["s3://"]}, storage=settings.storage.options())
        all_sessions.append(
            Sessions(driver, settings.catalog_options(), "far", files=rights, identities=catalog_identities(settings))
        )
        session = all_sessions[-1].open(Identity("ann"))

        def run(text: str) -> Rows:
            with handler.submit(session, text, door="test") as query:
                return list(query.read_all().to_pylist())

        return run

    yield open_with
    for sessions in all_sessions:
        sessions.close_all()


def jdbc(tmp_path: Path, warehouse: str) -> str:
    return f'type = "jdbc"\nuri = "jdbc:sqlite:{tmp_path}/names.db"\nwarehouse = "{warehouse}"'


def at(store: Address, more: str) -> str:
    return f's3_endpoint = "{store["s3"]}"\ns3_region = "{store["region"]}"\n{more}'


def writes_and_reads(sql: Sql, warehouse: str) -> None:
    sql("CREATE SCHEMA far.s")
    sql("CREATE TABLE far.s.t AS SELECT id FROM range(5)")
    assert sql("SELECT count(*) AS n FROM far.s.t") == [{"n": 5}]
    assert sql(f"SELECT count(*) AS n FROM '{warehouse}/s/t/data/*.parquet'") == [{"n": 5}]


def test_keys_of_the_environment_open_the_store_and_wrong_ones_do_not(
    opened: Opened, store: Address, warehouse: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", store["access_key"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", store["secret_key"])
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    catalog, storage = jdbc(tmp_path, warehouse), at(store, 's3_identity = "environment"')
    writes_and_reads(opened(catalog, storage), warehouse)
    wrong = secrets.token_urlsafe(30)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", wrong)
    sql = opened(catalog, storage)
    for statement in ("SELECT * FROM far.s.t", f"SELECT * FROM '{warehouse}/s/t/data/*.parquet'"):
        with pytest.raises(SqeError) as refused:
            sql(statement)
        assert refused.value.code == errors.PERMISSION_DENIED
        assert wrong not in str(refused.value)
    # Of the same machine, where the file does not say so.
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", store["secret_key"])
    with pytest.raises(SqeError):
        opened(catalog, at(store, ""))(f"SELECT * FROM '{warehouse}/s/t/data/*.parquet'")


def profile(file: Path, name: str, key: str, secret: str) -> None:
    file.write_text(f"[{name}]\naws_access_key_id = {key}\naws_secret_access_key = {secret}\n")


def test_a_profile_opens_the_store_and_no_other_is_tried(
    opened: Opened, store: Address, warehouse: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "credentials"
    profile(file, "lake", store["access_key"], store["secret_key"])
    catalog = jdbc(tmp_path, warehouse)
    chosen = f's3_identity = "profile"\ns3_profile_file = "{file}"\n'
    writes_and_reads(opened(catalog, at(store, chosen + 's3_profile = "lake"')), warehouse)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", store["access_key"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", store["secret_key"])
    with pytest.raises(SqeError) as refused:
        opened(catalog, at(store, chosen + 's3_profile = "other"'))("SELECT * FROM far.s.t")
    assert refused.value.code == errors.CONFIGURATION_INVALID
    assert str(file) not in str(refused.value)


def test_a_token_is_exchanged_for_the_keys_of_a_role(opened: Opened, stack: Stack, tmp_path: Path) -> None:
    aws = stack.up(["moto"])["moto"]
    lake = f"identity-{secrets.token_hex(4)}"
    client("s3", aws["aws"], Keys("any", "any")).create_bucket(Bucket=lake)
    token = tmp_path / "token"
    token.write_text("header.claims.signature")
    catalog = f'type = "glue"\nuri = "{aws["aws"]}"\nregion = "{aws["region"]}"\nwarehouse = "s3://{lake}"'
    chosen = f's3_endpoint = "{aws["aws"]}"\ns3_identity = "web_identity"\ns3_role_arn = "{ROLE}"\ns3_token_file = "{token}"\n'
    sql = opened(catalog, chosen + f's3_sts_endpoint = "{aws["aws"]}"')
    schema = f"far.s_{secrets.token_hex(4)}"
    sql(f"CREATE SCHEMA {schema}")
    sql(f"CREATE TABLE {schema}.t AS SELECT id FROM range(3)")
    assert sql(f"SELECT count(*) AS n FROM {schema}.t") == [{"n": 3}]
    # A token service that is not there: there are no keys, and no other identity.
    sql = opened(catalog, chosen + 's3_sts_endpoint = "http://127.0.0.1:9"')
    with pytest.raises(SqeError) as refused:
        sql(f"SELECT count(*) AS n FROM {schema}.t")
    assert refused.value.code == errors.CONFIGURATION_INVALID
    assert "signature" not in str(refused.value)


def test_keys_that_a_catalog_vends_come_before_the_servers_own(
    opened: Opened, store: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "worthless")
    sql, schema = opened(stores_own_catalog(store), at(store, 's3_identity = "environment"')), f"far.s_{secrets.token_hex(4)}"
    sql(f"CREATE SCHEMA {schema}")
    sql(f"CREATE TABLE {schema}.t AS SELECT id FROM range(4)")
    assert sql(f"SELECT count(*) AS n FROM {schema}.t") == [{"n": 4}]
    sql(f"DROP TABLE {schema}.t")
    sql(f"DROP SCHEMA {schema}")


def test_the_keys_of_a_secret_come_before_the_servers_own(
    driver: Driver, handler: QueryHandler, store: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "worthless")
    file = f"identity_{secrets.token_hex(4)}.csv"
    keys = Keys(store["access_key"], store["secret_key"])
    client("s3", store["s3"], keys).put_object(Bucket=store["bucket"], Key=file, Body=b"id\n1\n")
    attachments = Attachments(tmp_path / "w", tmp_path / "secrets.key")
    options = {"s3_identity": "environment", "s3_endpoint": store["s3"], "s3_region": store["region"], "s3_path_style": "true"}
    rights, lake = FileRights(own=True, storage=options), {"lake": {"type": "sqlite", "path": str(tmp_path / "w")}}
    sessions = Sessions(driver, lake, "lake", files=rights, attachments=lambda _: attachments)
    session = sessions.open(Identity("owner", roles=frozenset({"admin"})))

    def run(text: str) -> Rows:
        with handler.submit(session, text, door="test") as query:
            return list(query.read_all().to_pylist())

    try:
        with pytest.raises(SqeError, match="PERMISSION_DENIED"):
            run(f"SELECT * FROM 's3://{store['bucket']}/{file}'")
        run(f"CREATE SECRET own (TYPE aws, KEY_ID '{keys.access_key}', SECRET '{keys.secret_key}')")
        assert run(f"SELECT * FROM 's3://{store['bucket']}/{file}'") == [{"id": 1}]
    finally:
        sessions.close_all()


def test_settings_that_the_server_did_not_make_are_refused(
    opened: Opened, driver: Driver, handler: QueryHandler, store: Address, warehouse: str, tmp_path: Path
) -> None:
    """A REST catalog may say what its tables are opened with: never with a file of this machine."""
    mine, theirs = tmp_path / "credentials", tmp_path / "other"
    for file in (mine, theirs):
        profile(file, "default", store["access_key"], store["secret_key"])
    storage = at(store, f's3_identity = "profile"\ns3_profile_file = "{mine}"')
    writes_and_reads(opened(jdbc(tmp_path, warehouse), storage), warehouse)
    catalogs = load(tmp_path / "sqe.toml", {}).catalog_options()
    sessions = Sessions(driver, catalogs, "far")
    session = sessions.open(Identity("ann"))
    try:
        settings = spark_settings("far", catalogs["far"], session.id) | {f"{PROVIDER}.file": str(theirs)}
        driver.call("configureSession", session.in_engine(), json.dumps(settings))
        with pytest.raises(SqeError) as refused, handler.submit(session, "SELECT * FROM far.s.t", door="test") as query:
            query.read_all()
        assert refused.value.code == errors.CONFIGURATION_INVALID
        with pytest.raises(SqeError), handler.submit(session, "SET spark.sqe.identity.secret", door="test") as query:
            query.read_all()
    finally:
        sessions.close_all()
