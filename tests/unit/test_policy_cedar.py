"""Cedar: what the forms of a policy mean for rows and columns, and that mistakes are told when the files are read."""

from __future__ import annotations

from pathlib import Path

import pytest
from policy_tables import ACCOUNTS, Tables, person, written

from sqe.errors import SqeError
from sqe.policy.cedar.engine import CedarEngine
from sqe.policy.contract import TablePolicy
from sqe.policy.decisions import Policy

ALICE = person("alice", "analyst", "eu")
READ = 'permit (principal == User::"alice", action == Action::"select", resource in Table::"lake.bank.accounts");'


def decided(folder: Path, text: str, name: str = ACCOUNTS) -> TablePolicy:
    return Policy([CedarEngine(written(folder, "a.cedar", text))]).authored(ALICE, name, Tables())


def test_filters_of_permits_add_up_and_those_of_forbids_take_away(tmp_path: Path) -> None:
    one, two = f'@row_filter("a") {READ}', f'@row_filter("b") {READ}'
    assert decided(tmp_path, one + two).row_filter == "(a) OR (b)"
    assert decided(tmp_path, one + READ).row_filter is None
    less = '@row_filter("c") forbid (principal, action == Action::"select", resource in Schema::"lake.bank");'
    assert decided(tmp_path, one + two + less).row_filter == "((a) OR (b)) AND (c)"
    assert decided(tmp_path, READ + less).row_filter == "c"
    assert decided(tmp_path, less).actions == frozenset()


def test_masks_soften_the_forbid_of_a_column_and_a_plain_one_hides_it(tmp_path: Path) -> None:
    about = 'forbid (principal, action == Action::"select", resource == Column::"lake.bank.accounts.card");'
    assert decided(tmp_path, f"{READ}@mask(\"'x'\") {about}").masks == {"card": "'x'"}
    assert decided(tmp_path, f"{READ}@mask(\"'x'\") {about}@mask(\"'y'\") {about}").masks == {"card": "NULL"}
    both = decided(tmp_path, f"{READ}@mask(\"'x'\") {about}{about}")
    assert (both.masks, both.hidden) == ({}, {"card"})


def test_columns_can_be_chosen_by_their_type(tmp_path: Path) -> None:
    texts = 'forbid (principal, action == Action::"select", resource is Column) when { resource.type == "string" };'
    assert set(decided(tmp_path, f'{READ}@mask("mask_null()") {texts}').masks) == {"owner", "region", "card"}


def test_a_permit_of_the_table_alone_shows_no_column(tmp_path: Path) -> None:
    assert decided(tmp_path, READ.replace("resource in", "resource ==")).actions == frozenset()


def test_writes_are_for_the_rows_that_are_seen(tmp_path: Path) -> None:
    update = READ.replace("select", "update")
    assert decided(tmp_path, READ + update).actions == {"select", "update"}
    assert decided(tmp_path, f'{READ}@row_filter("a") {update}').actions == {"select"}
    assert decided(tmp_path, f'@row_filter("a") {READ}@row_filter("a") {update}').actions == {"select", "update"}
    less = '@row_filter("c") forbid (principal, action == Action::"update", resource);'
    assert decided(tmp_path, READ + update + less).actions == {"select"}


def test_names_of_hostile_users_and_tables_stay_names(tmp_path: Path) -> None:
    odd = person('alice"; permit(principal, action, resource);//', "r\\")
    policy = Policy([CedarEngine(written(tmp_path, "a.cedar", READ))])
    assert policy.decide(odd, [ACCOUNTS, 'lake.bank.`a".b`'], Tables())[0].actions == frozenset()
    assert policy.decide(ALICE, ['lake.bank.`accounts"`', "lake.bank.ACCOUNTS"], Tables())[1].actions == {"select"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there are no policies"),
        ("permit (principal", "unexpected end of input"),
        ('permit (principal, action == Action::"read", resource);', "unrecognized action"),
        ('permit (principal in Rolle::"x", action, resource);', "unrecognized entity type"),
        ("permit (principal, action, resource) when { principal.level > 3 };", "level"),
        (f'@rowfilter("a") {READ}', "unknown annotation @rowfilter"),
        (f'@mask("NULL") {READ}', "@mask on a permit"),
        (f'@row_filter("a) OR (b") {READ}', "parentheses"),
        (f'@row_filter("") {READ}', "empty"),
        (f'@row_filter("a") @mask("b") {READ.replace("permit", "forbid")}', "has both"),
    ],
)
def test_mistakes_are_told_when_the_files_are_read(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SqeError, match=message):
        CedarEngine(written(tmp_path, "a.cedar", text))


def test_a_changed_file_counts_and_a_broken_one_denies(tmp_path: Path) -> None:
    now = [0.0]
    policy = Policy([CedarEngine(written(tmp_path, "a.cedar", READ), clock=lambda: now[0])])
    assert policy.decide(ALICE, [ACCOUNTS], Tables())[0].actions == {"select"}
    written(tmp_path, "b.cedar", "forbid (principal, action, resource);")
    now[0] += 2
    assert policy.decide(ALICE, [ACCOUNTS], Tables())[0].actions == frozenset()
    (tmp_path / "b.cedar").unlink()
    now[0] += 2
    assert policy.decide(ALICE, [ACCOUNTS], Tables())[0].actions == {"select"}
    written(tmp_path, "a.cedar", "permit (")
    now[0] += 2
    assert policy.decide(ALICE, [ACCOUNTS], Tables())[0].actions == frozenset()
