"""Flight SQL by hand: what no driver sends, and what only careful clients look at."""

from __future__ import annotations

import base64
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import flight

from sqe.client import FlightClient
from sqe.config.providers import AnonymousProvider
from sqe.config.sections import Auth
from sqe.doors.flight.door import FlightDoor
from sqe.doors.flight.wire import messages, pack, unpack
from sqe.errors import SqeError
from sqe.identity.authenticator import authenticator
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

pytestmark = pytest.mark.service

BASIC = b"Basic " + base64.b64encode(b"root:secret")


def options(authorization: bytes) -> flight.FlightCallOptions:
    return flight.FlightCallOptions(headers=[(b"authorization", authorization)], timeout=60)


@pytest.fixture
def raw(door: FlightDoor) -> Iterator[flight.FlightClient]:
    with flight.FlightClient(door.address) as client:
        yield client


@pytest.fixture
def logged_in(raw: flight.FlightClient) -> flight.FlightCallOptions:
    _, bearer = raw.authenticate_basic_token("root", "secret")
    return options(bearer)


def command(message: Any) -> flight.FlightDescriptor:
    return flight.FlightDescriptor.for_command(pack(message))


def query(sql: str | bytes) -> flight.FlightDescriptor:
    return command(messages.CommandStatementQuery(query=sql if isinstance(sql, bytes) else sql.encode()))


def act(client: flight.FlightClient, call: flight.FlightCallOptions, name: str, body: bytes) -> list[bytes]:
    return [result.body.to_pybytes() for result in client.do_action(flight.Action(name, body), call)]


def refusal(attempt: Callable[[], Any]) -> str:
    """The text of the error that an attempt must end with: ours, one line, no traceback."""
    with pytest.raises((flight.FlightError, pa.ArrowException)) as caught:
        attempt()
    # pyarrow's client adds what it saw itself behind "Detail".
    text, _, _ = str(caught.value).partition(". Detail: ")
    assert not [word for word in ("Traceback", 'File "', "\n") if word in text], text
    return text


# Who is calling.

STRANGERS = {
    "nobody": None,
    "an unknown token": b"Bearer " + b"x" * 43,
    "an empty token": b"Bearer ",
    "a wrong password": b"Basic " + base64.b64encode(b"root:wrong"),
    "no colon": b"Basic " + base64.b64encode(b"root"),
    "not base64": b"Basic ???",
    "not UTF-8": b"Basic " + base64.b64encode(b"\xff\xfe:\xff"),
    "another scheme": b"Digest abc",
    "only a scheme": b"Basic",
}


@pytest.mark.parametrize("who", STRANGERS)
def test_strangers_learn_only_that_they_are(raw: flight.FlightClient, who: str) -> None:
    header = STRANGERS[who]
    call = options(header) if header is not None else flight.FlightCallOptions(timeout=60)
    attempts = [
        lambda: raw.get_flight_info(query("SELECT 1"), call),
        lambda: raw.do_get(flight.Ticket(b"x"), call).read_all(),
        lambda: list(raw.do_action(flight.Action("CloseSession", b""), call)),
        lambda: list(raw.list_actions(call)),
    ]
    assert {refusal(attempt) for attempt in attempts} == {"AUTHENTICATION_FAILED: Authentication failed"}


def test_basic_without_padding_is_understood(raw: flight.FlightClient) -> None:
    unpadded = b"Basic " + base64.b64encode(b"alice:wonderland").rstrip(b"=")
    assert unpadded != b"Basic " + base64.b64encode(b"alice:wonderland")
    info = raw.get_flight_info(query("SELECT 1"), options(unpadded))
    assert raw.do_get(info.endpoints[0].ticket, options(unpadded)).read_all().num_rows == 1


def test_credentials_on_every_call_share_one_session_a_connection(door: FlightDoor, sessions: Sessions) -> None:
    before = len(sessions)
    with flight.FlightClient(door.address) as client:
        for _ in range(3):
            info = client.get_flight_info(query("SELECT 1"), options(BASIC))
            assert client.do_get(info.endpoints[0].ticket, options(BASIC)).read_all().num_rows == 1
    assert len(sessions) == before + 1


