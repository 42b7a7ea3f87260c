"""Grants: what adds up, what takes away, who may hand on, and that the store keeps its word under load."""

from __future__ import annotations

import multiprocessing
import random
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from policy_tables import ACCOUNTS, PAYMENTS, Tables, grant, person, table

from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.policy.actions import ALL
from sqe.policy.contract import TablePolicy
from sqe.policy.decisions import Policy
from sqe.policy.facts import Column
from sqe.policy.grants.engine import GrantsEngine
from sqe.policy.grants.model import Effect, Grant, Principal, Scope, Tag, Target, Terms
from sqe.policy.grants.store import GrantStore

ALICE = person("alice", "analyst fraud", "eu")
BANK = Target(Scope.SCHEMA, ("lake", "bank"))
LAKE = Target(Scope.CATALOG, ("lake",))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GrantStore]:
    store = GrantStore(f"sqlite:///{tmp_path}/policy.db")
    yield store
    store.close()


@pytest.fixture
def tables() -> Tables:
    return Tables()


def decided(
    store: GrantStore, who: Identity = ALICE, name: str = ACCOUNTS, facts: Tables | None = None, default: str = "deny"
) -> TablePolicy:
    policy = Policy([GrantsEngine(store, admin_roles=frozenset({"admin"}), default=default)])
    return policy.authored(who, name, facts or Tables())


def test_without_a_grant_there_is_nothing(store: GrantStore) -> None:
    assert decided(store).actions == frozenset()


def test_default_allow_is_for_tables_that_nobody_has_a_grant_on(store: GrantStore) -> None:
    store.put(
        [grant("select", table(ACCOUNTS), "user:somebody"), grant("drop", table(PAYMENTS), "user:alice", effect=Effect.DENY)]
    )
    assert decided(store, default="allow").actions == frozenset()
    assert decided(store, name=PAYMENTS, default="allow").actions == ALL - {"drop"}
    assert decided(store, name="lake.hr.staff", default="allow").actions == ALL


def test_administrators_are_not_bound(store: GrantStore) -> None:
    store.put([grant("select", table(ACCOUNTS), "user:root", effect=Effect.DENY)])
    assert decided(store, person("root", "admin")).actions == ALL


@pytest.mark.parametrize("to", ["user:alice", "role:fraud", "group:eu"])
@pytest.mark.parametrize("on", [table(ACCOUNTS), table("LAKE.Bank.ACCOUNTS"), BANK, LAKE])
def test_grants_reach_down_and_to_roles_and_groups(store: GrantStore, on: Target, to: str) -> None:
    store.put([grant("select", on, to)])
    assert decided(store).actions == {"select"}


@pytest.mark.parametrize("to", ["user:fraud", "role:alice", "group:fraud", "user:Alice", "role:FRAUD", "user:alice ", "user:"])
def test_a_role_is_no_user_and_names_are_exact(store: GrantStore, to: str) -> None:
    store.put([grant("select", table(ACCOUNTS), to)])
    assert decided(store).actions == frozenset()


@pytest.mark.parametrize(
    "on",
    [table(PAYMENTS), Target(Scope.SCHEMA, ("lake", "hr")), Target(Scope.SCHEMA, ("lake",)), Target(Scope.CATALOG, ("other",))],
)
def test_grants_on_other_things_do_not_count(store: GrantStore, on: Target) -> None:
    store.put([grant("select", on, "user:alice")])
    assert decided(store).actions == frozenset()


@pytest.mark.parametrize("on", [table(ACCOUNTS), BANK, LAKE])
def test_deny_beats_every_grant(store: GrantStore, on: Target) -> None:
    store.put([grant("select", table(ACCOUNTS), "user:alice"), grant("insert", table(ACCOUNTS), "user:alice")])
    store.put([grant("select", on, "group:eu", effect=Effect.DENY)])
    assert decided(store).actions == {"insert"}


def test_owners_have_everything_but_what_is_denied(store: GrantStore) -> None:
    store.put(
        [
            grant("ownership", table(ACCOUNTS), "user:alice"),
            grant("select", table(ACCOUNTS), "role:analyst", Terms(row_filter="x")),
        ]
    )
    assert decided(store) == TablePolicy(ACCOUNTS, ALL, None, {}, frozenset(), "2 grants")
    store.put([grant("drop", table(ACCOUNTS), "user:alice", effect=Effect.DENY)])
    assert decided(store).actions == ALL - {"drop"}


def test_rows_of_several_grants_add_up(store: GrantStore) -> None:
    store.put([grant("select", table(ACCOUNTS), "role:analyst", Terms(row_filter="region = 'EU'"))])
    assert decided(store).row_filter == "region = 'EU'"
    store.put([grant("select", BANK, "user:alice", Terms(row_filter="id = 1"))])
    assert decided(store).row_filter in ("(region = 'EU') OR (id = 1)", "(id = 1) OR (region = 'EU')")
    store.put([grant("select", LAKE, "group:eu")])
    assert decided(store).row_filter is None


