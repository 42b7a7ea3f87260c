"""Tables and files in Azure Data Lake Storage Gen2, on a store that checks who signed what."""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe import errors
from sqe.engine.driver import Driver
from sqe.engine.files import FileRights
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions
from tests.embedded.azure_store import Account, azure_account
from tests.own_sessions import OWNER, own_sessions

OTHER_KEY = base64.b64encode(b"the key of somebody else").decode()

Run = Callable[[str], list[dict[str, object]]]


@pytest.fixture
def account() -> Iterator[Account]:
    with azure_account(Account()) as account:
        yield account
    assert not account.unknown


@pytest.fixture
def sessions(driver: Driver, tmp_path: Path) -> Iterator[Sessions]:
    sessions = own_sessions(driver, tmp_path)
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
    assert run(f"SELECT count(*) AS n, max(id) AS m FROM far.s.t FOR VERSION AS OF {first['snapshot_id']}") == [
        {"n": 100, "m": 99}
    ]
    run("CREATE TABLE far.s.parts (name STRING, id INT) USING iceberg PARTITIONED BY (name)")
    run("INSERT INTO far.s.parts VALUES ('a/b c', 1), ('50%25+ü', 2)")
    assert run("SELECT id FROM far.s.parts WHERE name = '50%25+ü'") == [{"id": 2}]
    data = account.names(".parquet")
    assert data
    assert all(name.startswith("lake/w/s/") for name in data)
    run("DROP TABLE far.s.t PURGE")
    run("DROP TABLE far.s.parts PURGE")
    assert not account.names(".parquet")
    assert not account.refused
    for text in ("SHOW SECRETS", "SHOW SESSION", "SHOW CATALOGS"):
        assert account.key not in repr(run(text))


@pytest.mark.long
def test_of_files_with_odd_names_only_orphans_are_removed(run: Run, account: Account, tmp_path: Path) -> None:
    """What the store lists has to be spelled as the table spells it: else live files would go."""
    run(secret(account))
    run(attach(account, tmp_path))
    run("CREATE SCHEMA far.s")
    run("CREATE TABLE far.s.parts (name STRING, id INT) USING iceberg PARTITIONED BY (name)")
    run("INSERT INTO far.s.parts VALUES ('a/b c', 1), ('50%25+ü', 2)")
    data = account.names(".parquet")
    account.put("lake/w/s/parts/data/left.parquet", b"nobody's")
    removed = run("CALL far.system.remove_orphan_files(table => 's.parts', prefix_listing => true)")
    assert [str(row["orphan_file_location"]).rsplit("/", 1)[1] for row in removed] == ["left.parquet"]
    assert account.names(".parquet") == data
    assert run("SELECT count(*) AS n FROM far.s.parts") == [{"n": 2}]


def parquet(rows: list[int]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"id": rows}), sink)
    return bytes(sink.getvalue())


def fill(account: Account) -> str:
    """Some files in it, and where they lie."""
    for day, rows in enumerate(([1, 2], [3], [4, 5, 6]), 1):
        account.put(f"lake/in/day={day}/part.parquet", parquet(rows))
    account.put("lake/in/a.csv", b"id,name\n1,one\n2,two\n")
    account.put("lake/in/b c+d%25.csv", b"id,name\n3,three\n")
    account.put("lake/out/secret.csv", b"id,name\n9,nobody\n")
    return f"abfss://lake@{account.host}"


def test_files_in_azure_are_tables(run: Run, account: Account) -> None:
    root = fill(account)
    run(secret(account))
    assert run(f"SELECT count(*) AS n, sum(id) AS s FROM '{root}/in/day=*/*.parquet'") == [{"n": 6, "s": 21}]
    assert run(f"SELECT sum(id) AS s FROM '{root}/in/day=2/part.parquet'") == [{"s": 3}]
    assert run(f"SELECT id, name FROM '{root}/in/*.csv' ORDER BY id")[2] == {"id": 3, "name": "three"}
    assert run(f"SELECT name FROM read_csv('{root}/in/a.csv') WHERE id = 2") == [{"name": "two"}]
    for missing in ("in/none.parquet", "none/*.parquet", "none/x/y.csv"):
        with pytest.raises(SqeError, match=r"NOT_FOUND: "):
            run(f"SELECT * FROM '{root}/{missing}'")
    assert not account.refused


