"""SQE's own forms: their classes, what they tell, what they write, and that they open no way around anything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions

Sql = Callable[[str], pa.Table]

CLASSES = [
    ("query", 'SELECT * FROM "f$snapshots"'),
    ("query", "SELECT * FROM information_schema.tables"),
    ("query", "SELECT * FROM system.runtime.queries"),
    ("show", "SHOW STATS FOR f"),
    ("show", "SHOW REFS FROM f"),
    ("ddl", "CREATE BRANCH side ON f"),
    ("ddl", "COMMENT ON COLUMN f.id IS 'x'"),
    ("call", "ALTER TABLE f EXECUTE optimize"),
    ("call", "CALL lake.system.table_health(table => 'default.f')"),
    ("set", "SET write_branch = 'side'"),
    ("set", "SET write_branch = DEFAULT"),
    ("explain", "EXPLAIN ANALYZE SELECT * FROM f"),
]


def test_own_forms_have_their_class_also_when_they_are_only_prepared(handler: QueryHandler, session: Session, sql: Sql) -> None:
    sql("CREATE TABLE f AS SELECT 1L AS id")
    for expected, text in CLASSES:
        prepared = handler.prepare(session, text)
        with handler.submit(session, text, door="test") as query:
            rows = query.read_all()
        assert (prepared.statement.value, query.statement.value) == (expected, expected), text
        if expected in ("query", "show", "explain"):
            assert prepared.schema.names == rows.schema.names, text


def test_columns_of_views_take_comments(handler: QueryHandler, session: Session, sql: Sql) -> None:
    sql("CREATE TABLE below AS SELECT 1L AS id, 'a' AS name")
    sql("CREATE VIEW above COMMENT 'a view' TBLPROPERTIES ('kept' = 'yes') AS SELECT id, name AS label FROM below")
    sql("COMMENT ON COLUMN above.LABEL IS 'what it''s called'")
    sql("COMMENT ON COLUMN lake.default.above.id IS 'x'")
    sql("COMMENT ON COLUMN above.id IS NULL")
    told = {row["col_name"]: row["comment"] for row in sql("DESCRIBE above").to_pylist()}
    assert told["label"] == "what it's called"
    assert not told["id"]
    made = sql("SHOW CREATE TABLE above").to_pylist()[0]["createtab_stmt"]
    assert "'kept' = 'yes'" in made
    assert "a view" in made
    assert sql("SELECT id, label FROM above").to_pylist() == [{"id": 1, "label": "a"}]
    with pytest.raises(SqeError, match="nothing"):
        sql("COMMENT ON COLUMN above.nothing IS 'x'")
    with handler.submit(session, "COMMENT ON COLUMN above.id IS 'y'", door="test") as query:
        assert query.statement.value == "ddl"
        assert [name.lower() for name in query.touched.writes] == ["lake.default.above"]


def test_a_part_of_a_table_counts_as_a_read_of_the_table(handler: QueryHandler, session: Session, sql: Sql) -> None:
    sql("CREATE TABLE whole AS SELECT 1L AS id")
    for text in (
        'SELECT * FROM "whole$files"',
        'SELECT * FROM "WHOLE$properties"',
        'SELECT * FROM default."whole$changes"',
        "SELECT * FROM whole.changes",
        "SHOW STATS FOR whole",
    ):
        with handler.submit(session, text, door="test") as query:
            query.read_all()
        assert [name.lower() for name in query.touched.reads] == ["lake.default.whole"], text


def test_queries_of_others_are_invisible_but_to_administrators(handler: QueryHandler, sessions: Sessions) -> None:
    def seen_by(identity: Identity) -> set[str]:
        session = sessions.open(identity)
        with handler.submit(session, "SELECT DISTINCT user FROM system.runtime.queries", door="test") as query:
            users = set(query.read_all()["user"].to_pylist())
        sessions.close(session)
        return users

    assert seen_by(Identity("mallory")) == {"mallory"}
    assert seen_by(Identity("eve")) == {"eve"}
    assert seen_by(Identity("boss", roles=frozenset({"admin"}))) >= {"mallory", "eve", "boss"}


def test_queries_cannot_be_kept_in_a_view_for_others(sql: Sql) -> None:
    sql("CREATE VIEW everything AS SELECT * FROM system.runtime.queries")
    with pytest.raises(SqeError, match="by its own name only"):
        sql("SELECT * FROM everything")


def test_copy_writes_a_file_or_nothing(handler: QueryHandler, session: Session, tmp_path: Path) -> None:
    file = tmp_path / "it's.parquet"
    text = f"COPY (SELECT id, 'a;b' AS name FROM range(1000)) TO '{str(file).replace(chr(39), chr(39) * 2)}'"
    with handler.submit(session, text, door="test") as query:
        assert not query.read_all().num_columns
    assert (query.statement.value, query.affected_rows) == ("copy", 1000)
    assert pq.read_table(file).num_rows == 1000
    with pytest.raises(SqeError) as raised:
        handler.submit(session, f"COPY (SELECT 1 / (id - 5) FROM range(10)) TO '{tmp_path}/half.csv'", door="test").close()
    assert raised.value.code.name == "DIVISION_BY_ZERO"
    assert [each.name for each in tmp_path.iterdir()] == [file.name]
    for wrong in ("relative.csv", "s3://bucket/x.csv", f"{tmp_path}", f"{tmp_path}/no/folder.csv"):
        with pytest.raises(SqeError):
            handler.submit(session, f"COPY (SELECT 1) TO '{wrong}' (FORMAT csv)", door="test").close()


def test_a_server_writes_no_files_for_its_users(driver: Driver, session: Session, tmp_path: Path) -> None:
    server = QueryHandler(driver)
    try:
        for run in (server.prepare, lambda session, text: server.submit(session, text, door="test")):
            with pytest.raises(SqeError) as raised:
                run(session, f"COPY (SELECT 1) TO '{tmp_path}/x.csv'")
            assert raised.value.code.name == "PERMISSION_DENIED"
        with pytest.raises(SqeError) as raised:
            server.prepare(session, f"EXPLAIN ANALYZE COPY (SELECT 1) TO '{tmp_path}/x.csv'")
        assert raised.value.code.name == "PERMISSION_DENIED"
    finally:
        server.close()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "CALL lake.system.expire_snapshots(tabel => 'x')",
            "INVALID_PROCEDURE_ARGUMENT: Procedure expire_snapshots has no argument tabel [did you mean table?]",
        ),
        (
            "CALL lake.system.expire_snapshot(table => 'x')",
            "PROCEDURE_NOT_FOUND: Procedure lake.system.expire_snapshot does not exist [did you mean expire_snapshots?]",
        ),
        (
            "ALTER TABLE x EXECUTE optimize(file_size => '1MB')",
            "INVALID_PROCEDURE_ARGUMENT: Procedure optimize has no argument file_size [did you mean file_size_threshold?]",
        ),
        ("SHOW STATS FOR missing", "TABLE_NOT_FOUND: Table missing does not exist"),
        (
            "CREATE TABLE d (x INT DEFAULT 5)",
            "NOT_SUPPORTED: Column defaults need a table of format version 3 ('format-version' = '3')",
        ),
    ],
)
def test_errors_name_what_is_wrong_and_what_was_meant(sql: Sql, text: str, told: str) -> None:
    with pytest.raises(SqeError) as raised:
        sql(text)
    assert str(raised.value) == told


def test_every_procedure_that_is_there_is_known_for_did_you_mean(sql: Sql) -> None:
    from sqe.engine.failures import PROCEDURES

    assert set(sql("SHOW PROCEDURES IN lake.system")["procedure_name"].to_pylist()) == set(PROCEDURES)


def test_ingested_rows_go_to_the_write_branch_too(handler: QueryHandler, session: Session, sql: Sql) -> None:
    from sqe.query.ingest import IngestMode, TableName

    sql("CREATE TABLE fed AS SELECT 1L AS id")
    sql("CREATE BRANCH b ON fed")
    sql("SET write_branch = 'b'")
    rows = pa.table({"id": pa.array([2, 3], pa.int64())})
    assert handler.ingest(session, TableName("fed"), IngestMode.APPEND, rows.to_reader(), door="test") == 2
    sql("SET write_branch = DEFAULT")
    assert sql("SELECT count(*) AS n FROM fed")["n"].to_pylist() == [1]
    assert sql("SELECT count(*) AS n FROM fed VERSION AS OF 'b'")["n"].to_pylist() == [3]


def test_table_health_counts_and_recommends(sql: Sql) -> None:
    sql("CREATE TABLE ill (id BIGINT) TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read')")
    for start in range(5):
        sql(f"INSERT INTO ill SELECT id FROM range({start * 10}, {start * 10 + 10}, 1, 1)")
    sql("DELETE FROM ill WHERE id = 7")
    (row,) = sql("CALL lake.system.table_health(table => 'default.ill')").to_pylist()
    assert (row["data_files"], row["records"], row["small_files"]) == (5, 50, 5)
    assert (row["delete_files"], row["deleted_records"], row["files_with_deletes"]) == (1, 1, 1)
    assert (row["snapshots"], row["format_version"]) == (6, 3)
    assert row["recommendations"][0] == "CALL lake.system.rewrite_data_files(table => 'default.ill')"
    for advice in row["recommendations"]:
        sql(advice)
    (row,) = sql("CALL lake.system.table_health(table => 'ill')").to_pylist()
    assert (row["data_files"], row["deleted_records"], row["recommendations"]) == (1, 0, [])
