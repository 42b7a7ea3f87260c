"""Statements that look around: plans as JSON, schemas as statements, the tables of the catalog `system`."""

from __future__ import annotations

import json
from collections.abc import Callable

import pyarrow as pa
import pytest

from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions

Sql = Callable[[str], pa.Table]


def operators(node: dict[str, object]) -> list[str]:
    found = [str(node["operator"])] if "operator" in node else []
    for child in node.get("children") or node.get("plan") or ():  # type: ignore[attr-defined]
        found += operators(child)
    return found


def test_a_plan_as_json(handler: QueryHandler, session: Session, sql: Sql) -> None:
    sql("CREATE TABLE plain AS SELECT id FROM range(10)")
    sql("SET native = off")  # which is one step
    query = "SELECT a.id, count(*) FROM plain a JOIN plain b ON a.id = b.id WHERE a.id > 3 GROUP BY a.id"
    for words in ("EXPLAIN FORMAT JSON", "EXPLAIN (FORMAT JSON)", "EXPLAIN ANALYZE FORMAT JSON"):
        [row] = sql(f"{words} {query}").to_pylist()
        names = operators(json.loads(row["plan"]))
        assert names.count("HashAggregate") == 2, words
        assert any(name.startswith("BatchScan") for name in names), words
        assert handler.prepare(session, f"{words} {query}").schema.names == ["plan"]
    sql("SET native = auto")
    for words, native in (("EXPLAIN FORMAT JSON", ["the whole query"]), ("EXPLAIN ANALYZE FORMAT JSON", None)):
        plan = json.loads(sql(f"{words} {query}").to_pylist()[0]["plan"])
        assert operators(plan)[-1] == "Native", words
        assert plan.get("native") == native, words
    before = sql("SELECT count(*) AS n FROM plain").to_pylist()
    assert "AppendData" in sql("EXPLAIN FORMAT JSON INSERT INTO plain VALUES (99)").to_pylist()[0]["plan"]
    assert sql("SELECT count(*) AS n FROM plain").to_pylist() == before
    with pytest.raises(SqeError, match="NOT_SUPPORTED"):
        sql("EXPLAIN FORMAT JSON CACHE TABLE plain")


def test_a_schema_as_the_statement_that_makes_it(sql: Sql) -> None:
    sql("CREATE SCHEMA told COMMENT 'it''s mine' WITH DBPROPERTIES ('a' = 'b, (c)', 'd' = 'e')")
    [row] = sql("SHOW CREATE SCHEMA told").to_pylist()
    statement = row["createschema_stmt"]
    assert statement.startswith("CREATE SCHEMA `lake`.told\nCOMMENT 'it\\'s mine'\nLOCATION 'file:")
    assert statement.endswith("WITH DBPROPERTIES ('a' = 'b, (c)', 'd' = 'e')")
    sql("DROP SCHEMA told")
    sql(statement)
    [again] = sql("SHOW CREATE SCHEMA told").to_pylist()
    assert again["createschema_stmt"].replace("file:///", "file:/") == statement.replace("file:///", "file:/")
    with pytest.raises(SqeError, match="SCHEMA_NOT_FOUND"):
        sql("SHOW CREATE SCHEMA missing")


def test_procedures_take_times_that_are_worked_out(sql: Sql) -> None:
    sql("CREATE TABLE old AS SELECT 1 AS a")
    sql("INSERT INTO old VALUES (2)")
    sql("CALL lake.system.expire_snapshots(table => 'default.old', older_than => current_timestamp() - INTERVAL 1 DAY)")
    assert len(sql("SELECT * FROM old.snapshots")) == 2
    sql("CALL lake.system.expire_snapshots('default.old', now() + INTERVAL '1' HOUR)")
    assert len(sql("SELECT * FROM old.snapshots")) == 1


def test_encryption_without_a_key_service_is_refused(sql: Sql) -> None:
    sql("CREATE TABLE plain_files (a INT)")
    for text in (
        "CREATE TABLE locked (a INT) TBLPROPERTIES ('format-version' = '3', 'encryption.key-id' = 'k')",
        "ALTER TABLE plain_files SET TBLPROPERTIES ('Encryption.Key-Id' = 'k')",
        "CREATE TABLE locked TBLPROPERTIES ('encryption.key-id' = 'k') AS SELECT 1 AS a",
    ):
        with pytest.raises(SqeError, match="key service"):
            sql(text)


