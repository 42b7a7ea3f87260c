"""A reader that walks over the tokens of one statement: `take` what is expected, or say where it went wrong."""

from __future__ import annotations

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.tokens import Token, quote_name


class Reader:
    def __init__(self, sql: str, tokens: list[Token], at: int = 0) -> None:
        self.sql = sql
        self.at = at  # the place of the next token
        self._tokens = tokens

    @property
    def next(self) -> Token | None:
        return self._tokens[self.at] if self.at < len(self._tokens) else None

    @property
    def left(self) -> list[Token]:
        return self._tokens[self.at :]

    def see(self, *phrase: str) -> bool:
        """Whether these words come next."""
        ahead = self._tokens[self.at : self.at + len(phrase)]
        return len(ahead) == len(phrase) and all(token.says(word) for token, word in zip(ahead, phrase, strict=True))

    def take(self, *phrase: str) -> bool:
        """Steps over these words when they come next."""
        if not self.see(*phrase):
            return False
        self.at += len(phrase)
        return True

    def expect(self, word: str) -> None:
        if not self.take(word):
            raise self.wrong()

    def one(self, kind: str) -> Token:
        token = self.next
        if token is None or token.kind != kind:
            raise self.wrong()
        self.at += 1
        return token

    def identifier(self) -> str:
        token = self.next
        if token is None or not token.is_name:
            raise self.wrong()
        self.at += 1
        return token.name

    def name(self) -> list[str]:
        """A name of one or several parts."""
        parts = [self.identifier()]
        while self.take("."):
            parts.append(self.identifier())
        return parts

    def rest(self) -> str:
        """The text from here to the end."""
        token = self.next
        self.at = len(self._tokens)
        return self.sql[token.start :] if token else ""

    def in_brackets(self) -> str:
        """The text between this bracket and the one that closes it."""
        opening = self.next
        self.expect("(")
        depth = 1
        while (token := self.next) is not None:
            self.at += 1
            depth += token.says("(") - token.says(")")
            if depth == 0 and opening is not None:
                return self.sql[opening.end : token.start]
        raise self.wrong()

    def end(self) -> None:
        self.take(";")
        if self.next is not None:
            raise self.wrong()

    def wrong(self) -> SqeError:
        token = self.next
        at = token.start if token else len(self.sql)
        before = self.sql[:at]
        shown = f"at or near {token.text[:40]!r}" if token else "at the end of the statement"
        return SqeError(
            errors.SYNTAX_ERROR, f"Syntax error {shown}", line=before.count("\n") + 1, column=at - (before.rfind("\n") + 1) + 1
        )


def quoted(parts: list[str]) -> str:
    return ".".join(quote_name(part) for part in parts)
