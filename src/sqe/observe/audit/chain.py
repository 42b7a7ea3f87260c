"""How lines are sealed: each carries the hash of the one before it, and its own.

The hash is taken over the very bytes of the line without its last member, so checking needs no agreement about how JSON is
written, and a change of any byte shows.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqe.config.values import Secret

PLAIN, KEYED = "sha256", "hmac-sha256"
NOTHING_BEFORE = "0" * 64

_SEALED = re.compile(rb'(\{.*),"hash":"([0-9a-f]{64})"\}', re.DOTALL)


@dataclass(frozen=True)
class Link:
    """The last line of a chain."""

    seq: int
    hash: str


START = Link(0, NOTHING_BEFORE)


class BadLine(Exception):
    """Why a line is not what was written."""


@dataclass(frozen=True)
class Line:
    """A line whose own hash is right."""

    link: Link
    prev: str
    alg: str
    fields: Mapping[str, Any]


class Chain:
    """Seals and opens lines, with a key or without."""

    def __init__(self, key: Secret | None = None) -> None:
        self._key = key.reveal().encode("utf-8", "surrogatepass") if key else None
        self.alg = PLAIN if self._key is None else KEYED

    def sealed(self, entry: Mapping[str, Any], before: Link) -> tuple[bytes, Link]:
        """The line for an entry, with its end, and the link that the next one follows."""
        fields = {"seq": before.seq + 1, "prev": before.hash, "alg": self.alg, **entry}
        # ASCII: no character of a statement can end a line, move a cursor or hide behind another.
        body = json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode("ascii")
        digest = self._digest(body)
        return body[:-1] + f',"hash":"{digest}"}}\n'.encode("ascii"), Link(before.seq + 1, digest)

    def opened(self, line: bytes) -> Line:
        """Raises `BadLine`. `line` comes without its end."""
        known = parsed(line)
        if known.alg != self.alg:
            raise BadLine(f"it is sealed with {known.alg}, not with {self.alg}")
        found = _SEALED.fullmatch(line)
        assert found is not None
        if not hmac.compare_digest(self._digest(found[1] + b"}"), known.link.hash):
            raise BadLine("its hash does not match: it was changed" + (", or the key is another" if self._key else ""))
        return known

    def _digest(self, body: bytes) -> str:
        if self._key is None:
            return hashlib.sha256(body).hexdigest()
        return hmac.new(self._key, body, hashlib.sha256).hexdigest()


def parsed(line: bytes) -> Line:
    """What a line says, its hash unchecked."""
    found = _SEALED.fullmatch(line)
    if found is None:
        raise BadLine("it is not a whole line of an audit log")
    try:
        fields = json.loads(found[1] + b"}")
        seq, prev, alg = fields["seq"], fields["prev"], fields["alg"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadLine("it is not a whole line of an audit log") from None
    if type(seq) is not int or seq < 1 or not isinstance(prev, str) or alg not in (PLAIN, KEYED):
        raise BadLine("it is not a whole line of an audit log")
    return Line(Link(seq, found[2].decode("ascii")), prev, alg, fields)
