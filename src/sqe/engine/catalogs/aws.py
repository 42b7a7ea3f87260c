"""What catalogs of AWS have in common: a region, and keys of their own, of `[storage]`, or of what `s3_identity` chose there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from sqe import errors
from sqe.engine.catalogs import identity, storage
from sqe.errors import SqeError

_ENDPOINT = re.compile(r"(?P<service>glue|s3tables)\.(?P<region>[a-z0-9-]+)\.(amazonaws\.com|api\.aws)")


def keys(catalog: Mapping[str, str]) -> tuple[str, str] | None:
    """None when the server's own identity stands for them (`storage.s3` has it)."""
    found = storage.keys(catalog)
    if found is None and not identity.is_chosen(catalog):
        raise SqeError(errors.CONFIGURATION_INVALID, "The catalog needs access_key and secret_key, or those of [storage]")
    return found


def region(catalog: Mapping[str, str]) -> str:
    told = catalog.get("region") or _part("region", catalog) or catalog.get("s3_region")
    return told or "us-east-1"


def signed(catalog: Mapping[str, str]) -> dict[str, str]:
    """A REST catalog whose requests are signed (SigV4), as AWS wants it."""
    found = keys(catalog)
    result = {
        "rest.auth.type": "sigv4",
        # Iceberg's default would look for an OAuth2 token to sign along.
        "rest.auth.sigv4.delegate-auth-type": "none",
        "rest.signing-name": catalog.get("signing_name") or _part("service", catalog) or "execute-api",
        "rest.signing-region": region(catalog),
    }
    return result | ({"rest.access-key-id": found[0], "rest.secret-access-key": found[1]} if found else {})


def _part(name: str, catalog: Mapping[str, str]) -> str | None:
    """AWS' own endpoints say what and where they are."""
    found = _ENDPOINT.fullmatch(urlsplit(catalog.get("uri", "")).hostname or "")
    return found[name] if found else None
