"""The token of an AWS log-in: a GetCallerIdentity request that the client signed (SigV4) and that the server sends to STS.

    aws-sts-v1.<base64url of {"headers": {…}, "body": "Action=GetCallerIdentity&Version=2011-06-15"}>

It holds no address, no method and no path: those are the server's. What it may hold is listed here, and everything else is
refused. A header that STS would take into account (a target host, a format of the answer) is a way to make it say something else.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

PREFIX = "aws-sts-v1."
SERVER_ID_HEADER = "x-sqe-server-id"
BODY = "Action=GetCallerIdentity&Version=2011-06-15"
CONTENT_TYPE = "application/x-www-form-urlencoded; charset=utf-8"

# A session token of STS takes up to 2 kB today and has no stated limit; 4 kB of it and the rest in base64 stay below this.
LONGEST_TOKEN = 8192

_HEADERS = frozenset(
    ("authorization", "content-type", "host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token", SERVER_ID_HEADER)
)
_MUST_BE_SIGNED = frozenset(("host", "x-amz-date", SERVER_ID_HEADER))
_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[A-Za-z0-9_]{4,128})/(?P<day>[0-9]{8})/(?P<region>[a-z0-9-]{1,64})/sts/aws4_request, ?"
    r"SignedHeaders=(?P<signed>[a-z0-9;-]{1,512}), ?Signature=(?P<signature>[0-9a-f]{64})"
)
_PRINTABLE = re.compile(r"[\x20-\x7e]*")


class Malformed(Exception):
    """Not a token that any client of ours would make."""


@dataclass(frozen=True)
class SignedRequest:
    """What the client signed, as far as it can be judged without the key: its form is right, its signature unknown."""

    headers: Mapping[str, str]
    signature: str
    signed_at: datetime

    @property
    def server_id(self) -> str:
        return self.headers[SERVER_ID_HEADER]

    @property
    def host(self) -> str:
        return self.headers["host"]


def encoded(headers: Mapping[str, str]) -> str:
    text = json.dumps({"headers": dict(headers), "body": BODY}, separators=(",", ":"))
    return PREFIX + base64.urlsafe_b64encode(text.encode("ascii")).decode("ascii").rstrip("=")


def decoded(token: str) -> SignedRequest:
    headers = _headers(_json(token))
    found = _AUTHORIZATION.fullmatch(headers.get("authorization", ""))
    if found is None:
        raise Malformed
    signed = found["signed"].split(";")
    if signed != sorted(set(signed)) or not _MUST_BE_SIGNED <= set(signed) <= headers.keys():
        raise Malformed
    # What is sent along without being signed could be anybody's.
    if not headers.keys() - {"authorization", "content-type"} <= set(signed):
        raise Malformed
    return SignedRequest(headers, found["signature"], _time(headers["x-amz-date"], found["day"]))


def _json(token: str) -> Any:
    if len(token) > LONGEST_TOKEN or not token.startswith(PREFIX):
        raise Malformed
    payload = token.removeprefix(PREFIX)
    try:
        # The strict decoder: the lenient one skips characters that it does not know.
        raw = base64.b64decode(payload.translate(_STANDARD_ALPHABET) + "=" * (-len(payload) % 4), validate=True)
        return json.loads(raw.decode("ascii"))
    except (binascii.Error, ValueError, RecursionError):
        raise Malformed from None


# "+" and "/" become what no alphabet has, so that a token has one spelling.
_STANDARD_ALPHABET = str.maketrans("-_+/", "+/  ")


def _headers(raw: Any) -> dict[str, str]:
    if not isinstance(raw, dict) or raw.keys() != {"headers", "body"} or raw["body"] != BODY:
        raise Malformed
    given = raw["headers"]
    if not isinstance(given, dict):
        raise Malformed
    headers: dict[str, str] = {}
    for name, value in given.items():
        lower = name.lower()
        if lower not in _HEADERS or lower in headers or not isinstance(value, str) or not _PRINTABLE.fullmatch(value):
            raise Malformed
        headers[lower] = value
    if headers.get("content-type", CONTENT_TYPE).lower() != CONTENT_TYPE:
        raise Malformed
    return headers


def _time(text: str, day: str) -> datetime:
    if not re.fullmatch(r"[0-9]{8}T[0-9]{6}Z", text) or not text.startswith(day):
        raise Malformed
    try:
        return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise Malformed from None