def test_a_closed_session_s_token_is_worth_nothing(raw: flight.FlightClient, logged_in: flight.FlightCallOptions) -> None:
    act(raw, logged_in, "CloseSession", b"")
    assert "Authentication failed" in refusal(lambda: raw.get_flight_info(query("SELECT 1"), logged_in))


# Tickets.


def test_a_ticket_is_good_once(raw: flight.FlightClient, logged_in: flight.FlightCallOptions) -> None:
    ticket = raw.get_flight_info(query("SELECT 1"), logged_in).endpoints[0].ticket
    assert raw.do_get(ticket, logged_in).read_all().num_rows == 1
    assert "NOT_FOUND: The ticket is unknown" in refusal(lambda: raw.do_get(ticket, logged_in).read_all())


def test_another_session_s_ticket_is_not_found(raw: flight.FlightClient, logged_in: flight.FlightCallOptions) -> None:
    ticket = raw.get_flight_info(query("SELECT 1"), logged_in).endpoints[0].ticket
    _, other = raw.authenticate_basic_token("alice", "wonderland")
    assert "NOT_FOUND" in refusal(lambda: raw.do_get(ticket, options(other)).read_all())
    assert raw.do_get(ticket, logged_in).read_all().num_rows == 1


def test_another_session_cannot_cancel(raw: flight.FlightClient, logged_in: flight.FlightCallOptions) -> None:
    info = raw.get_flight_info(query("SELECT 1"), logged_in)
    _, other = raw.authenticate_basic_token("alice", "wonderland")
    body = messages.CancelFlightInfoRequest(info=info.serialize()).SerializeToString()
    assert "NOT_FOUND: The query is unknown" in refusal(lambda: act(raw, options(other), "CancelFlightInfo", body))
    assert raw.do_get(info.endpoints[0].ticket, logged_in).read_all().num_rows == 1


def drain(reader: flight.FlightStreamReader) -> None:
    """Not `read_all`: that turns a server's CANCELLED into a KeyboardInterrupt (pyarrow 26)."""
    for _ in reader:
        pass


def cancel_flight_info(info: flight.FlightInfo) -> tuple[str, bytes]:
    return "CancelFlightInfo", messages.CancelFlightInfoRequest(info=info.serialize()).SerializeToString()


def cancel_query(info: flight.FlightInfo) -> tuple[str, bytes]:
    return "CancelQuery", pack(messages.ActionCancelQueryRequest(info=info.serialize()))


@pytest.mark.parametrize("how", [cancel_flight_info, cancel_query])
def test_a_query_can_be_cancelled_before_and_while_it_streams(
    raw: flight.FlightClient, logged_in: flight.FlightCallOptions, how: Callable[[flight.FlightInfo], tuple[str, bytes]]
) -> None:
    waiting = raw.get_flight_info(query("SELECT id FROM range(100000000)"), logged_in)
    assert len(act(raw, logged_in, *how(waiting))) == 1
    assert "USER_CANCELED" in refusal(lambda: drain(raw.do_get(waiting.endpoints[0].ticket, logged_in)))
    streaming = raw.get_flight_info(query("SELECT id, uuid() FROM range(100000000)"), logged_in)
    reader = raw.do_get(streaming.endpoints[0].ticket, logged_in)
    reader.read_chunk()
    act(raw, logged_in, *how(streaming))
    assert "USER_CANCELED" in refusal(lambda: drain(reader))


def test_a_dropped_stream_ends_its_query(
    raw: flight.FlightClient, logged_in: flight.FlightCallOptions, handler: QueryHandler
) -> None:
    info = raw.get_flight_info(query("SELECT id, uuid() FROM range(100000000)"), logged_in)
    reader = raw.do_get(info.endpoints[0].ticket, logged_in)
    reader.read_chunk()
    reader.cancel()
    query_id = info.app_metadata.decode()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not _ended(handler, query_id):
        time.sleep(0.05)
    assert _ended(handler, query_id)


def _ended(handler: QueryHandler, query_id: str) -> bool:
    return any(event.query_id == query_id and event.state.ended for event in handler.queries())


