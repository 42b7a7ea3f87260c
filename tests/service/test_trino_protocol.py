"""Trino's protocol on the wire: pages, retries, headers, cancelling, who sees what, and what hostile clients get."""

from __future__ import annotations

import base64
import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some
from trino_door import ALICE, BOB, MANY, ROOT, Client, plain_door
from waiting import eventually

from sqe.doors.trino.door import TrinoDoor
from sqe.query.events import State
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

pytestmark = pytest.mark.service

ROWS = "SELECT id, text FROM lake.default.many"
ENDLESS = "SELECT a.id FROM lake.default.many AS a CROSS JOIN lake.default.many AS b"


@pytest.fixture(scope="module")
def door(handler: QueryHandler, sessions: Sessions) -> Iterator[TrinoDoor]:
    with plain_door(handler, sessions) as door:
        yield door


@pytest.fixture
def client(door: TrinoDoor) -> Iterator[Client]:
    client = Client(door)
    yield client
    client.close()


@pytest.fixture
def bob(door: TrinoDoor) -> Iterator[Client]:
    client = Client(door, BOB)
    yield client
    client.close()


def running(handler: QueryHandler) -> list[str]:
    return [event.query_id for event in handler.queries() if not event.state.ended]


# Pages.


def test_a_statement_is_answered_in_pages(client: Client) -> None:
    ran = client.run("SELECT 1 AS one, 'x' AS x")
    first = ran.answers[0].json()
    assert set(first) >= {"id", "infoUri", "nextUri", "stats", "warnings"}
    assert ran.rows == [[1, "x"]]
    assert [column["type"] for column in ran.last["columns"]] == ["integer", "varchar(1)"]
    assert ran.last["stats"]["state"] == "FINISHED"
    assert ran.last["stats"]["progressPercentage"] == 100.0
    assert all(answer.json()["id"] == first["id"] for answer in ran.answers)


@pytest.mark.usefixtures("many")
def test_every_row_comes_once(client: Client) -> None:
    ran = client.run(ROWS)
    assert sorted(row[0] for row in ran.rows) == list(range(MANY))
    assert max(len(answer.content) for answer in ran.answers) < 10 << 20


@pytest.mark.usefixtures("many")
def test_a_page_asked_for_again_is_the_same_page(client: Client) -> None:
    rows, answer = 0, client.post(ROWS)
    while (following := answer.json().get("nextUri")) is not None:
        answer = client.http.get(following)
        again = client.http.get(following)
        assert (again.status_code, again.json()) == (200, answer.json())
        rows += len(answer.json().get("data", []))
    assert rows == MANY


@pytest.mark.usefixtures("many")
def test_pages_before_the_last_are_gone_and_others_unknown(client: Client) -> None:
    pages = client.pages(client.post(ROWS))
    addresses = [page.json()["nextUri"] for page, _ in zip(pages, range(4), strict=False)]
    assert client.http.get(addresses[0]).status_code == 410
    for wrong in (addresses[3] + "0", addresses[3][:-1] + "x", addresses[3][:-2], addresses[3].rsplit("/", 1)[0] + "/-1"):
        assert client.http.get(wrong).status_code == 404
    base, slug, token = addresses[3].rsplit("/", 2)
    assert client.http.get(f"{base}/{slug[:-1]}{'0' if slug[-1] != '0' else '1'}/{token}").status_code == 404
    assert client.http.get(f"{base}/{slug}/{int(token) + 1}").status_code == 404
    client.http.delete(addresses[3])


@pytest.mark.usefixtures("many")
def test_rows_that_nobody_reads_are_not_made(client: Client, handler: QueryHandler) -> None:
    """Back-pressure: a client that stops reading stops the engine; what waits for it is bounded."""
    answer = client.post(ENDLESS)
    while not answer.json().get("data"):
        answer = client.http.get(answer.json()["nextUri"])
    query = next(event for event in handler.queries() if event.query_id == answer.json()["id"])
    eventually(lambda: _stands_still(handler, query.query_id))
    client.http.delete(answer.json()["nextUri"])


