"""A warehouse is its folder, whatever name it is mounted under."""

from __future__ import annotations

from pathlib import Path

from sqe.engine.driver import Driver
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions


def test_a_warehouse_made_under_one_name_is_read_and_joined_under_another(
    handler: QueryHandler, driver: Driver, tmp_path: Path
) -> None:
    sessions = Sessions(driver, {"lake": {"type": "sqlite", "path": str(tmp_path / "first")}}, "lake")
    maker = sessions.open(Identity("maker"))
    handler.submit(maker, "CREATE TABLE t AS SELECT 7 AS n", door="test").close()
    mounts = {
        "sales": {"type": "sqlite", "path": str(tmp_path / "first")},
        "other": {"type": "sqlite", "path": str(tmp_path / "second")},
    }
    reader = sessions.open(Identity("reader"), catalogs=mounts, default_catalog="other")
    handler.submit(reader, "CREATE TABLE t AS SELECT 7 AS n, 'here' AS place", door="test").close()
    with handler.submit(reader, "SELECT place FROM sales.default.t JOIN other.default.t USING (n)", door="test") as query:
        assert query.read_all().to_pylist() == [{"place": "here"}]
    sessions.close_all()
