"""Who may do what: grants from a JSON file, read again when the file changes.

    [{"to": "alice", "on": ["sales"], "may": ["read", "write", "create"]},
     {"to": "group:analysts", "on": ["sales", "orders"], "may": ["read"]}]

`to` is a user, `group:NAME`, `role:NAME` or `*`. `on` is a namespace or a table and covers what lies in it; `[]` is the catalog.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from dev.services.gateway.tokens import Principal

Name = tuple[str, ...]
"""The levels of a namespace, or those and a table: ("sales", "orders")."""


class Privilege(StrEnum):
    READ = "read"
    WRITE = "write"
    CREATE = "create"


@dataclass(frozen=True)
class Grant:
    to: str
    on: Name
    may: frozenset[Privilege]

    def covers(self, name: Name) -> bool:
        return name[: len(self.on)] == self.on

    def lies_in(self, name: Name) -> bool:
        return self.on[: len(name)] == name


class Grants:
    """The grants of one moment."""

    def __init__(self, grants: Iterable[Grant]) -> None:
        self._grants = tuple(grants)

    def of(self, principal: Principal) -> Rights:
        mine = {principal.name, "*"}
        mine |= {f"group:{group}" for group in principal.groups} | {f"role:{role}" for role in principal.roles}
        return Rights(tuple(grant for grant in self._grants if grant.to in mine))


@dataclass(frozen=True)
class Rights:
    """The grants of one principal."""

    grants: tuple[Grant, ...]

    def may(self, privilege: Privilege, name: Name) -> bool:
        return any(privilege in grant.may and grant.covers(name) for grant in self.grants)

    def sees(self, namespace: Name) -> bool:
        """Whoever has a right on a table has to see the namespaces on the way to it."""
        return any(grant.covers(namespace) or grant.lies_in(namespace) for grant in self.grants)


class GrantsFile:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: tuple[tuple[int, int, int], Grants] | None = None

    def now(self) -> Grants:
        """A revoked right is gone with the next request."""
        found = self._path.stat()
        version = (found.st_mtime_ns, found.st_size, found.st_ino)
        if self._read is None or self._read[0] != version:
            self._read = (version, Grants(map(_grant, json.loads(self._path.read_text()))))
        return self._read[1]


def _grant(entry: dict[str, object]) -> Grant:
    to, on, may = entry["to"], entry["on"], entry["may"]
    assert isinstance(to, str)
    assert isinstance(on, list)
    assert isinstance(may, list)
    return Grant(to, tuple(on), frozenset(map(Privilege, may)))
