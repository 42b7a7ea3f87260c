"""Aggregates and window functions, with FILTER, DISTINCT, ORDER BY and OVER."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from sqe import errors
from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.calls import FUNCTIONS, MISSING, PLAIN, RESULTS, Call, Modifiers, Writing, call, special
from sqe.sql.dialect.trino.compiler import Compiler, handles
from sqe.sql.dialect.trino.types import Type
from sqe.sql.dialect.trino.values import Value, mismatch, refused, wrong

# One aggregate inside a longer expression must carry the clauses itself: they are put in its place.
_CLAUSES = "\0clauses\0"


def plain(sql: str) -> str:
    """An aggregate call with the place where FILTER and OVER go."""
    return sql + _CLAUSES


@handles(exp.Filter)
def _filter(c: Compiler, node: exp.Filter) -> Value:
    return _finished(c, node, PLAIN)


@handles(exp.Window)
def _window(c: Compiler, node: exp.Window) -> Value:
    over = _over(c, node)
    inner, nulls = node.this, ""
    if isinstance(inner, exp.IgnoreNulls):
        inner, nulls = inner.this, " IGNORE NULLS"
    elif isinstance(inner, exp.RespectNulls):
        inner = inner.this
    return _finished(c, inner, Modifiers(over=True, nulls=nulls), over)


@handles(exp.IgnoreNulls, exp.RespectNulls)
def _nulls_alone(c: Compiler, node: exp.Expr) -> Value:
    raise refused(node, "IGNORE NULLS without OVER")


def _finished(c: Compiler, node: exp.Expr, modifiers: Modifiers, over: str = "") -> Value:
    condition = ""
    if isinstance(node, exp.Filter):
        condition = f" FILTER (WHERE {c.condition(node.expression.this)})"
        modifiers = replace(modifiers, filter=condition)
        node = node.this
    if isinstance(node, exp.Anonymous):
        value = call(c, node, modifiers)
    elif isinstance(node, exp.GroupConcat):
        value = _listagg(c, node, modifiers)
    else:
        raise refused(node, "FILTER or OVER at this place")
    if _CLAUSES not in value.sql:
        raise wrong(node, errors.SYNTAX_ERROR, "FILTER and OVER need an aggregate or window function")
    return value.of(value.sql.replace(_CLAUSES, modifiers.nulls + condition + over))


def settle(value: Value) -> Value:
    """An aggregate without clauses."""
    return value.of(value.sql.replace(_CLAUSES, "")) if _CLAUSES in value.sql else value


def _over(c: Compiler, node: exp.Window) -> str:
    name = node.args.get("alias")
    if name is not None and not (node.args.get("partition_by") or node.args.get("order") or node.args.get("spec")):
        return f" OVER `{name.name.lower()}`"
    if name is not None:
        raise refused(node, "A window that builds on a named one")
    inner = node.this.this if isinstance(node.this, (exp.IgnoreNulls, exp.RespectNulls)) else node.this
    needs_order = isinstance(inner, exp.Anonymous) and str(inner.this).lower() in _WITH_ORDER
    return f" OVER ({specification(c, node, needs_order=needs_order)})"


# Trino's do not ask for an order, Spark's do.
_WITH_ORDER = {"rank", "dense_rank", "row_number", "percent_rank", "cume_dist", "ntile", "lag", "lead"}


def specification(c: Compiler, node: exp.Window, *, needs_order: bool = False) -> str:
    parts = []
    if partition := node.args.get("partition_by"):
        parts.append("PARTITION BY " + ", ".join(settle(c.value(each)).sql for each in partition))
    order = node.args.get("order")
    if order is not None:
        parts.append("ORDER BY " + ", ".join(ordered(c, each) for each in order.expressions))
    elif needs_order:
        parts.append("ORDER BY 1")
    if frame := node.args.get("spec"):
        parts.append(_frame(c, frame))
    return " ".join(parts)


def _frame(c: Compiler, frame: exp.WindowSpec) -> str:
    kind = str(frame.args.get("kind") or "").upper()
    if kind not in ("ROWS", "RANGE") or frame.args.get("exclude"):
        raise refused(frame, f"A frame of {kind or 'this kind'}")
    start = _bound(c, frame, "start")
    end = _bound(c, frame, "end") if frame.args.get("end") else "CURRENT ROW"
    return f"{kind} BETWEEN {start} AND {end}"


def _bound(c: Compiler, frame: exp.WindowSpec, side: str) -> str:
    bound = frame.args.get(side)
    direction = str(frame.args.get(f"{side}_side") or "").upper()
    if isinstance(bound, exp.Expr):
        value = c.value(bound)
        if value.number is None and not value.type.is_interval:
            raise refused(frame, "A frame whose bound is no literal")
        return f"{value.sql} {direction}"
    return f"{bound} {direction}".strip()


def ordered(c: Compiler, node: exp.Expr, sql: str | None = None) -> str:
    """One item of ORDER BY. NULLs are last in both directions unless the user says otherwise."""
    item = node if isinstance(node, exp.Ordered) else exp.Ordered(this=node)
    if sql is None:
        value = settle(c.value(item.this))
        if value.type.base == "map":
            raise mismatch(item, "Maps have no order")
        sql = f"rtrim({value.sql})" if value.type.base == "char" else value.sql
    direction = "DESC" if item.args.get("desc") else "ASC"
    return f"{sql} {direction} NULLS {'FIRST' if item.args.get('nulls_first') else 'LAST'}"


# The functions.


def _distinct(made: Call) -> str:
    return "DISTINCT " if made.modifiers.distinct else ""


def simple(name: str) -> Writing:
    def write(made: Call) -> str:
        return plain(f"{name}({_distinct(made)}{', '.join(value.sql for value in made.arguments)})")

    return write


@special("count")
def _count(c: Compiler, node: exp.Anonymous, modifiers: Modifiers) -> Value:
    arguments = node.expressions
    if not arguments or isinstance(arguments[0], exp.Star):
        return Value(plain("count(1)"), T.BIGINT)
    (first,) = arguments
    if isinstance(first, exp.Distinct):
        values = c.values(first.expressions)
        if len(values) != 1:
            raise wrong(node, errors.FUNCTION_NOT_FOUND, "count takes one argument")
        return Value(plain(f"count(DISTINCT {values[0].sql})"), T.BIGINT)
    return Value(plain(f"count({c.value(first).sql})"), T.BIGINT)


@special("grouping")
def _grouping(c: Compiler, node: exp.Anonymous, modifiers: Modifiers) -> Value:
    """The bits of several columns, the first one's the highest."""
    values = c.values(node.expressions)
    bits = " + ".join(f"CAST(grouping({value.sql}) AS INT) * {1 << len(values) - 1 - at}" for at, value in enumerate(values))
    return Value(f"CAST(({bits}) AS INT)", T.INTEGER)


