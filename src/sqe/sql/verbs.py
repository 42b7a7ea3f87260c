"""What kind of change a statement is, in the words that clients of Trino show: CREATE TABLE, DROP VIEW, GRANT."""

from __future__ import annotations

import re

# As far as the words can be: no statement is looked at any further.
_LOOKED_AT = 2000
_WORDS = re.compile(r"(?>\s+|--[^\r\n]*|/\*.*?\*/)|(\w+)|(.)", re.DOTALL)
_WITH_OBJECT = frozenset({"CREATE", "DROP", "ALTER", "TRUNCATE", "ANALYZE", "REFRESH"})
_BETWEEN = frozenset({"OR", "REPLACE", "EXTERNAL", "TEMPORARY", "MATERIALIZED"})


def verb(sql: str) -> str:
    """The first word, and for those that need one the kind of thing it is done to."""
    found: list[str] = []
    for match in _WORDS.finditer(sql[:_LOOKED_AT]):
        if match[2]:
            break
        if match[1] and match[1].upper() not in _BETWEEN:
            found.append(match[1].upper())
        if len(found) == 2 or (found and found[0] not in _WITH_OBJECT):
            break
    if not found:
        return "STATEMENT"
    return " ".join(found) if len(found) == 2 and found[1].isalpha() else found[0]
