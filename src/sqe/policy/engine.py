"""The contract of everything that decides: one question for all tables of a statement, one answer for each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from sqe.errors import SqeError
from sqe.identity import Identity
from sqe.policy.contract import TablePolicy
from sqe.policy.facts import Column, TableFacts
from sqe.policy.names import parts_of

Columns = tuple[Column, ...]


class NoFacts(Exception):
    """An answer depends on a table's columns, and nobody is there who knows them."""


class Outage(Exception):
    """Whatever an engine depends on does not answer. The text is for the operator."""


class FactsFailed(Exception):
    """A table's columns cannot be read: no engine's fault, and no answer."""

    def __init__(self, error: SqeError) -> None:
        super().__init__(error.message)
        self.error = error


class ColumnsNeeded(Exception):
    """An answer depends on columns that were not read yet. They are read, and the engine is asked again.

    Not by the engine itself: reading may take long where a catalog is far, and that is no outage of an engine.
    """

    def __init__(self, tables: Sequence[str]) -> None:
        super().__init__(", ".join(tables))
        self.tables = tuple(tables)


class Question:
    """Who asks for which tables ("catalog.schema.name") and schemas ("catalog.schema").

    It notes whose columns were looked at: such an answer is good for those columns only.
    """

    def __init__(self, identity: Identity, tables: Sequence[str], facts: TableFacts | None) -> None:
        self.identity = identity
        self.tables = tuple(tables)
        self._facts = facts
        self._columns: dict[str, Columns | None] = {}

    # For engines.

    def need_columns(self, tables: Sequence[str]) -> None:
        """Raises `ColumnsNeeded` when they are not there yet, `NoFacts` when they never will be."""
        missing = [table for table in tables if len(parts_of(table)) > 2 and table not in self._columns]
        if missing and self._facts is None:
            raise NoFacts
        if missing:
            raise ColumnsNeeded(missing)

    def columns(self, table: str) -> Columns | None:
        """None when there is no such table (yet), or when it is the name of a schema."""
        self.need_columns([table])
        return self._columns.get(table)

    def columns_if_known(self, table: str) -> Columns | None:
        return None if self._facts is None else self.columns(table)

    # For those who ask.

    def read_columns(self, tables: Sequence[str]) -> None:
        for table in tables:
            if self._facts is None or table in self._columns or len(parts_of(table)) < 3:
                continue
            try:
                found = self._facts.columns(table)
            except SqeError as error:
                raise FactsFailed(error) from None
            self._columns[table] = None if found is None else tuple(found)

    def about(self, tables: Sequence[str]) -> Question:
        """The same person's question about some of the tables, with what is known of their columns."""
        part = Question(self.identity, tables, self._facts)
        part._columns = self._columns
        return part

    def looked_at(self, table: str) -> bool:
        return table in self._columns


class Engine(ABC):
    """Answers in filters and masks as their authors wrote them; writing them out is not its work. Safe for many threads."""

    name: str
    # One question is about no more tables than it can decide within the time limit. Only listings are about more.
    most_tables = 1000

    @abstractmethod
    def version(self) -> str:
        """Changes when answers may have changed; cheap, because it is asked before every statement."""

    @abstractmethod
    def decide(self, question: Question) -> Sequence[TablePolicy]:
        """One answer for each table, in order. Raises whatever it likes when it cannot: everything is denied then."""

    def close(self) -> None:  # noqa: B027 - most engines hold nothing
        """Gives back connections and the like."""


class Nobody(Engine):
    """`none`: no opinion, everything is allowed."""

    name = "none"

    def version(self) -> str:
        return ""

    def decide(self, question: Question) -> Sequence[TablePolicy]:
        from sqe.policy.actions import ALL

        return [TablePolicy(table, ALL, None, {}, frozenset()) for table in question.tables]