def test_closing_a_session_ends_its_queries(
    raw: flight.FlightClient, logged_in: flight.FlightCallOptions, handler: QueryHandler
) -> None:
    query_id = raw.get_flight_info(query("SELECT id FROM range(100000000)"), logged_in).app_metadata.decode()
    act(raw, logged_in, "CloseSession", b"")
    assert _ended(handler, query_id)


# Answers.


def test_the_schema_of_a_statement_can_be_asked_without_running_it(
    raw: flight.FlightClient, logged_in: flight.FlightCallOptions
) -> None:
    schema = raw.get_schema(query("SELECT 1 AS a, 'x' AS b"), logged_in).schema
    assert schema.names == ["a", "b"]
    assert raw.get_schema(command(messages.CommandGetTables(include_schema=True)), logged_in).schema.names[-1] == "table_schema"


def test_a_statement_without_rows_is_over_at_once(raw: flight.FlightClient, logged_in: flight.FlightCallOptions) -> None:
    raw.get_flight_info(query("CREATE TABLE over_at_once (id BIGINT)"), logged_in)
    info = raw.get_flight_info(query("INSERT INTO over_at_once VALUES (1), (2)"), logged_in)
    assert (info.total_records, len(info.schema)) == (2, 0)
    assert raw.do_get(info.endpoints[0].ticket, logged_in).read_all().num_columns == 0


def test_large_rows_travel_in_messages_that_every_client_takes(
    raw: flight.FlightClient, logged_in: flight.FlightCallOptions
) -> None:
    info = raw.get_flight_info(query("SELECT repeat('x', 100000) AS v FROM range(200)"), logged_in)
    sizes = [chunk.data.nbytes for chunk in raw.do_get(info.endpoints[0].ticket, logged_in)]
    assert (sum(sizes) > 20_000_000, max(sizes) < 4_000_000) == (True, True)


def test_the_answers_to_metadata_commands_have_their_promised_schema(
    raw: flight.FlightClient, logged_in: flight.FlightCallOptions
) -> None:
    asked = [
        messages.CommandGetCatalogs(),
        messages.CommandGetDbSchemas(),
        messages.CommandGetTables(),
        messages.CommandGetTables(include_schema=True),
        messages.CommandGetTableTypes(),
        messages.CommandGetSqlInfo(),
        messages.CommandGetXdbcTypeInfo(),
        messages.CommandGetXdbcTypeInfo(data_type=12),
        messages.CommandGetPrimaryKeys(table="t"),
        messages.CommandGetExportedKeys(table="t"),
        messages.CommandGetImportedKeys(table="t"),
        messages.CommandGetCrossReference(pk_table="t", fk_table="t"),
    ]
    for message in asked:
        info = raw.get_flight_info(command(message), logged_in)
        table = raw.do_get(info.endpoints[0].ticket, logged_in).read_all()
        assert table.schema.equals(info.schema), message.DESCRIPTOR.name


def test_an_empty_catalog_filter_matches_what_has_none(door: FlightDoor) -> None:
    with FlightClient(door.address, user="root", password="secret") as client:  # noqa: S106
        assert (client.schemas(catalog="").num_rows, client.schemas(catalog="lake").num_rows > 0) == (0, True)


# Hostile bytes.

