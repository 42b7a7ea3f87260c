"""Statements about rights on a real Spark: names resolve as elsewhere, filters and masks are checked, ids survive renames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from sqe import errors
from sqe.engine.driver import Driver
from sqe.errors import ErrorCode, SqeError
from sqe.identity import Identity
from sqe.policy.decisions import Policy
from sqe.policy.facts import DriverFacts
from sqe.policy.grants.engine import GrantsEngine
from sqe.policy.grants.store import GrantStore
from sqe.policy.statements import Rights
from sqe.query.handler import QueryHandler
from sqe.session import Session
from sqe.sessions import Sessions

ADMINS = frozenset({"admin"})
ROOT = Identity("root", ADMINS)
ALICE = Identity("alice", frozenset({"analyst"}), frozenset({"eu"}))
PEOPLE = {each.user: each for each in (ROOT, ALICE)}

Run = Callable[[Identity, str], list[dict[str, object]]]


@pytest.fixture
def policy(tmp_path: Path) -> Iterator[Policy]:
    policy = Policy([GrantsEngine(GrantStore(f"sqlite:///{tmp_path}/policy.db"), admin_roles=ADMINS)])
    yield policy
    policy.close()


@pytest.fixture
def handler(driver: Driver, policy: Policy) -> Iterator[QueryHandler]:
    engine = policy.engine("grants")
    assert isinstance(engine, GrantsEngine)
    handler = QueryHandler(driver, admin_roles=ADMINS, rights=Rights(policy, engine, ADMINS, PEOPLE.get))
    yield handler
    handler.close()


@pytest.fixture
def opened(sessions: Sessions) -> Iterator[dict[str, Session]]:
    opened = {who.user: sessions.open(who) for who in PEOPLE.values()}
    yield opened
    for session in opened.values():
        sessions.close(session)


@pytest.fixture
def run(handler: QueryHandler, opened: dict[str, Session]) -> Iterator[Run]:
    def run(who: Identity, sql: str) -> list[dict[str, object]]:
        with handler.submit(opened[who.user], sql, door="test") as query:
            table: pa.Table = query.read_all()
            return table.to_pylist()

    run(ROOT, "CREATE TABLE accounts (id BIGINT, owner STRING, card STRING, opened DATE)")
    yield run
    run(ROOT, "DROP TABLE IF EXISTS accounts")


def refused(run: Run, who: Identity, sql: str) -> ErrorCode:
    with pytest.raises(SqeError) as caught:
        run(who, sql)
    return caught.value.code


def test_a_grant_is_seen_and_works_at_once(run: Run) -> None:
    assert refused(run, ALICE, "SHOW EFFECTIVE POLICY ON accounts") is errors.TABLE_NOT_FOUND
    run(
        ROOT,
        "GRANT SELECT ON accounts TO ROLE analyst ROWS WHERE (owner = current_user /* one's own */) "
        "MASKED WITH (card = mask_show_last(4)) HIDING (opened)",
    )
    (row,) = run(ROOT, "SHOW GRANTS ON accounts")
    assert row["object"] == "lake.default.accounts"
    assert (row["grantee_type"], row["grantee"]) == ("ROLE", "analyst")
    assert (row["row_filter"], row["masks"], row["hiding"]) == ("owner = current_user", "card = mask_show_last(4)", "opened")
    policy = run(ROOT, "SHOW EFFECTIVE POLICY FOR USER alice ON accounts")
    assert [tuple(each.values()) for each in policy] == [
        ("action", "SELECT", None),
        ("row filter", None, "owner = current_user"),
        ("mask", "card", "mask_show_last(4)"),
        ("hidden", "opened", None),
    ]
    assert run(ROOT, "CHECK ACCESS select ON lake.default.accounts FOR USER alice")[0]["allowed"] is True
    assert run(ALICE, "CHECK ACCESS delete ON accounts FOR USER alice") == [{"allowed": False, "reason": None}]


def test_those_who_are_bound_read_neither_filters_nor_hidden_names(run: Run) -> None:
    run(ROOT, "GRANT SELECT ON accounts TO USER alice ROWS WHERE (id < 42) MASKED WITH (card = 'none') HIDING (owner)")
    told = repr(run(ALICE, "SHOW GRANTS")) + repr(run(ALICE, "SHOW EFFECTIVE POLICY ON accounts"))
    assert "(not shown)" in told
    assert [secret for secret in ("42", "'none'", "owner") if secret in told] == []


@pytest.mark.parametrize(
    ("clauses", "code"),
    [
        ("ROWS WHERE (nobody = 1)", errors.COLUMN_NOT_FOUND),
        ("ROWS WHERE (id +)", errors.SYNTAX_ERROR),
        ("ROWS WHERE (id)", errors.TYPE_MISMATCH),
        ("ROWS WHERE (no_function(id))", errors.FUNCTION_NOT_FOUND),
        ("MASKED WITH (nobody = NULL)", errors.COLUMN_NOT_FOUND),
        ("MASKED WITH (card = mask_show_last(card))", errors.INVALID_FUNCTION_ARGUMENT),
        ("MASKED WITH (card = nobody)", errors.COLUMN_NOT_FOUND),
        ("HIDING (nobody)", errors.COLUMN_NOT_FOUND),
        ("ROWS WHERE (id IN (SELECT x FROM missing))", errors.TABLE_NOT_FOUND),
    ],
)
def test_what_spark_would_not_take_is_not_granted(run: Run, clauses: str, code: ErrorCode) -> None:
    assert refused(run, ROOT, f"GRANT SELECT ON accounts TO ROLE analyst {clauses}") is code
    assert run(ROOT, "SHOW GRANTS ON accounts") == []


def test_filters_may_look_up_other_tables(run: Run) -> None:
    run(ROOT, "CREATE TABLE entitled (person STRING, account BIGINT)")
    filter_ = "EXISTS (SELECT 1 FROM entitled e WHERE e.person = current_user AND e.account = id)"
    run(ROOT, f"GRANT SELECT ON accounts TO ROLE analyst ROWS WHERE ({filter_})")
    assert run(ROOT, "SHOW GRANTS ON accounts")[0]["row_filter"] == filter_
    run(ROOT, "DROP TABLE entitled")


def test_what_does_not_exist_cannot_be_granted(run: Run) -> None:
    assert refused(run, ROOT, "GRANT SELECT ON missing TO USER alice") is errors.TABLE_NOT_FOUND
    assert refused(run, ROOT, "GRANT SELECT ON SCHEMA missing TO USER alice") is errors.SCHEMA_NOT_FOUND
    assert refused(run, ROOT, "GRANT SELECT ON CATALOG missing TO USER alice") is errors.CATALOG_NOT_FOUND
    assert refused(run, ALICE, "GRANT SELECT ON accounts TO USER alice") is errors.TABLE_NOT_FOUND


def test_a_rename_and_a_new_order_keep_the_protection(
    run: Run, driver: Driver, opened: dict[str, Session], policy: Policy
) -> None:
    run(ROOT, "ALTER TABLE accounts ALTER COLUMN card SET TAG pii = 'high'")
    run(ROOT, "GRANT SELECT ON accounts TO ROLE analyst MASKED WITH (TAG pii = mask_null(), owner = 'x') HIDING (opened)")
    facts = DriverFacts(driver, opened["root"])
    assert dict(policy.authored(ALICE, "lake.default.accounts", facts).masks) == {"card": "mask_null()", "owner": "'x'"}
    run(ROOT, "ALTER TABLE accounts RENAME COLUMN card TO number")
    run(ROOT, "ALTER TABLE accounts RENAME COLUMN owner TO holder")
    run(ROOT, "ALTER TABLE accounts RENAME COLUMN opened TO since")
    run(ROOT, "ALTER TABLE accounts ALTER COLUMN number FIRST")
    run(ROOT, "ALTER TABLE accounts ADD COLUMN card STRING")
    decided = policy.authored(ALICE, "lake.default.accounts", facts)
    assert dict(decided.masks) == {"number": "mask_null()", "holder": "'x'"}
    assert decided.hidden == {"since"}


def test_a_new_column_of_a_tagged_table_starts_hidden_when_the_grant_says_so(
    run: Run, driver: Driver, opened: dict[str, Session], policy: Policy
) -> None:
    for column in ("id", "owner", "card", "opened"):
        run(ROOT, f"ALTER TABLE accounts ALTER COLUMN {column} SET TAG looked_at")
    run(ROOT, "GRANT SELECT ON SCHEMA default TO ROLE analyst HIDING (UNTAGGED COLUMNS)")
    facts = DriverFacts(driver, opened["root"])
    assert policy.decide(ALICE, ["lake.default.accounts"], facts)[0].hidden == frozenset()
    run(ROOT, "ALTER TABLE accounts ADD COLUMN secret STRING")
    assert policy.decide(ALICE, ["lake.default.accounts"], facts)[0].hidden == {"secret"}
    run(ROOT, "ALTER TABLE accounts ALTER COLUMN secret SET TAG looked_at")
    assert policy.decide(ALICE, ["lake.default.accounts"], facts)[0].hidden == frozenset()


def test_only_tables_made_later_are_future_tables(run: Run, policy: Policy) -> None:
    run(ROOT, "GRANT SELECT ON FUTURE TABLES IN SCHEMA default TO ROLE analyst")
    assert run(ROOT, "CHECK ACCESS select ON accounts FOR USER alice")[0]["allowed"] is False
    run(ROOT, "CREATE TABLE later (x INT)")
    assert run(ROOT, "CHECK ACCESS select ON later FOR USER alice")[0]["allowed"] is True
    run(ROOT, "DROP TABLE later")


def test_views_have_columns_without_ids(run: Run, driver: Driver, opened: dict[str, Session]) -> None:
    run(ROOT, "CREATE VIEW cards AS SELECT card FROM accounts")
    assert DriverFacts(driver, opened["root"]).columns("lake.default.cards") == [(0, "card", "STRING")]
    run(ROOT, "GRANT SELECT ON VIEW cards TO USER alice MASKED WITH (card = mask_card())")
    assert refused(run, ROOT, "ALTER TABLE cards ALTER COLUMN card SET TAG pii") is errors.NOT_SUPPORTED
    run(ROOT, "DROP VIEW cards")


def test_prepared_statements_know_their_columns(handler: QueryHandler, opened: dict[str, Session]) -> None:
    assert handler.prepare(opened["root"], "SHOW GRANTS").schema.names[:3] == ["effect", "privilege", "object_type"]
    assert handler.prepare(opened["root"], "GRANT SELECT ON t TO USER x").schema.names == []


def test_without_a_policy_the_statements_are_not_available(driver: Driver, opened: dict[str, Session]) -> None:
    plain = QueryHandler(driver, admin_roles=ADMINS)
    with pytest.raises(SqeError, match="has no policy"):
        plain.submit(opened["root"], "GRANT SELECT ON t TO USER alice", door="test")
    plain.close()
