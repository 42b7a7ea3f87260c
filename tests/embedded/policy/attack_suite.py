"""The attacks as one suite: what is run, and what is wrong with an answer. How statements reach a server is the caller's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import pyarrow as pa
from attack_changes import CHANGES
from attack_reads import READS
from attack_refusals import REFUSALS
from attack_surfaces import SURFACES
from bank import SECRETS, Runs, make_bank, tuples

from sqe.errors import SqeError

GROUPS = (*READS, *REFUSALS, *SURFACES)


class Refusal(Exception):
    """What a client was told instead of rows: `CODE: sentence [hint]`."""


class Attacker(Protocol):
    """Somebody who runs statements, in this process or over the network."""

    def table(self, text: str) -> pa.Table: ...

    def affected(self, text: str) -> int | None: ...


@dataclass(frozen=True)
class Variant:
    """How the attacked table is stored."""

    mode: str
    version: str
    partitioned: bool

    @property
    def schema(self) -> str:
        layout = "by_region" if self.partitioned else "plain"
        return f"{self.mode.replace('-', '_')}_{self.version}_{layout}"


VARIANTS = [Variant(mode, version, partitioned) for mode in ("copy-on-write", "merge-on-read") for version in "23"
            for partitioned in (True, False)]  # fmt: skip


def prepare_variant(admin: Runs, variant: Variant) -> None:
    """The tables that the attacks are on, before anybody has rights on them."""
    make_bank(admin, variant.schema, variant.mode, variant.version, variant.partitioned)
    admin.rows(f"ALTER TABLE {variant.schema}.accounts CREATE OR REPLACE TAG base")
    admin.rows(f"ALTER TABLE {variant.schema}.accounts CREATE OR REPLACE BRANCH side")
    admin.rows("CREATE SCHEMA IF NOT EXISTS closed")
    admin.rows("CREATE TABLE IF NOT EXISTS closed.t (a INT)")


@dataclass
class Found:
    """What an attack brought: rows and their columns' names, or the refusal."""

    rows: list[tuple[object, ...]] | None = None
    names: Sequence[str] = ()
    refusal: str | None = None

    @property
    def answer(self) -> object:
        return self.rows if self.refusal is None else self.refusal


@dataclass
class Report:
    """How a run of the suite went."""

    statements: int = 0
    wrong: list[tuple[object, ...]] = field(default_factory=list)
    leaks: list[tuple[str, list[str]]] = field(default_factory=list)

    def add(self, other: Report) -> None:
        self.statements += other.statements
        self.wrong += other.wrong
        self.leaks += other.leaks


def attempt(person: Attacker, text: str) -> Found:
    try:
        table = person.table(text)
    except (SqeError, Refusal) as refused:
        return Found(refusal=str(refused))
    return Found(tuples(table), table.column_names)


def leaked(found: object, text: str) -> list[str]:
    """Secrets in an answer that the statement did not bring itself."""

    def stands_in(secret: str, shown: str) -> bool:
        return bool(re.search(rf"\b{secret}\b", shown)) if secret.isalpha() else secret in shown

    brought = text.lower().replace("||", "concat")  # Spark's name of it, in the names of columns
    # In plans Spark counts its expressions and exchanges, and logs have random ids: any four digits are in one of a thousand.
    shown = re.sub(r"#\d+|plan_id=\d+|\b[0-9a-f]{16,}\b", "", str(found).lower())
    return [secret for secret in SECRETS if stands_in(secret, shown) and secret not in brought]


def run_group(person: Attacker, schema: str, group: str) -> Report:
    report = Report()
    for template, expected in READS.get(group) or REFUSALS.get(group) or SURFACES[group]:
        text = template.replace("{s}", schema).replace("{S}", schema.upper())
        found = attempt(person, text)
        report.statements += 1
        if not _as_expected(found, _in_schema(expected, schema), text):
            report.wrong.append((text, found.answer, expected))
        if secrets := leaked((found.answer, found.names), text):
            report.leaks.append((text, secrets))
    return report


