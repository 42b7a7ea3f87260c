"""Trino's own command line, in a process of its own, against the real engine."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator

import pytest
from authority import Authority
from trino_door import ALICE, tls_door

from sqe.doors.trino.door import TrinoDoor
from sqe.engine.install.jars import TRINO_CLI, ensure_jars
from sqe.engine.install.java import find_java
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

pytestmark = pytest.mark.service

Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def door(handler: QueryHandler, sessions: Sessions, authority: Authority) -> Iterator[TrinoDoor]:
    with tls_door(handler, sessions, authority) as door:
        yield door


@pytest.fixture
def cli(door: TrinoDoor, authority: Authority) -> Cli:
    (jar,) = ensure_jars([TRINO_CLI])

    def run(sql: str, *options: str, password: str = ALICE[1]) -> subprocess.CompletedProcess[str]:
        where = ["--server", f"https://localhost:{door.port}", "--truststore-path", str(authority.file)]
        who = ["--user", ALICE[0], "--password", "--catalog", "lake", "--schema", "default"]
        command = [str(find_java().executable), "-jar", str(jar), *where, *who, *options, "--execute", sql]
        return subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, "TRINO_PASSWORD": password}, timeout=120
        )

    return run


def test_statements_run_one_after_another(cli: Cli) -> None:
    ran = cli(
        "CREATE SCHEMA IF NOT EXISTS cli_place; USE lake.cli_place; CREATE TABLE cups (id INTEGER, colour VARCHAR);"
        "INSERT INTO cups VALUES (1, 'red'), (2, NULL); PREPARE p FROM SELECT * FROM cups WHERE id > ? ORDER BY id;"
        "EXECUTE p USING 0; DEALLOCATE PREPARE p; SET SESSION query_max_run_time = '5m'; DROP TABLE cups;"
        # Long enough for a progress bar.
        "SELECT count(*) FROM UNNEST(sequence(1, 10000)) a(x) CROSS JOIN UNNEST(sequence(1, 9999)) b(y) WHERE (x * y) % 7 < 8",
        "--output-format=ALIGNED",
        "--progress",
    )
    assert ran.returncode == 0, ran.stderr
    said = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", f"{ran.stdout}\n{ran.stderr}")  # the progress bar is drawn over
    done = ["CREATE SCHEMA", "USE", "CREATE TABLE", "INSERT: 2 rows", "PREPARE", "DEALLOCATE", "SET SESSION", "DROP TABLE"]
    assert [word for word in done if word not in said] == []
    assert re.search(r"id +\| colour *\n[-+]+\n +1 \| red *\n +2 \| NULL *\n\(2 rows\)", said), said
    assert "100.00%" in said


def test_an_error_shows_its_place(cli: Cli) -> None:
    ran = cli("SELECT *\nFROM no_such_table")
    assert ran.returncode == 1
    assert "no_such_table" in ran.stderr
    assert "LINE 2: FROM no_such_table" in ran.stderr


def test_a_wrong_password_is_refused(cli: Cli) -> None:
    ran = cli("SELECT 1", password="looking" + "-glass")
    assert ran.returncode == 1
    assert "Authentication failed" in ran.stderr
