"""Names for the shell's completion."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqe.query.handler import QueryHandler
    from sqe.session import Session

# More names than anybody scrolls through.
MOST = 5000


def names(handler: QueryHandler, session: Session, kind: str, path: list[str]) -> list[str]:
    """The names below `path`. What the path leaves out at its front is where the session stands (USE)."""
    here = _place(session)
    if kind == "catalogs":
        found = handler.catalogs(session)
    elif kind == "schemas" and len(path) <= 1:
        (catalog,) = path or here[:1]
        found = [schema for _, schema in handler.schemas(session, catalog)]
    elif kind == "tables" and len(path) <= 2:
        catalog, schema = [*here[: 2 - len(path)], *path]
        found = [entry.name for entry in handler.tables(session, catalog, literal(schema))]
    elif kind == "columns" and 1 <= len(path) <= 3:
        catalog, schema, table = [*here[: 3 - len(path)], *path]
        entries = handler.tables(session, catalog, literal(schema), literal(table), with_schema=True)
        found = [name for entry in entries if entry.arrow_schema is not None for name in entry.arrow_schema.names]
    else:
        found = []
    return found[:MOST]


def _place(session: Session) -> list[str]:
    if session.current is None:
        return [session.default_catalog, "default"]
    catalog, namespace = session.current
    return [catalog, ".".join(namespace)]


def literal(name: str) -> str:
    """A LIKE pattern that matches this name only."""
    return name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
