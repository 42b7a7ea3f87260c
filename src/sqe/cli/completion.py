"""Completion in the shell: keywords at once, names from the engine when they are asked for, remembered for a while."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from sqe.cli.dot import COMMANDS
from sqe.cli.keywords import KEYWORDS
from sqe.render import FORMATS

if TYPE_CHECKING:
    from sqe.cli.backend import Backend

# How long names are remembered; a statement that may have changed them makes them forgotten at once.
REMEMBERED_SECONDS = 30.0

_WORD = re.compile(r"[\w.`\"$]*$")
_TABLES = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+([\w.`\"]+)(?=(?:\s+(?:AS\s+)?(\w+))?)", re.IGNORECASE)
_PLAIN = re.compile(r"[A-Za-z_]\w*$")


class Names:
    """Names from the engine. Asked from the completer's thread, never from the one that draws the screen."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._known: dict[tuple[str, ...], tuple[float, list[str]]] = {}

    def get(self, kind: str, path: list[str]) -> list[str]:
        key = (kind, *path)
        asked, names = self._known.get(key, (0.0, []))
        if not asked or time.monotonic() - asked > REMEMBERED_SECONDS:
            names = self._backend.names(kind, path)
            self._known[key] = (time.monotonic(), names)
        return names

    def forget(self) -> None:
        self._known.clear()


class SqlCompleter(Completer):
    def __init__(self, names: Names) -> None:
        self._names = names

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        before = document.text_before_cursor
        word = _word_before(before)
        if before.lstrip().startswith("."):
            candidates = self._for_command(before.lstrip())
            word = "" if before.endswith(" ") else before.split()[-1]
        else:
            # Without the word itself: half a name behind FROM is no table yet.
            candidates = self._for_sql(word, before[: len(before) - len(word)] + document.text_after_cursor)
        fragment = word.rpartition(".")[2] if not word.startswith(".") else word
        yield from _matching(candidates, fragment)

    def _for_command(self, before: str) -> Iterator[tuple[str, str]]:
        name, space, _ = before.partition(" ")
        if not space:
            yield from ((command, "command") for command in COMMANDS)
        elif name in (".format", ".mode"):
            yield from ((format, "format") for format in FORMATS)
        elif name == ".timer":
            yield from (("on", ""), ("off", ""))
        elif name == ".tables":
            yield from self._quoted("schemas", [], "schema")
        else:
            yield from self._quoted("tables", [], "table")

    def _for_sql(self, word: str, text: str) -> Iterator[tuple[str, str]]:
        path = [part.strip('`"') for part in word.split(".")[:-1]]
        mentioned = list(_mentioned(text))
        if not path:
            yield from self._anywhere(word, mentioned)
            return
        for table, alias in mentioned:
            if [alias] == path or table[-len(path) :] == path:
                yield from self._quoted("columns", table, "column")
        if len(path) == 1:
            if path[0] in self._names.get("catalogs", []):
                yield from self._quoted("schemas", path, "schema")
            else:
                yield from self._quoted("tables", path, "table")
        elif len(path) == 2:
            yield from self._quoted("tables", path, "table")
        if len(path) <= 3:
            yield from self._quoted("columns", path, "column")

    def _anywhere(self, word: str, mentioned: list[tuple[list[str], str]]) -> Iterator[tuple[str, str]]:
        for table, alias in mentioned:
            if alias:
                yield alias, "alias"
            yield from self._quoted("columns", table, "column")
        yield from self._quoted("tables", [], "table")
        yield from self._quoted("schemas", [], "schema")
        yield from self._quoted("catalogs", [], "catalog")
        lower = word.islower()
        yield from ((keyword.lower() if lower else keyword, "") for keyword in KEYWORDS)

    def _quoted(self, kind: str, path: list[str], meta: str) -> Iterator[tuple[str, str]]:
        for name in self._names.get(kind, path):
            yield (name if _PLAIN.match(name) else "`" + name.replace("`", "``") + "`"), meta


def _word_before(text: str) -> str:
    found = _WORD.search(text)
    return found.group() if found else ""


def _mentioned(text: str) -> Iterator[tuple[list[str], str]]:
    """The tables that a statement speaks of, with their aliases."""
    for match in _TABLES.finditer(text):
        alias = match.group(2) or ""
        table = [part.strip('`"') for part in match.group(1).split(".")]
        if all(table):
            yield table, "" if alias.upper() in KEYWORDS else alias


def _matching(candidates: Iterable[tuple[str, str]], fragment: str) -> Iterator[Completion]:
    seen = set()
    wanted = fragment.strip('`"').lower()
    for text, meta in candidates:
        if text not in seen and text.strip("`").lower().startswith(wanted) and text != fragment:
            seen.add(text)
            yield Completion(text, start_position=-len(fragment), display_meta=meta)
