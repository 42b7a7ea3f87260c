"""On which line of a TOML file a key stands.

`tomllib` gives values without positions, so this scanner walks the text a second time and notes the line of every key:
table headers (also arrays of tables and their sub-tables), dotted and quoted keys, inline tables, and lists over several
lines. It runs only on text that tomllib has accepted, so it needs no errors of its own: it must know where keys, strings
and brackets are, not what values mean.
"""

from __future__ import annotations

import re
from bisect import bisect_right

Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)+")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}#\r\n]+")
# The long forms first: ''' also starts like an empty ''. A long string may end with up to two quotes of its own.
_STRING = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}(?!")|\'\'\'.*?\'{3,5}(?!\')|"(?:\\.|[^"\\])*"|\'[^\']*\'', re.DOTALL)


def line_numbers(text: str) -> dict[Path, int]:
    """Path of each key (list items by index) to its line, counted from 1."""
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._starts = [match.end() for match in re.finditer("\n", text)]
        self._lines: dict[Path, int] = {}
        self._lengths: dict[Path, int] = {}  # items seen so far of each array of tables

    def scan(self) -> dict[Path, int]:
        table: Path = ()
        while self._skip(_BLANK):
            if self._peek("["):
                table = self._header()
            else:
                self._pair(table)
        return self._lines

    def _header(self) -> Path:
        line = self._line()
        is_list = self._peek("[[")
        self._at += 2 if is_list else 1
        names = self._key()
        self._at += 2 if is_list else 1
        table: Path = ()
        for depth, name in enumerate(names):
            table += (name,)
            self._lines.setdefault(table, line)
            last = depth == len(names) - 1
            if last and is_list:
                self._lengths[table] = self._lengths.get(table, 0) + 1
            if table in self._lengths:
                table += (self._lengths[table] - 1,)
                self._lines.setdefault(table, line)
        return table

    def _pair(self, table: Path) -> None:
        line = self._line()
        for name in self._key():
            table += (name,)
            self._lines.setdefault(table, line)
        self._at += 1  # "="
        self._value(table)

    def _key(self) -> list[str]:
        """Names of a dotted key, up to the "=" or "]" behind it."""
        names: list[str] = []
        while not self._peek("=") and not self._peek("]"):
            self._skip(_SPACE)
            quoted = self._peek('"') or self._peek("'")
            start = self._at
            self._skip(_STRING if quoted else _BARE_KEY)
            name = self._text[start : self._at]
            names.append(_unquoted(name) if quoted else name)
            self._skip(_SPACE)
            if self._peek("."):
                self._at += 1
        return names

    def _value(self, path: Path) -> None:
        self._skip(_SPACE)
        if self._peek('"') or self._peek("'"):
            self._skip(_STRING)
        elif self._peek("["):
            self._list(path)
        elif self._peek("{"):
            self._inline_table(path)
        else:
            self._skip(_SCALAR)

    def _list(self, path: Path) -> None:
        self._at += 1
        index = 0
        while self._skip(_BLANK) and not self._peek("]"):
            if self._peek(","):
                self._at += 1
                continue
            self._lines[(*path, index)] = self._line()
            self._value((*path, index))
            index += 1
        self._at += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        while self._skip(_BLANK) and not self._peek("}"):
            if self._peek(","):
                self._at += 1
            else:
                self._pair(path)
        self._at += 1

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        """Moves behind the pattern, if it is here; false at the end of the text."""
        found = pattern.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._at < len(self._text)

    def _peek(self, what: str) -> bool:
        return self._text.startswith(what, self._at)

    def _line(self) -> int:
        return bisect_right(self._starts, self._at) + 1


def _unquoted(name: str) -> str:
    """A quoted key's own name; escapes in keys are so rare that tomllib may read them."""
    if "\\" not in name:
        return name[1:-1]
    import tomllib

    return next(iter(tomllib.loads(f"{name} = 0")))