def test_each_row_is_as_clear_as_its_clearest_grant(store: GrantStore) -> None:
    store.put(
        [
            grant(
                "select",
                table(ACCOUNTS),
                "role:analyst",
                Terms(masks={"card": "mask_null()", "owner": "'x'"}, hidden=("balance",)),
            ),
            grant("select", table(ACCOUNTS), "role:fraud", Terms(row_filter="flagged", masks={"owner": "'x'"})),
        ]
    )
    found = decided(store)
    assert found.row_filter is None
    assert found.masks == {
        "card": "CASE WHEN flagged THEN card WHEN true THEN try_cast(mask_null() AS STRING) ELSE NULL END",
        "owner": "'x'",
        "balance": "CASE WHEN flagged THEN balance ELSE NULL END",
    }
    assert found.hidden == frozenset()


def test_filters_with_subqueries_leave_the_strongest_mask(store: GrantStore) -> None:
    store.put(
        [
            grant("select", table(ACCOUNTS), "role:analyst", Terms(masks={"card": "mask_show_last(4)"})),
            grant("select", table(ACCOUNTS), "role:fraud", Terms(row_filter="id IN (SELECT 1)")),
        ]
    )
    assert decided(store).masks == {"card": "mask_show_last(4)"}


def test_writes_are_for_the_rows_that_are_seen(store: GrantStore) -> None:
    own = Terms(row_filter="owner = current_user")
    store.put([grant("select", table(ACCOUNTS), "user:alice"), grant("update", table(ACCOUNTS), "user:alice", own)])
    assert decided(store).actions == {"select"}
    store.put([grant("select", table(ACCOUNTS), "user:alice", own)])
    assert decided(store).actions == {"select", "update"}
    assert decided(store).row_filter == "owner = current_user"


def test_columns_that_are_given_hide_all_others(store: GrantStore, tables: Tables) -> None:
    store.put([grant("select", table(ACCOUNTS), "user:alice", Terms(columns=("id", "Region"), field_ids={"id": 1, "Region": 3}))])
    assert decided(store).hidden == {"owner", "card", "balance"}
    tables.known[ACCOUNTS][2] = Column(3, "area", "STRING")  # renamed
    tables.known[ACCOUNTS].append(Column(6, "region", "STRING"))  # another one with the old name
    assert decided(store, facts=tables).hidden == {"owner", "card", "balance", "region"}


def test_columns_that_are_given_need_the_table(store: GrantStore) -> None:
    store.put([grant("select", table(ACCOUNTS), "user:alice", Terms(columns=("id",)))])
    assert Policy([GrantsEngine(store)]).decide(ALICE, [ACCOUNTS])[0].actions == frozenset()


def test_denied_columns_are_hidden_whatever_grants_say(store: GrantStore) -> None:
    store.put(
        [grant("select", LAKE, "user:alice"), grant("select", BANK, "role:fraud", Terms(columns=("card",)), effect=Effect.DENY)]
    )
    assert decided(store).hidden == {"card"}
    assert decided(store).actions == {"select"}


def test_tags_mask_and_hide_wherever_a_column_goes(store: GrantStore, tables: Tables) -> None:
    store.tag(ACCOUNTS, 4, "card", [Tag("pii", "high")])
    store.tag(ACCOUNTS, 2, "owner", [Tag("pii", "low"), Tag("secret", "")])
    high = Terms(tag_masks=((Tag("pii", "high"), "mask_null()"),), hidden_tags=(Tag("secret"),))
    store.put([grant("select", LAKE, "user:alice", high)])
    assert (decided(store).masks, decided(store).hidden) == ({"card": "mask_null()"}, {"owner"})
    tables.known[ACCOUNTS].reverse()
    tables.known[ACCOUNTS][1] = Column(4, "number", "STRING")
    assert decided(store, facts=tables).masks == {"number": "mask_null()"}
    store.untag(ACCOUNTS, 4, ["pii"])
    assert decided(store).masks == {}


def test_future_grants_leave_out_what_was_there(store: GrantStore) -> None:
    future = Target(Scope.FUTURE_IN_SCHEMA, ("lake", "bank"))
    store.put([grant("select", future, "user:alice", Terms(not_future=(ACCOUNTS,)))])
    assert decided(store).actions == frozenset()
    assert decided(store, name="lake.bank.new").actions == {"select"}
    assert decided(store, name="lake.hr.new").actions == frozenset()
    store.rename(table(ACCOUNTS), table("lake.bank.disguised"))
    assert decided(store, name="lake.bank.disguised").actions == frozenset()


