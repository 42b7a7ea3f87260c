"""Engine `grants`: what somebody may do by the grants to them, their roles and their groups.

Grants add up, denials take away. A row is visible when one of the grants lets it through, and each of its columns is as clear
as the clearest of the grants that let this row through makes it. docs/policy.md has the table of all rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqe.identity import Identity
from sqe.policy.actions import ALL, OWNERSHIP, SELECT, WRITES
from sqe.policy.combination import denied, either
from sqe.policy.contract import TablePolicy
from sqe.policy.engine import ColumnsNeeded, Engine, NoFacts, Question
from sqe.policy.facts import Column
from sqe.policy.grants.columns import Treatments
from sqe.policy.grants.model import ColumnTag, Effect, Grant, Scope, principals_of
from sqe.policy.grants.store import GrantStore
from sqe.policy.names import Parts, key_of, parts_of


class GrantsEngine(Engine):
    name = "grants"

    def __init__(self, store: GrantStore, *, admin_roles: frozenset[str] = frozenset(), default: str = "deny") -> None:
        self.store = store
        self._admin_roles = admin_roles
        self._default_allows = default == "allow"

    def version(self) -> str:
        return self.store.version()

    def close(self) -> None:
        self.store.close()

    def is_admin(self, identity: Identity) -> bool:
        return bool(identity.roles & self._admin_roles)

    def decide(self, question: Question) -> Sequence[TablePolicy]:
        if self.is_admin(question.identity):
            return [TablePolicy(table, ALL, None, {}, frozenset(), "an administrator") for table in question.tables]
        names = {table: parts_of(table) for table in question.tables}
        objects = list({key for parts in names.values() for key in around(parts)})
        grants = self.store.about(objects, principals_of(question.identity))
        governed = self.store.governed(objects) if self._default_allows else set()
        tags = self._tags(grants, names.values())
        answers: list[TablePolicy] = []
        needed: list[str] = []
        by_object: dict[str, list[Grant]] = {}
        for grant in grants:
            by_object.setdefault(grant.target.key, []).append(grant)
        for table, parts in names.items():
            held = [each for key in around(parts) for each in by_object.get(key, ()) if covers(each, parts)]
            try:
                answers.append(self._decide(question, table, parts, held, governed, tags))
            except ColumnsNeeded as need:
                needed += need.tables
        if needed:
            raise ColumnsNeeded(needed)
        return answers

    def held(self, identity: Identity, parts: Parts) -> list[Grant]:
        """All that somebody has on an object, from wherever it comes."""
        found = self.store.about(around(parts), principals_of(identity))
        return [each for each in found if covers(each, parts)]

    def _tags(self, grants: Sequence[Grant], names: Iterable[Parts]) -> dict[str, list[ColumnTag]]:
        if not any(grant.terms.by_tag for grant in grants):
            return {}
        found: dict[str, list[ColumnTag]] = {}
        for tag in self.store.tags([key_of(parts) for parts in names]):
            found.setdefault(tag.table, []).append(tag)
        return found

    def _decide(
        self,
        question: Question,
        table: str,
        parts: Parts,
        held: Sequence[Grant],
        governed: set[str],
        tags: dict[str, list[ColumnTag]],
    ) -> TablePolicy:
        grants = [each for each in held if each.effect is Effect.GRANT]
        denials = [each for each in held if each.effect is Effect.DENY]
        gone = {each.privilege for each in denials if each.terms.columns is None}
        free = self._default_allows and governed.isdisjoint(around(parts))
        if not grants and not free:
            return denied(table, "no grant")
        owned = free or any(each.privilege == OWNERSHIP for each in grants)
        given = ALL if owned else frozenset(each.privilege for each in grants) & ALL
        reading = [] if owned else [each for each in grants if each.privilege == SELECT] or grants
        actions = frozenset(action for action in given - gone if owned or _same_rows(action, grants, reading))
        if not actions:
            return denied(table, "denied")
        try:
            columns = self._columns(question, table, [*reading, *denials])
        except NoFacts:
            return denied(table, "a grant names columns, and they are not known")
        treatments = Treatments(reading, denials, columns, tags.get(key_of(parts), []))
        masks, hidden = treatments.of_all()
        filters = [each.terms.row_filter for each in reading]
        row_filter = None if not filters or None in filters else either([each for each in filters if each])
        return TablePolicy(table, actions, row_filter, masks, frozenset(hidden), f"{len(grants)} grants")

    def _columns(self, question: Question, table: str, grants: Sequence[Grant]) -> Sequence[Column] | None:
        """Columns are asked for only when an answer can depend on them."""
        if any(_needs_columns(each) for each in grants):
            return question.columns(table) or ()
        if any(each.terms.masks or each.terms.hidden or each.terms.columns for each in grants):
            return question.columns_if_known(table)
        return None


def _needs_columns(grant: Grant) -> bool:
    """Denied columns are hidden by their names too; columns that alone are given need the others' names."""
    return grant.terms.by_tag or (grant.terms.columns is not None and grant.effect is Effect.GRANT)


def _same_rows(action: str, grants: Sequence[Grant], reading: Sequence[Grant]) -> bool:
    """A write is allowed when its grants cover all rows that are read: there is one filter for both."""
    if action not in WRITES:
        return True
    writing = {each.terms.row_filter for each in grants if each.privilege == action}
    return None in writing or {each.terms.row_filter for each in reading} <= writing


def around(parts: Parts) -> list[str]:
    """The keys of an object and of what it lies in: table, schema, catalog."""
    keys = [key_of(parts)]
    if len(parts) > 2:
        keys.append(key_of(parts[:-1]))
    if len(parts) > 1:
        keys.append(key_of(parts[:1]))
    return keys


def covers(grant: Grant, parts: Parts) -> bool:
    """Whether a grant on one of the objects `around` counts for this one."""
    own, key, is_table = key_of(parts), grant.target.key, len(parts) > 2
    match grant.target.scope:
        case Scope.TABLE:
            return is_table and key == own
        case Scope.SCHEMA:
            return key == (key_of(parts[:-1]) if is_table else own) and len(parts) > 1
        case Scope.CATALOG:
            return key == key_of(parts[:1])
        case Scope.FUTURE_IN_SCHEMA:
            return is_table and key == key_of(parts[:-1]) and own not in grant.terms.not_future
        case Scope.FUTURE_IN_CATALOG:
            return is_table and key == key_of(parts[:1]) and own not in grant.terms.not_future
