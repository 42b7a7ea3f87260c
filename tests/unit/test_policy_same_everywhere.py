"""One policy, written as grants, as Rego and as Cedar: every engine decides the same for everybody and every table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from policy_tables import ACCOUNTS, BANK_CEDAR, BANK_REGO, PAYMENTS, PEOPLE, STAFF, Tables, bank_grants, person, written

from sqe.identity import Identity
from sqe.policy.cedar.engine import CedarEngine
from sqe.policy.contract import TablePolicy
from sqe.policy.decisions import Policy
from sqe.policy.engine import Engine
from sqe.policy.grants.store import GrantStore
from sqe.policy.opa.engine import OpaEngine
from sqe.policy.opa.rego import RegoRules


def make(kind: str, folder: Path) -> Engine:
    match kind:
        case "grants":
            return bank_grants(GrantStore(f"sqlite:///{folder}/policy.db"))
        case "rego":
            return OpaEngine(RegoRules(written(folder / "rego", "bank.rego", BANK_REGO), "trino"))
        case _:
            return CedarEngine(written(folder / "cedar", "bank.cedar", BANK_CEDAR))


@pytest.fixture(scope="module", params=["grants", "rego", "cedar"])
def policy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Policy]:
    policy = Policy([make(request.param, tmp_path_factory.mktemp(request.param))], timeout_seconds=30)
    yield policy
    policy.close()


def decided(policy: Policy, who: Identity, table: str) -> tuple[object, ...]:
    answer: TablePolicy = policy.authored(who, table, Tables())
    return sorted(answer.actions), answer.row_filter, dict(answer.masks), sorted(answer.hidden)


NOTHING = ([], None, {}, [])
ALL_ROWS = (["select"], None, {}, [])
ANALYST = (["select"], "region = 'EU'", {"card": "mask_show_last(4)"}, ["owner"])
FRAUD = (["select", "update"], None, {}, [])

EXPECTED = {
    "alice": (ANALYST, NOTHING, NOTHING),
    "bob": (ANALYST, NOTHING, NOTHING),
    "carol": (FRAUD, ALL_ROWS, NOTHING),
    "dave": (FRAUD, ALL_ROWS, NOTHING),
    "erin": (ALL_ROWS, ALL_ROWS, NOTHING),
    "frank": (NOTHING, NOTHING, NOTHING),
    "mallory": (NOTHING, NOTHING, NOTHING),
}


@pytest.mark.parametrize("who", PEOPLE, ids=lambda each: each.user)
def test_everybody_gets_the_same_from_every_engine(policy: Policy, who: Identity) -> None:
    found = tuple(decided(policy, who, table) for table in (ACCOUNTS, PAYMENTS, STAFF))
    assert found == EXPECTED[who.user]


def test_case_and_spelling_of_a_name_do_not_matter(policy: Policy) -> None:
    answer = policy.authored(person("alice", "analyst"), "lake.bank.`accounts`", Tables())
    assert answer.row_filter == "region = 'EU'"
    assert answer.table == "lake.bank.`accounts`"


def test_a_table_that_does_not_exist_and_a_schema_are_decided_too(policy: Policy) -> None:
    for name in ("lake.bank.new", "lake.bank"):
        assert decided(policy, person("erin", "auditor"), name) == ALL_ROWS
        assert decided(policy, person("frank"), name) == NOTHING


def test_without_the_columns_nothing_is_decided_that_depends_on_them(policy: Policy) -> None:
    answer = policy.authored(person("alice", "analyst"), ACCOUNTS)
    assert not answer.actions or (answer.masks == {"card": "mask_show_last(4)"} and answer.hidden == {"owner"})
