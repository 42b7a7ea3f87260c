"""Views with SECURITY DEFINER: they show what their definer may see now, to whoever may read the view, and nothing more."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest
from bank import Person
from grants_bank import Bank, grants_bank, outcome

from sqe.engine.driver import Driver
from sqe.identity import Identity
from sqe.query.handler import QueryHandler
from sqe.sessions import Sessions

UNUSABLE = "PERMISSION_DENIED: View bank.{} needs more than you may see, or is broken"
NO_TABLE = "TABLE_NOT_FOUND: line 1:15: Table {} does not exist"


@dataclass
class People:
    bank: Bank
    root: Person
    ann: Person  # may see and use accounts of the EU, and makes views
    bob: Person  # may read what he is given, and makes views too


@pytest.fixture(scope="module")
def everybody(driver: Driver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[People]:
    with grants_bank(driver, tmp_path_factory.mktemp("definers")) as bank:
        people = People(bank, bank.person("root", "admin"), bank.person("ann", "analyst"), bank.person("bob", "reader"))
        yield people


@pytest.fixture
def people(everybody: People) -> People:
    """A new bank for each test."""
    root = everybody.root
    root.rows("CREATE SCHEMA IF NOT EXISTS bank")
    root.rows("DROP SCHEMA bank CASCADE")
    root.rows("CREATE SCHEMA bank")
    root.rows(
        """CREATE TABLE bank.accounts AS
        SELECT * FROM VALUES (1L, 'ann', 'EU', 10, 'DE11'), (2L, 'bob', 'EU', 20, 'FR22'), (3L, 'bob', 'US', 0, 'US33')
        AS t(id, owner, region, amount, iban)"""
    )
    root.rows("GRANT SELECT ON bank.accounts TO ROLE analyst ROWS WHERE (region = 'EU') MASKED WITH (iban = mask_show_last(2))")
    root.rows("GRANT CREATE ON SCHEMA bank TO USER ann, USER bob")
    everybody.bank.known.clear()
    return everybody


def test_a_definers_view_shows_what_its_definer_sees_to_who_may_read_it(people: People) -> None:
    people.ann.rows("CREATE VIEW bank.eu SECURITY DEFINER AS SELECT id, iban FROM bank.accounts")
    assert outcome(people.bob, "SELECT * FROM bank.eu") == NO_TABLE.format("bank.eu")
    people.ann.rows("GRANT SELECT ON bank.eu TO USER bob")
    assert people.bob.rows("SELECT * FROM bank.eu ORDER BY id") == [(1, "**11"), (2, "**22")]
    assert people.root.rows("SELECT id FROM bank.eu ORDER BY id") == [(1,), (2,)]  # for an administrator too: it is ann's view
    assert outcome(people.bob, "SELECT * FROM bank.accounts") == NO_TABLE.format("bank.accounts")
    # Joined with itself, in a subquery, under an aggregate.
    assert people.bob.rows("SELECT count(*) FROM bank.eu a JOIN bank.eu b ON a.id < b.id") == [(1,)]
    assert people.bob.rows("SELECT max(iban) FROM bank.eu WHERE id IN (SELECT id FROM bank.eu WHERE id > 1)") == [("**22",)]
    assert people.bob.rows("WITH v AS (SELECT * FROM bank.eu) SELECT id FROM v UNION SELECT id FROM v ORDER BY 1") == [(1,), (2,)]


def test_an_invokers_view_still_asks_for_its_readers_rights(people: People) -> None:
    for clause in ("", "SECURITY INVOKER"):
        people.ann.rows(f"CREATE OR REPLACE VIEW bank.plain {clause} AS SELECT id FROM bank.accounts")
        people.ann.rows("GRANT SELECT ON bank.plain TO USER bob")
        assert outcome(people.bob, "SELECT * FROM bank.plain") == UNUSABLE.format("plain")


def test_the_readers_own_policy_on_the_view_counts(people: People) -> None:
    people.ann.rows("CREATE VIEW bank.eu SECURITY DEFINER AS SELECT id, owner, iban FROM bank.accounts")
    people.ann.rows(
        "GRANT SELECT ON bank.eu TO USER bob ROWS WHERE (owner = current_user) MASKED WITH (iban = mask_null()) HIDING (owner)"
    )
    assert people.bob.rows("SELECT * FROM bank.eu") == [(2, None)]


def test_the_columns_of_a_view_are_shown_as_far_as_its_reader_may_know_them(people: People) -> None:
    people.ann.rows("CREATE VIEW bank.eu SECURITY DEFINER AS SELECT id, owner, iban FROM bank.accounts")
    assert people.ann.rows("SHOW COLUMNS IN bank.eu") == [("id",), ("owner",), ("iban",)]
    assert outcome(people.bob, "SHOW COLUMNS IN bank.eu") == "TABLE_NOT_FOUND: line 1:17: Table bank.eu does not exist"
    people.ann.rows("GRANT SELECT ON bank.eu TO USER bob HIDING (owner)")
    assert people.bob.rows("SHOW COLUMNS IN bank.eu") == [("id",), ("iban",)]
    assert people.bob.rows("DESCRIBE bank.eu IBAN") == [("col_name", "iban"), ("data_type", "string"), ("comment", "NULL")]
    refusals = [outcome(people.bob, f"DESCRIBE bank.eu {column}") for column in ("owner", "absent")]
    assert refusals == [f"COLUMN_NOT_FOUND: line 1:1: Column {column} does not exist" for column in ("owner", "absent")]


def test_a_definer_who_loses_rights_takes_them_from_the_view(people: People) -> None:
    people.ann.rows("CREATE VIEW bank.eu SECURITY DEFINER AS SELECT id FROM bank.accounts")
    people.ann.rows("GRANT SELECT ON bank.eu TO USER bob")
    assert people.bob.rows("SELECT count(*) FROM bank.eu") == [(2,)]
    people.root.rows("GRANT SELECT ON bank.accounts TO ROLE analyst ROWS WHERE (id = 1)")
    assert people.bob.rows("SELECT * FROM bank.eu") == [(1,)]
    people.root.rows("REVOKE SELECT ON bank.accounts FROM ROLE analyst")
    assert outcome(people.bob, "SELECT * FROM bank.eu") == UNUSABLE.format("eu")
    people.root.rows("GRANT SELECT ON bank.accounts TO USER bob")  # which does not help: it is ann's view
    assert outcome(people.bob, "SELECT * FROM bank.eu") == UNUSABLE.format("eu")


def test_a_definer_has_roles_that_were_recorded_and_are_still_held(people: People) -> None:
    people.ann.rows("CREATE VIEW bank.eu SECURITY DEFINER AS SELECT id FROM bank.accounts")
    people.ann.rows("GRANT SELECT ON bank.eu TO USER bob")
    people.bank.known["ann"] = Identity("ann", frozenset({"analyst", "admin"}))  # more than then
    assert people.bob.rows("SELECT count(*) FROM bank.eu") == [(2,)]
    people.bank.known["ann"] = Identity("ann")
    assert outcome(people.bob, "SELECT * FROM bank.eu") == UNUSABLE.format("eu")
    people.bank.known.clear()
    assert people.bob.rows("SELECT count(*) FROM bank.eu") == [(2,)]


def test_current_user_is_the_reader_in_the_view_and_the_definer_in_the_definers_policy(people: People) -> None:
    people.root.rows("GRANT SELECT ON bank.accounts TO ROLE analyst ROWS WHERE (owner = current_user)")
    people.ann.rows("CREATE VIEW bank.mine SECURITY DEFINER AS SELECT id, current_user AS who FROM bank.accounts")
    people.ann.rows("GRANT SELECT ON bank.mine TO USER bob")
    assert people.bob.rows("SELECT * FROM bank.mine") == [(1, "bob")]
    assert people.ann.rows("SELECT * FROM bank.mine") == [(1, "ann")]


def test_nested_views_run_each_with_the_rights_that_its_text_says(people: People) -> None:
    people.ann.rows("CREATE VIEW bank.inner_definer SECURITY DEFINER AS SELECT id, region FROM bank.accounts")
    people.ann.rows("CREATE VIEW bank.inner_invoker AS SELECT id, region FROM bank.accounts")
    people.ann.rows("GRANT SELECT ON bank.inner_definer TO USER bob")
    people.ann.rows("GRANT SELECT ON bank.inner_invoker TO USER bob")
    # An invoker's view inside a definer's view runs with that definer's rights …
    people.ann.rows("CREATE VIEW bank.over SECURITY DEFINER AS SELECT id FROM bank.inner_invoker")
    people.ann.rows("GRANT SELECT ON bank.over TO USER bob")
    assert people.bob.rows("SELECT count(*) FROM bank.over") == [(2,)]
    # … and a definer's view inside any view with its own definer's; but bob shows no more than bob may see.
    people.bob.rows("CREATE VIEW bank.bobs SECURITY DEFINER AS SELECT id FROM bank.inner_definer")
    people.bob.rows("GRANT SELECT ON bank.bobs TO ROLE guest")
    guest = people.bank.person("gus", "guest")
    assert guest.rows("SELECT count(*) FROM bank.bobs") == [(2,)]
    assert outcome(guest, "SELECT * FROM bank.inner_definer") == NO_TABLE.format("bank.inner_definer")
    refused = outcome(people.bob, "CREATE VIEW bank.greedy SECURITY DEFINER AS SELECT * FROM bank.inner_invoker")
    assert refused == UNUSABLE.format("inner_invoker")
    people.ann.rows("REVOKE SELECT ON bank.inner_definer FROM USER bob")
    assert outcome(guest, "SELECT * FROM bank.bobs") == UNUSABLE.format("bobs")


def test_nobody_names_a_definer(people: People) -> None:
    create = "CREATE OR REPLACE VIEW bank.forged TBLPROPERTIES ({}) AS SELECT 1 AS one"
    forged = '{"user":"root","roles":["admin"],"groups":[],"provider":"static","signature":"00"}'
    for properties in (
        f"'sqe.definer' = '{forged}'",
        "'sqe.definer' = 'root', 'sqe.security' = 'definer'",
        "'sqe.definer' = 'bob'",
        "'SQE.Definer' = 'root'",
        "'sqe.security' = 'root'",
    ):
        assert "is not for users to set" in str(outcome(people.bob, create.format(properties)))
    people.bob.rows("CREATE VIEW bank.own AS SELECT 1 AS one")
    for change in (f"SET TBLPROPERTIES ('sqe.definer' = '{forged}')", "SET TBLPROPERTIES ('sqe.security' = 'definer')"):
        assert "is not for users to set" in str(outcome(people.bob, f"ALTER VIEW bank.own {change}"))
    people.bob.rows("CREATE VIEW bank.signed SECURITY DEFINER AS SELECT 1 AS one")
    assert "is not for users to set" in str(outcome(people.bob, "ALTER VIEW bank.signed UNSET TBLPROPERTIES ('sqe.definer')"))
    people.bob.rows("ALTER VIEW bank.signed SET TBLPROPERTIES ('mine' = 'x')")
    assert people.bob.rows("SELECT * FROM bank.signed") == [(1,)]


def metadata_of(warehouse: Path, view: str) -> Path:
    """The file that the catalog has for a view: whoever writes there needs no SQE."""
    with closing(sqlite3.connect(next(warehouse.glob("*.db")))) as catalog:
        ((place,),) = catalog.execute("SELECT metadata_location FROM iceberg_tables WHERE table_name = ?", [view]).fetchall()
    return Path(unquote(urlparse(place).path))


def forged(view: dict[str, Any], genuine: dict[str, Any], forgery: str) -> None:
    """Makes bob's own view one that pretends."""
    text, record = view["versions"][0]["representations"][0], json.loads(view["properties"]["sqe.definer"])
    match forgery:
        case "another text":
            text["sql"] = "SELECT 2L AS id"
        case "another definer":
            record["user"] = "root"
        case "more roles":
            record["roles"] = ["admin"]
        case "another view's":
            record, text["sql"] = json.loads(genuine["properties"]["sqe.definer"]), "SELECT id FROM bank.accounts"
        case "no signature":
            del record["signature"]
    view["properties"]["sqe.definer"] = "{" if forgery == "no JSON" else json.dumps(record)


