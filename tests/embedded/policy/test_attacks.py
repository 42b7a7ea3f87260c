"""What a hostile analyst tries, with the exact rows or the exact refusal. Not one answer tells of what the policy keeps away.

Here in one process and with decisions by hand; `tests/service/test_policy_flight.py` runs the same over Flight with another
form of the table, and `tests/services/test_policy_attacks.py` with every engine and every form.
"""

from __future__ import annotations

import pytest
from attack_suite import GROUPS, VARIANTS, Report, prepare_variant, run_changes, run_group, run_missing
from bank import Book, Person, analysts_policy

VARIANT = VARIANTS[-1]  # merge-on-read, V3, without partitions


@pytest.fixture(scope="module")
def schema(admin: Person, analyst: Person, book: Book) -> str:
    prepare_variant(admin, VARIANT)
    analysts_policy(book, VARIANT.schema)
    analyst.session.forget_policies()
    return VARIANT.schema


def nothing_wrong(report: Report) -> None:
    assert report.leaks == []
    assert report.wrong == []
    assert report.statements > 5


@pytest.mark.parametrize("group", GROUPS)
def test_answers_are_those_of_the_policy(analyst: Person, schema: str, group: str) -> None:
    nothing_wrong(run_group(analyst, schema, group))


def test_what_is_denied_looks_like_what_is_missing(analyst: Person, schema: str) -> None:
    nothing_wrong(run_missing(analyst, schema))


def test_changes_touch_visible_rows_only(analyst: Person, admin: Person, schema: str) -> None:
    nothing_wrong(run_changes(analyst, admin, schema))
