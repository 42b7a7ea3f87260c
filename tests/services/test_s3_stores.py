"""S3 is a protocol that each store speaks in its own way: the same on SeaweedFS and on MinIO, with keys of the file, of a secret
and of a catalog that vends them."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from clients import Addresses, Login
from waiting import eventually

from dev.services import process
from dev.services.fixture import Fixture
from dev.services.gateway.service import GatewayService
from dev.services.s3 import Keys, client
from dev.services.service import Address, Place, Service
from dev.services.stack import Stack
from sqe import errors
from sqe.attached import Attachments
from sqe.config import load
from sqe.config.values import Secret
from sqe.engine.driver import Driver
from sqe.engine.files import FileRights
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.identity.catalogs import catalog_identities
from sqe.identity.login import Login as SessionLogin
from sqe.identity.login import Tokens
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions

pytestmark = pytest.mark.long  # MinIO is built, once, which takes ten minutes

Rows = list[dict[str, object]]
Sql = Callable[[str], Rows]

STORES = ("seaweedfs", "minio")
OWNER = Identity("owner", roles=frozenset({"admin"}))


@pytest.fixture(scope="module", params=STORES)
def store(request: pytest.FixtureRequest, stack: Stack) -> Address:
    name: str = request.param
    return stack.up([name])[name]


@pytest.fixture
def place(store: Address) -> str:
    """A folder of the bucket that nobody else uses."""
    return f"s3://{store['bucket']}/stores_{secrets.token_hex(4)}"


def bucket(store: Address) -> Any:
    return client("s3", store["s3"], Keys(store["access_key"], store["secret_key"]))


def names(store: Address, place: str) -> list[str]:
    prefix = place.split("/", 3)[3] + "/"
    return [each["Key"] for each in bucket(store).list_objects_v2(Bucket=store["bucket"], Prefix=prefix).get("Contents", ())]


def runs(handler: QueryHandler, session: Session) -> Sql:
    def run(text: str) -> Rows:
        with handler.submit(session, text, door="test") as query:
            return list(query.read_all().to_pylist())

    return run


def storage(store: Address, keys: bool = True) -> str:
    text = f'[storage]\ns3_endpoint = "{store["s3"]}"\ns3_region = "{store["region"]}"\ns3_path_style = true\n'
    return text + (f's3_access_key = "{store["access_key"]}"\ns3_secret_key = "{store["secret_key"]}"\n' if keys else "")


def test_a_warehouse_with_the_keys_of_the_file(
    driver: Driver, handler: QueryHandler, store: Address, place: str, tmp_path: Path
) -> None:
    catalog = f'[catalog]\nname = "far"\ntype = "jdbc"\nuri = "jdbc:sqlite:{tmp_path}/names.db"\nwarehouse = "{place}"\n'
    (tmp_path / "sqe.toml").write_text(catalog + storage(store))
    sessions = Sessions(driver, load(tmp_path / "sqe.toml", {}).catalog_options(), "far")
    run = runs(handler, sessions.open(Identity("ann")))
    try:
        run("CREATE SCHEMA far.s")
        run("CREATE TABLE far.s.t (id BIGINT, name STRING) USING iceberg PARTITIONED BY (bucket(2, id), name)")
        run("INSERT INTO far.s.t SELECT id, element_at(array('a/b c', '50%25+ü'), CAST(id % 2 + 1 AS INT)) FROM range(100)")
        [first] = run("SELECT snapshot_id FROM far.s.t.snapshots")
        run("MERGE INTO far.s.t USING (SELECT 5 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE")
        run("INSERT INTO far.s.t VALUES (1000, 'last')")
        assert run("SELECT count(*) AS n, max(id) AS m FROM far.s.t") == [{"n": 100, "m": 1000}]
        assert run("SELECT count(*) AS n FROM far.s.t WHERE name = '50%25+ü'") == [{"n": 49}]
        before = f"SELECT max(id) AS m FROM far.s.t FOR VERSION AS OF {first['snapshot_id']}"
        assert run(before) == [{"m": 99}]
        # More than one part of an upload (32 MB each).
        run("CREATE TABLE far.s.wide AS SELECT id, rand(7) AS a, rand(8) AS b FROM range(0, 3000000, 1, 1)")
        assert run("SELECT max(file_size_in_bytes) > 33554432 AS big FROM far.s.wide.files") == [{"big": True}]
        assert run("SELECT count(*) AS n, count(DISTINCT id) AS d FROM far.s.wide") == [{"n": 3000000, "d": 3000000}]
        for table in ("t", "wide"):
            run(f"DROP TABLE far.s.{table} PURGE")
        assert [name for name in names(store, place) if name.endswith(".parquet")] == []
    finally:
        sessions.close_all()


@pytest.fixture
def owner(driver: Driver, handler: QueryHandler, tmp_path: Path) -> Iterator[Sql]:
    """Embedded, where one attaches catalogs and makes secrets."""
    attachments = Attachments(tmp_path / "w", tmp_path / "secrets.key")
    lake = {"lake": {"type": "sqlite", "path": str(tmp_path / "w")}}
    sessions = Sessions(driver, lake, "lake", files=FileRights(own=True), attachments=lambda _: attachments)
    yield runs(handler, sessions.open(OWNER))
    sessions.close_all()


def test_a_secret_opens_files_and_a_catalog_and_a_wrong_one_none(owner: Sql, store: Address, place: str, tmp_path: Path) -> None:
    def secret(key: str, endpoint: str = store["s3"]) -> str:
        return (
            f"CREATE OR REPLACE SECRET store (TYPE aws, KEY_ID '{store['access_key']}', SECRET '{key}', "
            f"REGION '{store['region']}', ENDPOINT '{endpoint}', PATH_STYLE 'true')"
        )

    owner(secret(store["secret_key"]))
    owner(f"ATTACH 'jdbc:sqlite:{tmp_path}/names.db' AS far (TYPE jdbc, WAREHOUSE '{place}', SECRET store)")
    owner("CREATE SCHEMA far.s")
    owner("CREATE TABLE far.s.t AS SELECT id FROM range(5)")
    folder = place.split("/", 3)[3]
    for name in ("a.csv", "b c+d.csv"):
        bucket(store).put_object(Bucket=store["bucket"], Key=f"{folder}/in/{name}", Body=b"id,name\n1,one\n")
    assert owner(f"SELECT count(*) AS n FROM '{place}/s/t/data/*.parquet'") == [{"n": 5}]
    assert owner(f"SELECT name FROM '{place}/in/*.csv'") == [{"name": "one"}] * 2
    with pytest.raises(SqeError, match="NOT_FOUND: "):
        owner(f"SELECT * FROM '{place}/in/none.parquet'")
    before = names(store, place)
    wrong = secrets.token_urlsafe(30)
    owner(secret(wrong))
    for statement in (
        f"SELECT * FROM '{place}/in/a.csv'",
        f"SELECT * FROM '{place}/in/*.csv'",
        "SELECT * FROM far.s.t",
        "CREATE TABLE far.s.u AS SELECT 1 AS id",
    ):
        began = time.monotonic()
        with pytest.raises(SqeError) as refused:
            owner(statement)
        assert refused.value.code is errors.PERMISSION_DENIED, (statement, refused.value)
        assert wrong not in str(refused.value)
        assert time.monotonic() - began < 30, statement
    assert names(store, place) == before
    owner(secret(store["secret_key"], "http://127.0.0.1:1"))  # where nobody listens
    began = time.monotonic()
    with pytest.raises(SqeError, match=r"ICEBERG_FILESYSTEM_ERROR: The object store cannot be reached"):
        owner("SELECT * FROM far.s.t")
    assert time.monotonic() - began < 60
    owner(secret(store["secret_key"]))
    owner("DROP TABLE far.s.t PURGE")


@contextmanager
def running(service: Service, folder: Path, peers: Addresses) -> Iterator[Address]:
    """A service beside the stack's, with another store behind it."""
    folder.mkdir()
    place = Place(folder, process.free_ports(service.ports), peers)
    started = process.start(service.launch(place), folder)
    try:
        eventually(lambda: service.ready(service.address(place)), service.start_seconds)
        yield service.address(place)
    finally:
        process.stop(started, service.stop_seconds)