def _collected(made: Call, cells: list[str]) -> str:
    """All rows as an array of structs, in the order that the call asks for. NULLs are kept, as Trino keeps them."""
    c = made.compiler
    keys = []
    for item in made.modifiers.order:
        value = c.value(item.this)
        keys.append((value, bool(item.args.get("desc")), bool(item.args.get("nulls_first"))))
    names = [f"'v{at}', {cell}" for at, cell in enumerate(cells)] + [f"'k{at}', {key[0].sql}" for at, key in enumerate(keys)]
    collected = plain(f"collect_{'set' if made.modifiers.distinct else 'list'}(named_struct({', '.join(names)}))")
    if not keys:
        return collected
    tests = []
    for at, (_, descending, nulls_first) in enumerate(keys):
        left, right = f"l.k{at}", f"r.k{at}"
        first, last = ("-1", "1") if nulls_first else ("1", "-1")
        less, more = ("1", "-1") if descending else ("-1", "1")
        tests += [
            f"WHEN {left} IS NULL AND {right} IS NOT NULL THEN {first}",
            f"WHEN {left} IS NOT NULL AND {right} IS NULL THEN {last}",
            f"WHEN {left} < {right} THEN {less} WHEN {left} > {right} THEN {more}",
        ]
    return f"array_sort({collected}, (l, r) -> CASE {' '.join(tests)} ELSE 0 END)"


