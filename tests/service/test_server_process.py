"""A real `sqe-server`: what it says, what probes and clients get, and that it leaves nothing behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as flightsql
import httpx
import psutil
import pytest
import server_process
from server_process import ANY_PORTS, ServerProcess, launch
from waiting import eventually

pytestmark = pytest.mark.service

CONFIG = (
    ANY_PORTS
    + """
[[auth.providers]]
type = "static"
users = [{ name = "root", password = "very secret", roles = ["admin"] }]

[catalog]
path = "warehouse"
"""
)


class Running(ServerProcess):
    def health(self, page: str) -> httpx.Response:
        return httpx.get(f"http://{self.ready['health']}/{page}")

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def query(self, sql: str, password: str = "very secret") -> list[tuple[Any, ...]]:
        options = {"username": "root", "password": password}
        with flightsql.connect(self.uri, db_kwargs=options, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())


def serving(folder: Path) -> AbstractContextManager[Running]:
    return server_process.serving(Running, folder, CONFIG)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running


def test_the_ready_line_has_the_bound_addresses(server: Running) -> None:
    assert server.ready["event"] == "ready"
    named = ("flight_sql", "trino_http", "metrics", "health")
    assert [server.ready[name].split(":")[0] for name in named] == ["127.0.0.1"] * 4


def test_it_is_alive_and_ready(server: Running) -> None:
    assert server.health("healthz").json() == {"status": "alive"}
    assert (server.health("readyz").status_code, server.health("readyz").json()) == (200, {"status": "ready"})


def test_a_statement_shows_in_metrics_and_log_but_not_its_text(server: Running) -> None:
    before = server.metrics().get('sqe_queries_total{outcome="finished",statement="query"}', 0)
    assert server.query("SELECT 'confidential' AS word") == [("confidential",)]
    after = server.metrics()
    assert after['sqe_queries_total{outcome="finished",statement="query"}'] == before + 1
    assert after['sqe_active_queries{state="running"}'] == 0
    assert after["sqe_driver_up"] == 1
    assert 0 < after["sqe_driver_heap_used_bytes"] < after["sqe_driver_heap_max_bytes"] <= 1 << 30
    (line,) = [line for line in server.lines() if line["event"] == "query ended"][-1:]
    assert (line["user"], line["door"], line["statement"], line["state"], line["rows"]) == (
        "root",
        "flight",
        "query",
        "FINISHED",
        1,
    )
    assert "confidential" not in server.log.read_text()
    assert "very secret" not in server.log.read_text()


@pytest.mark.parametrize(
    ("sql", "code"),
    [("SELECT 1/0", "DIVISION_BY_ZERO"), ("SELEC", "SYNTAX_ERROR"), (f"SELECT '{'x' * 2_000_000}'", "QUERY_TEXT_TOO_LARGE")],
    ids=["division by zero", "syntax", "two megabytes"],
)
def test_a_bad_statement_is_a_code_and_a_sentence(server: Running, sql: str, code: str) -> None:
    with pytest.raises(flightsql.Error, match=code) as caught:
        server.query(sql)
    assert "Traceback" not in str(caught.value)


def test_a_wrong_password_is_refused_without_a_reason(server: Running) -> None:
    with pytest.raises(flightsql.Error, match="Authentication failed"):
        server.query("SELECT 1", password="guess")  # noqa: S106 - a test's


def test_a_killed_engine_makes_it_unready_until_it_is_back(server: Running) -> None:
    server.driver().kill()
    eventually(lambda: server.health("readyz").status_code == 503, 5)
    assert server.health("readyz").json()["status"] == "not ready"
    assert server.health("healthz").status_code == 200
    eventually(lambda: server.health("readyz").status_code == 200)
    assert server.metrics()["sqe_driver_restarts_total"] == 1
    assert server.query("SELECT 1") == [(1,)]


def test_a_second_server_on_its_ports_does_not_start(server: Running, tmp_path: Path) -> None:
    port = server.ready["flight_sql"].split(":")[1]
    (tmp_path / "sqe.toml").write_text(CONFIG.replace("flight_sql_port = 0", f"flight_sql_port = {port}"))
    command = [sys.executable, "-m", "sqe.server_main", "--config", str(tmp_path / "sqe.toml")]
    found = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert found.returncode == 1
    assert found.stderr == f"CONFIGURATION_INVALID: coordinator.flight_sql_port {port} is already in use on 127.0.0.1\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_a_stopped_server_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path) as running:
        running.query("SELECT 1")
        driver = running.driver()
        folder = Path(driver.cwd())
        running.process.send_signal(number)
        assert running.process.wait(30) == 0
        assert running.process.stdout is not None
        assert running.process.stdout.read() == "", "the ready line is the only one"
        assert not driver.is_running()
        assert not folder.exists()
        with pytest.raises(httpx.ConnectError):
            running.health("healthz")


def test_a_signal_while_it_starts_stops_it_too(tmp_path: Path) -> None:
    process, log = launch(tmp_path, CONFIG)
    server = psutil.Process(process.pid)
    eventually(lambda: bool(server.children()) or process.poll() is not None)
    children = server.children()
    process.terminate()
    out, _ = process.communicate(timeout=30)
    assert (process.returncode, out) == (0, ""), log.read_text()
    assert not [child for child in children if child.is_running()]


def test_the_engine_of_a_killed_server_leaves_by_itself(tmp_path: Path) -> None:
    with serving(tmp_path) as running:
        driver = running.driver()
        running.process.kill()
        running.process.wait()
        eventually(lambda: not driver.is_running(), 15)
