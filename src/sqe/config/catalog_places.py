"""Contradictions between a catalog's type and where it is said to be: its address, its warehouse, its keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqe.config.catalogs import Catalog, table_bucket_region
from sqe.config.positions import Path
from sqe.config.sections import Storage

# How addresses of a type begin.
_ADDRESSES = {
    "jdbc": ("jdbc:postgresql:", "jdbc:mysql:", "jdbc:sqlite:"),
    "hive": ("thrift://",),
    "rest": ("http://", "https://"),
    "glue": ("http://", "https://"),
    "s3tables": ("http://", "https://"),
}


def findings(catalog: Catalog, path: Path, title: str, storage: Storage) -> Iterator[tuple[tuple[Path, ...], str]]:
    kind, uri = (*path, "type"), (*path, "uri")
    beginnings = _ADDRESSES.get(catalog.backend, ())
    if catalog.uri and beginnings and not catalog.uri.startswith(beginnings):
        yield (kind, uri), f"{title}.uri of type {catalog.type!r} must begin with {' or '.join(beginnings)}"
    if catalog.uri and catalog.backend == "jdbc" and re.search(r"[?&;]password=|//[^/@]*:[^/@]*@", catalog.uri, re.IGNORECASE):
        yield (uri,), f"{title}.uri must not hold a password: it is shown with the settings; the key 'password' is not"
    if catalog.backend == "hadoop" and catalog.warehouse and re.match(r"(s3[an]?|gs|abfss?|https?):", catalog.warehouse):
        sentence = f"{title}.warehouse of type 'hadoop' must be on a file system: object stores have no atomic rename"
        yield (kind, (*path, "warehouse")), sentence
    elif catalog.backend in ("jdbc", "hive") and re.match(r"abfss?:", catalog.warehouse or "") and not storage.adls_account_key:
        # Azure's libraries would go on to look for the machine's own identity.
        sentence = f"{title}.warehouse is in Azure: it needs adls_account and adls_account_key of [storage]"
        yield ((*path, "warehouse"),), sentence
    elif catalog.backend in ("jdbc", "hive") and re.match(r"wasbs?:", catalog.warehouse or ""):
        yield ((*path, "warehouse"),), f"{title}.warehouse begins with wasb, which Iceberg does not open: use abfss://"
    if catalog.backend == "glue" and catalog.warehouse and not catalog.warehouse.startswith("s3://"):
        yield (kind, (*path, "warehouse")), f"{title}.warehouse of type 'glue' must begin with s3://"
    if catalog.table_bucket_arn and table_bucket_region(catalog.table_bucket_arn) is None:
        yield ((*path, "table_bucket_arn"),), f"{title}.table_bucket_arn is not the ARN of a table bucket"
    # (Samples of `s3tables` are written without keys, and load; statements then say what is missing.)
    if catalog.auth_mode == "sigv4" and catalog.type != "s3tables" and not (catalog.access_key or storage.has_s3_keys):
        # AWS' libraries would go on to look for the machine's own identity: a service account that nobody wrote down.
        sentence = f"{title} needs the keys 'access_key' and 'secret_key', or those of [storage]: the machine's are never used"
        yield (kind, (*path, "auth"), (*path, "access_key")), sentence
