#!/usr/bin/env python
"""Writes what the documentation has in common with the code: whole pages, and tables between markers in pages written by hand.

    .venv/bin/python dev/document.py

tests/unit/test_docs.py fails when a page is not what this would write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sqe.cli.arguments import FLAGS
from sqe.cli.dot import COMMANDS
from sqe.config import document as configuration
from sqe.engine.install.jars import DRIVER_JARS, ENGINE_JARS, STORE_JARS, TEST_JARS, Jar
from sqe.engine.spark_settings import SETTINGS as SPARK_SETTINGS
from sqe.errors import CODES, ErrorCode, Kind
from sqe.observe import document as metrics
from sqe.policy.actions import ACTIONS
from sqe.policy.masks import MASKS
from sqe.query.session_settings import SETTINGS

DOCS = Path(__file__).resolve().parents[1] / "docs"

# What each code says, for people who meet it.
MEANINGS: Mapping[str, str] = {
    "GENERIC_USER_ERROR": "The statement is wrong in a way that has no code of its own.",
    "SYNTAX_ERROR": "The text is not SQL; the message has line and column.",
    "ABANDONED_QUERY": "Nobody fetched the rows for `query.abandoned_timeout`.",
    "USER_CANCELED": "Cancelled: Ctrl-C, `KILL QUERY`, a client that left, a session that was closed.",
    "PERMISSION_DENIED": "The catalog or the policy does not let this user do it.",
    "NOT_FOUND": "No such query, ticket or prepared statement.",
    "FUNCTION_NOT_FOUND": "No such function.",
    "INVALID_FUNCTION_ARGUMENT": "A function was called with a value that it does not take.",
    "DIVISION_BY_ZERO": "Division by zero; `try_divide()` gives NULL instead.",
    "INVALID_CAST_ARGUMENT": "The value does not fit the type; `try_cast()` gives NULL instead.",
    "ALREADY_EXISTS": "Something of that name exists already.",
    "NOT_SUPPORTED": "This version does not do it, or never will ([SQL](sql.md#what-is-refused)).",
    "INVALID_SESSION_PROPERTY": "No such session setting, or not a value for it.",
    "CONSTRAINT_VIOLATION": "A NULL in a NOT NULL column, or a violated check.",
    "TRANSACTION_CONFLICT": "Another writer changed the table first; nothing was written, run it again.",
    "INVALID_TABLE_PROPERTY": "Not a value for this table property. (Nothing raises it yet.)",
    "NUMERIC_VALUE_OUT_OF_RANGE": "The number does not fit its type.",
    "NOT_IN_TRANSACTION": "COMMIT or ROLLBACK without START TRANSACTION.",
    "READ_ONLY_VIOLATION": "The warehouse folder cannot be written to or used.",
    "SUBQUERY_MULTIPLE_ROWS": "A scalar subquery returned more than one row, or MERGE matched a row twice.",
    "PROCEDURE_NOT_FOUND": "No such procedure.",
    "INVALID_PROCEDURE_ARGUMENT": "The procedure has no argument of that name, or a required one is missing.",
    "QUERY_REJECTED": "The embedded daemon is of another installation and busy.",
    "SCHEMA_NOT_EMPTY": "The schema still holds tables or views.",
    "QUERY_TEXT_TOO_LARGE": "Longer than `query.max_sql_bytes`, or nested too deeply.",
    "ADMINISTRATIVELY_KILLED": "An administrator ended the statement. (Nothing raises it yet.)",
    "TYPE_NOT_FOUND": "No such type.",
    "CATALOG_NOT_FOUND": "No such catalog in this session.",
    "SCHEMA_NOT_FOUND": "No such schema.",
    "TABLE_NOT_FOUND": "No such table or view.",
    "COLUMN_NOT_FOUND": "No such column; the message proposes some.",
    "SCHEMA_ALREADY_EXISTS": "The schema exists already.",
    "TABLE_ALREADY_EXISTS": "A table or view of that name exists already.",
    "COLUMN_ALREADY_EXISTS": "The table has a column of that name already.",
    "DUPLICATE_COLUMN_NAME": "A column is named twice.",
    "TYPE_MISMATCH": "Types that do not go together, or a wrong number of columns.",
    "INVALID_COLUMN_REFERENCE": "A position in ORDER BY or GROUP BY that the select list does not have (Trino's dialect).",
    "MISMATCHED_COLUMN_ALIASES": "More or fewer names than the relation has columns (Trino's dialect).",
    "INVALID_LITERAL": "A literal such as `DATE '…'` that is none.",
    "AMBIGUOUS_NAME": "A name that means more than one thing.",
    "MISSING_GROUP_BY": "A column is neither grouped nor aggregated.",
    "INVALID_ARGUMENTS": "A request or a clause with values that make no sense.",
    "INVALID_PARAMETER_USAGE": "Values for `?` are missing, too many, or of the wrong kind.",
    "GENERIC_INTERNAL_ERROR": "A defect of SQE or of Spark; the server's log has the details.",
    "SERVER_SHUTTING_DOWN": "The server is being stopped.",
    "SERVER_STARTING_UP": "The engine is not up yet, or could not be started.",
    "REMOTE_HOST_GONE": "The engine ended while the statement ran (it is restarted), or no server answers.",
    "AUDIT_UNAVAILABLE": "The audit log cannot be written, and `audit.on_failure` is `refuse`.",
    "CONFIGURATION_INVALID": "A setting, a folder, a port or Java does not do; the message says which.",
    "GENERIC_INSUFFICIENT_RESOURCES": "Too many sessions or prepared statements.",
    "QUERY_QUEUE_FULL": "`query.max_queued` statements wait already.",
    "TOO_MANY_REQUESTS": "A limit of `[rate_limit]` was met ([limits](limits.md)); the hint says when to come again.",
    "EXCEEDED_TIME_LIMIT": "Longer than `query.timeout` or the session's `query_timeout_seconds`.",
    "EXCEEDED_LOCAL_MEMORY_LIMIT": "The engine had no memory left for the statement.",
    "OUT_OF_DISK_SPACE": "No space left where the statement writes.",
    "EXCEEDED_RESULT_ROW_LIMIT": "More rows than `query.max_result_rows` or the session's `max_result_rows`.",
    "AUTHENTICATION_FAILED": "Not logged in, or the session expired; the message never says more.",
    "ICEBERG_CATALOG_ERROR": "The catalog does not answer, or answers nonsense.",
    "ICEBERG_FILESYSTEM_ERROR": "The object store does not answer.",
    "IDENTITY_PROVIDER_UNAVAILABLE": "The identity provider does not answer, and a log-in or an expired token needs it.",
}

_KINDS = {
    Kind.USER: ("## The statement or request is wrong", "`USER_ERROR`"),
    Kind.RESOURCES: ("## A limit was met", "`INSUFFICIENT_RESOURCES`"),
    Kind.INTERNAL: ("## The server cannot", "`INTERNAL_ERROR`"),
}

ERRORS = """\
# Errors

