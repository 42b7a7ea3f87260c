"""Statements of SQE's own, which Spark's grammar does not have. Everything else goes to Spark's parser."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

from sqe import errors
from sqe.errors import SqeError
from sqe.render import FORMATS
from sqe.sql.attach import AttachStatement, parse_attach
from sqe.sql.reading import Reader, quoted
from sqe.sql.rights import RightsStatement
from sqe.sql.rights_parser import parse_rights
from sqe.sql.tokens import tokens


@dataclass(frozen=True)
class KillQuery:
    query_id: str


@dataclass(frozen=True)
class ShowSession:
    pass


@dataclass(frozen=True)
class CopyTo:
    """`COPY (query) TO 'file' (FORMAT …)`."""

    query: str
    file: str
    format: str


@dataclass(frozen=True)
class ExplainAnalyze:
    query: str


@dataclass(frozen=True)
class ExplainJson:
    """`EXPLAIN [ANALYZE] FORMAT JSON query`, Trino's `EXPLAIN (FORMAT JSON) query` too."""

    query: str
    analyze: bool

    @property
    def asks(self) -> str:
        return f"EXPLAIN {'ANALYZE ' if self.analyze else ''}{self.query}"


@dataclass(frozen=True)
class ShowCreateSchema:
    schema: str

    @property
    def asks(self) -> str:
        return f"DESCRIBE NAMESPACE EXTENDED {self.schema}"


OwnStatement = (
    KillQuery | ShowSession | CopyTo | ExplainAnalyze | ExplainJson | ShowCreateSchema | AttachStatement | RightsStatement
)

# Atomic and possessive: with plain quantifiers a text of many comments would be searched in exponential time.
_BLANK = r"(?>\s+|--[^\n]*|/\*.*?\*/)"
_KILL = re.compile(rf"{_BLANK}*+KILL{_BLANK}++QUERY{_BLANK}++'([^']*)'{_BLANK}*+;?{_BLANK}*+", re.IGNORECASE | re.DOTALL)
_SHOW_SESSION = re.compile(rf"{_BLANK}*+SHOW{_BLANK}++SESSION{_BLANK}*+;?{_BLANK}*+", re.IGNORECASE | re.DOTALL)

_ANALYZE = re.compile(rf"{_BLANK}*+EXPLAIN{_BLANK}++ANALYZE\b", re.IGNORECASE | re.DOTALL)
_JSON = re.compile(
    rf"{_BLANK}*+EXPLAIN(?P<analyze>{_BLANK}++ANALYZE)?+{_BLANK}*+(?:\({_BLANK}*+FORMAT{_BLANK}++JSON{_BLANK}*+\)|\bFORMAT{_BLANK}++JSON\b)",
    re.IGNORECASE | re.DOTALL,
)
_CREATE_SCHEMA = re.compile(
    rf"{_BLANK}*+SHOW{_BLANK}++CREATE{_BLANK}++(?:SCHEMA|DATABASE|NAMESPACE)\b", re.IGNORECASE | re.DOTALL
)
_COPY = re.compile(rf"{_BLANK}*+COPY\b", re.IGNORECASE | re.DOTALL)


def parse_own(sql: str) -> OwnStatement | None:
    """The statement if it is one of ours, else None. But for COPY and those about rights none is longer than this, and long texts
    are not searched.
    """
    if rights := parse_rights(sql):
        return rights
    if _COPY.match(sql):
        return _copy(Reader(sql, tokens(sql)))
    if match := _JSON.match(sql):
        return ExplainJson(sql[match.end() :], analyze=match["analyze"] is not None)
    if match := _CREATE_SCHEMA.match(sql):
        return ShowCreateSchema(sql[match.end() :])
    if match := _ANALYZE.match(sql):
        return ExplainAnalyze(sql[match.end() :])
    if attach := parse_attach(sql):
        return attach
    if len(sql) > 1000:
        return None
    if match := _KILL.fullmatch(sql):
        return KillQuery(match.group(1))
    if _SHOW_SESSION.fullmatch(sql):
        return ShowSession()
    return None


# "table" is for people's eyes.
_FILE_FORMATS = tuple(name for name in FORMATS if name != "table")
_ENDINGS = {"ndjson": "jsonl", "md": "markdown", "ipc": "arrow"}


def _copy(reader: Reader) -> CopyTo:
    reader.expect("COPY")
    query = reader.in_brackets() if reader.see("(") else f"SELECT * FROM {quoted(reader.name())}"
    reader.expect("TO")
    file = reader.one("string").value
    options = _options(reader)
    reader.end()
    ending = PurePath(file).suffix[1:].lower()
    chosen = options.get("FORMAT", _ENDINGS.get(ending, ending))
    if chosen not in _FILE_FORMATS:
        raise SqeError(
            errors.NOT_SUPPORTED, f"There is no format {chosen or 'for this file'}", hint=f"one of {', '.join(_FILE_FORMATS)}"
        )
    return CopyTo(query, file, chosen)


def _options(reader: Reader) -> dict[str, str]:
    found: dict[str, str] = {}
    reader.take("WITH")
    if not reader.take("("):
        return found
    while not reader.take(")"):
        if found:
            reader.expect(",")
        if not reader.take("FORMAT"):
            raise reader.wrong()
        token = reader.next
        found["FORMAT"] = reader.one("string").value.lower() if token and token.kind == "string" else reader.identifier().lower()
    return found
