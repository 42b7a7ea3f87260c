"""Trino's text as tokens: in its strings a backslash is a character, and `"` quotes names. Without sqlglot: for the session's."""

from __future__ import annotations

import re

from sqe.sql.reading import Reader
from sqe.sql.tokens import Token

_TOKEN = re.compile(
    r"""
      (?P<blank>\s+|--[^\r\n]*|/\*.*?\*/)
    | (?P<string>'(?:[^']|'')*+')
    | (?P<quoted>"(?:[^"]|"")*+"|`(?:[^`]|``)*+`)
    | (?P<number>0[xX][\da-fA-F_]++|0[oO][0-7_]++|0[bB][01_]++|\d[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?|\.\d[\d_]*(?:[eE][+-]?\d+)?)
    | (?P<word>\w+)
    | (?P<symbol>=>|->|<>|!=|<=|>=|\|\||.)
    """,
    re.VERBOSE | re.DOTALL,
)


def trino_tokens(sql: str) -> list[Token]:
    found, at = [], 0
    while at < len(sql) and (match := _TOKEN.match(sql, at)):
        at = match.end()
        kind = match.lastgroup or "symbol"
        if kind != "blank":
            found.append(Token(kind, match.group(), match.start(), match.end()))
    return found


def reader(sql: str) -> Reader:
    return Reader(sql, trino_tokens(sql))


def text_of(token: Token) -> str:
    """What a string literal means."""
    return token.text[1:-1].replace("''", "'")
