"""SQL text into statements: `;` ends one, quotes and comments respected as Spark's lexer does.

Strings '…' and "…" take backslash escapes (not after R, a raw string), identifiers `…` do not, `--` comments continue after a
backslash at the line's end, and /* bracketed /* comments */ nest */. A doubled quote needs no rule: it closes and opens again.
A line that begins with a dot where a statement would begin is a command of the shell and ends with its line.
"""

from __future__ import annotations

import re

_NORMAL = re.compile(r"""['"`;]|--|/\*""")
_LINE_END = re.compile(r"\\\n|[\r\n]")
_BRACKETS = re.compile(r"/\*|\*/")
_DOT_LINE = re.compile(r"\s*\.")
_CLOSERS = {
    "'": re.compile(r"\\[\s\S]|'"),
    '"': re.compile(r'\\[\s\S]|"'),
    "`": re.compile(r"`"),
    "raw'": re.compile(r"'"),
    'raw"': re.compile(r'"'),
}

# Dialects of SQL in which a backslash is a character like any other.
_BACKSLASH_DIALECTS = ("", "spark", "spark2", "databricks", "hive", "mysql", "bigquery", "clickhouse", "snowflake")


class Statement:
    """One statement without its `;`, and the line of the text on which it begins (from 1)."""

    __slots__ = ("line", "text")

    def __init__(self, text: str, line: int) -> None:
        self.text = text
        self.line = line

    @property
    def is_command(self) -> bool:
        return self.text.startswith(".")


class Splitter:
    """Takes text in whole lines, gives statements as they become complete."""

    def __init__(self, dialect: str = "") -> None:
        self._escapes = dialect in _BACKSLASH_DIALECTS
        self._text = ""
        self._line = 1
        self._clear()

    def _clear(self) -> None:
        self._scanned = 0
        self._quote = ""
        self._depth = 0
        self._comment = False
        self._content = False

    @property
    def pending(self) -> bool:
        """Whether a statement has begun and not ended."""
        return self._content or bool(self._quote) or self._depth > 0

    def feed(self, text: str) -> list[Statement]:
        """The statements that `text` completes."""
        self._text += text
        found = []
        while (statement := self._next()) is not None:
            if statement.text:
                found.append(statement)
        return found

    def finish(self) -> list[Statement]:
        """What is left at the end of the text: its last statement needs no `;`."""
        found = self.feed("\n")
        if self.pending:
            found.append(self._cut(len(self._text), len(self._text)))
        self._text = ""
        self._clear()
        return found

    def _next(self) -> Statement | None:
        while self._scanned < len(self._text):
            if self._quote:
                self._in_quote()
            elif self._depth:
                self._in_brackets()
            elif self._comment:
                self._in_comment()
            else:
                statement, found = self._in_sql()
                if found:
                    return statement
        return None

    def _in_sql(self) -> tuple[Statement | None, bool]:
        """Up to the next special character; the statement when it is the end of one."""
        start = self._scanned
        if not self._content and _DOT_LINE.match(self._text, start):
            return self._dot_line()
        match = _NORMAL.search(self._text, start)
        end = match.start() if match else len(self._text)
        if not self._content and not self._text[start:end].isspace() and end > start:
            self._content = True
        if match is None:
            self._scanned = end
            return None, False
        self._scanned = match.end()
        mark = match.group()
        if mark == ";":
            return self._cut(end, match.end()), True
        if mark == "--":
            self._comment = True
        elif mark == "/*":
            self._depth = 1
        else:
            self._content = True
            self._quote = self._kind_of_quote(mark, end)
        return None, False

    def _dot_line(self) -> tuple[Statement | None, bool]:
        end = self._text.find("\n", self._text.index(".", self._scanned))
        if end < 0:
            self._scanned = len(self._text)
            self._content = True
            return None, False
        # What stands before the dot (blank lines, comments) is no part of the command.
        command = self._text[self._scanned : end].strip()
        line = self._line + self._text.count("\n", 0, self._text.index(".", self._scanned))
        self._cut(end, end + 1)
        return Statement(command, line), True

    def _kind_of_quote(self, quote: str, position: int) -> str:
        if quote == "`":
            return quote
        before = self._text[max(0, position - 2) : position]
        raw = before[-1:] in ("r", "R") and not (before[:-1].isalnum() or before[:-1] == "_")
        return f"raw{quote}" if raw or not self._escapes else quote

    def _in_quote(self) -> None:
        match = _CLOSERS[self._quote].search(self._text, self._scanned)
        if match is None:
            self._scanned = len(self._text)
            return
        self._scanned = match.end()
        if not match.group().startswith("\\"):
            self._quote = ""

    def _in_brackets(self) -> None:
        match = _BRACKETS.search(self._text, self._scanned)
        if match is None:
            self._scanned = len(self._text)
            return
        self._scanned = match.end()
        self._depth += 1 if match.group() == "/*" else -1

    def _in_comment(self) -> None:
        match = _LINE_END.search(self._text, self._scanned)
        if match is None:
            self._scanned = len(self._text)
            return
        self._scanned = match.end()
        self._comment = match.group().startswith("\\")

    def _cut(self, end: int, rest: int) -> Statement:
        """Take the statement up to `end` out of the text and go on at `rest`; its text is empty when it was comments only."""
        whole = self._text[:end]
        text = whole.strip() if self._content or self._quote or self._depth else ""
        line = self._line + whole[: len(whole) - len(whole.lstrip())].count("\n")
        self._line += self._text.count("\n", 0, rest)
        self._text = self._text[rest:]
        self._clear()
        return Statement(text, line)


def split(text: str, dialect: str = "") -> list[Statement]:
    """All statements of a whole text."""
    splitter = Splitter(dialect)
    return splitter.feed(text) + splitter.finish()
