"""What users do with a catalog, as functions of one desk: the same for every type. docs/catalogs.md says which type can what."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from sqe import errors
from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.session import Session

Rows = list[tuple[Any, ...]]

WRITERS = 3


@dataclass(frozen=True)
class Desk:
    """Somebody who works in one schema of one catalog."""

    handler: QueryHandler
    session: Session
    catalog: str
    schema: str
    another: Callable[[], Session]

    @property
    def place(self) -> str:
        return f"{self.catalog}.{self.schema}"

    def sql(self, text: str, session: Session | None = None) -> Rows:
        """`{s}` in a statement is the schema with its catalog."""
        statement = text.replace("{s}", self.place).replace("{c}", self.catalog)
        with self.handler.submit(session or self.session, statement, door="test") as query:
            return [tuple(row.values()) for row in query.read_all().to_pylist()]

    def refusal(self, text: str) -> SqeError:
        with pytest.raises(SqeError) as refused:
            self.sql(text)
        return refused.value


def tables_and_rows(desk: Desk) -> None:
    desk.sql("CREATE TABLE {s}.orders (id BIGINT NOT NULL, name STRING, day DATE) PARTITIONED BY (days(day))")
    desk.sql("INSERT INTO {s}.orders VALUES (1, 'a', DATE '2026-01-01'), (2, 'b', DATE '2026-01-02')")
    assert desk.sql("SELECT id, name FROM {s}.orders WHERE day > DATE '2026-01-01'") == [(2, "b")]
    desk.sql("CREATE TABLE {s}.copy AS SELECT id, name FROM {s}.orders")
    assert desk.sql("SELECT * FROM {s}.copy ORDER BY id") == [(1, "a"), (2, "b")]
    assert {row[1] for row in desk.sql("SHOW TABLES IN {s}")} >= {"orders", "copy"}
    assert (desk.schema,) in desk.sql("SHOW SCHEMAS IN {c}")
    desk.sql("DROP TABLE {s}.copy")
    assert desk.refusal("SELECT * FROM {s}.copy").code is errors.TABLE_NOT_FOUND


def evolution(desk: Desk) -> None:
    desk.sql("CREATE TABLE {s}.grown (id INT, name STRING) TBLPROPERTIES ('owner-team' = 'x')")
    desk.sql("INSERT INTO {s}.grown VALUES (1, 'a')")
    desk.sql("ALTER TABLE {s}.grown ADD COLUMN price DECIMAL(10,2)")
    desk.sql("ALTER TABLE {s}.grown ALTER COLUMN id TYPE BIGINT")
    desk.sql("ALTER TABLE {s}.grown RENAME COLUMN name TO title")
    desk.sql("ALTER TABLE {s}.grown ADD PARTITION FIELD bucket(4, id)")
    desk.sql("ALTER TABLE {s}.grown SET TBLPROPERTIES ('owner-team' = 'y')")
    desk.sql("INSERT INTO {s}.grown VALUES (5000000000, 'b', 1.50)")
    assert desk.sql("SELECT id, title, CAST(price AS STRING) FROM {s}.grown ORDER BY id") == [
        (1, "a", None),
        (5000000000, "b", "1.50"),
    ]
    desk.sql("ALTER TABLE {s}.grown DROP COLUMN price")
    assert desk.sql("SELECT * FROM {s}.grown WHERE id = 1") == [(1, "a")]
    assert ("owner-team", "y") in desk.sql("SHOW TBLPROPERTIES {s}.grown")


def changes(desk: Desk) -> None:
    desk.sql("CREATE TABLE {s}.stock (id INT, n INT)")
    desk.sql("INSERT INTO {s}.stock VALUES (1, 10), (2, 20), (3, 30)")
    desk.sql("UPDATE {s}.stock SET n = n + 1 WHERE id = 1")
    desk.sql("DELETE FROM {s}.stock WHERE id = 2")
    desk.sql(
        "MERGE INTO {s}.stock t USING (SELECT * FROM VALUES (3, 0), (4, 40) AS v(id, n)) s ON t.id = s.id "
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *"
    )
    assert desk.sql("SELECT * FROM {s}.stock ORDER BY id") == [(1, 11), (4, 40)]


def branches(desk: Desk) -> None:
    desk.sql("CREATE TABLE {s}.refs (id INT)")
    desk.sql("INSERT INTO {s}.refs VALUES (1)")
    desk.sql("ALTER TABLE {s}.refs CREATE TAG first")
    desk.sql("ALTER TABLE {s}.refs CREATE BRANCH draft")
    desk.sql("INSERT INTO {s}.refs.branch_draft VALUES (2)")
    assert desk.sql("SELECT * FROM {s}.refs") == [(1,)]
    assert desk.sql("SELECT count(*) FROM {s}.refs VERSION AS OF 'draft'") == [(2,)]
    desk.sql("CALL {c}.system.fast_forward(table => '" + f"{desk.schema}.refs" + "', branch => 'main', to => 'draft')")
    assert desk.sql("SELECT count(*) FROM {s}.refs") == [(2,)]
    assert desk.sql("SELECT count(*) FROM {s}.refs VERSION AS OF 'first'") == [(1,)]


def replacement(desk: Desk) -> None:
    """Atomic, and the history of the table goes on."""
    desk.sql("CREATE TABLE {s}.again AS SELECT 1 AS id")
    desk.sql("CREATE OR REPLACE TABLE {s}.again AS SELECT 'x' AS name")
    assert desk.sql("SELECT * FROM {s}.again") == [("x",)]
    first = desk.sql("SELECT snapshot_id FROM {s}.again.snapshots ORDER BY committed_at LIMIT 1")[0][0]
    assert desk.sql(f"SELECT * FROM {{s}}.again VERSION AS OF {first}") == [(1,)]


def version_three(desk: Desk) -> None:
    desk.sql("CREATE TABLE {s}.third (id INT) TBLPROPERTIES ('format-version' = '3')")
    desk.sql("INSERT INTO {s}.third VALUES (1), (2)")
    assert ("format-version", "3") in desk.sql("SHOW TBLPROPERTIES {s}.third")
    assert len(set(desk.sql("SELECT _row_id FROM {s}.third"))) == 2


def views(desk: Desk) -> None:
    desk.sql("CREATE TABLE {s}.base AS SELECT id FROM range(3)")
    desk.sql("CREATE VIEW {s}.some AS SELECT id FROM {s}.base WHERE id > 0")
    assert desk.sql("SELECT count(*) FROM {s}.some") == [(2,)]
    desk.sql("CREATE OR REPLACE VIEW {s}.some AS SELECT id FROM {s}.base WHERE id > 1")
    assert desk.sql("SELECT * FROM {s}.some") == [(2,)]
    assert "some" in {row[1] for row in desk.sql("SHOW VIEWS IN {s}")}
    desk.sql("DROP VIEW {s}.some")
    assert desk.refusal("SELECT * FROM {s}.some").code is errors.TABLE_NOT_FOUND
    assert desk.refusal("DROP VIEW {s}.some").code is errors.TABLE_NOT_FOUND


def renaming(desk: Desk) -> None:
    desk.sql("CREATE TABLE {s}.old AS SELECT 1 AS id")
    desk.sql("ALTER TABLE {s}.old RENAME TO {s}.new".replace("RENAME TO {s}", f"RENAME TO {desk.schema}"))
    assert desk.sql("SELECT * FROM {s}.new") == [(1,)]
    assert desk.refusal("SELECT * FROM {s}.old").code is errors.TABLE_NOT_FOUND


def schemas_in_schemas(desk: Desk) -> None:
    desk.sql("CREATE SCHEMA {s}.inner_one")
    desk.sql("CREATE TABLE {s}.inner_one.t AS SELECT 1 AS id")
    assert desk.sql("SELECT * FROM {s}.inner_one.t") == [(1,)]
    desk.sql("DROP TABLE {s}.inner_one.t")
    desk.sql("DROP SCHEMA {s}.inner_one")


def schema_properties(desk: Desk) -> None:
    desk.sql("ALTER SCHEMA {s} SET DBPROPERTIES ('team' = 'x')")
    assert "team" in str(desk.sql("DESCRIBE SCHEMA EXTENDED {s}"))


def names_in_any_case(desk: Desk) -> None:
    place = desk.place.upper()
    desk.sql("CREATE TABLE {s}.plain (Id INT)")
    desk.sql(f"INSERT INTO {place}.PLAIN VALUES (1)")
    assert desk.sql("SELECT ID FROM {s}.Plain") == [(1,)]
    assert desk.sql(f"SELECT count(*) FROM {place}.PLAIN.SNAPSHOTS") == [(1,)]
    assert desk.refusal("CREATE TABLE {s}.PLAIN (a INT)").code is errors.TABLE_ALREADY_EXISTS
    desk.sql(f"ALTER TABLE {place}.pLAIN ADD COLUMN n INT")
    desk.sql(f"DROP TABLE {place}.plaiN")
    assert desk.refusal("SELECT * FROM {s}.plain").code is errors.TABLE_NOT_FOUND


def capital_letters(desk: Desk) -> None:
    desk.sql("CREATE TABLE {s}.Capital (Id INT)")
    desk.sql("INSERT INTO {s}.Capital VALUES (1)")
    assert desk.sql("SELECT * FROM {s}.capital") == [(1,)]
    desk.sql("CREATE OR REPLACE TABLE {s}.CAPITAL AS SELECT 2 AS id")
    assert desk.sql("SELECT * FROM {s}.Capital") == [(2,)]
    desk.sql("DROP TABLE {s}.CAPITAL")


def names_as_given(desk: Desk) -> None:
    desk.sql("CREATE TABLE {s}.CamelCase (id INT)")
    shown = {row[1] for row in desk.sql("SHOW TABLES IN {s}")}
    desk.sql("DROP TABLE {s}.CamelCase")
    assert "CamelCase" in shown


def concurrent_commits(desk: Desk) -> None:
    """Appends all land. Changes of one row land, or say that they did not; none is lost."""
    desk.sql("CREATE TABLE {s}.busy (writer INT, n INT) TBLPROPERTIES ('commit.retry.num-retries' = '20')")
    sessions = [desk.another() for _ in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(lambda number: _append(desk, sessions[number], number), range(WRITERS)))
    assert desk.sql("SELECT writer, count(*) FROM {s}.busy GROUP BY 1 ORDER BY 1") == [(number, 3) for number in range(WRITERS)]
    desk.sql("CREATE TABLE {s}.counter AS SELECT 0 AS n")
    with ThreadPoolExecutor(WRITERS) as pool:
        landed = sum(pool.map(lambda session: _raised(desk, session), sessions))
    assert landed > 0
    assert desk.sql("SELECT * FROM {s}.counter") == [(landed,)]


def _append(desk: Desk, session: Session, number: int) -> None:
    for n in range(3):
        desk.sql(f"INSERT INTO {{s}}.busy VALUES ({number}, {n})", session)


def _raised(desk: Desk, session: Session) -> int:
    landed = 0
    for _ in range(2):
        try:
            desk.sql("UPDATE {s}.counter SET n = n + 1", session)
            landed += 1
        except SqeError as conflict:
            if conflict.code is not errors.TRANSACTION_CONFLICT:
                raise
    return landed


FAILING = {
    "SELECT * FROM {s}.nothing": errors.TABLE_NOT_FOUND,
    "SELECT * FROM {s}_nowhere.nothing": errors.TABLE_NOT_FOUND,
    "INSERT INTO {s}.nothing VALUES (1)": errors.TABLE_NOT_FOUND,
    "DROP TABLE {s}.nothing": errors.TABLE_NOT_FOUND,
    "ALTER TABLE {s}.nothing ADD COLUMN x INT": errors.TABLE_NOT_FOUND,
    "SELECT nothing FROM {s}.there": errors.COLUMN_NOT_FOUND,
    "SELECT * FROM {s}.there VERSION AS OF 'nothing'": errors.NOT_FOUND,
    "CREATE TABLE {s}.there (id INT)": errors.TABLE_ALREADY_EXISTS,
    "CREATE SCHEMA {s}": errors.SCHEMA_ALREADY_EXISTS,
    "SHOW TABLES IN {s}_nowhere": errors.SCHEMA_NOT_FOUND,
    "DROP SCHEMA {s}_nowhere": errors.SCHEMA_NOT_FOUND,
    "DROP SCHEMA {s}": errors.SCHEMA_NOT_EMPTY,
}


def no_table_without_a_schema(desk: Desk) -> None:
    statement = "CREATE TABLE {s}_misspelt.t (id INT)"
    failure = _failure(desk, statement)
    if failure is None:
        desk.sql("DROP TABLE {s}_misspelt.t")
        raise AssertionError("the table was made")
    if failure.code is not errors.SCHEMA_NOT_FOUND:
        raise failure


def error_texts(desk: Desk) -> None:
    """The same code on every catalog, and nothing of the machinery behind it."""
    desk.sql("CREATE TABLE {s}.there (id INT)")
    found = {statement: _failure(desk, statement) for statement in FAILING}
    wrong = {statement: str(error) for statement, error in found.items() if error is None or error.code is not FAILING[statement]}
    if wrong:
        raise AssertionError(f"other codes: {wrong}")
    for error in found.values():
        assert not any(word in str(error) for word in ("Exception", "org.", "://", "software.", "\n")), str(error)


def _failure(desk: Desk, statement: str) -> SqeError | None:
    try:
        desk.sql(statement)
    except SqeError as error:
        return error
    return None


CAPABILITIES: dict[str, Callable[[Desk], None]] = {
    "create, write and read tables": tables_and_rows,
    "evolve a table": evolution,
    "UPDATE, DELETE, MERGE": changes,
    "branches and tags": branches,
    "replace a table, history kept": replacement,
    "tables of version 3": version_three,
    "views": views,
    "rename a table": renaming,
    "schemas within schemas": schemas_in_schemas,
    "properties of schemas": schema_properties,
    "names in any case": names_in_any_case,
    "capital letters in new names": capital_letters,
    "names shown as given": names_as_given,
    "concurrent commits": concurrent_commits,
    "a new table needs its schema": no_table_without_a_schema,
    "the same error codes": error_texts,
}
