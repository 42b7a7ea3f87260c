"""Many Flight SQL clients in a process of their own, so that their CPU and memory are not the server's.

    SQE_PASSWORD=… python -m sqe.bench.flight_clients grpc://host:port USER COUNT

Opens COUNT connections, each with its own log-in, through the same client as the `sqe` command, and says so in a JSON line. Then
each line on standard input is a command: `once SQL` runs it once on every connection, `for SECONDS SQL` keeps all connections
busy with it, `close` ends them. Each answers with a JSON line.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from sqe.client import FlightClient
from sqe.errors import SqeError


@dataclass
class Counted:
    """What one connection did."""

    queries: int = 0
    errors: int = 0
    last_error: str = ""
    milliseconds: list[float] = field(default_factory=list)

    def run(self, client: FlightClient, sql: str) -> None:
        started = time.monotonic()
        try:
            client.execute(sql).read_all()
        except SqeError as error:
            self.errors += 1
            self.last_error = str(error)
        else:
            self.queries += 1
            self.milliseconds.append(1000 * (time.monotonic() - started))


def main() -> None:
    address, user, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    clients = [FlightClient(address, user=user, password=os.environ["SQE_PASSWORD"]) for _ in range(count)]
    _tell({"connected": len(clients)})
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "once":
            _tell(_once(clients, rest))
        elif word == "for":
            seconds, _, sql = rest.partition(" ")
            _tell(_busy(clients, float(seconds), sql))
        elif word == "close":
            for client in clients:
                client.close()
            _tell({"closed": len(clients)})


def _once(clients: list[FlightClient], sql: str) -> dict[str, object]:
    return _summary(_together(clients, lambda client, counted: counted.run(client, sql)))


def _busy(clients: list[FlightClient], seconds: float, sql: str) -> dict[str, object]:
    end = time.monotonic() + seconds

    def until_then(client: FlightClient, counted: Counted) -> None:
        while time.monotonic() < end:
            counted.run(client, sql)

    return _summary(_together(clients, until_then))


def _together(clients: list[FlightClient], work: Callable[[FlightClient, Counted], None]) -> list[Counted]:
    """One thread a connection, all from the same moment on."""
    gate = threading.Barrier(len(clients))

    def one(client: FlightClient) -> Counted:
        counted = Counted()
        gate.wait()
        work(client, counted)
        return counted

    with ThreadPoolExecutor(len(clients)) as threads:
        return list(threads.map(one, clients))


def _summary(all_counted: list[Counted]) -> dict[str, object]:
    milliseconds = sorted(value for counted in all_counted for value in counted.milliseconds)
    return {
        "queries": sum(counted.queries for counted in all_counted),
        "errors": sum(counted.errors for counted in all_counted),
        "last_error": next((counted.last_error for counted in all_counted if counted.last_error), ""),
        "median_ms": milliseconds[len(milliseconds) // 2] if milliseconds else 0,
        "p99_ms": milliseconds[len(milliseconds) * 99 // 100] if milliseconds else 0,
    }


def _tell(answer: dict[str, object]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
