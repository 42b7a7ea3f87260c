"""Tables and files in Azure Data Lake Storage Gen2, on a store that checks who signed what."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.attached import Attachments
from sqe.engine.driver import Driver
from sqe.engine.files import FileRights
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.session import Session, Sessions
from tests.embedded.azure_store import Account, azure_account

OWNER = Identity("owner", roles=frozenset({"admin"}))
OTHER_KEY = base64.b64encode(b"the key of somebody else").decode()

Run = Callable[[str], list[dict[str, object]]]


@pytest.fixture
def account() -> Iterator[Account]:
    with azure_account(Account()) as account:
        yield account
    assert not account.unknown


@pytest.fixture
def sessions(driver: Driver, tmp_path: Path) -> Iterator[Sessions]:
    attachments = Attachments(tmp_path / "w", tmp_path / "secrets.key")
    own = {"lake": {"type": "sqlite", "path": str(tmp_path / "w")}}
    sessions = Sessions(driver, own, "lake", files=FileRights(own=True), attachments=lambda _: attachments)
    yield sessions
    sessions.close_all()


def runs(handler: QueryHandler, session: Session) -> Run:
    def run(text: str) -> list[dict[str, object]]:
        with handler.submit(session, text, door="test") as query:
            table: pa.Table = query.read_all()
        return list(table.to_pylist())

    return run


@pytest.fixture
def run(handler: QueryHandler, sessions: Sessions) -> Run:
    return runs(handler, sessions.open(OWNER))


def secret(account: Account, key: str = "") -> str:
    return (
        f"CREATE OR REPLACE SECRET a (TYPE azure, ACCOUNT_NAME '{account.name}', ACCOUNT_KEY '{key or account.key}', "
        f"ENDPOINT '{account.address}')"
    )


def attach(account: Account, folder: Path, name: str = "far") -> str:
    return (
        f"ATTACH 'jdbc:sqlite:{folder}/meta.db' AS {name} "
        f"(TYPE jdbc, WAREHOUSE 'abfss://lake@{account.host}/w', SECRET a, STORED_NAME 'far')"
    )


def test_a_warehouse_in_azure(run: Run, account: Account, tmp_path: Path) -> None:
    run(secret(account))
    run(attach(account, tmp_path))
    run("CREATE SCHEMA far.s")
    run("CREATE TABLE far.s.t AS SELECT id, 'name ' || id AS name FROM range(100)")
    [first] = run("SELECT snapshot_id FROM far.s.t.snapshots")
    run("MERGE INTO far.s.t USING (SELECT 5 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE")
    run("INSERT INTO far.s.t VALUES (1000, 'last')")
    assert run("SELECT count(*) AS n, max(id) AS m FROM far.s.t") == [{"n": 100, "m": 1000}]
    assert run(f"SELECT count(*) AS n, max(id) AS m FROM far.s.t FOR VERSION AS OF {first['snapshot_id']}") == [{"n": 100, "m": 99}]
    run("CREATE TABLE far.s.parts (name STRING, id INT) USING iceberg PARTITIONED BY (name)")
    run("INSERT INTO far.s.parts VALUES ('a/b c', 1), ('50%25+ü', 2)")
    assert run("SELECT id FROM far.s.parts WHERE name = '50%25+ü'") == [{"id": 2}]
    data = account.names(".parquet")
    assert data
    assert all(name.startswith("lake/w/s/") for name in data)
    account.put("lake/w/s/parts/data/left.parquet", b"nobody's")
    removed = run("CALL far.system.remove_orphan_files(table => 's.parts', prefix_listing => true)")
    assert [str(row["orphan_file_location"]).rsplit("/", 1)[1] for row in removed] == ["left.parquet"]
    assert account.names(".parquet") == data
    assert run("SELECT count(*) AS n FROM far.s.parts") == [{"n": 2}]
    run("DROP TABLE far.s.t PURGE")
    run("DROP TABLE far.s.parts PURGE")
    assert not account.names(".parquet")
    assert not account.refused
    for text in ("SHOW SECRETS", "SHOW SESSION", "SHOW CATALOGS"):
        assert account.key not in repr(run(text))
