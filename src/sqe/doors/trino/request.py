"""What a client says about itself and its session in the headers of a request."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote_plus
from zoneinfo import ZoneInfo

import pyarrow as pa

from sqe.doors.trino.pages import chosen_encoding

Headers = Mapping[str, Sequence[str]]

PREFIX = "x-trino-"

# A prepared statement that a client keeps for us, compressed as Trino does; no valid statement begins with a dollar sign.
ZSTD = "$zstd:"
LONGEST_PREPARED = 4 << 20
MOST_PREPARED = 1000


class BadRequest(Exception):
    """The headers are not what the protocol says: HTTP 400, with this sentence."""


@dataclass(frozen=True)
class ClientRequest:
    """One request's session, as far as the client keeps it."""

    user: str = ""
    source: str = ""
    catalog: str = ""
    schema: str = ""
    path: str = ""
    time_zone: str = ""
    language: str = ""
    trace_token: str = ""
    client_info: str = ""
    client_tags: tuple[str, ...] = ()
    capabilities: frozenset[str] = frozenset()
    encoding: str | None = None
    transaction: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    prepared: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(headers: Headers) -> ClientRequest:
        given = _Given(headers)
        given.pairs("extra-credential")  # read for its form alone: no catalog of ours takes them
        schema, catalog = given.one("schema"), given.one("catalog")
        if schema and not catalog:
            raise BadRequest("Schema is set but catalog is not")
        transaction = given.one("transaction-id")
        return ClientRequest(
            user=given.one("user"),
            source=given.one("source"),
            catalog=catalog,
            schema=schema,
            path=given.one("path"),
            time_zone=_zone(given.one("time-zone")),
            language=given.one("language"),
            trace_token=given.one("trace-token"),
            client_info=given.one("client-info"),
            client_tags=tuple(given.listed("client-tags")),
            capabilities=frozenset(given.listed("client-capabilities")),
            encoding=chosen_encoding(given.listed("query-data-encoding")),
            transaction="" if transaction.upper() == "NONE" else transaction,
            properties=given.pairs("session"),
            roles=given.pairs("role"),
            prepared=_prepared(given.pairs("prepared-statement")),
        )


class _Given:
    def __init__(self, headers: Headers) -> None:
        self._headers = headers

    def one(self, name: str) -> str:
        """The one value; two that differ would let a proxy judge the one and us the other."""
        values = set(self._headers.get(PREFIX + name, ()))
        if len(values) > 1:
            raise BadRequest(f"Header {shown(name)} is set twice")
        return values.pop().strip() if values else ""

    def listed(self, name: str) -> list[str]:
        values = self._headers.get(PREFIX + name, ())
        return [part.strip() for value in values for part in value.split(",") if part.strip()]

    def pairs(self, name: str) -> dict[str, str]:
        found = {}
        for part in self.listed(name):
            key, equals, value = part.partition("=")
            if not equals or not key.strip() or "=" in value:
                raise BadRequest(f"Invalid {shown(name)} header")
            try:
                found[unquote_plus(key.strip(), errors="strict")] = unquote_plus(value.strip(), errors="strict")
            except UnicodeDecodeError:
                raise BadRequest(f"Invalid {shown(name)} header") from None
        return found


def shown(name: str) -> str:
    return "X-Trino-" + "-".join(word.capitalize() for word in name.split("-"))


def _zone(name: str) -> str:
    if not name or is_zone(name):
        return name
    raise BadRequest("Time zone not supported")


def is_zone(name: str) -> bool:
    """Whether the engine will know it, too: a region, or an offset such as +02:00."""
    if len(name) == 6 and name[0] in "+-" and name[3] == ":" and (name[1:3] + name[4:]).isdigit():
        return int(name[1:3]) < 18 and int(name[4:]) < 60
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # KeyError: ZoneInfoNotFoundError
        return False
    return True


def _prepared(statements: Mapping[str, str]) -> dict[str, str]:
    if len(statements) > MOST_PREPARED:
        raise BadRequest("Too many prepared statements")
    return {name: _decompressed(text) for name, text in statements.items()}


def _decompressed(text: str) -> str:
    if not text.startswith(ZSTD):
        return text
    encoded = text.removeprefix(ZSTD)
    try:
        data = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
        # Read as a stream: what the frame says about its size may be a lie, or true and enormous.
        with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
            plain = stream.read(LONGEST_PREPARED + 1)
        if len(plain) > LONGEST_PREPARED:
            raise BadRequest("A prepared statement is too long")
        return str(plain, "utf-8")
    except (binascii.Error, ValueError, OSError, pa.ArrowException):
        raise BadRequest(f"Invalid {shown('prepared-statement')} header") from None


def compressed(text: str) -> str:
    """As a client shall keep it: long ones compressed, when that helps."""
    if len(text) < 2048:
        return text
    short = ZSTD + base64.urlsafe_b64encode(pa.Codec("zstd").compress(text.encode(), asbytes=True)).decode("ascii")
    return short if len(short) + 512 <= len(text) else text
