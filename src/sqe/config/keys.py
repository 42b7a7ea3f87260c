"""How a key is declared: once, as a dataclass field that carries its kind, its default and one sentence.

Reading, environment variables, flags, `--check`, docs/configuration.md and its test are all made from these fields. Declarations
are named tuples: a dataclass takes ten times as long to define, and this is imported before the JVM can be started.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, field, fields
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar, cast, overload

from sqe.config.kinds import Kind

T = TypeVar("T")
_KEY = "sqe.key"


class Key(NamedTuple):
    """A key that holds one value."""

    kind: Kind[Any]
    doc: str
    required: bool = False
    other_names: tuple[str, ...] = ()
    only: tuple[str, ...] = ()  # the catalog types that have this key; empty means all


class Table(NamedTuple):
    """A key that holds a table of keys: a section of the file."""

    of: type


class NamedTables(NamedTuple):
    """`[section.NAME]`: tables of one shape under names that the user chooses."""

    of: type


class TableList(NamedTuple):
    """`[[section]]`: tables in order. The key `type` of each says which shape it has; `later` are shapes to come."""

    of: Mapping[str, type]
    later: tuple[str, ...] = ()


class RecordList(NamedTuple):
    """A list of tables that all have one shape."""

    of: type


Declaration = Key | Table | NamedTables | TableList | RecordList


@overload
def key(kind: Kind[T], default: T, doc: str, *, other_names: tuple[str, ...] = (), only: tuple[str, ...] = ()) -> T: ...
@overload
def key(kind: Kind[T], default: None, doc: str, *, other_names: tuple[str, ...] = (), only: tuple[str, ...] = ()) -> T | None: ...
def key(kind: Any, default: Any, doc: str, *, other_names: tuple[str, ...] = (), only: tuple[str, ...] = ()) -> Any:
    return field(default=default, metadata={_KEY: Key(kind, doc, other_names=other_names, only=only)})


def mapping_key(kind: Kind[Mapping[str, str]], doc: str) -> Mapping[str, str]:
    empty: Mapping[str, str] = MappingProxyType({})
    return field(default_factory=lambda: empty, metadata={_KEY: Key(kind, doc)})


def required(kind: Kind[T], doc: str) -> T:
    return cast(T, field(metadata={_KEY: Key(kind, doc, required=True)}))


def table(of: type[T]) -> T:
    return field(default_factory=of, metadata={_KEY: Table(of)})


def named_tables(of: type[T]) -> Mapping[str, T]:
    empty: Mapping[str, T] = MappingProxyType({})
    return field(default_factory=lambda: empty, metadata={_KEY: NamedTables(of)})


def table_list(of: Mapping[str, type[T]], later: tuple[str, ...]) -> tuple[T, ...]:
    return cast("tuple[T, ...]", field(default=(), metadata={_KEY: TableList(of, later)}))


def record_list(of: type[T]) -> tuple[T, ...]:
    return cast("tuple[T, ...]", field(default=(), metadata={_KEY: RecordList(of)}))


def declarations(of: type) -> Iterator[tuple[str, Declaration]]:
    for each in fields(of):
        if _KEY in each.metadata:
            yield each.name, each.metadata[_KEY]


def default_of(of: type, name: str) -> Any:
    each: Field[Any] = next(each for each in fields(of) if each.name == name)
    if each.default_factory is not MISSING:
        return each.default_factory()
    return None if each.default is MISSING else each.default
