"""The row of the empty grouping set over no rows: `count(*)` of nothing is 0 also with ROLLUP. Trino has it, Spark has not.

It is what the same SELECT gives without groups over none of its rows, and it is shown where the groups gave none. All groups go
through one task to see that: the source is not read twice.
"""

from __future__ import annotations

from sqlglot import exp

from sqe.errors import SqeError
from sqe.sql.dialect.trino.compiler import Compiler
from sqe.sql.dialect.trino.parser import parse
from sqe.sql.dialect.trino.values import Value

_SETS = ("grouping_sets", "cube", "rollup")


def has_empty_set(group: exp.Group) -> bool:
    """With plain columns beside them no set is empty, and two clauses make the sets of both."""
    parts = _parts(group)
    if len(parts) != 1 or not isinstance(parts[0], (exp.GroupingSets, exp.Cube, exp.Rollup)):
        return False
    (only,) = parts
    if isinstance(only, exp.GroupingSets):
        return any(isinstance(each, exp.Tuple) and not each.expressions for each in only.expressions)
    return True


def over_nothing(c: Compiler, node: exp.Select, group: exp.Group) -> exp.Select | None:
    """The SELECT without groups and rows, its keys NULL; None where it cannot be told which they are."""
    if any(isinstance(each, exp.Star) or each.find(exp.Star) is each for each in node.expressions):
        return None
    keys = _keys(node, group)
    known = {c.value(key).sql: _null(c.value(key)) for key in keys}

    def replaced(part: exp.Expr) -> exp.Expr:
        if isinstance(part, exp.Anonymous) and str(part.this).lower() == "grouping":
            return exp.Literal.number(2 ** len(part.expressions) - 1)
        if isinstance(part, exp.Column) or part in keys:
            try:
                return known.get(c.value(part).sql, part).copy()
            except SqeError:
                return part  # a parameter of a lambda
        return part

    made = node.copy()
    for name in ("group", "order", "limit", "offset", "distinct", "with_"):
        made.set(name, None)
    made.set("expressions", [each.transform(replaced) for each in made.expressions])
    having = made.args.get("having")
    # HAVING makes it an aggregate, of one row, also where no item is one.
    made.set("having", having.transform(replaced) if having is not None else exp.Having(this=exp.true()))
    made.set("where", exp.Where(this=exp.false()))
    return made


def _parts(group: exp.Group) -> list[exp.Expr]:
    return [*group.expressions, *(each for name in _SETS for each in group.args.get(name) or [])]


def _keys(node: exp.Select, group: exp.Group) -> list[exp.Expr]:
    found = []
    for each in _parts(group):
        for part in each.expressions:
            for key in part.expressions if isinstance(part, exp.Tuple) else [part.unnest()]:
                if isinstance(key, exp.Literal) and not key.is_string and 0 < int(key.name) <= len(node.expressions):
                    key = node.expressions[int(key.name) - 1].unalias()
                found.append(key)
    return found


def _null(value: Value) -> exp.Expr:
    cell: exp.Expr = parse(f"SELECT CAST(NULL AS {value.type})").expressions[0]
    return cell


def by_place(c: Compiler, order: exp.Order, items: list[str]) -> exp.Order:
    """ORDER BY with the places of what is among the items: outside nobody knows the relations any more."""
    made = order.copy()
    for each in made.expressions:
        key = each.this if isinstance(each, exp.Ordered) else each
        if isinstance(key, exp.Literal):
            continue
        try:
            place = items.index(c.value(key).sql) + 1
        except (SqeError, ValueError):
            continue
        key.replace(exp.Literal.number(place))
    return made


def shown(columns: list[str], groups: str, empty: str, distinct: str) -> str:
    """Groups with the columns `c0` … and `kept`, what HAVING says; and the one row, if there is one."""
    both = f"SELECT *, true AS `of_group` FROM ({groups}) UNION ALL SELECT *, true, false FROM ({empty})"
    counted = f"SELECT *, count(CASE WHEN `of_group` THEN 1 END) OVER () AS `groups` FROM ({both})"
    return f"SELECT {distinct}{', '.join(columns)} FROM ({counted}) WHERE `kept` AND (`of_group` OR `groups` = 0)"
