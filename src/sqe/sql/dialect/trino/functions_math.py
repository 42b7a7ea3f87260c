"""Functions on numbers."""

from __future__ import annotations

from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.arithmetic import calculate, decimal_result
from sqe.sql.dialect.trino.calls import FUNCTIONS, MISSING, RESULTS, TOTAL, Call, Writing
from sqe.sql.dialect.trino.types import Type
from sqe.sql.dialect.trino.values import Value

_NAN, _INFINITY = "double('NaN')", "double('Infinity')"


def _round(made: Call) -> str:
    x, kind = made[0].sql, made.result
    digits = made[1].sql if len(made) > 1 else "0"
    if kind.is_integer:
        return x if len(made) == 1 else f"CAST(round(CAST({x} AS DECIMAL(38,0)), {digits}) AS {kind.spark})"
    if kind.base == "decimal":
        if len(made) > 1 and made[1].number is None:
            raise made.refuse("of a decimal to digits that are no literal")
        return f"CAST(round({x}, {digits}) AS {kind.spark})"
    if len(made) == 1:
        # Half away from zero. Spark's own goes through a decimal of the shortest digits and gives the same, but fails on NaN.
        return f"CAST(CASE WHEN isnan({x}) OR abs({x}) = {_INFINITY} THEN {x} ELSE round({x}, 0) END AS {kind.spark})"
    if made[1].number is None:
        raise made.refuse("to digits that are no literal")
    return f"CAST(CASE WHEN isnan({x}) OR abs({x}) = {_INFINITY} THEN {x} ELSE round({x}, {digits}) END AS {kind.spark})"


def _truncate(made: Call) -> str:
    x, kind = made[0].sql, made.result
    digits = made[1].number if len(made) > 1 else 0
    if digits is None:
        raise made.refuse("to digits that are no literal")
    if kind.base in ("double", "real"):
        cut = f"CASE WHEN {x} < 0 THEN -floor(-{x}) ELSE floor({x}) END"
        return f"CASE WHEN abs({x}) < 9.0E15D THEN CAST({cut} AS {kind.spark}) ELSE {x} END"
    cut = f"CASE WHEN {x} < 0 THEN -floor(-{x}, {digits}) ELSE floor({x}, {digits}) END"
    return f"CAST({cut} AS {kind.spark})"


def _floor(name: str) -> Writing:
    def write(made: Call) -> str:
        x, kind = made[0].sql, made.result
        if kind.is_integer:
            return x
        if kind.base == "decimal":
            return f"CAST({name}({x}) AS {kind.spark})"
        # floor gives a bigint; beyond that every double is whole.
        return f"CASE WHEN abs({x}) < 9.0E15D THEN CAST({name}({x}) AS {kind.spark}) ELSE {x} END"

    return write


def _width_bucket(made: Call) -> str:
    if len(made) == 2:
        return f"CAST(size(filter({made[1].sql}, b -> b <= {made[0].sql})) AS BIGINT)"
    return f"width_bucket({', '.join(value.sql for value in made.arguments)})"


def _mod(made: Call) -> Value:
    return calculate(made.compiler, made.node, "%", made.given[0], made.given[1])


def _random(made: Call) -> str:
    if not len(made):
        return "rand()"
    low, high = ("0", made[0].sql) if len(made) == 1 else (made[0].sql, made[1].sql)
    return f"CAST(floor({low} + rand() * ({high} - {low})) AS {made.result.spark})"


def _left_shift(made: Call) -> str:
    bits = {"tinyint": 8, "smallint": 16, "integer": 32, "bigint": 64}[made.result.base]
    x, n = made[0].sql, made[1].sql
    if bits == 64:
        return f"CASE WHEN {n} >= 64 THEN 0L ELSE shiftleft({x}, {n}) END"
    # The low bits of the shifted bigint, sign extended: shift up to the top and back down.
    up = 64 - bits
    return (
        f"CASE WHEN {n} >= {bits} THEN CAST(0 AS {made.result.spark})"
        f" ELSE CAST(shiftright(shiftleft(CAST({x} AS BIGINT), {n} + {up}), {up}) AS {made.result.spark}) END"
    )


def _right_shift(made: Call) -> str:
    bits = {"tinyint": 8, "smallint": 16, "integer": 32, "bigint": 64}[made.result.base]
    x, n = made[0].sql, made[1].sql
    if bits == 64:
        return f"CASE WHEN {n} >= 64 THEN 0L ELSE shiftrightunsigned({x}, {n}) END"
    mask, up = (1 << bits) - 1, 64 - bits
    shifted = f"shiftright(CAST({x} AS BIGINT) & {mask}L, {n})"
    return (
        f"CASE WHEN {n} >= {bits} THEN CAST(0 AS {made.result.spark})"
        f" ELSE CAST(shiftright(shiftleft({shifted}, {up}), {up}) AS {made.result.spark}) END"
    )


