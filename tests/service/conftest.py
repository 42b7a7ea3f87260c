"""The Flight SQL door on the shared engine: users root (secret) and alice (wonderland), a warehouse for each test module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from trino_door import make_many

from sqe.config.providers import StaticProvider, StaticUser
from sqe.config.sections import Auth
from sqe.config.values import Secret
from sqe.doors.flight.door import FlightDoor
from sqe.identity.authenticator import authenticator
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

USERS = StaticProvider((StaticUser("root", Secret("secret"), roles=("admin",)), StaticUser("alice", Secret("wonderland"))))


@pytest.fixture(scope="module")
def door(handler: QueryHandler, sessions: Sessions) -> Iterator[FlightDoor]:
    with FlightDoor(handler=handler, sessions=sessions, authenticator=authenticator(Auth(providers=(USERS,)))) as door:
        yield door


@pytest.fixture(scope="module")
def many(handler: QueryHandler, sessions: Sessions) -> None:
    """A table `lake.default.many`, for results of many pages."""
    make_many(handler, sessions)
