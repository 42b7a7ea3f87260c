"""Who asks, where they stand, and who answers: `current_user`, `current_catalog`, `version()`."""

from __future__ import annotations

from sqlglot import exp

from sqe import errors
from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.calls import Modifiers, special
from sqe.sql.dialect.trino.compiler import Compiler, handles
from sqe.sql.dialect.trino.values import Value, literal, wrong
from sqe.version import TRINO_VERSION


@handles(exp.CurrentUser)
def _current_user(c: Compiler, node: exp.Expression) -> Value:
    return Value("current_user()", T.VARCHAR)


@handles(exp.CurrentCatalog)
def _current_catalog(c: Compiler, node: exp.Expression) -> Value:
    return Value("current_catalog()", T.VARCHAR)


@special("version")
def _version(c: Compiler, node: exp.Anonymous, modifiers: Modifiers) -> Value:
    if node.expressions:
        raise wrong(node, errors.FUNCTION_NOT_FOUND, "Unexpected parameters for function version")
    return Value(literal(TRINO_VERSION), T.VARCHAR)
