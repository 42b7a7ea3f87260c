"""Starts the processes of Flight clients (flight_clients.py)."""

from __future__ import annotations

import sys

from sqe.bench.processes import Child
from sqe.bench.workspace import PASSWORD, USER


def flight_clients(address: str, count: int) -> Child:
    """Connected clients in one process; waits until they are."""
    child = Child([sys.executable, "-m", "sqe.bench.flight_clients", address, USER, str(count)], {"SQE_PASSWORD": PASSWORD})
    try:
        child.answer()
    except BaseException:
        child.close()
        raise
    return child
