"""Problems name the right line whatever way the file is written."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from sqe.config.positions import Path, line_numbers

WRITTEN = '''\
# a comment with [brackets] and "quotes
top = 1
[a]
x = "text with ] and # and }"   # comment
"quoted key" = 'it = [1]'
b.c.d = 2
long = """
not = "a key"
[neither]
"""
literal = \'\'\'
also.not = 1
\'\'\'
list = [ 1,   # one
  "two]",
  [ 3, { in = 4 } ],
]
inline = { p = 1, q = { r = "}" }, "s.t" = [5] }
when = 1979-05-27T07:32:00Z

[[items]]
name = "first"
[items.sub]
y = 1
[[items]]
name = "second"
[[items.parts]]
z = 1
[[items.parts]]
z = 2
[ a . "quoted table" ]
last = true
empty = ""
ends = """a quote""""
"esc\\u0061ped" = 1
'''

LINES: dict[Path, int] = {
    ("top",): 2,
    ("a",): 3,
    ("a", "x"): 4,
    ("a", "quoted key"): 5,
    ("a", "b", "c", "d"): 6,
    ("a", "long"): 7,
    ("a", "literal"): 11,
    ("a", "list"): 14,
    ("a", "list", 1): 15,
    ("a", "list", 2, 1, "in"): 16,
    ("a", "inline"): 18,
    ("a", "inline", "q", "r"): 18,
    ("a", "inline", "s.t", 0): 18,
    ("a", "when"): 19,
    ("items", 0, "name"): 22,
    ("items", 0, "sub", "y"): 24,
    ("items", 1, "name"): 26,
    ("items", 1, "parts", 0, "z"): 28,
    ("items", 1, "parts", 1, "z"): 30,
    ("a", "quoted table"): 31,
    ("a", "quoted table", "last"): 32,
    ("a", "quoted table", "ends"): 34,
    ("a", "quoted table", "escaped"): 35,
}


@pytest.mark.parametrize(("path", "line"), LINES.items(), ids=str)
def test_a_key_is_found_on_its_line(path: Path, line: int) -> None:
    assert line_numbers(WRITTEN)[path] == line


def paths_of(value: Any, path: Path = ()) -> set[Path]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return {path} | {found for step, child in children for found in paths_of(child, (*path, step))}


def test_the_scanner_sees_exactly_the_keys_that_tomllib_sees() -> None:
    assert set(line_numbers(WRITTEN)) == paths_of(tomllib.loads(WRITTEN)) - {()}


def test_an_empty_text_has_no_keys() -> None:
    assert line_numbers("") == {}
    assert line_numbers("\n# nothing\n") == {}
