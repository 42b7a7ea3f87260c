"""AWS Glue's data catalog, by its own API. (Its Iceberg REST endpoint is a `rest` catalog with `auth = "sigv4"`.)"""

from __future__ import annotations

from collections.abc import Mapping

from sqe.engine.catalogs import aws, identity, storage


def settings(name: str, catalog: Mapping[str, str], session_id: str) -> dict[str, str]:
    found = aws.keys(catalog)
    result = {
        "type": "glue",
        "warehouse": catalog["warehouse"],
        "io-impl": storage.S3_FILES_AND_METADATA,
        **storage.s3(catalog),
        # One identity for Glue and for the files: with a provider, Iceberg does not look at keys of S3's own.
        "client.region": aws.region(catalog),
        **(identity.fixed_keys(*found) if found else {}),
        # Glue knows small letters only, and refuses others.
        "lower-case-names": "true",
    }
    if endpoint := catalog.get("uri"):
        result["glue.endpoint"] = endpoint
    if account := catalog.get("catalog_id"):
        result["glue.id"] = account
    return result
