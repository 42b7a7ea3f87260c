"""Function calls: the name is looked up in our table, the arguments get the types of the signature that Trino would choose.

A function that is not in the table does not exist here, whatever Spark has under that name.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from sqe import errors
from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.compiler import Compiler, common_zone, handles
from sqe.sql.dialect.trino.signatures import Bindings, Lambda, Signature, _bind, choose, signatures, spread, substitute
from sqe.sql.dialect.trino.types import Type
from sqe.sql.dialect.trino.values import Value, is_volatile, literal, refused, wrong
from sqe.sql.tokens import quote_name


@dataclass(frozen=True)
class Modifiers:
    """What stands around the arguments of an aggregate."""

    distinct: bool = False
    order: tuple[exp.Ordered, ...] = ()
    filter: str | None = None
    over: bool = False
    nulls: str = ""  # IGNORE NULLS


PLAIN = Modifiers()


@dataclass(frozen=True)
class Call:
    """One call, ready to be written: arguments are as the signature wants them."""

    compiler: Compiler
    node: exp.Expr
    name: str
    arguments: list[Value]
    result: Type
    modifiers: Modifiers = PLAIN
    given: list[Value] = field(default_factory=list)  # before they were cast

    def __getitem__(self, at: int) -> Value:
        return self.arguments[at]

    def __len__(self) -> int:
        return len(self.arguments)

    def refuse(self, what: str, hint: str | None = None) -> errors.SqeError:
        return refused(self.node, f"{self.name} {what}", hint)


Writing = str | Callable[[Call], str | Value]

# Written after the call's result type is known. A text is a template: `{0}` is the first argument, `{kind}` the result's type.
FUNCTIONS: dict[str, Writing | Mapping[int, Writing]] = {}

# Why a function of Trino's is not here, for the coverage table and the error.
MISSING: dict[str, str] = {}

# Never fail for any row: their arguments may be anything inside TRY.
TOTAL: set[str] = set()

Special = Callable[[Compiler, exp.Anonymous, Modifiers], Value]
SPECIAL: dict[str, Special] = {}


def special(*names: str) -> Callable[[Special], Special]:
    """For what looks like a call and has a grammar or types of its own: coalesce, try, count(*)."""

    def register(write: Special) -> Special:
        for name in names:
            SPECIAL[name] = write
        return write

    return register


@handles(exp.Anonymous)
def _anonymous(c: Compiler, node: exp.Anonymous) -> Value:
    from sqe.sql.dialect.trino.aggregates import settle

    return settle(call(c, node))


def call(c: Compiler, node: exp.Anonymous, modifiers: Modifiers = PLAIN) -> Value:
    name = str(node.this.name if isinstance(node.this, exp.Expr) else node.this).lower()
    if name in SPECIAL:
        return SPECIAL[name](c, node, modifiers)
    if name not in FUNCTIONS:
        raise _unknown(node, name)
    nodes, modifiers = _arguments(node.expressions, modifiers)
    return named(c, node, name, nodes, modifiers)


def _unknown(node: exp.Expr, name: str) -> errors.SqeError:
    if name in MISSING:
        return refused(node, f"Function {name}", MISSING[name])
    near = difflib.get_close_matches(name, [*FUNCTIONS, *SPECIAL], n=1)
    return wrong(
        node, errors.FUNCTION_NOT_FOUND, f"Function '{name}' not registered", hint=f"did you mean {near[0]}?" if near else None
    )


def _arguments(nodes: list[exp.Expr], modifiers: Modifiers) -> tuple[list[exp.Expr], Modifiers]:
    """Arguments without DISTINCT and ORDER BY, which sqlglot has among them."""
    found: list[exp.Expr] = []
    for node in nodes:
        if isinstance(node, exp.Order):
            modifiers = replace(modifiers, order=tuple(node.expressions))
            node = node.this
        if isinstance(node, exp.Distinct):
            modifiers = replace(modifiers, distinct=True)
            found += node.expressions
        elif node is not None:
            found.append(node)
    return found, modifiers


def named(c: Compiler, node: exp.Expr, name: str, nodes: list[exp.Expr], modifiers: Modifiers = PLAIN) -> Value:
    """A call by Trino's name of the function."""
    plain: list[Value | None] = [None if isinstance(each, exp.Lambda) else c.value(each) for each in nodes]
    given: list[Type | Lambda] = [
        value.type if value is not None else Lambda(len(each.expressions)) for each, value in zip(nodes, plain, strict=True)
    ]
    chosen = choose(name, given)
    if chosen is None:
        shown = ", ".join("<function>" if isinstance(kind, Lambda) else str(kind) for kind in given)
        raise wrong(node, errors.FUNCTION_NOT_FOUND, f"Unexpected parameters ({shown}) for function {name}")
    signature, bindings = chosen
    if signature.kind == "scalar" and (modifiers.over or modifiers.distinct or modifiers.order or modifiers.filter):
        raise wrong(node, errors.SYNTAX_ERROR, f"{name} is not an aggregate or window function")
    values = _typed(c, nodes, plain, signature, bindings)
    check_try(c, node, name, nodes)
    result = (
        RESULTS[name]([value.type for value in values], values) if name in RESULTS else substitute(signature.result, bindings)
    )
    return write(Call(c, node, name, values, result, modifiers, [value for value in plain if value is not None]))


