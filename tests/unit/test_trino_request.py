"""What the Trino door reads from headers, what it writes into them, and how rows become pages."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote_plus

import pyarrow as pa
import pytest

from sqe.doors.trino.changes import Changes
from sqe.doors.trino.pages import Encoder, chosen_encoding, data_of
from sqe.doors.trino.properties import setting_of, settings_of, warnings_of
from sqe.doors.trino.request import ZSTD, BadRequest, ClientRequest, compressed, is_zone
from sqe.doors.trino.results import Facts, Head, Slug, document, error_object
from sqe.doors.trino.types import trino_type
from sqe.errors import SYNTAX_ERROR, SqeError
from sqe.sql.verbs import verb


def request(**headers: str) -> ClientRequest:
    return ClientRequest.of({f"x-trino-{name.replace('_', '-')}": [value] for name, value in headers.items()})


def test_headers_say_what_the_client_keeps() -> None:
    found = request(
        user="ada",
        catalog="lake",
        schema="shop",
        time_zone="Europe/Paris",
        session="a=1,b=x%2Cy",
        prepared_statement="p=SELECT+%3F",
        client_capabilities="PATH, PARAMETRIC_DATETIME",
        client_tags="x,y",
        transaction_id="NONE",
        role="system=ALL",
        query_data_encoding="json+new, json+zstd, json",
    )
    assert (found.user, found.catalog, found.schema, found.time_zone) == ("ada", "lake", "shop", "Europe/Paris")
    assert found.properties == {"a": "1", "b": "x,y"}
    assert found.prepared == {"p": "SELECT ?"}
    assert found.capabilities == {"PATH", "PARAMETRIC_DATETIME"}
    assert (found.client_tags, found.transaction, found.roles) == (("x", "y"), "", {"system": "ALL"})
    assert found.encoding == "json+zstd"


def test_pairs_in_several_headers_are_one_list() -> None:
    assert ClientRequest.of({"x-trino-session": ["a=1", "b=2"]}).properties == {"a": "1", "b": "2"}


def test_a_header_that_says_two_things_is_refused() -> None:
    with pytest.raises(BadRequest, match="X-Trino-User is set twice"):
        ClientRequest.of({"x-trino-user": ["ada", "root"]})


def test_a_compressed_statement_is_read_back() -> None:
    text = "SELECT 'ü'" + " /* x */" * 1000
    short = compressed(text)
    assert short.startswith(ZSTD)
    assert len(short) < len(text) // 2
    assert request(prepared_statement=f"p={quote_plus(short)}").prepared == {"p": text}
    assert compressed("SELECT 1") == "SELECT 1"


def test_a_small_header_that_becomes_gigabytes_is_refused() -> None:
    bomb = base64.urlsafe_b64encode(pa.Codec("zstd").compress(b" " * (64 << 20), asbytes=True)).decode().rstrip("=")
    assert len(bomb) < 20_000
    with pytest.raises(BadRequest, match="too long"):
        request(prepared_statement=f"p=%24zstd%3A{bomb}")


@pytest.mark.parametrize("zone", ["UTC", "Europe/Paris", "+02:00", "-11:30"])
def test_a_zone_is_a_region_or_an_offset(zone: str) -> None:
    assert is_zone(zone)


@pytest.mark.parametrize("zone", ["", "Nowhere", "../../etc/passwd", "/etc/localtime", "+2", "+99:00", "\0", "a" * 5000])
def test_what_is_no_zone_is_refused(zone: str) -> None:
    assert not is_zone(zone)


def test_properties_become_settings() -> None:
    client = request(time_zone="Asia/Tokyo", session="query_max_run_time=1.5m,spill_enabled=true,time_zone_id=UTC")
    assert settings_of(client) == {"time_zone": "UTC", "query_timeout_seconds": "90"}
    assert warnings_of(client) == ["Session property spill_enabled has no effect on this server"]


@pytest.mark.parametrize(
    ("name", "value"), [("no_such", "1"), ("query_max_run_time", "soon"), ("time_zone_id", "x"), ("max_result_rows", "-1")]
)
def test_a_wrong_property_is_refused(name: str, value: str) -> None:
    with pytest.raises(SqeError) as raised:
        setting_of(name, value)
    assert raised.value.code.name == "INVALID_SESSION_PROPERTY"


def test_changes_cannot_end_a_header() -> None:
    evil = "x\r\nSet-Cookie: a=b"
    changes = Changes(
        catalog=evil,
        schema=evil,
        path=evil,
        set_session=((evil, evil),),
        clear_session=(evil,),
        set_role=((evil, evil),),
        added_prepare=((evil, evil),),
        deallocated_prepare=(evil,),
    )
    written = changes.headers()
    assert len(written) == 8
    assert not [value for _, value in written if "\r" in value or "\n" in value or not value.isascii()]


def chunked(rows: int, encoding: str | None) -> Any:
    batch = pa.record_batch([pa.array(range(rows)), pa.array(["x" * 100] * rows)], names=["n", "text"])
    types = [trino_type(field.type) for field in batch.schema]
    chunks = list(Encoder(batch.schema, types, (), encoding).chunks(batch))
    assert sum(chunk.rows for chunk in chunks) == rows
    return chunks, json.loads(data_of(chunks, encoding))


def test_a_large_batch_goes_in_several_chunks() -> None:
    chunks, rows = chunked(50_000, None)
    assert len(chunks) > 5
    assert rows == [[number, "x" * 100] for number in range(50_000)]


@pytest.mark.parametrize("encoding", ["json", "json+zstd", "json+lz4"])
def test_segments_say_where_they_begin(encoding: str) -> None:
    _, data = chunked(50_000, encoding)
    assert data["encoding"] == encoding
    at = 0
    for segment in data["segments"]:
        facts = segment["metadata"]
        assert (facts["rowOffset"], facts["segmentSize"]) == (at, len(base64.b64decode(segment["data"])))
        at += facts["rowsCount"]
    assert at == 50_000


def test_small_segments_are_not_compressed() -> None:
    _, data = chunked(3, "json+zstd")
    assert "uncompressedSize" not in data["segments"][0]["metadata"]


def test_an_encoding_that_the_server_does_not_have_is_passed_over() -> None:
    assert chosen_encoding(["arrow", "json+lz4", "json"]) == "json+lz4"
    assert chosen_encoding(["arrow"]) is None


def test_an_error_has_its_place_in_message_and_object() -> None:
    said = error_object(SqeError(SYNTAX_ERROR, "Syntax error", line=2, column=5))
    assert said["message"] == "line 2:5: Syntax error"
    assert (said["errorName"], said["errorCode"], said["errorType"]) == ("SYNTAX_ERROR", 1, "USER_ERROR")
    assert said["errorLocation"] == {"lineNumber": 2, "columnNumber": 5}
    assert said["failureInfo"]["stack"] == []


def test_a_page_is_json_with_its_rows_in_it() -> None:
    page = json.loads(document(Head("id", "uri", Facts("RUNNING"), columns=[]), b"[[1]]"))
    assert (page["data"], page["columns"], page["stats"]["state"]) == ([[1]], [], "RUNNING")
    assert "nextUri" not in page


def test_a_slug_is_good_for_its_token_only() -> None:
    slug = Slug()
    assert slug.fits(slug.of(1), 1)
    assert not slug.fits(slug.of(1), 2)
    assert not slug.fits("", 1)
    assert not Slug().fits(slug.of(1), 1)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("create or replace table t (a int)", "CREATE TABLE"),
        ("/* x */ DROP -- y\nSCHEMA s", "DROP SCHEMA"),
        ("COMMENT ON TABLE t IS 'x'", "COMMENT"),
        ("(", "STATEMENT"),
        ("", "STATEMENT"),
    ],
)
def test_a_statement_has_its_verb(sql: str, expected: str) -> None:
    assert verb(sql) == expected
