"""Copies of data files where a catalog vends keys for one user and one table: they never stand in for a right."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients import Addresses, log_lines
from running import SERVER, RunningServer, gateway_catalog, password_provider, rows, serving
from waiting import eventually

QUERY = "SELECT k, count(*), sum(id) FROM lake.shared.{table} GROUP BY k ORDER BY k"


@pytest.fixture(scope="module")
def server(lake: Addresses, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    config = SERVER + 'native = "auto"\n' + password_provider(lake["keycloak"]) + gateway_catalog(lake)
    with serving(tmp_path_factory.mktemp("cache"), config) as server:
        yield server


@pytest.fixture
def table(server: RunningServer) -> Iterator[str]:
    """Of bob, an engineer, whom analysts may read."""
    name = f"copied_{secrets.token_hex(4)}"
    with server.connected("bob") as bob:
        rows(bob, "CREATE SCHEMA IF NOT EXISTS lake.shared")
        rows(bob, f"CREATE TABLE lake.shared.{name} AS SELECT id, id % 3 AS k FROM range(0, 3000, 1, 2)")
        yield name
        rows(bob, f"DROP TABLE lake.shared.{name}")


def counted(server: RunningServer) -> dict[str, float]:
    return {name: value for name, value in server.metrics().items() if name.startswith("sqe_native_cache_")}


def test_two_users_share_a_copy_and_each_asks_the_store_with_vended_keys_of_their_own(
    lake: Addresses, server: RunningServer, table: str
) -> None:
    before = counted(server)
    expected = server.query("bob", QUERY.format(table=table))
    filled = counted(server)
    assert filled["sqe_native_cache_misses_total"] - before["sqe_native_cache_misses_total"] == 2
    assert server.query("alice", QUERY.format(table=table)) == expected
    after = counted(server)
    assert after["sqe_native_cache_fetched_bytes_total"] == filled["sqe_native_cache_fetched_bytes_total"]
    assert after["sqe_native_cache_hits_total"] - filled["sqe_native_cache_hits_total"] == 2

    def readers() -> set[str]:
        lines = log_lines(lake["storelog"]["requests"])
        return {line["requester_arn"].rsplit("/", 1)[-1] for line in lines if f"/{table}/data/" in line["key"]}

    eventually(lambda: readers() == {"alice", "bob"})


def test_who_loses_the_right_gets_nothing_of_the_copy(lake: Addresses, server: RunningServer, table: str) -> None:
    with server.connected("alice") as alice:
        assert len(rows(alice, QUERY.format(table=table))) == 3
        grants = Path(lake["gateway"]["grants"])
        before = grants.read_text()
        try:
            grants.write_text(json.dumps([grant for grant in json.loads(before) if grant["to"] != "group:analysts"]))
            with pytest.raises(Exception, match="TABLE_NOT_FOUND"):
                rows(alice, QUERY.format(table=table))
        finally:
            grants.write_text(before)
        assert len(rows(alice, QUERY.format(table=table))) == 3