def _right_shift_arithmetic(made: Call) -> str:
    bits = {"tinyint": 8, "smallint": 16, "integer": 32, "bigint": 64}[made.result.base]
    n = f"least({made[1].sql}, {min(bits, 63)})" if bits == 64 else f"least({made[1].sql}, {bits - 1})"
    return f"CAST(shiftright(CAST({made[0].sql} AS BIGINT), {n}) AS {made.result.spark})"


def _bit_count(made: Call) -> str:
    if made[1].number == 64:
        return f"CAST(bit_count({made[0].sql}) AS BIGINT)"
    if made[1].number is None or not 2 <= made[1].number < 64:
        raise made.refuse("with bits that are no literal between 2 and 64")
    low, high = -(1 << made[1].number - 1), (1 << made[1].number - 1) - 1
    fits = f"{made[0].sql} BETWEEN {low} AND {high}"
    failed = "raise_error('Number must be representable with the bits specified')"
    counted = f"CAST(bit_count({made[0].sql} & {(1 << made[1].number) - 1}L) AS BIGINT)"
    return f"CASE WHEN {fits} THEN {counted} WHEN {made[0].sql} IS NOT NULL THEN {failed} END"


def _to_base(made: Call) -> str:
    x, base = made[0].sql, made[1].sql
    digits = f"lower(conv(CAST(abs(CAST({x} AS DECIMAL(38,0))) AS STRING), 10, {_int(base)}))"
    return f"concat(CASE WHEN {x} < 0 THEN '-' ELSE '' END, {digits})"


def _from_base(made: Call) -> str:
    x, base = made[0].sql, made[1]
    if base.number is None or not 2 <= base.number <= 36:
        raise made.refuse("with a base that is no literal between 2 and 36")
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"[: base.number]
    failed = "raise_error('Not a valid number in this base')"
    places = f"transform(split(lower(trim(LEADING '+-' FROM {x})), ''), d -> instr('{digits}', d) - 1)"
    added = f"(a, d) -> CAST(a * {base.number} + d AS DECIMAL(38,0))"
    value = f"aggregate({places}, CAST(0 AS DECIMAL(38,0)), {added})"
    signed = f"CASE WHEN {x} LIKE '-%' THEN -1 ELSE 1 END"
    return (
        f"CASE WHEN lower({x}) RLIKE '^[+-]?[{digits}]+$' THEN CAST({signed} * {value} AS BIGINT)"
        f" WHEN {x} IS NOT NULL THEN {failed} END"
    )


def _int(sql: str) -> str:
    return f"CAST({sql} AS INT)"


def _wilson(sign: str) -> str:
    p, n, z = "(CAST({0} AS DOUBLE) / {1})", "CAST({1} AS DOUBLE)", "{2}"
    spread = f"{z} * sqrt({p} * (1 - {p}) / {n} + {z} * {z} / (4 * {n} * {n}))"
    return f"(({p} + {z} * {z} / (2 * {n}) {sign} {spread}) / (1 + {z} * {z} / {n}))"


def _ln(function: str) -> Writing:
    """Spark's logarithms are NULL where Trino's are NaN or -Infinity."""
    return lambda made: (
        f"CASE WHEN {made[0].sql} > 0 THEN {function}({made[0].sql}) WHEN {made[0].sql} = 0 THEN double('-Infinity')"
        f" WHEN {made[0].sql} IS NOT NULL THEN {_NAN} END"
    )


def _log(made: Call) -> str:
    base, x = made[0].sql, made[1].sql
    fine = f"{base} > 0 AND {x} > 0 AND {base} <> 1"
    return (
        f"CASE WHEN {fine} THEN ln({x}) / ln({base}) WHEN {x} = 0 AND {base} > 1 THEN double('-Infinity')"
        f" WHEN {x} IS NOT NULL AND {base} IS NOT NULL THEN {_NAN} END"
    )


def _greatest(made: Call) -> str:
    """NULL when one of them is; Spark's own leaves NULLs out."""
    items = [value.sql for value in made.arguments]
    if len(items) == 1:
        return items[0]
    if made.result.base in ("double", "real"):  # NaN only when there is nothing else
        array = f"array({', '.join(items)})"
        kept = f"CASE WHEN forall({array}, e -> isnan(e)) THEN {array} ELSE filter({array}, e -> NOT isnan(e)) END"
        return (
            f"CASE WHEN NOT exists({array}, e -> e IS NULL) THEN array_{'max' if made.name == 'greatest' else 'min'}({kept}) END"
        )
    test = " OR ".join(f"{item} IS NULL" for item in items)
    return f"CASE WHEN {test} THEN NULL ELSE {made.name}({', '.join(items)}) END"


