"""Shared by the tests of policies: a bank's tables as facts, and one policy for it written for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqe.identity import Identity
from sqe.policy.facts import Column
from sqe.policy.grants.engine import GrantsEngine
from sqe.policy.grants.model import Effect, Grant, Principal, Scope, Target, Terms
from sqe.policy.grants.store import GrantStore
from sqe.policy.names import parts_of

ACCOUNTS, PAYMENTS, STAFF = "lake.bank.accounts", "lake.bank.payments", "lake.hr.staff"


class Tables:
    """Tables as a catalog would tell them. Tests change them as ALTER TABLE would."""

    def __init__(self) -> None:
        self.known: dict[str, list[Column]] = {
            ACCOUNTS: [
                Column(1, "id", "BIGINT"),
                Column(2, "owner", "STRING"),
                Column(3, "region", "STRING"),
                Column(4, "card", "STRING"),
                Column(5, "balance", "DECIMAL(12,2)"),
            ],
            PAYMENTS: [Column(1, "id", "BIGINT"), Column(2, "account", "BIGINT"), Column(3, "amount", "DECIMAL(12,2)")],
            STAFF: [Column(1, "name", "STRING"), Column(2, "salary", "INT")],
        }

    def columns(self, table: str) -> Sequence[Column] | None:
        return self.known.get(".".join(part.lower() for part in parts_of(table)))

    def tables(self, catalog: str, schema: str | None = None) -> Sequence[str]:
        return [name for name in self.known if name.startswith(f"{catalog}.{schema}." if schema else f"{catalog}.")]

    def schemas(self, catalog: str) -> Sequence[str] | None:
        return sorted({name.split(".")[1] for name in self.known}) if catalog == "lake" else None


def person(user: str, roles: str = "", groups: str = "") -> Identity:
    return Identity(user, frozenset(roles.split()), frozenset(groups.split()), "static")


PEOPLE = [
    person("alice", "analyst", "eu"),
    person("bob", "analyst"),
    person("carol", "fraud"),
    person("dave", "analyst fraud"),
    person("erin", "auditor"),
    person("frank"),
    person("mallory", "analyst", "suspended"),
]


def table(name: str) -> Target:
    return Target(Scope.TABLE, parts_of(name))


def grant(privilege: str, on: Target, to: str, terms: Terms | None = None, *, effect: Effect = Effect.GRANT) -> Grant:
    return Grant(effect, privilege, on, Principal.of_key(to), terms or Terms())


def bank_grants(store: GrantStore) -> GrantsEngine:
    """Analysts see accounts of the EU with the card masked and the owner hidden; the fraud desk sees and changes all accounts and
    payments; the auditor reads all of the bank; nobody who is suspended reads accounts."""
    bank = Target(Scope.SCHEMA, ("lake", "bank"))
    analyst = Terms(row_filter="region = 'EU'", masks={"card": "mask_show_last(4)"}, hidden=("owner",))
    store.put(
        [
            grant("select", table(ACCOUNTS), "role:analyst", analyst),
            grant("select", table(ACCOUNTS), "role:fraud"),
            grant("update", table(ACCOUNTS), "role:fraud"),
            grant("select", table(PAYMENTS), "role:fraud"),
            grant("select", bank, "role:auditor"),
            grant("select", table(ACCOUNTS), "group:suspended", effect=Effect.DENY),
        ]
    )
    return GrantsEngine(store)


BANK_REGO = """
package trino

import rego.v1

default allow := false

reads := {"SelectFromColumns", "FilterColumns"}

table := input.action.resource.table

role(name) if name in input.context.identity.roles

suspended if "suspended" in input.context.identity.groups

analyst_only if {
	role("analyst")
	not role("fraud")
	not role("auditor")
}

allow if {
	role("analyst")
	not suspended
	input.action.operation in reads
	table.schemaName == "bank"
	table.tableName == "accounts"
	not owner_asked
}

owner_asked if "owner" in table.columns

allow if {
	role("fraud")
	input.action.operation in reads
	table.schemaName == "bank"
	table.tableName in {"accounts", "payments"}
	not suspended
}

allow if {
	role("fraud")
	input.action.operation == "UpdateTableColumns"
	table.schemaName == "bank"
	table.tableName == "accounts"
}

allow if {
	role("auditor")
	input.action.operation in reads
	table.schemaName == "bank"
}

allow if {
	role("auditor")
	input.action.operation == "FilterSchemas"
	input.action.resource.schema.schemaName == "bank"
}

rowFilters contains {"expression": "region = 'EU'"} if {
	analyst_only
	table.tableName == "accounts"
}

columnMask := {"expression": "mask_show_last(4)"} if {
	analyst_only
	input.action.resource.column.tableName == "accounts"
	input.action.resource.column.columnName == "card"
}

batch contains i if {
	some i
	input.action.operation != "FilterColumns"
	resource := input.action.filterResources[i]
	allow with input.action.resource as resource
}

batch contains i if {
	some i
	input.action.operation == "FilterColumns"
	whole := input.action.filterResources[0]
	name := whole.table.columns[i]
	allow with input.action.resource as {"table": object.union(whole.table, {"columns": [name]})}
}

batchColumnMasks contains {"index": i, "viewExpression": {"expression": "mask_show_last(4)"}} if {
	some i
	analyst_only
	column := input.action.filterResources[i].column
	column.tableName == "accounts"
	column.columnName == "card"
}
"""

BANK_CEDAR = """
@row_filter("region = 'EU'")
permit (principal in Role::"analyst", action == Action::"select", resource in Table::"lake.bank.accounts");

permit (
  principal in Role::"fraud",
  action in [Action::"select", Action::"update"],
  resource in Table::"lake.bank.accounts"
);

permit (principal in Role::"fraud", action == Action::"select", resource in Table::"lake.bank.payments");

permit (principal in Role::"auditor", action == Action::"select", resource in Schema::"lake.bank");

forbid (principal in Group::"suspended", action == Action::"select", resource in Table::"lake.bank.accounts");

forbid (principal in Role::"analyst", action == Action::"select", resource == Column::"lake.bank.accounts.owner")
unless { principal in Role::"fraud" || principal in Role::"auditor" };

@mask("mask_show_last(4)")
forbid (principal in Role::"analyst", action == Action::"select", resource == Column::"lake.bank.accounts.card")
unless { principal in Role::"fraud" || principal in Role::"auditor" };
"""


def written(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder
