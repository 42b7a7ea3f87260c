"""Files that Iceberg chose for a scan serve the session's next one that asks the same (jvm/sqe/iceberg/KeptPlans.scala).

With the manifests gone only a kept plan can answer: that is how these tests tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions

QUERY = "SELECT sum(id), max(name) FROM kept WHERE id > 2"


class Warehouse:
    def __init__(self, handler: QueryHandler, sessions: Sessions, folder: Path) -> None:
        self.folder = folder
        self._handler = handler
        self._sessions = sessions
        self.session = self.another()

    def another(self) -> Session:
        return self._sessions.open(Identity("tester"), catalogs={"lake": {"type": "sqlite", "path": str(self.folder)}})

    def rows(self, text: str, session: Session | None = None) -> list[tuple[object, ...]]:
        with self._handler.submit(session or self.session, text, door="test") as query:
            table: pa.Table = query.read_all()
        return [tuple(row.values()) for row in table.to_pylist()]

    @contextmanager
    def without_manifests(self) -> Iterator[None]:
        manifests = sorted(self.folder.rglob("*.avro"))
        assert manifests
        for file in manifests:
            file.rename(file.with_suffix(".gone"))
        try:
            yield
        finally:
            for file in manifests:
                file.with_suffix(".gone").rename(file)


@pytest.fixture(params=["auto", "off"])
def warehouse(request: pytest.FixtureRequest, handler: QueryHandler, sessions: Sessions, tmp_path: Path) -> Iterator[Warehouse]:
    warehouse = Warehouse(handler, sessions, tmp_path / "w")
    warehouse.rows(f"SET native = '{request.param}'")
    warehouse.rows("CREATE TABLE kept AS SELECT id, concat('n', id) AS name FROM range(10)")
    yield warehouse
    sessions.close(warehouse.session)


def test_the_same_question_is_planned_once(warehouse: Warehouse) -> None:
    before = warehouse.rows(QUERY)
    with warehouse.without_manifests():
        assert warehouse.rows(QUERY) == before == [(42, "n9")]


@pytest.mark.parametrize(
    "other",
    [
        "SELECT sum(id), max(name) FROM kept WHERE id > 3",
        "SELECT sum(id), max(name) FROM kept WHERE id > 2 AND name <> 'n4'",
        "SELECT sum(id) FROM kept WHERE id > 2",
        "SELECT sum(id), max(name) FROM kept",
    ],
)
def test_another_question_is_planned_anew(warehouse: Warehouse, other: str) -> None:
    warehouse.rows(QUERY)
    with warehouse.without_manifests(), pytest.raises(SqeError):
        warehouse.rows(other)
    assert warehouse.rows(other)


def test_a_limit_chooses_files_of_its_own(warehouse: Warehouse) -> None:
    assert len(warehouse.rows("SELECT id, name FROM kept")) == 10
    with warehouse.without_manifests():
        assert len(warehouse.rows("SELECT id, name FROM kept")) == 10
        with pytest.raises(SqeError):
            warehouse.rows("SELECT id, name FROM kept LIMIT 1")


def test_another_session_finds_its_own_files(warehouse: Warehouse, sessions: Sessions) -> None:
    warehouse.rows(QUERY)
    other = warehouse.another()
    try:
        with warehouse.without_manifests(), pytest.raises(SqeError):
            warehouse.rows(QUERY, other)
        assert warehouse.rows(QUERY, other) == [(42, "n9")]
    finally:
        sessions.close(other)


@pytest.mark.parametrize(
    ("change", "after"),
    [
        ("INSERT INTO kept VALUES (100, 'z')", (142, "z")),
        ("DELETE FROM kept WHERE id = 9", (33, "n8")),
        ("UPDATE kept SET name = 'y' WHERE id = 3", (42, "y")),
        ("TRUNCATE TABLE kept", (None, None)),
        ("CREATE OR REPLACE TABLE kept AS SELECT 7L AS id, 'new' AS name", (7, "new")),
        ("ALTER TABLE kept RENAME COLUMN name TO other; ALTER TABLE kept ADD COLUMN name STRING", (42, None)),
    ],
)
def test_every_commit_is_seen_by_the_next_statement(
    warehouse: Warehouse, sessions: Sessions, change: str, after: tuple[object, ...]
) -> None:
    assert warehouse.rows(QUERY) == [(42, "n9")]
    writer = warehouse.another()
    try:
        for statement in change.split(";"):
            warehouse.rows(statement, writer)
    finally:
        sessions.close(writer)
    assert warehouse.rows(QUERY) == [after]
    assert warehouse.rows("SELECT sum(id), max(name) FROM kept FOR VERSION AS OF 'main' WHERE id > 2") == [after]


def test_an_older_moment_is_not_mistaken_for_now(warehouse: Warehouse) -> None:
    assert warehouse.rows(QUERY) == [(42, "n9")]
    warehouse.rows("ALTER TABLE kept CREATE TAG then")
    ((snapshot,),) = warehouse.rows("SELECT snapshot_id FROM kept.snapshots")
    warehouse.rows("INSERT INTO kept VALUES (100, 'z')")
    for _ in range(2):
        assert warehouse.rows(QUERY) == [(142, "z")]
        assert warehouse.rows(QUERY.replace("kept", f"kept.snapshot_id_{snapshot}")) == [(42, "n9")]
        assert warehouse.rows(QUERY.replace("kept", "kept FOR VERSION AS OF 'then'")) == [(42, "n9")]


def test_deleted_rows_of_a_kept_plan_stay_deleted(warehouse: Warehouse) -> None:
    warehouse.rows("ALTER TABLE kept SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    warehouse.rows("DELETE FROM kept WHERE id = 9")
    for _ in range(3):
        assert warehouse.rows(QUERY) == [(33, "n8")]


def test_constants_that_look_like_conditions_are_constants(warehouse: Warehouse) -> None:
    tricky = """a' AND id > 5 AND name <> 'a"""
    first = f"SELECT count(*), max(id) FROM kept WHERE name <> '{tricky.replace(chr(39), chr(39) * 2)}'"
    second = "SELECT count(*), max(id) FROM kept WHERE name <> 'a' AND id > 5 AND name <> 'a'"
    for _ in range(2):
        assert warehouse.rows(first) == [(10, 9)]
        assert warehouse.rows(second) == [(4, 9)]
