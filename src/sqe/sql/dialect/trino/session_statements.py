"""What a Trino client asks of its session: prepared statements, settings, transactions, roles.

The door keeps these, in headers that travel with the client; nothing of them is SQL for the engine. `read` says which one a text
is, `bind` puts the values of an EXECUTE in the places of the `?`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.dialect.trino.lexer import reader, text_of, trino_tokens
from sqe.sql.reading import Reader


@dataclass(frozen=True)
class Position:
    line: int
    column: int


@dataclass(frozen=True)
class Prepare:
    name: str
    statement: str
    at: Position  # where `statement` begins in the text that came


@dataclass(frozen=True)
class Execute:
    name: str
    values: tuple[str, ...]  # expressions in Trino's words


@dataclass(frozen=True)
class ExecuteImmediate:
    statement: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Deallocate:
    name: str


@dataclass(frozen=True)
class DescribeInput:
    name: str


@dataclass(frozen=True)
class DescribeOutput:
    name: str


@dataclass(frozen=True)
class Use:
    catalog: str | None
    schema: str


@dataclass(frozen=True)
class SetSession:
    name: str  # lower case, with its catalog where there is one: `lake.x`
    value: str  # an expression in Trino's words


@dataclass(frozen=True)
class ResetSession:
    name: str


@dataclass(frozen=True)
class SetTimeZone:
    value: str | None  # an expression in Trino's words; None = LOCAL


@dataclass(frozen=True)
class SetPath:
    path: str


@dataclass(frozen=True)
class SetRole:
    role: str  # a name, or ALL or NONE in capitals when these words came without quotes
    catalog: str | None


@dataclass(frozen=True)
class ShowRoles:
    column: str  # of the answer
    current: bool = False  # those that are enabled


@dataclass(frozen=True)
class SetSessionAuthorization:
    user: str | None  # None = RESET


@dataclass(frozen=True)
class StartTransaction:
    isolation: str | None
    read_only: bool


@dataclass(frozen=True)
class Commit:
    pass


@dataclass(frozen=True)
class Rollback:
    pass


T = TypeVar("T")

SessionStatement = (
    Prepare
    | Execute
    | ExecuteImmediate
    | Deallocate
    | DescribeInput
    | DescribeOutput
    | Use
    | SetSession
    | ResetSession
    | SetTimeZone
    | SetPath
    | SetRole
    | ShowRoles
    | SetSessionAuthorization
    | StartTransaction
    | Commit
    | Rollback
)

_FIRST_WORD = re.compile(
    r"(?>\s+|--[^\n]*|/\*.*?\*/)*+"
    r"(PREPARE|EXECUTE|DEALLOCATE|DESCRIBE|USE|SET|RESET|SHOW|START|COMMIT|ROLLBACK)\b",
    re.IGNORECASE | re.DOTALL,
)


def read(sql: str) -> SessionStatement | None:
    """The statement if it is one for the session; None for all others. Raises SYNTAX_ERROR for one that is badly formed."""
    first = _FIRST_WORD.match(sql)
    if first is None:
        return None
    return _READERS[first[1].upper()](reader(sql))


def bind(statement: str, values: Sequence[str]) -> str:
    """The statement with an expression in each place of a `?`, as Trino does it: before analysis, with the values' types."""
    places = parameters(statement)
    if len(places) != len(values):
        raise SqeError(
            errors.INVALID_PARAMETER_USAGE, f"Incorrect number of parameters: expected {len(places)} but found {len(values)}"
        )
    made, done = [], 0
    for (start, end), value in zip(places, values, strict=True):
        made += [statement[done:start], f"({value})"]
        done = end
    return "".join([*made, statement[done:]])


def parameters(statement: str) -> list[tuple[int, int]]:
    """Where the `?` of a statement are: start and end in its text."""
    return [(token.start, token.end) for token in trino_tokens(statement) if token.kind == "symbol" and token.text == "?"]


def _prepare(words: Reader) -> Prepare:
    words.expect("PREPARE")
    name = _name(words)
    words.expect("FROM")
    start = words.next
    if start is None:
        raise words.wrong()
    before = words.sql[: start.start]
    return Prepare(
        name, words.rest().rstrip("; \n\t\r"), Position(before.count("\n") + 1, start.start - (before.rfind("\n") + 1) + 1)
    )


def _execute(words: Reader) -> Execute | ExecuteImmediate:
    words.expect("EXECUTE")
    if words.take("IMMEDIATE"):
        statement = text_of(words.one("string"))
        return ExecuteImmediate(statement.rstrip("; \n\t\r"), _using(words))
    return Execute(_name(words), _using(words))


