"""Turns the raw tree into the declared classes. It never stops at the first problem: a bad value is noted and its default
stands in, so that the rest of the file is read too."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sqe.config import later
from sqe.config.keys import Declaration, Key, NamedTables, RecordList, Table, TableList, declarations
from sqe.config.kinds import NAME, Context, Wrong, toml_type, toml_value
from sqe.config.layers import Layers, Override
from sqe.config.positions import Path
from sqe.config.problems import Problem, nearest


class Reader:
    def __init__(self, layers: Layers, environ: Mapping[str, str]) -> None:
        self._layers = layers
        self._environ = environ
        self.problems: list[tuple[Path, Problem]] = []

    def failed(self, path: Path) -> bool:
        """Whether this key, or one inside or around it, has a problem already."""
        return any(path[: len(known)] == known or known[: len(path)] == path for known, _ in self.problems)

    def report(self, path: Path, message: str) -> None:
        """Notes the first problem of a key; what follows from it is not news."""
        if path not in (known for known, _ in self.problems):
            self.problems.append((path, Problem(self._layers.where(path), message)))

    def table(self, of: type, raw: Any, path: Path) -> Any | None:
        """An instance of a declared class; None when a required key is missing or wrong."""
        raw = self._plain(raw, path)
        if not isinstance(raw, dict):
            self.report(path, f"{dotted(path)} must be a table, not {toml_type(raw)}")
            return None
        prepared = getattr(of, "prepared", dict)(raw)
        known = dict(declarations(of))
        names = self._canonical(known, prepared, path)
        for name in prepared:
            if name not in names.values():
                self.report((*path, name), self._unknown(name, known, path))
        values = {name: self._value(known[name], prepared[given], (*path, given)) for name, given in names.items()}
        return self._built(of, known, {name: value for name, value in values.items() if value is not None}, path)

    def _built(self, of: type, known: Mapping[str, Declaration], values: dict[str, Any], path: Path) -> Any | None:
        missing = [name for name, each in known.items() if isinstance(each, Key) and each.required and name not in values]
        for name in missing:
            if not self.failed((*path, name)):
                self.report((*path, name), f"{dotted(path)} needs the key {name!r}")
        return None if missing else of(**values)

    def _canonical(self, known: Mapping[str, Declaration], raw: dict[str, Any], path: Path) -> dict[str, str]:
        """Declared name to the spelling that is used; two spellings of one key are a contradiction."""
        used: dict[str, str] = {}
        for name, each in known.items():
            spellings = [name, *each.other_names] if isinstance(each, Key) else [name]
            given = [spelling for spelling in spellings if spelling in raw]
            if len(given) > 1:
                self.report((*path, given[1]), f"{dotted((*path, given[1]))} and {given[0]!r} are the same key")
            if given:
                used[name] = given[0]
        return used

    def _unknown(self, name: str, known: Mapping[str, Declaration], path: Path) -> str:
        if not path:
            kind = f"section [{name}]"
            waiting: tuple[str, ...] = later.SECTIONS
        else:
            kind = f"key {name!r} in {title(path)}"
            waiting = later.KEYS.get(str(path[0]), ()) if len(path) == 1 else ()
        if name in waiting:
            return f"{dotted((*path, name))} {later.NOT_YET}"
        return f"unknown {kind}{nearest(name, [*known, *waiting])}"

    def _value(self, declared: Declaration, raw: Any, path: Path) -> Any | None:
        match declared:
            case Key():
                return self._key(declared, raw, path)
            case Table(of):
                found = self.table(of, raw, path)
                return of() if found is None else found
            case NamedTables(of):
                return self._named(of, raw, path)
            case RecordList(of):
                items = [self.table(of, item, (*path, index)) for index, item in self._items(raw, path)]
                return tuple(item for item in items if item is not None)
            case TableList():
                items = [self._shaped(declared, item, (*path, index)) for index, item in self._items(raw, path)]
                return tuple(item for item in items if item is not None)

    def _key(self, declared: Key, raw: Any, path: Path) -> Any | None:
        try:
            if isinstance(raw, Override):
                raw = declared.kind.text(raw.value) if isinstance(raw.value, str) else raw.value
            return declared.kind.read(raw, Context(self._environ, self._layers.folder_of(path)))
        except Wrong as wrong:
            self.report(path, f"{dotted(path)} {wrong}")
            return None

    def _named(self, of: type, raw: Any, path: Path) -> Mapping[str, Any]:
        raw = self._plain(raw, path)
        if not isinstance(raw, dict):
            self.report(path, f"{dotted(path)} must be tables by name, not {toml_type(raw)}")
            return MappingProxyType({})
        found = {}
        for name, item in raw.items():
            at = (*path, name)
            try:
                NAME.read(name, Context({}, self._layers.folder))
            except Wrong as wrong:
                self.report(at, f"the name in {title(at)} {wrong}")
                continue
            instance = self.table(of, item, at)
            if instance is not None:
                found[name] = instance
        return MappingProxyType(found)

    def _items(self, raw: Any, path: Path) -> list[tuple[int, Any]]:
        raw = self._plain(raw, path)
        if not isinstance(raw, list):
            self.report(path, f"{dotted(path)} must be a list of tables, not {toml_type(raw)}")
            return []
        return list(enumerate(raw))

    def _shaped(self, declared: TableList, raw: Any, path: Path) -> Any | None:
        raw = self._plain(raw, path)
        if not isinstance(raw, dict):
            self.report(path, f"{dotted(path)} must be a table, not {toml_type(raw)}")
            return None
        word = self._plain(raw.get("type"), (*path, "type"), text=str)
        if not isinstance(word, str):
            self.report((*path, "type"), f"{dotted(path)} needs the key 'type', a text")
            return None
        if word in declared.later:
            self.report((*path, "type"), f"{dotted(path)} of type {word!r} {later.NOT_YET}")
            return None
        if word not in declared.of:
            known = [*declared.of, *declared.later]
            self.report((*path, "type"), f"unknown type {word!r} of {dotted(path)}{nearest(word, known)}")
            return None
        return self.table(declared.of[word], {name: value for name, value in raw.items() if name != "type"}, path)

    def _plain(self, raw: Any, path: Path, text: Any = toml_value) -> Any:
        """The value of an override; texts of tables and lists are TOML."""
        if not isinstance(raw, Override):
            return raw
        if not isinstance(raw.value, str):
            return raw.value
        try:
            return text(raw.value)
        except Wrong as wrong:
            self.report(path, f"{dotted(path)} {wrong}")
            return None


def dotted(path: Path) -> str:
    """`auth.providers.users`: how messages name a key. Positions in lists are left to the line number."""
    return ".".join(str(step) for step in path if not isinstance(step, int))


def title(path: Path) -> str:
    """The header under which a key stands."""
    return f"[[{dotted(path)}]]" if isinstance(path[-1], int) else f"[{dotted(path)}]"
