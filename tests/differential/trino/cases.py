"""The cases: lines of expressions/*.sql with each combination of the values that their `{names}` stand for, and queries/*.sql."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

HERE = Path(__file__).parent
VALUES: dict[str, list[str]] = json.loads((HERE / "values.json").read_text())
_NAME = re.compile(r"\{([a-z0-9]+)\}")


def expressions() -> list[str]:
    """Each one as a query of one cell. A line may go on after a line break inside quotes."""
    found: dict[str, None] = {}
    for path in sorted((HERE / "expressions").glob("*.sql")):
        for line in _lines(path.read_text()):
            for made in _expanded(line):
                found[f"SELECT {made}"] = None
    return list(found)


def queries(files: str = "*.sql") -> list[str]:
    """Statements end with `;` at the end of a line; those with `{names}` stand for several."""
    found: dict[str, None] = {}
    for path in sorted((HERE / "queries").glob(files)):
        for statement in re.split(r";[ \t]*\n", path.read_text()):
            text = "\n".join(line for line in statement.splitlines() if not line.startswith("--")).strip()
            for made in _expanded(text) if text else ():
                found[made] = None
    return list(found)


def _lines(text: str) -> list[str]:
    found, open_line = [], ""
    for line in text.splitlines():
        open_line = f"{open_line}\n{line}" if open_line else line
        if open_line.count("'") % 2 == 0:
            if open_line.strip():
                found.append(open_line)
            open_line = ""
    return found


def _expanded(line: str) -> list[str]:
    """A name that comes twice has the same value at both places."""
    names = list(dict.fromkeys(name for name in _NAME.findall(line) if name in VALUES))
    made = []
    for values in itertools.product(*(VALUES[name] for name in names)):
        given = dict(zip(names, values, strict=True))
        made.append(_NAME.sub(lambda found, given=given: given.get(found[1], found[0]), line))  # type: ignore[misc]
    return made
