"""The kernel under pressure: little memory, many statements, a limit of time, a crash. Nothing of it stays."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pyarrow as pa
import pytest
from sides import Sides, difference
from tpch_tables import STATEMENTS
from waiting import eventually

from sqe import errors
from sqe.engine.driver import Driver
from sqe.engine.process import LaunchOptions
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

# Thirty billion pairs, which only a signal ends.
RUNAWAY = "SELECT count(*) FROM lineitem a, lineitem b, orders c WHERE a.l_quantity + b.l_quantity < c.o_totalprice - b.l_tax"
WIDE = """CREATE TABLE wide AS SELECT id, pmod(hash(id), 700000) AS k, concat('text of row ', id, repeat('.', 60)) AS s,
          CAST(id AS DECIMAL(12,2)) AS d FROM range(1500000)"""


@pytest.fixture(scope="module")
def narrow_driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """Its own: 256 MB for a fragment, which is less than the rows below. What it writes, a crash's report too, goes with it."""
    tmp_path_factory.getbasetemp()  # made before the folder for such things is another one
    folder = Path(tempfile.mkdtemp(prefix="t", dir="/tmp"))  # short: a unix socket's path has 107 bytes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(folder))
        driver = Driver(LaunchOptions(memory="2g", native="auto", native_memory="512m"))
        driver.start()
        driver.await_ready()
        yield driver
        driver.stop()
    assert list(folder.iterdir()) == []
    folder.rmdir()


@pytest.fixture(scope="module")
def narrow_sessions(narrow_driver: Driver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sessions]:
    sessions = Sessions(narrow_driver, {"lake": {"type": "sqlite", "path": str(tmp_path_factory.mktemp("narrow"))}}, "lake")
    yield sessions
    sessions.close_all()


@pytest.fixture(scope="module")
def narrow(narrow_driver: Driver, narrow_sessions: Sessions) -> Iterator[Sides]:
    handler = QueryHandler(narrow_driver)
    sides = Sides(handler, narrow_sessions.open(Identity("tester")))
    for statement in STATEMENTS:
        sides.run(statement)
    yield sides
    handler.close()


@pytest.fixture(scope="module")
def wide(narrow: Sides) -> None:
    narrow.run(WIDE)


def state(driver: Driver) -> tuple[int, int]:
    """Instances that run, and fragments that kept memory."""
    health = driver.health()
    assert health is not None
    return health.native_open, health.native_leaks


SPILLING = [
    "SELECT k, count(*), sum(d), max(s) FROM wide GROUP BY k ORDER BY k LIMIT 20",
    "SELECT id, s FROM wide ORDER BY s DESC, id LIMIT 5 OFFSET 1400000",
    "SELECT k, count(DISTINCT s), count(DISTINCT d) FROM wide GROUP BY k ORDER BY k LIMIT 20",
]


@pytest.mark.long
@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("query", SPILLING)
def test_what_does_not_fit_is_spilled(narrow: Sides, narrow_driver: Driver, query: str) -> None:
    before = narrow.fallbacks()
    narrow.same_natively(query, ordered="ORDER BY" in query)
    assert narrow.fallbacks() == before, "it did not fit, and Spark had to answer"
    eventually(lambda: state(narrow_driver) == (0, 0))


@pytest.mark.long
@pytest.mark.usefixtures("wide")
def test_rows_that_wait_for_the_last_one_are_spilled(narrow: Sides, narrow_driver: Driver) -> None:
    """340 MB of them (jvm: LateFailures)."""
    before = narrow.fallbacks()
    found = narrow.answer("require", "SELECT a.id, concat(a.s, ' ', b.s) AS t, a.s FROM wide a JOIN wide b ON a.id = b.id")
    assert isinstance(found, pa.Table), found
    assert sorted(found["id"].to_pylist()) == list(range(1500000))
    assert narrow.fallbacks() == before
    eventually(lambda: state(narrow_driver) == (0, 0))