def test_the_system_catalog_tells_of_what_the_user_can_see(sql: Sql) -> None:
    sql("CREATE SCHEMA sys_s")
    sql("CREATE TABLE sys_s.t (a INT COMMENT 'x', d DECIMAL(9, 2) NOT NULL) COMMENT 'hi'")
    sql("CREATE VIEW sys_s.v AS SELECT a FROM sys_s.t")
    tables = sql(
        "SELECT table_cat, table_name, table_type FROM system.jdbc.tables WHERE table_schem = 'sys_s' ORDER BY 2"
    ).to_pylist()
    assert tables == [
        {"table_cat": "lake", "table_name": "t", "table_type": "TABLE"},
        {"table_cat": "lake", "table_name": "v", "table_type": "VIEW"},
    ]
    columns = sql(
        "SELECT column_name, data_type, column_size, decimal_digits, is_nullable, remarks FROM system.jdbc.columns "
        "WHERE table_cat = 'lake' AND table_schem = 'sys_s' AND table_name = 't' ORDER BY ordinal_position"
    ).to_pylist()
    assert [tuple(column.values()) for column in columns] == [("a", 4, 10, None, "YES", "x"), ("d", 3, 9, 2, "NO", None)]
    assert {"table_schem": "sys_s", "table_catalog": "lake"} in sql("SELECT * FROM system.jdbc.schemas").to_pylist()
    comments = sql("SELECT comment FROM system.metadata.table_comments WHERE schema_name = 'sys_s' AND table_name = 't'")
    assert comments.to_pylist() == [{"comment": "hi"}]
    assert sql("SELECT catalog_name FROM system.metadata.catalogs").to_pylist() == [{"catalog_name": "lake"}]
    assert sql("SELECT coordinator, state FROM system.runtime.nodes").to_pylist() == [{"coordinator": True, "state": "active"}]
    with pytest.raises(SqeError, match="TABLE_NOT_FOUND"):
        sql("SELECT * FROM system.jdbc.nothing")
    with pytest.raises(SqeError, match="cannot be changed"):
        sql("CREATE TABLE system.jdbc.mine (a INT)")


def test_system_tables_can_be_read_in_a_subquery(sql: Sql) -> None:
    """Whose plan is adapted while it runs, in another thread than the statement's."""
    for inner in ("tasks", "queries"):
        sql(f"SELECT query_id FROM system.runtime.queries WHERE query_id NOT IN (SELECT query_id FROM system.runtime.{inner})")
    both = sql("SELECT count(*) AS n FROM system.runtime.queries q JOIN system.runtime.tasks t ON q.query_id = t.query_id")
    assert both.to_pylist()[0]["n"] >= 1


def test_tasks_of_others_are_invisible(handler: QueryHandler, sessions: Sessions, session: Session) -> None:
    with handler.submit(session, "SELECT id FROM range(100000000)", door="test"):

        def seen_by(identity: Identity) -> int:
            other = sessions.open(identity)
            with handler.submit(other, "SELECT query_id FROM system.runtime.tasks", door="test") as query:
                rows = query.read_all()
            sessions.close(other)
            return len(rows)

        assert seen_by(Identity("mallory")) == 1
        assert seen_by(Identity("boss", roles=frozenset({"admin"}))) >= 2


def test_what_lies_inside_a_table_is_read_without_a_task(sql: Sql) -> None:
    sql("CREATE TABLE parted (id INT, part STRING) PARTITIONED BY (part)")
    for number, part in enumerate("abc"):
        sql(f"INSERT INTO parted VALUES ({number}, '{part}'), ({number + 10}, '{part}')")
    for part in ("snapshots", "history", "refs", "metadata_log_entries", "manifests", "partitions"):
        plan = str(sql(f"EXPLAIN SELECT * FROM parted.{part}").to_pylist()[0]["plan"])
        assert "LocalTableScan" in plan, part
        assert "BatchScan" not in plan, part
        assert sql(f'SELECT * FROM "parted${part}"') == sql(f"SELECT * FROM parted.{part}"), part
    # Rows come out of Iceberg in one object, whose structs and lists are the same ones for each.
    bounds = sql("SELECT partition_summaries[0].lower_bound AS low FROM parted.manifests ORDER BY added_snapshot_id").to_pylist()
    assert sorted(str(row["low"]) for row in bounds) == ["a", "b", "c"]
    assert sql("SELECT partition.part, record_count FROM parted.partitions ORDER BY 1").to_pylist() == [
        {"part": part, "record_count": 2} for part in "abc"
    ]
    operations = sql("SELECT operation, summary['added-records'] AS n FROM parted.snapshots WHERE parent_id IS NULL").to_pylist()
    assert operations == [{"operation": "append", "n": "2"}]
    assert sql("SELECT count(*) AS n, count(DISTINCT snapshot_id) AS d FROM parted.snapshots").to_pylist() == [{"n": 3, "d": 3}]
    assert len(sql("SELECT * FROM parted.snapshots LIMIT 2")) == 2
    assert sql("SELECT s.operation FROM parted.snapshots s JOIN parted.refs r ON r.snapshot_id = s.snapshot_id").num_rows == 1


def test_a_list_of_many_tables_comes_whole(sql: Sql) -> None:
    """More than travel with the answer (1024 rows), by SHOW, DESCRIBE and SHOW COLUMNS alike."""
    columns = ", ".join(f"c{number} INT" for number in range(1100))
    sql(f"CREATE TABLE wide ({columns})")
    assert sql("DESCRIBE wide").num_rows == 1100
    assert sql("SHOW COLUMNS IN wide").num_rows == 1100
    assert sql("SHOW TABLES LIKE 'wide'").to_pylist() == [{"namespace": "default", "tableName": "wide", "isTemporary": False}]
    assert len(str(sql("SHOW CREATE TABLE wide").to_pylist()[0])) > 10_000
