"""Every dialect but Trino's, by sqlglot alone."""

from __future__ import annotations

import sqlglot
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError, UnsupportedError

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.dialect import DIALECTS, Translation


def translate_other(sql: str, dialect: str) -> Translation:
    """What sqlglot knows to have no counterpart in Spark is refused, not approximated."""
    if dialect not in DIALECTS:
        raise SqeError(
            errors.INVALID_SESSION_PROPERTY, f"There is no dialect {dialect[:64]!r}", hint=f"one of {', '.join(DIALECTS)}"
        )
    try:
        statements = sqlglot.transpile(sql, read=dialect, write="spark", unsupported_level=ErrorLevel.RAISE)
    except ParseError as error:
        raise syntax_error(error) from None
    except UnsupportedError as error:
        raise SqeError(errors.NOT_SUPPORTED, f"This cannot be said in Spark's SQL: {str(error)[:200]}") from None
    except (SqlglotError, RecursionError) as error:
        raise SqeError(errors.SYNTAX_ERROR, str(error).split("\n", 1)[0][:200] or "Syntax error") from None
    if len(statements) != 1 or not statements[0]:
        raise SqeError(errors.SYNTAX_ERROR, "One statement at a time")
    return Translation(statements[0])


def syntax_error(error: ParseError) -> SqeError:
    first = error.errors[0] if error.errors else {}
    near = first.get("highlight") or ""
    shown = f"Syntax error at or near {near[:40]!r}" if near else "Syntax error"
    line, end = first.get("line"), first.get("col")
    column = max(1, end - len(near) + 1) if line is not None and end is not None else None
    return SqeError(errors.SYNTAX_ERROR, shown, line=line, column=column)
