"""On a server files are closed but for what `[files]` opens to a role, and nothing leads around that."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.engine.driver import Driver
from sqe.engine.files import FileRights
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions
from tests.embedded.file_servers import Site, outside_address, s3_store, serve

Run = Callable[[Session, str], pa.Table]


@pytest.fixture(scope="module")
def run(handler: QueryHandler) -> Run:
    def run(session: Session, text: str) -> pa.Table:
        with handler.submit(session, text, door="test") as query:
            return query.read_all()

    return run


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    files = {"/open/a.csv": b"a\n1\n", "/closed/b.csv": b"a\n2\n", "/open2/c.csv": b"a\n3\n"}
    site = Site(files)
    with serve(site, outside_address()):
        inside = f"http://127.0.0.1:{site.address.rsplit(':', 1)[1]}"
        site.redirects = {
            "/open/good.csv": "/open/a.csv",
            "/open/out.csv": "/closed/b.csv",
            "/open/loopback.csv": f"{inside}/open/a.csv",
            "/open/metadata.csv": "http://169.254.169.254/latest/meta-data/",
            "/open/file.csv": "file:///etc/passwd",
            "/open/circle.csv": "/open/circle.csv",
        }
        yield site


@pytest.fixture(scope="module")
def sessions(driver: Driver, site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sessions]:
    warehouse = tmp_path_factory.mktemp("warehouse")
    port = site.address.rsplit(":", 1)[1]
    rights = FileRights(
        prefixes={
            "analyst": [f"{site.address}/open/", "s3://landing/2026/"],
            # An operator who opens these is protected from where they lead to.
            "careless": [
                f"http://localhost:{port}/",
                f"http://127.0.0.1:{port}/",
                f"http://127.1:{port}/",
                "http://169.254.169.254/",
            ],
        }
    )
    sessions = Sessions(driver, {"lake": {"type": "sqlite", "path": str(warehouse)}}, "lake", files=rights)
    yield sessions
    sessions.close_all()


@pytest.fixture
def analyst(sessions: Sessions) -> Iterator[Session]:
    session = sessions.open(Identity("ann", roles=frozenset({"analyst", "careless"})))
    yield session
    sessions.close(session)


@pytest.fixture
def other(sessions: Sessions) -> Iterator[Session]:
    session = sessions.open(Identity("eve", roles=frozenset({"admin"})))
    yield session
    sessions.close(session)


def test_a_role_reads_what_is_open_to_it(analyst: Session, other: Session, site: Site, run: Run) -> None:
    assert run(analyst, f"SELECT * FROM '{site.address}/open/a.csv'").to_pylist() == [{"a": 1}]
    assert run(analyst, f"SELECT * FROM '{site.address}/open/good.csv'").to_pylist() == [{"a": 1}]
    before = len(site.asked)
    with pytest.raises(SqeError, match="PERMISSION_DENIED"):
        run(other, f"SELECT * FROM '{site.address}/open/a.csv'")
    assert len(site.asked) == before


def test_a_view_over_files_reads_with_the_rights_of_its_reader(analyst: Session, other: Session, site: Site, run: Run) -> None:
    run(analyst, f"CREATE VIEW shared_view AS SELECT * FROM '{site.address}/open/a.csv'")
    assert len(run(analyst, "SELECT * FROM shared_view")) == 1
    with pytest.raises(SqeError, match="PERMISSION_DENIED"):
        run(other, "SELECT * FROM shared_view")


CLOSED = [
    "{site}/closed/b.csv",
    "{site}/open2/c.csv",
    "{site}/open/../closed/b.csv",
    "{site}/open/%2e%2e/closed/b.csv",
    "{site}/open/..%2fclosed/b.csv",
    "{site}/open/..\\closed/b.csv",
    "{site}/open/./a.csv",
    "{site}/open/out.csv",
    "{site}/open/loopback.csv",
    "{site}/open/metadata.csv",
    "{site}/open/file.csv",
    "{site}/open/circle.csv",
    "http://user:word@{authority}/open/a.csv",
    "http://{authority}@127.0.0.1/open/a.csv",
    "http://localhost:{port}/open/a.csv",
    "http://127.0.0.1:{port}/open/a.csv",
    "http://127.1:{port}/open/a.csv",
    "http://169.254.169.254/latest/x.csv",
    "/etc/passwd",
    "file:///etc/passwd",
    "FILE:/etc/passwd",
    "~/.ssh/id_rsa",
    "{dir}/a.csv",
    "{dir}/link.csv",
    "{dir}/*.csv",
    "s3://landing/2025/x.csv",
    "s3://landing/2026/../2025/x.csv",
    "s3://landing/20260/x.csv",
    "s3a://other/2026/x.csv",
    "s3://landing/*/x.csv",
    "hf://datasets/us/birds/x.csv",
    "gs://bucket/x.csv",
]


def test_no_path_leads_out(analyst: Session, site: Site, run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("secret\n1\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "a.csv")
    authority = site.address.removeprefix("http://")
    functions = ("read_csv", "read_file", "read_text", "read_parquet")
    for path in CLOSED:
        text = path.format(site=site.address, authority=authority, port=authority.split(":")[1], dir=tmp_path)
        for function in functions:
            with pytest.raises(SqeError) as caught:
                run(analyst, f"SELECT * FROM {function}(r'{text}')")
            assert caught.value.code.name in ("PERMISSION_DENIED", "INVALID_FUNCTION_ARGUMENT"), (function, text, caught.value)
            assert "secret" not in str(caught.value)
    for folder in ("read_iceberg", "read_delta"):
        with pytest.raises(SqeError, match="PERMISSION_DENIED"):
            run(analyst, f"SELECT * FROM {folder}('{tmp_path}')")


def test_a_name_that_resolves_to_the_machine_itself_is_refused(driver: Driver, sessions: Sessions, run: Run, site: Site) -> None:
    """The name is open, where it leads to is not: what is checked is the address that is connected to."""
    port = site.address.rsplit(":", 1)[1]
    local = [each for each in ("localhost.localdomain", "localhost", "ip6-localhost", "localhost6") if _is_loopback(each)]
    assert local, "every machine has a name for itself"
    rights = FileRights(prefixes={"*": [f"http://{each}:{port}/" for each in local]})
    opened = Sessions(driver, sessions._catalogs, "lake", files=rights)
    session = opened.open(Identity("ann"))
    for each in local:
        with pytest.raises(SqeError, match=f"PERMISSION_DENIED: Reading from {each} is not allowed"):
            run(session, f"SELECT * FROM 'http://{each}:{port}/open/a.csv'")
    opened.close_all()


def _is_loopback(name: str) -> bool:
    try:
        return all(info[4][0] in ("127.0.0.1", "::1") for info in socket.getaddrinfo(name, None))
    except OSError:
        return False


@pytest.fixture
def landing(driver: Driver, sessions: Sessions) -> Iterator[tuple[Session, Any]]:
    """A session to which a bucket is open, and the bucket's client."""
    with s3_store() as (endpoint, store):
        options = {"s3_endpoint": endpoint, "s3_path_style": "true", "s3_access_key": "key", "s3_secret_key": "secret"}
        opened = Sessions(
            driver, sessions._catalogs, "lake", files=FileRights(prefixes={"*": ["s3://landing/"]}, storage=options)
        )
        yield opened.open(Identity("ann")), store
        opened.close_all()