def test_a_record_that_sqe_did_not_write_is_not_believed(people: People) -> None:
    people.ann.rows("CREATE VIEW bank.genuine SECURITY DEFINER AS SELECT id FROM bank.accounts")
    warehouse = Path(people.bank.sessions._catalogs["lake"]["path"])
    genuine = json.loads(gzip.decompress(metadata_of(warehouse, "genuine").read_bytes()))
    for forgery in ("another text", "another definer", "more roles", "another view's", "no signature", "no JSON"):
        people.bob.rows("CREATE VIEW bank.bobs SECURITY DEFINER AS SELECT 1L AS id")
        file = metadata_of(warehouse, "bobs")
        view = json.loads(gzip.decompress(file.read_bytes()))
        forged(view, genuine, forgery)
        file.write_bytes(gzip.compress(json.dumps(view).encode()))
        file.with_name(f".{file.name}.crc").unlink()
        assert outcome(people.bob, "SELECT * FROM bank.bobs") == UNUSABLE.format("bobs"), forgery
        people.bob.rows("DROP VIEW bank.bobs")  # it can still be got rid of


def test_a_definers_view_is_read_and_nothing_else(people: People) -> None:
    people.ann.rows("CREATE VIEW bank.eu SECURITY DEFINER AS SELECT id, region FROM bank.accounts")
    people.ann.rows("GRANT ALL ON bank.eu TO USER bob")
    for change in (
        "INSERT INTO bank.eu VALUES (9, 'EU')",
        "UPDATE bank.eu SET region = 'EU'",
        "DELETE FROM bank.eu",
        "MERGE INTO bank.eu t USING (SELECT 1L AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "TRUNCATE TABLE bank.eu",
    ):
        refused = str(outcome(people.bob, change))
        assert refused.split(":")[0] in ("NOT_SUPPORTED", "PERMISSION_DENIED", "TABLE_NOT_FOUND", "SYNTAX_ERROR"), refused
        assert "accounts" not in refused
    assert people.root.rows("SELECT count(*) FROM bank.accounts") == [(3,)]
    people.ann.rows("REVOKE SELECT ON bank.eu FROM USER bob")
    assert outcome(people.bob, "SELECT * FROM bank.eu") == "PERMISSION_DENIED: You may not select from lake.bank.eu"
    with people.bank.handler.submit(people.ann.session, "SELECT id FROM bank.eu", door="test") as query:
        query.read_all()
        assert {"lake.bank.eu", "lake.bank.accounts"} <= {*query.touched.reads}


