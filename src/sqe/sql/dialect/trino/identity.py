"""Who asks, and where they stand: `current_user`, `current_catalog`."""

from __future__ import annotations

from sqlglot import exp

from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.compiler import Compiler, handles
from sqe.sql.dialect.trino.values import Value


@handles(exp.CurrentUser)
def _current_user(c: Compiler, node: exp.Expression) -> Value:
    return Value("current_user()", T.VARCHAR)


@handles(exp.CurrentCatalog)
def _current_catalog(c: Compiler, node: exp.Expression) -> Value:
    return Value("current_catalog()", T.VARCHAR)
