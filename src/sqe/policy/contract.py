"""What the query handler asks of a policy, and what it hands to the driver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sqe.identity import Identity


@dataclass(frozen=True)
class TablePolicy:
    """What one person may do with one table. Without any action the table does not exist for them."""

    table: str
    actions: frozenset[str]
    row_filter: str | None
    masks: Mapping[str, str]
    hidden: frozenset[str]
    reason: str = ""
    version: str = ""
    columns: tuple[str, ...] | None = None  # all that there were, when the decision depends on them: a new one is not decided

    def to_json(self) -> dict[str, object]:
        """As the driver takes it; the reason is for operators only."""
        return {
            "table": self.table,
            "actions": sorted(self.actions),
            "row_filter": self.row_filter,
            "masks": dict(self.masks),
            "hidden": sorted(self.hidden),
            "version": self.version,
            "columns": None if self.columns is None else list(self.columns),
        }


class Decisions(Protocol):
    """Makes decisions. Tables are "catalog.schema.name" with the session's catalog names; one answer for each, in order."""

    def decide(self, identity: Identity, tables: Sequence[str]) -> Sequence[TablePolicy]: ...

    def definer(self, recorded: Identity) -> Identity:
        """Who made a view with SECURITY DEFINER, as they are now: never more than they were then."""

    @property
    def view_key(self) -> str | None:
        """What definers of views are signed with, in hex; None: there are no such views."""

    def version(self) -> str:
        """Another one as soon as what was decided may not hold any more. Asked before every statement: quick, never raises."""
