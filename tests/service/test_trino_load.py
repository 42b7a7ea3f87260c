"""The Trino door under load: many clients that poll for minutes, and a result of ten million rows. Minutes each."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from server_process import ANY_PORTS, ServerProcess, serving

pytestmark = [pytest.mark.service, pytest.mark.long]

CLIENTS = 200
SECONDS = float(os.environ.get("SQE_LOAD_SECONDS", "300"))
ROWS = int(os.environ.get("SQE_LOAD_ROWS", "10000000"))

CONFIG = (
    ANY_PORTS
    + """
[[auth.providers]]
type = "static"
users = [{{ name = "ada", password = "lovelace" }}]

[catalog]
name = "lake"
path = "{folder}/warehouse"
"""
)

MB = 1 << 20


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder: Path = tmp_path_factory.mktemp("load")
    with serving(ServerProcess, folder, CONFIG.format(folder=folder)) as running:
        yield running


class Poller:
    """One client: statement after statement, page after page."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.http = httpx.Client(auth=("ada", "lovelace"), timeout=120, trust_env=False)

    def rows(self, sql: str) -> Iterator[list[Any]]:
        answer = self.http.post(f"{self.base}/v1/statement", content=sql)
        while True:
            assert answer.status_code == 200, answer.text
            said = answer.json()
            assert "error" not in said, said["error"]
            yield said.get("data", [])
            if "nextUri" not in said:
                return
            answer = self.http.get(said["nextUri"])


def base_of(server: ServerProcess) -> str:
    return f"http://{server.ready['trino_http']}"


def test_two_hundred_clients_poll_and_none_fails(server: ServerProcess) -> None:
    end = time.monotonic() + SECONDS
    failures: list[str] = []
    counts = [0] * CLIENTS

    def poll(number: int) -> None:
        client = Poller(base_of(server))
        try:
            while time.monotonic() < end and not failures:
                found = [
                    row for page in client.rows(f"SELECT {number} AS n, x FROM UNNEST(sequence(1, 100)) AS t(x)") for row in page
                ]
                assert found == [[number, x] for x in range(1, 101)]
                counts[number] += 1
        except Exception as error:  # noqa: BLE001 - told below
            failures.append(f"{type(error).__name__}: {error}")
        finally:
            client.http.close()

    list(Poller(base_of(server)).rows("SELECT 1"))
    before = server.python().memory_info().rss
    threads = [threading.Thread(target=poll, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    most = before
    while any(thread.is_alive() for thread in threads):
        most = max(most, server.python().memory_info().rss)
        threading.Event().wait(0.5)
    for thread in threads:
        thread.join()
    print(
        f"\n{sum(counts)} statements in {SECONDS:.0f} s, {min(counts)} or more a client, server {before // MB} to {most // MB} MB"
    )
    assert not failures, failures[0]
    assert min(counts) > 0
    assert most - before < 300 * MB


def test_ten_million_rows_leave_the_heap_as_it_was(server: ServerProcess) -> None:
    client = Poller(base_of(server))
    factors = f"UNNEST(sequence(1, 10000)) AS a(x) CROSS JOIN UNNEST(sequence(1, {ROWS // 10_000})) AS b(y)"
    sql = f"SELECT x, y, CAST(x AS VARCHAR) AS text FROM {factors}"
    list(client.rows("SELECT 1"))
    started, rows, resident, heaps = time.monotonic(), 0, [], []
    for number, page in enumerate(client.rows(sql)):
        rows += len(page)
        if number % 5 == 0:
            resident.append(server.python().memory_info().rss // MB)
            heaps.append(server.driver().memory_info().rss // MB)
    seconds = time.monotonic() - started
    print(
        f"\n{rows} rows in {seconds:.1f} s, server {min(resident)} to {max(resident)} MB, driver {min(heaps)} to {max(heaps)} MB"
    )
    assert rows == ROWS
    third = max(1, len(resident) // 3)
    assert max(resident[-third:]) - max(resident[:third]) < 100, resident
    assert max(heaps) < 1024 + 600, heaps  # its heap of 1 GB and what a JVM needs beside it