def _array_agg(made: Call) -> str:
    return f"nullif({_collected(made, [made[0].sql])}.v0, array())" if _has_order(made[0].type) else _array_agg_any(made)


def _has_order(kind: Type) -> bool:
    return kind.base != "map" and all(_has_order(each) for each in kind.inner)


def _array_agg_any(made: Call) -> str:
    return f"CASE WHEN {plain('count(1)')} > 0 THEN {_collected(made, [made[0].sql])}.v0 END"


def _listagg(c: Compiler, node: exp.GroupConcat, modifiers: Modifiers) -> Value:
    inner = node.this
    order: list[exp.Expr] = []
    if isinstance(inner, exp.Order):
        inner, order = inner.this, list(inner.expressions)
    distinct = ""
    if isinstance(inner, exp.Distinct):
        (inner,), distinct = inner.expressions, "DISTINCT "
    separator = node.args.get("separator")
    if node.args.get("on_overflow"):
        raise refused(node, "listagg with ON OVERFLOW")
    value = c.value(inner)
    if not value.type.is_text:
        raise mismatch(node, f"listagg takes texts, not {value.type}")
    between = c.value(separator).sql if separator is not None else "''"
    if not order:
        raise wrong(node, errors.SYNTAX_ERROR, "listagg needs WITHIN GROUP (ORDER BY …)")
    within = f" WITHIN GROUP (ORDER BY {', '.join(ordered(c, each) for each in order)})"
    return Value(plain(f"listagg({distinct}{value.sql}, {between}){within}"), T.VARCHAR)


@handles(exp.GroupConcat)
def _listagg_alone(c: Compiler, node: exp.GroupConcat) -> Value:
    return settle(_listagg(c, node, PLAIN))


def _top(descending: bool) -> Writing:
    """max(x), and max(x, n): the n largest."""

    def write(made: Call) -> str:
        name = "max" if descending else "min"
        if len(made) == 1 and made.result.base in ("double", "real"):  # NaN only when there is nothing else
            x = made[0].sql
            return f"coalesce({plain(f'{name}(CASE WHEN NOT isnan({x}) THEN {x} END)')}, {plain(f'{name}({x})')})"
        if len(made) == 1:
            return plain(f"{name}({made[0].sql})")
        items = plain(f"collect_list({made[0].sql})")
        return f"nullif(slice(sort_array({items}, {'false' if descending else 'true'}), 1, CAST({made[1].sql} AS INT)), array())"

    return write


def _top_by(descending: bool) -> Writing:
    def write(made: Call) -> str:
        name = "max_by" if descending else "min_by"
        if len(made) == 2 and made[1].type.base in ("double", "real"):
            x, y = made[0].sql, made[1].sql
            number = plain(f"count(CASE WHEN NOT isnan({y}) THEN 1 END)")
            among = plain(f"{name}({x}, CASE WHEN NOT isnan({y}) THEN {y} END)")
            return f"CASE WHEN {number} > 0 THEN {among} ELSE {plain(f'{name}({x}, {y})')} END"
        if len(made) == 2:
            return plain(f"{name}({made[0].sql}, {made[1].sql})")
        present = plain(
            f"collect_list(CASE WHEN {made[1].sql} IS NOT NULL THEN named_struct('k', {made[1].sql}, 'v', {made[0].sql}) END)"
        )
        less, more = ("1", "-1") if descending else ("-1", "1")
        sorted_ = f"array_sort({present}, (l, r) -> CASE WHEN l.k < r.k THEN {less} WHEN l.k > r.k THEN {more} ELSE 0 END)"
        return f"nullif(slice({sorted_}, 1, CAST({made[2].sql} AS INT)).v, array())"

    return write


