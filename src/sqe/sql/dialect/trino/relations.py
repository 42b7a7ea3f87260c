"""FROM: tables, queries, UNNEST, LATERAL, VALUES and joins. A relation is its text and the columns that others can name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sqe import errors
from sqe.errors import SqeError
from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.compiler import Compiler
from sqe.sql.dialect.trino.literals import numbered_field
from sqe.sql.dialect.trino.scope import Field, Scope
from sqe.sql.dialect.trino.values import Value, literal, mismatch, refused, wrong
from sqe.sql.tokens import quote_name

if TYPE_CHECKING:
    from sqe.sql.dialect.trino.queries import Queries, Query


@dataclass
class From:
    """What was read of a FROM clause so far."""

    sql: str = ""
    fields: list[Field] = field(default_factory=list)
    aliases: set[str] = field(default_factory=set)

    def alias(self, name: str) -> str:
        """A name for Spark that no other relation of the clause has: two schemas may have tables of one name."""
        wanted, count = name, 1
        while wanted.lower() in self.aliases:
            count += 1
            wanted = f"{name}_{count}"
        self.aliases.add(wanted.lower())
        return wanted


def allow(node: exp.Expr, *names: str) -> None:
    """Every clause that is not named is refused: it must not be left out silently."""
    for name, value in node.args.items():
        if name not in names and value not in (None, False, [], ""):
            shown = {"match": "MATCH_RECOGNIZE", "laterals": "LATERAL VIEW", "pivots": "PIVOT"}.get(name, name.strip("_").upper())
            raise refused(value if isinstance(value, exp.Expr) else node, shown)


class Relations:
    def __init__(self, queries: Queries, scope: Scope) -> None:
        self._queries = queries
        self._scope = scope  # of the query around this one
        self._from = From()

    def read(self, first: exp.Expr, joins: list[exp.Join]) -> From:
        found = self._from
        found.sql, found.fields = self._relation(first, lateral=False)
        for join in joins:
            self._join(join)
        return found

    def _join(self, join: exp.Join) -> None:
        allow(join, "this", "side", "kind", "on", "using", "method")
        found = self._from
        side, kind, method = (str(join.args.get(name) or "").upper() for name in ("side", "kind", "method"))
        if method or kind not in ("", "INNER", "CROSS", "OUTER"):
            raise refused(join, f"{method or kind} JOIN")
        on, using = join.args.get("on"), join.args.get("using")
        left = found.fields
        sql, right = self._relation(join.this, lateral=True)
        if not (side or kind or on or using):
            found.sql, found.fields = f"{found.sql}, {sql}", left + right
            return
        words = "CROSS JOIN" if kind == "CROSS" else f"{side} JOIN".strip()
        if using:
            condition, found.fields = self._using(join, using, side, left, right)
        else:
            found.fields = left + right
            condition = self._compiler().condition(on) if on is not None else ""
        found.sql = f"{found.sql} {words} {sql}" + (f" ON {condition}" if condition else "")

    def _using(
        self, join: exp.Join, names: list[exp.Expr], side: str, left: list[Field], right: list[Field]
    ) -> tuple[str, list[Field]]:
        """As ON, with columns of the name that are neither the left nor the right one's: unqualified, first in `*`."""
        from sqe.sql.dialect.trino.comparisons import compare

        conditions, merged = [], []
        rest_left, rest_right = list(left), list(right)
        for name in names:
            one, other = (self._one(name, fields) for fields in (rest_left, rest_right))
            rest_left.remove(one)
            rest_right.remove(other)
            conditions.append(compare(self._compiler(), join, "=", one.value, other.value).sql)
            kind = T.common(one.type, other.type) or one.type
            sql = {"RIGHT": other.sql, "FULL": f"coalesce({one.sql}, {other.sql})"}.get(side, one.sql)
            merged.append(Field(name.name, kind, sql, zone=one.zone))
        return " AND ".join(conditions), merged + rest_left + rest_right

    def _one(self, name: exp.Expr, fields: list[Field]) -> Field:
        found = [each for each in fields if each.name and each.name.lower() == name.name.lower()]
        if len(found) != 1:
            code = errors.AMBIGUOUS_NAME if found else errors.COLUMN_NOT_FOUND
            raise wrong(name, code, f"Column '{name.name}' is {'ambiguous' if found else 'missing on one side of the join'}")
        return found[0]

    def _compiler(self) -> Compiler:
        scope = replace(self._scope.below(self._from.fields), queries=self._scope.queries)
        return Compiler(self._queries.context, scope)

    def _relation(self, node: exp.Expr, *, lateral: bool) -> tuple[str, list[Field]]:
        if isinstance(node, exp.Table):
            return self._table(node)
        if isinstance(node, exp.Unnest):
            return self._unnest(node, lateral)
        if isinstance(node, exp.Lateral):
            return self._lateral(node)
        if isinstance(node, exp.Subquery) and (isinstance(node.this, exp.Table) or _joins(node.this)):
            return self._in_brackets(node)
        if isinstance(node, (exp.Subquery, exp.Values, exp.Select, exp.SetOperation)):
            return self._query(node)
        raise refused(node, "This relation")

    def _in_brackets(self, node: exp.Subquery) -> tuple[str, list[Field]]:
        """`(a JOIN b ON …)`, also `((a JOIN b ON …) JOIN c ON …)`."""
        allow(node, "this")
        joins = node.this.args.get("joins") or []
        inner = node.this.copy()
        inner.set("joins", None)
        nested = Relations(self._queries, self._scope)
        nested._from.aliases = self._from.aliases
        found = nested.read(inner, [join.copy() for join in joins])
        return f"({found.sql})", found.fields

    # Kinds of relations.

    def _table(self, node: exp.Table) -> tuple[str, list[Field]]:
        allow(node, "this", "db", "catalog", "alias", "version", "sample")
        if not isinstance(node.this, exp.Identifier):
            raise refused(node, "A table function")
        parts = [part.name for part in node.parts]
        alias = node.args.get("alias")
        shown = alias.this.name if alias is not None and alias.this is not None else parts[-1]
        spark_name = self._from.alias(shown)
        known = self._scope.queries.get(parts[0].lower()) if len(parts) == 1 else None
        source = ".".join(quote_name(part) for part in _in_the_engine(parts))
        if known is not None:
            fields = known
            source = quote_name(parts[0].lower())
        else:
            source += self._version(node)
            fields = self._columns(node, source)
        sql = source + self._sample(node)
        qualifier = (shown.lower(),) if alias is not None else tuple(part.lower() for part in reversed(parts))
        return self._named(sql, fields, spark_name, qualifier, alias)

    def _version(self, node: exp.Table) -> str:
        version = node.args.get("version")
        if version is None:
            return ""
        value = Compiler(self._queries.context, Scope()).value(version.expression)
        if str(version.this).upper() == "VERSION":
            if not (value.type.is_integer or value.type.is_text):
                raise mismatch(node, "A version is a number or the name of a branch or tag")
            return f" VERSION AS OF {value.sql.rstrip('L')}"
        return f" TIMESTAMP AS OF {value.sql}"

    def _sample(self, node: exp.Table) -> str:
        sample = node.args.get("sample")
        if sample is None:
            return ""
        method = sample.args.get("method")
        percent = sample.args.get("percent")
        if method is None or method.name.upper() != "BERNOULLI" or not isinstance(percent, exp.Literal):
            raise refused(node, "This TABLESAMPLE")
        return f" TABLESAMPLE ({percent.name} PERCENT)"

    def _columns(self, node: exp.Expr, source: str) -> list[Field]:
        relations = self._queries.context.relations
        if relations is None:
            raise refused(node, "A table without a catalog")
        schema = self._queries.known.get(source)
        if schema is None:
            try:
                schema = self._queries.known[source] = relations(source)
            except SqeError as error:
                raise wrong(node, error.code, error.message, error.hint) from None
        return [Field(each.name, T.of_arrow(each.type), "", zone="'UTC'") for each in schema]

    def _query(self, node: exp.Expr) -> tuple[str, list[Field]]:
        alias = node.args.get("alias")
        inner = node
        if alias is not None:
            inner = node.copy()
            inner.set("alias", None)
        found = self._queries.query(inner, self._outer())
        shown = alias.this.name if alias is not None and alias.this is not None else "q"
        spark_name = self._from.alias(shown)
        qualifier = (shown.lower(),) if alias is not None else ()
        return self._named(f"({found.sql})", found.fields, spark_name, qualifier, alias)

    def _outer(self) -> Scope:
        """A query in FROM does not see its neighbours; it sees what the whole query sees."""
        return replace(self._scope, fields=[], parent=self._scope.parent) if self._scope.fields else self._scope

    def _lateral(self, node: exp.Lateral) -> tuple[str, list[Field]]:
        allow(node, "this", "alias", "view", "outer")
        alias = node.args.get("alias")
        found = self._queries.query(node.this, self._compiler().scope.below([]))
        shown = alias.this.name if alias is not None and alias.this is not None else "q"
        sql, fields = self._named(f"({found.sql})", found.fields, self._from.alias(shown), (shown.lower(),), alias)
        return f"LATERAL {sql}", fields

    def _named(
        self, sql: str, fields: list[Field], spark_name: str, qualifier: tuple[str, ...], alias: exp.Expr | None
    ) -> tuple[str, list[Field]]:
        """The relation under its alias. Spark gets names of our own for the columns where theirs are no names or come twice."""
        given = [each.name for each in alias.args.get("columns") or []] if alias is not None else []
        if given and len(given) != len(fields):
            raise wrong(
                alias,
                errors.MISMATCHED_COLUMN_ALIASES,
                f"Column alias list has {len(given)} entries but relation has {len(fields)} columns",
            )
        inside = [each.name for each in fields]
        lowered = [name.lower() for name in inside if name]
        own = len(set(lowered)) != len(fields) or ("(" in sql and any(name is None for name in inside))
        places = [f"c{at}" for at in range(len(fields))] if own else [str(name) for name in inside]
        columns = f"({', '.join(map(quote_name, places))})" if own else ""
        made = [
            Field(
                given[at] if given else each.name,
                each.type,
                f"{quote_name(spark_name)}.{quote_name(place)}",
                qualifier,
                _fixed(each.zone),
            )
            for at, (each, place) in enumerate(zip(fields, places, strict=True))
        ]
        return f"{sql} AS {quote_name(spark_name)}{columns}", made

    def _unnest(self, node: exp.Unnest, lateral: bool) -> tuple[str, list[Field]]:
        """`posexplode` of the arrays side by side; each field is a piece of what it gives."""
        allow(node, "expressions", "alias", "offset")
        c = self._compiler()
        values = [_unnestable(c.value(each), each) for each in node.expressions]
        alias, offset = node.args.get("alias"), node.args.get("offset")
        shown = alias.this.name if alias is not None and alias.this is not None else "u"
        name = quote_name(self._from.alias(shown))
        names = [each.name for each in alias.args.get("columns") or []] if alias is not None else []
        if isinstance(offset, exp.Identifier):
            names.append(offset.name)
        zipped = f"arrays_zip({', '.join(f'coalesce({value.sql}, array())' for value in values)})"
        pieces = [(f"{name}.`item`.`{at}`", value.type.inner[0]) for at, value in enumerate(values)]
        cells: list[Value] = []
        for sql, kind in pieces:
            cells += _columns_of(Value(sql, kind, "'UTC'"))
        if offset:
            cells.append(Value(f"CAST({name}.`place` + 1 AS BIGINT)", T.BIGINT))
        if names and len(names) != len(cells):
            raise wrong(
                node,
                errors.MISMATCHED_COLUMN_ALIASES,
                f"Column alias list has {len(names)} entries but relation has {len(cells)} columns",
            )
        fields = [
            Field(names[at] if names else None, cell.type, cell.sql, (shown.lower(),) if alias is not None else (), cell.zone)
            for at, cell in enumerate(cells)
        ]
        return f"{'LATERAL ' if lateral else ''}posexplode({zipped}) AS {name}(`place`, `item`)", fields


def _joins(node: exp.Expr) -> bool:
    return isinstance(node, exp.Subquery) and bool(node.args.get("joins"))


def _in_the_engine(parts: list[str]) -> list[str]:
    """The table's name there: `information_schema.columns` has types in Trino's words under another one."""
    if [part.lower() for part in parts[-2:]] == ["information_schema", "columns"]:
        return [*parts[:-1], "columns_for_trino"]
    return parts


def _unnestable(value: Value, node: exp.Expr) -> Value:
    """As an array: of a map, its entries."""
    if value.type.base == "map":
        kind = T.array(T.row(("key", value.type.inner[0]), ("value", value.type.inner[1])))
        return Value(f"map_entries({value.sql})", kind)
    if value.type.base != "array":
        raise mismatch(node, f"Cannot unnest type: {value.type}")
    return value


def _columns_of(value: Value) -> list[Value]:
    if value.type.base == "row":
        return [numbered_field(value, at) for at in range(len(value.type.inner))]
    return [value]


def _fixed(zone: str | None) -> str | None:
    """A zone that was a column inside means nothing outside."""
    return zone if zone is not None and zone.startswith("'") else None


__all__ = ["From", "Query", "Relations", "allow", "literal"]
