"""Writes docs/configuration.md from the declared keys: `python -m sqe.config.document docs/configuration.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqe.config import later, spark
from sqe.config.catalogs import TYPES
from sqe.config.keys import Key, NamedTables, RecordList, Table, TableList, declarations, default_of
from sqe.config.settings import Settings

INTRODUCTION = """\
# Configuration

<!-- Made by `python -m sqe.config.document docs/configuration.md`; a test compares it with the code. -->

`sqe-server --config sqe.toml` reads one TOML file. `sqe-server --config sqe.toml --check` prints the effective settings,
each with the place that it comes from, and ends.

- **Precedence**: flag (`--set section.key=value`) over environment variable over file over default.
- **Environment**: every key has a variable, `SQE_<SECTION>__<KEY>` with two underscores between the steps:
  `SQE_QUERY__TIMEOUT=5m`, `SQE_CATALOGS__SALES__PATH=/srv/sales`, `SQE_AUTH__PROVIDERS__0__USERS__1__PASSWORD=…` (lists are
  counted from 0). Lists of texts may be written `a,b`; tables as in TOML.
- **Strict**: unknown keys, wrong types, values out of range and contradictions are all reported at once, each with file,
  line and the nearest known key, and the server does not start (exit code 2). A name that is planned but not in this
  version is refused as well, never ignored.
- **Secrets** are a text, `{ env = "NAME" }` or `{ file = "PATH" }`. They are never printed.
- **Durations** are written `250ms`, `30s`, `15m`, `8h`, `7d`; **sizes** `512k`, `512m`, `3g` (powers of 1024).
- **Paths**: `~` is the home folder; relative ones start at the folder of the file (in variables and flags: the current one).

A small server with two users and a warehouse beside the file:

```toml
[coordinator]
host = "127.0.0.1"
flight_sql_port = 50051
trino_http_port = 8080

[engine]
driver_memory = "3g"

[auth]
admin_roles = ["admin"]

[[auth.providers]]
type = "static"
users = [
  { name = "root", password = "secret", roles = ["admin"] },
  { name = "alice", password = { env = "ALICE_PASSWORD" }, roles = ["analyst"], groups = ["eu"] },
]

[catalog]
name = "lake"
type = "sqlite"
path = "./warehouse"
```
"""


def document() -> str:
    return INTRODUCTION + "".join(f"{line}\n" for line in _sections()) + "".join(f"{line}\n" for line in _spark())


def _sections() -> Iterator[str]:
    for name, declared in declarations(Settings):
        match declared:
            case Table(of) if name not in later.UNUSED_SECTIONS:
                yield from _section(f"[{name}]", of, name, level=2)
            case NamedTables(of):
                yield from (
                    "",
                    f"## [{name}.NAME]",
                    "",
                    f"More catalogs, each with the keys of `[{name[:-1]}]` under a name of its own.",
                )


def _section(title: str, of: type, path: str, level: int) -> Iterator[str]:
    yield from ("", f"{'#' * level} {title}", "", (of.__doc__ or "").strip().splitlines()[0])
    keys = [(name, each) for name, each in declarations(of) if isinstance(each, Key) and _available(each)]
    if keys:
        yield from ("", "| key | type | default | meaning |", "|---|---|---|---|")
        yield from (_row(of, name, each) for name, each in keys)
    for name, declared in declarations(of):
        match declared:
            case TableList(shapes):
                for shape in shapes.values():
                    yield from _section(f"[[{path}.{name}]]", shape, f"{path}.{name}", level + 1)
            case RecordList(shape):
                yield from _section(f"`{name}`", shape, f"{path}.{name}", level + 1)


def _available(declared: Key) -> bool:
    """What no catalog type of this version has is not documented."""
    return not declared.only or bool(set(declared.only) & set(TYPES))


def _row(of: type, name: str, declared: Key) -> str:
    only = [word for word in declared.only if word in TYPES]
    types = f" ({', '.join(only)})" if only else ""
    kind = declared.kind.name.replace("|", "\\|")
    return f"| `{name}` | {kind} | {_default(of, name, declared)} | {declared.doc}{types} |"


def _default(of: type, name: str, declared: Key) -> str:
    value: Any = default_of(of, name)
    if declared.required:
        return "required"
    if value is None or value == "" or (isinstance(value, tuple) and not value) or value == {}:
        return "–"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _spark() -> Iterator[str]:
    yield from ("", "## Spark settings", "", "`[engine] spark` takes these:", "")
    yield from (f"- `{name}`" for name in sorted(spark.ALLOWED))


def main() -> None:
    Path(sys.argv[1]).write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    main()
