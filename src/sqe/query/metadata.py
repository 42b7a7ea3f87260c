"""Names of schemas and tables for the doors' metadata calls, from the catalogs directly: no statement, no Spark job."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from sqe import errors
from sqe.errors import SqeError
from sqe.query.running import NO_COLUMNS, decode_schema
from sqe.session import Session

log = logging.getLogger("sqe.query")


@dataclass(frozen=True)
class TableEntry:
    catalog: str
    schema: str
    name: str
    type: str  # TABLE or VIEW
    arrow_schema: pa.Schema | None = None


def schemas(session: Session, catalog: str | None, pattern: str | None) -> list[tuple[str, str]]:
    matches = like(pattern)
    if catalog:
        found = [(catalog, _namespaces(session, catalog))] if catalog in session.catalogs else []
    else:
        found = [(name, _namespaces_if_there(session, name)) for name in sorted(session.catalogs)]
    return [(name, schema) for name, names in found for schema in names if matches.fullmatch(schema)]


def _namespaces(session: Session, catalog: str) -> list[str]:
    names: list[str] = session.ask("namespaces", catalog)["namespaces"]
    return names


def _namespaces_if_there(session: Session, catalog: str) -> list[str]:
    """A catalog that is down, or closed to this user, must not hide all others from a client."""
    try:
        return _namespaces(session, catalog)
    except SqeError as error:
        if error.code is not errors.CATALOG_NOT_FOUND and error.code.kind is not errors.Kind.EXTERNAL:
            raise
        log.warning("the schemas of catalog %s cannot be listed: %s", catalog, error)
        return []


def tables(
    session: Session,
    catalog: str | None,
    schema_pattern: str | None,
    table_pattern: str | None,
    types: Sequence[str] | None,
    with_schema: bool,
) -> list[TableEntry]:
    matches = like(table_pattern)
    wanted = set(types) if types else {"TABLE", "VIEW"}
    return [
        TableEntry(
            name,
            schema,
            entry["name"],
            entry["type"],
            _schema(session, name, schema, entry["name"]) if with_schema else None,
        )
        for name, schema in schemas(session, catalog, schema_pattern)
        for entry in session.ask("tables", name, schema)["tables"]
        if entry["type"] in wanted and matches.fullmatch(entry["name"])
    ]


def like(pattern: str | None) -> re.Pattern[str]:
    """An SQL LIKE pattern, with `\\` as its escape; None matches everything."""
    if pattern is None:
        return re.compile(".*", re.DOTALL)
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    wild = {"%": ".*", "_": "."}
    return re.compile("".join(wild.get(part) or re.escape(part[-1]) for part in parts), re.DOTALL)


def _schema(session: Session, catalog: str, schema: str, table: str) -> pa.Schema:
    """Without columns when they cannot be read: one damaged table must not hide all others from a client."""
    try:
        return decode_schema(session.ask("tableSchema", catalog, schema, table)["schema"])
    except SqeError as error:
        if error.code is errors.REMOTE_HOST_GONE:
            raise
        log.warning("the columns of %s.%s.%s cannot be read: %s", catalog, schema, table, error)
        return NO_COLUMNS
