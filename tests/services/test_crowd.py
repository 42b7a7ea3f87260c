"""Twenty people at once, five statements each: everybody reads what is theirs alone, and nothing is left when they are gone."""

from __future__ import annotations

import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path

import pytest
from adbc_driver_flightsql import dbapi as flightsql
from clients import Addresses
from running import SERVER, RunningServer, gateway_catalog, password_provider, refusal, rows, serving
from waiting import eventually

USERS = [f"user{number:02}" for number in range(1, 21)]
EACH = 5
ROWS = 200
TABLE = "crowd"


@pytest.fixture(scope="module")
def server(lake: Addresses, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    config = SERVER + password_provider(lake["keycloak"]) + gateway_catalog(lake)
    config += "\n[query]\nmax_concurrent = 100\n"
    with serving(tmp_path_factory.mktemp("crowd"), config) as running:
        for user in USERS:
            with running.connected(user) as connection:
                rows(connection, f"CREATE SCHEMA IF NOT EXISTS lake.{user}")
                mine = f"SELECT id, '{user}' AS owner FROM range({ROWS})"
                rows(connection, f"CREATE OR REPLACE TABLE lake.{user}.{TABLE} AS {mine}")
        yield running
        for user in USERS:
            running.query(user, f"DROP TABLE lake.{user}.{TABLE}")


@dataclass(frozen=True)
class Held:
    """What the server holds when nobody is there."""

    sessions: float
    driver_sessions: float
    driver_threads: float
    driver_files: int
    driver_sockets: int
    threads: int
    files: int
    sockets: int
    heap_mb: float

    @staticmethod
    def by(server: RunningServer) -> Held:
        python, driver = server.python(), server.driver()
        jcmd = Path(driver.exe()).with_name("jcmd")
        subprocess.run([jcmd, str(driver.pid), "GC.run"], check=True, capture_output=True)
        metrics = server.metrics()
        return Held(
            sessions=metrics["sqe_active_sessions"],
            driver_sessions=metrics["sqe_driver_sessions"],
            driver_threads=metrics["sqe_driver_threads"],
            driver_files=driver.num_fds(),
            driver_sockets=len(driver.net_connections()),
            threads=python.num_threads(),
            files=python.num_fds(),
            sockets=len(python.net_connections()),
            heap_mb=metrics["sqe_driver_heap_used_bytes"] / (1 << 20),
        )

    def grew(self, before: Held) -> dict[str, float]:
        """What there is more of than may be: pools keep a few threads and connections for the next statement."""
        differences = {field.name: getattr(self, field.name) - getattr(before, field.name) for field in fields(self)}
        return {name: more for name, more in differences.items() if more > ALLOWED[name]}


ALLOWED = {
    "sessions": 0,
    "driver_sessions": 0,
    "driver_threads": 8,
    "driver_files": 16,
    "driver_sockets": 8,
    "threads": 8,
    "files": 16,
    "sockets": 8,
    "heap_mb": 32,
}


class Crowd:
    """Everybody with a connection of their own for each of their statements, until the time is over."""

    def __init__(self, server: RunningServer) -> None:
        self._server = server
        self.queries: Counter[str] = Counter()
        self.wrong: list[str] = []
        self._lock = threading.Lock()

    def works_for(self, seconds: float) -> None:
        with ExitStack() as stack:
            places = [(user, stack.enter_context(self._server.connected(user))) for user in USERS for _ in range(EACH)]
            ends = time.monotonic() + seconds
            with ThreadPoolExecutor(len(places)) as threads:
                for done in [threads.submit(self._work, user, connection, ends) for user, connection in places]:
                    done.result()

    def _work(self, user: str, connection: flightsql.Connection, ends: float) -> None:
        other = USERS[(USERS.index(user) + 1) % len(USERS)]
        asked = 0
        while not asked or time.monotonic() < ends:
            wrong = self._reads_theirs(user, connection)
            if asked % 10 == 1 and "TABLE_NOT_FOUND" not in refusal(connection, f"SELECT * FROM lake.{other}.{TABLE}"):
                wrong = f"{user} was not refused what is {other}'s"
            asked += 1
            with self._lock:
                self.queries[user] += 1
                if wrong:
                    self.wrong.append(wrong)

    def _reads_theirs(self, user: str, connection: flightsql.Connection) -> str | None:
        try:
            found = rows(connection, f"SELECT owner, id, current_user() FROM lake.{user}.{TABLE}")
        except flightsql.Error as error:
            return f"{user}: {error}"
        if len(found) == ROWS and {(owner, asker) for owner, _, asker in found} == {(user, user)}:
            return None
        return f"{user} read {len(found)} rows of { ({owner for owner, _, _ in found}) }"


def test_a_crowd_for_half_a_minute(server: RunningServer) -> None:
    _test_crowd(server, 30, settle_seconds=0)


@pytest.mark.long
def test_a_crowd_for_five_minutes(server: RunningServer) -> None:
    # Idle threads of Spark's pools leave after a minute; before that, as many could be leaked unseen.
    _test_crowd(server, 300, settle_seconds=75)


def _test_crowd(server: RunningServer, seconds: float, settle_seconds: float) -> None:
    # Classes, generated code and pools of a first crowd are no growth.
    Crowd(server).works_for(0)
    eventually(lambda: server.metrics()["sqe_active_sessions"] == 0)
    time.sleep(settle_seconds)
    before = Held.by(server)
    crowd = Crowd(server)
    crowd.works_for(seconds)
    after: list[Held] = []

    def nothing_is_left() -> bool:
        after.append(Held.by(server))
        return not after[-1].grew(before)

    try:
        eventually(nothing_is_left, seconds=120)
    finally:
        print(f"\n{sum(crowd.queries.values())} queries, {len(crowd.wrong)} wrong\nbefore {before}\nafter  {after[-1]}")
        print(f"grew {after[-1].grew(before)}")
    assert crowd.wrong == []
    assert set(crowd.queries) == set(USERS), "somebody never got an answer"
