"""From a catalog's entry in sqe.toml to the Spark settings of one session. One module a backend."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqe import errors
from sqe.config.catalogs import backend
from sqe.engine.catalogs import glue, hadoop, hive, jdbc, rest, s3tables, sqlite, storage
from sqe.engine.install.jars import Jar
from sqe.errors import SqeError

SPARK_CATALOG = "org.apache.spark.sql.sqe.LakeCatalog"
NO_SESSION_CATALOG = "org.apache.spark.sql.sqe.NoSessionCatalog"
SYSTEM_CATALOG = "org.apache.spark.sql.sqe.SystemCatalog"

# Of every Iceberg catalog, whatever its backend.
_COMMON = {
    # With it on, a session read stale rows after another one's UPDATE; Spark loads a table once per statement anyway.
    "cache-enabled": "false",
    "table-default.format-version": "2",
}

_BACKENDS = {
    "sqlite": sqlite.settings,
    "rest": rest.settings,
    "jdbc": jdbc.settings,
    "hadoop": hadoop.settings,
    "hive": hive.settings,
    "glue": glue.settings,
    "s3tables": s3tables.settings,
}


def spark_settings(name: str, catalog: Mapping[str, str], session_id: str) -> dict[str, str]:
    """The `spark.sql.catalog.NAME…` settings of one catalog in one session."""
    kind = backend(catalog.get("type", "sqlite"))
    if kind not in _BACKENDS:
        raise SqeError(errors.NOT_SUPPORTED, f"Catalogs of type {kind} are not available in this version")
    prefix = f"spark.sql.catalog.{name}"
    # Whose catalog it is: the driver asks that session's policy what it may show.
    options = _COMMON | {"sqe.session": session_id} | _BACKENDS[kind](name, catalog, session_id)
    return {prefix: SPARK_CATALOG} | {f"{prefix}.{key}": value for key, value in options.items()}


def jars(catalogs: Collection[Mapping[str, str]]) -> list[Jar]:
    """What these catalogs need beside the engine's own jars; without this call each fetches its own at first use."""
    drivers = (jar for each in catalogs if each.get("type") == "jdbc" for jar in jdbc.jars(each))
    stores = (jar for each in catalogs for jar in storage.jars(each.get("warehouse", "")))
    return list(dict.fromkeys((*drivers, *stores)))
