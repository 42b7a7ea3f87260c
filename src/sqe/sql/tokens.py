"""The words of a statement, as Spark's lexer sees them. For SQE's own statements and for policy expressions.

Comments are no tokens, and `source` gives a text back without them: a filter that ends with `-- …` would otherwise swallow
what it is combined with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqe import errors
from sqe.errors import SqeError

# Possessive where a text could be searched again and again. A bracketed comment is found by its start; they nest.
_TOKEN = re.compile(
    r"""
    (?P<blank>\s++|--(?:\\\n|[^\r\n])*+)
  | (?P<comment>/\*)
  | (?P<string>[rR]'[^']*+'|[rR]"[^"]*+"|'(?:[^'\\]|\\.|'')*+')
  | (?P<quoted>`(?:[^`]|``)*+`|"(?:[^"]|"")*+")
  | (?P<number>(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?(?:BD|[LSYDF])?(?![A-Za-z0-9_]))
  | (?P<word>[^\W]\w*+)
  | (?P<symbol>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_BRACKETS = re.compile(r"/\*|\*/")
_ESCAPED = re.compile(r"\\(.)|''", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0"}


@dataclass(frozen=True)
class Token:
    """`kind`: word, quoted (an identifier), string, number, symbol, or end."""

    kind: str
    text: str
    start: int
    gap: bool = False  # whether blanks or comments stand before it

    def is_word(self, *words: str) -> bool:
        return self.kind == "word" and self.text.upper() in words

    def is_symbol(self, symbol: str) -> bool:
        return self.kind == "symbol" and self.text == symbol

    @property
    def is_name(self) -> bool:
        return self.kind in ("word", "quoted")

    @property
    def value(self) -> str:
        """What a name or a string stands for."""
        if self.kind == "quoted":
            quote = self.text[0]
            return self.text[1:-1].replace(quote * 2, quote)
        if self.kind == "string":
            if self.text[0] in "rR":
                return self.text[2:-1]
            return _ESCAPED.sub(lambda found: _LETTERS.get(found[1], found[1]) if found[1] else "'", self.text[1:-1])
        return self.text


def tokenize(sql: str) -> list[Token]:
    """All tokens, the last one of the kind `end`. Raises SYNTAX_ERROR for a quote or a comment that nobody closes."""
    return list(tokens_of(sql))


def tokens_of(sql: str) -> Iterator[Token]:
    """As `tokenize`, one by one: the first words say whose statement it is, and the rest may be a megabyte."""
    position, gap = 0, False
    while position < len(sql):
        match = _TOKEN.match(sql, position)
        assert match is not None  # the last alternative takes anything
        kind = str(match.lastgroup)
        if kind == "comment":
            position, gap = _after_comment(sql, position), True
            continue
        if kind == "blank":
            position, gap = match.end(), True
            continue
        if kind == "symbol" and match[0] in "'\"`":
            raise syntax_error(sql, position, "This quote is not closed")
        yield Token(kind, match[0], position, gap)
        position, gap = match.end(), False
    yield Token("end", "", len(sql), gap)


def _after_comment(sql: str, start: int) -> int:
    depth, position = 0, start
    while match := _BRACKETS.search(sql, position):
        depth += 1 if match[0] == "/*" else -1
        position = match.end()
        if depth == 0:
            return position
    raise syntax_error(sql, start, "This comment is not closed")


def source(tokens: Sequence[Token]) -> str:
    """The text of these tokens, each gap one blank."""
    return "".join((" " if token.gap and number else "") + token.text for number, token in enumerate(tokens))


def syntax_error(sql: str, position: int, message: str) -> SqeError:
    line = sql.count("\n", 0, position) + 1
    column = position - (sql.rfind("\n", 0, position) + 1) + 1
    return SqeError(errors.SYNTAX_ERROR, message, line=line, column=column)


def string_literal(value: str) -> str:
    """A text as a Spark literal."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def identifier(name: str) -> str:
    """A name as Spark reads it back, whatever characters it has."""
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) else "`" + name.replace("`", "``") + "`"
