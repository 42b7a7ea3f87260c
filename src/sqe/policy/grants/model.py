"""What GRANT and DENY write down."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from functools import cached_property, lru_cache

from sqe.identity import Identity
from sqe.policy.names import Parts, key_of


class Effect(Enum):
    GRANT = "grant"
    DENY = "deny"


class Scope(Enum):
    """What an object is. Future tables are those of a schema or catalog that did not exist when the grant was made."""

    CATALOG = "catalog"
    SCHEMA = "schema"
    TABLE = "table"
    FUTURE_IN_CATALOG = "future in catalog"
    FUTURE_IN_SCHEMA = "future in schema"


@dataclass(frozen=True)
class Target:
    """An object of a grant, e.g. (`Scope.SCHEMA`, ("lake", "bank"))."""

    scope: Scope
    parts: Parts

    @cached_property
    def key(self) -> str:
        return key_of(self.parts)


@dataclass(frozen=True)
class Principal:
    """`user`, `role` or `group` and its name. Names are exact: an identity provider's `Bob` is not `bob`."""

    kind: str
    name: str

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.name}"

    @classmethod
    def of_key(cls, key: str) -> Principal:
        kind, _, name = key.partition(":")
        return cls(kind, name)


def principals_of(identity: Identity) -> list[str]:
    """The keys of all that grants to this person can be made to."""
    return [
        f"user:{identity.user}",
        *(f"role:{role}" for role in sorted(identity.roles)),
        *(f"group:{group}" for group in sorted(identity.groups)),
    ]


@dataclass(frozen=True)
class Tag:
    """A tag in a clause: any value of it when `value` is None."""

    name: str
    value: str | None = None

    def __str__(self) -> str:
        return f"TAG {self.name}" + (f" = '{self.value}'" if self.value is not None else "")


@dataclass(frozen=True)
class Terms:
    """What a grant does not give: the rows and columns that it leaves out. Empty = everything of the object."""

    columns: tuple[str, ...] | None = None  # SELECT (a, b)
    row_filter: str | None = None
    masks: Mapping[str, str] = field(default_factory=dict)
    tag_masks: tuple[tuple[Tag, str], ...] = ()
    hidden: tuple[str, ...] = ()
    hidden_tags: tuple[Tag, ...] = ()
    hide_untagged: bool = False
    # Columns named above by their Iceberg field id, when the grant was made: a rename keeps the protection.
    field_ids: Mapping[str, int] = field(default_factory=dict)
    not_future: tuple[str, ...] = ()  # keys of the tables that existed already

    @property
    def unrestricted(self) -> bool:
        return self == Terms(not_future=self.not_future)

    @property
    def by_tag(self) -> bool:
        return bool(self.tag_masks or self.hidden_tags or self.hide_untagged)

    def to_text(self) -> str:
        found = {name: value for name, value in asdict(self).items() if value not in (None, (), {}, False)}
        return json.dumps(found, sort_keys=True)

    @staticmethod
    @lru_cache(10_000)  # most grants have the terms of many others, and reading them is most of a decision
    def of_text(text: str) -> Terms:
        found = json.loads(text)
        columns = found.get("columns")
        return Terms(
            columns=None if columns is None else tuple(columns),
            row_filter=found.get("row_filter"),
            masks=found.get("masks", {}),
            tag_masks=tuple((Tag(**tag), mask) for tag, mask in found.get("tag_masks", ())),
            hidden=tuple(found.get("hidden", ())),
            hidden_tags=tuple(Tag(**tag) for tag in found.get("hidden_tags", ())),
            hide_untagged=found.get("hide_untagged", False),
            field_ids=found.get("field_ids", {}),
            not_future=tuple(found.get("not_future", ())),
        )


@dataclass(frozen=True)
class Grant:
    """One privilege on one object for one principal. `granted_by` is empty for those of admins and owners."""

    effect: Effect
    privilege: str
    target: Target
    principal: Principal
    terms: Terms = Terms()
    grant_option: bool = False
    granted_by: str = ""
    granted_at: str = ""
    id: str = ""
    after: Sequence[str] = ()  # ids of the grants that its grantor had it from: it goes when they go


@dataclass(frozen=True)
class ColumnTag:
    table: str  # key
    field_id: int
    column: str  # its name when it was tagged, for people
    tag: Tag