GARBAGE = {
    "nothing": b"",
    "noise": bytes(range(256)),
    "not Flight SQL": b"\n\x1ctype.googleapis.com/x.Unknown",
    "an unknown message": pack(messages.CommandGetCatalogs()).replace(b"CommandGetCatalogs", b"CommandGetFruitBat"),
    "a damaged message": pack(messages.CommandStatementQuery(query=b"SELECT 1"))[:-4],
    "a message for another verb": pack(messages.DoPutUpdateResult(record_count=1)),
    "Substrait": pack(messages.CommandGetCatalogs()).replace(b"CommandGetCatalogs", b"CommandSubstraitXX"),
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_gets_a_sentence(raw: flight.FlightClient, logged_in: flight.FlightCallOptions, name: str) -> None:
    data = GARBAGE[name]
    texts = [
        refusal(lambda: raw.get_flight_info(flight.FlightDescriptor.for_command(data), logged_in)),
        refusal(lambda: raw.get_schema(flight.FlightDescriptor.for_command(data), logged_in)),
        refusal(lambda: raw.do_get(flight.Ticket(data), logged_in).read_all()),
        refusal(lambda: put(raw, logged_in, flight.FlightDescriptor.for_command(data))),
    ]
    assert all(text.startswith(("INVALID_ARGUMENTS: ", "NOT_SUPPORTED: ")) for text in texts), texts


def put(
    client: flight.FlightClient,
    call: flight.FlightCallOptions,
    descriptor: flight.FlightDescriptor,
    batch: pa.RecordBatch | None = None,
) -> bytes:
    rows = batch if batch is not None else pa.record_batch({"x": [1]})
    writer, answers = client.do_put(descriptor, rows.schema, call)
    try:
        writer.write_batch(rows)
        writer.done_writing()
        answer = answers.read()
    finally:
        writer.close()
    return answer.to_pybytes() if answer else b""


STATEMENTS = {
    "invalid UTF-8": (b"SELECT '\xff'", "INVALID_ARGUMENTS: The statement is not valid UTF-8 at byte 9"),
    "a surrogate": ("SELECT '\ud800'".encode("utf-8", "surrogatepass"), "INVALID_ARGUMENTS: The statement is not valid UTF-8"),
    "a NUL": (b"SELECT '\0'", "SYNTAX_ERROR: The statement contains a NUL character"),
    "nothing": (b"", "SYNTAX_ERROR: The statement is empty"),
    "2 MB": (b"SELECT '" + b"x" * (2 << 20) + b"'", "QUERY_TEXT_TOO_LARGE"),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements_that_are_no_text(raw: flight.FlightClient, logged_in: flight.FlightCallOptions, name: str) -> None:
    sql, text = STATEMENTS[name]
    prepare = pack(messages.ActionCreatePreparedStatementRequest(query=sql))
    for attempt in (
        lambda: raw.get_flight_info(query(sql), logged_in),
        lambda: raw.get_schema(query(sql), logged_in),
        lambda: act(raw, logged_in, "CreatePreparedStatement", prepare),
        lambda: put(raw, logged_in, command(messages.CommandStatementUpdate(query=sql))),
    ):
        assert refusal(attempt).startswith(text)


ACTIONS = {
    "an unknown action": ("Dance", b"", "NOT_SUPPORTED: The action 'Dance'"),
    "a transaction": ("BeginTransaction", b"", "NOT_SUPPORTED: Transactions are not supported"),
    "the end of one": ("EndTransaction", b"", "NOT_SUPPORTED: Transactions are not supported"),
    "a savepoint": ("BeginSavepoint", b"", "NOT_SUPPORTED: Transactions are not supported"),
    "Substrait": ("CreatePreparedSubstraitPlan", b"", "NOT_SUPPORTED: Substrait"),
    "an empty body": ("CreatePreparedStatement", b"", "INVALID_ARGUMENTS: "),
    "another message": ("CreatePreparedStatement", pack(messages.CommandGetCatalogs()), "INVALID_ARGUMENTS: The action takes"),
    "noise to cancel": ("CancelFlightInfo", b"\xff\xff", "INVALID_ARGUMENTS: "),
    "no info to cancel": ("CancelFlightInfo", b"", "INVALID_ARGUMENTS: "),
    "a broken info": (
        "CancelFlightInfo",
        messages.CancelFlightInfoRequest(info=b"\xff\xff").SerializeToString(),
        "INVALID_ARGUMENTS: ",
    ),
    "noise as options": ("SetSessionOptions", b"\xff\xff", "INVALID_ARGUMENTS: "),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_actions_that_make_no_sense(raw: flight.FlightClient, logged_in: flight.FlightCallOptions, name: str) -> None:
    action, body, text = ACTIONS[name]
    assert refusal(lambda: act(raw, logged_in, action, body)).startswith(text)


def test_the_other_verbs_say_that_they_are_not_there(raw: flight.FlightClient, logged_in: flight.FlightCallOptions) -> None:
    def exchange() -> None:
        writer, reader = raw.do_exchange(query("SELECT 1"), logged_in)
        with writer:
            reader.read_chunk()

    assert refusal(lambda: list(raw.list_flights(b"", logged_in))).startswith("NOT_SUPPORTED: ListFlights")
    assert refusal(exchange).startswith("NOT_SUPPORTED: DoExchange")
    path = flight.FlightDescriptor.for_path("a", "b")
    assert refusal(lambda: raw.get_flight_info(path, logged_in)).startswith("INVALID_ARGUMENTS: The descriptor")
    assert "CloseSession" in [action.type for action in raw.list_actions(logged_in)]


def test_a_transaction_id_is_refused_everywhere(raw: flight.FlightClient, logged_in: flight.FlightCallOptions) -> None:
    for attempt in (
        lambda: raw.get_flight_info(command(messages.CommandStatementQuery(query=b"SELECT 1", transaction_id=b"t")), logged_in),
        lambda: put(raw, logged_in, command(messages.CommandStatementUpdate(query=b"SELECT 1", transaction_id=b"t"))),
        lambda: put(raw, logged_in, command(messages.CommandStatementIngest(table="t", transaction_id=b"t"))),
    ):
        assert refusal(attempt).startswith("NOT_SUPPORTED: Transactions are not supported")


PREPARED = {
    messages.CommandPreparedStatementQuery: "NOT_FOUND: The prepared statement",
    messages.CommandPreparedStatementUpdate: "NOT_FOUND: The prepared statement",
}


@pytest.mark.parametrize("kind", PREPARED)
def test_an_unknown_prepared_statement(raw: flight.FlightClient, logged_in: flight.FlightCallOptions, kind: Any) -> None:
    assert refusal(lambda: put(raw, logged_in, command(kind(prepared_statement_handle=b"x")))).startswith(PREPARED[kind])


def test_a_prepared_statement_ends_when_it_is_closed(door: FlightDoor) -> None:
    with FlightClient(door.address, user="root", password="secret") as client:  # noqa: S106
        prepared = client.prepare("SELECT ?")
        prepared.close()
        with pytest.raises(SqeError, match="unknown or closed"):
            prepared.execute([1])


def test_too_many_or_too_few_parameters(raw: flight.FlightClient, logged_in: flight.FlightCallOptions) -> None:
    body = pack(messages.ActionCreatePreparedStatementRequest(query=b"SELECT ?, ?"))
    [answer] = act(raw, logged_in, "CreatePreparedStatement", body)
    handle = unpack(answer).prepared_statement_handle
    bound = command(messages.CommandPreparedStatementQuery(prepared_statement_handle=handle))
    assert refusal(lambda: raw.get_flight_info(bound, logged_in)).startswith("INVALID_PARAMETER_USAGE: ")
    three = pa.record_batch({"a": [1], "b": [2], "c": [3]})
    assert refusal(lambda: put(raw, logged_in, bound, three)) == "INVALID_PARAMETER_USAGE: The statement has 2 parameters, not 3"


def test_bytes_that_are_not_even_grpc(door: FlightDoor, raw: flight.FlightClient, logged_in: flight.FlightCallOptions) -> None:
    for noise in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 1000, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 100):
        with socket.create_connection(("127.0.0.1", door.port)) as connection:
            connection.sendall(noise)
    assert raw.get_flight_info(query("SELECT 1"), logged_in).endpoints


KILLED = """
import os, sys
import pyarrow as pa
from sqe.client import FlightClient

def batches():
    for number in range(100):
        yield pa.record_batch({"id": list(range(10000))})
    os.kill(os.getpid(), 9)

data = pa.RecordBatchReader.from_batches(pa.schema([("id", pa.int64())]), batches())
FlightClient(sys.argv[1], user="root", password="secret").ingest("half", data, mode="append")
"""


def until_ended(handler: QueryHandler, sql: str) -> list[str]:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        states = [event.state for event in handler.queries() if event.sql == sql]
        if states and all(state.ended for state in states):
            return [state.value for state in states]
        time.sleep(0.05)
    return []


def test_a_client_killed_in_the_middle_of_an_ingest_leaves_the_table_as_it_was(door: FlightDoor, handler: QueryHandler) -> None:
    with FlightClient(door.address, user="root", password="secret") as client:  # noqa: S106
        client.execute("CREATE TABLE half (id BIGINT)").close()
        assert subprocess.run([sys.executable, "-c", KILLED, door.address], check=False).returncode == -9
        states = until_ended(handler, "INGEST INTO half")
        assert states == ["CANCELED"]
        assert client.execute("SELECT count(*) AS n FROM half").read_all().to_pylist() == [{"n": 0}]


# The session and the door.


def test_session_options_are_what_set_and_use_see(door: FlightDoor) -> None:
    with FlightClient(door.address, user="root", password="secret") as client:  # noqa: S106
        client.execute("CREATE SCHEMA optional").close()
        client.set_options(schema="optional", time_zone="Europe/Paris")
        assert client.execute("SELECT current_schema(), current_timezone()").read_all().to_pylist() == [
            {"current_schema()": "optional", "current_timezone()": "Europe/Paris"}
        ]
        client.execute("SET time_zone = 'Asia/Tokyo'").close()
        shown = client.options()
        assert (shown["catalog"], shown["schema"], shown["time_zone"]) == ("lake", "optional", "Asia/Tokyo")
        for wrong in ({"no_such": "1"}, {"catalog": "nowhere"}, {"shuffle_partitions": "many"}, {"schema": "a`b'\"; DROP"}):
            with pytest.raises(SqeError, match=next(iter(wrong))):
                client.set_options(**wrong)
        assert client.options() == shown


def test_a_client_without_credentials_at_a_unix_socket(handler: QueryHandler, sessions: Sessions, tmp_path: Path) -> None:
    where = f"grpc+unix://{tmp_path}/flight.sock"
    everyone = authenticator(Auth(providers=(AnonymousProvider("me"),)))
    with FlightDoor(handler=handler, sessions=sessions, authenticator=everyone, location=where, anonymous=True):
        header = {"x-sqe-session": f'{{"warehouse": "{tmp_path}/own", "catalogs": {{"other": "{tmp_path}/other"}}}}'}
        with FlightClient(where, session_headers=header) as one, FlightClient(where) as two:
            one.execute("CREATE TABLE here AS SELECT 1 AS x").close()
            assert (one.catalogs(), two.catalogs()) == (["lake", "other"], ["lake"])
            with pytest.raises(SqeError, match="TABLE_NOT_FOUND"):
                two.execute("SELECT * FROM here")
        with pytest.raises(SqeError, match="x-sqe-session is not well-formed"):
            FlightClient(where, session_headers={"x-sqe-session": "{}"})
    assert not (tmp_path / "flight.sock").exists()


def test_a_client_of_a_server_cannot_choose_its_warehouse(door: FlightDoor, tmp_path: Path) -> None:
    header = {"x-sqe-session": f'{{"warehouse": "{tmp_path}", "catalogs": {{"mine": "{tmp_path}"}}}}'}
    with FlightClient(door.address, user="root", password="secret", session_headers=header) as client:  # noqa: S106
        assert client.catalogs() == ["lake"]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes a certificate with openssl")
def test_a_port_in_use_is_one_sentence(door: FlightDoor, handler: QueryHandler, sessions: Sessions) -> None:
    nobody = authenticator(Auth(providers=()))
    with pytest.raises(SqeError, match=f"The Flight SQL door cannot listen on 127.0.0.1:{door.port}"):
        FlightDoor(handler=handler, sessions=sessions, authenticator=nobody, port=door.port).start()


def test_a_stopped_door_ends_streams_and_frees_its_port(handler: QueryHandler, sessions: Sessions) -> None:
    everyone = authenticator(Auth(providers=(AnonymousProvider("me"),)))
    door = FlightDoor(handler=handler, sessions=sessions, authenticator=everyone, anonymous=True)
    door.start()
    client = FlightClient(door.address)
    batches = client.execute("SELECT id, uuid() FROM range(100000000)").batches()
    next(batches)
    port = door.port
    door.stop()
    with pytest.raises(SqeError):
        list(batches)
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))
    client.close()
