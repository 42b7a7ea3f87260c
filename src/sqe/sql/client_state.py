"""Statements of Trino's that change what the client keeps, and not what the server has: USE, SET SESSION, PREPARE, transactions.

Trino's protocol has no server-side session: a client sends its catalog, properties and prepared statements with every request,
and an answer's headers tell it to change them. `read` finds such statements, by Trino's own lexer; nothing else is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.reading import Reader
from sqe.sql.tokens import Token


@dataclass(frozen=True)
class Use:
    catalog: str | None
    schema: str


@dataclass(frozen=True)
class SetSession:
    name: str
    value: str


@dataclass(frozen=True)
class ResetSession:
    name: str


@dataclass(frozen=True)
class SetTimeZone:
    zone: str | None  # None: the client's own


@dataclass(frozen=True)
class SetPath:
    path: str


@dataclass(frozen=True)
class SetRole:
    role: str  # ALL, NONE or ROLE{name}
    catalog: str


@dataclass(frozen=True)
class SetAuthorization:
    user: str | None  # None: RESET


@dataclass(frozen=True)
class Prepare:
    name: str
    sql: str


@dataclass(frozen=True)
class Deallocate:
    name: str


@dataclass(frozen=True)
class Execute:
    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class ExecuteImmediate:
    sql: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class DescribeInput:
    name: str


@dataclass(frozen=True)
class DescribeOutput:
    name: str


@dataclass(frozen=True)
class StartTransaction:
    pass


@dataclass(frozen=True)
class Commit:
    pass


@dataclass(frozen=True)
class Rollback:
    pass


ClientStatement = (
    Use
    | SetSession
    | ResetSession
    | SetTimeZone
    | SetPath
    | SetRole
    | SetAuthorization
    | Prepare
    | Deallocate
    | Execute
    | ExecuteImmediate
    | DescribeInput
    | DescribeOutput
    | StartTransaction
    | Commit
    | Rollback
)

_Reading = Callable[[Reader], ClientStatement | None]

# Trino's: a backslash in a string is itself, and comments do not nest. `\w` of numbers keeps 1e5 in one piece.
_TOKEN = re.compile(
    r"""
      (?P<blank>\s++|--[^\r\n]*+|/\*.*?\*/)
    | (?P<string>(?:[uU]&|[xX])?'(?:[^']|'')*+')
    | (?P<quoted>"(?:[^"]|"")*+"|`(?:[^`]|``)*+`)
    | (?P<number>\d[\w.]*+|\.\d\w*+)
    | (?P<word>[^\W\d]\w*+)
    | (?P<symbol>=>|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_FIRST_WORD = re.compile(r"(?>\s+|--[^\r\n]*|/\*.*?\*/)*+([A-Za-z]+)", re.DOTALL)


def tokens(sql: str) -> list[Token]:
    found = []
    for match in _TOKEN.finditer(sql):
        kind = match.lastgroup or "symbol"
        if kind != "blank":
            found.append(Token(kind, match.group(), match.start(), match.end()))
    return found


def read(sql: str) -> ClientStatement | None:
    """The statement if it is one of these. Raises SYNTAX_ERROR for one that begins like them and goes wrong."""
    first = _FIRST_WORD.match(sql)
    reading = _READERS.get(first[1].upper()) if first else None
    return reading(Reader(sql, tokens(sql))) if reading else None


def bind(sql: str, arguments: tuple[str, ...]) -> str:
    """The statement with an expression for each of its `?`; brackets keep each one whole."""
    marks = [token for token in tokens(sql) if token.says("?")]
    if len(marks) != len(arguments):
        raise SqeError(
            errors.INVALID_PARAMETER_USAGE, f"Incorrect number of parameters: expected {len(marks)} but found {len(arguments)}"
        )
    made, done = [], 0
    for mark, argument in zip(marks, arguments, strict=True):
        made += [sql[done : mark.start], argument if _is_literal(argument) else f"({argument})"]
        done = mark.end
    return "".join([*made, sql[done:]])


def _is_literal(argument: str) -> bool:
    """`7`, `'a'`, `NULL`, `DATE '2026-01-02'`: whole without brackets, which LIMIT and INTERVAL would not take."""
    kinds = [token.kind for token in tokens(argument)]
    return kinds in (["number"], ["string"], ["word"], ["word", "string"])


def _text(token: Token) -> str:
    return token.text[1:-1].replace("''", "'")


def _string(reader: Reader) -> str:
    token = reader.one("string")
    if token.text[0] != "'":
        reader.at -= 1
        raise reader.wrong()
    return _text(token)


def _use(reader: Reader) -> ClientStatement | None:
    reader.take("USE")
    name = reader.name()
    reader.end()
    if len(name) > 2:
        raise SqeError(errors.SYNTAX_ERROR, "USE takes a schema, or a catalog and a schema")
    return Use(name[0] if len(name) == 2 else None, name[-1])


def _set(reader: Reader) -> ClientStatement | None:
    reader.take("SET")
    if reader.take("TIME", "ZONE"):
        zone = None if reader.take("LOCAL") else _string(reader)
        reader.end()
        return SetTimeZone(zone)
    if reader.take("SESSION", "AUTHORIZATION"):
        user = _text(reader.one("string")) if reader.next and reader.next.kind == "string" else reader.identifier()
        reader.end()
        return SetAuthorization(user)
    if reader.take("SESSION"):
        return _set_session(reader)
    if reader.take("ROLE"):
        return _set_role(reader)
    if reader.take("PATH"):
        return SetPath(reader.rest().rstrip("; \t\r\n"))
    return None


def _set_session(reader: Reader) -> ClientStatement:
    name = ".".join(reader.name())
    reader.expect("=")
    sign = "-" if reader.take("-") else ""
    token = reader.next
    if token is None or token.kind not in ("string", "number", "word"):
        raise reader.wrong()
    reader.at += 1
    reader.end()
    return SetSession(name, _text(token) if token.kind == "string" else sign + token.text)


def _set_role(reader: Reader) -> ClientStatement:
    token = reader.next
    name = reader.identifier()
    catalog = reader.identifier() if reader.take("IN") else "system"
    reader.end()
    chosen = name.upper() if token and token.says("ALL", "NONE") else f"ROLE{{{name}}}"
    return SetRole(chosen, catalog)


def _reset(reader: Reader) -> ClientStatement | None:
    reader.take("RESET")
    if reader.take("SESSION", "AUTHORIZATION"):
        reader.end()
        return SetAuthorization(None)
    if not reader.take("SESSION"):
        return None
    name = ".".join(reader.name())
    reader.end()
    return ResetSession(name)


def _prepare(reader: Reader) -> ClientStatement | None:
    reader.take("PREPARE")
    name = reader.identifier()
    reader.expect("FROM")
    sql = reader.rest()
    if not sql:
        raise reader.wrong()
    return Prepare(name, sql)


def _deallocate(reader: Reader) -> ClientStatement | None:
    reader.take("DEALLOCATE")
    reader.expect("PREPARE")
    name = reader.identifier()
    reader.end()
    return Deallocate(name)


def _execute(reader: Reader) -> ClientStatement | None:
    reader.take("EXECUTE")
    if reader.see("IMMEDIATE") and len(reader.left) > 1 and reader.left[1].kind == "string":
        reader.take("IMMEDIATE")
        sql = _string(reader)
        return ExecuteImmediate(sql, _arguments(reader))
    name = reader.identifier()
    return Execute(name, _arguments(reader))


def _arguments(reader: Reader) -> tuple[str, ...]:
    """The expressions after USING, each as it is written."""
    found: list[str] = []
    if not reader.take("USING"):
        reader.end()
        return ()
    while True:
        found.append(_expression(reader))
        if not reader.take(","):
            reader.end()
            return tuple(found)


def _expression(reader: Reader) -> str:
    """Up to the next comma or end that is in no bracket."""
    first = last = reader.next
    depth = 0
    while (token := reader.next) is not None and (depth or not token.says(",", ";")):
        depth += token.says("(", "[") - token.says(")", "]")
        if depth < 0 or token.says("?"):
            raise reader.wrong()
        last = token
        reader.at += 1
    if first is None or last is None or depth or first is reader.next:
        raise reader.wrong()
    return reader.sql[first.start : last.end]


def _describe(reader: Reader) -> ClientStatement | None:
    reader.take("DESCRIBE")
    if len(reader.left) < 2 or not reader.left[1].is_name:
        return None  # a table that is called input or output
    kind = next((kind for word, kind in (("INPUT", DescribeInput), ("OUTPUT", DescribeOutput)) if reader.take(word)), None)
    if kind is None:
        return None
    name = reader.identifier()
    reader.end()
    return kind(name)


def _start(reader: Reader) -> ClientStatement | None:
    """Isolation levels and READ ONLY are accepted: every statement is a snapshot and a commit of its own."""
    return StartTransaction() if reader.take("START", "TRANSACTION") else None


def _end(kind: type[Commit] | type[Rollback]) -> _Reading:
    def reading(reader: Reader) -> ClientStatement | None:
        reader.at += 1
        reader.take("WORK")
        reader.end()
        return kind()

    return reading


_READERS: dict[str, _Reading] = {
    "USE": _use,
    "SET": _set,
    "RESET": _reset,
    "PREPARE": _prepare,
    "DEALLOCATE": _deallocate,
    "EXECUTE": _execute,
    "DESCRIBE": _describe,
    "START": _start,
    "COMMIT": _end(Commit),
    "ROLLBACK": _end(Rollback),
}
