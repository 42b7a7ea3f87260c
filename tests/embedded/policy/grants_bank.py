"""A server's parts with the engine `grants`, on the driver of the run: people who grant, make views and read them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bank import Person

from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.policy.decisions import Policy
from sqe.policy.facts import DriverFacts
from sqe.policy.grants.engine import GrantsEngine
from sqe.policy.grants.store import GrantStore
from sqe.policy.statements import Rights
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

ADMINS = frozenset({"admin"})
KEY = b"sixteen letters!"


@dataclass
class Bank:
    """`known` are the people whose roles of now the server knows."""

    handler: QueryHandler
    sessions: Sessions
    known: dict[str, Identity] = field(default_factory=dict)

    def person(self, user: str, *roles: str) -> Person:
        return Person(self.handler, self.sessions.open(Identity(user, frozenset(roles), provider="static")))


@contextmanager
def grants_bank(
    driver: Driver,
    folder: Path,
    mask_key: bytes | None = KEY,
    store: str = "",
    catalogs: dict[str, dict[str, str]] | None = None,
) -> Iterator[Bank]:
    """With the grants and the warehouse in `folder`, unless `store` and `catalogs` say otherwise; the catalog is `lake`."""
    engine = GrantsEngine(GrantStore(store or f"sqlite:///{folder}/policy.db"), admin_roles=ADMINS)
    policy = Policy([engine], timeout_seconds=60, mask_key=mask_key)
    known: dict[str, Identity] = {}
    sessions = Sessions(
        driver,
        catalogs or {"lake": {"type": "sqlite", "path": str(folder / "warehouse")}},
        "lake",
        decisions=lambda session: policy.with_facts(DriverFacts(driver, session), known.get),
    )
    handler = QueryHandler(driver, admin_roles=ADMINS, rights=Rights(policy, engine, ADMINS, known.get))
    try:
        yield Bank(handler, sessions, known)
    finally:
        sessions.close_all()
        handler.close()
        policy.close()


def outcome(person: Person, sql: str) -> object:
    """The rows, or the error's one line."""
    try:
        return person.rows(sql)
    except SqeError as error:
        return str(error)
