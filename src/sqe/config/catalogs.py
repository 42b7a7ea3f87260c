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
TYPES = ("sqlite", "rest", *ALIASES)
DEFAULT_NAME = "lake"
DEFAULT_FOLDER = "~/.sqe/warehouse"

# Spark's own session catalog, and the one that holds the server's tables about itself.
RESERVED_NAMES = ("spark_catalog", "system")

# What a session shows to its catalogs is fetched in Python; the engine gets the tokens and never what they are had for.
_NOT_FOR_THE_ENGINE = ("name", "token", "client_id", "client_secret", "token_endpoint", "audience", "scope")

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
        URL, None, "Address of the catalog; for `jdbc` a JDBC URL.", other_names=("polaris_url",), only=("jdbc", "rest", "hive")
    )
    warehouse: str | None = key(
        TEXT, None, "Location of the tables, as a path or a URI.", only=("jdbc", "hadoop", "rest", "hive", "glue")
    )
    user: str | None = key(TEXT, None, "Database user.", only=("jdbc",))
    password: Secret | None = key(SECRET, None, "Password of the database user.", only=("jdbc",))
    auth: str | None = key(
        choice(("session_bearer", "token_exchange", "client_credentials", "static", "none")),
        None,
        "Whose identity reaches the catalog: the user's own token (`session_bearer`, the default), one exchanged for it "
        "(`token_exchange`), or for all users the same (`client_credentials`, `static`, `none`).",
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
        """`none` for the types that have no such key: files and databases."""
        return self.auth or ("session_bearer" if self.backend == "rest" else "none")

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


def default_name(catalog: Catalog) -> str:
    """What a `[catalog]` without a name is called: people write `s3tables.sales.orders` and `test_warehouse.db.t`."""
    if catalog.type == "s3tables":
        return "s3tables"
    if catalog.backend == "rest" and catalog.warehouse and re.fullmatch(r"[A-Za-z_]\w*", catalog.warehouse):
        return catalog.warehouse
    return DEFAULT_NAME
