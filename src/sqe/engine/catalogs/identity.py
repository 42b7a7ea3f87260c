"""`[storage] s3_identity`: AWS keys that are not in sqe.toml. One identity, which the administrator chose and all users share.

The driver looks for profiles and tokens where a catalog's settings say, and a REST catalog may add settings of its own: it must
not choose files of this machine, programs that a profile names, or where a token is sent. So what Python says is sealed, with a
key that only Python and its driver have (jvm: S3Identity).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sqe import errors
from sqe.engine.seal import seal
from sqe.errors import SqeError

KEYS_CLASS = "org.apache.spark.sql.sqe.ConfiguredKeys"
IDENTITY_CLASS = "org.apache.spark.sql.sqe.files.S3Identity"

_PROVIDER = "client.credentials-provider"
_SEALED = ("kind", "profile", "file", "role", "token-file", "endpoint", "region")  # in this order (jvm: S3Identity)


def is_chosen(options: Mapping[str, str]) -> bool:
    return "s3_identity" in options


def provider(options: Mapping[str, str], region: str) -> dict[str, str]:
    """Iceberg's settings for the identity that these options chose."""
    match options["s3_identity"]:
        case "environment":
            return _environment()
        case "profile":
            file = options.get("s3_profile_file") or str(Path("~/.aws/credentials").expanduser())
            _check_there(file, "The file with the AWS profile")
            return _sealed({"kind": "profile", "profile": options.get("s3_profile", "default"), "file": file, "region": region})
        case "web_identity":
            token = options["s3_token_file"]
            _check_there(token, "The file with the web identity token")
            facts = {"kind": "web_identity", "role": options["s3_role_arn"], "token-file": token, "region": region}
            return _sealed(facts | ({"endpoint": options["s3_sts_endpoint"]} if "s3_sts_endpoint" in options else {}))
        case other:
            raise SqeError(errors.CONFIGURATION_INVALID, f"There is no storage.s3_identity {other}")


def fixed_keys(key: str, secret: str, token: str | None = None) -> dict[str, str]:
    """Keys by a provider, for services to which Iceberg has no setting for keys."""
    result = {_PROVIDER: KEYS_CLASS, f"{_PROVIDER}.access-key-id": key, f"{_PROVIDER}.secret-access-key": secret}
    return result | ({f"{_PROVIDER}.session-token": token} if token else {})


def _environment() -> dict[str, str]:
    """Read here: the driver has none of these variables."""
    key, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
    if not key or not secret:
        sentence = "The server's environment has no AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: see s3_identity in [storage]"
        raise SqeError(errors.CONFIGURATION_INVALID, sentence)
    return fixed_keys(key, secret, os.environ.get("AWS_SESSION_TOKEN"))


def _check_there(file: str, what: str) -> None:
    if not os.access(file, os.R_OK):
        raise SqeError(errors.CONFIGURATION_INVALID, f"{what} cannot be read: see s3_identity in [storage]")


def _sealed(facts: dict[str, str]) -> dict[str, str]:
    sealed = facts | {"seal": seal("\0".join(facts.get(name, "") for name in _SEALED))}
    return {_PROVIDER: IDENTITY_CLASS} | {f"{_PROVIDER}.{name}": value for name, value in sealed.items()}