def _first_of_each(items: str) -> str:
    """Entries without those whose key came before."""
    return f"filter({items}, (e, i) -> array_position(transform({items}, x -> x.v0), e.v0) = i + 1)"


def _map_agg(made: Call) -> str:
    items = f"filter({_collected(made, [made[0].sql, made[1].sql])}, e -> e.v0 IS NOT NULL)"
    return f"CASE WHEN {plain('count(1)')} > 0 THEN map_from_entries({_first_of_each(items)}) END"


def _multimap_agg(made: Call) -> str:
    items = f"filter({_collected(made, [made[0].sql, made[1].sql])}, e -> e.v0 IS NOT NULL)"
    keys = f"array_distinct(transform({items}, e -> e.v0))"
    lists = f"transform({keys}, k -> transform(filter({items}, e -> e.v0 = k), e -> e.v1))"
    return f"CASE WHEN {plain('count(1)')} > 0 THEN map_from_arrays({keys}, {lists}) END"


def _map_union(made: Call) -> str:
    maps = plain(f"collect_list({made[0].sql})")
    entries = f"flatten(transform({maps}, m -> transform(map_entries(m), e -> named_struct('v0', e.key, 'v1', e.value))))"
    return f"CASE WHEN {plain(f'count({made[0].sql})')} > 0 THEN map_from_entries({_first_of_each(entries)}) END"


def _histogram(made: Call) -> str:
    items = plain(f"collect_list({made[0].sql})")
    counted = f"transform(array_distinct({items}), k -> struct(k, CAST(size(filter({items}, e -> e = k)) AS BIGINT)))"
    return f"CASE WHEN {plain(f'count({made[0].sql})')} > 0 THEN map_from_entries({counted}) END"


def _reduce_agg(made: Call) -> str:
    """Rows in one array, then the input function alone: combining states is for engines that split the input."""
    items = plain(f"collect_list({made[0].sql})")
    folded = f"aggregate({items}, {made[1].sql}, {made[2].sql})"
    return f"CASE WHEN {plain(f'count({made[0].sql})')} > 0 THEN {folded} END"


def _avg(made: Call) -> str:
    kind = made.result
    averaged = plain(f"avg({_distinct(made)}{made[0].sql})")
    return averaged if kind.base == "double" else f"CAST({averaged} AS {kind.spark})"


def _sum(made: Call) -> str:
    kind = made.result
    if kind.base == "decimal" and made[0].type.numbers[0] + 10 < 38:
        return f"CAST({plain(f'sum({_distinct(made)}{made[0].sql})')} AS {kind.spark})"
    summed = plain(f"sum({_distinct(made)}{made[0].sql})")
    return summed if kind.base in ("bigint", "double") else f"CAST({summed} AS {kind.spark})"


def _kurtosis(made: Call) -> str:
    x = made[0].sql
    n, g = plain(f"count({x})"), plain(f"kurtosis({x})")
    n = f"CAST({n} AS DOUBLE)"
    return f"CASE WHEN {n} > 3 THEN ({n} - 1) / (({n} - 2) * ({n} - 3)) * (({n} + 1) * {g} + 6) END"


def _skewness(made: Call) -> str:
    x = made[0].sql
    return f"CASE WHEN {plain(f'count({x})')} > 2 THEN {plain(f'skewness({x})')} END"


def _geometric_mean(made: Call) -> str:
    x = made[0].sql
    logarithm = (
        f"CASE WHEN {x} > 0 THEN ln({x}) WHEN {x} = 0 THEN double('-Infinity') WHEN {x} IS NOT NULL THEN double('NaN') END"
    )
    return f"CAST(exp({plain(f'avg({logarithm})')}) AS {made.result.spark})"


