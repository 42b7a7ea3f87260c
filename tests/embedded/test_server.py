"""The whole server in this process, without doors: sessions expire, and nothing is left when it stops."""

from __future__ import annotations

import threading
from pathlib import Path

import psutil
import pytest
from waiting import eventually

from sqe.config import load
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.server import Door, Server


def threads() -> set[str]:
    return {thread.name for thread in threading.enumerate() if thread.name.startswith("sqe-")}


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


def nothing_new(before: tuple[set[str], set[int]]) -> bool:
    """What other tests left may end meanwhile; ours must."""
    return threads() <= before[0] and children() <= before[1]


def test_a_server_runs_statements_expires_sessions_and_leaves_nothing(tmp_path: Path) -> None:
    before = (threads(), children())
    settings = load(None, {}, {"catalog.path": str(tmp_path / "w"), "engine.driver_memory": "1g", "session.idle_timeout": "1s"})
    with Server(settings) as server:
        assert server.statistics is None  # nobody plans by them
        assert server.not_ready() is None
        session = server.sessions.open(Identity("alice"))
        token = server.sessions.token_of(session)
        with server.handler.submit(session, "SELECT 7 AS n", door="test") as query:
            assert query.read_all().to_pydict() == {"n": [7]}
        assert b'sqe_queries_total{outcome="finished",statement="query"} 1.0' in server.metrics.text()
        eventually(lambda: len(server.sessions) == 0)
        with pytest.raises(SqeError, match="Authentication failed"):
            server.sessions.by_token(token)
    assert server.not_ready() == "The server is shutting down"
    server.stop()  # twice is fine
    eventually(lambda: nothing_new(before))


def test_a_server_that_plans_by_estimates_counts_the_values_of_small_tables(tmp_path: Path) -> None:
    before = (threads(), children())
    flags = {"catalog.path": str(tmp_path / "w"), "engine.driver_memory": "1g", "engine.spark": {"spark.sql.cbo.enabled": "true"}}
    with Server(load(None, {}, flags)) as server:
        session = server.sessions.open(Identity("alice"))

        def rows(sql: str) -> list[dict[str, object]]:
            with server.handler.submit(session, sql, door="test") as query:
                return query.read_all().to_pylist()

        rows("CREATE TABLE t AS SELECT id FROM range(20000)")
        eventually(lambda: rows("SHOW STATS FOR t")[0]["distinct_values_count"] is not None)
    eventually(lambda: nothing_new(before))


class Broken:
    def start(self) -> None:
        raise OSError("no such door")

    def stop(self) -> None:
        raise AssertionError("it was never open")


def test_a_door_that_does_not_open_takes_the_engine_down_again(tmp_path: Path) -> None:
    before = (threads(), children())
    doors: list[Door] = [Broken()]
    server = Server(load(None, {}, {"catalog.path": str(tmp_path)}), doors=lambda _: doors)
    with pytest.raises(OSError, match="no such door"):
        server.start()
    eventually(lambda: nothing_new(before))