@pytest.mark.long
@pytest.mark.usefixtures("wide")
def test_what_cannot_be_spilled_is_sparks(narrow: Sides, narrow_driver: Driver) -> None:
    """Hash tables of several joins at once: whether they fit is the kernel's to find out, the answer is the same."""
    joined = "wide a JOIN wide b ON a.s = b.s AND a.id = b.id JOIN wide c ON b.s = c.s AND c.id = b.id"
    assert narrow.difference(f"SELECT count(*), sum(a.d), max(b.s), min(c.s) FROM {joined}") is None
    eventually(lambda: state(narrow_driver) == (0, 0))


@pytest.mark.long
@pytest.mark.usefixtures("wide")
def test_sixteen_at_once_get_their_answers_and_leave_nothing(
    narrow: Sides, narrow_driver: Driver, narrow_sessions: Sessions
) -> None:
    queries = [
        "SELECT l_returnflag, count(*), sum(l_quantity * l_tax), avg(l_discount) FROM lineitem GROUP BY 1 ORDER BY 1",
        "SELECT o_orderpriority, count(DISTINCT l_suppkey) AS n FROM orders JOIN lineitem ON o_orderkey = l_orderkey "
        "GROUP BY 1 ORDER BY 1",
        "SELECT k % 100 AS m, count(*), max(s) FROM wide GROUP BY 1 ORDER BY 1",
        "SELECT id, rank() OVER (PARTITION BY k % 7 ORDER BY id) AS r FROM wide WHERE id < 200000 ORDER BY id",
    ]
    expected = [narrow.answer("off", query) for query in queries]
    narrow.native("auto")

    def one(number: int) -> str | None:
        session = narrow_sessions.open(Identity(f"user{number}"))
        try:
            with narrow.handler.submit(session, queries[number % len(queries)], door="test") as query:
                return difference(expected[number % len(queries)], query.read_all(), ordered=True)
        finally:
            narrow_sessions.close(session)

    def round_of_sixteen() -> int:
        with ThreadPoolExecutor(16) as pool:
            assert list(pool.map(one, range(16))) == [None] * 16
        eventually(lambda: state(narrow_driver) == (0, 0))
        assert narrow_driver.pid is not None
        return psutil.Process(narrow_driver.pid).memory_info().rss

    before = narrow.fragments()
    warm = [round_of_sixteen() for _ in range(3)][-1]
    later = [round_of_sixteen() for _ in range(3)]
    assert narrow.fragments() == before + 6 * 16
    assert min(later) < warm * 1.1, [warm, *later]


def test_a_time_limit_ends_the_kernel(narrow: Sides, narrow_driver: Driver) -> None:
    narrow.run("SET query_timeout_seconds = 1")
    with pytest.raises(SqeError) as ended:
        narrow.run(RUNAWAY)
    narrow.run("RESET query_timeout_seconds")
    assert ended.value.code is errors.EXCEEDED_TIME_LIMIT
    eventually(lambda: state(narrow_driver) == (0, 0))


def test_a_crash_in_the_kernel_is_one_sentence_and_the_next_statement_runs(narrow: Sides, narrow_driver: Driver) -> None:
    """SIGSEGV while native code runs is what a defect in it looks like. Last: the driver is another one afterwards."""
    failures: list[SqeError] = []

    def read() -> None:
        try:
            narrow.run(RUNAWAY)
        except SqeError as error:
            failures.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    eventually(lambda: state(narrow_driver)[0] == 1)
    crashed = narrow_driver.pid
    assert crashed is not None
    os.kill(crashed, signal.SIGSEGV)
    reader.join(60)
    (failure,) = failures
    assert (failure.code.name, failure.message) == (
        "REMOTE_HOST_GONE",
        "The query engine stopped while this statement ran; it is being restarted",
    )
    # The library is 70 MB: a new driver loads it for the first statement that needs it.
    assert narrow.run("SELECT l_quantity FROM lineitem WHERE l_orderkey = 1 AND l_linenumber = 1").num_rows == 1
    assert not has_library(narrow_driver)
    answer = narrow.same_natively("SELECT l_returnflag, count(*) FROM lineitem GROUP BY l_returnflag")
    assert isinstance(answer, pa.Table)
    assert narrow_driver.pid != crashed
    assert has_library(narrow_driver)


def has_library(driver: Driver) -> bool:
    return "libduckdb" in Path(f"/proc/{driver.pid}/maps").read_text()