def test_a_server_without_a_policy_takes_the_record_from_a_view_that_it_replaces(
    people: People, handler: QueryHandler, driver: Driver
) -> None:
    people.root.rows("CREATE VIEW bank.boss SECURITY DEFINER AS SELECT id, iban FROM bank.accounts WHERE region = 'US'")
    people.root.rows("GRANT SELECT ON bank.boss TO USER bob")
    assert people.bob.rows("SELECT * FROM bank.boss") == [(3, "US33")]
    outside = Sessions(driver, people.bank.sessions._catalogs, "lake")
    writer = Person(handler, outside.open(Identity("bob")))
    # Without a policy it is a view like any other, and keeps its record only as long as its text.
    assert writer.rows("SELECT * FROM bank.boss") == [(3, "US33")]
    writer.rows("CREATE OR REPLACE VIEW bank.boss AS SELECT * FROM bank.accounts")
    assert outcome(people.bob, "SELECT * FROM bank.boss") == UNUSABLE.format("boss")
    outside.close_all()


def test_replacing_records_the_one_who_replaces_and_an_invokers_view_has_no_record(people: People) -> None:
    people.root.rows("CREATE VIEW bank.v SECURITY DEFINER AS SELECT id FROM bank.accounts")
    people.root.rows("GRANT SELECT, DROP, CREATE ON bank.v TO USER ann")
    people.root.rows("GRANT SELECT ON bank.v TO USER bob")
    assert people.bob.rows("SELECT count(*) FROM bank.v") == [(3,)]
    assert "PERMISSION_DENIED" in str(outcome(people.bob, "CREATE OR REPLACE VIEW bank.v SECURITY DEFINER AS SELECT 1 AS id"))
    people.ann.rows("CREATE OR REPLACE VIEW bank.v SECURITY DEFINER AS SELECT id FROM bank.accounts")
    people.ann.rows("GRANT SELECT ON bank.v TO USER bob")  # she owns it now, and who could read it before cannot
    assert people.bob.rows("SELECT count(*) FROM bank.v") == [(2,)]
    people.ann.rows("CREATE OR REPLACE VIEW bank.v AS SELECT id FROM bank.accounts")
    people.ann.rows("GRANT SELECT ON bank.v TO USER bob")
    assert outcome(people.bob, "SELECT * FROM bank.v") == UNUSABLE.format("v")
    assert "sqe." not in str(people.ann.rows("SHOW CREATE VIEW bank.v"))


