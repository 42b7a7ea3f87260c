"""Conformance stories: statements and what they must answer, as data (`*.sql` beside this file), for any catalog and any door.

A story begins with `-- story: its name` and is one session in a schema of its own. A statement ends with `;` at a line's end.
Lines after it say what it must answer; without any, that it succeeds:

    --= 1 | sage        its rows, one a line, in their order; NULL, true, 1.5
    --# 3               the rows that it changed
    --! TABLE_NOT_FOUND the code of its error
    --$ first           keep the first value of its first row as {first}, for statements to come

`{catalog}` and `{schema}` stand for the names of the place where the story runs.

`differences.toml` says where a catalog answers otherwise, and why. A difference that is listed and gone is a problem, too.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@dataclass
class Step:
    sql: str
    line: int
    rows: list[str] | None = None
    affected: int | None = None
    error: str | None = None
    keep: str | None = None


@dataclass
class Story:
    name: str
    file: str
    steps: list[Step] = field(default_factory=list)


@dataclass(frozen=True)
class Said:
    """What a statement answered: its rows, the number of rows it changed, the code of its error."""

    rows: list[tuple[Any, ...]] = field(default_factory=list)
    affected: int | None = None
    error: str | None = None
    message: str = ""


@dataclass(frozen=True)
class Difference:
    """In these catalogs a statement that begins so does not answer as told; without statements, the story as a whole."""

    catalogs: tuple[str, ...]
    story: str
    statements: tuple[str, ...]
    reason: str


def differences(catalog: str) -> list[Difference]:
    entries = tomllib.loads((FOLDER / "differences.toml").read_text(encoding="utf-8"))["difference"]
    listed = [Difference(tuple(e["catalogs"]), e["story"], tuple(e.get("statements", ())), e["reason"]) for e in entries]
    return [each for each in listed if catalog in each.catalogs]


def stories() -> list[Story]:
    return [story for file in sorted(FOLDER.glob("*.sql")) for story in _read(file)]


def _read(file: Path) -> Iterator[Story]:
    story: Story | None = None
    text: list[str] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("-- story: "):
            if story:
                yield story
            story = Story(line.removeprefix("-- story: "), file.stem)
        elif story is None or (not line.strip() and not text) or line.startswith("-- "):
            continue
        elif line.startswith(("--=", "--#", "--!", "--$")):
            _expect(story.steps[-1], line[2], line[3:].strip())
        else:
            text.append(line)
            if line.rstrip().endswith(";"):
                story.steps.append(Step("\n".join(text).rstrip().removesuffix(";"), number))
                text = []
    assert not text, f"{file.name}: a statement without an end: {text}"
    if story:
        yield story


def _expect(step: Step, kind: str, value: str) -> None:
    match kind:
        case "=":
            step.rows = [*(step.rows or []), *([value] if value else [])]
        case "#":
            step.affected = int(value)
        case "!":
            step.error = value
        case _:
            step.keep = value


def play(story: Story, run: Callable[[str], Said], names: dict[str, str], known: Sequence[Difference] = ()) -> list[str]:
    """Runs a story; the problems, one a line. It goes on after one: a run shows them all."""
    here = [each for each in known if each.story == story.name]
    problems, differing = [], set[str]()
    for step in story.steps:
        sql = _filled(step.sql, names)
        said = run(sql)
        wrong = _wrong(step, said, names)
        listed = {text for each in here for text in each.statements if step.sql.startswith(text)}
        if wrong and listed:
            differing |= listed
        elif wrong:
            problems.append(f"{story.file}.sql:{step.line}: {sql}\n    {wrong}")
        if step.keep and said.rows:
            names[step.keep] = str(said.rows[0][0])
    if any(not each.statements for each in here):
        return [] if problems else [f"{story.name}\n    goes as it is told, and is listed as a difference"]
    gone = {text for each in here for text in each.statements} - differing
    return problems + [f"{text}\n    answers as it is told, and is listed as a difference" for text in sorted(gone)]


def _wrong(step: Step, said: Said, names: dict[str, str]) -> str:
    """How an answer is not what the story says; nothing when it is."""
    shown = [" | ".join(_text(value) for value in row) for row in said.rows]
    if said.error != step.error:
        return f"gave {said.error} {said.message}, not {step.error or 'success'}"
    if step.rows is not None and shown != (wanted := [_filled(row, names) for row in step.rows]):
        return f"gave {shown}, not {wanted}"
    if step.affected is not None and said.affected != step.affected:
        return f"changed {said.affected} rows, not {step.affected}"
    return ""


def _filled(text: str, names: dict[str, str]) -> str:
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _text(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, list):
        return "[" + ", ".join(_text(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_text(item)}" for key, item in value.items()) + "}"
    return str(value)
