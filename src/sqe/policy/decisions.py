"""`Policy`: all engines together, asked once a statement, with what they said kept for a while."""

from __future__ import annotations

import hmac
import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.policy.combination import denied, most_restrictive, versioned
from sqe.policy.contract import TablePolicy
from sqe.policy.engine import Columns, ColumnsNeeded, Engine, FactsFailed, Question
from sqe.policy.expressions import for_person, plain
from sqe.policy.facts import Column, TableFacts
from sqe.policy.guard import Guard, Unavailable
from sqe.policy.masks import NULL, masked

log = logging.getLogger("sqe.policy")

People = Callable[[str], Identity | None]  # who somebody is now, as far as the server knows them

_LARGEST_CACHE = 20_000
_NO_ANSWER = "a policy engine does not answer"


class Person(NamedTuple):
    """All of an identity that a decision may depend on."""

    user: str
    roles: frozenset[str]
    groups: frozenset[str]
    provider: str

    @classmethod
    def of(cls, identity: Identity) -> Person:
        return cls(identity.user, identity.roles, identity.groups, identity.provider)


@dataclass(frozen=True)
class _Kept:
    policy: TablePolicy
    versions: tuple[str, ...]
    until: float
    by_columns: bool
    columns: Columns | None


class Policy:
    """Decides for the query handler (`contract.Decisions`). Safe for many threads."""

    def __init__(
        self,
        engines: Sequence[Engine],
        *,
        cache_seconds: float = 30.0,
        timeout_seconds: float = 2.0,
        mask_key: bytes | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._guards = [Guard(engine, timeout_seconds, clock) for engine in engines]
        self._most_tables = min((engine.most_tables for engine in engines), default=1)
        self._cache_seconds = cache_seconds
        self._mask_key = mask_key
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Person, str], _Kept] = OrderedDict()

    def with_facts(self, facts: TableFacts, people: People = lambda _: None) -> PolicyWithFacts:
        """For one session, whose catalogs know the columns."""
        return PolicyWithFacts(self, facts, people)

    @property
    def view_key(self) -> str | None:
        """A key of its own for the definers of views."""
        if self._mask_key is None:
            return None
        return hmac.digest(self._mask_key, b"definers of views", "sha256").hex()

    def version(self) -> str:
        """Changes when decisions may have changed, at least once in `cache_ttl`: what was handed to the driver is old then.

        Nothing is ever current while an engine cannot say its version.
        """
        try:
            versions = [guard.version() for guard in self._guards]
        except Unavailable:
            return f"unknown {self._clock()}"
        period = int(self._clock() / self._cache_seconds) if self._cache_seconds else self._clock()
        return json.dumps([*versions, period])

    def engine(self, name: str) -> Engine | None:
        return next((guard.engine for guard in self._guards if guard.engine.name == name), None)

    def close(self) -> None:
        for guard in self._guards:
            guard.close()

    def decide(self, identity: Identity, tables: Sequence[str], facts: TableFacts | None = None) -> Sequence[TablePolicy]:
        """One answer for each table, in order. What cannot be decided is denied; `SqeError` when the columns cannot be read."""
        wanted = list(dict.fromkeys(tables))
        question = Question(identity, wanted, facts)
        try:
            versions = tuple(guard.version() for guard in self._guards)
            found = {table: kept for table in wanted if (kept := self._known(question, table, versions)) is not None}
            missing = [table for table in wanted if table not in found]
            for start in range(0, len(missing), self._most_tables):
                found |= self._ask(question.about(missing[start : start + self._most_tables]), versions)
        except Unavailable:
            return [denied(table, _NO_ANSWER) for table in tables]
        except FactsFailed as failed:
            raise failed.error from None
        return [found[table] for table in tables]

    def authored(self, identity: Identity, table: str, facts: TableFacts | None = None) -> TablePolicy:
        """The decision with filters and masks as their authors wrote them, for authors to read. Never kept."""
        question = Question(identity, [table], facts)
        try:
            return most_restrictive([answers[0] for answers in self._answers(question)])
        except Unavailable:
            return denied(table, _NO_ANSWER)
        except FactsFailed as failed:
            raise failed.error from None

    def _known(self, question: Question, table: str, versions: tuple[str, ...]) -> TablePolicy | None:
        with self._lock:
            kept = self._kept.get((Person.of(question.identity), table))
        if kept is None or kept.versions != versions or kept.until <= self._clock():
            return None
        # A column may have come since: what depends on columns is looked at with those of now.
        if kept.by_columns:
            question.read_columns([table])
            if question.columns_if_known(table) != kept.columns:
                return None
        return kept.policy

    def _ask(self, question: Question, versions: tuple[str, ...]) -> dict[str, TablePolicy]:
        answers = self._answers(question)
        found = {}
        for index, table in enumerate(question.tables):
            combined = most_restrictive([each[index] for each in answers])
            written = self._written_out(combined, question)
            if question.looked_at(table):
                written = replace(written, columns=tuple(column.name for column in question.columns(table) or ()))
            found[table] = versioned(written)
        self._keep(question, found, versions)
        return found

    def _answers(self, question: Question) -> list[Sequence[TablePolicy]]:
        """What each engine says; they are asked at the same time, and again with the columns that they need."""
        for guard in self._guards:
            guard.admit()
        while True:
            asked = [(guard, guard.begin(question)) for guard in self._guards]
            answers, needed = [], set()
            for guard, future in asked:
                try:
                    answers.append(guard.finish(future))
                except ColumnsNeeded as need:
                    needed |= set(need.tables)
            if not needed:
                return answers
            question.read_columns(sorted(needed))  # each round reads some of the tables, so there is a last one

    def _keep(self, question: Question, found: dict[str, TablePolicy], versions: tuple[str, ...]) -> None:
        until = self._clock() + self._cache_seconds
        person = Person.of(question.identity)
        with self._lock:
            for table, policy in found.items():
                by_columns = question.looked_at(table)
                columns = question.columns(table) if by_columns else None
                self._kept[person, table] = _Kept(policy, versions, until, by_columns, columns)
                self._kept.move_to_end((person, table))
            while len(self._kept) > _LARGEST_CACHE:
                self._kept.popitem(last=False)

    def _written_out(self, policy: TablePolicy, question: Question) -> TablePolicy:
        """Filters and masks as Spark takes them. A filter that cannot be written out denies the table, a mask becomes NULL."""
        if not policy.actions:
            return denied(policy.table, policy.reason)
        try:
            row_filter = None if policy.row_filter is None else for_person(plain(policy.row_filter), question.identity)
        except (SqeError, RecursionError) as error:
            log.error("the row filter of %s cannot be used, so the table is denied: %s", policy.table, error)
            return denied(policy.table, "its row filter cannot be used")
        if policy.masks:
            question.read_columns([policy.table])
        known = question.columns_if_known(policy.table) if policy.masks else None
        columns = {column.name.lower(): column for column in known or ()}
        masks = {name: self._mask(policy, name, mask, columns, question.identity) for name, mask in policy.masks.items()}
        return replace(policy, row_filter=row_filter, masks=masks)

    def _mask(self, policy: TablePolicy, name: str, mask: str, columns: dict[str, Column], identity: Identity) -> str:
        try:
            return masked(for_person(plain(mask), identity), columns.get(name.lower()), name, self._mask_key)
        except (SqeError, RecursionError) as error:
            log.error("the mask of %s in %s cannot be used, so it shows NULL: %s", name, policy.table, error)
            return NULL


class PolicyWithFacts:
    """What a session asks: `contract.Decisions`, and whether what it was told is still current."""

    def __init__(self, policy: Policy, facts: TableFacts, people: People) -> None:
        self._policy = policy
        self._facts = facts
        self._people = people

    def definer(self, recorded: Identity) -> Identity:
        """With the roles and groups that they had when they made the view and, as far as is known, still have."""
        now = self._people(recorded.user)
        if now is None:
            return recorded
        return replace(recorded, roles=recorded.roles & now.roles, groups=recorded.groups & now.groups)

    @property
    def view_key(self) -> str | None:
        return self._policy.view_key

    def decide(self, identity: Identity, tables: Sequence[str]) -> Sequence[TablePolicy]:
        return self._policy.decide(identity, tables, self._facts)

    def version(self) -> str:
        return self._policy.version()
