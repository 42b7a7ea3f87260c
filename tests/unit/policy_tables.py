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


# The examples of the documentation.
DOCS = Path(__file__).parents[2] / "docs" / "policy"
BANK_REGO = (DOCS / "bank.rego").read_text(encoding="utf-8")

BANK_CEDAR = (DOCS / "bank.cedar").read_text(encoding="utf-8")


def written(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder
