"""Names do not depend on case: of columns, tables, views, schemas and catalogs, in whatever statement they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from sqe import errors
from sqe.errors import SqeError

Sql = Callable[[str], list[tuple[object, ...]]]


@pytest.fixture(name="sql")
def as_rows(sql: Callable[[str], pa.Table]) -> Sql:
    return lambda text: [tuple(row.values()) for row in sql(text).to_pylist()]


@pytest.fixture
def orders(sql: Sql) -> Iterator[None]:
    sql("CREATE SCHEMA Shop")
    sql("CREATE TABLE shop.Orders (Id BIGINT, v STRING)")
    sql("INSERT INTO SHOP.ORDERS VALUES (1, 'a')")
    sql("CREATE VIEW shop.Recent AS SELECT ID FROM Shop.orders")
    yield
    sql("DROP VIEW IF EXISTS shop.recent")
    sql("DROP TABLE IF EXISTS shop.orders")
    sql("DROP SCHEMA SHOP")


READ = (
    "SELECT * FROM shop.orders",
    "SELECT ID, V FROM LAKE.SHOP.ORDERS",
    "WITH o AS (SELECT * FROM Lake.Shop.ORDERS) SELECT * FROM O",
    "SELECT * FROM (SELECT id, v FROM LAKE.shop.orders) WHERE id IN (SELECT ID FROM LAKE.Shop.RECENT)",
    "SELECT id, 'a' FROM SHOP.RECENT",
    "SELECT * FROM shop.ORDERS VERSION AS OF 'MAIN'",
)


@pytest.mark.parametrize("statement", READ)
def test_a_table_is_found_in_any_spelling(sql: Sql, orders: None, statement: str) -> None:
    assert sql(statement.replace("'MAIN'", "'main'")) == [(1, "a")]


def test_so_is_what_lies_in_it(sql: Sql, orders: None) -> None:
    assert sql("SELECT count(*) FROM LAKE.SHOP.ORDERS.FILES") == [(1,)]
    assert sql("SELECT count(*) FROM shop.orders.snapshots") == [(1,)]


def test_names_are_shown_as_they_were_given(sql: Sql, orders: None) -> None:
    assert [row[1] for row in sql("SHOW TABLES IN SHOP")] == ["Orders"]
    assert ("Shop",) in sql("SHOW SCHEMAS IN LAKE")


def test_a_table_is_changed_and_dropped_in_any_spelling(sql: Sql, orders: None) -> None:
    sql("ALTER TABLE SHOP.orders ADD COLUMN w INT")
    sql("UPDATE shop.ORDERS SET W = 2 WHERE ID = 1")
    assert sql("SELECT * FROM shop.Orders") == [(1, "a", 2)]
    sql("ALTER TABLE shop.ORDERS RENAME TO Shop.Sales")
    assert sql("SELECT w FROM SHOP.sales") == [(2,)]
    sql("DROP TABLE shop.SALES")
    with pytest.raises(SqeError) as missing:
        sql("SELECT * FROM shop.sales")
    assert missing.value.code is errors.TABLE_NOT_FOUND


def test_no_second_table_of_the_same_name_is_made(sql: Sql, orders: None) -> None:
    for statement in ("CREATE TABLE shop.ORDERS (a INT)", "CREATE TABLE Shop.orders AS SELECT 1 AS a", "CREATE SCHEMA SHOP"):
        with pytest.raises(SqeError) as refused:
            sql(statement)
        assert refused.value.code in (errors.TABLE_ALREADY_EXISTS, errors.SCHEMA_ALREADY_EXISTS, errors.ALREADY_EXISTS)
    sql("CREATE TABLE IF NOT EXISTS SHOP.ORDERS (a INT)")
    sql("CREATE OR REPLACE TABLE shop.ORDERS AS SELECT 7 AS n")
    assert sql("SELECT * FROM shop.orders") == [(7,)]
    assert [row[1] for row in sql("SHOW TABLES IN shop")] == ["Orders"]


def test_a_schema_is_entered_in_any_spelling(sql: Sql, orders: None) -> None:
    sql("USE LAKE.SHOP")
    try:
        assert sql("SELECT * FROM orders") == [(1, "a")]
    finally:
        sql("USE lake.default")
