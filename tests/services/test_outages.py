"""Services go down, hang and come back: a clear error in bounded time, nothing hangs, nothing needs a restart of the server."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import pytest
from adbc_driver_flightsql import dbapi as flightsql
from administrator import Administrator
from clients import Addresses
from running import SERVER, RunningServer, gateway_catalog, password_provider, refusal, rows, serving
from trouble import Proxy, gateway_with_store
from waiting import eventually

from dev.services.stack import Stack

# Of a log-in: the issue's own bound. Of a statement: a few tries and a little patience, on 2 loaded cores.
LOGIN_SECONDS = 5.0
STATEMENT_SECONDS = 15.0
# Of one that waits for an answer: a catalog is given half a minute.
UNANSWERED_SECONDS = 45.0
TIME_LIMIT = 3
SHORT_TOKEN = 20


@dataclass
class World:
    """`lake` is the stack's catalog. `far` is the same lake by a gateway of its own behind proxies, the store behind another."""

    stack: Stack
    services: Addresses
    server: RunningServer
    catalog: Proxy
    store: Proxy


@pytest.fixture(scope="module")
def world(own_stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    services = own_stack.up(["lake"])
    folder = tmp_path_factory.mktemp("outages")
    store = Proxy(services["seaweedfs"]["s3"])
    with gateway_with_store(services, folder / "gateway", store.url) as gateway:
        catalog = Proxy(gateway["iceberg"])
        far = {"gateway": {"iceberg": gateway["iceberg"].replace(gateway["iceberg"].partition("/api")[0], catalog.url)}}
        config = (
            SERVER + password_provider(services["keycloak"]) + gateway_catalog(services) + gateway_catalog(far, "[catalogs.far]")
        )
        with serving(folder / "server", config) as server:
            with server.connected("alice") as connection:
                rows(connection, "CREATE SCHEMA IF NOT EXISTS lake.alice")
                rows(connection, "CREATE TABLE lake.alice.numbers AS SELECT id FROM range(500)")
                # A second manifest: several are read by threads that all statements share.
                rows(connection, "INSERT INTO lake.alice.numbers SELECT id FROM range(500, 1000)")
            yield World(own_stack, services, server, catalog, store)
        catalog.close()
    store.close()


@contextmanager
def within(seconds: float) -> Iterator[None]:
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    assert took < seconds, f"took {took:.1f} s"


@contextmanager
def outage(world: World, service: str) -> Iterator[None]:
    world.stack.stop([service])
    try:
        yield
    finally:
        world.stack.up([service])


LAKE = "SELECT count(*) FROM lake.alice.numbers"
FAR = "SELECT count(*) FROM far.alice.numbers"
SUM = "SELECT sum(id) FROM far.alice.numbers"


def test_without_keycloak_sessions_go_on_until_their_tokens_end_and_come_back_with_it(world: World) -> None:
    administrator = Administrator(world.services["keycloak"])
    with world.server.connected("alice") as long, ExitStack() as stack:
        assert rows(long, LAKE) == [(1000,)]
        administrator.give_tokens_of(SHORT_TOKEN, "sqe")
        good_until = time.monotonic() + SHORT_TOKEN - 1
        short = stack.enter_context(world.server.connected("alice"))
        ended = time.monotonic() + SHORT_TOKEN + 1
        administrator.give_tokens_of(600, "sqe")
        with outage(world, "keycloak"):
            with within(LOGIN_SECONDS), pytest.raises(flightsql.Error, match="IDENTITY_PROVIDER_UNAVAILABLE"):
                world.server.query("bob", "SELECT 1")
            answers = 0
            while time.monotonic() < good_until - 1:  # a statement takes a moment; its renewals fail from two thirds on
                assert rows(short, LAKE) == [(1000,)]
                answers += 1
            assert answers
            eventually(lambda: time.monotonic() > ended)
            with within(LOGIN_SECONDS):
                assert "IDENTITY_PROVIDER_UNAVAILABLE" in refusal(short, LAKE)
            assert rows(long, LAKE) == [(1000,)]
        eventually(lambda: _gets_in(world.server, "bob"))
        assert rows(short, LAKE) == [(1000,)]
        assert rows(long, LAKE) == [(1000,)]


def _gets_in(server: RunningServer, user: str) -> bool:
    """A provider that was down is asked again after a few seconds."""
    try:
        return server.query(user, "SELECT 1") == [(1,)]
    except flightsql.OperationalError:
        return False


def test_without_the_catalog_statements_on_it_fail_soon_and_others_run(world: World) -> None:
    with world.server.connected("alice") as connection:
        assert rows(connection, LAKE) == [(1000,)]
        with outage(world, "gateway"):
            for sql in (LAKE, "SHOW TABLES IN lake.alice", "INSERT INTO lake.alice.numbers VALUES (1)", "CREATE SCHEMA lake.x"):
                with within(STATEMENT_SECONDS):
                    assert "ICEBERG_CATALOG_ERROR" in refusal(connection, sql)
            assert rows(connection, FAR) == [(1000,)]
            assert rows(connection, "SELECT 1") == [(1,)]
            with within(STATEMENT_SECONDS):  # a session whose first statement meets the outage
                assert "ICEBERG_CATALOG_ERROR" in world.server.refused("alice", LAKE)
        assert rows(connection, LAKE) == [(1000,)]


@pytest.mark.long
def test_a_catalog_that_never_answers_does_not_hold_a_statement_for_ever(world: World) -> None:
    with world.server.connected("alice") as connection:
        assert rows(connection, FAR) == [(1000,)]
        with world.catalog.stalling(), within(UNANSWERED_SECONDS):
            assert "ICEBERG_CATALOG_ERROR" in refusal(connection, FAR)
        assert rows(connection, FAR) == [(1000,)]


@pytest.mark.parametrize("stalled", ["catalog", "store"])
def test_the_time_limit_holds_whoever_does_not_answer(world: World, stalled: str) -> None:
    with world.server.connected("alice") as connection:
        assert rows(connection, FAR) == [(1000,)]
        rows(connection, f"SET query_timeout_seconds = {TIME_LIMIT}")
        with getattr(world, stalled).stalling():
            for sql in (SUM, f"INSERT INTO far.alice.numbers {SUM}"):
                with within(TIME_LIMIT + 2):
                    assert "EXCEEDED_TIME_LIMIT" in refusal(connection, sql)
            assert rows(connection, "SELECT 1") == [(1,)]
            with within(STATEMENT_SECONDS):
                assert rows(connection, LAKE) == [(1000,)]
        rows(connection, "RESET query_timeout_seconds")
        assert rows(connection, FAR) == [(1000,)], "what was stopped has written nothing"


@pytest.mark.parametrize("stalled", ["catalog", "store"])
def test_a_statement_that_waits_for_an_answer_can_be_cancelled(world: World, stalled: str) -> None:
    proxy: Proxy = getattr(world, stalled)
    with world.server.connected("alice") as connection:
        assert rows(connection, FAR) == [(1000,)]
        with proxy.stalling(), connection.cursor() as cursor:
            waiting = threading.Thread(target=_ended_early, args=(cursor,))
            waiting.start()
            eventually(lambda: proxy.held > 0)
            cursor.adbc_cancel()
            waiting.join(10)
            eventually(lambda: _active(world) == 0, seconds=3)
        assert rows(connection, FAR) == [(1000,)]


def _ended_early(cursor: flightsql.Cursor) -> None:
    with pytest.raises(flightsql.Error):
        cursor.execute(SUM).fetchall()


def _active(world: World) -> float:
    """Statements that have not ended."""
    return sum(value for name, value in world.server.metrics().items() if name.startswith("sqe_active_queries"))


def test_a_store_that_hangs_leaves_no_threads_behind(world: World) -> None:
    with world.server.connected("alice") as connection:
        for _ in range(3):
            rows(connection, FAR)
        before = world.server.metrics()["sqe_driver_threads"]
        rows(connection, "SET query_timeout_seconds = 1")
        with world.store.stalling():
            for _ in range(5):
                assert "EXCEEDED_TIME_LIMIT" in refusal(connection, FAR + " WHERE id > 1")
        eventually(lambda: world.server.metrics()["sqe_driver_threads"] <= before + 4, seconds=90)


def test_without_the_store_statements_fail_soon(world: World) -> None:
    with world.server.connected("alice") as connection:
        assert rows(connection, FAR) == [(1000,)]
        with world.store.refusing():
            for sql in (SUM, "INSERT INTO far.alice.numbers VALUES (1)"):
                with within(STATEMENT_SECONDS):
                    assert "ICEBERG_FILESYSTEM_ERROR" in refusal(connection, sql)
        assert rows(connection, FAR) == [(1000,)]


@pytest.mark.long
def test_a_catalog_whose_store_is_down_does_not_answer_either(world: World) -> None:
    with world.server.connected("alice") as connection:
        assert rows(connection, LAKE) == [(1000,)]
        with outage(world, "seaweedfs"), within(UNANSWERED_SECONDS):
            assert "ICEBERG_CATALOG_ERROR" in refusal(connection, LAKE)
        assert rows(connection, LAKE) == [(1000,)]


def test_sessions_outlive_the_driver_with_their_tokens(world: World) -> None:
    with world.server.connected("alice") as connection, world.server.connected("bob") as other:
        rows(connection, "USE lake.alice")
        rows(other, "SELECT 1")
        driver = world.server.driver()
        driver.send_signal(signal.SIGKILL)
        driver.wait(10)
        assert rows(connection, "SELECT count(*) FROM numbers") == [(1000,)]
        assert "TABLE_NOT_FOUND" in refusal(other, LAKE)
        assert rows(other, "SELECT current_user()") == [("bob",)]
