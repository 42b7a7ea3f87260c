"""A result whose last operator is columnar leaves as columns; what cannot, leaves as rows; and both are the same values."""

from __future__ import annotations

import pyarrow as pa
import pytest

from sqe.engine.driver import Driver
from sqe.engine.stream import RowStream
from sqe.query.handler import QueryHandler
from sqe.session import Session

TABLE = """CREATE TABLE IF NOT EXISTS shapes AS
SELECT id, CAST(id AS INT) AS i, CAST(id AS DECIMAL(12, 2)) AS d, CAST(id AS DECIMAL(30, 4)) AS wide, concat('n', id) AS name,
       IF(id % 3 = 0, NULL, CAST(id AS DOUBLE)) AS sometimes, DATE '2026-01-01' AS day, TIMESTAMP '2026-01-01 00:00:00' AS at,
       id % 2 = 0 AS even, CAST(concat('b', id) AS BINARY) AS raw, array(id) AS list
FROM range(5000)"""


@pytest.mark.parametrize(
    ("sql", "shape"),
    [
        ("SELECT id, i, d, wide, name, sometimes, day, at, even, raw FROM shapes", "columns"),
        ("SELECT * FROM shapes", "rows"),  # Iceberg reads lists by row
        ("SELECT name AS other, id FROM shapes", "columns"),
        ("SELECT id + 1 FROM shapes", "rows"),
        ("SELECT name, count(*) FROM shapes GROUP BY name", "rows"),
        ("SELECT * FROM shapes LIMIT 10", "few"),
    ],
)
def test_a_plan_leaves_in_the_shape_of_its_last_operator(
    handler: QueryHandler, session: Session, driver: Driver, sql: str, shape: str
) -> None:
    handler.submit(session, TABLE, door="test").close()
    handler.submit(session, "SET native = off", door="test").close()  # whose results are columns always
    with handler.submit(session, sql, door="test") as query:
        stream = RowStream(driver.stream_socket, query.id)
        rows = sum(batch.num_rows for batch in stream.batches())
        stream.close()
    assert (stream.shape, rows) == (shape, 10 if shape == "few" else 5000)


def test_columns_and_rows_of_the_same_table_are_equal(handler: QueryHandler, session: Session) -> None:
    handler.submit(session, TABLE, door="test").close()

    def read(sql: str) -> pa.Table:
        with handler.submit(session, sql, door="test") as query:
            return query.read_all().sort_by("id").combine_chunks()

    assert read("SELECT * FROM shapes").equals(read("SELECT * FROM shapes ORDER BY id"))
