"""The driver gets sessions' tokens and gives none back: not by any question of Python's, not when a catalog quotes them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from sqe.engine.catalogs import spark_settings
from sqe.engine.driver import Driver
from sqe.errors import SqeError

TOKEN = "a-token-that-nobody-may-read-back"  # noqa: S105


class IndiscreetCatalog(BaseHTTPRequestHandler):
    """Answers every question with an error that quotes the request's authorization, as some proxies do."""

    def do_GET(self) -> None:
        status, content = 200, {"defaults": {}, "overrides": {}}
        if not self.path.startswith("/v1/config"):
            status, kind = self.server.error  # type: ignore[attr-defined]
            content = {"error": {"message": f"refused: {self.headers['Authorization']}", "type": kind, "code": status}}  # type: ignore[dict-item]
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else body)
        self.server.seen.append(self.headers["Authorization"])  # type: ignore[attr-defined]

    do_POST = do_HEAD = do_DELETE = do_GET

    def log_message(self, *_: object) -> None:
        pass


ERRORS = [
    (400, "BadRequestException"),
    (401, "NotAuthorizedException"),
    (403, "ForbiddenException"),
    (404, "NoSuchTableException"),
    (409, "AlreadyExistsException"),
    (409, "CommitFailedException"),
    (418, "Teapot"),
    (422, "UnprocessableEntityException"),
    (500, "InternalServerError"),
]


@pytest.fixture
def catalog() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), IndiscreetCatalog)
    server.seen = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(10)


@pytest.fixture
def session(driver: Driver, catalog: ThreadingHTTPServer) -> Iterator[str]:
    options = {"type": "rest", "uri": f"http://127.0.0.1:{catalog.server_port}", "auth": "session_bearer"}
    settings = spark_settings("lake", options, "indiscreet") | {"spark.sql.defaultCatalog": "lake"}
    alice = {"user": "alice", "roles": [], "groups": [], "provider": "static", "policy": False}
    driver.call("openSession", "indiscreet", json.dumps(settings), "{}", json.dumps({"lake": TOKEN}), json.dumps(alice))
    yield "indiscreet"
    driver.call("closeSession", "indiscreet")


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error[1])
def test_no_answer_holds_a_token(driver: Driver, session: str, catalog: ThreadingHTTPServer, error: tuple[int, str]) -> None:
    catalog.error = error  # type: ignore[attr-defined]
    questions = [
        ("current", session),
        ("namespaces", session, "lake"),
        ("tables", session, "lake", "a"),
        ("tableSchema", session, "lake", "a", "b"),
        ("progress", "none"),
        ("health",),
        ("setTokens", session, json.dumps({"lake": TOKEN})),
        *(("parse", session, sql) for sql in STATEMENTS),
        *(("prepare", session, f"p{number}", sql) for number, sql in enumerate(STATEMENTS)),
        *(("execute", session, f"e{number}", sql, "") for number, sql in enumerate(STATEMENTS)),
    ]
    answers = [_answer(driver, *question) for question in questions]
    assert f"Bearer {TOKEN}" in catalog.seen  # type: ignore[attr-defined]
    assert not [answer for answer in answers if TOKEN in answer]


STATEMENTS = [
    "SELECT 1",
    "SELECT * FROM lake.a.b",
    "SHOW TABLES IN lake.a",
    "SHOW SCHEMAS IN lake",
    "CREATE SCHEMA lake.a",
    "CREATE TABLE lake.a.b (a INT)",
    "CREATE VIEW lake.a.b AS SELECT 1 AS a",
    "DROP SCHEMA lake.a",
    "DROP TABLE lake.a.b",
    "DESCRIBE TABLE EXTENDED lake.a.b",
]


def _answer(driver: Driver, method: str, *arguments: str) -> str:
    try:
        return json.dumps(driver.call(method, *arguments))
    except SqeError as error:
        return str(error)
