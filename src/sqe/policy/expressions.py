"""Filters and masks: Spark SQL, plus functions that are written out here before Spark sees the text.

`current_user`, `is_role_in_session('r')` and their kin become literals of the person who asks. That is exact, needs nothing in
the engine, and a filter on a constant reaches Iceberg's partition pruning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sqe import errors
from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.sql.tokens import Token, quote_text, source, tokenize

# A function's arguments as written out already, and what it becomes.
Function = Callable[[Sequence[str]], str]

_OPEN = {"(": ")", "[": "]"}


class BadExpression(SqeError):
    """A filter or a mask that cannot be used, as its author should read it."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(errors.INVALID_FUNCTION_ARGUMENT, message, hint=hint)


def plain(text: str) -> str:
    """The same expression without comments. Raises for one that would not stay within its parentheses."""
    tokens = tokenize(text)[:-1]
    if not tokens:
        raise BadExpression("An expression is empty")
    closers: list[str] = []
    for token in tokens:
        if token.says(";"):
            raise BadExpression("An expression may not hold a semicolon")
        if token.kind == "symbol" and token.text in _OPEN:
            closers.append(_OPEN[token.text])
        elif token.kind == "symbol" and token.text in _OPEN.values() and (not closers or closers.pop() != token.text):
            raise BadExpression("The parentheses of an expression do not match")
    if closers:
        raise BadExpression("The parentheses of an expression do not match")
    return source(tokens)


def has_subquery(text: str) -> bool:
    return any(token.says("SELECT", "TABLE", "VALUES", "FROM") for token in tokenize(text))


def expanded(text: str, functions: dict[str, Function], words: dict[str, str] | None = None) -> str:
    """Calls of `functions`, and `words` that stand alone, written out. Names after a dot are columns and stay."""
    return _expanded(tokenize(text)[:-1], functions, words or {})


def _expanded(tokens: Sequence[Token], functions: dict[str, Function], words: dict[str, str]) -> str:
    parts: list[str] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        gap = " " if token.gap and index else ""
        after_dot = index > 0 and tokens[index - 1].says(".")
        called = index + 1 < len(tokens) and tokens[index + 1].says("(")
        name = token.text.lower() if token.kind == "word" and not after_dot else ""
        if name in functions and called:
            end = _closing(tokens, index + 1)
            arguments = [_expanded(each, functions, words) for each in _split(tokens[index + 2 : end])]
            parts.append(gap + functions[name](arguments))
            index = end + 1
        elif name in words and not (index + 1 < len(tokens) and tokens[index + 1].says(".")):
            parts.append(gap + words[name])
            index += 3 if called and tokens[index + 2].says(")") else 1
        else:
            parts.append(gap + token.text)
            index += 1
    return "".join(parts)


def _closing(tokens: Sequence[Token], opening: int) -> int:
    depth = 0
    for index in range(opening, len(tokens)):
        if tokens[index].says("("):
            depth += 1
        elif tokens[index].says(")"):
            depth -= 1
            if depth == 0:
                return index
    raise BadExpression("The parentheses of an expression do not match")


def _split(tokens: Sequence[Token]) -> Iterable[Sequence[Token]]:
    """The arguments of a call."""
    depth, start = 0, 0
    for index, token in enumerate(tokens):
        if token.kind == "symbol" and token.text in "([":
            depth += 1
        elif token.kind == "symbol" and token.text in ")]":
            depth -= 1
        elif token.says(",") and depth == 0:
            yield tokens[start:index]
            start = index + 1
    if tokens:
        yield tokens[start:]


def for_person(text: str, identity: Identity) -> str:
    """The expression with the functions about the person who asks written out."""
    user = quote_text(identity.user)
    functions: dict[str, Function] = {
        "is_role_in_session": _membership("is_role_in_session", identity.roles),
        "is_member_of_group": _membership("is_member_of_group", identity.groups),
        "current_roles": lambda arguments: _texts(identity.roles),
        "current_groups": lambda arguments: _texts(identity.groups),
    }
    return expanded(text, functions, {"current_user": user, "session_user": user})


def _membership(name: str, members: frozenset[str]) -> Function:
    def written_out(arguments: Sequence[str]) -> str:
        if len(arguments) != 1:
            raise BadExpression(f"{name} takes one argument")
        if not members:
            return f"(({arguments[0]}) IS NULL AND false)"  # still checked by Spark, never true
        return f"coalesce(({arguments[0]}) IN ({', '.join(map(quote_text, sorted(members)))}), false)"

    return written_out


def _texts(members: frozenset[str]) -> str:
    return f"CAST(array({', '.join(map(quote_text, sorted(members)))}) AS ARRAY<STRING>)"
