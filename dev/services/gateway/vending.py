"""Keys for one table and one user: an STS session whose policy names the table's prefix and nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from botocore.exceptions import BotoCoreError, ClientError

from dev.services.gateway.answers import Forbidden, Unavailable
from dev.services.s3 import Keys, client

# What a policy would take for a wildcard or a variable must not come from a table's name.
_PLAIN_PATH = re.compile(r"[\w/-]+")

_READ = ["s3:GetObject"]
_WRITE = [*_READ, "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"]


@dataclass(frozen=True)
class Store:
    endpoint: str
    region: str
    role: str
    keys: Keys
    seconds: int
    vended_endpoint: str  # where clients reach it: the store itself, or what a test put before it


@dataclass(frozen=True)
class Vended:
    access_key: str
    prefix: str
    config: dict[str, str]


class Vendor:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._sts = client("sts", store.endpoint, store.keys, store.region)

    def vend(self, location: str, writable: bool, user: str, refresh: str) -> Vended:
        """`user` names the session: it is what the store knows of the person. `refresh` is where new keys can be had."""
        place = urlsplit(location)
        path = place.path.strip("/")
        if place.scheme != "s3" or not _PLAIN_PATH.fullmatch(path):
            raise Forbidden("No credentials are given for this location")
        answer = self._assume(_policy(place.netloc, path, writable), user)
        config = {
            "s3.access-key-id": answer["AccessKeyId"],
            "s3.secret-access-key": answer["SecretAccessKey"],
            "s3.session-token": answer["SessionToken"],
            "s3.session-token-expires-at-ms": str(int(answer["Expiration"].timestamp() * 1000)),
            "s3.endpoint": self._store.vended_endpoint,
            "s3.path-style-access": "true",
            "client.region": self._store.region,
            "client.refresh-credentials-endpoint": refresh,
        }
        return Vended(answer["AccessKeyId"], f"{location.rstrip('/')}/", config)

    def _assume(self, policy: object, user: str) -> dict[str, Any]:
        session = re.sub(r"[^\w+=,.@-]", "-", user)[:64]
        try:
            answer = self._sts.assume_role(
                RoleArn=self._store.role,
                RoleSessionName=session,
                Policy=json.dumps(policy),
                DurationSeconds=self._store.seconds,
            )
        except (BotoCoreError, ClientError) as failure:
            raise Unavailable("The object store gives no credentials") from failure
        credentials: dict[str, Any] = answer["Credentials"]
        return credentials


def _policy(bucket: str, path: str, writable: bool) -> object:
    objects = {
        "Effect": "Allow",
        "Action": _WRITE if writable else _READ,
        "Resource": [f"arn:aws:s3:::{bucket}/{path}/*"],
    }
    listing = {
        "Effect": "Allow",
        "Action": ["s3:ListBucket"],
        "Resource": [f"arn:aws:s3:::{bucket}"],
        "Condition": {"StringLike": {"s3:prefix": [f"{path}/*"]}},
    }
    return {"Version": "2012-10-17", "Statement": [objects, listing]}
