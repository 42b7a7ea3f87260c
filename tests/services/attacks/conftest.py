"""One real server that all attacks are made on: passwords and tokens of Keycloak, one REST catalog, the most talkative log."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from clients import Addresses
from hostile import Listener
from running import SERVER, RunningServer, bearer_provider, gateway_catalog, password_provider, rows, serving

# The limits on guessing have tests of their own; here every attempt has to be judged.
TALKATIVE = """
[log]
level = "debug"
sql = "full"

[rate_limit]
failed_logins_per_user = 0
logins_per_address = 0
logins_without_address = 0
failed_login_time = "0s"
"""

# Expired is expired: issuer and server share a clock here.
NO_SKEW = 'clock_skew = "0s"\n'

NEVER_IN_A_LOG = ("eyJ", "alice-password", "bob-password", "sqe-secret", "sqe-session-", "s3.secret-access-key=", "Bearer ")


@pytest.fixture(scope="package")
def server(lake: Addresses, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    keycloak = lake["keycloak"]
    config = SERVER + TALKATIVE + password_provider(keycloak) + bearer_provider(keycloak) + NO_SKEW + gateway_catalog(lake)
    with serving(tmp_path_factory.mktemp("attacked"), config) as running:
        yield running
    log = running.log.read_text()
    assert "query ended" in log
    assert not [word for word in NEVER_IN_A_LOG if word in log]


@pytest.fixture(scope="package")
def canary(server: RunningServer) -> Iterator[str]:
    """A table of alice's, which attacks must not change. Bob cannot see it."""
    table = "lake.alice.canary"
    with server.connected("alice") as connection:
        rows(connection, "CREATE SCHEMA IF NOT EXISTS lake.alice")
        rows(connection, f"CREATE OR REPLACE TABLE {table} AS SELECT 1L AS id, 'yellow' AS colour")
    yield table
    with server.connected("alice") as connection:
        assert rows(connection, f"SELECT * FROM {table}") == [(1, "yellow")]
        rows(connection, f"DROP TABLE {table}")


@pytest.fixture
def listener() -> Iterator[Listener]:
    """The attacker's own place on the network; nothing of ours may ever call there."""
    with Listener() as listening:
        yield listening
        assert listening.heard == []
