"""How often a REST catalog is asked for one statement: a catalog is far away, and each question is a round trip."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients import Addresses, Login, log_lines
from running import gateway_catalog

from sqe.config import load
from sqe.config.values import Secret
from sqe.engine.driver import Driver
from sqe.identity import Identity
from sqe.identity.catalogs import catalog_identities
from sqe.identity.login import Login as SessionLogin
from sqe.identity.login import Tokens
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions

TABLES = 4

# The statement, and how many requests it makes. `t0.snapshots` may be a table of a schema `t0`, which is looked for first.
MOST = {
    "SHOW TABLES IN lake.{s}": 1,
    "DESCRIBE lake.{s}.t0": 1,
    'SELECT * FROM lake.{s}."t0$snapshots"': 1,
    "SELECT * FROM lake.{s}.t0.snapshots": 2,
    "SELECT * FROM lake.{s}.t0": 1,
    # Schemas and those within them, tables, views, and each table.
    "SELECT * FROM lake.information_schema.columns WHERE table_schema = '{s}'": 6 + TABLES * 3 // 2,
}


@pytest.fixture(scope="module")
def session(lake: Addresses, driver: Driver, login: Login, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    file: Path = tmp_path_factory.mktemp("calls") / "sqe.toml"
    file.write_text(gateway_catalog(lake))
    settings = load(file, {})
    sessions = Sessions(driver, settings.catalog_options(), "lake", identities=catalog_identities(settings))
    yield sessions.open(SessionLogin(Identity("alice"), Tokens(Secret(login.password("alice")))))
    sessions.close_all()


def test_statements_about_tables_ask_the_catalog_so_often_and_not_more(
    lake: Addresses, handler: QueryHandler, session: Session
) -> None:
    def run(text: str) -> None:
        with handler.submit(session, text, door="test") as query:
            query.read_all()

    schema = f"alice.calls_{secrets.token_hex(4)}"
    run("CREATE SCHEMA IF NOT EXISTS lake.alice")
    run(f"CREATE SCHEMA lake.{schema}")
    for number in range(TABLES):
        run(f"CREATE TABLE lake.{schema}.t{number} AS SELECT 1 AS id")
    asked: dict[str, list[str]] = {}
    for statement in MOST:
        before = len(log_lines(lake["gateway"]["audit"]))
        run(statement.replace("{s}", schema))
        asked[statement] = [f"{line['method']} {line['path']}" for line in log_lines(lake["gateway"]["audit"])[before:]]
    for number in range(TABLES):
        run(f"DROP TABLE lake.{schema}.t{number}")
    run(f"DROP SCHEMA lake.{schema}")
    too_many = {statement: calls for statement, calls in asked.items() if len(calls) > MOST[statement]}
    assert not too_many, "\n".join(f"{statement}: {calls}" for statement, calls in too_many.items())
