"""What policies need to know of tables: their columns by Iceberg field id. Answered by the catalog, for one session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sqe import errors
from sqe.errors import SqeError
from sqe.policy.names import parts_of, shown

if TYPE_CHECKING:
    from sqe.engine.driver import Driver
    from sqe.session import Session


class Column(NamedTuple):
    """A top-level column. The id is Iceberg's, which a rename keeps and no other column ever gets; views have 0."""

    field_id: int
    name: str
    type: str  # as Spark's DDL writes it


class TableFacts(Protocol):
    def columns(self, table: str) -> Sequence[Column] | None:
        """The columns of a table or view, None when it does not exist. Never filtered by a policy."""

    def tables(self, catalog: str, schema: str | None = None) -> Sequence[str]:
        """Names "catalog.schema.name" of what a schema (or a whole catalog) holds now."""

    def schemas(self, catalog: str) -> Sequence[str] | None:
        """Nested ones with their dotted names; None when there is no such catalog."""


class DriverFacts:
    """Facts from the session's own catalogs, with its own token: what the catalog forbids does not exist."""

    def __init__(self, driver: Driver, session: Session) -> None:
        self._driver = driver
        self._session = session

    def columns(self, table: str) -> Sequence[Column] | None:
        catalog, *namespace, name = parts_of(table)
        try:
            answer = self._driver.call("columnFacts", self._session.in_engine(), catalog, ".".join(namespace), name)
        except SqeError as error:
            if error.code in (errors.TABLE_NOT_FOUND, errors.SCHEMA_NOT_FOUND, errors.CATALOG_NOT_FOUND):
                return None
            raise
        return [Column(int(field_id), name, type_) for field_id, name, type_ in answer["columns"]]

    def tables(self, catalog: str, schema: str | None = None) -> Sequence[str]:
        found = []
        for name in self.schemas(catalog) or ():
            if schema is None or name.lower() == schema.lower():
                answer = self._driver.call("tableFacts", self._session.in_engine(), catalog, name)
                found += [shown((catalog, *name.split("."), each["name"])) for each in answer["tables"]]
        return found

    def schemas(self, catalog: str) -> Sequence[str] | None:
        if catalog not in self._session.catalogs:
            return None
        found: Sequence[str] = self._driver.call("namespaceFacts", self._session.in_engine(), catalog)["namespaces"]
        return found


class KnownColumns:
    """Facts that somebody has at hand already: the engine's own columns of the tables that it has just loaded."""

    def __init__(self, columns: Mapping[str, Sequence[Column]]) -> None:
        self._columns = columns

    def columns(self, table: str) -> Sequence[Column] | None:
        return self._columns.get(table)

    def tables(self, catalog: str, schema: str | None = None) -> Sequence[str]:
        return list(self._columns)

    def schemas(self, catalog: str) -> Sequence[str] | None:
        return None
