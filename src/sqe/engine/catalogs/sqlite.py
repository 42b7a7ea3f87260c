"""A warehouse in a folder: Iceberg's JDBC catalog on an SQLite file beside the data. The embedded default."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sqe import errors
from sqe.errors import SqeError

DATABASE = "catalog.db"


def settings(name: str, catalog: Mapping[str, str], session_id: str) -> dict[str, str]:
    folder = Path(catalog["path"]).expanduser().absolute()
    _check(folder)
    return {
        "type": "jdbc",
        # Part of every row of the database: it must not depend on the name that somebody mounts the folder under.
        "stored-name": "lake",
        # Writers wait for each other instead of failing at once: SQLite has one write lock for the whole file.
        "uri": f"jdbc:sqlite:{folder / DATABASE}?busy_timeout=10000",
        "warehouse": folder.as_uri(),
        # V1 is what makes views work.
        "jdbc.schema-version": "V1",
        "jdbc.init-catalog-tables": "true",
        # Else a misspelt schema is made when a table is created in it.
        "jdbc.strict-mode": "true",
        # One connection a session: SQLite serialises writers anyway, and each pooled one is file handles.
        "clients": "1",
    }


def _check(folder: Path) -> None:
    """The folder is made when it is missing; one that cannot be used is said in one sentence before Spark meets it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as refused:
        reason = refused.strerror or "it cannot be created"
        raise SqeError(errors.READ_ONLY_VIOLATION, f"The warehouse folder {folder} cannot be used: {reason}") from None
    if not os.access(folder, os.R_OK | os.X_OK):
        raise SqeError(errors.READ_ONLY_VIOLATION, f"The warehouse folder {folder} cannot be read")
