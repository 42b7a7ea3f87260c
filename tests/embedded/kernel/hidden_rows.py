"""Somebody from whom a policy hides rows, asking fragments that run once for each partition."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from attack_suite import VARIANTS, prepare_variant
from bank import ANALYST, Book, Person, analysts_policy
from partitions import shaped

from sqe.engine.driver import Driver
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

SCHEMA = VARIANTS[1].schema
TABLE = f"{SCHEMA}.accounts"


@contextmanager
def bound_analyst(handler: QueryHandler, driver: Driver, sessions: Sessions) -> Iterator[Person]:
    """Bound by the policy of the attack suite."""
    book = Book()
    prepare_variant(Person(handler, sessions.open(Identity("root"))), VARIANTS[1])
    bound = Sessions(driver, sessions._catalogs, "lake", decisions=lambda _: book)
    person = Person(handler, bound.open(ANALYST))
    analysts_policy(book, SCHEMA)
    person.session.forget_policies()
    shaped(driver, person.session, "partitions")
    yield person
    bound.close_all()


def stay_hidden(analyst: Person, driver: Driver, query: str) -> int:
    """Asserts that the kernel's answer is Spark's, that nothing failed for a hidden row, not even quietly, and that EXPLAIN tells
    nothing; gives the number of fragments that ran."""
    before = driver.health()
    analyst.rows("SET native = 'off'")
    expected = sorted(analyst.rows(query.format(t=TABLE)), key=str)
    analyst.rows("SET native = 'auto'")
    assert sorted(analyst.rows(query.format(t=TABLE)), key=str) == expected
    assert "DE00" not in str(expected)
    after = driver.health()
    assert before is not None
    assert after is not None
    assert after.native_fallbacks == before.native_fallbacks
    ((plan,),) = analyst.rows(f"EXPLAIN {query.format(t=TABLE)}")
    assert "'EU'" not in str(plan)
    assert "parquet" not in str(plan).lower()
    return after.native_fragments - before.native_fragments
