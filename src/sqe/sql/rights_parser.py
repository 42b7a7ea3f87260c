"""Reads statements about rights (`rights.py`) from their tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice, pairwise
from typing import TypeVar

from sqe.errors import SqeError
from sqe.sql.rights import (
    CheckAccess,
    Clauses,
    DenyStatement,
    Grantee,
    GrantStatement,
    Name,
    Object,
    Privilege,
    RevokeStatement,
    RightsStatement,
    SetTags,
    ShowEffectivePolicy,
    ShowGrants,
    TagName,
    UnsetTags,
)
from sqe.sql.tokens import Token, source, syntax_error, tokenize, tokens_of

T = TypeVar("T")

_PRINCIPALS = ("USER", "ROLE", "GROUP")
_KINDS = {
    "CATALOG": "catalog",
    "SCHEMA": "schema",
    "DATABASE": "schema",
    "NAMESPACE": "schema",
    "TABLE": "table",
    "VIEW": "table",
}


def parse_rights(sql: str) -> RightsStatement | None:
    """The statement if it is one about rights, else None. Raises SYNTAX_ERROR for one that is wrong."""
    if not _is_about_rights(sql):
        return None
    return _Parser(sql, tokenize(sql)).statement()


def _is_about_rights(sql: str) -> bool:
    """By its first words; nothing is said about what is wrong with other statements."""
    try:
        words = tuple(token.text.upper() for token in islice(tokens_of(sql), 2) if token.kind == "word")
        if words[:1] in (("GRANT",), ("REVOKE",), ("DENY",)):
            return True
        if words != ("ALTER", "TABLE"):
            return words in (("SHOW", "GRANTS"), ("SHOW", "EFFECTIVE"), ("CHECK", "ACCESS"))
        return any(one.says("SET", "UNSET") and two.says("TAG", "TAGS") for one, two in pairwise(tokens_of(sql)))
    except SqeError:
        return False


class _Parser:
    def __init__(self, sql: str, tokens: list[Token]) -> None:
        self._sql = sql
        self._tokens = tokens
        self._at = 0

    def statement(self) -> RightsStatement:
        found = self._statement()
        self._symbol(";")
        if self._next.kind != "end":
            raise self._wrong("the end of the statement")
        return found

    def _statement(self) -> RightsStatement:
        if self._word("GRANT"):
            return self._grant()
        if self._word("DENY"):
            privileges, on = self._privileges(), self._on()
            self._expect("TO")
            return DenyStatement(privileges, on, self._grantees())
        if self._word("REVOKE"):
            return self._revoke()
        if self._word("SHOW"):
            return self._show_grants() if self._word("GRANTS") else self._show_policy()
        if self._word("CHECK"):
            return self._check_access()
        return self._tags()

    def _grant(self) -> GrantStatement:
        privileges, on = self._privileges(), self._on()
        self._expect("TO")
        return GrantStatement(privileges, on, self._grantees(), self._clauses())

    def _clauses(self) -> Clauses:
        rows: str | None = None
        masks: tuple[tuple[str | TagName, str], ...] = ()
        hiding: list[str | TagName] = []
        untagged = option = False
        seen: set[str] = set()
        while self._next.says("ROWS", "MASKED", "HIDING", "WITH"):
            clause = self._next.text.upper()
            if clause in seen:
                raise self._error(f"{clause} is there twice")
            seen.add(clause)
            if self._word("ROWS"):
                self._expect("WHERE")
                rows = self._parenthesized_text()
            elif self._word("MASKED"):
                self._expect("WITH")
                masks = self._in_parentheses(self._mask)
            elif self._word("HIDING"):
                for each in self._in_parentheses(self._hidden):
                    untagged |= each is None
                    hiding += [] if each is None else [each]
            else:
                self._expect("WITH", "GRANT", "OPTION")
                option = True
        return Clauses(rows, masks, tuple(hiding), untagged, option)

    def _mask(self) -> tuple[str | TagName, str]:
        column = self._column_or_tag()
        if not self._symbol("="):
            raise self._wrong("'='")
        return column, self._text_until((",", ")"))

    def _hidden(self) -> str | TagName | None:
        if self._next.says("UNTAGGED") and self._peek(1).says("COLUMNS"):
            self._expect("UNTAGGED", "COLUMNS")
            return None
        return self._column_or_tag()

    def _column_or_tag(self) -> str | TagName:
        """`TAG pii` and `TAG (pii = 'high')` mean all columns that carry it; a column called tag is quoted."""
        if not (self._next.says("TAG") and (self._peek(1).is_name or self._peek(1).says("("))):
            return self._column()
        self._expect("TAG")
        if self._symbol("("):
            tag = self._tag_value()
            if not self._symbol(")"):
                raise self._wrong("')'")
            return tag
        return TagName(self._name_part("the name of a tag").lower())

    def _revoke(self) -> RevokeStatement:
        only_option = False
        if self._next.says("GRANT") and self._peek(1).says("OPTION"):
            self._expect("GRANT", "OPTION", "FOR")
            only_option = True
        privileges, on = self._privileges(), self._on()
        self._expect("FROM")
        return RevokeStatement(privileges, on, self._grantees(), only_option)

    def _show_grants(self) -> ShowGrants:
        on = self._object() if self._word("ON") else None
        to = self._grantee() if self._word("TO", "FOR") else None
        return ShowGrants(on, to)

    def _show_policy(self) -> ShowEffectivePolicy:
        self._expect("EFFECTIVE", "POLICY")
        user = self._for_user()
        self._expect("ON")
        self._word("TABLE", "VIEW")
        table = self._name("the name of a table")
        return ShowEffectivePolicy(table, user or self._for_user())

    def _check_access(self) -> CheckAccess:
        self._expect("ACCESS")
        privilege = self._name_part("a privilege").lower()
        self._expect("ON")
        self._word("TABLE", "VIEW")
        return CheckAccess(privilege, self._name("the name of a table"), self._for_user())

    def _for_user(self) -> str | None:
        if not self._word("FOR"):
            return None
        self._expect("USER")
        return self._principal_name()

    def _tags(self) -> SetTags | UnsetTags:
        self._expect("ALTER", "TABLE")
        table = self._name("the name of a table")
        if not self._word("ALTER", "CHANGE", "MODIFY"):
            raise self._wrong("ALTER COLUMN")
        self._word("COLUMN")
        column = self._column()
        if self._word("UNSET"):
            self._tag_word()
            return UnsetTags(table, column, self._list(lambda: self._name_part("the name of a tag").lower()))
        self._expect("SET")
        self._tag_word()
        if self._next.says("("):
            return SetTags(table, column, self._in_parentheses(self._tag_value))
        return SetTags(table, column, self._list(self._tag_value))

    def _tag_word(self) -> None:
        if not self._word("TAG", "TAGS"):
            raise self._wrong("TAG")

    def _tag_value(self) -> TagName:
        name = self._name_part("the name of a tag").lower()
        if not self._symbol("="):
            return TagName(name, "")
        token = self._take()
        if token.kind not in ("string", "word", "number"):
            raise self._wrong("a value in quotes", token)
        return TagName(name, token.value)

    # Parts that several statements have.

    def _privileges(self) -> tuple[Privilege, ...]:
        return self._list(self._privilege)

    def _privilege(self) -> Privilege:
        name = self._name_part("a privilege").lower()
        if name == "all":
            self._word("PRIVILEGES")
        columns = self._in_parentheses(self._column) if self._next.says("(") else None
        return Privilege(name, columns)

    def _on(self) -> Object:
        self._expect("ON")
        return self._object()

    def _object(self) -> Object:
        which = ""
        if self._next.says("ALL", "FUTURE") and self._peek(1).says("TABLES", "VIEWS"):
            which = self._take().text.lower()
            self._take()
            self._expect("IN")
        kind = "table"
        if self._next.kind == "word" and self._next.text.upper() in _KINDS and self._peek(1).is_name:
            kind = _KINDS[self._take().text.upper()]
        if which and kind == "table":
            raise self._wrong("SCHEMA or CATALOG")
        return Object(kind, self._name(f"the name of a {kind}"), which)

    def _grantees(self) -> tuple[Grantee, ...]:
        return self._list(self._grantee)

    def _grantee(self) -> Grantee:
        token = self._next
        if not (token.kind == "word" and token.text.upper() in _PRINCIPALS):
            raise self._wrong("USER, ROLE or GROUP")
        self._take()
        return Grantee(token.text.lower(), self._principal_name())

    def _principal_name(self) -> str:
        """People's names are data: quoted in any way when they are more than a word."""
        token = self._take()
        if token.kind not in ("word", "quoted", "string") or not token.value:
            raise self._wrong("a name", token)
        return token.value

    def _column(self) -> str:
        return self._name_part("the name of a column")

    def _name(self, what: str) -> Name:
        parts = [self._name_part(what)]
        while self._symbol("."):
            parts.append(self._name_part(what))
        return tuple(parts)

    def _name_part(self, what: str) -> str:
        token = self._take()
        if not token.is_name or not token.value:
            raise self._wrong(what, token)
        return token.value

    def _parenthesized_text(self) -> str:
        if not self._symbol("("):
            raise self._wrong("'('")
        text = self._text_until((")",))
        self._take()
        return text

    def _text_until(self, ends: Sequence[str]) -> str:
        """The tokens up to one of `ends` outside of all parentheses, as a text without comments."""
        start, depth = self._at, 0
        while True:
            token = self._next
            if token.kind == "end" or token.says(";"):
                raise self._wrong(f"'{ends[-1]}'")
            if depth == 0 and token.kind == "symbol" and token.text in ends:
                break
            depth += 1 if token.kind == "symbol" and token.text in "([" else 0
            depth -= 1 if token.kind == "symbol" and token.text in ")]" else 0
            self._at += 1
        if self._at == start:
            raise self._wrong("an expression")
        return source(self._tokens[start : self._at])

    def _in_parentheses(self, item: Callable[[], T]) -> tuple[T, ...]:
        if not self._symbol("("):
            raise self._wrong("'('")
        items = self._list(item)
        if not self._symbol(")"):
            raise self._wrong("',' or ')'")
        return items

    def _list(self, item: Callable[[], T]) -> tuple[T, ...]:
        items = [item()]
        while self._symbol(","):
            items.append(item())
        return tuple(items)

    # Tokens.

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _peek(self, ahead: int) -> Token:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def _take(self) -> Token:
        token = self._next
        if token.kind != "end":
            self._at += 1
        return token

    def _word(self, *words: str) -> bool:
        if not self._next.says(*words):
            return False
        self._at += 1
        return True

    def _expect(self, *words: str) -> None:
        for word in words:
            if not self._word(word):
                raise self._wrong(word)

    def _symbol(self, symbol: str) -> bool:
        if not self._next.says(symbol):
            return False
        self._at += 1
        return True

    def _wrong(self, wanted: str, token: Token | None = None) -> SqeError:
        token = token or self._next
        found = "the end" if token.kind == "end" else token.text[:40]
        return self._error(f"Expected {wanted}, not {found}", token)

    def _error(self, message: str, token: Token | None = None) -> SqeError:
        return syntax_error(self._sql, (token or self._next).start, message)
