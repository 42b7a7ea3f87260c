"""`sqe.connect()`: the embedded engine from Python, through the daemon of this user."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import sqe
from sqe import dbapi
from sqe.cli import daemon

pytestmark = pytest.mark.service


@pytest.fixture(scope="module")
def own_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A run folder of the test's own; the daemon in it ends with the test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run")))
        yield
        daemon.stop()


def test_a_warehouse_keeps_its_tables_between_connections(own_daemon: None, tmp_path: Path) -> None:
    with sqe.connect(warehouse=tmp_path / "w") as connection:
        connection.ingest("people", pa.table({"id": [1, 2], "name": ["Ann", "Bob"]}))
    with sqe.connect(warehouse=tmp_path / "w") as connection:
        assert connection.execute("SELECT name FROM people WHERE id = ?", [2]).fetchall() == [("Bob",)]


def test_two_warehouses_and_a_second_catalog_at_once(own_daemon: None, tmp_path: Path) -> None:
    catalogs = {"other": str(tmp_path / "other")}
    with sqe.connect(warehouse=tmp_path / "one", catalogs=catalogs) as one, sqe.connect(warehouse=tmp_path / "two") as two:
        two.execute("CREATE TABLE t AS SELECT 7 AS x")
        with pytest.raises(dbapi.ProgrammingError, match="TABLE_NOT_FOUND"):
            one.execute("SELECT x FROM t")
        one.execute("CREATE SCHEMA other.shop")
        one.execute("CREATE TABLE other.shop.sales AS SELECT 8 AS x")
        assert one.execute("SELECT x FROM other.shop.sales").fetchall() == [(8,)]


def test_a_warehouse_in_memory_leaves_nothing(own_daemon: None) -> None:
    connection = sqe.connect(memory=True)
    folder = Path(connection._thrown_away or "")
    connection.execute("CREATE TABLE t AS SELECT 1 AS x")
    assert folder.exists()
    connection.close()
    assert not folder.exists()