def _stands_still(handler: QueryHandler, query_id: str) -> bool:
    def made() -> int:
        return next(event.rows for event in handler.queries() if event.query_id == query_id)

    before = made()
    threading.Event().wait(0.5)
    return 0 < before == made()


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(("encoding", "codec"), [("json", None), ("json+zstd", "zstd"), ("json+lz4", "lz4_raw")])
def test_rows_are_encoded_as_the_client_offers(client: Client, encoding: str, codec: str | None) -> None:
    ran = client.run(ROWS, Query_Data_Encoding=f"unknown, {encoding}")
    assert ran.answers[-1].headers["X-Trino-Query-Data-Encoding"] == encoding
    rows: list[Any] = []
    for answer in ran.answers:
        for segment in answer.json().get("data", {"segments": []})["segments"]:
            facts, data = segment["metadata"], base64.b64decode(segment["data"])
            assert (segment["type"], facts["rowOffset"], facts["segmentSize"]) == ("inline", len(rows), len(data))
            if codec is not None and "uncompressedSize" in facts:
                data = pa.Codec(codec).decompress(data, facts["uncompressedSize"], asbytes=True)
            decoded = json.loads(data)
            assert len(decoded) == facts["rowsCount"]
            rows += decoded
    assert len(rows) == MANY


@pytest.mark.usefixtures("many")
def test_pages_are_compressed_when_the_client_takes_it(client: Client) -> None:
    plain = client.run(ROWS + " LIMIT 5000")
    assert any(answer.headers.get("Content-Encoding") == "gzip" for answer in plain.answers)
    client.http.headers["Accept-Encoding"] = "identity"
    assert not any("Content-Encoding" in answer.headers for answer in client.run(ROWS + " LIMIT 5000").answers)


# Cancelling, leaving, ending.


@pytest.mark.usefixtures("many")
def test_a_deleted_statement_ends(client: Client, handler: QueryHandler) -> None:
    answer = client.post(ENDLESS)
    following = answer.json()["nextUri"]
    assert client.http.delete(following).status_code == 204
    eventually(lambda: answer.json()["id"] not in running(handler))
    assert client.http.get(following).json()["error"]["errorName"] == "USER_CANCELED"


@pytest.mark.usefixtures("many")
def test_a_partial_cancel_keeps_the_rows_that_are_there(client: Client, handler: QueryHandler) -> None:
    answer = client.post(ENDLESS)
    while not answer.json().get("data"):
        answer = client.http.get(answer.json()["nextUri"])
    assert client.http.delete(answer.json()["partialCancelUri"]).status_code == 204
    *_, last = client.pages(answer)
    assert (last.json()["stats"]["state"], last.json().get("error")) == ("FINISHED", None)


@pytest.mark.usefixtures("many")
def test_a_client_that_stops_polling_is_cleaned_up(handler: QueryHandler, sessions: Sessions) -> None:
    with plain_door(handler, sessions, abandoned_seconds=1.0) as door:
        client = Client(door)
        answer = client.post(ENDLESS)
        query_id = answer.json()["id"]
        eventually(lambda: query_id in running(handler))
        eventually(lambda: query_id not in running(handler))
        ended = next(event for event in handler.queries() if event.query_id == query_id)
        assert ended.error is not None
        assert ended.error.code.name == "ABANDONED_QUERY"
        client.close()


@pytest.mark.usefixtures("many")
def test_a_heartbeat_keeps_a_statement(handler: QueryHandler, sessions: Sessions) -> None:
    with plain_door(handler, sessions, abandoned_seconds=2.0) as door:
        client = Client(door)
        answer = client.post(ENDLESS)
        for _ in range(8):
            assert client.http.head(answer.json()["nextUri"]).status_code == 200
            threading.Event().wait(0.5)
        assert answer.json()["id"] in running(handler)
        client.http.delete(answer.json()["nextUri"])
        client.close()


@pytest.mark.usefixtures("many")
def test_a_door_that_closes_ends_its_statements_and_threads(handler: QueryHandler, sessions: Sessions) -> None:
    before = {thread for thread in threading.enumerate() if "trino" in thread.name}
    with plain_door(handler, sessions) as door:
        client = Client(door)
        query_id = client.post(ENDLESS).json()["id"]
        eventually(lambda: query_id in running(handler))
    assert query_id not in running(handler)
    client.close()
    eventually(lambda: {thread for thread in threading.enumerate() if "trino" in thread.name} <= before)


# Headers.


