"""Functions on arrays, maps and rows, and the forms that look like calls: ROW, COALESCE, NULLIF, TRY."""

from __future__ import annotations

from sqlglot import exp

from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.calls import FUNCTIONS, MISSING, RESULTS, TOTAL, Call, Modifiers, Writing, special
from sqe.sql.dialect.trino.casts import to_text
from sqe.sql.dialect.trino.comparisons import _is_plain, compare
from sqe.sql.dialect.trino.compiler import Compiler, common_zone
from sqe.sql.dialect.trino.literals import row
from sqe.sql.dialect.trino.types import Type
from sqe.sql.dialect.trino.values import Value, is_volatile, mismatch, refused


@special("row")
def _row(c: Compiler, node: exp.Anonymous, modifiers: Modifiers) -> Value:
    if not node.expressions:
        raise mismatch(node, "ROW takes at least one value")
    return row(c.values(node.expressions))


@special("coalesce")
def _coalesce(c: Compiler, node: exp.Anonymous, modifiers: Modifiers) -> Value:
    if c.trying and not all(_is_plain(each) for each in node.expressions):
        raise refused(node, "TRY around coalesce", "put TRY into its arguments")
    values = c.shared(node, c.values(node.expressions))
    return Value(f"coalesce({', '.join(value.sql for value in values)})", values[0].type, common_zone(values))


@special("nullif")
def _nullif(c: Compiler, node: exp.Anonymous, modifiers: Modifiers) -> Value:
    """Keeps the first one's type."""
    first, second = c.values(node.expressions)
    if is_volatile(first):
        raise refused(node, "nullif of a random value")
    test = compare(c, node, "=", first, second)
    return Value(f"CASE WHEN {test.sql} THEN NULL ELSE {first.sql} END", first.type, first.zone)


@special("try")
def _try(c: Compiler, node: exp.Anonymous, modifiers: Modifiers) -> Value:
    (inner,) = node.expressions
    return c.inside_try().value(inner)


@special("typeof")
def _typeof(c: Compiler, node: exp.Anonymous, modifiers: Modifiers) -> Value:
    (value,) = c.values(node.expressions)
    from sqe.sql.dialect.trino.literals import string

    return Value(string(str(value.type)).sql, T.VARCHAR)


@special("map")
def _map(c: Compiler, node: exp.Anonymous, modifiers: Modifiers) -> Value:
    if not node.expressions:
        return Value("map()", T.map_of(T.UNKNOWN, T.UNKNOWN))
    keys, items = c.values(node.expressions)
    if keys.type.base != "array" or items.type.base != "array":
        raise mismatch(node, "map takes two arrays")
    return Value(f"map_from_arrays({keys.sql}, {items.sql})", T.map_of(keys.type.inner[0], items.type.inner[0]))


def _element_at(made: Call) -> str:
    """Outside of the array it is NULL, and 0 is an error. Spark's `get` counts from 0 and knows no end."""
    x, index = made[0].sql, made[1]
    if made[0].type.base == "map":
        return f"element_at({x}, {index.sql})"
    if index.number is not None and index.number > 0:
        return f"get({x}, {index.number - 1})"
    i = f"CAST({index.sql} AS INT)"
    failed = "raise_error('SQL array indices start at 1')"
    return (
        f"CASE WHEN {i} > 0 THEN get({x}, {i} - 1) WHEN {i} < 0 THEN get({x}, size({x}) + {i})"
        f" WHEN {i} = 0 AND {x} IS NOT NULL THEN {failed} END"
    )


def _cardinality(made: Call) -> str:
    return (
        f"CAST(size({made[0].sql}) AS BIGINT)"
        if made[0].is_literal
        else f"CASE WHEN {made[0].sql} IS NOT NULL THEN CAST(size({made[0].sql}) AS BIGINT) END"
    )


def _contains(made: Call) -> str:
    if made[0].type.base != "array":
        raise made.refuse("of addresses")
    x = made[1].sql
    # Three values: NULL when it is not found but there is a NULL.
    return f"CASE WHEN {x} IS NOT NULL THEN exists({made[0].sql}, e -> e = {x}) END"


def _array_join(made: Call) -> str:
    inner = made[0].type.inner[0]
    text = to_text(made.compiler, made.node, Value("e", inner)) if not inner.is_text else "e"
    items = made[0].sql if inner.is_text else f"transform({made[0].sql}, e -> {text})"
    # Trino writes numbers with a comma as they are; Spark's array_join leaves NULLs out unless it is given a word for them.
    rest = f", {made[2].sql}" if len(made) > 2 else ""
    return f"array_join({items}, {made[1].sql}{rest})"


