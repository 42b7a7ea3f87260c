"""SQL text as tokens, by the rules of Spark's lexer: enough to find SQE's own forms without being fooled by quotes and comments.

Nothing is decided by these tokens alone: what is made of them goes through Spark's parser and the gate like any other text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
      (?P<blank>\s+|--(?:\\\n|[^\r\n])*)
    | (?P<comment>/\*)
    | (?P<string>[rR]'[^']*'|'(?:[^'\\]|\\.|'')*+')
    | (?P<quoted>`(?:[^`]|``)*+`|"(?:[^"\\]|\\.|"")*+")
    | (?P<number>\d+)
    | (?P<word>\w+)
    | (?P<symbol>=>|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_BRACKETS = re.compile(r"/\*|\*/")


class Token(NamedTuple):
    kind: str  # string, quoted, number, word or symbol
    text: str
    start: int
    end: int

    def says(self, *words: str) -> bool:
        return self.kind in ("word", "symbol") and self.text.upper() in words

    @property
    def is_name(self) -> bool:
        return self.kind in ("word", "quoted")

    @property
    def name(self) -> str:
        """What an identifier means."""
        if self.kind != "quoted":
            return self.text
        quote = self.text[0]
        return self.text[1:-1].replace(quote * 2, quote)

    @property
    def value(self) -> str:
        """What a string literal means."""
        if self.text[0] in "rR":
            return self.text[2:-1]
        return re.sub(
            r"\\(.)|''", lambda escape: _ESCAPES.get(escape[1], escape[1]) if escape[1] else "'", self.text[1:-1], flags=re.DOTALL
        )


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b"}


def tokens(sql: str) -> list[Token]:
    found, at = [], 0
    while at < len(sql) and (match := _TOKEN.match(sql, at)):
        at = match.end()
        kind = match.lastgroup or "symbol"
        if kind == "comment":
            at = _end_of_comment(sql, at)
        elif kind != "blank":
            found.append(Token(kind, match.group(), match.start(), match.end()))
    return found


def _end_of_comment(sql: str, at: int) -> int:
    depth = 1
    for bracket in _BRACKETS.finditer(sql, at):
        depth += 1 if bracket.group() == "/*" else -1
        if depth == 0:
            return bracket.end()
    return len(sql)


def quote_name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def quote_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