def test_a_wrong_key_is_refused_and_nothing_of_it_is_told(run: Run, account: Account, tmp_path: Path) -> None:
    root = fill(account)
    run(secret(account))
    run(attach(account, tmp_path))
    run("CREATE SCHEMA far.s")
    run("CREATE TABLE far.s.t AS SELECT 1 AS id")
    before = account.names()
    run(secret(account, OTHER_KEY))
    for statement in (
        f"SELECT * FROM '{root}/in/a.csv'",
        f"SELECT * FROM '{root}/in/*.csv'",
        f"SELECT * FROM '{root}/none.parquet'",
        "SELECT * FROM far.s.t",
        "INSERT INTO far.s.t VALUES (2)",
        "CREATE TABLE far.s.u AS SELECT 1 AS id",
    ):
        refused = account.refused
        with pytest.raises(SqeError) as caught:
            run(statement)
        assert account.refused > refused, statement
        assert caught.value.code is errors.PERMISSION_DENIED, (statement, caught.value)
        assert not re.search(r"Exception|com\.azure|SharedKey|MAC|signature|Status code|<\?xml", str(caught.value)), caught.value
        assert account.key not in str(caught.value)
        assert OTHER_KEY not in str(caught.value)
    assert account.names() == before
    run(secret(account))
    assert run("SELECT * FROM far.s.t") == [{"id": 1}]


def test_what_an_account_signs_is_for_that_account(run: Run, account: Account, tmp_path: Path) -> None:
    """Iceberg signs for whatever host a path names; one who reads that could show it to the account."""
    run(secret(account))
    run(attach(account, tmp_path))
    run("CREATE SCHEMA far.s")
    asked = len(account.asked)
    port = account.address.split(":")[2].split("/")[0]
    for place in (
        "lake@other.dfs.core.windows.net",
        "lake@dfs.core.windows.net",
        f"lake@127.0.0.1:{port}0",
        "lake@acme.evil.example",
        "acme.dfs.core.windows.net.evil",
    ):
        for statement in (
            f"SELECT * FROM 'abfss://{place}/a.csv'",
            f"CREATE TABLE far.s.t LOCATION 'abfss://{place}/t' AS SELECT 1 AS id",
        ):
            with pytest.raises(SqeError, match="PERMISSION_DENIED: The key of the storage account acme is not for"):
                run(statement)
    assert len(account.asked) == asked


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ("ACCOUNT_NAME 'acme', ACCOUNT_KEY 'tell-nobody'", "not the key of a storage account"),
        ("ACCOUNT_NAME 'evil.example/', ACCOUNT_KEY 'a2V5'", "small letters and digits"),
    ],
)
def test_a_secret_that_no_account_has_is_refused(run: Run, values: str, words: str) -> None:
    with pytest.raises(SqeError, match=words) as caught:
        run(f"CREATE SECRET a (TYPE azure, {values})")
    assert "tell-nobody" not in str(caught.value)


def test_on_a_server_files_in_azure_are_closed_unless_opened(
    driver: Driver, handler: QueryHandler, account: Account, tmp_path: Path
) -> None:
    root = fill(account)
    storage = {"adls_account": account.name, "adls_account_key": account.key, "adls_endpoint": account.address}
    own = {"lake": {"type": "sqlite", "path": str(tmp_path / "w")}}
    rights = FileRights(prefixes={"analyst": [f"{root}/in/"]}, storage=storage)
    sessions = Sessions(driver, own, "lake", files=rights)
    analyst = runs(handler, sessions.open(Identity("ann", roles=frozenset({"analyst"}))))
    other = runs(handler, sessions.open(Identity("eve")))
    try:
        assert analyst(f"SELECT count(*) AS n FROM '{root}/in/*.csv'") == [{"n": 3}]
        asked = len(account.asked)
        for run, path in (
            (other, "in/a.csv"),
            (analyst, "out/secret.csv"),
            (analyst, "in/../out/secret.csv"),
            (analyst, "in/%2e%2e/out/secret.csv"),
            (analyst, "*/secret.csv"),
            (analyst, "in2/a.csv"),
        ):
            with pytest.raises(SqeError) as caught:
                run(f"SELECT * FROM '{root}/{path}'")
            assert caught.value.code in (errors.PERMISSION_DENIED, errors.INVALID_FUNCTION_ARGUMENT), (path, caught.value)
        for host in ("other.dfs.core.windows.net", "acme.evil.example"):
            with pytest.raises(SqeError, match="PERMISSION_DENIED"):
                analyst(f"SELECT * FROM 'abfss://lake@{host}/in/a.csv'")
        assert len(account.asked) == asked
    finally:
        sessions.close_all()


@pytest.mark.long
def test_a_store_that_is_gone_is_told(run: Run, tmp_path: Path) -> None:
    """Azure's library tries for about 40 seconds; that Iceberg does not do so twenty times over is ours."""
    with azure_account(Account()) as account:
        run(secret(account))
        run(attach(account, tmp_path))
        run("CREATE SCHEMA far.s")
        run("CREATE TABLE far.s.t AS SELECT 1 AS id")
    began = time.monotonic()
    with pytest.raises(SqeError, match="ICEBERG_FILESYSTEM_ERROR: The object store cannot be reached"):
        run("SELECT * FROM far.s.t")
    assert time.monotonic() - began < 120
