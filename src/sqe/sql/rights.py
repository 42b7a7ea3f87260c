"""Statements about rights: GRANT, REVOKE, DENY, SHOW GRANTS, SHOW EFFECTIVE POLICY, CHECK ACCESS, column tags.

`rights_parser` reads them. Filters and masks are kept as texts: Spark's own parser checks them when they are granted.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Name = tuple[str, ...]


@dataclass(frozen=True)
class Privilege:
    """In lower case; `all` for ALL PRIVILEGES. Columns only where the statement lists some."""

    name: str
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Object:
    """`kind`: table, schema, catalog; `which`: "" for the object itself, "all" or "future" for the tables in it."""

    kind: str
    name: Name
    which: str = ""


@dataclass(frozen=True)
class Grantee:
    kind: str  # user, role, group
    name: str


@dataclass(frozen=True)
class TagName:
    name: str
    value: str | None = None


@dataclass(frozen=True)
class Clauses:
    """What stands behind a GRANT."""

    rows: str | None = None
    masks: tuple[tuple[str | TagName, str], ...] = ()
    hiding: tuple[str | TagName, ...] = ()
    hide_untagged: bool = False
    grant_option: bool = False


@dataclass(frozen=True)
class GrantStatement:
    privileges: tuple[Privilege, ...]
    on: Object
    to: tuple[Grantee, ...]
    clauses: Clauses = field(default_factory=Clauses)


@dataclass(frozen=True)
class DenyStatement:
    privileges: tuple[Privilege, ...]
    on: Object
    to: tuple[Grantee, ...]


@dataclass(frozen=True)
class RevokeStatement:
    privileges: tuple[Privilege, ...]
    on: Object
    source: tuple[Grantee, ...]
    only_option: bool = False


@dataclass(frozen=True)
class ShowGrants:
    on: Object | None = None
    to: Grantee | None = None


@dataclass(frozen=True)
class ShowEffectivePolicy:
    table: Name
    user: str | None = None


@dataclass(frozen=True)
class CheckAccess:
    privilege: str
    table: Name
    user: str | None = None


@dataclass(frozen=True)
class SetTags:
    table: Name
    column: str
    tags: tuple[TagName, ...]


@dataclass(frozen=True)
class UnsetTags:
    table: Name
    column: str
    names: tuple[str, ...]


RightsStatement = (
    GrantStatement | DenyStatement | RevokeStatement | ShowGrants | ShowEffectivePolicy | CheckAccess | SetTags | UnsetTags
)
CHANGES = (GrantStatement, DenyStatement, RevokeStatement, SetTags, UnsetTags)
