"""A statement that changes rows says how many, whichever way Iceberg writes the change."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pyarrow as pa
import pytest

from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions

Affected = Callable[[str], "int | None"]

WAYS = {
    "copy-on-write, format 2": ("copy-on-write", "2"),
    "merge-on-read, format 2": ("merge-on-read", "2"),
    "merge-on-read, format 3": ("merge-on-read", "3"),
}

# Each in turn on a table with ids 0 to 9 and names n0 to n9, in two files.
CHANGES: list[tuple[int, str]] = [
    (1, "UPDATE t SET name = 'u' WHERE id = 1"),
    (2, "UPDATE t AS x SET x.name = 'v' WHERE x.id IN (1, 2, 100)"),
    (1, "WITH few AS (SELECT 3L AS id) UPDATE t SET name = 'f' WHERE id IN (SELECT id FROM few)"),
    (1, "DELETE FROM t WHERE id = 1"),
    (1, "DELETE FROM t WHERE id = 2"),
    (0, "DELETE FROM t WHERE id = 2"),
    (2, "DELETE FROM t WHERE id IN (SELECT id + 3 FROM range(2))"),
    (3, "MERGE INTO t USING (VALUES (5L, 'five'), (6L, 'six'), (50L, 'new')) s ON t.id = s.col1 "
        "WHEN MATCHED AND s.col1 = 5 THEN DELETE WHEN MATCHED THEN UPDATE SET name = s.col2 "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.col1, s.col2)"),
    (2, "MERGE INTO t USING (SELECT 7L AS k) s ON t.id = s.k WHEN NOT MATCHED BY SOURCE AND t.id > 8 THEN DELETE"),
    (4, "UPDATE t SET name = 'all'"),
]  # fmt: skip


@pytest.fixture
def affected(handler: QueryHandler, session: Session) -> Affected:
    def run(text: str) -> int | None:
        with handler.submit(session, text, door="test") as query:
            assert query.read_all().num_rows == 0
            return query.affected_rows

    return run


def rows(handler: QueryHandler, session: Session, text: str) -> list[dict[str, object]]:
    with handler.submit(session, text, door="test") as query:
        result: list[dict[str, object]] = query.read_all().to_pylist()
        return result


@pytest.mark.parametrize("way", WAYS)
def test_every_change_counts_its_rows(handler: QueryHandler, session: Session, affected: Affected, way: str) -> None:
    mode, version = WAYS[way]
    modes = ", ".join(f"'write.{what}.mode'='{mode}'" for what in ("delete", "update", "merge"))
    affected(f"CREATE OR REPLACE TABLE t (id BIGINT, name STRING) TBLPROPERTIES ('format-version'='{version}', {modes})")
    assert affected("INSERT INTO t SELECT id, concat('n', id) FROM range(5)") == 5
    assert affected("INSERT INTO t SELECT id, concat('n', id) FROM range(5, 10)") == 5
    for expected, text in CHANGES:
        assert affected(text) == expected, text
    assert rows(handler, session, "SELECT * FROM t ORDER BY id") == [{"id": id, "name": "all"} for id in (0, 6, 7, 8)]
    affected("ALTER TABLE t SET TBLPROPERTIES ('write.update.mode'='copy-on-write', 'write.delete.mode'='copy-on-write')")
    assert affected("UPDATE t SET name = 'again' WHERE id < 7") == 2
    assert affected("DELETE FROM t WHERE id = 0") == 1
    assert affected("DELETE FROM t") == 3
    assert affected("DELETE FROM t") == 0


def test_inserts_count_what_they_add(affected: Affected) -> None:
    for expected, text in [
        (None, "CREATE TABLE i (id BIGINT, part STRING) PARTITIONED BY (part)"),
        (2, "INSERT INTO i VALUES (1, 'a'), (2, 'b')"),
        (0, "INSERT INTO i SELECT * FROM i WHERE id = 100"),
        (1, "WITH more AS (SELECT 3L, 'c') INSERT INTO i SELECT * FROM more"),
        (1, "INSERT INTO IDENTIFIER('i') VALUES (4, 'd')"),
        (3, "INSERT OVERWRITE i PARTITION (part = 'a') SELECT id FROM range(3)"),
        (1, "INSERT INTO i REPLACE WHERE part = 'a' SELECT 9L, 'a'"),
        (1, "INSERT OVERWRITE i SELECT 1L, 'z'"),
        (1, "TRUNCATE TABLE i"),
        (0, "TRUNCATE TABLE i"),
        (4, "CREATE TABLE c AS SELECT id FROM range(4)"),
        (0, "CREATE OR REPLACE TABLE c AS SELECT id FROM range(0)"),
        (5, "REPLACE TABLE c AS SELECT id FROM range(5)"),
        (5, "DELETE FROM IDENTIFIER('c')"),
        (None, "CREATE VIEW counted AS SELECT 1 AS n"),
        (None, "ALTER TABLE c ADD COLUMN more INT"),
        (None, "DROP TABLE c"),
    ]:
        assert affected(text) == expected, text


def test_writes_to_a_branch_count_and_stay_there(handler: QueryHandler, session: Session, affected: Affected) -> None:
    affected("CREATE TABLE b AS SELECT id FROM range(3)")
    affected("ALTER TABLE b CREATE BRANCH work")
    assert affected("INSERT INTO b.branch_work VALUES (10), (11)") == 2
    assert affected("UPDATE b.branch_work SET id = 12 WHERE id >= 10") == 2
    assert affected("DELETE FROM lake.default.b.branch_work WHERE id = 0") == 1
    assert affected("MERGE INTO b.branch_work t USING (SELECT 1L AS k) s ON t.id = s.k WHEN MATCHED THEN DELETE") == 1
    assert rows(handler, session, "SELECT id FROM b ORDER BY id") == [{"id": 0}, {"id": 1}, {"id": 2}]
    assert rows(handler, session, "SELECT id FROM b VERSION AS OF 'work' ORDER BY id") == [{"id": 2}, {"id": 12}, {"id": 12}]


def test_a_query_has_no_count(handler: QueryHandler, session: Session) -> None:
    with handler.submit(session, "SELECT 1", door="test") as query:
        assert query.affected_rows is None


def test_writers_of_one_table_wait_for_each_other_and_lose_nothing(handler: QueryHandler, sessions: Sessions) -> None:
    writers = [sessions.open(Identity(f"writer{number}")) for number in range(4)]
    handler.submit(writers[0], "CREATE TABLE shared (writer INT, n INT)", door="test").close()
    failures: list[SqeError] = []

    def write(number: int) -> None:
        for n in range(3):
            try:
                with handler.submit(writers[number], f"INSERT INTO shared VALUES ({number}, {n})", door="test") as query:
                    assert query.affected_rows == 1
            except SqeError as failure:
                failures.append(failure)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    with handler.submit(writers[0], "SELECT writer, n FROM shared ORDER BY 1, 2", door="test") as query:
        assert query.read_all().num_rows == 12
    for writer in writers:
        sessions.close(writer)


def test_two_updates_of_the_same_rows_never_both_win(handler: QueryHandler, sessions: Sessions) -> None:
    one, two = sessions.open(Identity("one")), sessions.open(Identity("two"))
    handler.submit(one, "CREATE TABLE contested AS SELECT id, 0 AS n FROM range(10)", door="test").close()
    outcomes: list[str] = []

    def change(session: Session) -> None:
        try:
            handler.submit(session, "UPDATE contested SET n = n + 1", door="test").close()
            outcomes.append("done")
        except SqeError as failure:
            outcomes.append(failure.code.name)

    threads = [threading.Thread(target=change, args=(session,)) for session in (one, two)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(outcomes) <= {"done", "TRANSACTION_CONFLICT"}
    with handler.submit(one, "SELECT DISTINCT n FROM contested", door="test") as query:
        assert query.read_all() == pa.table({"n": pa.array([outcomes.count("done")], pa.int32())})
    sessions.close(one)
    sessions.close(two)