<!-- Made by `dev/document.py` from sqe/errors.py; a test compares it with the code. -->

Every failure has a code and one sentence, sometimes with a place in the statement and a hint:

```console
$ sqe -e "SELECT nam FROM demo.customers"
COLUMN_NOT_FOUND: line 1:8: Column nam does not exist [did you mean ...?]
```

Names and numbers are Trino's where Trino has the error. Flight clients get the gRPC status below (pyarrow's server cannot send
"already exists"; it travels as "invalid argument"), the text, and a trailer `x-sqe-error` with code, number and SQLSTATE as JSON;
`sqe.connect()` raises the DB-API exception of the SQLSTATE's class ([Python](python.md#errors)). Messages hold no stack trace and
no plan; what is behind an internal error is in the server's log.
"""


def errors() -> str:
    return ERRORS + "".join(f"{line}\n" for kind in _KINDS for line in _codes(kind))


def _codes(kind: Kind) -> Iterator[str]:
    title, name = _KINDS[kind]
    yield from ("", title, "", f"Kind {name}.", "", "| code | number | gRPC | SQLSTATE | meaning |", "|---|---|---|---|---|")
    yield from (_code(code) for code in CODES.values() if code.kind is kind)


def _code(code: ErrorCode) -> str:
    return f"| `{code.name}` | {code.number} | {code.grpc.value} | {code.sqlstate} | {MEANINGS[code.name]} |"


def flags() -> Iterator[str]:
    yield from ("| flag | does |", "|---|---|")
    for flag in FLAGS:
        names = ", ".join(f"`{name}{' ' + flag.metavar if flag.metavar else ''}`" for name in flag.names)
        yield f"| {names} | {flag.help} |"


def dot_commands() -> Iterator[str]:
    yield from ("| command | does |", "|---|---|")
    for command in COMMANDS.values():
        usage = command.usage.replace("|", "\\|")
        yield f"| `{usage}` | {command.help} |"


def session_settings() -> Iterator[str]:
    yield from ("| setting | default | takes | is |", "|---|---|---|---|")
    for setting in sorted(SETTINGS.values(), key=lambda each: each.name):
        yield f"| `{setting.name}` | `{setting.default}` | {setting.wants} | {setting.about} |"


def spark_settings() -> Iterator[str]:
    yield from ("| setting | value | why |", "|---|---|---|")
    for key, (value, why) in SPARK_SETTINGS.items():
        shown = "<br>".join(f"`{part}`" for part in value.split(",")) if "Extensions" in value else f"`{value}`"
        yield f"| `{key}` | {shown if value else 'unset'} | {why} |"


def jars() -> Iterator[str]:
    yield from ("| jar | version | SHA-256 begins |", "|---|---|---|")
    yield from (_jar(jar) for jar in (*ENGINE_JARS, *DRIVER_JARS, *STORE_JARS, *TEST_JARS))


def _jar(jar: Jar) -> str:
    return f"| `{jar.group}:{jar.name}` | {jar.version} | `{jar.sha256[:16]}` |"


def privileges() -> Iterator[str]:
    yield from ("| privilege | lets a person |", "|---|---|")
    yield from (f"| `{name.upper()}` | {about} |" for name, about in ACTIONS.items())


def masks() -> Iterator[str]:
    yield from (f"- {about}" for _, about in MASKS.values())


def trino_functions() -> str:
    from sqe.sql.dialect.trino.coverage import page

    return page()


PAGES: Mapping[str, Callable[[], str]] = {
    "trino-functions.md": trino_functions,
    "configuration.md": configuration.document,
    "errors.md": errors,
    "metrics.md": metrics.document,
}

TABLES: Mapping[str, Mapping[str, Callable[[], Iterator[str]]]] = {
    "architecture.md": {"spark settings": spark_settings},
    "cli.md": {"flags": flags, "dot commands": dot_commands},
    "dependencies.md": {"jars": jars},
    "policy.md": {"privileges": privileges, "masks": masks},
    "sql.md": {"session settings": session_settings},
}


def filled(page: str, text: str) -> str:
    """A page written by hand, with its tables as the code has them."""
    for name, table in TABLES[page].items():
        mark = f"<!-- made by dev/document.py: {name} -->\n"
        before, found, rest = text.partition(mark)
        _, end, after = rest.partition("<!-- end -->")
        if not found or not end:
            raise ValueError(f"docs/{page} has no place for {name}")
        text = "".join((before, mark, *(f"{line}\n" for line in table()), end, after))
    return text


def written() -> dict[Path, str]:
    """Every page that has something to do with the code, as it should be."""
    pages = {DOCS / name: page() for name, page in PAGES.items()}
    return pages | {DOCS / name: filled(name, (DOCS / name).read_text(encoding="utf-8")) for name in TABLES}


def main() -> None:
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
