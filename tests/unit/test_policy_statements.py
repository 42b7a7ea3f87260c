"""Who may change rights, and what somebody who may not learns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from policy_tables import ACCOUNTS, PAYMENTS, Tables, person

from sqe import errors
from sqe.errors import ErrorCode, SqeError
from sqe.identity import Identity
from sqe.policy.decisions import Policy
from sqe.policy.facts import Column
from sqe.policy.grants.engine import GrantsEngine
from sqe.policy.grants.store import GrantStore
from sqe.policy.statements import Place, Rights
from sqe.sql.rights_parser import parse_rights

ADMINS = frozenset({"admin"})
ROOT, ALICE, BOB, CAROL = person("root", "admin"), person("alice", "analyst", "eu"), person("bob"), person("carol")
PEOPLE = {each.user: each for each in (ROOT, ALICE, BOB, CAROL)}


class AnyExpression:
    """Takes every filter and mask; tests/embedded/test_policy_rights.py asks Spark."""

    def check_filter(self, table: str | None, text: str) -> None: ...
    def check_mask(self, table: str | None, column: Column | None, text: str) -> None: ...


class World:
    def __init__(self, folder: Path) -> None:
        engine = GrantsEngine(GrantStore(f"sqlite:///{folder}/policy.db"), admin_roles=ADMINS)
        self.tables = Tables()
        self.policy = Policy([engine])
        self.rights = Rights(self.policy, engine, ADMINS, PEOPLE.get)

    def run(self, who: Identity, sql: str) -> list[dict[str, object]]:
        statement = parse_rights(sql)
        assert statement is not None
        place = Place(who, "lake", ("bank",), self.tables, AnyExpression())
        found: list[dict[str, object]] = self.rights.run(place, statement).to_pylist()
        return found

    def refuses(self, who: Identity, sql: str) -> ErrorCode:
        with pytest.raises(SqeError) as caught:
            self.run(who, sql)
        self.message = str(caught.value)
        return caught.value.code

    def actions(self, who: Identity, table: str = ACCOUNTS) -> str:
        return " ".join(sorted(self.policy.decide(who, [table], self.tables)[0].actions))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    world.policy.close()


def test_names_are_those_of_the_session(world: World) -> None:
    for name in ("accounts", "Bank.ACCOUNTS", "lake.bank.accounts", 'lake.`bank`."accounts"'):
        world.run(ROOT, f"GRANT SELECT ON {name} TO USER alice")
        assert world.actions(ALICE) == "select"
        world.run(ROOT, f"REVOKE SELECT ON {name} FROM USER alice")
        assert world.actions(ALICE) == ""


CHANGES = [
    "GRANT SELECT ON {} TO USER bob",
    "DENY SELECT ON {} TO USER bob",
    "REVOKE SELECT ON {} FROM USER bob",
    "ALTER TABLE {} ALTER COLUMN id SET TAG pii",
    "GRANT OWNERSHIP ON {} TO USER bob",
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_table_that_somebody_does_not_see_looks_missing(world: World, change: str) -> None:
    assert world.refuses(BOB, change.format("accounts")) is errors.TABLE_NOT_FOUND
    there = world.message
    assert world.refuses(BOB, change.format("nowhere")) is errors.TABLE_NOT_FOUND
    assert world.message == there.replace("accounts", "nowhere")


@pytest.mark.parametrize("change", CHANGES)
def test_who_sees_a_table_but_may_not_change_its_rights_is_told(world: World, change: str) -> None:
    world.run(ROOT, "GRANT SELECT ON accounts TO USER bob")
    assert world.refuses(BOB, change.format("accounts")) is errors.PERMISSION_DENIED


def test_schemas_and_all_their_tables_are_for_those_who_govern_them(world: World) -> None:
    world.run(ROOT, "GRANT SELECT ON accounts TO USER bob")
    assert world.refuses(BOB, "GRANT SELECT ON ALL TABLES IN SCHEMA hr TO USER bob") is errors.SCHEMA_NOT_FOUND
    assert "staff" not in world.message
    assert world.refuses(BOB, "GRANT SELECT ON SCHEMA hr TO USER bob") is errors.SCHEMA_NOT_FOUND
    assert world.refuses(BOB, "GRANT SELECT ON CATALOG lake TO USER bob") is errors.PERMISSION_DENIED
    world.run(ROOT, "GRANT SELECT ON ALL TABLES IN SCHEMA bank TO USER bob")
    assert world.actions(BOB, PAYMENTS) == "select"


def test_owners_govern_their_tables_only(world: World) -> None:
    world.run(ROOT, "GRANT OWNERSHIP ON accounts TO USER bob")
    world.run(BOB, "GRANT SELECT, INSERT ON accounts TO USER alice")
    world.run(BOB, "DENY INSERT ON accounts TO ROLE analyst")
    assert world.actions(ALICE) == "select"
    assert world.refuses(BOB, "GRANT SELECT ON payments TO USER alice") is errors.TABLE_NOT_FOUND
    assert len(world.run(BOB, "SHOW GRANTS ON accounts")) == 4
    assert world.refuses(ROOT, "GRANT OWNERSHIP ON accounts TO USER bob ROWS WHERE (true)") is errors.NOT_SUPPORTED


def test_a_grant_option_hands_on_what_its_holder_has_and_no_more(world: World) -> None:
    world.run(
        ROOT,
        "GRANT SELECT ON accounts TO USER alice ROWS WHERE (owner = current_user) MASKED WITH (card = mask_show_last(4)) "
        "HIDING (balance) WITH GRANT OPTION",
    )
    world.run(ALICE, "GRANT SELECT ON accounts TO USER bob ROWS WHERE (region = 'EU') MASKED WITH (owner = 'x')")
    found = world.policy.authored(BOB, ACCOUNTS, world.tables)
    assert found.row_filter == "(owner = 'alice') AND (region = 'EU')"
    assert found.masks == {"owner": "'x'", "card": "mask_show_last(4)"}
    assert found.hidden == {"balance"}
    assert world.refuses(ALICE, "GRANT INSERT ON accounts TO USER bob") is errors.PERMISSION_DENIED
    assert world.refuses(ALICE, "GRANT SELECT ON SCHEMA bank TO USER bob") is errors.SCHEMA_NOT_FOUND
    assert world.refuses(BOB, "GRANT SELECT ON accounts TO USER carol") is errors.PERMISSION_DENIED


def test_who_only_hands_on_cannot_find_hidden_columns_by_naming_them(world: World) -> None:
    world.run(ROOT, "GRANT SELECT ON accounts TO USER alice HIDING (balance) WITH GRANT OPTION")
    for clause in ("HIDING ({})", "MASKED WITH ({} = NULL)"):
        answers = []
        for name in ("balance", "nothing"):
            code = world.refuses(ALICE, f"GRANT SELECT ON accounts TO USER bob {clause.format(name)}")
            answers.append((code, world.message.replace(name, "…")))
        assert answers[0] == answers[1] == (errors.COLUMN_NOT_FOUND, "COLUMN_NOT_FOUND: Column … does not exist")


def test_who_loses_a_right_loses_what_they_handed_on(world: World) -> None:
    world.run(ROOT, "GRANT SELECT ON SCHEMA bank TO USER alice WITH GRANT OPTION")
    world.run(ALICE, "GRANT SELECT ON accounts TO USER bob WITH GRANT OPTION")
    world.run(BOB, "GRANT SELECT ON accounts TO USER carol")
    assert world.actions(CAROL) == "select"
    world.run(ROOT, "REVOKE GRANT OPTION FOR SELECT ON SCHEMA bank FROM USER alice")
    assert (world.actions(ALICE), world.actions(BOB), world.actions(CAROL)) == ("select", "", "")


def test_holders_of_an_option_take_back_their_own_grants_only(world: World) -> None:
    world.run(ROOT, "GRANT SELECT ON accounts TO USER alice WITH GRANT OPTION")
    world.run(ROOT, "GRANT SELECT ON accounts TO USER carol")
    world.run(ALICE, "GRANT SELECT ON accounts TO USER bob")
    world.run(ALICE, "REVOKE SELECT ON accounts FROM USER bob, USER carol")
    assert (world.actions(BOB), world.actions(CAROL)) == ("", "select")


def test_a_denied_right_cannot_be_handed_on(world: World) -> None:
    world.run(ROOT, "GRANT SELECT ON accounts TO USER alice WITH GRANT OPTION")
    world.run(ROOT, "DENY SELECT ON SCHEMA bank TO ROLE analyst")
    assert world.refuses(ALICE, "GRANT SELECT ON accounts TO USER bob") is errors.TABLE_NOT_FOUND


def test_rights_of_others_are_shown_to_those_who_govern(world: World) -> None:
    world.run(ROOT, "GRANT SELECT ON accounts TO ROLE analyst ROWS WHERE (id < 471147)")
    world.run(ROOT, "GRANT SELECT ON accounts TO USER bob")
    assert world.refuses(BOB, "SHOW GRANTS TO USER alice") is errors.PERMISSION_DENIED
    assert world.refuses(BOB, "SHOW GRANTS TO ROLE analyst") is errors.PERMISSION_DENIED
    assert world.refuses(BOB, "SHOW EFFECTIVE POLICY FOR USER alice ON accounts") is errors.PERMISSION_DENIED
    assert world.refuses(BOB, "CHECK ACCESS select ON accounts FOR USER alice") is errors.PERMISSION_DENIED
    assert [row["grantee"] for row in world.run(BOB, "SHOW GRANTS ON accounts")] == ["bob"]
    assert [row["grantee"] for row in world.run(ALICE, "SHOW GRANTS")] == ["analyst"]
    assert "471147" not in repr(world.run(ALICE, "SHOW GRANTS TO ROLE analyst"))
    assert "471147" in repr(world.run(ROOT, "SHOW EFFECTIVE POLICY FOR USER alice ON accounts"))


def test_access_to_what_is_missing_or_hidden_is_the_same_no(world: World) -> None:
    answers = [world.run(BOB, f"CHECK ACCESS select ON {name}") for name in ("accounts", "nowhere", "hr.staff")]
    assert answers == [[{"allowed": False, "reason": None}]] * 3
    world.run(ROOT, "GRANT SELECT ON SCHEMA bank TO USER bob")
    assert world.run(BOB, "CHECK ACCESS select ON accounts")[0]["allowed"] is True
    assert world.run(BOB, "CHECK ACCESS select ON nowhere")[0]["allowed"] is False
    assert world.refuses(ROOT, "CHECK ACCESS select ON nowhere FOR USER bob") is errors.TABLE_NOT_FOUND


def test_somebody_unknown_has_what_their_name_has(world: World) -> None:
    world.run(ROOT, "GRANT SELECT ON accounts TO USER stranger")
    assert world.run(ROOT, "CHECK ACCESS select ON accounts FOR USER stranger")[0]["allowed"] is True


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("GRANT FLY ON accounts TO USER bob", errors.INVALID_ARGUMENTS),
        ("CHECK ACCESS fly ON accounts", errors.INVALID_ARGUMENTS),
        ("GRANT INSERT (id) ON accounts TO USER bob", errors.NOT_SUPPORTED),
        ("GRANT SELECT (nobody) ON accounts TO USER bob", errors.COLUMN_NOT_FOUND),
        ("DENY OWNERSHIP ON accounts TO USER bob", errors.NOT_SUPPORTED),
        ("GRANT SELECT ON CATALOG a.b TO USER bob", errors.SYNTAX_ERROR),
    ],
)
def test_what_makes_no_sense_is_refused(world: World, sql: str, code: ErrorCode) -> None:
    assert world.refuses(ROOT, sql) is code


def test_a_server_without_grants_says_so(world: World) -> None:
    rights = Rights(world.policy, None, ADMINS, PEOPLE.get)
    statement = parse_rights("GRANT SELECT ON accounts TO USER bob")
    assert statement is not None
    with pytest.raises(SqeError, match="keeps no grants"):
        rights.run(Place(ROOT, "lake", ("bank",), world.tables, AnyExpression()), statement)


def test_who_makes_a_table_owns_it_and_its_end_leaves_nothing(world: World) -> None:
    world.run(ROOT, "GRANT SELECT ON accounts TO USER carol")
    world.rights.created(BOB, ACCOUNTS)
    assert world.actions(CAROL) == ""
    assert "drop" in world.actions(BOB)
    world.run(BOB, "GRANT SELECT ON accounts TO USER alice")
    world.rights.renamed(ACCOUNTS, PAYMENTS)
    assert (world.actions(ALICE), world.actions(ALICE, PAYMENTS)) == ("", "select")
    world.rights.dropped(PAYMENTS)
    assert world.run(ROOT, "SHOW GRANTS") == []
    world.rights.created(ROOT, ACCOUNTS)
    assert world.run(ROOT, "SHOW GRANTS") == []
