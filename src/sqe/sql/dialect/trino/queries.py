"""Queries: SELECT, set operations, VALUES, WITH."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pyarrow as pa
from sqlglot import exp

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.dialect.trino import grouping_sets
from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.aggregates import ordered, settle, specification
from sqe.sql.dialect.trino.compiler import Compiler, Context
from sqe.sql.dialect.trino.relations import Relations, allow
from sqe.sql.dialect.trino.scope import Field, Scope
from sqe.sql.dialect.trino.values import Value, mismatch, refused, wrong
from sqe.sql.tokens import quote_name


@dataclass(frozen=True)
class Query:
    """A query in Spark's words and its columns. A field without name is `_col3` outside."""

    sql: str
    fields: list[Field]


@dataclass(frozen=True)
class Item:
    """One thing that a SELECT gives."""

    value: Value
    name: str | None


_ENDS = ("order", "limit", "offset", "with_")


class Queries:
    """Translates the queries of one statement."""

    def __init__(self, context: Context) -> None:
        self.context = replace(context, query=self.query)
        self.known: dict[str, pa.Schema] = {}  # the columns of tables that were asked for

    def query(self, node: exp.Expr, scope: Scope) -> Query:
        scope = replace(scope, queries=dict(scope.queries))
        before = self._with(node, scope)
        if isinstance(node, exp.Subquery):
            found = self._in_brackets(node, scope)
        elif isinstance(node, exp.Select):
            found = self._select(node, scope)
        elif isinstance(node, exp.SetOperation):
            found = self._set_operation(node, scope)
        elif isinstance(node, exp.Values):
            found = self._values(node, scope)
        else:
            raise refused(node, "This kind of query")
        return replace(found, sql=before + found.sql) if before else found

    def compiler(self, scope: Scope) -> Compiler:
        return Compiler(self.context, scope)

    # WITH.

    def _with(self, node: exp.Expr, scope: Scope) -> str:
        clause = node.args.get("with_")
        if clause is None:
            return ""
        recursive = bool(clause.args.get("recursive"))
        made = []
        for each in clause.expressions:
            if not isinstance(each, exp.CTE):
                raise refused(each, "A function in WITH")
            allow(each, "this", "alias")
            made.append(self._named_query(each, scope, recursive))
        return f"WITH {'RECURSIVE ' if recursive else ''}{', '.join(made)} "

    def _named_query(self, node: exp.CTE, scope: Scope, recursive: bool) -> str:
        alias = node.args["alias"]
        name = alias.this.name.lower()
        given = [each.name for each in alias.args.get("columns") or []]
        if recursive and any(each.name.lower() == name for each in node.this.find_all(exp.Table)):
            return self._recursive(node, scope, name, given)
        found = self.query(node.this, scope)
        scope.queries[name] = _under(node, found.fields, given)
        return f"{quote_name(name)}({_columns(scope.queries[name])}) AS ({found.sql})"

    def _recursive(self, node: exp.CTE, scope: Scope, name: str, given: list[str]) -> str:
        body = node.this
        if not isinstance(body, exp.Union) or not given:
            raise refused(node, "This recursive query", "a UNION with names for the columns is there")
        first = self.query(body.left, scope)
        scope.queries[name] = _under(node, first.fields, given)
        found = self.query(body, scope)
        return f"{quote_name(name)}({_columns(scope.queries[name])}) AS ({found.sql})"

    # SELECT.

    def _select(self, node: exp.Select, scope: Scope) -> Query:
        allow(node, "expressions", "from_", "joins", "where", "group", "having", "windows", "distinct", *_ENDS, "kind", "hint")
        source = node.args.get("from_")
        inner = Scope([], scope, queries=scope.queries)
        parts = []
        if source is not None:
            found = Relations(self, replace(inner)).read(source.this, node.args.get("joins") or [])
            inner.fields = found.fields
            parts.append(f"FROM {found.sql}")
        c = self.compiler(inner)
        if where := node.args.get("where"):
            parts.append(f"WHERE {c.filter(where.this)}")
        items = self._items(c, node)
        if group := node.args.get("group"):
            parts.append(self._group(c, group, items))
            if grouping_sets.has_empty_set(group) and (whole := self._with_empty_group(c, node, scope, items, parts)):
                return whole
        if having := node.args.get("having"):
            parts.append(f"HAVING {c.filter(having.this)}")
        if windows := node.args.get("windows"):
            parts.append("WINDOW " + ", ".join(f"{quote_name(w.this.name.lower())} AS ({specification(c, w)})" for w in windows))
        distinct = self._distinct(node)
        fields = [Field(item.name, item.value.type, "", zone=item.value.zone) for item in items]
        if _with_ties(node):
            return Query(self._ties(c, node, items, distinct, parts), fields)
        head = f"SELECT {distinct}{', '.join(f'{i.value.sql} AS {_label(i.name, at)}' for at, i in enumerate(items))}"
        return Query(" ".join([head, *parts, *self._ends(c, node, items)]), fields)

    def _with_empty_group(self, c: Compiler, node: exp.Select, scope: Scope, items: list[Item], parts: list[str]) -> Query | None:
        """None where HAVING stands before windows, or ORDER BY asks for what is no output: that has no row over no rows."""
        having, order = node.args.get("having"), node.args.get("order")
        if node.args.get("windows") or _with_ties(node) or (having is not None and node.find(exp.Window)):
            return None
        over_nothing = grouping_sets.over_nothing(c, node, node.args["group"])
        if over_nothing is None:
            return None
        fields = [Field(item.name, item.value.type, "", zone=item.value.zone) for item in items]
        kept = f"coalesce({c.filter(having.this)}, false)" if having is not None else "true"
        cells = [f"{item.value.sql} AS `c{at}`" for at, item in enumerate(items)]
        groups = " ".join([f"SELECT {', '.join([*cells, f'{kept} AS `kept`'])}", *parts])
        columns = [f"`c{at}` AS {_label(item.name, at)}" for at, item in enumerate(items)]
        empty = self._turned(self._select(over_nothing, scope), fields, scope)
        sql = grouping_sets.shown(columns, groups, empty, self._distinct(node))
        outside = node.copy()
        if order is not None:
            outside.set("order", grouping_sets.by_place(c, order, [item.value.sql for item in items]))
        try:
            return self._ended(outside, Query(sql, fields), sql, scope)
        except SqeError:
            return None

    def _distinct(self, node: exp.Select) -> str:
        distinct = node.args.get("distinct")
        if distinct is None:
            return ""
        if distinct.args.get("on"):
            raise refused(node, "DISTINCT ON")
        return "DISTINCT "

    def _items(self, c: Compiler, node: exp.Select) -> list[Item]:
        items: list[Item] = []
        for each in node.expressions:
            if isinstance(each, exp.Star) or (isinstance(each, exp.Column) and isinstance(each.this, exp.Star)):
                items += self._star(c, each)
            else:
                items += self._item(c, each)
        return items

    def _item(self, c: Compiler, node: exp.Expr) -> list[Item]:
        if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Star):
            return _row_star(node, c.value(node.this))
        if isinstance(node, exp.Alias):
            return [Item(c.value(node.this), node.alias)]
        inner = node
        while isinstance(inner, exp.Paren):
            inner = inner.this
        name = None
        if isinstance(inner, exp.Column) and node is inner:
            name = inner.name
        if isinstance(inner, exp.Dot) and isinstance(inner.expression, exp.Identifier):
            name = inner.expression.name
        return [Item(c.value(node), name)]

    def _star(self, c: Compiler, node: exp.Expr) -> list[Item]:
        star = node.this if isinstance(node, exp.Column) else node
        allow(star)
        if isinstance(node, exp.Column):
            qualifier = [part.name for part in node.parts[:-1]]
            fields = c.scope.of_relation(qualifier)
            if not fields:
                raise wrong(node, errors.TABLE_NOT_FOUND, f"Unable to resolve reference {'.'.join(qualifier)}")
        else:
            fields = c.scope.fields
        if not fields:
            raise wrong(node, errors.COLUMN_NOT_FOUND, "SELECT * not allowed in queries without FROM clause")
        return [Item(each.value, each.name) for each in fields]

    def _group(self, c: Compiler, node: exp.Group, items: list[Item]) -> str:
        allow(node, "expressions", "all", "grouping_sets", "cube", "rollup")
        if node.args.get("all") is False and node.find(exp.GroupingSets, exp.Cube, exp.Rollup):
            raise refused(node, "GROUP BY DISTINCT")
        if node.args.get("all") and not node.expressions:
            raise refused(node, "GROUP BY ALL without columns")
        sets = [*(node.args.get(name) or [] for name in ("grouping_sets", "cube", "rollup"))]
        parts = [*node.expressions, *(each for group in sets for each in group)]
        return "GROUP BY " + ", ".join(self._grouped(c, each, items) for each in parts)

    def _grouped(self, c: Compiler, node: exp.Expr, items: list[Item]) -> str:
        if isinstance(node, exp.GroupingSets):
            return f"GROUPING SETS ({', '.join(self._set(c, each, items) for each in node.expressions)})"
        if isinstance(node, (exp.Cube, exp.Rollup)):
            return f"{type(node).__name__.upper()}({', '.join(self._set(c, each, items) for each in node.expressions)})"
        if isinstance(node, exp.Tuple):
            return "(" + ", ".join(self._grouped(c, each, items) for each in node.expressions) + ")"
        if isinstance(node, exp.Literal) and not node.is_string:
            return self._place(node, items).value.sql
        return c.value(node).sql

    def _set(self, c: Compiler, node: exp.Expr, items: list[Item]) -> str:
        inner = node.expressions if isinstance(node, exp.Tuple) else [node.this if isinstance(node, exp.Paren) else node]
        if isinstance(node, (exp.Cube, exp.Rollup, exp.GroupingSets)):
            return self._grouped(c, node, items)
        return f"({', '.join(self._grouped(c, each, items) for each in inner)})"

    def _place(self, node: exp.Literal, items: list[Item]) -> Item:
        place = int(node.name) if node.name.isdigit() else 0
        if not 0 < place <= len(items):
            raise wrong(node, errors.INVALID_COLUMN_REFERENCE, f"Position {node.name} is not in the select list")
        return items[place - 1]

    # ORDER BY, OFFSET, LIMIT.

    def _ends(self, c: Compiler, node: exp.Expr, items: list[Item]) -> list[str]:
        parts = []
        if order := node.args.get("order"):
            allow(order, "expressions")
            parts.append("ORDER BY " + ", ".join(self._ordered(c, each, items) for each in order.expressions))
        if limit := self._limit(c, node.args.get("limit")):
            parts.append(limit)
        if offset := node.args.get("offset"):
            parts.append(f"OFFSET {self._count(c, offset.expression)}")
        return parts

    def _ordered(self, c: Compiler, node: exp.Expr, items: list[Item]) -> str:
        """By place where it is one of the items: that is never ambiguous for Spark."""
        key = node.this if isinstance(node, exp.Ordered) else node
        if isinstance(key, exp.Literal) and not key.is_string:
            return self._sorted(c, node, self._place(key, items).value, key.name, items)
        if isinstance(key, exp.Column) and not key.table:
            named = [at for at, item in enumerate(items) if item.name and item.name.lower() == key.name.lower()]
            if len(named) == 1:
                return self._sorted(c, node, items[named[0]].value, str(named[0] + 1), items)
            if named:
                raise wrong(key, errors.AMBIGUOUS_NAME, f"Column '{key.name}' is ambiguous")
        outputs = [Field(i.name, i.value.type, i.value.sql, zone=i.value.zone) for i in items if i.name]
        value = settle(_with_outputs(c, key, outputs))
        same = [at for at, item in enumerate(items) if item.value.sql == value.sql]
        if same:
            return self._sorted(c, node, value, str(same[0] + 1), items)
        # Behind a GROUP BY with several sets Spark knows the outputs by their names alone.
        names = [replace(each, sql=quote_name(each.name or "")) for each in outputs]
        value = settle(_with_outputs(c, key, names))
        return self._sorted(c, node, value, value.sql, items)

    def _sorted(self, c: Compiler, node: exp.Expr, value: Value, shown: str, items: list[Item]) -> str:
        """Where NULLs are first, NaN is the smallest of all; else it is the largest, as in Spark."""
        item = node if isinstance(node, exp.Ordered) else exp.Ordered(this=node)
        plain = ordered(c, item, shown)
        if value.type.base not in ("double", "real") or not item.args.get("nulls_first"):
            return plain
        first, rest = ("2", "1") if item.args.get("desc") else ("1", "2")
        # An output goes by its name where that is its own: Spark does not find the columns of a window's expression once more.
        labels = [_label(each.name, at).lower() for at, each in enumerate(items)]
        label = labels[int(shown) - 1] if shown.isdigit() else ""
        sql = label if labels.count(label) == 1 else value.sql
        return f"CASE WHEN {sql} IS NULL THEN 0 WHEN isnan({sql}) THEN {first} ELSE {rest} END, {plain}"

    def _limit(self, c: Compiler, node: exp.Expr | None) -> str:
        if node is None:
            return ""
        if isinstance(node, exp.Fetch):
            options = node.args.get("limit_options")
            if options is not None and options.args.get("percent"):
                raise refused(node, "FETCH FIRST … PERCENT")
            count = node.args.get("count")
            return f"LIMIT {self._count(c, count) if count is not None else 1}"
        if isinstance(node.expression, (exp.Column, exp.Var)) and node.expression.name.upper() == "ALL":
            return ""
        return f"LIMIT {self._count(c, node.expression)}"

    def _count(self, c: Compiler, node: exp.Expr) -> str:
        value = c.value(node)
        if value.number is None and not isinstance(node, exp.Placeholder):
            raise refused(node, "A limit that is no literal")
        return value.sql.rstrip("L")

    def _ties(self, c: Compiler, node: exp.Select, items: list[Item], distinct: str, parts: list[str]) -> str:
        """FETCH FIRST n ROWS WITH TIES: all rows whose rank is among the first n."""
        order = node.args.get("order")
        if order is None or distinct or node.args.get("offset"):
            raise refused(node, "WITH TIES without ORDER BY, or with DISTINCT or OFFSET,")
        keys, directions = [], []
        for at, each in enumerate(order.expressions):
            place = self._ordered(c, each, items).split(" ", 1)
            sql = items[int(place[0]) - 1].value.sql if place[0].isdigit() else self._ordered(c, each, items).rsplit(" ", 3)[0]
            keys.append(f"{sql} AS `o{at}`")
            directions.append(f"`o{at}` " + " ".join(self._ordered(c, each, items).rsplit(" ", 3)[1:]))
        columns = [f"{item.value.sql} AS `c{at}`" for at, item in enumerate(items)]
        inner = " ".join([f"SELECT {', '.join([*columns, *keys])}", *parts])
        ranked = f"SELECT *, rank() OVER (ORDER BY {', '.join(directions)}) AS `r` FROM ({inner})"
        count = self._count(c, node.args["limit"].args["count"])
        shown = ", ".join(f"`c{at}` AS {_label(item.name, at)}" for at, item in enumerate(items))
        return f"SELECT {shown} FROM ({ranked}) WHERE `r` <= {count} ORDER BY {', '.join(directions)}"

    # The others.

    def _in_brackets(self, node: exp.Subquery, scope: Scope) -> Query:
        allow(node, "this", *_ENDS, "alias")
        found = self.query(node.this, scope)
        if not any(node.args.get(name) for name in ("order", "limit", "offset")):
            return found
        return self._ended(node, found, f"({found.sql})", scope)

    def _ended(self, node: exp.Expr, found: Query, sql: str, scope: Scope) -> Query:
        """ORDER BY and LIMIT of a query that is no SELECT: they name its columns."""
        if _with_ties(node):
            raise refused(node, "WITH TIES at this place")
        columns = [f"c{at}" for at in range(len(found.fields))]
        items = [
            Item(Value(f"q.{column}", each.type, each.zone), each.name)
            for column, each in zip(columns, found.fields, strict=True)
        ]
        c = self.compiler(
            Scope([replace(f, sql=i.value.sql) for f, i in zip(found.fields, items, strict=True)], scope, queries=scope.queries)
        )
        shown = ", ".join(f"{item.value.sql} AS {_label(item.name, at)}" for at, item in enumerate(items))
        return Query(
            " ".join([f"SELECT {shown} FROM ({sql}) AS q({', '.join(columns)})", *self._ends(c, node, items)]), found.fields
        )

    def _set_operation(self, node: exp.SetOperation, scope: Scope) -> Query:
        allow(node, "this", "expression", "distinct", *_ENDS)
        left, right = self.query(node.left, scope), self.query(node.right, scope)
        if len(left.fields) != len(right.fields):
            raise mismatch(node, f"The queries have different numbers of columns: {len(left.fields)} and {len(right.fields)}")
        fields = []
        for one, other in zip(left.fields, right.fields, strict=True):
            kind = T.common(one.type, other.type)
            if kind is None:
                raise mismatch(node, f"{one.type} and {other.type} have no type in common")
            fields.append(Field(one.name, kind, "", zone=one.zone if one.zone == other.zone else None))
        word = {exp.Union: "UNION", exp.Except: "EXCEPT", exp.Intersect: "INTERSECT"}[type(node)]
        both = [self._turned(query, fields, scope) for query in (left, right)]
        sql = f"({both[0]}) {word}{'' if node.args.get('distinct') else ' ALL'} ({both[1]})"
        found = Query(sql, fields)
        return (
            self._ended(node, found, sql, scope) if any(node.args.get(name) for name in ("order", "limit", "offset")) else found
        )

    def _turned(self, query: Query, fields: list[Field], scope: Scope) -> str:
        """The query with its columns as these types."""
        if all(each.type.spark == wanted.type.spark for each, wanted in zip(query.fields, fields, strict=True)):
            return query.sql
        c = self.compiler(scope)
        cells = (
            f"{c.cast(Value(f'q.c{at}', each.type, each.zone), wanted.type).sql} AS {_label(wanted.name, at)}"
            for at, (each, wanted) in enumerate(zip(query.fields, fields, strict=True))
        )
        return f"SELECT {', '.join(cells)} FROM ({query.sql}) AS q({', '.join(f'c{at}' for at in range(len(fields)))})"

    def _values(self, node: exp.Values, scope: Scope) -> Query:
        allow(node, "expressions", *_ENDS)
        c = self.compiler(Scope([], scope, queries=scope.queries))
        rows = [c.values(_cells(each)) for each in node.expressions]
        if len({len(row) for row in rows}) != 1:
            raise mismatch(node, "Values rows have mismatched sizes")
        columns = [c.shared(node, [row[at] for row in rows]) for at in range(len(rows[0]))]
        fields = [Field(None, column[0].type, "", zone=_zone(column)) for column in columns]
        lines = [[column[at].sql for column in columns] for at in range(len(rows))]
        if _constant(node) and not any(" -> " in cell for line in lines for cell in line):
            body = ", ".join(f"({', '.join(line)})" for line in lines)
            sql = f"SELECT * FROM VALUES {body} AS v({_columns(fields)})"
        else:
            sql = " UNION ALL ".join(
                "SELECT " + ", ".join(f"{cell} AS {_label(None, at)}" for at, cell in enumerate(line)) for line in lines
            )
        found = Query(sql, fields)
        return (
            self._ended(node, found, sql, scope) if any(node.args.get(name) for name in ("order", "limit", "offset")) else found
        )


