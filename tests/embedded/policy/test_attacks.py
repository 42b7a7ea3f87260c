"""What a hostile analyst tries, with the exact rows or the exact refusal. Not one answer tells of what the policy keeps away."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from attack_changes import CHANGES
from attack_reads import READS
from attack_refusals import REFUSALS
from bank import SECRETS, Book, Person, analysts_policy, make_bank

from sqe.errors import SqeError


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


_ALL = [Variant(mode, version, partitioned) for mode in ("copy-on-write", "merge-on-read") for version in "23"
        for partitioned in (True, False)]  # fmt: skip
# The two that differ in everything; SQE_POLICY_VARIANTS=all runs the rest too.
_FEW = [Variant("copy-on-write", "2", True), Variant("merge-on-read", "3", False)]
VARIANTS = _ALL if os.environ.get("SQE_POLICY_VARIANTS") == "all" else _FEW


@pytest.fixture(scope="module", params=VARIANTS, ids=lambda variant: variant.schema)
def variant(request: pytest.FixtureRequest, admin: Person, analyst: Person, book: Book) -> Iterator[Variant]:
    chosen: Variant = request.param
    make_bank(admin, chosen.schema, chosen.mode, chosen.version, chosen.partitioned)
    analysts_policy(book, chosen.schema)
    analyst.session.forget_policies()
    admin.rows(f"ALTER TABLE {chosen.schema}.accounts CREATE TAG base")
    admin.rows(f"ALTER TABLE {chosen.schema}.accounts CREATE BRANCH side")
    admin.rows("CREATE SCHEMA IF NOT EXISTS closed")
    admin.rows("CREATE TABLE IF NOT EXISTS closed.t (a INT)")
    yield chosen
    admin.rows(f"DROP VIEW {chosen.schema}.deep_view")


def answer(person: Person, text: str) -> object:
    try:
        return _comparable(person.rows(text))
    except SqeError as error:
        return str(error)


def _comparable(rows: object) -> object:
    """Floats as far as the order of adding them up does not matter."""
    if isinstance(rows, float):
        return round(rows, 9)
    if isinstance(rows, (list, tuple)):
        return type(rows)(_comparable(item) for item in rows)
    return rows


def _unordered(rows: object, text: str) -> object:
    return sorted(rows, key=repr) if isinstance(rows, list) and "ORDER BY" not in text else rows


def leaked(found: object, text: str) -> list[str]:
    """Secrets in an answer that the statement did not bring itself."""

    def stands_in(secret: str, shown: str) -> bool:
        return bool(re.search(rf"\b{secret}\b", shown)) if secret.isalpha() else secret in shown

    return [secret for secret in SECRETS if stands_in(secret, str(found).lower()) and secret not in text.lower()]


@pytest.mark.parametrize("group", READS)
def test_rows_are_those_of_the_policy(analyst: Person, variant: Variant, group: str) -> None:
    wrong = []
    for template, expected in READS[group]:
        text = template.replace("{s}", variant.schema)
        found = answer(analyst, text)
        if _unordered(found, text) != _unordered(_comparable(expected), text) or leaked(found, text):
            wrong.append((text, found, expected))
    assert not wrong


@pytest.mark.parametrize("group", REFUSALS)
def test_refusals_tell_nothing(analyst: Person, variant: Variant, group: str) -> None:
    wrong = []
    for template, expected in REFUSALS[group]:
        text = template.replace("{s}", variant.schema)
        found = answer(analyst, text)
        if expected is None:  # shown, in a form that depends on the variant or on Spark's numbering
            fine = isinstance(found, list)
        elif isinstance(expected, str):
            fine = _without_place(found) == _without_place(expected.replace("{s}", variant.schema))
        else:
            rows = [
                tuple(item.replace("{s}", variant.schema) if isinstance(item, str) else item for item in row) for row in expected
            ]
            fine = _unordered(found, text) == _unordered(rows, text)
        if not fine or leaked(found, text):
            wrong.append((text, found, expected))
    assert not wrong


def _without_place(error: object) -> str:
    """The column in the text shifts with the length of the schema's name."""
    return re.sub(r"line \d+:\d+: ", "", str(error))


