"""A signed token as it is written, before anybody believes it: `header.claims.signature`, read strictly."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Any

# Those of real providers are below 4 kB, or 12 kB with hundreds of groups.
LONGEST = 32 * 1024

_SHAPE = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)")


class Malformed(Exception):
    """It claims to be a signed token and is a broken one."""


@dataclass(frozen=True)
class WrittenToken:
    header: dict[str, Any]
    claims: dict[str, Any]


def written(token: str) -> WrittenToken | None:
    """None when it is nothing of this kind; raises `Malformed`."""
    if len(token) > LONGEST:
        raise Malformed("it is too long")
    shape = _SHAPE.fullmatch(token)
    if shape is None:
        return None
    try:
        header = _object(shape[1])
    except (ValueError, RecursionError):
        return None
    if header is None or "alg" not in header:
        return None
    try:
        claims = _object(shape[2])
    except (ValueError, RecursionError):
        raise Malformed("its claims cannot be read") from None
    if claims is None:
        raise Malformed("its claims are no object")
    return WrittenToken(header, claims)


def _object(part: str) -> dict[str, Any] | None:
    import json

    try:
        text = base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True).decode("utf-8")
    except binascii.Error as error:
        raise ValueError from error
    found = json.loads(text, object_pairs_hook=_without_doubles, parse_constant=_refused)
    return found if isinstance(found, dict) else None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two claims of one name, readers take different ones."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is there twice")
    return found


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
