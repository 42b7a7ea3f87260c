"""Where the tables' files lie: the file access that fits a warehouse's location, with what `[storage]` says about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

S3_FILES = "org.apache.iceberg.aws.s3.S3FileIO"

_DEFAULT_REGION = "us-east-1"


def location(warehouse: str) -> str:
    """A folder of this machine as the URI that it is; other URIs as they are."""
    return warehouse if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", warehouse) else Path(warehouse).expanduser().absolute().as_uri()


def in_s3(warehouse: str) -> bool:
    return warehouse.startswith(("s3://", "s3a://", "s3n://"))


def files(warehouse: str, catalog: Mapping[str, str]) -> dict[str, str]:
    """The settings for a warehouse at this location. Elsewhere than in S3, Iceberg's default asks Hadoop's file systems."""
    return {"io-impl": S3_FILES, **s3(catalog)} if in_s3(warehouse) else {}


def s3(catalog: Mapping[str, str]) -> dict[str, str]:
    """`[storage]`, for what a catalog leaves open."""
    result = {
        "client.region": catalog.get("s3_region") or catalog.get("region") or _DEFAULT_REGION,
        # A store that hangs must not hang a statement: a task that waits for it keeps its core until this is over, also when
        # its statement was cancelled.
        "http-client.apache.connection-timeout-ms": "5000",
        "http-client.apache.socket-timeout-ms": "10000",
        # A store that is down is told after 8 s at the latest; Iceberg's own tries take up to 46 s.
        "s3.retry.num-retries": "4",
        "s3.retry.min-wait-ms": "500",
        "s3.retry.max-wait-ms": "4000",
    }
    if endpoint := catalog.get("s3_endpoint"):
        result["s3.endpoint"] = endpoint
    if catalog.get("s3_path_style") == "true":
        result["s3.path-style-access"] = "true"
    if found := keys(catalog):
        result |= {"s3.access-key-id": found[0], "s3.secret-access-key": found[1]}
    return result


def keys(catalog: Mapping[str, str]) -> tuple[str, str] | None:
    """The AWS keys of a catalog: its own, else those of `[storage]`; None when sqe.toml has neither."""
    for name, secret in (("access_key", "secret_key"), ("s3_access_key", "s3_secret_key")):
        if key := catalog.get(name):
            return key, catalog[secret]
    return None
