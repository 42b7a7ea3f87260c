"""The LIKE patterns of metadata calls."""

from __future__ import annotations

import pytest

from sqe.query.metadata import like


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        (None, "anything", True),
        ("%", "", True),
        ("ord%", "orders", True),
        ("ord_rs", "orders", True),
        ("orders", "order", False),
        (r"a\_b", "a_b", True),
        (r"a\_b", "axb", False),
        (r"100\%", "100%", True),
        ("a.c", "abc", False),
        ("(", "(", True),
    ],
)
def test_a_pattern_matches_as_sql_says(pattern: str | None, name: str, matches: bool) -> None:
    assert bool(like(pattern).fullmatch(name)) is matches
