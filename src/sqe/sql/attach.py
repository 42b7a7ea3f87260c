"""The grammar of ATTACH, DETACH and SECRET, and their text without what is secret in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqe.errors import SqeError
from sqe.sql.reading import Reader
from sqe.sql.tokens import tokens


@dataclass(frozen=True)
class Attach:
    """`ATTACH [IF NOT EXISTS] 'address' AS name (TYPE …, WAREHOUSE '…', SECRET s, …)`."""

    address: str
    name: str
    options: Mapping[str, str]
    if_missing: bool = False


@dataclass(frozen=True)
class Detach:
    name: str
    if_there: bool = False


@dataclass(frozen=True)
class CreateSecret:
    name: str
    options: Mapping[str, str] = field(repr=False)
    replaces: bool = False
    if_missing: bool = False


@dataclass(frozen=True)
class DropSecret:
    name: str
    if_there: bool = False


@dataclass(frozen=True)
class ShowSecrets:
    pass


AttachStatement = Attach | Detach | CreateSecret | DropSecret | ShowSecrets

_BLANK = r"(?>\s+|--[^\n]*|/\*.*?\*/)"
_OURS = re.compile(
    rf"{_BLANK}*+(?:ATTACH\b|DETACH\b|(?:CREATE(?:{_BLANK}++OR{_BLANK}++REPLACE)?|DROP){_BLANK}++SECRET\b|SHOW{_BLANK}++SECRETS\b)",
    re.IGNORECASE | re.DOTALL,
)
_WITH_VALUES = re.compile(rf"(?:\ufeff|{_BLANK})*+CREATE(?:{_BLANK}++\w++){{0,4}}?{_BLANK}++SECRET\b", re.IGNORECASE | re.DOTALL)


def parse_attach(sql: str) -> AttachStatement | None:
    if not _OURS.match(sql):
        return None
    reader = Reader(sql, tokens(sql))
    if reader.take("ATTACH"):
        reader.take("DATABASE") or reader.take("CATALOG")
        if_missing = reader.take("IF", "NOT", "EXISTS")
        address = reader.one("string").value
        reader.expect("AS")
        made: AttachStatement = Attach(address, reader.identifier(), _options(reader), if_missing)
    elif reader.take("DETACH"):
        reader.take("DATABASE") or reader.take("CATALOG")
        if_there = reader.take("IF", "EXISTS")
        made = Detach(reader.identifier(), if_there)
    elif reader.take("DROP", "SECRET"):
        if_there = reader.take("IF", "EXISTS")
        made = DropSecret(reader.identifier(), if_there)
    elif reader.take("SHOW", "SECRETS"):
        made = ShowSecrets()
    else:
        replaces = reader.take("CREATE", "OR", "REPLACE") or not reader.take("CREATE")
        reader.expect("SECRET")
        if_missing = reader.take("IF", "NOT", "EXISTS")
        try:
            made = CreateSecret(reader.identifier(), _options(reader), replaces, if_missing)
            reader.end()
        except SqeError as wrong:  # what is near the place may be the secret
            raise SqeError(wrong.code, "Syntax error in CREATE SECRET", line=wrong.line, column=wrong.column) from None
    reader.end()
    return made


def without_secrets(sql: str) -> str:
    """As others may see it: in lists of queries, in logs, in the audit log. Also a statement that is wrong."""
    found = _WITH_VALUES.match(sql)
    return f"{found.group()} ***" if found else sql


def _options(reader: Reader) -> dict[str, str]:
    """`(NAME value, …)`: a value is a text, a word or a number."""
    found: dict[str, str] = {}
    if not reader.take("("):
        return found
    while not reader.take(")"):
        if found:
            reader.expect(",")
        name = reader.identifier().lower()
        reader.take("=")
        token = reader.next
        if token is not None and token.kind == "string":
            found[name] = reader.one("string").value
        elif token is not None and token.kind == "number":
            found[name] = reader.one("number").text
        else:
            word = reader.identifier()
            found[name] = word.lower() if name == "type" else word
    return found
