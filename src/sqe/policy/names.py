"""Names of catalogs, schemas and tables as policies compare them: in parts, without regard to case."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqe.sql.tokens import identifier

Parts = tuple[str, ...]


# Backticks around a part that holds a dot or a backtick; whatever else a name holds is part of it.
_PART = re.compile(r"(?:`((?:[^`]|``)*)`|([^.]*))(?:\.|$)")


def parts_of(name: str) -> Parts:
    """`lake.bank.accounts` in parts. The first is the catalog."""
    parts: list[str] = []
    for match in _PART.finditer(name):
        parts.append(match[1].replace("``", "`") if match[1] is not None else match[2])
        if match.end() == len(name) and not name.endswith("."):
            break
    return tuple(parts)


def key_of(parts: Sequence[str]) -> str:
    """One text for a name, the same however it was spelled."""
    return ".".join(identifier(part.lower()) for part in parts)


def shown(parts: Sequence[str]) -> str:
    return ".".join(identifier(part) for part in parts)
