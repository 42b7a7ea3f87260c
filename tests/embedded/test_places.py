"""On a server nobody chooses where files lie: the driver would read, write and delete there with the server's own account."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from sqe import errors
from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.session import Session


@pytest.fixture
def server_handler(driver: Driver) -> Iterator[QueryHandler]:
    handler = QueryHandler(driver)
    yield handler
    handler.close()


REFUSED = [
    "CREATE TABLE away (id INT) LOCATION '{folder}/away'",
    "CREATE TABLE away USING iceberg LOCATION '{folder}/away' AS SELECT 1 AS id",
    "CREATE OR REPLACE TABLE away (id INT) LOCATION '{folder}/away'",
    "CREATE TABLE away (id INT) TBLPROPERTIES ('write.data.path' = '{folder}/away')",
    "CREATE TABLE away (id INT) TBLPROPERTIES ('write.location-provider.impl' = 'some.Java')",
    "CREATE TABLE away (id INT) USING iceberg OPTIONS ('write.data.path' = '{folder}/away')",
    "CREATE TABLE away (id INT) USING iceberg OPTIONS ('path' = '{folder}/away')",
    "CREATE OR REPLACE TABLE away USING iceberg OPTIONS ('write.location-provider.impl' = 'some.Java') AS SELECT 1 AS id",
    "WITH x AS (SELECT 1 AS id) SELECT * FROM x; CREATE TABLE away (id INT) LOCATION '{folder}/away'",
    "ALTER TABLE held SET LOCATION '{folder}/away'",
    "ALTER TABLE held SET TBLPROPERTIES ('write.metadata.path' = '{folder}/away')",
    "CREATE SCHEMA away LOCATION '{folder}/away'",
    "CREATE SCHEMA away WITH DBPROPERTIES (location = '{folder}/away')",
    "ALTER SCHEMA default SET DBPROPERTIES ('location' = '{folder}/away')",
    "ALTER SCHEMA default SET LOCATION '{folder}/away'",
    "CALL lake.system.remove_orphan_files(table => 'default.held', location => '{folder}')",
    "CALL lake.system.remove_orphan_files('default.held', TIMESTAMP '2030-01-01 00:00:00', '{folder}')",
    "CALL lake.system.add_files(table => 'default.held', source_table => '`parquet`.`{folder}`')",
    "CALL lake.system.register_table(table => 'default.seized', metadata_file => '{folder}/m.json')",
    "CALL lake.system.rewrite_table_path(table => 'default.held', source_prefix => 'a', target_prefix => 'b')",
]


@pytest.mark.parametrize("statement", REFUSED)
def test_a_server_refuses_to_leave_its_warehouse(
    server_handler: QueryHandler, session: Session, sql: Callable[[str], pa.Table], tmp_path: Path, statement: str
) -> None:
    sql("CREATE TABLE IF NOT EXISTS held (id INT)")
    (tmp_path / "precious.parquet").write_text("mine")
    with pytest.raises(SqeError) as refused:
        server_handler.submit(session, statement.format(folder=tmp_path), door="test").close()
    assert refused.value.code in (errors.PERMISSION_DENIED, errors.SYNTAX_ERROR, errors.NOT_SUPPORTED)
    assert [path.name for path in tmp_path.iterdir()] == ["precious.parquet"]


def test_procedures_that_keep_to_their_table_still_run(
    server_handler: QueryHandler, session: Session, sql: Callable[[str], pa.Table]
) -> None:
    sql("CREATE TABLE kept AS SELECT 1 AS id")
    with server_handler.submit(session, "CALL lake.system.rewrite_manifests('default.kept')", door="test") as query:
        assert query.read_all().num_rows == 1
    with server_handler.submit(session, "CALL lake.system.remove_orphan_files(table => 'default.kept')", door="test") as query:
        assert query.read_all().num_rows == 0


def test_embedded_the_files_are_the_users_own(handler: QueryHandler, session: Session, tmp_path: Path) -> None:
    handler.submit(session, f"CREATE TABLE elsewhere LOCATION '{tmp_path}/here' AS SELECT 1 AS id", door="test").close()
    assert (tmp_path / "here" / "data").is_dir()