def test_keys_that_a_catalog_vends_for_minio(
    driver: Driver, handler: QueryHandler, stack: Stack, login: Login, tmp_path: Path
) -> None:
    """On SeaweedFS: test_lake.py and test_end_to_end.py."""
    services = stack.up(["keycloak", "minio"])
    peers = {"keycloak": services["keycloak"], "seaweedfs": services["minio"]}
    Fixture().prepare(lambda _: None)
    with ExitStack() as opened:
        fixture = opened.enter_context(running(Fixture(), tmp_path / "fixture", peers))
        gateway = opened.enter_context(running(GatewayService(), tmp_path / "gateway", peers | {"fixture": fixture}))
        catalog = f'[catalog]\nname = "far"\ntype = "rest"\nuri = "{gateway["iceberg"]}"\nwarehouse = "lake"\n'
        (tmp_path / "sqe.toml").write_text(catalog + 'auth = "session_bearer"\n' + storage(services["minio"], keys=False))
        settings = load(tmp_path / "sqe.toml", {})
        sessions = Sessions(driver, settings.catalog_options(), "far", identities=catalog_identities(settings))
        opened.callback(sessions.close_all)
        tokens = {name: Tokens(Secret(login.password(name))) for name in ("alice", "bob")}
        alice, bob = (runs(handler, sessions.open(SessionLogin(Identity(name), own))) for name, own in tokens.items())
        alice("CREATE SCHEMA IF NOT EXISTS far.alice")
        alice("CREATE TABLE far.alice.t AS SELECT id FROM range(7)")
        alice("DELETE FROM far.alice.t WHERE id = 3")
        assert alice("SELECT count(*) AS n FROM far.alice.t") == [{"n": 6}]
        with pytest.raises(SqeError, match=r"(TABLE|SCHEMA)_NOT_FOUND"):
            bob("SELECT * FROM far.alice.t")
        requests = [json.loads(line) for line in Path(gateway["audit"]).read_text().splitlines()]
        assert any(each["vended"] for each in requests)
        alice("DROP TABLE far.alice.t PURGE")