def _cells(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Tuple) and len(node.expressions) == 1:
        node = node.expressions[0]
    if isinstance(node, exp.Anonymous) and str(node.this).lower() == "row":
        return list(node.expressions)
    return list(node.expressions) if isinstance(node, exp.Tuple) else [node.this if isinstance(node, exp.Paren) else node]


def _constant(node: exp.Values) -> bool:
    """Spark's VALUES takes what it can calculate beforehand."""
    unstable = {"random", "rand", "uuid", "shuffle", "now"}
    for each in node.walk():
        if isinstance(each, (exp.Column, exp.Select, exp.CurrentTimestamp, exp.CurrentDate, exp.Placeholder)):
            return False
        if isinstance(each, exp.Anonymous) and str(each.this).lower() in unstable:
            return False
    return True


def _zone(column: list[Value]) -> str | None:
    zones = {value.zone for value in column if not value.is_null}
    return zones.pop() if len(zones) == 1 else None


def _with_ties(node: exp.Expr) -> bool:
    limit = node.args.get("limit")
    options = limit.args.get("limit_options") if isinstance(limit, exp.Fetch) else None
    return options is not None and bool(options.args.get("with_ties"))


def _with_outputs(c: Compiler, key: exp.Expr, outputs: list[Field]) -> Value:
    """ORDER BY sees the outputs first, then the relations."""
    names = {each.name.lower() for each in outputs if each.name}
    fields = outputs + [each for each in c.scope.fields if each.qualifier or (each.name or "").lower() not in names]
    kept = [each for each in fields if not (each.qualifier and (each.name or "").lower() in names)]
    scope = replace(c.scope, fields=kept)
    if any(isinstance(column, exp.Column) and column.table for column in key.find_all(exp.Column)):
        scope = replace(c.scope, fields=c.scope.fields)
    return c.inside(scope).value(key)


