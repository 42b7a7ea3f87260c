"""Filters and masks before Spark sees them: functions about the person, and texts that must stay within their parentheses."""

from __future__ import annotations

import pytest
from policy_tables import person

from sqe.errors import SqeError
from sqe.policy.expressions import for_person, has_subquery, plain
from sqe.policy.masks import stronger
from sqe.policy.names import key_of, parts_of

ALICE = person("o'neil\\", "analyst fraud", "eu")
NOBODY = person("bob")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("owner = current_user", r"owner = 'o\'neil\\'"),
        ("owner = CURRENT_USER()", r"owner = 'o\'neil\\'"),
        ("e.current_user = session_user", r"e.current_user = 'o\'neil\\'"),
        ("`current_user` = 'current_user'", "`current_user` = 'current_user'"),
        ("is_role_in_session('fraud')", "coalesce(('fraud') IN ('analyst', 'fraud'), false)"),
        ("is_member_of_group(dept) OR x", "coalesce((dept) IN ('eu'), false) OR x"),
        ("is_role_in_session(concat('a', f(x, 1)))", "coalesce((concat('a', f(x, 1))) IN ('analyst', 'fraud'), false)"),
        ("array_contains(current_roles(), r)", "array_contains(CAST(array('analyst', 'fraud') AS ARRAY<STRING>), r)"),
    ],
)
def test_functions_about_the_person_are_written_out(text: str, written: str) -> None:
    assert for_person(text, ALICE) == written


def test_somebody_without_roles_is_in_none() -> None:
    assert for_person("is_role_in_session(x)", NOBODY) == "((x) IS NULL AND false)"
    assert for_person("current_groups()", NOBODY) == "CAST(array() AS ARRAY<STRING>)"


@pytest.mark.parametrize(
    "text", ["a) OR (true", "a)", "(a", "a]", "[(a])", "a; b", "", "-- nothing", "is_role_in_session()", "'a"]
)
def test_texts_that_would_reach_outside_are_refused(text: str) -> None:
    with pytest.raises(SqeError):
        for_person(plain(text), ALICE)


def test_comments_cannot_swallow_what_follows() -> None:
    assert plain("a = 1 -- and nothing else") == "a = 1"
    assert plain("a /* x /* y */ z */ = '--' -- b") == "a = '--'"


def test_subqueries_are_seen_and_words_in_quotes_are_not() -> None:
    assert has_subquery("id IN (select 1)")
    assert not has_subquery("x = 'select' AND `select` = 1")


@pytest.mark.parametrize(
    ("one", "other", "strongest"),
    [
        ("upper(c)", "upper(c)", "upper(c)"),
        ("NULL", "upper(c)", "NULL"),
        ("mask_null()", "'x'", "mask_null()"),
        ("mask_show_last(4)", "mask_constant('x')", "mask_constant('x')"),
        ("'x'", "'y'", "NULL"),
        ("mask_show_last(4)", "mask_show_last(2)", "NULL"),
        ("mask_null() || c", "'x'", "'x'"),
        ("mask_constant(c)", "mask_show_last(4)", "NULL"),
        ("mask_constant(-1)", "mask_show_last(4)", "mask_constant(-1)"),
        ("DATE '2000-01-01'", "c", "DATE '2000-01-01'"),
        ("c", "mask_show_last(4)", "NULL"),
    ],
)
def test_the_stronger_of_two_masks_counts(one: str, other: str, strongest: str) -> None:
    assert stronger(one, other) == stronger(other, one) == strongest


@pytest.mark.parametrize("parts", [("a", "b", "c"), ("a", "b.c", "d`e"), ('x"y', "", "z"), ("`", ".", "``.`")])
def test_names_survive_their_spelling(parts: tuple[str, ...]) -> None:
    assert parts_of(key_of(parts)) == parts
