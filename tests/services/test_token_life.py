"""Tokens and keys that end while a statement runs: it goes on with new ones. People who are shut out: it does not."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from adbc_driver_flightsql import dbapi as flightsql
from administrator import Administrator
from clients import Addresses, log_lines
from running import SERVER, RunningServer, gateway_catalog, password_provider, refusal, rows, serving
from trouble import Proxy, gateway_with_store
from waiting import eventually

from dev.services.realm import SHORT_SECONDS
from dev.services.stack import Stack

# How long the long statement runs at least. The full five minutes: SQE_STATEMENT_SECONDS=300.
SECONDS = int(os.environ.get("SQE_STATEMENT_SECONDS", "150"))
KEY_SECONDS = 60
REQUEST_DELAY = 5.0
REFRESH_SECONDS = 3

INTERVAL = f"\n[session]\ntoken_refresh = '{REFRESH_SECONDS}s'\n"


@dataclass
class Slow:
    """A server whose users' tokens and whose tables' keys live a minute, at a store that can be slow."""

    server: RunningServer
    store: Proxy
    audit: str


@pytest.fixture
def slow(own_stack: Stack, tmp_path: Path) -> Iterator[Slow]:
    services = own_stack.up(["lake"])
    _shorten_keys(own_stack)
    store = Proxy(services["seaweedfs"]["s3"])
    with gateway_with_store(services, tmp_path / "gateway", store.url) as gateway:
        config = SERVER + password_provider(services["keycloak"], "sqe-short") + gateway_catalog({"gateway": gateway})
        with serving(tmp_path / "server", config) as server:
            yield Slow(server, store, gateway["audit"])
    store.close()


def _shorten_keys(stack: Stack) -> None:
    """STS gives keys for 15 minutes at least, but the store may bound them further."""
    roles = stack.log("seaweedfs").parent / "iam.json"
    content = roles.read_text()
    short = content.replace('"maxSessionLength": "12h"', f'"maxSessionLength": "{KEY_SECONDS}s"')
    if short != content:
        stack.stop(["seaweedfs"])
        roles.write_text(short)
        stack.up(["lake"])


@pytest.mark.long
def test_a_statement_outlives_its_first_token_and_its_first_keys(slow: Slow) -> None:
    # Each file is a task of two requests at the slow store; two run at a time.
    files = int(SECONDS / REQUEST_DELAY) + 2
    with slow.server.connected("alice") as connection:
        rows(connection, "CREATE SCHEMA IF NOT EXISTS lake.alice")
        for table in ("slow", "copied"):
            rows(connection, f"DROP TABLE IF EXISTS lake.alice.{table}")
            # Not by CREATE TABLE AS: a table that is not committed yet has no address that gives new keys.
            one_file_a_task = "TBLPROPERTIES ('read.split.open-file-cost' = '134217728')"
            rows(connection, f"CREATE TABLE lake.alice.{table} (id BIGINT) {one_file_a_task}")
        rows(connection, f"INSERT INTO lake.alice.slow SELECT /*+ REPARTITION({files}) */ id FROM range({files * 10})")
        before = len(log_lines(slow.audit))
        began = time.monotonic()
        with slow.store.delaying(REQUEST_DELAY):
            rows(connection, "INSERT INTO lake.alice.copied SELECT id FROM lake.alice.slow")
        took = time.monotonic() - began
        assert took > SECONDS
        assert rows(connection, "SELECT count(DISTINCT id) FROM lake.alice.copied") == [(files * 10,)]
    asked = log_lines(slow.audit)[before:]
    assert {(line["name"], line["status"] < 400) for line in asked if line["method"] != "HEAD"} == {("alice", True)}
    first = asked[0]["authorization"]
    (commit,) = (line for line in asked if line["method"] == "POST" and line["path"].endswith("/tables/copied"))
    assert commit["authorization"] != first
    assert commit["at"] - asked[0]["at"] > SHORT_SECONDS, "it was committed after its first token had ended"
    new_keys = [line for line in asked if line["path"].endswith("/tables/slow/credentials")]
    assert len({line["vended"] for line in new_keys}) > took / KEY_SECONDS / 2
    assert len({line["authorization"] for line in new_keys}) > 1, "keys are renewed with the token of then"
    print(f"{took:.0f} s, {len({line['authorization'] for line in asked})} tokens, {len(new_keys)} new keys")


@pytest.fixture(scope="module")
def watchful(lake: Addresses, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    config = SERVER + INTERVAL + password_provider(lake["keycloak"]) + gateway_catalog(lake)
    with serving(tmp_path_factory.mktemp("watchful"), config) as server:
        yield server


@pytest.fixture
def somebody(lake: Addresses) -> Iterator[Administrator]:
    person = Administrator(lake["keycloak"])
    yield person
    person.ask("DELETE", person.url)


ENDED = "The session has ended: its log-in could not be renewed"


@pytest.mark.parametrize("how", ["disable", "log_out"])
def test_a_person_who_is_shut_out_runs_nothing_more(watchful: RunningServer, somebody: Administrator, how: str) -> None:
    with watchful.connected(somebody.name) as idle, watchful.connected(somebody.name) as busy:
        rows(idle, "SELECT 1")
        rows(busy, "SELECT 1")
        held = watchful.metrics()["sqe_driver_sessions"]
        said: list[Any] = []
        endless = "SELECT count(*) FROM range(1000000000000) WHERE id % 7 = 9"
        running = threading.Thread(target=lambda: said.append(refusal(busy, endless)))
        running.start()
        eventually(lambda: watchful.metrics()['sqe_active_queries{state="running"}'] == 1)
        getattr(somebody, how)()
        shut_out = time.monotonic()
        # One interval, and the keeper's look, and a loaded machine.
        running.join(REFRESH_SECONDS + 5)
        assert time.monotonic() - shut_out < REFRESH_SECONDS + 5
        assert ENDED in said[0]
        # It was renewed at a time of its own, at most one interval ago.
        eventually(lambda: _has_ended(idle), seconds=REFRESH_SECONDS + 5)
        assert ENDED in refusal(busy, "SELECT 1"), "and it stays so"
        eventually(lambda: watchful.metrics()["sqe_driver_sessions"] == held - 2)
        eventually(lambda: watchful.metrics()['sqe_active_queries{state="running"}'] == 0)


def _has_ended(connection: flightsql.Connection) -> bool:
    try:
        rows(connection, "SELECT 1")
    except flightsql.Error as error:
        return ENDED in str(error)
    return False


def test_who_is_still_welcome_does_not_notice(watchful: RunningServer) -> None:
    """Renewed three times within seconds, under one session and its state."""
    with watchful.connected("bob") as connection:
        rows(connection, "CREATE TEMPORARY VIEW mine AS SELECT 7 AS a")
        began = time.monotonic()

        def renewed_often() -> bool:
            assert rows(connection, "SELECT a FROM mine") == [(7,)]
            rows(connection, "SHOW SCHEMAS IN lake")
            return time.monotonic() - began > 3 * REFRESH_SECONDS

        eventually(renewed_often)