def _as_expected(found: Found, expected: object, text: str) -> bool:
    if expected is None:  # shown, in a form that depends on the variant or on Spark's numbering
        return found.refusal is None
    if isinstance(expected, str):
        told, meant = without_place(found.answer), without_place(expected)
        # "…": why not is the server's settings, where they forbid it to everybody.
        return told.startswith(meant[:-1]) if meant.endswith("…") else told == meant
    return _unordered(_comparable(found.answer), text) == _unordered(_comparable(expected), text)


def _in_schema(expected: object, schema: str) -> object:
    if isinstance(expected, str):
        return expected.replace("{s}", schema).replace("{S}", schema.upper())
    if isinstance(expected, (list, tuple)):
        return type(expected)(_in_schema(item, schema) for item in expected)
    return expected


def _comparable(rows: object) -> object:
    """Floats as far as the order of adding them up does not matter."""
    if isinstance(rows, float):
        return round(rows, 9)
    if isinstance(rows, (list, tuple)):
        return type(rows)(_comparable(item) for item in rows)
    return rows


def _unordered(rows: object, text: str) -> object:
    return sorted(rows, key=repr) if isinstance(rows, list) and "ORDER BY" not in text else rows


def without_place(error: object) -> str:
    """The column in the text shifts with the length of the schema's name."""
    return re.sub(r"line \d+:\d+: ", "", str(error))


# Denied and missing.

_OF_THE_VAULT = (
    "SELECT * FROM {s}.vault", "SELECT 1 FROM {s}.vault.files", "SELECT * FROM {s}.vault VERSION AS OF 3",
    "INSERT INTO {s}.vault VALUES ('x')", "UPDATE {s}.vault SET gold = 1", "DELETE FROM {s}.vault WHERE gold = 1",
    "DROP TABLE {s}.vault", "TRUNCATE TABLE {s}.vault", "ALTER TABLE {s}.vault DROP COLUMN gold", "DESCRIBE {s}.vault",
    "SHOW CREATE TABLE {s}.vault", "ALTER TABLE {s}.vault CREATE BRANCH b", "CALL lake.system.expire_snapshots('{s}.vault')",
    "SHOW COLUMNS IN {s}.vault", "CREATE TABLE {s}.vault (a INT)", "ALTER TABLE {s}.vault ADD PARTITION FIELD gold",
    "SELECT * FROM {s}.vault.branch_main", "SELECT * FROM {s}.vault TIMESTAMP AS OF '1999-01-01'",
    "MERGE INTO {s}.vault USING (SELECT 1) ON true WHEN MATCHED THEN DELETE", "SHOW TBLPROPERTIES {s}.vault",
    'SELECT * FROM {s}."vault$files"', 'SELECT * FROM {s}."vault$properties"', 'SELECT * FROM {s}."VAULT$Column_Stats"',
    "SHOW STATS FOR {s}.vault", "CALL lake.system.table_health('{s}.vault')", "SELECT * FROM {s}.Vault.changes",
    "COMMENT ON TABLE {s}.vault IS 'x'", "ALTER TABLE {s}.vault EXECUTE optimize", "CREATE TABLE {s}.mine LIKE {s}.vault",
    "SHOW CREATE VIEW {s}.vault", "EXPLAIN ANALYZE SELECT * FROM {s}.vault", "SHOW GRANTS ON {s}.vault",
    "SHOW EFFECTIVE POLICY ON {s}.vault", "GRANT SELECT ON {s}.vault TO USER ann",
)  # fmt: skip
_OF_CLOSED = (
    "SHOW TABLES IN closed", "USE closed", "SHOW VIEWS IN closed", "DESCRIBE SCHEMA closed", "DROP SCHEMA closed",
    "DROP SCHEMA closed CASCADE", "SELECT * FROM closed.t", "SHOW GRANTS ON SCHEMA closed",
    "SELECT count(*) AS n FROM information_schema.schemata WHERE schema_name = 'closed'",
)  # fmt: skip


