"""Views with SECURITY DEFINER in other catalogs, with the grants in PostgreSQL: their record goes through the catalog."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from grants_bank import Bank, grants_bank, outcome
from postgres import Postgres, postgres_server

from dev.services.stack import Stack
from sqe.config import load
from sqe.engine.driver import Driver


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    yield from postgres_server()


CATALOGS = {
    "fixture": 'type = "rest"\nuri = "{fixture[iceberg]}"\nauth = "none"',
    "postgres": 'type = "jdbc"\nuri = "{postgres[jdbc]}"\nuser = "{postgres[user]}"\npassword = "{postgres[password]}"\n'
    'warehouse = "s3://lake/definers"',
}


@pytest.fixture(params=list(CATALOGS))
def bank(request: pytest.FixtureRequest, stack: Stack, driver: Driver, postgres: Postgres, tmp_path: Path) -> Iterator[Bank]:
    services = stack.up(["seaweedfs", request.param])
    store = services["seaweedfs"]
    (tmp_path / "sqe.toml").write_text(f"""
[storage]
s3_endpoint = "{store["s3"]}"
s3_region = "{store["region"]}"
s3_path_style = true
s3_access_key = "{store["access_key"]}"
s3_secret_key = "{store["secret_key"]}"

[catalog]
name = "lake"
{CATALOGS[request.param].format(**services)}
""")
    catalogs = load(tmp_path / "sqe.toml", {}).catalog_options()
    with grants_bank(driver, tmp_path, store=postgres.url, catalogs=catalogs) as bank:
        yield bank


def test_a_definers_view_keeps_its_word_in_any_catalog(bank: Bank) -> None:
    root, ann, bob = bank.person("root", "admin"), bank.person("ann", "analyst"), bank.person("bob", "reader")
    root.rows("CREATE SCHEMA IF NOT EXISTS definers")
    root.rows(
        "CREATE TABLE definers.accounts AS SELECT id, IF(id < 3, 'EU', 'US') AS region, 'DE1' || id AS iban FROM range(1, 5)"
    )
    root.rows(
        "GRANT SELECT ON definers.accounts TO ROLE analyst ROWS WHERE (region = 'EU') MASKED WITH (iban = mask_show_last(1))"
    )
    root.rows("GRANT CREATE ON SCHEMA definers TO USER ann")
    try:
        ann.rows("CREATE VIEW definers.eu SECURITY DEFINER AS SELECT id, iban FROM definers.accounts")
        assert outcome(bob, "SELECT * FROM definers.eu") == "TABLE_NOT_FOUND: line 1:15: Table definers.eu does not exist"
        ann.rows("GRANT SELECT ON definers.eu TO USER bob")
        assert bob.rows("SELECT * FROM definers.eu ORDER BY id") == [(1, "***1"), (2, "***2")]
        assert bob.rows("SHOW COLUMNS IN definers.eu") == [("id",), ("iban",)]
        assert bob.rows("SHOW TBLPROPERTIES definers.eu ('sqe.definer')")[0][1] != "ann"  # who it is, is not for its readers
        root.rows("REVOKE SELECT ON definers.accounts FROM ROLE analyst")
        assert str(outcome(bob, "SELECT * FROM definers.eu")).startswith("PERMISSION_DENIED")
    finally:
        root.rows("DROP SCHEMA definers CASCADE")
