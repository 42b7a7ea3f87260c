"""Statistics are computed with the rights of the writer, and nobody is shown estimates of rows that are hidden from them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from bank import Person
from grants_bank import Bank, grants_bank
from waiting import eventually

from sqe.engine.driver import Driver
from sqe.query.events import QueryEvent, State
from sqe.query.statistics import TableStatistics

TABLE = "ledger.entries"
ROWS = "SELECT id, id % 100 AS kind FROM range(20000)"


@pytest.fixture(scope="module")
def bank(driver: Driver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    with grants_bank(driver, tmp_path_factory.mktemp("statistics")) as bank:
        yield bank


def ran_aside(event: QueryEvent) -> bool:
    return event.door == "statistics" and event.state.ended


@pytest.fixture(scope="module")
def kept(bank: Bank) -> Iterator[list[QueryEvent]]:
    """What was run for statistics, by whom."""
    events: list[QueryEvent] = []
    keeper = TableStatistics(bank.handler, bank.sessions.by_id, 32 << 20)
    bank.handler.events.subscribe(keeper.observe)
    bank.handler.events.subscribe(lambda event: events.append(event) if ran_aside(event) else None)
    keeper.start()
    yield events
    keeper.stop()


@pytest.fixture(scope="module")
def owner(bank: Bank) -> Person:
    root, owner = bank.person("root", "admin"), bank.person("olga")
    root.rows("CREATE SCHEMA ledger")
    root.rows("GRANT CREATE ON SCHEMA ledger TO USER olga")
    owner.rows(f"CREATE TABLE {TABLE} (id BIGINT, kind BIGINT)")
    owner.rows(f"GRANT SELECT, INSERT ON {TABLE} TO USER ida")
    owner.rows(f"GRANT SELECT ON {TABLE} TO USER ann ROWS WHERE (kind < 7)")
    return owner


def counted(person: Person) -> bool:
    return any(row[0] == "id" and row[2] is not None for row in person.rows(f"SHOW STATS FOR {TABLE}"))


def test_who_may_write_and_not_maintain_leaves_the_table_as_it_is(bank: Bank, owner: Person, kept: list[QueryEvent]) -> None:
    bank.person("ida").rows(f"INSERT INTO {TABLE} {ROWS}")
    owner.rows(f"CREATE TABLE ledger.mark AS {ROWS}")  # waits behind ida's
    eventually(lambda: bool(kept))
    assert [(event.identity.user, event.state, event.writes) for event in kept] == [
        ("olga", State.FINISHED, ("lake.ledger.mark",))
    ]
    assert not counted(owner)
    owner.rows(f"INSERT INTO {TABLE} {ROWS}")
    eventually(lambda: counted(owner))


def test_nobody_is_shown_estimates_of_a_table_that_is_seen_in_part(driver: Driver, bank: Bank, owner: Person) -> None:
    owner.rows(f"CALL lake.system.compute_table_stats(table => '{TABLE}')")
    query = f"SELECT a.id FROM {TABLE} a JOIN {TABLE} b ON a.id = b.id WHERE a.kind = 3"
    ann = bank.person("ann")
    for person in (ann, owner):
        driver.call("configureSession", person.session.in_engine(), json.dumps({"spark.sql.cbo.enabled": "true"}))
    assert "rowCount=" in str(owner.rows(f"EXPLAIN COST {query}"))
    assert "rowCount=" not in str(ann.rows(f"EXPLAIN COST {query}"))
    assert len(ann.rows(query)) == len(owner.rows(query)) == 800
