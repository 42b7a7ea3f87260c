"""How decisions reach the engine, what they may say, and that every way to the engine obeys them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pyarrow as pa
import pytest
from bank import ALL, ANALYST, DML, VIEWS, Book, Person, analysts_policy, make_bank

from sqe.engine.driver import Driver
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.policy.contract import TablePolicy
from sqe.query.handler import QueryHandler
from sqe.query.ingest import IngestMode, TableName
from sqe.sessions import Sessions


@pytest.fixture(autouse=True, scope="module")
def _bank(admin: Person) -> None:
    make_bank(admin, "bank")


@pytest.fixture(autouse=True)
def _policy(book: Book, analyst: Person) -> None:
    book.policies.clear()
    analysts_policy(book, "bank")
    book.asked.clear()
    analyst.session.forget_policies()


@pytest.fixture
def fresh(handler: QueryHandler, bound: Sessions, book: Book) -> Person:
    """A session that nothing was decided for."""
    book.asked.clear()
    return Person(handler, bound.open(ANALYST))


def refusal(run: Callable[[], object]) -> str:
    with pytest.raises(SqeError) as failure:
        run()
    return str(failure.value)


def visible(person: Person, table: str = "bank.accounts") -> list[object]:
    return [row[0] for row in person.rows(f"SELECT id FROM {table} ORDER BY id")]


# Rounds.


def test_all_tables_of_a_statement_are_decided_in_one_round(fresh: Person, book: Book) -> None:
    fresh.rows(
        "WITH c AS (SELECT id FROM bank.accounts) SELECT 1 FROM c JOIN bank.regions r ON EXISTS "
        "(SELECT 1 FROM bank.open_view v WHERE v.id = c.id) WHERE r.region IN (SELECT region FROM bank.regions.branch_main)"
    )
    assert sorted(book.asked[0]) == ["lake.bank.accounts", "lake.bank.open_view", "lake.bank.regions"]
    assert len(book.asked) == 1
    fresh.rows("SELECT 1 FROM bank.accounts, bank.regions LIMIT 1")
    assert len(book.asked) == 1


def test_a_views_tables_are_decided_in_a_second_round(fresh: Person, book: Book) -> None:
    assert len(fresh.rows("SELECT * FROM bank.open_view")) == 3
    assert book.asked == [("lake.bank.open_view",), ("lake.bank.accounts",)]


def test_many_schemas_within_schemas_are_decided_in_few_rounds(
    fresh: Person, admin: Person, handler: QueryHandler, book: Book
) -> None:
    """More of them than there are rounds that may bring nothing new."""
    for number in range(20):
        admin.rows(f"CREATE SCHEMA outer{number}")
        admin.rows(f"CREATE SCHEMA outer{number}.inside")
        admin.rows(f"CREATE TABLE outer{number}.inside.t (a INT)")
        book.allow(f"lake.outer{number}.inside.t")
        book.allow(f"lake.outer{number}", frozenset({"select"}))
    assert ("lake", "outer19.inside") in handler.schemas(fresh.session)
    assert len(book.asked) < 8
    assert fresh.rows("SELECT count(*) FROM information_schema.schemata WHERE schema_name LIKE '%inside'") == [(20,)]
    for number in range(20):
        admin.rows(f"DROP SCHEMA outer{number} CASCADE")


def test_the_first_statement_of_a_session_may_be_about_a_view(fresh: Person) -> None:
    told = refusal(lambda: fresh.rows("ALTER VIEW bank.open_view SET TBLPROPERTIES ('a' = 'b')"))
    assert told == "PERMISSION_DENIED: You may not alter lake.bank.open_view"


def test_an_insert_is_decided_before_it_runs(fresh: Person, admin: Person, book: Book) -> None:
    before = admin.rows("SELECT count(*) FROM bank.regions.snapshots")
    fresh.rows("INSERT INTO bank.regions SELECT region, 'x' FROM bank.accounts WHERE id = 1")
    assert sorted(book.asked[0]) == ["lake.bank.accounts", "lake.bank.regions"]
    assert admin.rows("SELECT count(*) FROM bank.regions.snapshots") == [(before[0][0] + 1,)]
    admin.rows("DELETE FROM bank.regions WHERE label = 'x'")


def test_a_change_of_the_policy_is_seen_by_the_next_statement(analyst: Person, book: Book) -> None:
    assert visible(analyst) == [1, 2, 3]
    book.allow("lake.bank.accounts", rows="id > 4")
    assert visible(analyst) == [1, 2, 3]  # nobody said that it changed
    book.edition = "second"
    assert visible(analyst) == [5, 6]
    del book.policies["lake.bank.accounts"]
    analyst.session.forget_policies()
    assert "TABLE_NOT_FOUND" in refusal(lambda: visible(analyst))


def test_a_decision_for_some_columns_is_made_again_when_there_are_others(analyst: Person, admin: Person, book: Book) -> None:
    admin.rows("CREATE OR REPLACE TABLE bank.growing AS SELECT 1 AS id")
    book.policies["lake.bank.growing"] = TablePolicy("lake.bank.growing", DML, None, {}, frozenset(), columns=("id",))
    assert analyst.rows("SELECT * FROM bank.growing") == [(1,)]
    admin.rows("ALTER TABLE bank.growing ADD COLUMN secret STRING")
    assert "could not be decided" in refusal(lambda: analyst.rows("SELECT * FROM bank.growing"))
    hidden = frozenset({"secret"})
    book.policies["lake.bank.growing"] = TablePolicy("lake.bank.growing", DML, None, {}, hidden, columns=("ID", "Secret"))
    assert analyst.rows("SELECT * FROM bank.growing") == [(1,)]
    admin.rows("DROP TABLE bank.growing")


def test_a_policy_that_changes_while_it_is_decided_is_decided_again(
    handler: QueryHandler, driver: Driver, bound: Sessions, book: Book
) -> None:
    class Changing(Book):
        def decide(self, identity: Identity, tables: object) -> list[TablePolicy]:
            rounds.append(tables)
            if len(rounds) == 1:
                person.session.forget_policies()
                return list(book.decide(identity, tables))
            return [TablePolicy(table, DML, "id = 6", {}, frozenset()) for table in tables]

    rounds: list[object] = []
    person = Person(handler, Sessions(driver, bound._catalogs, "lake", decisions=lambda _: Changing()).open(ANALYST))
    assert visible(person) == [6]
    assert len(rounds) == 2


@pytest.mark.parametrize("answer", ["nothing", "other tables"])
def test_decisions_that_do_not_answer_end_the_statement(
    handler: QueryHandler, driver: Driver, bound: Sessions, answer: str
) -> None:
    class Silent(Book):
        def decide(self, identity: Identity, tables: object) -> list[TablePolicy]:
            return [] if answer == "nothing" else [TablePolicy("lake.other.t", ALL, None, {}, frozenset())]

    person = Person(handler, Sessions(driver, bound._catalogs, "lake", decisions=lambda _: Silent()).open(ANALYST))
    undecided = "SELECT 1 FROM system.runtime.queries, bank.accounts"
    assert refusal(lambda: person.rows(undecided)) == "PERMISSION_DENIED: The statement's rights could not be decided"
    health = driver.health()
    assert health is not None
    assert health.given_queries == 0, "rows that nobody will read stay in memory"
    assert refusal(lambda: visible(person)) == "PERMISSION_DENIED: The statement's rights could not be decided"
    assert person.rows("SELECT 1 AS n") == [(1,)]


def test_new_roles_bring_new_decisions(handler: QueryHandler, driver: Driver, bound: Sessions) -> None:
    class ByRole(Book):
        def decide(self, identity: Identity, tables: object) -> list[TablePolicy]:
            rows = None if "auditor" in identity.roles else "region = 'EU'"
            return [TablePolicy(table, DML, rows, {}, frozenset()) for table in tables]

    session = Sessions(driver, bound._catalogs, "lake", decisions=lambda _: ByRole()).open(ANALYST)
    person = Person(handler, session)
    assert visible(person) == [1, 2, 3]
    assert person.rows("SELECT is_role_in_session('auditor')") == [(False,)]
    session.login._login = type(session.login._login)(Identity("ann", roles=frozenset({"auditor"})))
    assert visible(person) == [1, 2, 3, 4, 5, 6]
    assert person.rows("SELECT is_role_in_session('auditor'), is_member_of_group('eu')") == [(True, False)]


# What a policy may say.


def test_filters_and_masks_know_who_asks(analyst: Person, book: Book) -> None:
    book.allow(
        "lake.bank.accounts",
        rows="owner = current_user() OR (is_role_in_session('analyst') AND is_member_of_group('eu') AND region = 'US')",
        masks={"owner": "if(is_role_in_session('boss'), owner, upper(owner))"},
    )
    assert analyst.rows("SELECT id, owner FROM bank.accounts ORDER BY id") == [(1, "ANN"), (4, "DAN"), (5, "EVE")]


def test_lookup_tables_are_read_with_the_definers_rights(analyst: Person, book: Book) -> None:
    assert "TABLE_NOT_FOUND" in refusal(lambda: analyst.rows("SELECT * FROM bank.entitled"))
    analyst.rows(
        "CREATE OR REPLACE TEMPORARY VIEW entitled AS SELECT 'ann' AS who, 'US' AS region"
    )  # cannot replace the real one
    for text in (
        "region IN (SELECT region FROM entitled WHERE who = current_user())",
        "EXISTS (SELECT 1 FROM bank.entitled e WHERE e.region = accounts.region AND e.who = current_user())",
        "region = (SELECT max(region) FROM lake.bank.entitled)",
    ):
        book.allow("lake.bank.accounts", rows=text)
        analyst.session.forget_policies()
        assert visible(analyst) == [1, 2, 3], text
        assert analyst.rows("SELECT count(*) FROM bank.accounts a JOIN bank.accounts b USING (id)") == [(3,)]
        assert analyst.affected("UPDATE bank.accounts SET owner = owner WHERE 1 / divisor > 0") == 3
        assert analyst.affected("DELETE FROM bank.accounts WHERE id > 3") == 0
        assert refusal(lambda: analyst.rows("INSERT INTO bank.accounts (id, region) VALUES (9, 'US')")).startswith(
            "PERMISSION_DENIED"
        )
        assert refusal(lambda: analyst.rows("UPDATE bank.accounts SET region = 'US'")).startswith("PERMISSION_DENIED")
        assert "PERMISSION_DENIED: MERGE is not allowed" in refusal(
            lambda: analyst.rows("MERGE INTO bank.accounts t USING (SELECT 1L AS k) s ON t.id = s.k WHEN MATCHED THEN DELETE")
        )
    assert "TABLE_NOT_FOUND" in refusal(lambda: analyst.rows("SELECT * FROM bank.entitled"))
    analyst.rows("DROP VIEW entitled")


def test_a_users_settings_do_not_shift_a_filter(analyst: Person, book: Book) -> None:
    book.allow("lake.bank.accounts", rows="opened < TIMESTAMP '2024-02-01 00:00:00'")
    for zone in ("UTC", "America/Los_Angeles", "Pacific/Kiritimati"):
        analyst.rows(f"SET TIME ZONE '{zone}'")
        assert visible(analyst) == [1], zone
    analyst.rows("SET TIME ZONE 'UTC'")


def test_a_failing_filter_or_mask_shows_nothing(analyst: Person, book: Book) -> None:
    book.allow("lake.bank.accounts", rows="1 / divisor > 0", masks={"note": "CAST(CAST(note AS INT) AS STRING)"})
    assert analyst.rows("SELECT id, note FROM bank.accounts ORDER BY id") == [(1, None), (2, None), (3, None)]


@pytest.mark.parametrize(
    "policy",
    [
        {"rows": "nosuch = 1"},
        {"rows": "region ="},
        {"rows": "'text'"},
        {"rows": "rand() < 2"},
        {"rows": "region IN (SELECT region FROM nosuch)"},
        {"masks": {"nosuch": "1"}},
        {"masks": {"iban": "nosuch"}},
        {"masks": {"iban": "(SELECT 1, 2)"}},
        {"masks": {"tags": "1"}},
        {"hidden": frozenset({"nosuch"})},
    ],
)
def test_a_policy_that_does_not_fit_closes_the_table(analyst: Person, book: Book, policy: dict[str, object]) -> None:
    book.allow("lake.bank.accounts", **policy)
    for text in ("SELECT id FROM bank.accounts", "DELETE FROM bank.accounts"):
        assert refusal(lambda text=text: analyst.rows(text)) == (
            "PERMISSION_DENIED: The policy of lake.bank.accounts cannot be applied; an administrator has to look at it"
        )


def test_views_have_policies_of_their_own(analyst: Person, book: Book) -> None:
    book.allow("lake.bank.open_view", frozenset({"select"}), rows="id > 1", masks={"region": "'here'"})
    assert analyst.rows("SELECT * FROM bank.open_view ORDER BY id") == [(2, "here", "**22"), (3, "here", "**33")]
    book.allow("lake.bank.open_view", frozenset({"select"}), hidden=frozenset({"iban"}))
    analyst.session.forget_policies()
    assert analyst.table("SELECT * FROM bank.open_view").column_names == ["id", "region"]
    assert "COLUMN_NOT_FOUND" in refusal(lambda: analyst.rows("SELECT iban FROM bank.open_view"))


def test_temporary_views_follow_the_policy_of_now(analyst: Person, book: Book) -> None:
    analyst.rows("CREATE OR REPLACE TEMPORARY VIEW mine AS SELECT id, iban FROM bank.accounts")
    assert analyst.rows("SELECT iban FROM mine ORDER BY id") == [("**11",), ("**22",), ("**33",)]
    book.allow("lake.bank.accounts", rows="id = 2", masks={"iban": "'gone'"})
    analyst.session.forget_policies()
    assert analyst.rows("SELECT * FROM mine") == [(2, "gone")]
    del book.policies["lake.bank.accounts"]
    analyst.session.forget_policies()
    assert refusal(lambda: analyst.rows("SELECT * FROM mine")).startswith("PERMISSION_DENIED: View mine needs more")


def test_columns_keep_their_protection_in_the_past(admin: Person, analyst: Person, book: Book) -> None:
    admin.rows("CREATE OR REPLACE TABLE bank.renamed AS SELECT id, region, ssn AS number, note AS extra FROM bank.accounts")
    snapshot = admin.rows("SELECT snapshot_id FROM bank.renamed.snapshots ORDER BY committed_at DESC")[0][0]
    admin.rows("ALTER TABLE bank.renamed RENAME COLUMN number TO ssn")
    admin.rows("ALTER TABLE bank.renamed RENAME COLUMN region TO area")
    admin.rows("ALTER TABLE bank.renamed DROP COLUMN extra")
    book.allow("lake.bank.renamed", rows="area = 'EU'", masks={"ssn": "'***'"})
    for table in (f"bank.renamed VERSION AS OF {snapshot}", f"bank.renamed.snapshot_id_{snapshot}", "bank.renamed"):
        found = analyst.table(f"SELECT * FROM {table} ORDER BY id")
        assert found.column_names == ["id", "area", "ssn"]
        assert found.to_pylist() == [{"id": id, "area": "EU", "ssn": "***"} for id in (1, 2, 3)], table
    admin.rows("DROP TABLE bank.renamed")


# Rights.


def test_each_change_needs_its_right(analyst: Person, book: Book) -> None:
    changes = {
        "select": "SELECT * FROM bank.regions",
        "insert": "INSERT INTO bank.regions VALUES ('x', 'y')",
        "update": "UPDATE bank.regions SET label = 'x' WHERE false",
        "delete": "DELETE FROM bank.regions WHERE false",
        "alter": "ALTER TABLE bank.regions SET TBLPROPERTIES ('a' = 'b')",
        "maintain": "CALL lake.system.rewrite_data_files('bank.regions')",
        "drop": "DROP TABLE bank.regions",
    }
    for missing, text in changes.items():
        book.allow("lake.bank.regions", ALL - ({missing, "alter"} if missing == "maintain" else {missing}))
        analyst.session.forget_policies()
        assert refusal(lambda text=text: analyst.rows(text)).startswith("PERMISSION_DENIED: You may not "), text
    book.allow("lake.bank.regions", frozenset({"select", "insert"}))
    analyst.session.forget_policies()
    for text in (
        "INSERT OVERWRITE bank.regions SELECT * FROM bank.regions",
        "TRUNCATE TABLE bank.regions",
        "MERGE INTO bank.regions t USING bank.regions s ON false WHEN MATCHED THEN UPDATE SET label = 'x'",
        "INSERT INTO bank.regions REPLACE WHERE true SELECT * FROM bank.regions",
        "ALTER TABLE bank.regions CREATE BRANCH b",
        "CREATE OR REPLACE TABLE bank.regions AS SELECT 1 AS a",
        "INSERT OVERWRITE bank.regions SELECT * FROM bank.regions WHERE region IN (SELECT region FROM bank.regions)",
    ):
        assert refusal(lambda text=text: analyst.rows(text)).startswith("PERMISSION_DENIED"), text


def test_an_unrestricted_table_works_as_for_anybody(analyst: Person, admin: Person, book: Book) -> None:
    for name in ("made", "made_view"):
        book.allow(f"lake.bank.{name}", ALL)
    assert analyst.affected("CREATE TABLE bank.made AS SELECT id, iban FROM bank.accounts") == 3
    assert admin.rows("SELECT * FROM bank.made ORDER BY id") == [(1, "**11"), (2, "**22"), (3, "**33")]
    analyst.rows("ALTER TABLE bank.made ADD COLUMN more INT")
    analyst.rows("ALTER TABLE bank.made ADD PARTITION FIELD bucket(2, id)")
    analyst.rows("ALTER TABLE bank.made CREATE BRANCH b")
    assert analyst.affected("INSERT INTO bank.made.branch_b VALUES (9, 'n', 1)") == 1
    assert analyst.affected("INSERT OVERWRITE bank.made SELECT 1L, 'a', 1") == 1
    assert analyst.rows("SELECT count(*) FROM bank.made.snapshots")[0][0] == 3
    assert (
        analyst.rows("CALL lake.system.rewrite_data_files(table => 'bank.made', options => map('rewrite-all', 'true'))")[0][0]
        == 1
    )
    assert analyst.rows("CALL lake.system.create_changelog_view(table => 'bank.made', changelog_view => 'log')") == [("log",)]
    assert analyst.rows("SELECT count(*) > 0 FROM log") == [(True,)]
    assert "BatchScan" in str(analyst.rows("EXPLAIN SELECT * FROM bank.made"))
    analyst.rows("CREATE VIEW bank.made_view AS SELECT * FROM bank.made")
    assert analyst.rows("SELECT id FROM bank.made_view") == [(1,)]
    assert ("bank", "made", False) in analyst.rows("SHOW TABLES IN bank")
    analyst.rows("DROP VIEW bank.made_view")
    book.allow("lake.bank.made", rows="id = 0")
    analyst.session.forget_policies()
    assert refusal(lambda: analyst.rows("SELECT count(*) FROM log")).startswith("NOT_SUPPORTED")  # the log of a time before
    book.allow("lake.bank.made", ALL)
    analyst.session.forget_policies()
    analyst.rows("DROP TABLE bank.made")


def test_a_copy_of_the_columns_has_the_visible_ones(analyst: Person, admin: Person, book: Book) -> None:
    book.allow("lake.bank.copied", ALL)
    analyst.rows("CREATE TABLE bank.copied LIKE bank.accounts")
    assert "ssn" not in admin.table("SELECT * FROM bank.copied").column_names
    admin.rows("DROP TABLE bank.copied")


# Every way to the engine.


def test_listings_hold_what_one_may_see(handler: QueryHandler, analyst: Person, admin: Person, book: Book) -> None:
    admin.rows("CREATE SCHEMA IF NOT EXISTS closed")
    admin.rows("CREATE TABLE IF NOT EXISTS closed.t (a INT)")
    names = {(entry.schema, entry.name) for entry in handler.tables(analyst.session)}
    assert names == {("bank", name) for name in ("accounts", "regions", *VIEWS)}
    assert handler.schemas(analyst.session) == [("lake", "bank")]
    accounts = handler.tables(analyst.session, table_pattern="accounts", with_schema=True)[0]
    assert accounts.arrow_schema is not None
    assert accounts.arrow_schema.names == "id owner region balance iban note divisor digits opened tags place".split()
    assert {("lake", "closed"), ("lake", "bank")} <= set(handler.schemas(admin.session))


def test_prepared_statements_and_parameters(handler: QueryHandler, analyst: Person) -> None:
    prepared = handler.prepare(analyst.session, "SELECT * FROM bank.accounts WHERE id = ?")
    assert "ssn" not in prepared.schema.names
    assert "COLUMN_NOT_FOUND" in refusal(lambda: handler.prepare(analyst.session, "SELECT ssn FROM bank.accounts WHERE id = ?"))
    assert "TABLE_NOT_FOUND" in refusal(lambda: handler.prepare(analyst.session, "SELECT * FROM bank.vault WHERE gold = ?"))
    values = pa.RecordBatch.from_pydict({"p": pa.array([4], pa.int64())})
    with handler.submit(
        analyst.session, "SELECT id FROM bank.accounts WHERE id <= ? ORDER BY 1", door="test", parameters=values
    ) as query:
        assert query.read_all().column("id").to_pylist() == [1, 2, 3]


def test_many_rows_of_parameters_are_checked(handler: QueryHandler, analyst: Person, admin: Person) -> None:
    def insert(*regions: str) -> int:
        rows = pa.table({"id": list(range(20, 20 + len(regions))), "region": list(regions)})
        return handler.submit_many(
            analyst.session, "INSERT INTO bank.accounts (id, region) VALUES (?, ?)", rows.to_reader(), door="test"
        )

    assert refusal(lambda: insert("EU", "US")) == "PERMISSION_DENIED: A new row is one that you may not see"
    assert insert("EU", "EU") == 2
    assert admin.affected("DELETE FROM bank.accounts WHERE id >= 20") == 2


def test_bulk_loads_are_checked(handler: QueryHandler, analyst: Person, admin: Person, book: Book) -> None:
    def load(table: str, mode: IngestMode, **columns: list[object]) -> int:
        rows = pa.table(columns).to_reader()
        return handler.ingest(analyst.session, TableName(table, "bank", "lake"), mode, rows, door="test")

    assert load("accounts", IngestMode.APPEND, id=[30, 31], region=["EU", "EU"]) == 2
    assert refusal(lambda: load("accounts", IngestMode.APPEND, id=[32, 33], region=["EU", "US"])).startswith(
        "PERMISSION_DENIED: A new row"
    )
    assert refusal(lambda: load("accounts", IngestMode.APPEND, id=[32], region=["EU"], ssn=["x"])).startswith(
        "COLUMN_NOT_FOUND: Column ssn"
    )
    assert refusal(lambda: load("accounts", IngestMode.APPEND, id=[32], region=["EU"], iban=["x"])).startswith(
        "PERMISSION_DENIED: Column iban"
    )
    assert refusal(lambda: load("accounts", IngestMode.REPLACE, id=[32])).startswith("PERMISSION_DENIED")
    assert refusal(lambda: load("vault", IngestMode.APPEND, gold=["x"])).startswith("TABLE_NOT_FOUND")
    assert refusal(lambda: load("loaded", IngestMode.CREATE, id=[1])).startswith("PERMISSION_DENIED: You may not create")
    book.allow("lake.bank.loaded", ALL)
    analyst.session.forget_policies()
    assert load("loaded", IngestMode.CREATE_APPEND, id=[1]) == 1
    assert load("loaded", IngestMode.CREATE_APPEND, id=[2]) == 1
    assert admin.affected("DELETE FROM bank.accounts WHERE id >= 30") == 2
    admin.rows("DROP TABLE bank.loaded")


def test_names_with_dots_are_not_mixed_up(admin: Person, analyst: Person, book: Book) -> None:
    admin.rows("CREATE TABLE bank.`dotted.name` AS SELECT 1 AS a")
    assert "TABLE_NOT_FOUND" in refusal(lambda: analyst.rows("SELECT * FROM bank.`dotted.name`"))
    assert book.asked[-1] == ("lake.bank.`dotted.name`",)
    admin.rows("DROP TABLE bank.`dotted.name`")


def test_another_name_of_the_catalog_has_its_own_decisions(
    handler: QueryHandler, driver: Driver, sessions: Sessions, book: Book
) -> None:
    book.allow("shop.bank.accounts", rows="id = 1")
    catalogs = {"shop": sessions._catalogs["lake"]}
    person = Person(handler, Sessions(driver, catalogs, "shop", decisions=lambda _: book).open(ANALYST))
    assert visible(person) == [1]
    assert visible(person, "shop.bank.accounts.branch_main") == [1]
    assert person.rows("SELECT count(*) FROM bank.accounts VERSION AS OF 'main'") == [(1,)]


def test_without_a_policy_nothing_is_asked_or_changed(admin: Person, driver: Driver, book: Book) -> None:
    assert visible(admin) == [1, 2, 3, 4, 5, 6]
    plan = str(admin.rows("EXPLAIN EXTENDED SELECT * FROM bank.accounts WHERE id = 1"))
    assert "Secured" not in plan
    assert "ExplainedTable" not in plan
    assert book.asked == []


def test_facts_for_policies_are_not_filtered_by_them(driver: Driver, analyst: Person) -> None:
    columns = driver.call("columnFacts", analyst.session.in_engine(), "lake", "bank", "accounts")["columns"]
    assert [6, "ssn", "STRING"] in columns
    tables = driver.call("tableFacts", analyst.session.in_engine(), "lake", "bank")["tables"]
    assert {"name": "vault", "type": "TABLE"} in tables
    with pytest.raises(SqeError):
        driver.call("putPolicies", analyst.session.in_engine(), json.dumps([{"table": "lake.bank.vault"}]), "")


def test_every_spelling_of_a_name_has_the_same_policy(analyst: Person, book: Book) -> None:
    for name in ("BANK.ACCOUNTS", "Bank.accounts", "LAKE.bank.Accounts", "bank.ACCOUNTS.branch_main", "`BANK`.`Accounts`"):
        assert visible(analyst, name) == [1, 2, 3], name
        assert "ssn" not in analyst.table(f"SELECT * FROM {name}").column_names
    for text in ("SELECT * FROM BANK.VAULT", "SELECT * FROM bank.Accounts.FILES", "DROP TABLE Bank.Vault", "DESCRIBE BANK.Vault",
                 "CALL lake.system.expire_snapshots('BANK.Accounts')", "ALTER TABLE BANK.Accounts CREATE BRANCH b",
                 "ALTER TABLE Bank.ACCOUNTS ADD COLUMN x INT", "TRUNCATE TABLE BANK.ACCOUNTS", "SELECT SSN FROM BANK.Accounts",
                 "DROP TABLE BANK.accountS", "INSERT INTO Bank.Accounts (id, region) VALUES (9, 'US')"):  # fmt: skip
        assert refusal(lambda text=text: analyst.rows(text)).split(":")[0] in (
            "TABLE_NOT_FOUND", "PERMISSION_DENIED", "COLUMN_NOT_FOUND"
        ), text  # fmt: skip
    assert analyst.rows("SELECT iban FROM Bank.Open_View ORDER BY id") == [("**11",), ("**22",), ("**33",)]
    book.allow("lake.bank.open_view", frozenset({"select"}), masks={"iban": "'gone'"})
    analyst.session.forget_policies()
    assert analyst.rows("SELECT DISTINCT iban FROM BANK.OPEN_VIEW") == [("gone",)]