def test_show_create_view_names_the_definer_and_runs_again(people: People) -> None:
    people.ann.rows("CREATE VIEW bank.eu SECURITY DEFINER TBLPROPERTIES ('why' = 'x') AS SELECT id FROM bank.accounts")
    ((text,),) = people.ann.rows("SHOW CREATE VIEW bank.eu")
    for part in ("'sqe.security' = 'definer'", "'sqe.definer' = 'ann'", "'why' = 'x'"):
        assert part in str(text)
    for part in ("signature", "analyst"):
        assert part not in str(text)
    assert "signature" not in str(people.ann.rows("DESCRIBE EXTENDED bank.eu")) + str(
        people.ann.rows("SHOW TBLPROPERTIES bank.eu")
    )
    people.ann.rows("DROP VIEW bank.eu")
    people.ann.rows(str(text))
    people.ann.rows("GRANT SELECT ON bank.eu TO USER bob")
    assert people.bob.rows("SELECT count(*) FROM bank.eu") == [(2,)]


def test_what_becomes_of_the_tables_below(people: People) -> None:
    people.ann.rows("CREATE VIEW bank.eu SECURITY DEFINER AS SELECT id FROM bank.accounts WHERE region = 'EU'")
    people.ann.rows("GRANT SELECT ON bank.eu TO USER bob")
    people.root.rows("ALTER TABLE bank.accounts RENAME TO bank.moved")
    assert outcome(people.bob, "SELECT * FROM bank.eu") == UNUSABLE.format("eu")
    people.root.rows("ALTER TABLE bank.moved RENAME TO bank.accounts")
    assert people.bob.rows("SELECT count(*) FROM bank.eu") == [(2,)]
    # A column that is gone is not one that the reader may bring.
    people.bob.rows("DECLARE VARIABLE region STRING DEFAULT 'EU'")
    people.root.rows("ALTER TABLE bank.accounts RENAME COLUMN region TO land")
    people.root.rows("GRANT SELECT ON bank.accounts TO ROLE analyst")
    assert outcome(people.bob, "SELECT * FROM bank.eu") == UNUSABLE.format("eu")
    people.root.rows("ALTER TABLE bank.accounts RENAME COLUMN land TO region")
    assert people.bob.rows("SELECT count(*) FROM bank.eu") == [(2,)]
    people.bob.rows("DROP TEMPORARY VARIABLE region")
    # Another table of the same name is not the one that the definer had rights on.
    people.root.rows("DROP TABLE bank.accounts")
    people.root.rows("CREATE TABLE bank.accounts AS SELECT 99L AS id, 'EU' AS region")
    assert outcome(people.bob, "SELECT * FROM bank.eu") == UNUSABLE.format("eu")