def test_a_renamed_table_keeps_its_rights_and_a_dropped_one_leaves_none(store: GrantStore) -> None:
    store.put([grant("select", BANK, "user:alice"), grant("select", table(ACCOUNTS), "user:alice", effect=Effect.DENY)])
    store.rename(table(ACCOUNTS), table("lake.bank.other"))
    assert decided(store, name="lake.bank.other").actions == frozenset()
    store.forget("lake.bank.other")
    assert decided(store, name="lake.bank.other").actions == {"select"}


def test_the_last_grant_of_a_privilege_counts(store: GrantStore) -> None:
    for row_filter in (None, "id = 1"):
        store.put([grant("select", table(ACCOUNTS), "user:alice", Terms(row_filter=row_filter))])
    assert len(store.listed()) == 1
    assert decided(store).row_filter == "id = 1"


def test_what_was_handed_on_goes_with_its_source(store: GrantStore) -> None:
    store.put([grant("select", table(ACCOUNTS), "user:alice")])
    source = store.listed()[0].id
    bob = Principal("user", "bob")
    store.put([Grant(Effect.GRANT, "select", table(ACCOUNTS), bob, granted_by="alice", after=[source])])
    second = next(each.id for each in store.listed() if each.principal == bob)
    store.put([Grant(Effect.GRANT, "select", table(ACCOUNTS), Principal("user", "carol"), granted_by="bob", after=[second])])
    store.take([grant("select", table(ACCOUNTS), "user:alice")])
    assert store.listed() == []


def test_revoke_takes_denials_too_and_only_what_is_named(store: GrantStore) -> None:
    store.put([grant("select", table(ACCOUNTS), "user:alice", effect=Effect.DENY), grant("select", BANK, "user:alice")])
    assert store.take([grant("select", table(ACCOUNTS), "user:alice")]) == 1
    assert store.take([grant("select", table(ACCOUNTS), "user:alice"), grant("insert", BANK, "user:alice")]) == 0
    assert decided(store).actions == {"select"}


def test_ten_thousand_grants_are_decided_in_milliseconds(store: GrantStore) -> None:
    names = [f"lake.bank.t{number}" for number in range(1000)]
    store.put(
        grant("select", table(name), f"role:r{number}", Terms(row_filter=f"x = {number}"))
        for name in names
        for number in range(10)
    )
    assert len(store.listed()) == 10_000
    policy = Policy([GrantsEngine(store)], cache_seconds=0)
    who = Identity("somebody", frozenset(f"r{number}" for number in range(100)), frozenset(f"g{number}" for number in range(100)))
    choose = random.Random(7)
    times = []
    for _ in range(30):
        some = choose.sample(names, 5)
        began = time.perf_counter()
        answers = policy.decide(who, some)
        times.append(time.perf_counter() - began)
        assert all(answer.row_filter and answer.row_filter.count(" OR ") == 9 for answer in answers)
    assert sorted(times)[len(times) // 2] < 0.02
    policy.close()


def test_a_change_counts_from_the_next_decision_for_every_reader(store: GrantStore) -> None:
    policy = Policy([GrantsEngine(store)], cache_seconds=3600)
    store.put([grant("select", table(ACCOUNTS), "user:alice")])
    denied_at = threading.Event()
    late: list[TablePolicy] = []

    def read() -> None:
        for _ in range(100):
            after = denied_at.is_set()
            answer = policy.decide(ALICE, [ACCOUNTS])[0]
            if after and answer.actions:
                late.append(answer)

    readers = [threading.Thread(target=read) for _ in range(50)]
    for reader in readers:
        reader.start()
    store.put([grant("select", table(ACCOUNTS), "user:alice", effect=Effect.DENY)])
    denied_at.set()
    for reader in readers:
        reader.join()
    assert late == []
    assert policy.decide(ALICE, [ACCOUNTS])[0].actions == frozenset()
    policy.close()


def _write(url: str, number: int) -> None:
    store = GrantStore(url)
    for each in range(20):
        store.put([grant("select", table(f"lake.bank.t{each}"), f"user:u{number}")])
    store.close()


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/shared.db"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(url, number)) for number in range(3)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    store = GrantStore(url)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert len(store.listed()) == 60
    assert store.version() == "60"
    store.close()


def test_only_the_server_reads_the_file(tmp_path: Path) -> None:
    GrantStore(f"sqlite:///{tmp_path}/policy.db").close()
    assert stat.S_IMODE((tmp_path / "policy.db").stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"not a database at all" * 100, None], ids=["damaged", "no folder"])
def test_a_store_that_cannot_be_used_is_told_at_the_start(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "policy.db" if content else tmp_path / "missing" / "policy.db"
    if content:
        path.write_bytes(content)
    with pytest.raises(SqeError, match="cannot be used"):
        GrantStore(f"sqlite:///{path}")
