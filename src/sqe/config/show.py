"""`sqe-server --check`: the effective settings as TOML, each with its origin, secrets as `***`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sqe.config.keys import Key, NamedTables, RecordList, Table, TableList, declarations
from sqe.config.load import Loaded
from sqe.config.positions import Path as KeyPath
from sqe.config.values import HIDDEN, Duration, Secret, Size

Origin = Callable[[KeyPath], str | None]


def effective(loaded: Loaded) -> str:
    return "\n".join(_table(loaded.settings, (), loaded.origin)).strip() + "\n"


def _table(settings: Any, path: KeyPath, origin: Origin) -> Iterator[str]:
    """Keys first, then the tables below: TOML reads a key behind a header as that header's."""
    for name, declared in declarations(type(settings)):
        value = getattr(settings, name)
        if isinstance(declared, Key) and value is not None and not _named_by_header(path, name):
            yield _line(name, _text(value), _origin_of(declared, name, path, origin))
        elif isinstance(declared, RecordList):
            yield from _records(name, value)
    for name, declared in declarations(type(settings)):
        yield from _below(declared, getattr(settings, name), (*path, name), origin)


def _below(declared: Any, value: Any, path: KeyPath, origin: Origin) -> Iterator[str]:
    title = ".".join(str(step) for step in path if not isinstance(step, int))
    match declared:
        case Table() if not getattr(value, "absent", False):  # a section whose presence alone means something
            yield from ("", f"[{title}]", *_table(value, path, origin))
        case NamedTables():
            for name, item in value.items():
                yield from ("", f"[{title}.{name}]", *_table(item, (*path, name), origin))
        case TableList(of):
            words = {shape: word for word, shape in of.items()}
            for index, item in enumerate(value):
                yield from ("", f"[[{title}]]", f"type = {json.dumps(words[type(item)])}", *_table(item, (*path, index), origin))


def _records(name: str, records: tuple[Any, ...]) -> Iterator[str]:
    yield f"{name} = ["
    for record in records:
        pairs = ((key, getattr(record, key)) for key, _ in declarations(type(record)))
        yield "  { " + ", ".join(f"{key} = {_text(value)}" for key, value in pairs if value is not None) + " },"
    yield "]"


def _named_by_header(path: KeyPath, name: str) -> bool:
    return path[:1] == ("catalogs",) and name == "name"


def _origin_of(declared: Key, name: str, path: KeyPath, origin: Origin) -> str:
    places = (origin((*path, spelling)) for spelling in (name, *declared.other_names))
    return next((place for place in places if place), "default")


def _line(name: str, text: str, origin: str) -> str:
    return f"{name + ' = ' + text:<40} # {origin}"


def _text(value: Any) -> str:
    match value:
        case Secret():
            return json.dumps(HIDDEN)
        case Duration() | Size() | Path():
            return json.dumps(str(value))
        case tuple():
            return "[" + ", ".join(_text(item) for item in value) + "]"
        case Mapping():
            pairs = ", ".join(f"{json.dumps(name)} = {_text(item)}" for name, item in value.items())
            return f"{{ {pairs} }}" if pairs else "{}"
        case _:
            return json.dumps(value, ensure_ascii=False)
