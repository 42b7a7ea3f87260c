"""S3 and STS clients for a store on the loopback address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

_QUICK = Config(
    connect_timeout=2,
    read_timeout=10,
    retries={"max_attempts": 1, "mode": "standard"},
    proxies={},
    s3={"addressing_style": "path"},
)


@dataclass(frozen=True)
class Keys:
    access_key: str
    secret_key: str
    session_token: str | None = None


def client(service: str, endpoint: str, keys: Keys, region: str = "us-east-1") -> Any:
    """A botocore client (it has no types) with these keys and nothing of the environment's."""
    return botocore.session.Session().create_client(
        service,
        endpoint_url=endpoint,
        region_name=region,
        aws_access_key_id=keys.access_key,
        aws_secret_access_key=keys.secret_key,
        aws_session_token=keys.session_token,
        config=_QUICK,
    )


def bucket_exists(endpoint: str, keys: Keys, bucket: str) -> bool:
    try:
        client("s3", endpoint, keys).head_bucket(Bucket=bucket)
    except (BotoCoreError, ClientError):
        return False
    return True
