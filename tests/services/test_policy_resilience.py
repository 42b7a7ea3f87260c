"""A running server whose policy engine is gone, slow or mad, and one whose grants are in a PostgreSQL that stops: nobody reads
what was not decided, nobody waits long, and nothing has to be restarted."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from attack_suite import Refusal
from flight_bank import FlightPerson, logged_in, policy_section, policy_server
from opa_server import Answer, OpaServer, evaluated, serving
from policy_tables import written
from postgres import Postgres, postgres_server
from suite_policy import as_rego
from waiting import eventually

from sqe.policy.opa.rules import Asked

SCHEMA = "bank"
READ = f"SELECT id FROM {SCHEMA}.regions"
TIMEOUT = 1.0
PAUSE = 5.0  # docs/policy.md: how long an engine is left alone


@pytest.fixture
def people(tmp_path: Path) -> Iterator[tuple[OpaServer, Answer, FlightPerson, FlightPerson]]:
    """An engine that answers by the suite's policy until a test has it answer otherwise."""
    sane = evaluated(written(tmp_path / "rego", "suite.rego", as_rego([SCHEMA])))
    with serving(sane) as opa:
        section = policy_section("opa", tmp_path, [SCHEMA], opa.url, more=f'timeout = "{TIMEOUT:g}s"\ncache_ttl = "0s"\n')
        with policy_server(tmp_path, section) as server, logged_in(server, "root", "ann") as (root, ann):
            root.rows(f"CREATE SCHEMA {SCHEMA}")
            root.rows(f"CREATE TABLE {SCHEMA}.regions AS SELECT 1 AS id")
            yield opa, sane, root, ann


def slow(sane: Answer) -> Answer:
    def answer(asked: Asked) -> tuple[int, bytes]:
        time.sleep(2)
        return sane(asked)

    return answer


NONSENSE: dict[str, tuple[int, bytes]] = {
    "no JSON": (200, b"<html>"),
    "another type": (200, json.dumps({"result": "yes"}).encode()),
    "numbers of what was not asked": (200, json.dumps({"result": [999]}).encode()),
    "a failure": (500, b"{}"),
    "nothing": (200, b"{}"),
}


def test_an_engine_that_does_not_decide_denies_and_is_tried_again(
    people: tuple[OpaServer, Answer, FlightPerson, FlightPerson],
) -> None:
    opa, sane, _, ann = people

    def denied() -> float:
        began = time.monotonic()
        with pytest.raises(Refusal, match=f"TABLE_NOT_FOUND: .*{SCHEMA}.regions does not exist"):
            ann.rows(READ)
        assert ann.rows("SELECT 1 AS n") == [(1,)]  # what needs no decision still runs
        return time.monotonic() - began

    def again() -> bool:
        try:
            return ann.rows(READ) == [(1,)]
        except Refusal:
            return False

    assert ann.rows(READ) == [(1,)]
    for name, nonsense in NONSENSE.items():
        opa.answer = lambda _, nonsense=nonsense: nonsense
        assert denied() < 2 * TIMEOUT + 5, name
    opa.answer = sane
    eventually(again, PAUSE + 10)

    opa.answer = slow(sane)
    waits = [denied() for _ in range(5)]
    assert max(waits) < 3 * TIMEOUT + 5, "a statement waits for its engine no longer than the limit"
    opa.answer = sane
    eventually(again, PAUSE + 10)

    opa.gone = True
    assert max(denied() for _ in range(5)) < 3 * TIMEOUT + 5
    opa.gone = False
    eventually(again, PAUSE + 10)


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    yield from postgres_server()


def test_grants_in_a_database_that_stops_and_comes_back(postgres: Postgres, tmp_path: Path) -> None:
    section = policy_section("grants", tmp_path, [SCHEMA], more=f'store = "{postgres.url}"\ncache_ttl = "0s"\n')
    with policy_server(tmp_path, section) as server, logged_in(server, "root", "ann") as (root, ann):
        root.rows(f"CREATE SCHEMA {SCHEMA}")
        root.rows(f"CREATE TABLE {SCHEMA}.regions AS SELECT id FROM range(3)")
        root.rows(f"GRANT SELECT ON {SCHEMA}.regions TO ROLE analyst ROWS WHERE (id = 1)")
        assert ann.rows(READ) == [(1,)]

        postgres.stop()
        began = time.monotonic()
        with pytest.raises(Refusal, match="TABLE_NOT_FOUND"):
            ann.rows(READ)
        with pytest.raises(Refusal):
            root.rows(f"GRANT SELECT ON {SCHEMA}.regions TO ROLE analyst")
        assert time.monotonic() - began < 20

        postgres.start()

        def again() -> bool:
            try:
                return ann.rows(READ) == [(1,)]
            except Refusal:
                return False

        eventually(again, PAUSE + 20)
        root.rows(f"GRANT SELECT ON {SCHEMA}.regions TO ROLE analyst ROWS WHERE (id = 2)")
        assert ann.rows(READ) == [(2,)]
