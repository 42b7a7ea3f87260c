"""Which names an expression can see: the columns of the relations in FROM, of the query around it, and of lambdas."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from sqe import errors
from sqe.sql.dialect.trino.types import Type
from sqe.sql.dialect.trino.values import Value, wrong


@dataclass(frozen=True)
class Field:
    """A column of a relation. `sql` is how Spark finds it, `qualifier` the names before it, the last one first."""

    name: str | None
    type: Type
    sql: str
    qualifier: tuple[str, ...] = ()
    zone: str | None = None
    text: str | None = None

    @property
    def value(self) -> Value:
        return Value(self.sql, self.type, self.zone)


@dataclass
class Scope:
    fields: list[Field] = field(default_factory=list)
    parent: Scope | None = None
    lambdas: dict[str, Value] = field(default_factory=dict)
    queries: dict[str, list[Field]] = field(default_factory=dict)  # the columns of those in WITH, by their names

    def below(self, fields: list[Field]) -> Scope:
        """For a query inside an expression of this one."""
        return Scope(fields, self, queries=dict(self.queries))

    def with_lambda(self, parameters: dict[str, Value]) -> Scope:
        return Scope(self.fields, self.parent, {**self.lambdas, **parameters}, self.queries)

    def find(self, node: exp.Expr, parts: list[str]) -> tuple[Value, list[str]]:
        """The value that the first parts name, and the parts that are left: fields of a row."""
        if parts[0].lower() in self.lambdas:
            return self.lambdas[parts[0].lower()], parts[1:]
        scope: Scope | None = self
        while scope is not None:
            found = scope._find_here(node, [part.lower() for part in parts])
            if found is not None:
                return found[0].value, parts[found[1] :]
            scope = scope.parent
        raise wrong(node, errors.COLUMN_NOT_FOUND, f"Column '{'.'.join(parts)}' cannot be resolved")

    def _find_here(self, node: exp.Expr, parts: list[str]) -> tuple[Field, int] | None:
        for taken in range(len(parts), 0, -1):
            *qualifier, name = parts[:taken]
            matches = [each for each in self.fields if _names(each, qualifier, name)]
            if len(matches) > 1:
                raise wrong(node, errors.AMBIGUOUS_NAME, f"Column '{'.'.join(parts[:taken])}' is ambiguous")
            if matches:
                return matches[0], taken
        return None

    def of_relation(self, qualifier: list[str]) -> list[Field]:
        """The columns of `t.*`."""
        wanted = [part.lower() for part in reversed(qualifier)]
        scope: Scope | None = self
        while scope is not None:
            found = [each for each in scope.fields if each.qualifier and list(each.qualifier[: len(wanted)]) == wanted]
            if found:
                return found
            scope = scope.parent
        return []


def _names(each: Field, qualifier: list[str], name: str) -> bool:
    if each.name is None or each.name.lower() != name:
        return False
    wanted = list(reversed(qualifier))
    return not wanted or list(each.qualifier[: len(wanted)]) == wanted
