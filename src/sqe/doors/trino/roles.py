"""Roles that a client chooses for its session: fewer than its user has, never others.

As Trino writes them: `X-Trino-Role: system=ROLE{analyst}`, `ALL` or `NONE`. Only the server has roles; its catalogs have none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.dialect.trino.session_statements import SetRole

SYSTEM = "system"
_CHOSEN = re.compile(r"(ALL|NONE)|ROLE\{(.+)\}", re.DOTALL)

Roles = frozenset[str] | None
"""Those that are enabled; None: all that the user has."""


def enabled(chosen: Mapping[str, str], held: Collection[str], catalogs: Collection[str]) -> Roles:
    """What the headers choose. Raises what their user shall read; a role that they do not have looks like a missing one."""
    roles: Roles = None
    for place, value in chosen.items():
        found = _CHOSEN.fullmatch(value)
        if found is None:
            raise SqeError(errors.INVALID_ARGUMENTS, "Invalid X-Trino-Role header")
        if place != SYSTEM:
            _of_a_catalog(place, found[2], catalogs)
        elif found[2] is not None:
            roles = frozenset({_held(found[2], held)})
        elif found[1] == "NONE":
            roles = frozenset()
    return roles


def header_of(statement: SetRole, held: Collection[str], catalogs: Collection[str]) -> tuple[str, str]:
    """`SET ROLE x` as the client shall send it from now on."""
    word = statement.role if statement.role in ("ALL", "NONE") else None
    place = statement.catalog or SYSTEM
    if place != SYSTEM:
        _of_a_catalog(place, None if word else statement.role, catalogs)
    elif word is None:
        _held(statement.role, held)
    return place, word or f"ROLE{{{statement.role}}}"


def _held(role: str, held: Collection[str]) -> str:
    """Names of roles are compared as Trino does, in lower case; the one that the user has is given back."""
    found = next((each for each in held if each.lower() == role.lower()), None)
    if found is None:
        raise SqeError(errors.PERMISSION_DENIED, f"Access Denied: Cannot set role {role[:64]}")
    return found


def _of_a_catalog(name: str, role: str | None, catalogs: Collection[str]) -> None:
    if name.lower() not in {each.lower() for each in catalogs}:
        raise SqeError(errors.CATALOG_NOT_FOUND, f"Catalog '{name[:128]}' not found")
    if role is not None:
        raise SqeError(errors.NOT_SUPPORTED, f"Catalog '{name[:128]}' does not support role management")