def _using(words: Reader) -> tuple[str, ...]:
    """Expressions, parted by the commas that are in no brackets."""
    if not words.take("USING"):
        words.end()
        return ()
    values, depth, start = [], 0, words.next
    if start is None:
        raise words.wrong()
    last = start
    while (token := words.next) is not None:
        if token.says(";") and depth == 0:
            break
        words.at += 1
        depth += token.says("(", "[") - token.says(")", "]")
        if depth < 0:
            words.at -= 1
            raise words.wrong()
        if token.says(",") and depth == 0:
            if token is start or words.next is None:
                raise words.wrong()
            values.append(words.sql[start.start : last.end])
            start = words.next
        last = token
    if depth or last.says(","):
        raise words.wrong()
    values.append(words.sql[start.start : last.end])
    words.end()
    return tuple(values)


def _deallocate(words: Reader) -> Deallocate:
    words.expect("DEALLOCATE")
    words.expect("PREPARE")
    return _last(words, Deallocate(_name(words)))


def _describe(words: Reader) -> SessionStatement | None:
    words.expect("DESCRIBE")
    for word, kind in (("INPUT", DescribeInput), ("OUTPUT", DescribeOutput)):
        ahead = words.left
        if words.see(word) and len(ahead) > 1 and ahead[1].is_name:
            words.expect(word)
            return _last(words, kind(_name(words)))
    return None


def _use(words: Reader) -> Use:
    words.expect("USE")
    first = _name(words)
    if words.take("."):
        return _last(words, Use(first, _name(words)))
    return _last(words, Use(None, first))


def _set(words: Reader) -> SessionStatement | None:
    words.expect("SET")
    if words.take("SESSION", "AUTHORIZATION"):
        token = words.next
        user = text_of(words.one("string")) if token and token.kind == "string" else _name(words)
        return _last(words, SetSessionAuthorization(user))
    if words.take("SESSION"):
        name = ".".join(part.lower() for part in words.name())
        words.expect("=")
        return SetSession(name, _expression(words))
    if words.take("TIME", "ZONE"):
        return SetTimeZone(None) if words.take("LOCAL") else SetTimeZone(_expression(words))
    if words.take("PATH"):
        return SetPath(_expression(words))
    if words.take("ROLE"):
        token = words.next
        role = token.text.upper() if token and token.says("ALL", "NONE") else ""
        role = (words.identifier(), role)[1] if role else _name(words)
        catalog = _name(words) if words.take("IN") else None
        return _last(words, SetRole(role, catalog))
    return None


def _show(words: Reader) -> ShowRoles | None:
    """Of a catalog there are none: those are left to who refuses them."""
    words.expect("SHOW")
    if words.take("ROLE", "GRANTS"):
        found = ShowRoles("Role Grants")
    elif words.take("CURRENT", "ROLES"):
        found = ShowRoles("Role", current=True)
    elif words.take("ROLES"):
        found = ShowRoles("Role")
    else:
        return None
    return None if words.see("FROM") or words.see("IN") else _last(words, found)


def _reset(words: Reader) -> SessionStatement | None:
    words.expect("RESET")
    if not words.take("SESSION"):
        return None
    if words.take("AUTHORIZATION"):
        return _last(words, SetSessionAuthorization(None))
    return _last(words, ResetSession(".".join(part.lower() for part in words.name())))


_ISOLATION = ("SERIALIZABLE", "READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ")


def _start(words: Reader) -> StartTransaction:
    words.expect("START")
    words.expect("TRANSACTION")
    isolation, read_only, first = None, False, True
    while words.next is not None and not words.see(";"):
        if not first:
            words.expect(",")
        first = False
        if words.take("ISOLATION", "LEVEL"):
            isolation = next((level for level in _ISOLATION if words.take(*level.split())), None)
            if isolation is None:
                raise words.wrong()
        elif words.take("READ", "ONLY"):
            read_only = True
        elif not words.take("READ", "WRITE"):
            raise words.wrong()
    return _last(words, StartTransaction(isolation, read_only))


def _commit(words: Reader) -> Commit:
    words.expect("COMMIT")
    words.take("WORK")
    return _last(words, Commit())


def _rollback(words: Reader) -> Rollback:
    words.expect("ROLLBACK")
    words.take("WORK")
    return _last(words, Rollback())


_READERS: dict[str, Callable[[Reader], SessionStatement | None]] = {
    "PREPARE": _prepare,
    "EXECUTE": _execute,
    "DEALLOCATE": _deallocate,
    "DESCRIBE": _describe,
    "USE": _use,
    "SET": _set,
    "RESET": _reset,
    "SHOW": _show,
    "START": _start,
    "COMMIT": _commit,
    "ROLLBACK": _rollback,
}


def _name(words: Reader) -> str:
    """Names without quotes are lower case, as everywhere in Trino."""
    token = words.next
    name = words.identifier()
    return name.lower() if token is not None and token.kind == "word" else name


def _expression(words: Reader) -> str:
    if words.next is None:
        raise words.wrong()
    return words.rest().rstrip("; \n\t\r")


def _last(words: Reader, statement: T) -> T:
    words.end()
    return statement
