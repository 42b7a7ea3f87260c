"""An administrator without a policy and an analyst with one, in one warehouse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bank import ANALYST, Book, Person

from sqe.engine.driver import Driver
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions


@pytest.fixture(scope="module")
def book() -> Book:
    return Book()


@pytest.fixture(scope="module")
def bound(driver: Driver, sessions: Sessions, book: Book) -> Iterator[Sessions]:
    """Sessions of the same warehouse that a policy binds."""
    bound = Sessions(driver, sessions._catalogs, "lake", decisions=lambda _: book)
    yield bound
    bound.close_all()


@pytest.fixture(scope="module")
def admin(handler: QueryHandler, sessions: Sessions) -> Person:
    return Person(handler, sessions.open(Identity("root")))


@pytest.fixture(scope="module")
def analyst(handler: QueryHandler, bound: Sessions) -> Person:
    return Person(handler, bound.open(ANALYST))
