"""What the driver is told on its stdin, in the notation of Java's properties."""

from __future__ import annotations

import pytest

from sqe.engine.process import _property


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("local2", "local2"),
        ("spark.sql.ansi", r"spark\u002esql\u002eansi"),
        ("a=b #c\\", r"a\u003db\u0020\u0023c\u005c"),
        ("two\nlines\r", r"two\u000alines\u000d"),
        ("Ü ²", r"\u00dc\u0020\u00b2"),
        ("😀", r"\ud83d\ude00"),
        ("", ""),
    ],
)
def test_no_character_of_a_value_means_anything(text: str, written: str) -> None:
    assert _property(text) == written