def _array_max(made: Call) -> str:
    """NULL when there is one among them. NaN is left out unless there is nothing else."""
    x = made[0].sql
    items = x
    if made.result.base in ("double", "real"):
        items = f"CASE WHEN forall({x}, e -> isnan(e)) THEN {x} ELSE filter({x}, e -> NOT isnan(e)) END"
    return f"CASE WHEN NOT exists({x}, e -> e IS NULL) THEN {made.name}({items}) END"


def _array_position(made: Call) -> str:
    return f"CAST(array_position({made[0].sql}, {made[1].sql}) AS BIGINT)"


def _array_sort(made: Call) -> str:
    if len(made) == 1:
        return f"array_sort({made[0].sql})"
    return f"array_sort({made[0].sql}, {made[1].sql})"


def _array_remove(made: Call) -> str:
    x = made[1].sql
    return f"CASE WHEN {x} IS NOT NULL THEN filter({made[0].sql}, e -> NOT coalesce(e = {x}, false)) END"


def _slice(made: Call) -> str:
    x, start, length = made[0].sql, made[1].sql, made[2].sql
    at = f"CAST({start} AS INT)"
    count = f"CAST({length} AS INT)"
    out = f"{at} < -size({x})"
    return (
        f"CASE WHEN {out} THEN array() ELSE slice({x}, {at}, {count}) END"
        if made[1].number is None or made[1].number < 0
        else f"slice({x}, {at}, {count})"
    )


def _trim_array(made: Call) -> str:
    x, n = made[0].sql, f"CAST({made[1].sql} AS INT)"
    failed = "raise_error('size must not exceed array cardinality')"
    return f"CASE WHEN {n} < 0 OR {n} > size({x}) THEN {failed} ELSE slice({x}, 1, size({x}) - {n}) END"


def _zip(made: Call) -> str:
    arrays = [value.sql for value in made.arguments]
    most = f"greatest({', '.join(f'size({each})' for each in arrays)})" if len(arrays) > 1 else f"size({arrays[0]})"
    cells = ", ".join(f"'field{at}', get({each}, i)" for at, each in enumerate(arrays))
    return f"CASE WHEN {most} = 0 THEN array() ELSE transform(sequence(0, {most} - 1), i -> named_struct({cells})) END"


def _zip_with(made: Call) -> str:
    return f"zip_with({made[0].sql}, {made[1].sql}, {made[2].sql})"


def _reduce(made: Call) -> str:
    return "aggregate({}, {}, {}, {})".format(*(value.sql for value in made.arguments))


def _combinations(made: Call) -> str:
    n = made[1].number
    if n is None or not 1 <= n <= 5:
        raise made.refuse("with a size that is no literal between 1 and 5")
    x = made[0].sql
    # Places i < j < k, in the order in which Trino lists them: by the last place first.
    made_ = f"transform(sequence(0, size({x}) - 1), i0 -> array(i0))"
    for at in range(1, n):
        later = f"filter(sequence(0, size({x}) - 1), j{at} -> j{at} > element_at(p{at}, -1))"
        longer = f"transform({later}, j{at} -> concat(p{at}, array(j{at})))"
        made_ = f"flatten(transform({made_}, p{at} -> {longer}))"
    ordered = (
        f"array_sort({made_}, (l, r) -> CASE WHEN reverse(l) < reverse(r) THEN -1 WHEN reverse(l) > reverse(r) THEN 1 ELSE 0 END)"
    )
    return f"CASE WHEN size({x}) < {n} THEN array() ELSE transform({ordered}, p -> transform(p, i -> get({x}, i))) END"


def _ngrams(made: Call) -> str:
    x, n = made[0].sql, f"CAST({made[1].sql} AS INT)"
    parts = f"transform(sequence(1, size({x}) - {n} + 1), i -> slice({x}, i, {n}))"
    return f"CASE WHEN size({x}) <= {n} THEN array({x}) ELSE {parts} END"


def _histogram(made: Call) -> str:
    x = f"filter({made[0].sql}, e -> e IS NOT NULL)"
    return f"map_from_entries(transform(array_distinct({x}), k -> struct(k, CAST(size(filter({x}, e -> e = k)) AS BIGINT))))"


def _contains_sequence(made: Call) -> str:
    x, part = made[0].sql, made[1].sql
    places = f"filter(sequence(1, size({x}) - size({part}) + 1), i -> slice({x}, i, size({part})) = {part})"
    return f"CASE WHEN size({part}) = 0 THEN true WHEN size({x}) < size({part}) THEN false ELSE size({places}) > 0 END"


def _repeat(made: Call) -> str:
    return f"array_repeat({made[0].sql}, CAST({made[1].sql} AS INT))"


