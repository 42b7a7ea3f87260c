"""`[catalog]` and `[catalogs.NAME]`: one class for all types; each key says which types have it."""

# ruff: noqa: RUF009 - `key` and its kin return dataclass fields, not values

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sqe.config import later
from sqe.config.keys import key
from sqe.config.kinds import NAME, PATH, SECRET, TEXT, URL, choice
from sqe.config.values import Secret

ALIASES = ("polaris", "nessie", "unity", "horizon", "lakeformation")
TYPES = ("sqlite", "rest", *ALIASES, "glue", "s3tables", "hive", "jdbc", "hadoop")
DEFAULT_NAME = "lake"
DEFAULT_FOLDER = "~/.sqe/warehouse"

# Spark's own session catalog, and the one that holds the server's tables about itself.
RESERVED_NAMES = ("spark_catalog", "system")

# What a session shows to its catalogs is fetched in Python; the engine gets the tokens and never what they are had for.
_NOT_FOR_THE_ENGINE = ("name", "token", "client_id", "client_secret", "token_endpoint", "audience", "scope")

_AWS = ("rest", "glue", "s3tables")

# Keys that a type cannot do without.
NEEDS: dict[str, tuple[str, ...]] = {
    "sqlite": ("path",),
    "jdbc": ("uri", "warehouse"),
    "hadoop": ("warehouse",),
    "rest": ("uri",),
    "hive": ("uri",),
    "glue": ("warehouse",),
    "s3tables": ("table_bucket_arn",),
}


@dataclass(frozen=True)
class Catalog:
    """A catalog of Iceberg tables."""

    name: str = key(NAME, "", "Name of the catalog in SQL (default: `lake`). In `[catalogs.NAME]` it is NAME itself.")
    type: str = key(choice(TYPES, later=later.CATALOG_TYPES), "sqlite", "What kind of catalog it is.")
    path: Path | None = key(
        PATH, None, "Folder of the database and the tables (default of `[catalog]`: `~/.sqe/warehouse`).", only=("sqlite",)
    )
    uri: str | None = key(
        URL,
        None,
        "Address of the catalog: for `jdbc` a JDBC URL (PostgreSQL, MySQL, SQLite), for `hive` `thrift://host:9083`; for "
        "`glue` and `s3tables` only where it is not AWS' own.",
        other_names=("polaris_url",),
        only=("jdbc", "rest", "hive", "glue", "s3tables"),
    )
    warehouse: str | None = key(
        TEXT, None, "Location of the tables, as a path or a URI.", only=("jdbc", "hadoop", "rest", "hive", "glue")
    )
    user: str | None = key(TEXT, None, "Database user.", only=("jdbc",))
    password: Secret | None = key(SECRET, None, "Password of the database user.", only=("jdbc",))
    stored_name: str | None = key(
        NAME,
        None,
        "Name that the database's rows carry (default: the catalog's); engines that share it must agree on it.",
        only=("jdbc",),
    )
    auth: str | None = key(
        choice(("session_bearer", "token_exchange", "client_credentials", "static", "sigv4", "none")),
        None,
        "Whose identity reaches the catalog: the user's own token (`session_bearer`, the default), one exchanged for it "
        "(`token_exchange`), or for all users the same (`client_credentials`, `static`, `sigv4`: AWS keys, `none`).",
        only=("rest",),
    )
    audience: str | None = key(TEXT, None, "Audience that tokens are exchanged for (`token_exchange`).", only=("rest",))
    token: Secret | None = key(SECRET, None, "Token that everybody shows (`static`).", only=("rest",))
    token_endpoint: str | None = key(
        URL, None, "Where tokens are had (`token_exchange`, `client_credentials`; default: that of `[auth]`).", only=("rest",)
    )
    client_id: str | None = key(
        TEXT,
        None,
        "This server's client there (`token_exchange`, `client_credentials`; default: that of `[auth]`).",
        only=("rest",),
    )
    client_secret: Secret | None = key(SECRET, None, "Secret that belongs to `client_id`.", only=("rest",))
    scope: str | None = key(TEXT, None, "Scope that is asked for (`token_exchange`, `client_credentials`).", only=("rest",))
    access_delegation: str | None = key(
        choice(("vended-credentials", "remote-signing")),
        None,
        "How the catalog opens the object store: keys for each table (the default), or its signature under each request.",
        only=("rest",),
    )
    access_key: Secret | None = key(
        SECRET,
        None,
        "AWS access key that all users share (`glue`, `s3tables`, `sigv4`; default: that of `[storage]`).",
        only=_AWS,
    )
    secret_key: Secret | None = key(SECRET, None, "Secret that belongs to `access_key`.", only=_AWS)
    region: str | None = key(
        TEXT, None, "AWS region of the catalog (default: the one in `uri`, else that of `[storage]`).", only=("rest", "glue")
    )
    signing_name: str | None = key(
        TEXT, None, "Service that requests are signed for (`sigv4`; default: that in `uri`, else `execute-api`).", only=("rest",)
    )
    catalog_id: str | None = key(TEXT, None, "Account of the data catalog (default: that of the keys).", only=("glue",))
    table_bucket_arn: str | None = key(TEXT, None, "ARN of the table bucket.", only=("s3tables",))

    @staticmethod
    def prepared(raw: dict[str, Any]) -> dict[str, Any]:
        """`polaris_url` alone says what the catalog is."""
        return {"type": "polaris", **raw} if "polaris_url" in raw else raw

    @property
    def backend(self) -> str:
        """The type without its aliases: Polaris, Nessie and others all speak Iceberg's REST protocol."""
        return backend(self.type)

    @property
    def auth_mode(self) -> str:
        """`none` for the types that have no such key: files and databases. Catalogs of AWS know keys and nothing else."""
        return self.auth or {"rest": "session_bearer", "glue": "sigv4", "s3tables": "sigv4"}.get(self.backend, "none")

    @property
    def shared_identity(self) -> bool:
        """Whether the catalog sees one identity for all users. A folder of this server has no such question."""
        return self.backend != "sqlite" and self.auth_mode not in ("session_bearer", "token_exchange")

    def options(self) -> dict[str, str]:
        """The keys that are set, as `Sessions.open` takes them. Passwords are revealed: for the engine only."""
        return {name: value for name, value in self._options() if value and name not in _NOT_FOR_THE_ENGINE}

    def _options(self) -> Iterator[tuple[str, str]]:
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not None:
                yield each.name, value.reveal() if isinstance(value, Secret) else str(value)


def backend(type_name: str) -> str:
    return "rest" if type_name in ALIASES else type_name


def table_bucket_region(arn: str) -> str | None:
    """The region that a table bucket's ARN names; None when it is no such ARN."""
    found = re.fullmatch(r"arn:aws[a-z-]*:s3tables:([a-z0-9-]+):\w+:bucket/[\w.-]+", arn)
    return found[1] if found else None


def default_name(catalog: Catalog) -> str:
    """What a `[catalog]` without a name is called: people write `s3tables.sales.orders` and `test_warehouse.db.t`."""
    if catalog.type == "s3tables":
        return "s3tables"
    if catalog.backend == "rest" and catalog.warehouse and re.fullmatch(r"[A-Za-z_]\w*", catalog.warehouse):
        return catalog.warehouse
    return DEFAULT_NAME
