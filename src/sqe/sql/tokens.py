"""SQL text as tokens, by the rules of Spark's lexer: enough to find SQE's own statements and forms without being fooled by quotes
and comments.

What Spark runs is not decided by these tokens alone: what is made of them goes through Spark's parser and the gate like any other
text. Comments are no tokens, and `source` gives a text back without them: a filter that ends with `-- …` would otherwise swallow
what it is combined with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqe import errors
from sqe.errors import SqeError

# Possessive where a text could be searched again and again. A bracketed comment is found by its start; they nest.
_TOKEN = re.compile(
    r"""
      (?P<blank>\s++|--(?:\\\n|[^\r\n])*+)
    | (?P<comment>/\*)
    | (?P<string>[rR]'[^']*+'|[rR]"[^"]*+"|'(?:[^'\\]|\\.|'')*+')
    | (?P<quoted>`(?:[^`]|``)*+`|"(?:[^"\\]|\\.|"")*+")
    | (?P<number>(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?(?:BD|[LSYDF])?(?!\w))
    | (?P<word>\w++)
    | (?P<symbol>=>|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_BRACKETS = re.compile(r"/\*|\*/")
_ESCAPED = re.compile(r"\\(.)|''", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0"}


class Token(NamedTuple):
    kind: str  # word, quoted (an identifier), string, number, symbol, or end
    text: str
    start: int
    end: int
    gap: bool = False  # whether blanks or comments stand before it

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
        """What a string literal means, or an identifier."""
        if self.kind != "string":
            return self.name
        if self.text[0] in "rR":
            return self.text[2:-1]
        return _ESCAPED.sub(lambda found: _LETTERS.get(found[1], found[1]) if found[1] else "'", self.text[1:-1])


def tokens(sql: str) -> list[Token]:
    """Whatever the text is: of one that is wrong, Spark says so."""
    return list(_scan(sql))


def tokenize(sql: str) -> list[Token]:
    """All tokens, the last one of the kind `end`. Raises SYNTAX_ERROR for a quote or a comment that nobody closes."""
    return list(tokens_of(sql))


def tokens_of(sql: str) -> Iterator[Token]:
    """As `tokenize`, one by one: the first words say whose statement it is, and the rest may be a megabyte."""
    for token in _scan(sql, open_ends=False):
        if token.kind == "symbol" and token.text in "'\"`":
            raise syntax_error(sql, token.start, "This quote is not closed")
        yield token
    yield Token("end", "", len(sql), len(sql))


def _scan(sql: str, open_ends: bool = True) -> Iterator[Token]:
    at, gap = 0, False
    while at < len(sql) and (match := _TOKEN.match(sql, at)):
        start, at = at, match.end()
        kind = match.lastgroup or "symbol"
        if kind == "comment":
            at, gap = _end_of_comment(sql, start, open_ends), True
        elif kind == "blank":
            gap = True
        else:
            yield Token(kind, match.group(), start, at, gap)
            gap = False


def _end_of_comment(sql: str, start: int, open_ends: bool) -> int:
    depth = 0
    for bracket in _BRACKETS.finditer(sql, start):
        depth += 1 if bracket.group() == "/*" else -1
        if depth == 0:
            return bracket.end()
    if open_ends:
        return len(sql)
    raise syntax_error(sql, start, "This comment is not closed")


def source(tokens: Sequence[Token]) -> str:
    """The text of these tokens, each gap one blank."""
    return "".join((" " if token.gap and number else "") + token.text for number, token in enumerate(tokens))


def syntax_error(sql: str, position: int, message: str) -> SqeError:
    line = sql.count("\n", 0, position) + 1
    column = position - (sql.rfind("\n", 0, position) + 1) + 1
    return SqeError(errors.SYNTAX_ERROR, message, line=line, column=column)


def quote_name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def quote_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def identifier(name: str) -> str:
    """A name as people write it, quoted only where it must be."""
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) else quote_name(name)