def _reverse(made: Call) -> str:
    if made.result.base == "varbinary":
        return f"unhex(array_join(reverse(regexp_extract_all(hex({made[0].sql}), '..', 0)), ''))"
    return f"reverse({made[0].sql})"


def _flatten(made: Call) -> str:
    return f"flatten(filter({made[0].sql}, e -> e IS NOT NULL))"


def _map_concat(made: Call) -> str:
    """The last one wins; Spark's own refuses a key that comes twice."""
    *firsts, last = [value.sql for value in made.arguments]
    result = last
    for each in reversed(firsts):
        kept = f"map_filter({each}, (k, v) -> NOT map_contains_key({result}, k))"
        result = f"map_concat({kept}, {result})"
    return result


def _multimap(made: Call) -> str:
    x = made[0].sql
    first, second = made[0].type.inner[0].field_names
    keys = f"array_distinct(transform({x}, e -> e.`{first}`))"
    items = f"transform({keys}, k -> transform(filter({x}, e -> e.`{first}` <=> k), e -> e.`{second}`))"
    return f"map_from_arrays({keys}, {items})"


def _map_entries(made: Call) -> str:
    return f"transform(map_entries({made[0].sql}), e -> named_struct('field0', e.key, 'field1', e.value))"


def _arrays_overlap(made: Call) -> str:
    return f"arrays_overlap({made[0].sql}, {made[1].sql})"


def _dot(left: str, right: str) -> str:
    return f"aggregate(zip_with({left}, {right}, (a, b) -> a * b), 0D, (s, x) -> s + x)"


def _vectors(sql: str) -> Writing:
    def write(made: Call) -> str:
        a, b = made[0].sql, made[1].sql
        if made[0].type.base == "map":
            raise made.refuse("of maps")
        failed = "raise_error('The arguments must have the same length')"
        filled = sql.format(dot=_dot(a, b), a=_dot(a, a), b=_dot(b, b), x=a, y=b)
        return f"CASE WHEN size({a}) <> size({b}) THEN {failed} ELSE {filled} END"

    return write


_COSINE = "{dot} / (sqrt({a}) * sqrt({b}))"
_EUCLID = "sqrt(aggregate(zip_with({x}, {y}, (p, q) -> (p - q) * (p - q)), 0D, (s, z) -> s + z))"

FUNCTIONS.update(
    {
        "all_match": "forall({0}, {1})",
        "any_match": "exists({0}, {1})",
        "none_match": "(NOT exists({0}, {1}))",
        "array_distinct": "array_distinct({0})",
        "array_except": "array_except({0}, {1})",
        "array_histogram": _histogram,
        "array_intersect": "array_intersect({0}, {1})",
        "array_join": _array_join,
        "array_max": _array_max,
        "array_min": _array_max,
        "array_position": _array_position,
        "array_remove": _array_remove,
        "array_sort": _array_sort,
        "array_union": "array_union({0}, {1})",
        "arrays_overlap": _arrays_overlap,
        "cardinality": _cardinality,
        "combinations": _combinations,
        "contains": _contains,
        "contains_sequence": _contains_sequence,
        "cosine_distance": _vectors(f"1 - {_COSINE}"),
        "cosine_similarity": _vectors(_COSINE),
        "dot_product": _vectors("{dot}"),
        "element_at": _element_at,
        "euclidean_distance": _vectors(_EUCLID),
        "filter": "filter({0}, {1})",
        "flatten": _flatten,
        "map_concat": _map_concat,
        "map_entries": _map_entries,
        "map_filter": "map_filter({0}, {1})",
        "map_from_entries": "map_from_entries({0})",
        "map_keys": "map_keys({0})",
        "map_values": "map_values({0})",
        "map_zip_with": "map_zip_with({0}, {1}, {2})",
        "multimap_from_entries": _multimap,
        "ngrams": _ngrams,
        "reduce": _reduce,
        "repeat": _repeat,
        "reverse": _reverse,
        "shuffle": "shuffle({0})",
        "slice": _slice,
        "transform": "transform({0}, {1})",
        "transform_keys": "transform_keys({0}, {1})",
        "transform_values": "transform_values({0}, {1})",
        "trim_array": _trim_array,
        "zip": _zip,
        "zip_with": _zip_with,
    }
)

TOTAL |= {
    "cardinality",
    "contains",
    "array_distinct",
    "array_max",
    "array_min",
    "array_position",
    "array_sort",
    "map_keys",
    "map_values",
}


def _entries(kinds: list[Type], values: list[Value]) -> Type:
    key, item = kinds[0].inner
    return T.array(T.row((None, key), (None, item)))


RESULTS["map_entries"] = _entries

MISSING["current_groups"] = "groups are the identity provider's"
