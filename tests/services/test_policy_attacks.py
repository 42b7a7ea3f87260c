"""The attacks with every engine: grants by SQL, a real OPA server, Rego and Cedar in the server's process; one policy in each.

What an engine decides is all that a statement learns of it, so that all engines decide the same is checked quickly; that every
answer of the suite is the same, over Flight, in every form that a table can have, takes its time.
"""

from __future__ import annotations

import time
from pathlib import Path

import httpx
import pytest
from attack_suite import VARIANTS, Report, prepare_variant, run_all
from bank import ANALYST, VIEWS
from flight_bank import logged_in, policy_section, policy_server
from policy_tables import Tables, grant, table, written
from suite_policy import FILTER, MASK, as_cedar, as_grants, as_rego

from dev.services.stack import Stack
from sqe.config.policy import Policy as PolicySettings
from sqe.policy.actions import ALL
from sqe.policy.cedar.engine import CedarEngine
from sqe.policy.decisions import Policy
from sqe.policy.engine import Engine
from sqe.policy.facts import Column
from sqe.policy.grants.engine import GrantsEngine
from sqe.policy.grants.model import Terms
from sqe.policy.grants.store import GrantStore
from sqe.policy.opa.engine import OpaEngine, opa_engine
from sqe.policy.opa.rego import RegoRules

ENGINES = ("grants", "opa", "rego", "cedar")
SCHEMAS = [variant.schema for variant in VARIANTS]


@pytest.fixture(scope="module")
def opa_url(stack: Stack) -> str:
    url = stack.up(["opa"])["opa"]["url"]
    httpx.put(f"{url}/v1/policies/suite", content=as_rego(SCHEMAS), trust_env=False).raise_for_status()
    return url


class BankTables(Tables):
    """The suite's tables, as far as policies look at them."""

    def __init__(self, schema: str) -> None:
        texts = {
            "accounts": ("id", "owner", "region", "iban", "ssn"),
            "regions": ("region", "label"),
            "vault": ("gold",),
            **dict.fromkeys(VIEWS, ("id",)),
        }
        self.known = {
            f"lake.{schema}.{name}": [Column(number + 1, column, "STRING") for number, column in enumerate(columns)]
            for name, columns in texts.items()
        }


def engine(kind: str, folder: Path, schema: str, opa_url: str) -> Engine:
    match kind:
        case "grants":
            here = f"lake.{schema}"
            terms = Terms(row_filter=FILTER, masks={"iban": MASK}, hidden=("ssn",))
            store = GrantStore(f"sqlite:///{folder}/policy.db")
            store.put(
                [
                    *(grant(each, table(f"{here}.accounts"), "role:analyst", terms) for each in ("select", "insert")),
                    *(grant(each, table(f"{here}.accounts"), "role:analyst", terms) for each in ("update", "delete")),
                    *(grant(action, table(f"{here}.regions"), "role:analyst") for action in sorted(ALL)),
                    *(grant("select", table(f"{here}.{view}"), "role:analyst") for view in VIEWS),
                ]
            )
            return GrantsEngine(store)
        case "opa":
            rules = {"opa_url": "allow", "opa_row_filters_url": "rowFilters", "opa_batch_url": "batch",
                     "opa_batch_column_masks_url": "batchColumnMasks"}  # fmt: skip
            urls = {key: f"{opa_url}/v1/data/trino/{rule}" for key, rule in rules.items()}
            return opa_engine(PolicySettings(engines=("opa",), **urls))  # type: ignore[arg-type]
        case "rego":
            return OpaEngine(RegoRules(written(folder / "rego", "suite.rego", as_rego([schema])), "trino"))
        case _:
            return CedarEngine(written(folder / "cedar", "suite.cedar", as_cedar([schema])))


def test_every_engine_decides_the_suite_alike(opa_url: str, tmp_path: Path) -> None:
    schema = SCHEMAS[0]
    facts = BankTables(schema)
    names = [*facts.known, f"lake.{schema}", "lake.closed"]
    answers = {}
    for kind in ENGINES:
        policy = Policy([engine(kind, tmp_path, schema, opa_url)], timeout_seconds=30)
        answers[kind] = [
            (each.table, sorted(each.actions), each.row_filter, dict(each.masks), sorted(each.hidden))
            for each in policy.decide(ANALYST, names, facts)
        ]
        policy.close()
    assert [answers[kind] == answers["grants"] for kind in ENGINES] == [True] * len(ENGINES), answers
    assert [row[0] for row in answers["grants"] if not row[1]] == [f"lake.{schema}.vault", f"lake.{schema}", "lake.closed"]


@pytest.mark.long
@pytest.mark.parametrize("kind", ENGINES)
def test_every_answer_is_the_same_with_every_engine(
    kind: str, opa_url: str, tmp_path: Path, record_property: pytest.RecordProperty
) -> None:
    total, began = Report(), time.monotonic()
    section = policy_section(kind, tmp_path, SCHEMAS, opa_url)
    with policy_server(tmp_path, section) as server, logged_in(server, "root", "ann") as (root, ann):
        for variant in VARIANTS:
            prepare_variant(root, variant)
            for statement in as_grants([variant.schema]) if kind == "grants" else ():
                root.rows(statement)
            total.add(run_all(ann, root, variant.schema))
            print(f"{kind} {variant.schema}: {total.statements} statements, {len(total.leaks)} leaks, "
                  f"{time.monotonic() - began:.0f} s")  # fmt: skip
    record_property("statements", total.statements)
    assert total.leaks == []
    assert total.wrong == []
    assert total.statements > 700 * len(VARIANTS)
