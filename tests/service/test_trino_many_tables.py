"""A catalog of a thousand tables behind the Trino door: what tools list has to come at once."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from trino_door import Client, plain_door

from sqe.doors.trino.door import TrinoDoor
from sqe.engine.driver import Driver
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

pytestmark = pytest.mark.service

TABLES, SCHEMAS = 1000, 10
LOOK_UP_SECONDS, LIST_SECONDS, READ_SECONDS = 5.0, 8.0, 20.0  # on a machine with others at work (docs/trino-clients.md)


@pytest.fixture(scope="module")
def door(driver: Driver, handler: QueryHandler, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrinoDoor]:
    warehouse = tmp_path_factory.mktemp("thousand")
    sessions = Sessions(driver, {"lake": {"type": "sqlite", "path": str(warehouse)}}, "lake")
    session = sessions.open(Identity("tester"))
    for number in range(SCHEMAS):
        handler.submit(session, f"CREATE SCHEMA s{number}", door="test").close()
    handler.submit(session, "CREATE TABLE s0.t0 (id BIGINT, name STRING COMMENT 'x') COMMENT 'a table'", door="test").close()
    fill(warehouse)
    with plain_door(handler, sessions) as door:
        yield door
    sessions.close_all()


def fill(warehouse: Path) -> None:
    """As many names for the one table: to list and read them costs the same as of others, to make them does not."""
    with sqlite3.connect(next(warehouse.glob("*.db"))) as catalog:
        columns = [row[1] for row in catalog.execute("PRAGMA table_info(iceberg_tables)")]
        table = dict(zip(columns, catalog.execute("SELECT * FROM iceberg_tables").fetchone(), strict=True))
        made = [table | {"table_namespace": f"s{number % SCHEMAS}", "table_name": f"t{number}"} for number in range(1, TABLES)]
        places = ", ".join("?" * len(columns))
        catalog.executemany(f"INSERT INTO iceberg_tables VALUES ({places})", [tuple(row.values()) for row in made])


ASKED = {
    "one table's columns": (
        "SELECT COLUMN_NAME, TYPE_NAME FROM system.jdbc.columns WHERE TABLE_CAT = 'lake' AND TABLE_SCHEM LIKE 's1' ESCAPE '\\' "
        "AND TABLE_NAME LIKE 't1' ESCAPE '\\' ORDER BY ORDINAL_POSITION",
        LOOK_UP_SECONDS,
        2,
    ),
    "columns by a pattern": (
        "SELECT COLUMN_NAME FROM system.jdbc.columns WHERE TABLE_CAT = 'lake' AND TABLE_SCHEM LIKE 's_' ESCAPE '\\' "
        "AND TABLE_NAME LIKE 't99_' ESCAPE '\\'",
        LOOK_UP_SECONDS,
        20,
    ),
    "two tables' comments": (
        "SELECT comment FROM system.metadata.table_comments WHERE catalog_name = 'lake' AND (schema_name = 's1' AND "
        "table_name = 't1' OR schema_name = 's2' AND table_name = 't2')",
        LOOK_UP_SECONDS,
        2,
    ),
    "all tables": ("SELECT * FROM system.jdbc.tables ORDER BY 1, 2, 3", LIST_SECONDS, TABLES),
    "tables of a schema": ("SHOW TABLES FROM lake.s3", LOOK_UP_SECONDS, TABLES // SCHEMAS),
    "schemas": ("SELECT schema_name FROM lake.information_schema.schemata WHERE schema_name LIKE 's_'", LOOK_UP_SECONDS, SCHEMAS),
    "all columns": ("SELECT * FROM lake.information_schema.columns WHERE table_schema LIKE 's%'", READ_SECONDS, 2 * TABLES),
    "all columns for JDBC": ("SELECT * FROM system.jdbc.columns", READ_SECONDS, 2 * TABLES),
    "all comments": ("SELECT comment FROM system.metadata.table_comments WHERE catalog_name = 'lake'", READ_SECONDS, TABLES),
}


def test_a_thousand_tables_are_listed_at_once(door: TrinoDoor) -> None:
    client, told = Client(door), {}
    rows: list[list[Any]]
    for what, (sql, seconds, count) in ASKED.items():
        started = time.monotonic()
        rows = client.run(sql).rows
        told[what] = time.monotonic() - started
        assert len(rows) == count, what
        assert told[what] < seconds, told
    print("\n" + "\n".join(f"{what}: {1000 * seconds:.0f} ms" for what, seconds in told.items()))
    client.close()