def check_try(c: Compiler, node: exp.Expr, name: str, nodes: list[exp.Expr]) -> None:
    if c.trying and name not in TOTAL:
        raise refused(node, f"TRY around {name}", "TRY_CAST and TRY around arithmetic are there")


def _typed(
    c: Compiler, nodes: list[exp.Expr], plain: list[Value | None], signature: Signature, bindings: Bindings
) -> list[Value]:
    patterns = spread(signature, len(nodes))
    lambdas: dict[int, Value] = {}
    for at, (pattern, node) in enumerate(zip(patterns, nodes, strict=True)):
        if isinstance(node, exp.Lambda):
            kinds = [substitute(each, bindings) for each in pattern.arguments]
            lambdas[at] = _lambda(c, node, kinds[:-1])
            result = pattern.arguments[-1]
            if result.is_variable:
                _bind(result.base, lambdas[at].type, bindings)
            # A wider state than the first one was: the parameters have that type, too.
            again = [substitute(each, bindings) for each in pattern.arguments]
            if again[:-1] != kinds[:-1] or again[-1].spark != lambdas[at].type.spark:
                lambdas[at] = _lambda(c, node, again[:-1], again[-1])
    made = []
    for at, (pattern, value) in enumerate(zip(patterns, plain, strict=True)):
        if value is None:
            made.append(lambdas[at])
            continue
        target = substitute(pattern, bindings)
        made.append(_as(c, value, target))
    return made


def _as(c: Compiler, value: Value, target: Type) -> Value:
    if target.base in ("timestamp", "timestamp with time zone", "time") and value.type.base == target.base:
        return value
    if target.base == "unknown" or value.type == target or (value.type.is_text and target.is_text):
        return value
    return c.cast(value, target)


def _lambda(c: Compiler, node: exp.Lambda, kinds: list[Type], result: Type | None = None) -> Value:
    names = [each.name.lower() for each in node.expressions]
    parameters = {name: Value(quote_name(name), kind, c.context.zone) for name, kind in zip(names, kinds, strict=True)}
    body = c.inside(c.scope.with_lambda(parameters)).value(node.this)
    if result is not None:
        body = c.cast(body, result)
    quoted = ", ".join(quote_name(name) for name in names)
    return Value(f"({quoted}) -> {body.sql}" if len(names) != 1 else f"{quoted} -> {body.sql}", body.type, body.zone)


def write(made: Call) -> Value:
    entry = FUNCTIONS[made.name]
    if isinstance(entry, Mapping):
        if len(made) not in entry:
            raise made.refuse(f"with {len(made)} arguments")
        entry = entry[len(made)]
    for at, value in enumerate(made.arguments):
        if is_volatile(value) and " -> " not in value.sql and made.name not in ("random", "rand"):
            return _bound(made, at, value)
    sql = fill(entry, made) if isinstance(entry, str) else entry(made)
    if isinstance(sql, Value):
        return sql
    zone = common_zone(made.arguments) if made.result.is_instant else None
    return Value(sql, made.result, zone)


def _bound(made: Call, at: int, value: Value) -> Value:
    """The call with one argument calculated once, however often the writing names it."""
    name = f"once{len(value.sql)}"
    arguments = [replace(value, sql=name) if index == at else each for index, each in enumerate(made.arguments)]
    given = [replace(each, sql=name) if each.sql == value.sql else each for each in made.given]
    inner = write(replace(made, arguments=arguments, given=given))
    if signatures()[made.name][0].kind != "scalar":
        raise made.refuse("of a random value")
    return inner.of(f"get(transform(array({value.sql}), {name} -> {inner.sql}), 0)")


def fill(template: str, made: Call) -> str:
    return template.format(*(value.sql for value in made.arguments), kind=made.result.spark)


Result = Callable[[list[Type], list[Value]], Type]

# Results whose size Trino calculates from the arguments' sizes.
RESULTS: dict[str, Result] = {}


def whole_text(value: Value) -> str:
    """The text of an argument that has to be a literal: units, formats, paths."""
    if value.text is None:
        raise refused(None, "A unit, format or path that is not a literal")
    return value.text


def known() -> dict[str, str]:
    """Every name that a call may have, and its kind in Trino's list."""
    return {name: (signatures()[name][0].kind if name in signatures() else "special") for name in {*FUNCTIONS, *SPECIAL}}


__all__ = [
    "FUNCTIONS",
    "MISSING",
    "RESULTS",
    "SPECIAL",
    "TOTAL",
    "Call",
    "Modifiers",
    "T",
    "call",
    "fill",
    "literal",
    "named",
    "special",
]
