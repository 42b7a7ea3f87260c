"""Files that another writer of Iceberg made, with types that Spark has no name for: UUIDs are text to it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, UUIDType
from sides import Sides

from sqe.engine.driver import Driver
from sqe.sessions import Sessions


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("foreign")


@pytest.fixture(scope="module")
def sessions(driver: Driver, warehouse: Path) -> Iterator[Sessions]:
    sessions = Sessions(driver, {"lake": {"type": "sqlite", "path": str(warehouse)}}, "lake")
    yield sessions
    sessions.close_all()


@pytest.fixture
def foreign(sides: Sides, warehouse: Path) -> Iterator[Sides]:
    sides.run("SHOW SCHEMAS")  # makes the database
    catalog = SqlCatalog("lake", uri=f"sqlite:///{warehouse}/catalog.db", warehouse=warehouse.as_uri())
    if not catalog.table_exists("default.ids"):
        table = catalog.create_table("default.ids", Schema(NestedField(1, "id", LongType()), NestedField(2, "u", UUIDType())))
        for first in (0, 50):
            values = [None if n % 9 == 0 else uuid.UUID(int=n * 2**100 + (n % 7)).bytes for n in range(first, first + 50)]
            table.append(pa.table({"id": pa.array(range(first, first + 50), pa.int64()), "u": pa.array(values, pa.uuid())}))
    yield sides
    catalog.engine.dispose()


ONE = uuid.UUID(int=5 * 2**100 + 5)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT u, count(*) AS n FROM ids GROUP BY u",
        "SELECT max(u) AS m, min(u) AS l, count(u) AS n FROM ids GROUP BY id % 3",
        f"SELECT count(*) AS n, max(id) AS m FROM ids WHERE u = '{ONE}' GROUP BY id",
        f"SELECT count(*) AS n, max(id) AS m FROM ids WHERE u = '{str(ONE).upper()}' GROUP BY id % 2",
        f"SELECT id % 2 AS k, count(*) AS n FROM ids WHERE u > '{ONE}' GROUP BY 1",
        "SELECT id % 2 AS k, count(*) AS n FROM ids WHERE u LIKE '%5' OR u IS NULL GROUP BY 1",
        "SELECT id % 2 AS k, count(*) AS n FROM ids WHERE u IN ('no uuid', '') GROUP BY 1",
        "SELECT a.id, b.id FROM ids a JOIN ids b ON a.u = b.u ORDER BY 1, 2",
        "SELECT id, upper(u) AS x, length(u) AS n FROM ids ORDER BY u DESC NULLS LAST, id LIMIT 20",
    ],
)
def test_uuids_are_the_same_text(foreign: Sides, query: str) -> None:
    assert foreign.difference(query, ordered="ORDER BY" in query) is None