def _percentile(made: Call) -> str:
    if len(made) != 2:
        raise made.refuse("with weights or accuracy")
    return f"CAST({plain(f'approx_percentile({made[0].sql}, {made[1].sql})')} AS {made.result.spark})"


def _regression(name: str) -> Writing:
    return lambda made: f"CAST({plain(f'{name}({made[0].sql}, {made[1].sql})')} AS {made.result.spark})"


def _ranked(sql: str, kind: str) -> Writing:
    return lambda made: f"CAST({plain(sql)} AS {kind})" if kind else plain(sql)


def _navigation(name: str) -> Writing:
    def write(made: Call) -> str:
        offset = ""
        if len(made) > 1:
            if made[1].number is None:
                raise made.refuse("with an offset that is no literal")
            offset = f", {made[1].number}"
        default = f", {made[2].sql}" if len(made) > 2 else ""
        return plain(f"{name}({made[0].sql}{offset}{default})")

    return write


def _nth(made: Call) -> str:
    if made[1].number is None:
        raise made.refuse("with a place that is no literal")
    return plain(f"nth_value({made[0].sql}, {made[1].number})")


FUNCTIONS.update(
    {
        "any_value": lambda made: plain(f"any_value({made[0].sql}, true)"),
        "arbitrary": lambda made: plain(f"any_value({made[0].sql}, true)"),
        "approx_distinct": lambda made: plain(
            f"approx_count_distinct({made[0].sql}{', ' + made[1].sql if len(made) > 1 else ''})"
        ),
        "approx_percentile": _percentile,
        "array_agg": _array_agg,
        "avg": _avg,
        "bitwise_and_agg": simple("bit_and"),
        "bitwise_or_agg": simple("bit_or"),
        "bitwise_xor_agg": simple("bit_xor"),
        "bool_and": simple("bool_and"),
        "bool_or": simple("bool_or"),
        "corr": _regression("corr"),
        "count_if": lambda made: plain(f"count_if({_distinct(made)}{made[0].sql})"),
        "covar_pop": _regression("covar_pop"),
        "covar_samp": _regression("covar_samp"),
        "cume_dist": _ranked("cume_dist()", ""),
        "dense_rank": _ranked("dense_rank()", "BIGINT"),
        "every": simple("bool_and"),
        "first_value": lambda made: plain(f"first_value({made[0].sql})"),
        "geometric_mean": _geometric_mean,
        "histogram": _histogram,
        "kurtosis": _kurtosis,
        "lag": _navigation("lag"),
        "last_value": lambda made: plain(f"last_value({made[0].sql})"),
        "lead": _navigation("lead"),
        "listagg": "",
        "map_agg": _map_agg,
        "map_union": _map_union,
        "max": _top(True),
        "max_by": _top_by(True),
        "min": _top(False),
        "min_by": _top_by(False),
        "multimap_agg": _multimap_agg,
        "nth_value": _nth,
        "ntile": lambda made: f"CAST({plain(f'ntile(CAST({made[0].sql} AS INT))')} AS BIGINT)",
        "percent_rank": _ranked("percent_rank()", ""),
        "rank": _ranked("rank()", "BIGINT"),
        "reduce_agg": _reduce_agg,
        "regr_intercept": _regression("regr_intercept"),
        "regr_slope": _regression("regr_slope"),
        "row_number": _ranked("row_number()", "BIGINT"),
        "skewness": _skewness,
        "stddev": simple("stddev_samp"),
        "stddev_pop": simple("stddev_pop"),
        "stddev_samp": simple("stddev_samp"),
        "sum": _sum,
        "var_pop": simple("var_pop"),
        "var_samp": simple("var_samp"),
        "variance": simple("var_samp"),
    }
)

MISSING.update(
    {
        "checksum": "a hash that the engine does not have",
        "approx_most_frequent": "a sketch that the engine does not have",
        "numeric_histogram": "a sketch that the engine does not have",
    }
)

RESULTS["listagg"] = lambda kinds, values: T.VARCHAR