def test_a_pattern_may_stand_in_the_opened_folder_itself(driver: Driver, landing: tuple[Session, Any], run: Run) -> None:
    """Hadoop asks for it without its last slash; an object of that name is not in it."""
    session, store = landing
    for key in ("opened/a.csv", "opened/b.csv", "opened", "opened2/c.csv"):
        store.put_object(Bucket="landing", Key=key, Body=b"a\n1\n")
    rights = FileRights(prefixes={"*": ["s3://landing/opened/"]}, storage=session.files.storage)
    opened = Sessions(driver, session.catalogs, "lake", files=rights)
    ann = opened.open(Identity("ann"))
    for path in ("opened/*.csv", "opened/", "opened/**"):
        assert len(run(ann, f"SELECT * FROM read_csv('s3://landing/{path}')")) == 2, path
    for path in ("opened", "opened*", "*", "opened2/*"):
        with pytest.raises(SqeError, match="PERMISSION_DENIED"):
            run(ann, f"SELECT * FROM read_csv('s3://landing/{path}')")
    opened.close_all()


def test_iceberg_metadata_that_names_files_elsewhere_is_not_followed(landing: tuple[Session, Any], run: Run) -> None:
    session, store = landing
    run(session, "CREATE TABLE elsewhere AS SELECT 'secret' AS name")
    [entry] = run(session, "SELECT file FROM elsewhere.metadata_log_entries ORDER BY timestamp DESC LIMIT 1").to_pylist()
    store.put_object(
        Bucket="landing", Key="t/metadata/v1.metadata.json", Body=Path(entry["file"].removeprefix("file:")).read_bytes()
    )
    for path in ("s3://landing/t", "s3://landing/t/metadata/v1.metadata.json"):
        with pytest.raises(SqeError, match="PERMISSION_DENIED"):
            run(session, f"SELECT * FROM read_iceberg('{path}')")


@pytest.mark.long
def test_a_delta_log_that_names_files_elsewhere_is_not_followed(landing: tuple[Session, Any], run: Run, tmp_path: Path) -> None:
    session, store = landing
    pq.write_table(pa.table({"name": ["secret"]}), tmp_path / "secret.parquet")
    kind = {"type": "struct", "fields": [{"name": "name", "type": "string", "nullable": True, "metadata": {}}]}
    meta = {"id": "x", "format": {"provider": "parquet", "options": {}}, "partitionColumns": [], "configuration": {}}
    size = (tmp_path / "secret.parquet").stat().st_size
    file = {
        "path": f"file://{tmp_path}/secret.parquet",
        "partitionValues": {},
        "size": size,
        "modificationTime": 0,
        "dataChange": True,
    }
    actions = [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": meta | {"schemaString": json.dumps(kind)}},
        {"add": file},
    ]
    log = "\n".join(map(json.dumps, actions)).encode()
    store.put_object(Bucket="landing", Key="d/_delta_log/00000000000000000000.json", Body=log)
    with pytest.raises(SqeError, match="PERMISSION_DENIED"):
        run(session, "SELECT * FROM read_delta('s3://landing/d')")
