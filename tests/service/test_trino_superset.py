"""Apache Superset's own code for Trino databases: what its pages list, and the query of a chart."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
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

# Fetches 150 packages, which takes minutes: on request.
pytestmark = [
    pytest.mark.service,
    pytest.mark.long,
    pytest.mark.skipif("SQE_SUPERSET" not in os.environ, reason="SQE_SUPERSET is not set"),
]

SUPERSET = Path(__file__).parent / "superset"

TABLES = (
    "CREATE SCHEMA bi",
    "CREATE TABLE bi.orders (id BIGINT, status STRING, amount DECIMAL(10, 2), placed TIMESTAMP_NTZ) COMMENT 'what was bought'",
    "INSERT INTO bi.orders VALUES (1, 'open', 10.5, TIMESTAMP_NTZ '2020-01-05 10:00:00'), "
    "(2, 'done', 20, TIMESTAMP_NTZ '2020-01-06 11:00:00'), (3, 'open', 5.25, TIMESTAMP_NTZ '2020-02-29 12:00:00'), "
    "(4, 'lost', 1, TIMESTAMP_NTZ '2020-02-01 00:00:00'), (5, 'open', 7, TIMESTAMP_NTZ '2021-02-01 00:00:00')",
    "CREATE VIEW bi.open_orders AS SELECT id, amount FROM bi.orders WHERE status = 'open'",
)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def door(handler: QueryHandler, sessions: Sessions, authority: Authority) -> Iterator[TrinoDoor]:
    session = sessions.open(Identity("tester"))
    for statement in TABLES:
        handler.submit(session, statement, door="test").close()
    with tls_door(handler, sessions, authority) as door:
        yield door


@pytest.fixture(scope="module")
def told(door: TrinoDoor, authority: Authority) -> dict[str, Any]:
    user, password = ALICE
    uri = f"trino://{user}:{password}@localhost:{door.port}/lake"
    done = subprocess.run(
        [python_of(SUPERSET / "requirements.txt"), SUPERSET / "ask.py", uri, "bi", "orders", "open_orders", str(authority.file)],
        env=clean_environment(REQUESTS_CA_BUNDLE=str(authority.file)),
        capture_output=True,
        text=True,
        timeout=600,
    )
    answers = [line.removeprefix("ANSWER ") for line in done.stdout.splitlines() if line.startswith("ANSWER ")]
    assert answers, done.stdout[-5000:] + done.stderr[-10_000:]
    found: dict[str, Any] = json.loads(answers[0])
    return found


def test_its_pages_list_what_is_there(told: dict[str, Any]) -> None:
    assert told["catalog"] == "lake"
    assert "lake" in told["catalogs"]
    assert "bi" in told["schemas"]
    assert told["tables"] == ["orders"]
    assert told["views"] == ["open_orders"]
    assert told["columns"] == [["id", "BIGINT"], ["status", "VARCHAR"], ["amount", "DECIMAL(10, 2)"], ["placed", "TIMESTAMP"]]
    assert told["comment"] == "what was bought"
    assert not told["primary_key"]["constrained_columns"]
    assert told["foreign_keys"] == []
    assert "open" in told["view"]
    assert told["functions"] > 280
    assert told["star_rows"] == 2


def test_a_chart_by_month_has_its_numbers(told: dict[str, Any]) -> None:
    chart = told["chart"]
    assert chart["columns"] == ["__timestamp", "status", "total", "count"]
    rows = sorted((str(when)[:7], status, float(total), count) for when, status, total, count in chart["data"])
    assert rows == [("2020-01", "done", 20.0, 1), ("2020-01", "open", 10.5, 1), ("2020-02", "open", 5.25, 1)]
