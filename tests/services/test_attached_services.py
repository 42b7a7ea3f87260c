"""ATTACH and secrets on real services: a catalog by a bearer token, one by OAuth2, files of an object store by keys."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from clients import Addresses, Login
from own_sessions import OWNER, own_sessions

from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

Rows = list[dict[str, object]]
Sql = Callable[[str], Rows]


@pytest.fixture
def restarted(driver: Driver, handler: QueryHandler, tmp_path: Path) -> Iterator[Callable[[], Sql]]:
    """A session as after a start: nothing is shared with an earlier one but the files."""
    opened: list[Sessions] = []

    def start() -> Sql:
        opened.append(own_sessions(driver, tmp_path))
        session = opened[-1].open(OWNER)

        def run(text: str) -> Rows:
            with handler.submit(session, text, door="test") as query:
                return list(query.read_all().to_pylist())

        return run

    yield start
    for sessions in opened:
        sessions.close_all()


def test_a_rest_catalog_is_opened_with_a_bearer_token(restarted: Callable[[], Sql], lake: Addresses, login: Login) -> None:
    sql, table = restarted(), f"polaris.alice.kept_{secrets.token_hex(4)}"
    sql(f"CREATE SECRET me (TYPE bearer, TOKEN '{login.password('alice')}')")
    sql(f"ATTACH '{lake['gateway']['iceberg']}' AS polaris (TYPE polaris, WAREHOUSE 'lake', SECRET me)")
    sql("CREATE SCHEMA IF NOT EXISTS polaris.alice")
    sql(f"CREATE TABLE {table} AS SELECT id FROM range(3)")
    sql = restarted()
    assert sql(f"SELECT count(*) AS n FROM {table}") == [{"n": 3}]
    sql("CREATE OR REPLACE SECRET me (TYPE bearer, TOKEN 'worthless')")
    with pytest.raises(SqeError) as refused:
        sql(f"SELECT count(*) AS n FROM {table}")
    assert "worthless" not in str(refused.value)
    sql(f"CREATE OR REPLACE SECRET me (TYPE bearer, TOKEN '{login.password('alice')}')")
    sql(f"DROP TABLE {table}")


def test_a_rest_catalog_is_opened_by_oauth2(restarted: Callable[[], Sql], lake: Addresses) -> None:
    store = lake["seaweedfs"]
    sql, schema = restarted(), f"weed.kept_{secrets.token_hex(4)}"
    sql(
        f"CREATE SECRET machine (TYPE oauth2, CLIENT_ID '{store['access_key']}', CLIENT_SECRET '{store['secret_key']}', "
        f"TOKEN_ENDPOINT '{store['iceberg']}/v1/oauth/tokens', OAUTH_SCOPE 'PRINCIPAL_ROLE:ALL')"
    )
    sql(
        f"ATTACH '{store['iceberg']}' AS weed (TYPE rest, WAREHOUSE 's3://{store['table_bucket']}', SECRET machine, "
        f"S3_ENDPOINT '{store['s3']}', S3_REGION '{store['region']}', S3_PATH_STYLE 'true')"
    )
    sql(f"CREATE SCHEMA {schema}")
    sql(f"CREATE TABLE {schema}.t AS SELECT id FROM range(4)")
    sql = restarted()
    assert sql(f"SELECT count(*) AS n FROM {schema}.t") == [{"n": 4}]
    sql(f"DROP TABLE {schema}.t")
    sql(f"DROP SCHEMA {schema}")


def test_files_of_a_store_and_a_warehouse_in_it_are_opened_with_keys(
    restarted: Callable[[], Sql], lake: Addresses, tmp_path: Path
) -> None:
    store = lake["seaweedfs"]
    sql, place = restarted(), f"s3://{store['bucket']}/attached_{secrets.token_hex(4)}"
    sql(
        f"CREATE SECRET store (TYPE aws, KEY_ID '{store['access_key']}', SECRET '{store['secret_key']}', "
        f"REGION '{store['region']}', ENDPOINT '{store['s3']}', PATH_STYLE 'true')"
    )
    sql(f"ATTACH 'jdbc:sqlite:{tmp_path}/names.db' AS base (TYPE jdbc, WAREHOUSE '{place}', SECRET store)")
    sql("CREATE SCHEMA base.s")
    sql("CREATE TABLE base.s.t AS SELECT id FROM range(5)")
    sql = restarted()
    assert sql("SELECT count(*) AS n FROM base.s.t") == [{"n": 5}]
    assert sql(f"SELECT count(*) AS n FROM '{place}/s/t/data/*.parquet'") == [{"n": 5}]
    sql("DROP TABLE base.s.t")
    sql("DETACH base")
    sql("DROP SECRET store")
    with pytest.raises(SqeError):
        sql(f"SELECT count(*) AS n FROM '{place}/s/t/data/*.parquet'")