def _row_star(node: exp.Expr, value: Value) -> list[Item]:
    from sqe.sql.dialect.trino.literals import numbered_field

    if value.type.base != "row":
        raise mismatch(node, f"{value.type} has no fields")
    return [Item(numbered_field(value, at), name) for at, name in enumerate(value.type.names)]


def _label(name: str | None, at: int) -> str:
    return quote_name(name or f"_col{at}")


def _columns(fields: list[Field]) -> str:
    """Names that are there once each, for a list of column aliases."""
    seen: set[str] = set()
    made = []
    for at, each in enumerate(fields):
        name = each.name or f"_col{at}"
        made.append(quote_name(name if name.lower() not in seen else f"{name}_{at}"))
        seen.add(name.lower())
    return ", ".join(made)


def _under(node: exp.Expr, fields: list[Field], given: list[str]) -> list[Field]:
    """The columns of a query under the names that its alias gives; names are unique from here on."""
    if given and len(given) != len(fields):
        raise wrong(
            node,
            errors.MISMATCHED_COLUMN_ALIASES,
            f"Column alias list has {len(given)} entries but relation has {len(fields)} columns",
        )
    made = []
    for at, each in enumerate(fields):
        zone = each.zone if each.zone is not None and each.zone.startswith("'") else None
        made.append(Field(given[at] if given else each.name or f"_col{at}", each.type, "", zone=zone))
    return made
