"""EXPLAIN works for everybody. What binds somebody is never in it; its text is for owners and administrators to look up."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bank import Person
from grants_bank import Bank, grants_bank, outcome

from sqe.engine.driver import Driver

TABLE = "vault.accounts"
# What stands only in the policy and in rows that it withholds.
FILTER, MASK, HIDDEN = "XFILTERED", "XMASKED", "secret_name"


@pytest.fixture(scope="module")
def bank(driver: Driver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    with grants_bank(driver, tmp_path_factory.mktemp("explain")) as bank:
        yield bank


@pytest.fixture(scope="module")
def owner(bank: Bank) -> Person:
    root, owner = bank.person("root", "admin"), bank.person("olga")
    root.rows("CREATE SCHEMA vault")
    root.rows("GRANT CREATE ON SCHEMA vault TO USER olga")
    owner.rows(f"CREATE TABLE {TABLE} AS SELECT 1L AS id, 'EU' AS region, 'x' AS code, 'y' AS {HIDDEN}")
    owner.rows(
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON {TABLE} TO USER ann ROWS WHERE (region <> '{FILTER}') "
        f"MASKED WITH (code = concat('{MASK}', id)) HIDING ({HIDDEN})"
    )
    owner.rows(f"GRANT SELECT ON {TABLE} TO USER zoe ROWS WHERE (region <> 'XOTHERS')")
    return owner


STATEMENTS = [
    f"SELECT * FROM {TABLE}",
    f"SELECT count(*) FROM {TABLE} WHERE id = 1 AND code LIKE 'a%'",
    f"SELECT a.id FROM {TABLE} a JOIN {TABLE} b ON a.id = b.id WHERE a.region = 'EU'",
    f"SELECT id FROM (VALUES (1L), (2L)) t(id) WHERE id IN (SELECT id FROM {TABLE})",
    f"SELECT * FROM {TABLE} VERSION AS OF 'main'",
    f"INSERT INTO {TABLE} (id, region) VALUES (2, 'EU')",
    f"UPDATE {TABLE} SET region = 'EU' WHERE id = 1",
    f"DELETE FROM {TABLE} WHERE id = 1",
    f"MERGE INTO {TABLE} t USING (SELECT 1L AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
]


@pytest.mark.parametrize("kind", ["", "EXTENDED", "FORMATTED", "COST", "CODEGEN"])
def test_explain_shows_nothing_of_the_policy_to_whom_it_binds(bank: Bank, owner: Person, kind: str) -> None:
    ann = bank.person("ann")
    for statement in STATEMENTS:
        ((plan,),) = ann.rows(f"EXPLAIN {kind} {statement}")
        for word in (FILTER, MASK, HIDDEN, "XOTHERS"):
            assert word.lower() not in str(plan).lower(), (statement, plan)
        assert "accounts" in str(plan) or kind == "CODEGEN", statement


def test_owners_and_administrators_are_shown_their_own_plans_and_the_text_that_binds_others(bank: Bank, owner: Person) -> None:
    for person in (owner, bank.person("root", "admin")):
        assert "BatchScan" in str(person.rows(f"EXPLAIN SELECT * FROM {TABLE}"))
        assert "1 rows in" in str(person.rows(f"EXPLAIN ANALYZE SELECT * FROM {TABLE}"))
        shown = person.rows(f"SHOW EFFECTIVE POLICY FOR USER ann ON {TABLE}")
        assert ("row filter", None, f"region <> '{FILTER}'") in shown
        assert ("mask", "code", f"concat('{MASK}', id)") in shown
        assert ("hidden", HIDDEN, None) in shown
        assert FILTER in str(person.rows(f"SHOW GRANTS ON {TABLE}"))


def test_who_is_bound_learns_that_there_is_a_policy_and_not_what_it_says(bank: Bank, owner: Person) -> None:
    ann = bank.person("ann")
    shown = ann.rows(f"SHOW EFFECTIVE POLICY ON {TABLE}")
    assert [row[0] for row in shown] == ["action"] * 4 + ["row filter", "mask"]
    told = f"{shown} {ann.rows('SHOW GRANTS')} {ann.rows(f'SHOW GRANTS ON {TABLE}')}"
    told += str(outcome(ann, f"SHOW EFFECTIVE POLICY FOR USER zoe ON {TABLE}")) + str(outcome(ann, "SHOW GRANTS TO USER zoe"))
    told += str(outcome(ann, f"EXPLAIN ANALYZE SELECT * FROM {TABLE}"))
    for word in (FILTER, MASK, HIDDEN, "XOTHERS"):
        assert word not in told
    assert "EXPLAIN ANALYZE is not allowed" in told