def _format_number(made: Call) -> str:
    """Three digits and a letter: 12.3K."""
    x = made[0].sql
    size = f"abs(CAST({x} AS DOUBLE))"
    cases = []
    for unit, letter in ((10**15, "Q"), (10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "K"), (1, "")):
        scaled = f"({size} / {unit}D)"
        few = f"CASE WHEN {scaled} >= 100 THEN bround({scaled}, 0) WHEN {scaled} >= 10 THEN bround({scaled}, 1)"
        digits = f"{few} ELSE bround({scaled}, 2) END" if unit > 1 else f"floor({scaled})"
        text = f"CAST(CAST({digits} AS DECIMAL(20,2)) AS STRING)"
        shown = f"trim(TRAILING '.' FROM trim(TRAILING '0' FROM {text}))"
        cases.append(f"WHEN {size} >= {unit} THEN concat({shown}, '{letter}')")
    return f"CASE {' '.join(cases)} WHEN {x} IS NOT NULL THEN '0' END"


def _signed_number(made: Call) -> str:
    return f"concat(CASE WHEN {made[0].sql} < 0 THEN '-' ELSE '' END, {_format_number(made)})"


FUNCTIONS.update(
    {
        "abs": "abs({0})",
        "acos": "acos({0})",
        "asin": "asin({0})",
        "atan": "atan({0})",
        "atan2": "atan2({0}, {1})",
        "bit_count": _bit_count,
        "bitwise_and": "({0} & {1})",
        "bitwise_or": "({0} | {1})",
        "bitwise_xor": "({0} ^ {1})",
        "bitwise_not": "(~ {0})",
        "bitwise_left_shift": _left_shift,
        "bitwise_right_shift": _right_shift,
        "bitwise_right_shift_arithmetic": _right_shift_arithmetic,
        "cbrt": "cbrt({0})",
        "ceil": _floor("ceil"),
        "ceiling": _floor("ceil"),
        "cos": "cos({0})",
        "cosh": "cosh({0})",
        "degrees": "degrees({0})",
        "e": "e()",
        "exp": "exp({0})",
        "floor": _floor("floor"),
        "format_number": _signed_number,
        "from_base": _from_base,
        "greatest": _greatest,
        "infinity": _INFINITY,
        "is_finite": f"(NOT isnan({{0}}) AND abs({{0}}) <> {_INFINITY})",
        "is_infinite": f"(abs({{0}}) = {_INFINITY})",
        "is_nan": "CASE WHEN {0} IS NOT NULL THEN isnan({0}) END",
        "least": _greatest,
        "ln": _ln("ln"),
        "log": _log,
        "log10": _ln("log10"),
        "log2": _ln("log2"),
        "mod": _mod,
        "nan": _NAN,
        "pi": "pi()",
        "pow": "pow({0}, {1})",
        "power": "pow({0}, {1})",
        "radians": "radians({0})",
        "rand": _random,
        "random": _random,
        "round": _round,
        "sign": "CAST(sign({0}) AS {kind})",
        "sin": "sin({0})",
        "sinh": "sinh({0})",
        "sqrt": f"CASE WHEN {{0}} < 0 THEN {_NAN} ELSE sqrt({{0}}) END",
        "tan": "tan({0})",
        "tanh": "tanh({0})",
        "to_base": _to_base,
        "truncate": _truncate,
        "width_bucket": _width_bucket,
        "wilson_interval_lower": _wilson("-"),
        "wilson_interval_upper": _wilson("+"),
    }
)

TOTAL |= {
    "acos",
    "asin",
    "atan",
    "cos",
    "sin",
    "tan",
    "sqrt",
    "ln",
    "log10",
    "log2",
    "exp",
    "cbrt",
    "pow",
    "power",
    "round",
    "floor",
}
TOTAL |= {"ceil", "ceiling", "sign", "degrees", "radians", "is_nan", "is_finite", "is_infinite", "truncate", "greatest", "least"}

for _name in ("beta_cdf", "inverse_beta_cdf", "inverse_normal_cdf", "normal_cdf", "t_cdf", "t_pdf"):
    MISSING[_name] = "distributions have no counterpart in the engine"


def _rounded(kinds: list[Type], values: list[Value]) -> Type:
    kind = kinds[0]
    if kind.base != "decimal":
        return kind
    precision, scale = kind.numbers
    if len(kinds) == 2:
        return T.decimal(min(38, precision + 1), scale)
    return T.decimal(min(38, precision - scale + min(1, scale)), 0)


def _cut(kinds: list[Type], values: list[Value]) -> Type:
    kind = kinds[0]
    if kind.base != "decimal" or len(kinds) == 2:
        return kind
    precision, scale = kind.numbers
    return T.decimal(max(1, precision - scale), 0)


RESULTS.update(
    {
        "round": _rounded,
        "ceil": _rounded,
        "ceiling": _rounded,
        "floor": _rounded,
        "truncate": _cut,
        "mod": lambda kinds, values: decimal_result(None, "%", kinds[0], kinds[1]) if kinds[0].base == "decimal" else kinds[0],
    }
)
