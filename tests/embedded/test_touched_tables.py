"""Which tables a statement reads and writes, as its event says: for every form of statement, by the session's own names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.events import QueryEvent
from sqe.query.handler import QueryHandler
from sqe.query.ingest import IngestMode, TableName
from sqe.session import Session
from sqe.sessions import Sessions

Told = Callable[[str], QueryEvent]


@pytest.fixture(scope="module")
def lake(driver: Driver, handler: QueryHandler, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """The same warehouse under two names: `sales` calls tables by another name than the one that they were stored with."""
    paths: dict[str, Path] = {"lake": tmp_path_factory.mktemp("touched"), "other": tmp_path_factory.mktemp("other")}
    catalogs = {name: {"type": "sqlite", "path": str(path)} for name, path in paths.items()}
    sessions = Sessions(driver, catalogs | {"sales": catalogs["lake"]}, "lake")
    session = sessions.open(Identity("tester"))
    for text in (
        "CREATE SCHEMA lake.s",
        "CREATE SCHEMA other.s",
        "USE lake.s",
        "CREATE TABLE a (id INT, name STRING)",
        "CREATE TABLE b (id INT, name STRING)",
        "CREATE TABLE mor (id INT) TBLPROPERTIES ('write.delete.mode' = 'merge-on-read', 'format-version' = '2')",
        "INSERT INTO a VALUES (1, 'x'), (2, 'y')",
        "INSERT INTO b VALUES (1, 'x')",
        "INSERT INTO mor VALUES (1), (2)",
        "CREATE TABLE other.s.c AS SELECT 1 AS id",
        "CREATE TABLE `odd.name` (id INT)",
        "CREATE VIEW v AS SELECT * FROM a",
        "CREATE VIEW vv AS SELECT v.id FROM v JOIN b ON v.id = b.id",
        "CREATE TEMPORARY VIEW temporary AS SELECT * FROM b",
        "ALTER TABLE a CREATE BRANCH dev",
        "ALTER TABLE a CREATE TAG old",
    ):
        handler.submit(session, text, door="test").close()
    yield session
    sessions.close_all()


@pytest.fixture
def told(handler: QueryHandler, lake: Session) -> Iterator[Told]:
    events: list[QueryEvent] = []
    handler.events.subscribe(events.append)

    def run(text: str) -> QueryEvent:
        try:
            with handler.submit(lake, text, door="test") as query:
                query.read_all()
        except SqeError:
            pass
        return next(event for event in reversed(events) if event.session_id == lake.id and event.state.ended)

    yield run
    handler.events._observers.remove(events.append)


READS = [
    ("SELECT 1", ""),
    ("SELECT * FROM a", "a"),
    ("SELECT * FROM lake.s.a x JOIN b ON x.id = b.id", "a b"),
    ("SELECT * FROM sales.s.a", "sales.s.a"),
    ("SELECT * FROM a UNION ALL SELECT id, 'z' FROM other.s.c", "a other.s.c"),
    ("WITH b AS (SELECT * FROM a) SELECT * FROM b", "a"),
    ("SELECT (SELECT max(id) FROM b) FROM a", "a b"),
    ("SELECT * FROM a WHERE id IN (SELECT id FROM b WHERE EXISTS (SELECT 1 FROM other.s.c WHERE c.id = b.id))", "a b other.s.c"),
    ("SELECT * FROM a, LATERAL (SELECT * FROM b WHERE b.id = a.id)", "a b"),
    ("SELECT * FROM v", "a v"),
    ("SELECT * FROM vv", "a b v vv"),
    ("SELECT * FROM temporary", "b"),
    ("SELECT * FROM a.snapshots", "a"),
    ("SELECT * FROM lake.s.a.files", "a"),
    ("SELECT * FROM a.branch_dev", "a"),
    ("SELECT * FROM a VERSION AS OF 'old'", "a"),
    ("SELECT * FROM a TIMESTAMP AS OF now()", "a"),
    ("SELECT * FROM IDENTIFIER('lake.s.' || 'a')", "a"),
    ("SELECT * FROM `odd.name`", "lake.s.`odd.name`"),
    ("DESCRIBE a", "a"),
    ("DESCRIBE EXTENDED v", "v"),
    ("DESCRIBE QUERY SELECT * FROM a", "a"),
    ("SHOW CREATE TABLE a", "a"),
    ("SHOW TBLPROPERTIES a", "a"),
    ("SHOW COLUMNS IN a", "a"),
    ("EXPLAIN SELECT * FROM a WHERE id IN (SELECT id FROM b)", "a b"),
    ("EXPLAIN INSERT INTO a SELECT * FROM b", "a b"),
    ("EXPLAIN WITH x AS (SELECT * FROM a) SELECT * FROM x", "a"),
    ("CALL lake.system.ancestors_of(table => 's.a')", "a"),
]

WRITES = [
    ("CREATE TABLE new1 (id INT)", "", "new1"),
    ("CREATE TABLE new2 AS SELECT * FROM a", "a", "new2"),
    ("CREATE OR REPLACE TABLE new2 AS SELECT * FROM v", "a v", "new2"),
    ("CREATE TABLE new3 LIKE a", "a", "new3"),
    ("INSERT INTO new2 VALUES (7, 'z')", "", "new2"),
    ("INSERT INTO new2 SELECT * FROM a", "a", "new2"),
    ("INSERT INTO new2 SELECT * FROM new2", "new2", "new2"),
    ("INSERT OVERWRITE new2 SELECT * FROM b", "b", "new2"),
    ("INSERT INTO a.branch_dev SELECT * FROM b", "b", "a"),
    ("WITH x AS (SELECT * FROM b) INSERT INTO new2 SELECT * FROM x", "b", "new2"),
    ("UPDATE new2 SET name = 'q' WHERE id = 1", "", "new2"),
    ("UPDATE new2 SET name = 'q' WHERE id IN (SELECT id FROM b)", "b", "new2"),
    ("DELETE FROM new2 WHERE id = 7", "", "new2"),
    ("DELETE FROM new2 WHERE id IN (SELECT id FROM v)", "a v", "new2"),
    ("DELETE FROM mor WHERE id = 1", "", "mor"),
    ("MERGE INTO new2 t USING b s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *", "b", "new2"),
    ("TRUNCATE TABLE new2", "", "new2"),
    ("ALTER TABLE new2 ADD COLUMN extra INT", "", "new2"),
    ("ALTER TABLE new2 SET TBLPROPERTIES ('a' = 'b')", "", "new2"),
    ("ALTER TABLE new2 ADD PARTITION FIELD id", "", "new2"),
    ("ALTER TABLE new2 WRITE ORDERED BY id", "", "new2"),
    ("ALTER TABLE new2 CREATE TAG t", "", "new2"),
    ("COMMENT ON TABLE new2 IS 'x'", "", "new2"),
    ("ALTER TABLE new1 RENAME TO renamed", "", "new1 renamed"),
    ("CREATE VIEW nv AS SELECT * FROM vv", "a b v vv", "nv"),
    ("DROP VIEW nv", "", "nv"),
    ("DROP TABLE new2", "", "new2"),
    ("DROP TABLE IF EXISTS never", "", "never"),
    ("CALL lake.system.rewrite_manifests('s.a')", "", "a"),
    ("CALL lake.system.rewrite_manifests(table => 'lake.s.a')", "", "a"),
    ("CALL sales.system.expire_snapshots(table => 's.b', retain_last => 1)", "", "sales.s.b"),
]

FAILURES = [
    ("SELECT * FROM missing JOIN a ON true", "a missing", ""),
    ("WITH x AS (SELECT * FROM other.s.secret) SELECT * FROM x", "other.s.secret", ""),
    ("SELECT nothing FROM a", "a", ""),
    ("SELECT 1 / id - id / 0 FROM a", "a", ""),
    ("INSERT INTO missing SELECT * FROM a", "a", "missing"),
    ("INSERT INTO a SELECT raise_error('no') , 'x'", "", "a"),
    ("CREATE TABLE a (id INT)", "", "a"),
    ("DROP TABLE missing", "", "missing"),
    ("SELECT * FROM temporary JOIN missing ON true", "missing", ""),
    ("CALL lake.system.rollback_to_snapshot(table => 's.a', snapshot_id => 1)", "", "a"),
]


def full(names: str) -> tuple[str, ...]:
    return tuple(sorted(name if "." in name else f"lake.s.{name}" for name in names.split()))


@pytest.mark.parametrize(("text", "reads"), READS)
def test_what_is_read(told: Told, text: str, reads: str) -> None:
    event = told(text)
    assert event.error is None
    assert (event.reads, event.writes) == (full(reads), ())


def test_what_is_written(told: Told) -> None:
    """In this order: some make what others use."""
    for text, reads, writes in WRITES:
        event = told(text)
        assert event.error is None, (text, event.error)
        assert (text, event.reads, event.writes) == (text, full(reads), full(writes))


@pytest.mark.parametrize(("text", "reads", "writes"), FAILURES)
def test_what_a_failed_statement_would_have_touched(told: Told, text: str, reads: str, writes: str) -> None:
    event = told(text)
    assert event.error is not None
    assert (event.reads, event.writes) == (full(reads), full(writes))


def test_a_statement_without_tables_names_the_catalog_that_it_asked(told: Told) -> None:
    assert told("SHOW SCHEMAS IN other").touched.catalogs == ("other",)
    assert told("CREATE SCHEMA other.another").touched.catalogs == ("other",)
    assert told("SELECT 1").touched.catalogs == ()


def test_ingest_and_many_rows_of_parameters_say_what_they_write(handler: QueryHandler, lake: Session) -> None:
    events: list[QueryEvent] = []
    handler.events.subscribe(events.append)
    rows = pa.table({"id": pa.array([1, 2], pa.int32())})
    handler.ingest(lake, TableName("loaded", "s", "lake"), IngestMode.CREATE, rows.to_reader(), door="test")
    assert (events[-1].reads, events[-1].writes) == ((), ("lake.s.loaded",))
    handler.submit_many(lake, "INSERT INTO loaded VALUES (?)", rows.to_reader(), door="test")
    assert (events[-1].reads, events[-1].writes) == ((), ("lake.s.loaded",))
    with pytest.raises(SqeError):
        handler.ingest(lake, TableName("loaded", "s", "lake"), IngestMode.CREATE, rows.to_reader(), door="test")
    assert events[-1].writes == ("lake.s.loaded",)
    handler.events._observers.remove(events.append)
