"""A warehouse that cannot be written to, is full or is damaged: one sentence, and no row is lost or half written."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.query.ingest import IngestMode, TableName
from sqe.session import Session
from sqe.sessions import Sessions

Run = Callable[[str], pa.Table]


class Warehouse:
    """A session on a warehouse of its own."""

    def __init__(self, handler: QueryHandler, sessions: Sessions, folder: Path) -> None:
        self.folder = folder
        self.handler = handler
        self.session: Session = sessions.open(Identity("tester"), catalogs={"lake": {"type": "sqlite", "path": str(folder)}})

    def __call__(self, text: str) -> pa.Table:
        with self.handler.submit(self.session, text, door="test") as query:
            return query.read_all()

    def failure(self, text: str) -> SqeError:
        with pytest.raises(SqeError) as failure:
            self(text)
        return failure.value


@pytest.fixture
def warehouse(handler: QueryHandler, sessions: Sessions, tmp_path: Path) -> Iterator[Warehouse]:
    warehouse = Warehouse(handler, sessions, tmp_path / "warehouse")
    warehouse("CREATE TABLE t AS SELECT 1L AS id")
    yield warehouse
    sessions.close(warehouse.session)


@contextmanager
def replaced(path: Path, by: str | None) -> Iterator[None]:
    """Puts a file with this text (or nothing) where `path` was, and everything back at the end."""
    aside = path.with_name(f"{path.name}.aside")
    path.rename(aside)
    if by is not None:
        path.write_text(by)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        aside.rename(path)


@pytest.mark.parametrize("folder", ["/proc/sqe/warehouse", "/dev/null/warehouse", "/etc/hostname"])
def test_a_folder_that_cannot_be_made_is_said_by_name(handler: QueryHandler, sessions: Sessions, folder: str) -> None:
    error = Warehouse(handler, sessions, Path(folder)).failure("SELECT 1")
    assert error.code.name == "READ_ONLY_VIOLATION"
    assert error.message.startswith(f"The warehouse folder {folder} cannot be used: ")


def test_a_table_whose_folder_cannot_be_written_to_stays_as_it_was(warehouse: Warehouse) -> None:
    # A file in the place of a folder refuses writes to everybody, root too.
    with replaced(warehouse.folder / "default" / "t" / "data", by="in the way"):
        for text in ("INSERT INTO t VALUES (2)", "INSERT INTO t SELECT id FROM range(1000)"):
            error = warehouse.failure(text)
            assert (error.code.name, error.message) == ("READ_ONLY_VIOLATION", "The warehouse cannot be written to")
        rows = pa.table({"id": [5]}).to_reader()
        with pytest.raises(SqeError, match="READ_ONLY_VIOLATION"):
            warehouse.handler.ingest(warehouse.session, TableName("t"), IngestMode.APPEND, rows, door="test")
    assert warehouse("SELECT * FROM t").to_pylist() == [{"id": 1}]
    assert warehouse("SELECT count(*) AS n FROM t.snapshots").to_pylist() == [{"n": 1}]


def test_a_schema_whose_folder_cannot_be_written_to_gets_no_table(warehouse: Warehouse) -> None:
    (warehouse.folder / "blocked").write_text("in the way")
    warehouse("CREATE SCHEMA blocked")
    for text in ("CREATE TABLE blocked.t (id INT)", "CREATE TABLE blocked.t AS SELECT 1 AS id"):
        assert warehouse.failure(text).code.name == "READ_ONLY_VIOLATION"
    assert warehouse("SHOW TABLES IN blocked").num_rows == 0


def test_files_that_are_missing_or_damaged_are_said(warehouse: Warehouse) -> None:
    table = warehouse.folder / "default" / "t"
    data = next((table / "data").glob("*.parquet"))
    manifests = next((table / "metadata").glob("snap-*.avro"))
    metadata = next((table / "metadata").glob("*.metadata.json"))
    damages = [(data, None), (data, "not Parquet at all"), (manifests, None), (manifests, "not Avro"), (metadata, None)]
    for number, (path, content) in enumerate(damages):
        with replaced(path, by=content):
            # Each time something else: the files of a question that was asked before are known (jvm: KeptPlans).
            error = warehouse.failure(f"SELECT * FROM t WHERE id > -{number}")
            assert error.message == "A file of the table is missing or damaged", (path.name, content)
            assert str(warehouse.folder) not in str(error)
    assert warehouse("SELECT * FROM t").to_pylist() == [{"id": 1}]


@pytest.mark.parametrize("damage", ["a folder", "no database"])
def test_a_catalog_that_cannot_be_opened_is_said(handler: QueryHandler, sessions: Sessions, tmp_path: Path, damage: str) -> None:
    database = tmp_path / "catalog.db"
    if damage == "a folder":
        database.mkdir()
    else:
        database.write_text("this is text and no database " * 100)
    warehouse = Warehouse(handler, sessions, tmp_path)
    for text in ("SELECT 1", "SHOW TABLES"):
        error = warehouse.failure(text)
        assert (error.code.name, error.message) == (
            "CONFIGURATION_INVALID",
            "The catalog's database cannot be opened or is damaged",
        )


def test_a_warehouse_that_was_taken_away_is_said_and_works_again(warehouse: Warehouse) -> None:
    aside = warehouse.folder.with_name("aside")
    warehouse.folder.rename(aside)
    assert warehouse.failure("SELECT * FROM t").message == "A file of the table is missing or damaged"
    assert warehouse.failure("CREATE TABLE u (id INT)").code.name == "READ_ONLY_VIOLATION"
    shutil.rmtree(warehouse.folder, ignore_errors=True)
    aside.rename(warehouse.folder)
    assert warehouse("SELECT * FROM t").to_pylist() == [{"id": 1}]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("mounting a small file system needs root outside a container")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_leaves_the_table_as_it_was(handler: QueryHandler, sessions: Sessions, small_disk: Path) -> None:
    warehouse = Warehouse(handler, sessions, small_disk)
    warehouse("CREATE TABLE t AS SELECT 1L AS id, 'a' AS text")
    error = warehouse.failure("INSERT INTO t SELECT id, sha2(CAST(id AS STRING), 512) FROM range(100000)")
    assert (error.code.name, error.message) == ("OUT_OF_DISK_SPACE", "There is no space left for the statement's files")
    assert warehouse("SELECT id FROM t").to_pylist() == [{"id": 1}]
    sessions.close(warehouse.session)


def test_a_read_only_disk_can_be_read(handler: QueryHandler, sessions: Sessions, small_disk: Path) -> None:
    before = Warehouse(handler, sessions, small_disk)
    before("CREATE TABLE t AS SELECT 1L AS id")
    sessions.close(before.session)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    warehouse = Warehouse(handler, sessions, small_disk)
    for text in ("INSERT INTO t VALUES (2)", "DELETE FROM t", "CREATE TABLE u (id INT)", "DROP TABLE t", "CREATE SCHEMA s"):
        error = warehouse.failure(text)
        assert (error.code.name, error.message) == ("READ_ONLY_VIOLATION", "The warehouse cannot be written to"), text
    assert warehouse("SELECT * FROM t").to_pylist() == [{"id": 1}]
    sessions.close(warehouse.session)


def test_one_damaged_table_does_not_hide_the_others(warehouse: Warehouse) -> None:
    warehouse("CREATE TABLE broken (id INT)")
    metadata = next((warehouse.folder / "default" / "broken" / "metadata").glob("*.metadata.json"))
    with replaced(metadata, by=None):
        entries = warehouse.handler.tables(warehouse.session, with_schema=True)
        assert [(entry.name, entry.arrow_schema.names if entry.arrow_schema is not None else None) for entry in entries] == [
            ("broken", []),
            ("t", ["id"]),
        ]
        assert warehouse("SHOW TABLES").num_rows == 2
