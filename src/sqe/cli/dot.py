"""Commands of the shell that begin with a dot. Most are SQL that nobody wants to type."""

from __future__ import annotations

import json
from collections.abc import Callable

from sqe.cli.backend import Failure, Request
from sqe.cli.oneshot import Runner
from sqe.render import FORMATS

# Files that read files: a file that reads itself must come to an end.
DEEPEST = 16


class Leave(Exception):
    """The user wants to go."""


class Command:
    """One command: how it is called, what it does, who does it."""

    def __init__(self, usage: str, help: str, act: Callable[[Runner, str], None]) -> None:
        self.usage = usage
        self.help = help
        self.act = act

    @property
    def name(self) -> str:
        return self.usage.split()[0]


def command(runner: Runner, line: str) -> None:
    """Run one dot command. Raises Failure, and Leave for `.quit`."""
    name, _, argument = line.rstrip().rstrip(";").partition(" ")
    found = COMMANDS.get(name)
    if found is None:
        raise Failure("GENERIC_USER_ERROR", f"Unknown command {name}; .help lists them")
    argument = argument.strip()
    if argument and " " not in found.usage:
        raise Failure("GENERIC_USER_ERROR", f"Usage: {found.usage}")
    if not argument and " " in found.usage and "[" not in found.usage:
        raise Failure("GENERIC_USER_ERROR", f"Usage: {found.usage}")
    found.act(runner, argument)


def _say(runner: Runner, text: str) -> None:
    runner.console.write(text.encode() + b"\n")
    runner.console.end()


def _help(runner: Runner, _: str) -> None:
    _say(runner, "\n".join(f"{each.usage:<20} {each.help}" for each in COMMANDS.values()))


def _quit(_runner: Runner, _: str) -> None:
    raise Leave


def _tables(runner: Runner, schema: str) -> None:
    runner.run(f"SHOW TABLES IN {schema}" if schema else "SHOW TABLES")


def _format(runner: Runner, name: str) -> None:
    if not name:
        _say(runner, f"format: {runner.format} (one of {', '.join(FORMATS)})")
        return
    if name not in FORMATS:
        raise Failure("GENERIC_USER_ERROR", f"The format must be one of {', '.join(FORMATS)}, not {name!r}")
    runner.format = name


def _timer(runner: Runner, switch: str) -> None:
    if switch not in ("on", "off"):
        raise Failure("GENERIC_USER_ERROR", "Usage: .timer on|off")
    runner.timer = switch == "on"


def _read(runner: Runner, path: str) -> None:
    """The statements of a file; the first that fails ends it."""
    import os

    from sqe.cli.splitter import split

    try:
        with open(os.path.expanduser(path), encoding="utf-8") as file:
            statements = split(file.read())
    except OSError as error:
        raise Failure("GENERIC_USER_ERROR", f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Failure("INVALID_ARGUMENTS", f"{path} is not valid UTF-8") from None
    runner.depth += 1
    try:
        if runner.depth > DEEPEST:
            raise Failure("GENERIC_USER_ERROR", f"{path} is read by files that read each other, {DEEPEST} deep")
        for statement in statements:
            if statement.is_command:
                command(runner, statement.text)
            else:
                runner.run(statement.text)
    finally:
        runner.depth -= 1


def _summarize(runner: Runner, table: str) -> None:
    columns = _columns(runner, table)
    if not columns:
        raise Failure("TABLE_NOT_FOUND", f"{table} has no columns")
    runner.run(summary_sql(table, columns))


def _columns(runner: Runner, table: str) -> list[tuple[str, str]]:
    """Names and types of the columns, as DESCRIBE tells them (partition fields and details follow after an empty line)."""
    collected = _Collected()
    runner.backend.run(Request(f"DESCRIBE TABLE {table}", "jsonl"), collected)
    columns = []
    for line in collected.data.decode().splitlines():
        row = json.loads(line)
        if not row["col_name"] or row["col_name"].startswith("#"):
            break
        columns.append((row["col_name"], row["data_type"]))
    return columns


def summary_sql(table: str, columns: list[tuple[str, str]]) -> str:
    """One scan for all columns: each is a struct of its figures, and the array of structs becomes the rows."""
    rows = ", ".join(_figures(name, type) for name, type in columns)
    return f"SELECT inline(figures) FROM (SELECT array({rows}) AS figures FROM {table})"


_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
_ORDERED = (*_NUMBERS, "string", "varchar", "char", "date", "timestamp", "boolean")


def _figures(name: str, type: str) -> str:
    column = "`" + name.replace("`", "``") + "`"
    number = type.startswith(_NUMBERS)
    ordered = type.startswith(_ORDERED)
    quartiles = [
        f"CAST(approx_percentile({column}, {at}) AS STRING)" if number else _NOTHING for at in ("0.25D", "0.5D", "0.75D")
    ]
    return (
        f"named_struct('column', {_literal(name)}, 'type', {_literal(type)}"
        f", 'min', {f'CAST(min({column}) AS STRING)' if ordered else _NOTHING}"
        f", 'max', {f'CAST(max({column}) AS STRING)' if ordered else _NOTHING}"
        f", 'distinct', {f'approx_count_distinct({column}, 0.01D)' if ordered else 'CAST(NULL AS BIGINT)'}"
        f", 'avg', {f'CAST(avg({column}) AS DOUBLE)' if number else _NO_NUMBER}"
        f", 'std', {f'CAST(stddev({column}) AS DOUBLE)' if number else _NO_NUMBER}"
        f", 'q25', {quartiles[0]}, 'q50', {quartiles[1]}, 'q75', {quartiles[2]}"
        f", 'rows', count(*), 'nulls', count_if({column} IS NULL))"
    )


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_NOTHING = "CAST(NULL AS STRING)"
_NO_NUMBER = "CAST(NULL AS DOUBLE)"


class _Collected:
    """An output that keeps what is written."""

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, data: bytes | memoryview) -> None:
        self.data += data

    def progress(self, completed: int, total: int, active: int, rows: int) -> None:
        pass

    def notice(self, text: str) -> None:
        pass


COMMANDS = {
    each.name: each
    for each in (
        Command(".help", "this list", _help),
        Command(".quit", "leave (also Ctrl-D)", _quit),
        Command(".tables [SCHEMA]", "the tables of a schema", _tables),
        Command(
            ".schema TABLE",
            "the statement that creates a table",
            lambda runner, table: _sql(runner, f"SHOW CREATE TABLE {table}"),
        ),
        Command(".describe TABLE", "the columns of a table", lambda runner, table: _sql(runner, f"DESCRIBE TABLE {table}")),
        Command(".summarize TABLE", "figures for every column: least, greatest, distinct, quartiles, nulls", _summarize),
        Command(".catalogs", "the catalogs of this session", lambda runner, _: _sql(runner, "SHOW CATALOGS")),
        Command(".read FILE", "run the statements of a file", _read),
        Command(".timer on|off", "print how long each statement took", _timer),
        Command(".format [NAME]", f"how results are written: {', '.join(FORMATS)}", _format),
        Command(".mode [NAME]", "the same as .format", _format),
    )
}


def _sql(runner: Runner, sql: str) -> None:
    runner.run(sql)
