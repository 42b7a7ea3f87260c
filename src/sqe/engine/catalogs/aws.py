"""What catalogs of AWS have in common: a region, and keys from sqe.toml. The machine's own identity is never used."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from sqe import errors
from sqe.engine.catalogs import storage
from sqe.errors import SqeError

_ENDPOINT = re.compile(r"(?P<service>glue|s3tables)\.(?P<region>[a-z0-9-]+)\.(amazonaws\.com|api\.aws)")


def keys(catalog: Mapping[str, str]) -> tuple[str, str]:
    found = storage.keys(catalog)
    if found is None:
        raise SqeError(errors.CONFIGURATION_INVALID, "The catalog needs access_key and secret_key, or those of [storage]")
    return found


def region(catalog: Mapping[str, str]) -> str:
    told = catalog.get("region") or _part("region", catalog) or catalog.get("s3_region")
    return told or "us-east-1"


def signed(catalog: Mapping[str, str]) -> dict[str, str]:
    """A REST catalog whose requests are signed (SigV4), as AWS wants it."""
    key, secret = keys(catalog)
    return {
        "rest.auth.type": "sigv4",
        # Iceberg's default would look for an OAuth2 token to sign along.
        "rest.auth.sigv4.delegate-auth-type": "none",
        "rest.signing-name": catalog.get("signing_name") or _part("service", catalog) or "execute-api",
        "rest.signing-region": region(catalog),
        "rest.access-key-id": key,
        "rest.secret-access-key": secret,
    }


def _part(name: str, catalog: Mapping[str, str]) -> str | None:
    """AWS' own endpoints say what and where they are."""
    found = _ENDPOINT.fullmatch(urlsplit(catalog.get("uri", "")).hostname or "")
    return found[name] if found else None
