"""A server that is told to stop: nothing new begins, what runs may end within its time, and then nothing is left."""

from __future__ import annotations

import json
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as flightsql
import httpx
import pytest
from server_process import ANY_PORTS, ServerProcess, serving
from waiting import eventually

pytestmark = pytest.mark.service

ROWS = 2_000_000  # more than the pages that wait for a client hold
ALL_OF_THEM = f"SELECT id, concat('row ', id) AS name FROM range({ROWS})"
SHUTTING_DOWN = "The server is shutting down"


def config(drain_timeout: str) -> str:
    drain = f'[coordinator]\ndrain_timeout = "{drain_timeout}"'
    providers = '[[auth.providers]]\ntype = "static"\nusers = [{ name = "root", password = "secret" }]'
    return f'{ANY_PORTS.replace("[coordinator]", drain)}\n{providers}\n[catalog]\npath = "warehouse"\n'


class Running(ServerProcess):
    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(number)

    def begins_to_drain(self) -> None:
        self.stop()
        eventually(lambda: self.state() == "SHUTTING_DOWN")

    def state(self) -> str:
        return str(httpx.get(f"{self.trino}/v1/info/state").json())

    @property
    def trino(self) -> str:
        return f"http://{self.ready['trino_http']}"

    def post(self, sql: str) -> dict[str, Any]:
        """With Spark's functions: this is about the protocol."""
        headers = {"X-Trino-User": "root", "X-Trino-Session": "sql_dialect=spark"}
        answer = httpx.post(f"{self.trino}/v1/statement", content=sql, headers=headers, auth=("root", "secret"), timeout=60)
        return dict(answer.raise_for_status().json())

    def next(self, page: dict[str, Any]) -> dict[str, Any]:
        answer = httpx.get(page["nextUri"], headers={"X-Trino-User": "root"}, auth=("root", "secret"), timeout=60)
        return dict(answer.raise_for_status().json())

    def first_rows(self, sql: str) -> dict[str, Any]:
        page = self.post(sql)
        while not page.get("data"):
            page = self.next(page)
        return page

    def connect(self) -> flightsql.Connection:
        return flightsql.connect(self.uri, db_kwargs={"username": "root", "password": "secret"}, autocommit=True)

    def messages(self) -> list[str]:
        return [json.loads(line)["event"] for line in self.log.read_text().splitlines()]


def test_running_statements_end_with_all_their_rows_and_new_ones_are_refused(tmp_path: Path) -> None:
    with serving(Running, tmp_path, config("60s")) as server, server.connect() as flight, server.connect() as later:
        driver = server.driver()
        page = server.first_rows(ALL_OF_THEM)
        with flight.cursor() as cursor, later.cursor() as refused:
            cursor.execute(ALL_OF_THEM)
            reader = cursor.fetch_record_batch()
            seen = reader.read_next_batch().num_rows
            server.begins_to_drain()
            ready = httpx.get(f"http://{server.ready['health']}/readyz")
            assert (ready.status_code, ready.json()["reason"]) == (503, SHUTTING_DOWN)
            assert httpx.get(f"http://{server.ready['health']}/healthz").status_code == 200
            error = server.post("SELECT 1")["error"]
            assert (error["errorName"], error["message"]) == ("SERVER_SHUTTING_DOWN", SHUTTING_DOWN)
            with pytest.raises(flightsql.Error, match=SHUTTING_DOWN):
                refused.execute("SELECT 1")
            assert seen + sum(batch.num_rows for batch in reader) == ROWS
        rows = len(page["data"])
        while "nextUri" in page:
            assert server.process.poll() is None, "it waits for the one that fetches"
            page = server.next(page)
            rows += len(page.get("data", ()))
        assert (rows, page["stats"]["state"]) == (ROWS, "FINISHED")
        assert server.process.wait(30) == 0
        assert not driver.is_running()
        assert "draining: running statements have 60 seconds to end" in server.messages()


def test_a_write_that_runs_is_committed(tmp_path: Path) -> None:
    with serving(Running, tmp_path, config("60s")) as server, server.connect() as connection, ThreadPoolExecutor(1) as threads:
        with connection.cursor() as cursor, server.connect() as watching, watching.cursor() as states:
            cursor.execute("CREATE TABLE t (id BIGINT, name STRING)")
            write = threads.submit(cursor.execute, f"INSERT INTO t {ALL_OF_THEM}")

            def it_runs() -> bool:
                states.execute("SELECT count(*) FROM system.runtime.queries WHERE state = 'RUNNING' AND query LIKE 'INSERT%'")
                return states.fetchone() == (1,) or write.done()

            eventually(it_runs)
            server.stop()
            write.result(60)
            assert cursor.rowcount == ROWS
        assert server.process.wait(30) == 0
    with serving(Running, tmp_path, config("60s")) as server, server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT count(*), max(id) FROM t")
        assert cursor.fetchone() == (ROWS, ROWS - 1)


def test_a_client_that_fetches_nothing_is_waited_for_no_longer_than_said(tmp_path: Path) -> None:
    with serving(Running, tmp_path, config("500ms")) as server:
        server.first_rows(ALL_OF_THEM)
        driver = server.driver()
        server.stop()
        assert server.process.wait(30) == 0
        assert not driver.is_running()
        assert "statements that have not ended within coordinator.drain_timeout are cancelled" in server.messages()


def test_refused_statements_do_not_keep_it_waiting(tmp_path: Path) -> None:
    with serving(Running, tmp_path, config("60s")) as server:
        page = server.first_rows(ALL_OF_THEM)
        server.begins_to_drain()
        for _ in range(5):  # whose client never comes back
            assert server.post("SELECT 1")["error"]["errorName"] == "SERVER_SHUTTING_DOWN"
        gone = httpx.delete(page["nextUri"], headers={"X-Trino-User": "root"}, auth=("root", "secret"))
        assert gone.status_code == 204
        assert server.process.wait(30) == 0


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    with serving(Running, tmp_path, config("10m")) as server:
        server.first_rows(ALL_OF_THEM)
        driver = server.driver()
        server.begins_to_drain()
        server.stop(signal.SIGINT)
        assert server.process.wait(10) == 1
        eventually(lambda: not driver.is_running(), 15)


def test_a_server_without_statements_does_not_wait(tmp_path: Path) -> None:
    with serving(Running, tmp_path, config("10m")) as server:
        with server.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            assert cursor.fetchall() == [(1,)]
        last = server.post("SELECT 1")
        while "nextUri" in last:
            last = server.next(last)
        server.stop()
        assert server.process.wait(30) == 0
        assert not [message for message in server.messages() if "draining" in message]
