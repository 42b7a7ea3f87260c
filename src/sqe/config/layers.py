"""Where raw values come from: the file, then the environment over it, then flags. Each value keeps its origin for messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sqe.config import positions
from sqe.config.problems import ConfigErrors, Problem

PREFIX = "SQE_"


class Override(NamedTuple):
    """A value from a variable or a flag, in the place of the file's. Texts are still to be read by the key's kind."""

    value: Any
    where: str


@dataclass
class Layers:
    """The raw tree of all values and what is known about where each came from."""

    name: str  # of the file, for messages
    folder: Path  # that relative paths in the file start from
    tree: dict[str, Any] = field(default_factory=dict)
    lines: Mapping[positions.Path, int] = field(default_factory=dict)
    overridden: dict[positions.Path, str] = field(default_factory=dict)

    def where(self, path: positions.Path) -> str:
        """`sqe.toml:12`, `SQE_QUERY__TIMEOUT` or `--set query.timeout`: the place of this key or of the table it is in."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.overridden:
                return self.overridden[path[:length]]
            if path[:length] in self.lines:
                return f"{self.name}:{self.lines[path[:length]]}"
        return self.name

    def order(self, path: positions.Path) -> tuple[int, str]:
        """Problems are shown from the top of the file to its end, then those of variables and flags."""
        where = self.where(path)
        line = where.rpartition(":")[2]
        return (int(line), "") if line.isdigit() else (1 << 30, where)

    def folder_of(self, path: positions.Path) -> Path:
        return Path() if any(path[:length] in self.overridden for length in range(len(path) + 1)) else self.folder


def from_file(path: Path | None) -> Layers:
    if path is None:
        return Layers("sqe.toml", Path())
    import tomllib

    try:
        text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
        tree = tomllib.loads(text)
    except OSError as error:
        raise ConfigErrors([Problem(str(path), f"cannot be read: {error.strerror}")]) from None
    except UnicodeDecodeError:
        raise ConfigErrors([Problem(str(path), "is not UTF-8 text")]) from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigErrors([_syntax_problem(path, text, str(error))]) from None
    return Layers(str(path), path.absolute().parent, tree, positions.line_numbers(text))


def _syntax_problem(path: Path, text: str, message: str) -> Problem:
    """tomllib says the place in words: `… (at line 3, column 5)` or `… (at end of document)`."""
    reason, _, place = message.rpartition(" (at ")
    found = re.match(r"line (\d+)", place)
    line = found[1] if found else len(text.splitlines())
    return Problem(f"{path}:{line}", f"is not TOML: {reason or message}")


def from_environment(environ: Mapping[str, str]) -> Iterator[tuple[list[str], Override]]:
    """`SQE_SECTION__KEY`: two underscores separate. Names with none belong to the `sqe` command, not to this file."""
    for name in sorted(environ):
        if name.startswith(PREFIX) and "__" in name:
            yield name[len(PREFIX) :].lower().split("__"), Override(environ[name], name)


def from_flags(flags: Mapping[str, Any]) -> Iterator[tuple[list[str], Override]]:
    for name, value in flags.items():
        yield name.split("."), Override(value, f"--set {name}")


def put(layers: Layers, names: list[str], override: Override) -> Problem | None:
    """Lays one value over the tree. Upper case is lost in variables, so existing names match in any case."""
    path: positions.Path = ()
    at: Any = layers.tree
    for name in names:
        step = _step(at, name)
        if step is None:
            return Problem(override.where, f"{'.'.join(map(str, path))} has no key {name!r} in it")
        path += (step,)
        if len(path) == len(names):
            at[step] = override
        else:
            at = at[step]
    layers.overridden[path] = override.where
    return None


def _step(at: Any, name: str) -> str | int | None:
    """The key or index that a name means here, made when it is not there yet."""
    if isinstance(at, dict):
        known = next((known for known in at if known.lower() == name.lower()), name)
        at.setdefault(known, {})
        return known
    if isinstance(at, list) and name.isdigit() and int(name) <= len(at):
        if int(name) == len(at):
            at.append({})
        return int(name)
    return None
