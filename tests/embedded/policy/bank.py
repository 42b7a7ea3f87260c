"""A bank's tables, who may see what of them, and a way to run statements as somebody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import pyarrow as pa

from sqe.identity import Identity
from sqe.policy.contract import TablePolicy
from sqe.query.handler import QueryHandler
from sqe.session import Session

ALL = frozenset({"select", "insert", "update", "delete", "alter", "drop", "create", "maintain"})
DML = frozenset({"select", "insert", "update", "delete"})

# Rows that the analyst never sees hold what would betray them: zeros to divide by, texts that are no numbers, marked words.
COLUMNS = """
    id BIGINT, owner STRING, region STRING, balance DECIMAL(12,2), iban STRING, ssn STRING, note STRING,
    divisor INT, digits STRING, opened DATE, tags ARRAY<STRING>, place STRUCT<city: STRING, zip: STRING>
"""
ROWS = """
    (1L, 'ann', 'EU', 100.00, 'DE001111', '900-11', 'plain one', 1, '11', DATE '2024-01-01', array('a', 'b'),
        struct('Rome', '1')),
    (2L, 'bob', 'EU', 250.50, 'FR002222', '900-22', 'plain two', 2, '22', DATE '2024-02-01', array('b', 'c'),
        struct('Oslo', '2')),
    (3L, 'cyd', 'EU', -30.25, 'IT003333', '900-33', NULL, 3, '33', DATE '2024-03-01', array('c', 'd'), struct('Bern', '3')),
    (4L, 'dan', 'US', 990.00, 'US994444', '999-44', 'XSECRET four', 0, 'xx', DATE '2031-01-01', array(), struct('XCITY', 'X4')),
    (5L, 'eve', 'US', 995.00, 'US995555', '999-55', 'XSECRET five', 0, 'yy', DATE '2031-02-01', array(), struct('XCITY', 'X5')),
    (6L, 'fay', NULL, 999.00, 'XX996666', '999-66', 'XSECRET six', 0, 'zz', DATE '2031-03-01', NULL, NULL)
"""
# No answer or error may hold one of these: they stand only in rows, values and policies that the analyst must not see.
SECRETS = (
    "xsecret", "xcity", "ssn", "900-", "999-", "de0011", "fr0022", "it0033", "us99", "xx99", "990.00", "995.00", "999.00",
    "2031", "vault", "de001111", "concat", "right(", "right ("
)  # fmt: skip

VIEWS = ("open_view", "hidden_view", "deep_view", "regions_view")

ANALYST = Identity("ann", roles=frozenset({"analyst"}), groups=frozenset({"eu"}))


def tuples(table: pa.Table) -> list[tuple[object, ...]]:
    """By position: two columns may have one name."""
    columns = [column.to_pylist(maps_as_pydicts="strict") for column in table.columns]
    return list(zip(*columns, strict=True))


@dataclass
class Book:
    """Decisions by hand: for everybody the same ones, by the table's name; a table that is not in it is denied."""

    policies: dict[str, TablePolicy] = field(default_factory=dict)
    asked: list[Sequence[str]] = field(default_factory=list)
    edition: str = "first"

    def decide(self, identity: Identity, tables: Sequence[str]) -> Sequence[TablePolicy]:
        self.asked.append(tuple(tables))
        return [self.policies.get(table) or _policy(table, frozenset()) for table in tables]

    def version(self) -> str:
        return self.edition

    def allow(
        self,
        table: str,
        actions: frozenset[str] = DML,
        rows: str | None = None,
        masks: Mapping[str, str] | None = None,
        hidden: frozenset[str] = frozenset(),
    ) -> None:
        self.policies[table] = _policy(table, actions, rows, masks or {}, hidden)


def _policy(
    table: str,
    actions: frozenset[str],
    rows: str | None = None,
    masks: Mapping[str, str] | None = None,
    hidden: frozenset[str] = frozenset(),
) -> TablePolicy:
    return TablePolicy(table, actions, rows, masks or {}, hidden)


class Runs(Protocol):
    def rows(self, text: str) -> list[tuple[object, ...]]: ...


@dataclass
class Person:
    """Somebody with a session; runs statements and gives their rows as tuples."""

    handler: QueryHandler
    session: Session

    def table(self, text: str) -> pa.Table:
        with self.handler.submit(self.session, text, door="test") as query:
            return query.read_all()

    def rows(self, text: str) -> list[tuple[object, ...]]:
        return tuples(self.table(text))

    def affected(self, text: str) -> int | None:
        with self.handler.submit(self.session, text, door="test") as query:
            query.read_all()
            return query.affected_rows


def make_bank(admin: Runs, schema: str, mode: str = "copy-on-write", version: str = "2", partitioned: bool = True) -> None:
    """`accounts` as described, `regions` without restrictions, `vault` that nobody sees, `entitled` that policies look into."""
    modes = ", ".join(f"'write.{what}.mode'='{mode}'" for what in ("delete", "update", "merge"))
    admin.rows(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    parts = "PARTITIONED BY (region)" if partitioned else ""
    admin.rows(
        f"CREATE OR REPLACE TABLE {schema}.accounts ({COLUMNS}) {parts} TBLPROPERTIES ('format-version'='{version}', {modes})"
    )
    admin.rows(f"INSERT INTO {schema}.accounts VALUES {ROWS}")
    admin.rows(f"CREATE OR REPLACE TABLE {schema}.regions (region STRING, label STRING)")
    admin.rows(f"INSERT INTO {schema}.regions VALUES ('EU', 'Europe'), ('US', 'America')")
    admin.rows(f"CREATE OR REPLACE TABLE {schema}.vault AS SELECT 'XSECRET vault' AS gold")
    admin.rows(f"CREATE OR REPLACE TABLE {schema}.entitled AS SELECT 'ann' AS who, 'EU' AS region")
    admin.rows(f"CREATE OR REPLACE VIEW {schema}.open_view AS SELECT id, region, iban FROM {schema}.accounts")
    admin.rows(f"CREATE OR REPLACE VIEW {schema}.hidden_view AS SELECT id, ssn FROM {schema}.accounts")
    admin.rows(f"CREATE OR REPLACE VIEW {schema}.deep_view AS SELECT gold FROM {schema}.vault")
    admin.rows(f"CREATE OR REPLACE VIEW {schema}.regions_view AS SELECT label FROM {schema}.regions")
    admin.rows(f"CREATE OR REPLACE TABLE {schema}.\"odd$name\" AS SELECT 'XSECRET odd' AS gold")


def analysts_policy(book: Book, schema: str) -> None:
    """The analyst sees accounts of the EU, ibans by their last two letters and no ssn; may write accounts."""
    book.allow(
        f"lake.{schema}.accounts",
        rows="region = 'EU'",
        masks={"iban": "concat('**', right(iban, 2))"},
        hidden=frozenset({"ssn"}),
    )
    book.allow(f"lake.{schema}.regions", ALL)
    for view in VIEWS:
        book.allow(f"lake.{schema}.{view}", frozenset({"select"}))
    book.allow("lake.play", frozenset({"create", "drop", "alter", "select"}))
