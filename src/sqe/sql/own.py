"""Statements of SQE's own, which Spark's grammar does not have. Everything else goes to Spark's parser."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqe.sql.rights import RightsStatement
from sqe.sql.rights_parser import parse_rights


@dataclass(frozen=True)
class KillQuery:
    query_id: str


@dataclass(frozen=True)
class ShowSession:
    pass


OwnStatement = KillQuery | ShowSession | RightsStatement

# Atomic and possessive: with plain quantifiers a text of many comments would be searched in exponential time.
_BLANK = r"(?>\s+|--[^\n]*|/\*.*?\*/)"
_KILL = re.compile(rf"{_BLANK}*+KILL{_BLANK}++QUERY{_BLANK}++'([^']*)'{_BLANK}*+;?{_BLANK}*+", re.IGNORECASE | re.DOTALL)
_SHOW_SESSION = re.compile(rf"{_BLANK}*+SHOW{_BLANK}++SESSION{_BLANK}*+;?{_BLANK}*+", re.IGNORECASE | re.DOTALL)


def parse_own(sql: str) -> OwnStatement | None:
    """The statement if it is one of ours, else None."""
    if rights := parse_rights(sql):
        return rights
    if len(sql) > 1000:  # those below are short, and long texts are not searched
        return None
    if match := _KILL.fullmatch(sql):
        return KillQuery(match.group(1))
    if _SHOW_SESSION.fullmatch(sql):
        return ShowSession()
    return None
