"""Shared fixtures: one driver JVM for the whole run, a warehouse per test module, sessions on top."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator
from functools import cache

import pyarrow as pa
import pytest

from dev.matrix import named_tests
from sqe.engine import kernel
from sqe.engine.driver import Driver
from sqe.engine.process import LaunchOptions
from sqe.identity import Identity
from sqe.query.handler import QueryHandler, QueryLimits
from sqe.session import Session
from sqe.sessions import Sessions

pytest.register_assert_rewrite("both_engines")

# Of servers that tests or benchmarks start: their own statements would take the cores from the tests.
os.environ.setdefault("SQE_ENGINE__WARM_UP", "0s")


@cache
def _counted() -> frozenset[str]:
    return frozenset(named_tests())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """docs/iceberg-matrix.md gives points for what its tests show: one that is skipped shows nothing, so it has failed."""
    report = yield
    if report.skipped and item.nodeid in _counted():
        report.outcome, report.longrepr = "failed", f"{item.nodeid} is counted by dev/matrix.toml and must not be skipped"
    return report


@pytest.fixture(scope="session")
def driver() -> Iterator[Driver]:
    """The one driver of the run. Tests that kill a driver start their own. SQE_TEST_NATIVE=auto: with the native kernel."""
    driver = Driver(LaunchOptions(memory="2g", native=os.environ.get("SQE_TEST_NATIVE", kernel.DEFAULT_MODE)))
    driver.start()
    driver.await_ready()
    yield driver
    driver.stop()


@pytest.fixture(scope="session")
def handler(driver: Driver) -> Iterator[QueryHandler]:
    handler = QueryHandler(driver, QueryLimits(max_sql_bytes=1 << 20), admin_roles=frozenset({"admin"}), allow_locations=True)
    yield handler
    handler.close()


@pytest.fixture(scope="module")
def sessions(driver: Driver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sessions]:
    warehouse = tmp_path_factory.mktemp("warehouse")
    sessions = Sessions(driver, {"lake": {"type": "sqlite", "path": str(warehouse)}}, "lake")
    yield sessions
    sessions.close_all()


@pytest.fixture
def session(sessions: Sessions) -> Iterator[Session]:
    session = sessions.open(Identity("tester"))
    yield session
    sessions.close(session)


@pytest.fixture
def sql(handler: QueryHandler, session: Session) -> Callable[[str], pa.Table]:
    """Runs a statement and gives its rows; the session lives as long as the test."""

    def run(text: str) -> pa.Table:
        with handler.submit(session, text, door="test") as query:
            return query.read_all()

    return run
