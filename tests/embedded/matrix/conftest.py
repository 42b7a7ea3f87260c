"""A warehouse that PyIceberg opens, too, and a table of format version 2 and one of version 3 for each cell of the scoreboard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from both_engines import BothEngines
from pyiceberg.catalog.sql import SqlCatalog

from sqe.engine.driver import Driver
from sqe.sessions import Sessions


@pytest.fixture(scope="package")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("matrix")


@pytest.fixture(scope="package")
def sessions(driver: Driver, warehouse: Path) -> Iterator[Sessions]:
    sessions = Sessions(driver, {"lake": {"type": "sqlite", "path": str(warehouse)}}, "lake")
    yield sessions
    sessions.close_all()


@pytest.fixture
def theirs(warehouse: Path, sql: Callable[[str], pa.Table]) -> Iterator[SqlCatalog]:
    sql("SHOW SCHEMAS")  # makes the database
    catalog = SqlCatalog("lake", uri=f"sqlite:///{warehouse}/catalog.db", warehouse=warehouse.as_uri())
    yield catalog
    catalog.engine.dispose()


# Version 2 is what all other tests use: its cells have their turn with the long tests.
@pytest.fixture(params=[pytest.param(2, marks=pytest.mark.long, id="v2"), pytest.param(3, id="v3")])
def both(request: pytest.FixtureRequest, sql: Callable[[str], pa.Table], theirs: SqlCatalog) -> BothEngines:
    return BothEngines(sql, theirs, re.sub(r"\W+", "_", request.node.name).strip("_"), request.param)


@pytest.fixture
def newest(request: pytest.FixtureRequest, sql: Callable[[str], pa.Table], theirs: SqlCatalog) -> BothEngines:
    """For what only version 3 has."""
    return BothEngines(sql, theirs, request.node.name, 3)
