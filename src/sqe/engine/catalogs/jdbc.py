"""Iceberg's JDBC catalog: names and current metadata of all tables in three tables of a database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqe import errors
from sqe.engine.catalogs import storage
from sqe.engine.install.jars import MYSQL, POSTGRESQL, Jar, ensure_jars
from sqe.errors import SqeError


@dataclass(frozen=True)
class Database:
    """A kind of database: how its URLs begin, and the driver that speaks to it (None: among the engine's own jars)."""

    url: str
    driver: tuple[Jar, str] | None = None


DATABASES = (
    Database("jdbc:postgresql:", (POSTGRESQL, "org.postgresql.Driver")),
    Database("jdbc:mysql:", (MYSQL, "com.mysql.cj.jdbc.Driver")),
    Database("jdbc:sqlite:"),
)


def settings(name: str, catalog: Mapping[str, str], session_id: str) -> dict[str, str]:
    warehouse = storage.location(catalog["warehouse"])
    result = {
        "type": "jdbc",
        "uri": catalog["uri"],
        "warehouse": warehouse,
        # Part of every row of the database: engines that share it must agree on it.
        "stored-name": catalog.get("stored_name") or name,
        # V1 is what makes views work.
        "jdbc.schema-version": "V1",
        "jdbc.init-catalog-tables": "true",
        # Else a misspelt schema is made when a table is created in it.
        "jdbc.strict-mode": "true",
        # Each session has a pool of its own; its statements come one after the other.
        "clients": "1",
    }
    if user := catalog.get("user"):
        result |= {"jdbc.user": user, "jdbc.password": catalog["password"]}
    return result | _driver(database(catalog["uri"])) | storage.files(warehouse, catalog)


def database(url: str) -> Database:
    for each in DATABASES:
        if url.startswith(each.url):
            return each
    known = ", ".join(each.url for each in DATABASES)
    raise SqeError(errors.CONFIGURATION_INVALID, f"There is no driver for this JDBC URL: it must begin with {known}")


def jars(catalog: Mapping[str, str]) -> tuple[Jar, ...]:
    driver = database(catalog["uri"]).driver
    return (driver[0],) if driver else ()


def _driver(found: Database) -> dict[str, str]:
    if found.driver is None:
        return {}
    jar, driver_class = found.driver
    ensure_jars([jar])
    return {"driver-jar": str(jar.path), "driver-class": driver_class}
