"""One warehouse a module; each statement runs with the native kernel and without."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sides import Sides

from sqe.query.handler import QueryHandler
from sqe.session import Session


@pytest.fixture
def sides(handler: QueryHandler, session: Session) -> Sides:
    return Sides(handler, session)


Explain = Callable[[str], str]


@pytest.fixture
def explain(sides: Sides) -> Explain:
    def text(query: str) -> str:
        sides.native("auto")
        return str(sides.run(f"EXPLAIN {query}").column(0)[0])

    return text