def test_a_row_filter_does_not_take_its_readers_variable_for_a_column(people: People) -> None:
    people.ann.rows("DECLARE VARIABLE region STRING DEFAULT 'EU'")
    people.root.rows("ALTER TABLE bank.accounts RENAME COLUMN region TO land")
    unusable = "PERMISSION_DENIED: The policy of lake.bank.accounts cannot be applied; an administrator has to look at it"
    assert outcome(people.ann, "SELECT id FROM bank.accounts") == unusable
    people.ann.rows("DROP TEMPORARY VARIABLE region")


def test_a_definers_view_tells_nothing_of_what_it_leaves_out(people: People) -> None:
    people.root.rows("CREATE VIEW bank.eu SECURITY DEFINER AS SELECT id, amount FROM bank.accounts WHERE region = 'EU'")
    people.root.rows("GRANT SELECT ON bank.eu TO USER bob")
    assert people.bob.rows("SELECT id FROM bank.eu WHERE 100 / amount > 5 ORDER BY id") == [(1,)]  # row 3 has 0
    for text in ("SELECT _file FROM bank.eu", "SELECT * FROM bank.eu.files", "SELECT region FROM bank.eu"):
        assert isinstance(outcome(people.bob, text), str), text
    plan = str(people.bob.rows("EXPLAIN EXTENDED SELECT id FROM bank.eu"))
    assert "bank.eu" in plan
    for part in ("accounts", "'EU'", "= EU"):
        assert part not in plan
    assert "EXPLAIN ANALYZE is not allowed" in str(outcome(people.bob, "EXPLAIN ANALYZE SELECT id FROM bank.eu"))
    people.bob.rows("SET time_zone = 'Asia/Tokyo'")
    people.root.rows("CREATE VIEW bank.day SECURITY DEFINER AS SELECT date(TIMESTAMP '2026-01-01 20:00:00 UTC') AS day")
    people.root.rows("GRANT SELECT ON bank.day TO USER bob")
    assert str(people.bob.rows("SELECT * FROM bank.day")) == "[(datetime.date(2026, 1, 1),)]"
    people.bob.rows("RESET time_zone")


