"""Many rows of parameters: an INSERT of VALUES is one commit of all of them, everything else runs once a row."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from sqe import errors
from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.session import Session

Sql = Callable[[str], pa.Table]


def test_an_insert_of_many_rows_is_one_commit(handler: QueryHandler, session: Session, sql: Sql) -> None:
    sql("CREATE TABLE bulk (id BIGINT, name STRING, amount DECIMAL(10, 2))")
    rows = pa.table({"a": list(range(5000)), "b": [f"n{i}" if i % 2 else None for i in range(5000)]})
    affected = handler.submit_many(
        session,
        "INSERT INTO bulk (name, id, amount) VALUES (upper(?), ? + 1, 1.5)",
        rows.select(["b", "a"]).to_reader(),
        door="test",
    )
    assert affected == 5000
    assert sql("SELECT count(*) AS n FROM bulk.snapshots").to_pylist() == [{"n": 1}]
    assert sql("SELECT count(*) AS n, max(id) AS top, count(name) AS names, max(name) AS name FROM bulk").to_pylist() == [
        {"n": 5000, "top": 5000, "names": 2500, "name": "N999"}
    ]


def test_other_statements_run_once_a_row(handler: QueryHandler, session: Session, sql: Sql) -> None:
    sql("CREATE TABLE each AS SELECT id, 'old' AS name FROM range(10)")
    rows = pa.table({"name": ["x", "y"], "id": [3, 5]})
    assert handler.submit_many(session, "UPDATE each SET name = ? WHERE id >= ?", rows.to_reader(), door="test") == 12
    assert sql("SELECT name, count(*) AS n FROM each GROUP BY name ORDER BY name").to_pylist() == [
        {"name": "old", "n": 3},
        {"name": "x", "n": 2},
        {"name": "y", "n": 5},
    ]


def test_a_value_that_does_not_fit_leaves_the_table_as_it_was(handler: QueryHandler, session: Session, sql: Sql) -> None:
    sql("CREATE TABLE narrow (n INT)")
    with pytest.raises(SqeError) as refused:
        handler.submit_many(session, "INSERT INTO narrow VALUES (?)", pa.table({"n": [1, 2, 2**40]}).to_reader(), door="test")
    assert refused.value.code in (errors.INVALID_CAST_ARGUMENT, errors.NUMERIC_VALUE_OUT_OF_RANGE)
    assert sql("SELECT * FROM narrow").num_rows == 0
