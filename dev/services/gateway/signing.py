"""Signatures for one table and one user: clients send each request to the store here first, and never see a key."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from dev.services.gateway.answers import BadRequest, Forbidden
from dev.services.gateway.vending import Store

READING = ("GET", "HEAD")

_KEY = re.compile(r"<Key>([^<]*)</Key>")


class Signer:
    def __init__(self, store: Store) -> None:
        self._store = store

    def config(self, uri: str, endpoint: str) -> dict[str, str]:
        """What a table comes with: where its requests are signed. The names of Iceberg 1.12 and those before it."""
        return {
            "s3.remote-signing-enabled": "true",
            "signer.uri": uri,
            "signer.endpoint": endpoint,
            "s3.signer.uri": uri,
            "s3.signer.endpoint": endpoint,
            "s3.endpoint": self._store.vended_endpoint,
            "s3.path-style-access": "true",
            "client.region": self._store.region,
        }

    def sign(self, location: str, asked: dict[str, Any]) -> dict[str, Any]:
        """Only what lies below the table: its own objects, and those that a request to delete several names."""
        try:
            method, uri, headers = asked["method"], asked["uri"], asked["headers"]
            plain = {name: values[0] for name, values in headers.items()}
        except (KeyError, TypeError, IndexError, AttributeError) as failure:
            raise BadRequest("A request to sign has a method, an address and headers") from failure
        _check(location, method, uri, asked.get("body") or "")
        request = AWSRequest(method=method, url=uri, headers=plain)
        request.context["payload_signing_enabled"] = False
        S3SigV4Auth(Credentials(self._store.keys.access_key, self._store.keys.secret_key), "s3", self._store.region).add_auth(
            request
        )
        return {"uri": uri, "headers": {name: [value] for name, value in request.headers.items()}}


def _check(location: str, method: str, uri: str, body: str) -> None:
    place, target = urlsplit(location), urlsplit(uri)
    bucket, prefix = place.netloc, place.path.strip("/") + "/"
    path = unquote(target.path).lstrip("/")
    if ".." in path.split("/"):
        raise Forbidden("No signature is given for this address")
    if method == "POST" and "delete" in parse_qs(target.query, keep_blank_values=True):
        keys = _KEY.findall(body)
        if path.strip("/") == bucket and keys and all(key.startswith(prefix) and ".." not in key.split("/") for key in keys):
            return
    elif path.startswith(f"{bucket}/{prefix}"):
        return
    raise Forbidden("No signature is given for this address")
