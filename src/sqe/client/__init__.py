"""A small Flight SQL client for SQE's own tools: `FlightClient` (flight.py). Everything it raises is an `SqeError`.
Other programs use ADBC or JDBC; `sqe.connect()` (sqe/dbapi.py) is the DB-API face of this one."""

from sqe.client.flight import FlightClient, Prepared
from sqe.client.results import Result

__all__ = ["FlightClient", "Prepared", "Result"]
