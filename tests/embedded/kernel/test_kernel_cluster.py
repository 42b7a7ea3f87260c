"""The kernel on executors: two processes of their own, which get it like any other jar."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pyarrow as pa
import pyspark
import pytest
from sides import Sides, difference
from test_kernel_pieces import SMALL_GROUPS
from test_native import ODD

from sqe import errors
from sqe.engine import install
from sqe.engine.driver import Driver
from sqe.engine.process import LaunchOptions
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions
from tests.waiting import eventually

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def cluster() -> Iterator[Driver]:
    class_path = os.pathsep.join(map(str, install.ensure().class_path))
    driver = Driver(
        LaunchOptions(
            memory="1g",
            master="local-cluster[2,1,1024]",
            spark={
                "spark.executor.extraClassPath": class_path,
                "spark.executor.cores": "1",
                "spark.executorEnv.SPARK_SCALA_VERSION": "2.13",
            },
            # Spark's own name for "where the executors' jars are", where no environment says it.
            extra_flags=("-Dspark.testing=true", f"-Dspark.test.home={Path(pyspark.__file__).parent}"),
            native="auto",
            native_memory="512m",
        )
    )
    driver.start()
    driver.await_ready()
    yield driver
    driver.stop()


@pytest.fixture(scope="module")
def sides(cluster: Driver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    sessions = Sessions(cluster, {"lake": {"type": "sqlite", "path": str(tmp_path_factory.mktemp("cluster"))}}, "lake")
    handler = QueryHandler(cluster)
    sides = Sides(handler, sessions.open(Identity("tester")))
    sides.run(ODD)
    sides.run("CREATE TABLE pieces AS SELECT * FROM odd WHERE i = 1")
    for i in (2, 3, 4, 5):
        sides.run(f"INSERT INTO pieces SELECT * FROM odd WHERE i = {i}")
    long_rows = "SELECT id, id % 9 AS k, sha2(string(id), 256) AS s FROM range(0, 60000, 1, 1)"
    sides.run(f"CREATE TABLE long_file TBLPROPERTIES ({SMALL_GROUPS}) AS {long_rows}")
    yield sides
    sessions.close_all()
    handler.close()


QUERIES = [
    "SELECT b, count(*), sum(d), avg(d), avg(i), min(s), max(day), max(at) FROM pieces GROUP BY b",
    "SELECT b, sort_array(collect_list(md5(s))) AS all FROM pieces WHERE i > 1 GROUP BY b",
    "SELECT a.b, count(*), max(md5(a.s)) FROM pieces a JOIN odd c ON a.i = c.i GROUP BY a.b",
    "SELECT i, s, d FROM pieces ORDER BY i, d",
    "SELECT i, s, md5(s) AS h FROM pieces ORDER BY d DESC, i LIMIT 3 OFFSET 1",
    "SELECT a.b, count(*) FROM pieces a JOIN (SELECT i FROM odd ORDER BY i DESC LIMIT 2) c ON a.i = c.i GROUP BY a.b ORDER BY 1",
    "SELECT k, count(*), sum(id), max(s) FROM long_file GROUP BY k",
    "SELECT id, s FROM long_file WHERE id > 100 ORDER BY s LIMIT 4",
    "SELECT a.i, c.s FROM pieces a JOIN odd c ON a.i = c.i ORDER BY c.s NULLS LAST, a.i LIMIT 4",
]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("shape", ["auto", "partitions"])
def test_executors_run_the_kernel(sides: Sides, cluster: Driver, shape: str, query: str) -> None:
    """Little is one executor's; with more, or when it is wanted, each has its own files."""
    cluster.call("configureSession", sides.session.in_engine(), json.dumps({"spark.sqe.native.shape": shape}))
    before = sides.fallbacks()
    expected, found = sides.answer("off", query), sides.answer("auto", query)
    assert isinstance(expected, pa.Table), expected  # two errors would be equal, too
    assert difference(expected, found, ordered="ORDER BY" in query) is None
    assert sides.fallbacks() == before, "it ran on Spark in the end"
    sides.native("auto")
    plan = str(sides.run(f"EXPLAIN {query}").column(0)[0])
    assert ("Native per partition" if shape == "partitions" else "Native") in plan, plan


# Each task compares its rows with all others: seconds of the kernel's time on one core.
LONG = "SELECT count(*) AS n, max(a.id) AS m FROM numbers a JOIN numbers b ON (a.id + b.id) % 11 < (a.id * 7 + b.id) % 5"


@pytest.fixture(scope="module")
def numbers(sides: Sides, cluster: Driver) -> Sides:
    sides.run("CREATE TABLE numbers AS SELECT id FROM range(0, 12000, 1, 4)")
    cluster.call("configureSession", sides.session.in_engine(), json.dumps({"spark.sqe.native.shape": "partitions"}))
    sides.native("auto")
    assert "Native per partition" in str(sides.run(f"EXPLAIN {LONG}").column(0)[0])
    return sides


def executors(cluster: Driver) -> list[psutil.Process]:
    assert cluster.pid is not None
    below = psutil.Process(cluster.pid).children(recursive=True)
    return [process for process in below if "CoarseGrainedExecutorBackend" in " ".join(process.cmdline())]


def seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def busy(process: psutil.Process, since: float) -> bool:
    return seconds(process) > since + 0.3


def test_a_task_of_an_executor_that_dies_runs_again(numbers: Sides, cluster: Driver) -> None:
    """As any task of Spark's: no row is lost, none comes twice, and nothing runs on Spark instead."""
    expected = numbers.answer("off", LONG)
    assert isinstance(expected, pa.Table), expected
    before, (victim, *_) = numbers.fallbacks(), executors(cluster)
    since = seconds(victim)

    def kill() -> None:
        eventually(lambda: busy(victim, since))
        victim.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    found = numbers.answer("auto", LONG)
    killer.join()
    assert not victim.is_running() or victim.status() == psutil.STATUS_ZOMBIE
    assert difference(expected, found) is None
    assert numbers.fallbacks() == before
    eventually(lambda: len([each for each in executors(cluster) if each.pid != victim.pid]) == 2)


def test_cancelling_stops_the_kernel_on_executors(numbers: Sides, cluster: Driver) -> None:
    since = {process: seconds(process) for process in executors(cluster)}
    longer = LONG.replace("max(a.id)", "sum(a.id + b.id)").replace("numbers b ON", "numbers b JOIN numbers c ON c.id > 5000 AND")
    ended = numbers.cancelled(longer, mode="auto", when=lambda: all(busy(each, cpu) for each, cpu in since.items()))
    assert ended is errors.USER_CANCELED

    def idle() -> bool:
        used = [seconds(process) for process in since]
        time.sleep(0.5)  # what runs uses its core meanwhile
        return all(seconds(process) < before + 0.1 for process, before in zip(since, used, strict=True))

    eventually(idle)
