"""What Cedar's answers mean for a table.

| policy | for a table | for a column |
|---|---|---|
| permit | the action is allowed | it is shown |
| @row_filter permit | allowed for these rows; several add up, one without a filter means all rows | the same |
| forbid | not allowed | it is hidden |
| @row_filter forbid | only rows that pass are left, whatever permits say | – |
| @mask forbid | – | shown by the mask |
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from sqe.config.policy import Policy as PolicySettings
from sqe.policy.actions import ACTIONS, SELECT, WRITES
from sqe.policy.cedar.policies import MASK, ROW_FILTER, CedarPolicies, read
from sqe.policy.combination import both, denied, either
from sqe.policy.contract import TablePolicy
from sqe.policy.engine import Columns, Engine, NoFacts, Question
from sqe.policy.files import Clock, PolicyFiles
from sqe.policy.masks import stronger
from sqe.policy.names import key_of, parts_of


class CedarEngine(Engine):
    name = "cedar"
    most_tables = 100

    def __init__(self, place: Path, schema: Path | None = None, clock: Clock = time.monotonic) -> None:
        self._files = PolicyFiles(place, (".cedar",), clock)
        self._schema = schema.read_text(encoding="utf-8") if schema is not None else own_schema()
        self._lock = threading.Lock()
        self._read_version = self._files.version()
        self._policies = read(self._files.paths(), self._schema)

    def version(self) -> str:
        return self._files.version()

    def decide(self, question: Question) -> Sequence[TablePolicy]:
        policies = self._current()
        try:
            question.need_columns(question.tables)
            tables = [_Table(question, table) for table in question.tables]
        except NoFacts:
            return [denied(table, "the columns are not known, and Cedar decides about each of them") for table in question.tables]
        requests = [request for table in tables for request in table.requests()]
        entities = _person(question) + [entity for table in tables for entity in table.entities()]
        allowed = _evaluate(policies.plain, requests, entities)
        softened = (
            _evaluate(policies.softened, requests, entities) if policies.softened is not None else [(True, ())] * len(requests)
        )
        answers, start = [], 0
        for table in tables:
            end = start + len(table.requests())
            answers.append(table.answer(policies, allowed[start:end], softened[start:end]))
            start = end
        return answers

    def _current(self) -> CedarPolicies:
        with self._lock:
            version = self._files.version()
            if version != self._read_version:
                self._policies = read(self._files.paths(), self._schema)
                self._read_version = version
            return self._policies


Decided = tuple[bool, Sequence[str]]  # allowed, and the policies that decided it


def _evaluate(policies: Any, requests: Sequence[dict[str, Any]], entities: Sequence[dict[str, Any]]) -> list[Decided]:
    import cedarpy

    found: list[Decided] = []
    for result in cedarpy.is_authorized_batch(list(requests), policies, list(entities)):
        if result.diagnostics.errors:  # Cedar leaves out a policy that fails, a forbid too
            raise ValueError(f"Cedar: {str(result.diagnostics.errors[0])[:150]}")
        found.append((result.allowed, result.diagnostics.reasons))
    return found


def _person(question: Question) -> list[dict[str, Any]]:
    who = question.identity
    parents = [*(_uid("Role", role) for role in sorted(who.roles)), *(_uid("Group", group) for group in sorted(who.groups))]
    return [{"uid": _uid("User", who.user), "attrs": {}, "parents": parents}]


class _Table:
    def __init__(self, question: Question, table: str) -> None:
        self.table = table
        self._parts = parts_of(table)
        kind = ("Catalog", "Schema", "Table")[min(len(self._parts), 3) - 1]
        self._own = _uid(kind, key_of(self._parts))
        self._columns: Columns = question.columns(table) or ()
        self._principal = _uid("User", question.identity.user)
        self._context = {"provider": question.identity.provider}

    def requests(self) -> list[dict[str, Any]]:
        """Each action on the table, then reading each column."""
        about = [(action, self._own) for action in ACTIONS]
        about += [(SELECT, self._column(column.name)) for column in self._columns]
        return [
            {"principal": self._principal, "action": _uid("Action", action), "resource": resource, "context": self._context}
            for action, resource in about
        ]

    def entities(self) -> Iterable[dict[str, Any]]:
        catalog = _uid("Catalog", key_of(self._parts[:1]))
        yield {"uid": catalog, "attrs": {}, "parents": []}
        if len(self._parts) > 1:
            schema = _uid("Schema", key_of(self._parts[:-1] if len(self._parts) > 2 else self._parts))
            yield {"uid": schema, "attrs": {}, "parents": [catalog]}
        if len(self._parts) > 2:
            yield {"uid": self._own, "attrs": {}, "parents": [schema]}
        for column in self._columns:
            attributes = {"name": column.name.lower(), "type": column.type.lower()}
            yield {"uid": self._column(column.name), "attrs": attributes, "parents": [self._own]}

    def answer(self, policies: CedarPolicies, allowed: Sequence[Decided], softened: Sequence[Decided]) -> TablePolicy:
        actions = frozenset(action for action, (yes, _) in zip(ACTIONS, allowed, strict=False) if yes)
        columns = list(zip(self._columns, allowed[len(ACTIONS) :], softened[len(ACTIONS) :], strict=True))
        shown = [column.name for column, (yes, _), _ in columns if yes]
        if self._columns and not shown:
            actions -= {SELECT}
        if not actions:
            return denied(self.table, "Cedar permits nothing")
        hidden = frozenset(column.name for column in self._columns) - set(shown) if SELECT in actions else frozenset()
        masks = {}
        for column, _, (_, reasons) in columns:
            found = [policies.annotations[each][MASK] for each in reasons if MASK in policies.annotations.get(each, {})]
            if found and column.name not in hidden:
                masks[column.name] = _strongest(found)
        rows = {action: _Rows(policies, allowed[index][1], softened[index][1]) for index, action in enumerate(ACTIONS)}
        first = next((action for action in (SELECT, *WRITES) if action in actions), SELECT)
        actions = frozenset(action for action in actions if action not in WRITES or rows[action].cover(rows[first]))
        return TablePolicy(self.table, actions, rows[first].filter(), masks, hidden, "Cedar")

    def _column(self, name: str) -> dict[str, str]:
        return _uid("Column", key_of((*self._parts, name)))


class _Rows:
    """The rows that an action is for: those that one of its permits gives and that all of its forbids leave."""

    def __init__(self, policies: CedarPolicies, permits: Sequence[str], forbids: Sequence[str]) -> None:
        filters = {each: policies.annotations.get(each, {}).get(ROW_FILTER) for each in (*permits, *forbids)}
        self._given = {filters[each] for each in permits}
        self._left = {text for each in forbids if (text := filters[each]) is not None}

    def cover(self, others: _Rows) -> bool:
        """Whether an action with these rows may be done to all rows of another: there is one filter for both."""
        return (None in self._given or others._given <= self._given) and self._left <= others._left

    def filter(self) -> str | None:
        given = sorted(text for text in self._given if text is not None)
        row_filter = either(given) if given and None not in self._given else None
        for text in sorted(self._left):
            row_filter = both(row_filter, text)
        return row_filter


def _strongest(masks: Sequence[str]) -> str:
    found = masks[0]
    for mask in masks[1:]:
        found = stronger(found, mask)
    return found


def _uid(kind: str, name: str) -> dict[str, str]:
    return {"type": kind, "id": name}


def own_schema() -> str:
    return resources.files("sqe.policy.cedar").joinpath("schema.cedarschema").read_text(encoding="utf-8")


def cedar_engine(settings: PolicySettings) -> CedarEngine:
    assert settings.cedar_policies is not None  # checked with the configuration
    return CedarEngine(settings.cedar_policies, settings.cedar_schema)