def test_the_headers_tell_the_client_what_to_keep(client: Client) -> None:
    client.run("CREATE SCHEMA IF NOT EXISTS lake.kept")
    use = client.run("USE lake.kept")
    assert (use.headers("Set-Catalog"), use.headers("Set-Schema"), use.last["updateType"]) == (["lake"], ["kept"], "USE")
    assert client.run("SET SESSION query_max_run_time = '5m'").headers("Set-Session") == ["query_max_run_time=5m"]
    assert client.run("RESET SESSION query_max_run_time").headers("Clear-Session") == ["query_max_run_time"]
    assert client.run("SET TIME ZONE 'Europe/Paris'").headers("Set-Session") == ["time_zone_id=Europe%2FParis"]
    assert client.run("PREPARE p FROM SELECT ? AS a").headers("Added-Prepare") == ["p=SELECT+%3F+AS+a"]
    started = client.run("START TRANSACTION", Transaction_Id="NONE").headers("Started-Transaction-Id")
    assert len(started) == 1
    assert client.run("COMMIT", Transaction_Id=started[0]).headers("Clear-Transaction-Id") == ["true"]
    assert client.run("COMMIT").error["errorName"] == "NOT_IN_TRANSACTION"


def test_prepared_statements_live_in_the_client(client: Client) -> None:
    kept = {"Prepared_Statement": "p=SELECT+%3F+AS+a"}
    assert client.run("EXECUTE p USING 7", **kept).rows == [[7]]
    assert client.run("EXECUTE p", **kept).error["errorName"] == "INVALID_PARAMETER_USAGE"
    assert client.run("EXECUTE p USING 7").error["message"] == "Prepared statement not found: p"
    assert client.run("DEALLOCATE PREPARE p", **kept).headers("Deallocated-Prepare") == ["p"]
    output = client.run("DESCRIBE OUTPUT p", Prepared_Statement="p=SELECT+1+AS+a")
    assert [(row[0], row[4]) for row in output.rows] == [("a", "integer")]
    assert client.run("EXECUTE IMMEDIATE 'SELECT ? AS a' USING 'it''s'").rows == [["it's"]]


def test_a_long_prepared_statement_is_kept_compressed(client: Client) -> None:
    text = "SELECT 1 AS a" + " " * 5000
    (kept,) = client.run(f"PREPARE p FROM {text}1").headers("Added-Prepare") or [""]
    ran = client.run(f"PREPARE p FROM SELECT 1 AS a -- {'x' * 5000}")
    (kept,) = ran.headers("Added-Prepare")
    assert kept.startswith("p=%24zstd%3A")
    assert client.run("EXECUTE p", Prepared_Statement=kept).rows == [[1]]


def test_the_time_zone_of_a_request_counts(client: Client) -> None:
    client.run("SELECT 1")
    assert client.run("SELECT current_timezone()", Time_Zone="Asia/Tokyo").rows == [["Asia/Tokyo"]]
    assert client.run("SELECT current_timezone()", Time_Zone="Asia/Tokyo", Session="time_zone_id=Europe%2FParis").rows == [
        ["Europe/Paris"]
    ]
    assert client.run("SELECT current_timezone()").rows == [["UTC"]]


@pytest.mark.parametrize(
    "headers",
    [
        {"Time_Zone": "Nowhere/Else"},
        {"Session": "no equals sign"},
        {"Session": "a=b=c"},
        {"Session": "a=%ff"},
        {"Schema": "x"},
        {"Prepared_Statement": "p=%24zstd%3Anonsense"},
        {"Prepared_Statement": "p"},
        {"Extra_Credential": "x"},
    ],
)
def test_headers_that_make_no_sense_are_a_bad_request(client: Client, headers: dict[str, str]) -> None:
    assert client.post("SELECT 1", **headers).status_code == 400


def test_an_unknown_catalog_is_an_error_of_the_statement(client: Client) -> None:
    assert client.run("SELECT 1", Catalog="nowhere").error["errorName"] == "CATALOG_NOT_FOUND"


