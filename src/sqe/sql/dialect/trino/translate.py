"""The way from Trino's text to Spark's."""

from __future__ import annotations

from sqlglot import exp

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.dialect import Relations, ResultColumn, Translation
from sqe.sql.dialect.trino import (  # noqa: F401 - they register what they handle
    aggregates,
    arithmetic,
    casts,
    comparisons,
    functions_arrays,
    functions_dates,
    functions_math,
    functions_special,
    functions_text,
    identity,
    jsons,
    literals,
    moments,
    statements,
)
from sqe.sql.dialect.trino.compiler import Context
from sqe.sql.dialect.trino.parser import parse
from sqe.sql.dialect.trino.queries import Queries, Query
from sqe.sql.dialect.trino.scope import Scope
from sqe.sql.dialect.trino.values import refused


def translate_trino(sql: str, relations: Relations | None, time_zone: str) -> Translation:
    try:
        return _translated(sql, relations, time_zone)
    except RecursionError:
        raise SqeError(errors.SYNTAX_ERROR, "The statement is too deep") from None


def _translated(sql: str, relations: Relations | None, time_zone: str) -> Translation:
    by_words = statements.by_words(sql, relations, lambda query: _translated(query, relations, time_zone))
    if by_words is not None:
        return by_words
    node = parse(sql)
    queries = Queries(Context(relations, time_zone, _no_query))
    if isinstance(node, (exp.Select, exp.SetOperation, exp.Values, exp.Subquery)):
        found = queries.query(node, Scope())
        return Translation(found.sql, result_columns(found))
    return statements.by_tree(node, queries)


def result_columns(query: Query) -> tuple[ResultColumn, ...]:
    return tuple(
        ResultColumn(
            each.name or f"_col{at}", str(each.type), each.zone.strip("'") if each.type.is_instant and each.zone else None
        )
        for at, each in enumerate(query.fields)
    )


def _no_query(node: exp.Expr, scope: Scope) -> Query:
    raise refused(node, "A query at this place")
