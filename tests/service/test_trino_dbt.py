"""dbt-trino with a project of seeds, tables, an incremental model, a view, a snapshot, tests and documentation."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from authority import Authority
from environments import clean_environment, python_of
from trino_door import ALICE, tls_door

from sqe.doors.trino.door import TrinoDoor
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

pytestmark = pytest.mark.service

PROJECT = Path(__file__).parent / "dbt"
SCHEMA = "dbt_shop"

PROFILE = """\
sqe:
  target: test
  outputs:
    test:
      type: trino
      method: ldap
      user: {user}
      password: {password}
      host: localhost
      port: {port}
      cert: {cert}
      database: lake
      schema: {schema}
      threads: 4
      timezone: UTC
"""

Dbt = Callable[..., str]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def door(handler: QueryHandler, sessions: Sessions, authority: Authority) -> Iterator[TrinoDoor]:
    with tls_door(handler, sessions, authority) as door:
        yield door


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(PROJECT, tmp_path_factory.mktemp("dbt") / "shop"))


@pytest.fixture(scope="module")
def dbt(door: TrinoDoor, authority: Authority, project: Path) -> Dbt:
    python = python_of(PROJECT / "requirements.txt")
    user, password = ALICE
    (project / "profiles.yml").write_text(
        PROFILE.format(user=user, password=password, port=door.port, cert=authority.file, schema=SCHEMA)
    )

    def run(*arguments: str) -> str:
        # In requests a bundle of the environment goes before the connection's own.
        environment = clean_environment(DBT_PROFILES_DIR=str(project), REQUESTS_CA_BUNDLE=str(authority.file))
        done = subprocess.run(
            [python, "-m", "dbt.cli.main", "--no-use-colors", *arguments],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="module")
def rows(handler: QueryHandler, sessions: Sessions) -> Callable[[str], list[tuple[Any, ...]]]:
    session = sessions.open(Identity("tester"))

    def read(sql: str) -> list[tuple[Any, ...]]:
        with handler.submit(session, sql, door="test") as query:
            return [tuple(row.values()) for row in query.read_all().to_pylist()]

    return read


def test_a_project_is_built_and_built_again(dbt: Dbt, project: Path, rows: Callable[[str], list[tuple[Any, ...]]]) -> None:
    first = dbt("build", "--vars", "{round: 1}")
    assert "ERROR=0" in first
    amounts = f"SELECT id, CAST(amount AS STRING) FROM {SCHEMA}.orders_merged ORDER BY id"
    assert rows(amounts) == [(100, "10.50"), (101, "20.00"), (102, "5.25")]
    assert rows(f"SELECT count(*), count(dbt_valid_to) FROM {SCHEMA}.people_history") == [(3, 0)]

    second = dbt("build", "--vars", "{round: 2}")
    assert "ERROR=0" in second
    assert rows(amounts) == [(100, "10.50"), (101, "25.00"), (102, "5.25"), (103, "7.77")]
    assert rows(f"SELECT name, orders, CAST(spent AS STRING) FROM {SCHEMA}.spent ORDER BY name") == [
        ("Ann", 2, "35.50"),
        ("Cyd", 1, "7.77"),
        ("bob", 1, "5.25"),
    ]
    history = f"SELECT city, dbt_valid_to IS NULL FROM {SCHEMA}.people_history WHERE id = 1 ORDER BY 2"
    assert rows(history) == [("Berlin", False), ("Oslo", True)]
    assert {name for (name,) in rows(f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{SCHEMA}'")} == {
        *("people", "orders", "people_now", "orders_merged", "spent", "people_history")
    }

    dbt("docs", "generate", "--vars", "{round: 2}")
    catalog = json.loads((project / "target" / "catalog.json").read_text())
    people = catalog["nodes"]["model.shop.people_now"]
    assert people["metadata"]["comment"] == "People, as they are 'now'"
    assert {name: each["type"] for name, each in people["columns"].items()} == {
        "id": "integer",
        "name": "varchar",
        "city": "varchar",
        "joined": "timestamp(6)",
    }
    assert people["columns"]["id"]["comment"] == "The number of a person"
    assert catalog["nodes"]["model.shop.spent"]["metadata"]["type"] == "VIEW"