def test_a_role_that_one_has_can_be_chosen(door: TrinoDoor, client: Client) -> None:
    """And no other: a role narrows what its user may do."""
    root = Client(door, ROOT)
    assert root.run("SET ROLE admin").headers("Set-Role") == ["system=ROLE%7Badmin%7D"]
    assert root.run("SET ROLE NONE").headers("Set-Role") == ["system=NONE"]
    client.run("SELECT 1")
    others = "SELECT count(*) > 0 FROM system.runtime.queries WHERE \"user\" = 'alice'"
    assert root.run(others, Role="system=ROLE%7Badmin%7D").rows == [[True]]
    assert root.run(others, Role="system=NONE").rows == [[False]]
    assert root.run("SHOW CURRENT ROLES", Role="system=NONE").rows == []
    assert root.run("SHOW CURRENT ROLES").rows == root.run("SHOW ROLES").rows == root.run("SHOW ROLE GRANTS").rows == [["admin"]]
    for role in ("admin", "no_such"):
        assert client.run("SELECT 1", Role=f"system=ROLE%7B{role}%7D").error["errorName"] == "PERMISSION_DENIED"
        assert client.run(f"SET ROLE {role}").error["message"] == f"Access Denied: Cannot set role {role}"
    assert client.run("SELECT 1 AS a", Role="system=ALL").rows == [[1]]
    assert client.run("SELECT 1", Role="lake=ROLE%7Badmin%7D").error["errorName"] == "NOT_SUPPORTED"
    assert client.run("SET ROLE admin IN nowhere").error["errorName"] == "CATALOG_NOT_FOUND"
    assert client.run("SELECT 1", Role="system=admin").error["errorName"] == "INVALID_ARGUMENTS"
    root.close()


# Who sees what.


def test_nobody_gets_in_without_credentials(door: TrinoDoor) -> None:
    stranger = Client(door, None)
    for answer in (
        stranger.post("SELECT 1", User="alice"),
        stranger.http.get(f"{stranger.base}/v1/query"),
        stranger.http.get(f"{stranger.base}/v1/node"),
        stranger.http.get(f"{stranger.base}/v1/statement/executing/x/y/1"),
    ):
        assert answer.status_code == 401
        assert answer.headers.get_list("WWW-Authenticate") == ['Basic realm="SQE"', "Bearer"]
    stranger.close()


@pytest.mark.usefixtures("many")
def test_another_users_query_does_not_exist(client: Client, bob: Client, handler: QueryHandler) -> None:
    following = client.post(ENDLESS).json()["nextUri"]
    query_id = following.split("/")[-3]
    eventually(lambda: query_id in running(handler))
    for answer in (bob.http.get(following), bob.http.head(following), bob.http.delete(following)):
        assert answer.status_code == 404
    assert bob.http.delete(f"{bob.base}/v1/query/{query_id}").status_code == 404
    assert bob.http.get(f"{bob.base}/v1/query/{query_id}").status_code == 410
    assert query_id not in [each["queryId"] for each in bob.http.get(f"{bob.base}/v1/query").json()]
    assert query_id in running(handler)
    mine = client.http.get(f"{client.base}/v1/query/{query_id}").json()
    assert (mine["queryId"], mine["query"]) == (query_id, ENDLESS)
    assert client.http.delete(f"{client.base}/v1/query/{query_id}").status_code == 204
    eventually(lambda: query_id not in running(handler))


def test_info_is_open_to_all(door: TrinoDoor) -> None:
    stranger = Client(door, None)
    info = stranger.http.get(f"{stranger.base}/v1/info").json()
    assert (info["coordinator"], info["starting"], info["nodeVersion"]["version"][:3]) == (True, False, "476")
    assert stranger.http.get(f"{stranger.base}/v1/info/state").json() == "ACTIVE"
    stranger.close()


def test_the_session_is_shared_by_requests_that_ask_for_the_same(client: Client, sessions: Sessions) -> None:
    client.run("SELECT 1")
    before = len(sessions)
    for _ in range(5):
        client.run("SELECT 1")
    assert len(sessions) == before


def test_raw_passwords_are_not_kept(door: TrinoDoor, client: Client) -> None:
    client.run("SELECT 1")
    assert door._door is not None
    kept = repr(vars(door._door.callers)) + repr(door._door.callers._known)
    assert ALICE[1] not in kept
    assert base64.b64encode(":".join(ALICE).encode()).decode() not in kept


# Hostile clients.


def raw(door: TrinoDoor, request: bytes, seconds: float = 30) -> bytes:
    answer = b""
    with socket.create_connection(("127.0.0.1", door.port), timeout=seconds) as wire:
        try:
            wire.sendall(request)
            while part := wire.recv(65536):
                answer += part
        except ConnectionError:
            pass
        return answer


def test_a_header_of_ten_megabytes_is_refused(door: TrinoDoor, client: Client) -> None:
    answer = raw(door, b"POST /v1/statement HTTP/1.1\r\nHost: x\r\nX-Trino-Session: " + b"a" * (10 << 20))
    assert b" 200 " not in answer
    assert client.run("SELECT 1 AS a").rows == [[1]]


