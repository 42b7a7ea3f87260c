"""Grants in PostgreSQL: the same statements, several threads at once, and an outage that denies until it is over."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from policy_tables import ACCOUNTS, PAYMENTS, PEOPLE, STAFF, Tables, bank_grants, grant, person, table
from postgres import Postgres, postgres_server
from waiting import eventually

from sqe.policy.decisions import Policy
from sqe.policy.grants.engine import GrantsEngine
from sqe.policy.grants.model import Effect, Scope, Target, Terms
from sqe.policy.grants.store import GrantStore


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    yield from postgres_server()


@pytest.fixture
def store(postgres: Postgres) -> Iterator[GrantStore]:
    store = GrantStore(postgres.url)
    store.take(store.listed())
    yield store
    store.close()


def test_both_databases_decide_the_same(store: GrantStore, tmp_path: Path) -> None:
    here = Policy([bank_grants(GrantStore(f"sqlite:///{tmp_path}/policy.db"))])
    there = Policy([bank_grants(store)])
    for who in PEOPLE:
        decided = [
            [(each.table, each.version) for each in policy.decide(who, [ACCOUNTS, PAYMENTS, STAFF], Tables())]
            for policy in (here, there)
        ]
        assert decided[0] == decided[1]
    here.close()


def test_changes_rename_forget_and_count(store: GrantStore) -> None:
    before = int(store.version())
    store.put([grant("select", table(ACCOUNTS), "user:alice", Terms(masks={"card": "'%s ?'"}))])
    store.put([grant("select", Target(Scope.SCHEMA, ("lake", "bank")), "user:alice", effect=Effect.DENY)])
    store.rename(table(ACCOUNTS), table(PAYMENTS))
    assert [each.target.parts[-1] for each in store.listed()] == ["bank", "payments"]
    assert store.listed()[1].terms.masks == {"card": "'%s ?'"}
    store.forget(PAYMENTS)
    assert len(store.listed()) == 1
    assert int(store.version()) == before + 4


def test_threads_write_at_once(store: GrantStore) -> None:
    def write(number: int) -> None:
        for each in range(10):
            store.put([grant("select", table(f"lake.bank.t{each}"), f"user:u{number}")])

    writers = [threading.Thread(target=write, args=(number,)) for number in range(5)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(store.listed()) == 50


def test_an_outage_denies_and_ends_by_itself(store: GrantStore, postgres: Postgres) -> None:
    alice = person("alice")
    store.put([grant("select", table(ACCOUNTS), "user:alice")])
    policy = Policy([GrantsEngine(store)])
    assert policy.decide(alice, [ACCOUNTS])[0].actions == {"select"}
    postgres.stop()
    assert policy.decide(alice, [ACCOUNTS])[0].actions == frozenset()
    postgres.start()
    eventually(lambda: policy.decide(alice, [ACCOUNTS])[0].actions == {"select"})