def test_a_definers_view_keeps_its_name(people: People) -> None:
    people.ann.rows("CREATE VIEW bank.eu SECURITY DEFINER AS SELECT id FROM bank.accounts")
    refused = outcome(people.ann, "ALTER VIEW bank.eu RENAME TO bank.other")
    assert refused == "NOT_SUPPORTED: A view with SECURITY DEFINER keeps its name; make it anew under the other one"


def test_it_is_refused_where_there_is_no_policy_or_no_key(
    people: People, driver: Driver, handler: QueryHandler, sessions: Sessions, tmp_path_factory: pytest.TempPathFactory
) -> None:
    free = Person(handler, sessions.open(Identity("free")))
    create = "CREATE VIEW v SECURITY DEFINER AS SELECT 1 AS one"
    assert outcome(free, create) == "NOT_SUPPORTED: SECURITY DEFINER is not available: this server has no policy"
    free.rows("CREATE VIEW w SECURITY INVOKER AS SELECT 1 AS one")
    with grants_bank(driver, tmp_path_factory.mktemp("keyless"), mask_key=None) as keyless:
        root = keyless.person("root", "admin")
        assert outcome(root, create) == "NOT_SUPPORTED: SECURITY DEFINER is not available: this server has no policy.mask_key"


def test_views_that_lead_to_each_other_end(people: People) -> None:
    people.ann.rows("CREATE VIEW bank.one SECURITY DEFINER AS SELECT 1 AS id")
    people.ann.rows("CREATE VIEW bank.two SECURITY DEFINER AS SELECT id FROM bank.one")
    refused = outcome(people.ann, "CREATE OR REPLACE VIEW bank.one SECURITY DEFINER AS SELECT id FROM bank.two")
    assert "SYNTAX" not in str(refused)
    assert isinstance(refused, str)