def run_missing(person: Attacker, schema: str) -> Report:
    """What is denied looks like what is missing."""
    report = Report()
    of_vault = [template.replace("{s}", schema) for template in _OF_THE_VAULT]
    for hidden, missing, texts in (("vault", "vaunt", of_vault), ("closed", "clozed", _OF_CLOSED)):
        for text in texts:
            denied = str(attempt(person, text).answer)
            other = re.sub(hidden, missing, text, flags=re.IGNORECASE)
            absent = str(attempt(person, other).answer)
            report.statements += 2
            if denied.lower() != absent.lower().replace(missing, hidden):
                report.wrong.append((text, denied, absent))
            if secrets := leaked(denied, text):
                report.leaks.append((text, secrets))
    return report


# Changes.


def run_changes(person: Attacker, admin: Attacker, schema: str) -> Report:
    """Rows that one does not see never change. What must change nothing is run first, and looked at once."""
    changing = [(text, expected) for text, expected in CHANGES if isinstance(expected, int) and expected > 0]
    changes = _Changes(person, admin, schema)
    for template, expected in CHANGES:
        if (template, expected) not in changing:
            changes.attempt(template, expected)
    changes.nothing_changed()
    for template, expected in changing:
        changes.attempt(template, expected)
        changes.only_visible_rows_changed(template)
        changes.undo(template)
    changes.nothing_changed()
    return changes.report


class _Changes:
    def __init__(self, person: Attacker, admin: Attacker, schema: str) -> None:
        self.report = Report()
        self._person, self._admin, self._schema = person, admin, schema
        self._tables = ("accounts", "regions", "accounts.branch_side")
        self._before = {table: self._rows(table) for table in self._tables}
        self._snapshots = {
            table: tuples(admin.table(f"SELECT snapshot_id FROM {schema}.{table}.snapshots ORDER BY committed_at"))[0][0]
            for table in ("accounts", "regions")
        }

    def attempt(self, template: str, expected: object) -> None:
        text = template.replace("{s}", self._schema)
        found: object
        try:
            found = self._person.affected(text)
        except (SqeError, Refusal) as refused:
            found = str(refused)
        self.report.statements += 1
        if without_place(found) != without_place(_in_schema(expected, self._schema)):
            self.report.wrong.append((text, found, expected))
        if secrets := leaked(found, text):
            self.report.leaks.append((text, secrets))

    def nothing_changed(self) -> None:
        for table, before in self._before.items():
            if self._rows(table) != before:
                self.report.wrong.append((table, "has changed"))

    def only_visible_rows_changed(self, template: str) -> None:
        """Others' rows are as they were, hidden values are those of before or none, masks are not written back."""
        if self._target(template) == "regions":
            return
        table = "accounts.branch_side" if "branch_side" in template else "accounts"
        rows = self._rows(table)
        region, iban, ssn = 2, 4, 5
        invisible = [row for row in self._before["accounts"] if row[region] != "EU"]
        visible = [row for row in rows if row[region] == "EU"]
        if [row for row in rows if row[region] != "EU"] != invisible:
            self.report.wrong.append((template, "changed invisible rows"))
        if any(not str(row[ssn]).startswith("900-") for row in visible if row[ssn] is not None):
            self.report.wrong.append((template, "changed a hidden column"))
        if any(str(row[iban]).startswith("**") for row in visible if row[iban] is not None):
            self.report.wrong.append((template, "wrote a masked value"))

    def undo(self, template: str) -> None:
        if "branch_side" in template:
            self._admin.table(f"ALTER TABLE {self._schema}.accounts CREATE OR REPLACE BRANCH side")
            return
        table = self._target(template)
        self._admin.table(f"CALL lake.system.set_current_snapshot('{self._schema}.{table}', {self._snapshots[table]})")

    def _target(self, template: str) -> str:
        changed = re.search(r"(?:INTO|UPDATE|DELETE FROM) (?:IDENTIFIER\(')?(?:lake\.)?\{s\}\.(\w+)", template)
        assert changed is not None
        return changed[1]

    def _rows(self, table: str) -> list[tuple[object, ...]]:
        return sorted(tuples(self._admin.table(f"SELECT * FROM {self._schema}.{table}")), key=repr)


def run_all(person: Attacker, admin: Attacker, schema: str, groups: Iterable[str] = GROUPS) -> Report:
    report = Report()
    for group in groups:
        report.add(run_group(person, schema, group))
    report.add(run_missing(person, schema))
    report.add(run_changes(person, admin, schema))
    return report