def test_what_is_denied_looks_like_what_is_missing(analyst: Person, variant: Variant) -> None:
    for template in (
        "SELECT * FROM {s}.vault", "SELECT 1 FROM {s}.vault.files", "SELECT * FROM {s}.vault VERSION AS OF 3",
        "INSERT INTO {s}.vault VALUES ('x')", "UPDATE {s}.vault SET gold = 1", "DELETE FROM {s}.vault WHERE gold = 1",
        "DROP TABLE {s}.vault", "TRUNCATE TABLE {s}.vault", "ALTER TABLE {s}.vault DROP COLUMN gold", "DESCRIBE {s}.vault",
        "SHOW CREATE TABLE {s}.vault", "ALTER TABLE {s}.vault CREATE BRANCH b", "CALL lake.system.expire_snapshots('{s}.vault')",
        "SHOW COLUMNS IN {s}.vault", "CREATE TABLE {s}.vault (a INT)", "ALTER TABLE {s}.vault ADD PARTITION FIELD gold",
        "SELECT * FROM {s}.vault.branch_main", "SELECT * FROM {s}.vault TIMESTAMP AS OF '1999-01-01'",
        "MERGE INTO {s}.vault USING (SELECT 1) ON true WHEN MATCHED THEN DELETE", "SHOW TBLPROPERTIES {s}.vault",
    ):  # fmt: skip
        text = template.replace("{s}", variant.schema)
        assert answer(analyst, text) == str(answer(analyst, text.replace("vault", "vaunt"))).replace("vaunt", "vault"), text
    for text in ("SHOW TABLES IN closed", "USE closed", "SHOW VIEWS IN closed", "DESCRIBE SCHEMA closed", "DROP SCHEMA closed"):
        assert answer(analyst, text) == str(answer(analyst, text.replace("closed", "clozed"))).replace("clozed", "closed"), text


def test_changes_touch_visible_rows_only(analyst: Person, admin: Person, variant: Variant) -> None:
    schema = variant.schema
    first = {table: admin.rows(f"SELECT snapshot_id FROM {schema}.{table}.snapshots ORDER BY committed_at")[0][0]
             for table in ("accounts", "regions")}  # fmt: skip
    invisible = admin.rows(f"SELECT * FROM {schema}.accounts WHERE region IS DISTINCT FROM 'EU' ORDER BY id")
    wrong = []
    for template, expected in CHANGES:
        text = template.replace("{s}", schema)
        admin.rows(f"ALTER TABLE {schema}.accounts CREATE OR REPLACE BRANCH side")
        found: object
        try:
            found = analyst.affected(text)
        except SqeError as error:
            found = str(error)
        changed = f"{schema}.accounts" + (".branch_side" if "branch_side" in text else "")
        kept = admin.rows(f"SELECT * FROM {changed} WHERE region IS DISTINCT FROM 'EU' ORDER BY id")
        hidden = admin.rows(
            f"SELECT DISTINCT substr(ssn, 1, 4), iban LIKE '**%' FROM {changed} WHERE region = 'EU' AND ssn IS NOT NULL"
        )
        same = (
            _without_place(found) == _without_place(expected.replace("{s}", schema))
            if isinstance(expected, str)
            else found == expected
        )
        if not same or kept != invisible or hidden not in ([("900-", False)], []) or leaked(found, text):
            wrong.append((text, found, expected, kept == invisible, hidden))
        if not isinstance(found, str):
            for table, snapshot in first.items():
                admin.rows(f"CALL lake.system.set_current_snapshot('{schema}.{table}', {snapshot})")
    assert not wrong