def test_a_body_that_is_too_long_is_an_error_and_not_read(client: Client) -> None:
    answer = client.post("SELECT '" + "x" * (2 << 20) + "'")
    assert answer.json()["error"]["errorName"] == "QUERY_TEXT_TOO_LARGE"
    assert client.run("SELECT 1 AS a").rows == [[1]]


def test_header_values_cannot_inject_headers(client: Client) -> None:
    evil = "x\r\nSet-Cookie: a=b"
    changes = (f'SET SESSION "{evil}" = 1', f'SET PATH "{evil}"', f"SET TIME ZONE '{evil}'", f'PREPARE "{evil}" FROM SELECT 1')
    for sql in changes:
        for answer in client.run(sql).answers:
            assert "set-cookie" not in answer.headers


def test_a_host_that_is_none_is_not_repeated(door: TrinoDoor, client: Client) -> None:
    client.http.headers["Host"] = 'evil"><script>'
    assert "script" not in client.post("SELECT 1").text


def test_another_hosts_word_does_not_count(client: Client) -> None:
    client.http.headers.update({"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"})
    assert client.post("SELECT 1").json()["nextUri"].startswith(client.base)


def test_a_slow_client_is_cut(handler: QueryHandler, sessions: Sessions) -> None:
    with plain_door(handler, sessions, request_seconds=1.0) as door:
        eventually(lambda: raw(door, b"GET /v1/info HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") != b"")
        assert raw(door, b"POST /v1/statement HTTP/1.1\r\nHost: x\r\nX-Tri", seconds=10) == b""


@pytest.mark.parametrize("sql", ["", " ", ";", "\0", "SELECT", "EXECUTE", "USE", "PREPARE p FROM", "SET SESSION a", "('" * 5000])
def test_nonsense_is_an_error_object(client: Client, sql: str) -> None:
    ran = client.run(sql)
    assert ran.error["errorType"] == "USER_ERROR"
    assert ran.error["failureInfo"]["stack"] == []


PATHS = some.one_of(
    some.sampled_from(
        [
            "/v1/statement",
            "/v1/statement/queued/a/b/1",
            "/v1/statement/executing/a/b/9" + "9" * 20,
            "/v1/info",
            "/v1/query",
        ]
    ),
    some.lists(some.text(some.characters(min_codepoint=33, max_codepoint=0x2FF), max_size=20), max_size=6).map(
        lambda parts: "/v1/" + "/".join(parts)
    ),
)
NAMES = "User Source Catalog Schema Path Time-Zone Language Session Role Prepared-Statement Transaction-Id Client-Tags".split()
NAMES += "Extra-Credential Client-Capabilities Trace-Token Query-Data-Encoding Resource-Estimate Original-User".split()
HEADERS = some.dictionaries(some.sampled_from(NAMES), some.binary(max_size=40).map(lambda text: text.translate(None, b"\0\r\n")))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    method=some.sampled_from(["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"]),
    path=PATHS,
    headers=HEADERS,
    body=some.one_of(some.just(b"SELECT 1"), some.binary(max_size=60)),
)
def test_no_request_breaks_the_door(door: TrinoDoor, method: str, path: str, headers: dict[str, bytes], body: bytes) -> None:
    client = Client(door)
    try:
        given_headers = [(f"X-Trino-{name}".encode(), value) for name, value in headers.items()]
        request = client.http.build_request(method, client.base + path, headers=given_headers, content=body)
        answer = client.http.send(request)
    except (httpx.InvalidURL, httpx.LocalProtocolError, httpx.RemoteProtocolError, UnicodeError):
        return  # not a request at all
    finally:
        client.close()
    assert "Traceback" not in answer.text
    assert answer.status_code < 500 or "id" in answer.json()


def test_statements_of_many_clients_are_answered_at_once(door: TrinoDoor, handler: QueryHandler) -> None:
    def one(number: int, results: list[Any]) -> None:
        client = Client(door, ALICE if number % 2 else BOB)
        results.append(client.run(f"SELECT {number} AS n").rows)
        client.close()

    found: list[Any] = []
    threads = [threading.Thread(target=one, args=(number, found)) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(row[0][0] for row in found) == list(range(40))
    assert not [event for event in handler.queries() if event.state is State.RUNNING and event.door == "trino"]
