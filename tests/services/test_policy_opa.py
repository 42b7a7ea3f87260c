"""A real OPA server: it says for everybody and every table what the grants say, and an outage of it denies until it is back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from policy_tables import ACCOUNTS, BANK_REGO, PAYMENTS, PEOPLE, STAFF, Tables, bank_grants, person

from dev.services.stack import Stack
from sqe.config.policy import Policy as PolicySettings
from sqe.identity import Identity
from sqe.policy.decisions import Policy
from sqe.policy.grants.store import GrantStore
from sqe.policy.opa.engine import opa_engine

TABLES = [ACCOUNTS, PAYMENTS, STAFF, "lake.bank"]


@pytest.fixture(scope="module")
def own_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack of its own: this one is stopped and started."""
    stack = Stack(tmp_path_factory.mktemp("opa") / "state")
    yield stack
    stack.down()


@pytest.fixture(scope="module")
def server(own_stack: Stack) -> str:
    return start(own_stack)


def start(stack: Stack) -> str:
    url = stack.up(["opa"])["opa"]["url"]
    httpx.put(f"{url}/v1/policies/bank", content=BANK_REGO, trust_env=False).raise_for_status()
    return url


def asking(url: str, *rules: str) -> Policy:
    keys = {
        "allow": "opa_url",
        "rowFilters": "opa_row_filters_url",
        "columnMask": "opa_column_masks_url",
        "batch": "opa_batch_url",
        "batchColumnMasks": "opa_batch_column_masks_url",
    }
    settings = PolicySettings(engines=("opa",), **{keys[rule]: f"{url}/v1/data/trino/{rule}" for rule in rules})  # type: ignore[arg-type]
    return Policy([opa_engine(settings)], cache_seconds=0)


@pytest.mark.parametrize("rules", [("allow", "rowFilters", "columnMask"), ("allow", "rowFilters", "batch", "batchColumnMasks")])
@pytest.mark.parametrize("who", PEOPLE, ids=lambda each: each.user)
def test_opa_decides_as_the_same_grants_do(server: str, tmp_path: Path, who: Identity, rules: tuple[str, ...]) -> None:
    grants = Policy([bank_grants(GrantStore(f"sqlite:///{tmp_path}/policy.db"))])
    opa = asking(server, *rules)
    versions = [[(answer.table, answer.version) for answer in policy.decide(who, TABLES, Tables())] for policy in (grants, opa)]
    assert versions[0] == versions[1]
    grants.close()
    opa.close()


def test_an_outage_denies_and_ends_by_itself(server: str, own_stack: Stack) -> None:
    opa = asking(server, "allow", "rowFilters", "batch", "batchColumnMasks")
    carol = person("carol", "fraud")
    assert opa.decide(carol, [ACCOUNTS], Tables())[0].actions == {"select", "update"}
    own_stack.stop(["opa"])
    began = time.monotonic()
    assert opa.decide(carol, [ACCOUNTS], Tables())[0].actions == frozenset()
    assert time.monotonic() - began < 3
    start(own_stack)
    assert opa.decide(carol, [ACCOUNTS], Tables())[0].actions == {"select", "update"}
    opa.close()
