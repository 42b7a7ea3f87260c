"""Tables and files in Google Cloud Storage: on an emulator that speaks its JSON API, with and without a service account's key."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pyarrow as pa
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from gcp_storage_emulator.handlers.buckets import create_bucket
from gcp_storage_emulator.server import RequestHandler
from gcp_storage_emulator.storage import Storage

from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions
from sqe.sql.tokens import quote_text
from tests.own_sessions import OWNER, own_sessions

TOKEN = "token-of-the-service-account"  # noqa: S105


@dataclass
class Google:
    """A store with one bucket, and the service that gives tokens for signed assertions."""

    storage: Storage
    token: str = ""  # what the store wants to see
    assertions: list[str] = field(default_factory=list)
    address: str = ""


@pytest.fixture
def google() -> Iterator[Google]:
    made = Google(Storage(use_memory_fs=True))
    create_bucket("lake", made.storage)

    class Handler(RequestHandler):
        def _answer(self, status: int, body: dict[str, object]) -> None:
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def parse_request(self) -> bool:
            if not super().parse_request():
                return False
            open_to_all = self.path.startswith(("/token", "/batch/"))  # the parts of a batch (deletes) carry their own token
            if made.token and not open_to_all and self.headers.get("Authorization") != f"Bearer {made.token}":
                self._answer(401, {"error": {"code": 401, "message": "no"}})
                return False
            return True

        def do_POST(self) -> None:
            if self.path != "/token":
                return super().do_POST()
            asked = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            made.assertions.extend(asked["assertion"])
            return self._answer(200, {"access_token": TOKEN, "expires_in": 3600, "token_type": "Bearer"})

    assert issubclass(Handler, BaseHTTPRequestHandler)
    server = HTTPServer(("127.0.0.1", 0), partial(Handler, made.storage))
    made.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield made
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def sessions(driver: Driver, tmp_path: Path) -> Iterator[Sessions]:
    sessions = own_sessions(driver, tmp_path)
    yield sessions
    sessions.close_all()


def answer(handler: QueryHandler, session: Session, text: str) -> list[dict[str, object]]:
    with handler.submit(session, text, door="test") as query:
        table: pa.Table = query.read_all()
    return list(table.to_pylist())


def names(google: Google) -> list[str]:
    return [item["name"] for item in google.storage.get_file_list("lake")[0]]


def service_account(address: str) -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    text = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return json.dumps(
        {
            "type": "service_account",
            "project_id": "p",
            "private_key_id": "1",
            "private_key": text.decode(),
            "client_email": "sqe@p.iam.gserviceaccount.com",
            "client_id": "1",
            "token_uri": f"{address}/token",
        }
    )


@pytest.mark.parametrize("with_key", [False, True], ids=["anonymous", "service account"])
def test_tables_and_files_in_cloud_storage(
    handler: QueryHandler, sessions: Sessions, google: Google, tmp_path: Path, with_key: bool
) -> None:
    session = sessions.open(OWNER)

    def run(text: str) -> list[dict[str, object]]:
        return answer(handler, session, text)

    google.token = TOKEN if with_key else ""
    key = f", JSON {quote_text(service_account(google.address))}" if with_key else ""
    run(f"CREATE SECRET g (TYPE gcs, ENDPOINT '{google.address}'{key})")
    run(f"ATTACH 'jdbc:sqlite:{tmp_path}/meta.db' AS far (TYPE jdbc, WAREHOUSE 'gs://lake/w', SECRET g)")
    run("CREATE SCHEMA far.s")
    run("CREATE TABLE far.s.t AS SELECT id, 'name ' || id AS name FROM range(100)")
    run("MERGE INTO far.s.t USING (SELECT 5 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE")
    run("INSERT INTO far.s.t VALUES (1000, 'last')")
    assert run("SELECT count(*) AS n, max(id) AS m FROM far.s.t") == [{"n": 100, "m": 1000}]
    assert run("SELECT operation FROM far.s.t.snapshots ORDER BY committed_at LIMIT 1") == [{"operation": "append"}]
    data = [name for name in names(google) if name.endswith(".parquet")]
    assert data
    assert all(name.startswith("w/s/t/") for name in data)
    folder = "gs://lake/" + data[0].rsplit("/", 1)[0]
    assert run(f"SELECT count(*) > 0 AS some FROM '{folder}/*.parquet'") == [{"some": True}]
    with pytest.raises(SqeError, match=r"NOT_FOUND: The file .* does not exist"):
        run("SELECT * FROM 'gs://lake/none.parquet'")
    run("DROP TABLE far.s.t PURGE")
    assert not [name for name in names(google) if name.endswith(".parquet")]
    assert bool(google.assertions) == with_key
    for text in ("SHOW SECRETS", "SHOW SESSION"):
        assert TOKEN not in repr(run(text))


def test_a_store_that_wants_a_key_is_closed_without_one(
    handler: QueryHandler, sessions: Sessions, google: Google, tmp_path: Path
) -> None:
    google.token = TOKEN
    session = sessions.open(OWNER)
    answer(handler, session, f"CREATE SECRET g (TYPE gcs, ENDPOINT '{google.address}')")
    with pytest.raises(SqeError) as caught:
        answer(handler, session, "SELECT * FROM 'gs://lake/x.parquet'")
    assert not re.search(r"Exception|com\.google|\bat org", str(caught.value))


@pytest.mark.parametrize(
    "secret",
    [
        """(TYPE gcs, JSON '{"type": "external_account", "credential_source": {"executable": {"command": "touch x"}}}')""",
        "(TYPE gcs, JSON 'tell-nobody-7f3a')",
    ],
)
def test_only_the_key_of_a_service_account_is_taken(handler: QueryHandler, sessions: Sessions, secret: str) -> None:
    session = sessions.open(OWNER)
    with pytest.raises(SqeError, match="not the key of a service account") as caught:
        answer(handler, session, f"CREATE SECRET g {secret}")
    assert "tell-nobody" not in str(caught.value)


def test_azure_is_closed_without_the_key_of_an_account(handler: QueryHandler, sessions: Sessions, tmp_path: Path) -> None:
    """Its library would look for the machine's own identity."""
    session = sessions.open(OWNER)
    for statement, words in (
        ("CREATE SECRET a (TYPE azure, ACCOUNT_NAME 'x')", "needs ACCOUNT_KEY"),
        (f"ATTACH 'jdbc:sqlite:{tmp_path}/m.db' AS az (TYPE jdbc, WAREHOUSE 'abfss://c@x.dfs.core.windows.net/w')", "the key of"),
        ("SELECT * FROM 'abfss://c@x.dfs.core.windows.net/a.csv'", "are read with a secret"),
    ):
        with pytest.raises(SqeError, match=words):
            answer(handler, session, statement)
