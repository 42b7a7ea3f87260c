"""What Spark has no function for and its expressions can still calculate: distributions, bits of floats, base 32, nanoseconds.

Numerical methods are the usual ones (Lanczos' gamma function, Lentz' continued fraction of the beta function, bisection for the
inverses). They run as lambdas over short sequences: slow for millions of rows, exact to the last digits.
"""

from __future__ import annotations

from sqe.sql.dialect.trino import moments
from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.calls import FUNCTIONS, MISSING, Call, Writing
from sqe.sql.dialect.trino.values import Value

_LANCZOS = (
    676.5203681218851,
    -1259.1392167224028,
    771.32342877765313,
    -176.61502916214059,
    12.507343278686905,
    -0.13857109526572012,
    9.9843695780195716e-6,
    1.5056327351493116e-7,
)


def _let(names: str, values: list[str], body: str) -> str:
    """`body` with each name calculated once: `p.a` is the first value."""
    cells = ", ".join(f"'{name}', {value}" for name, value in zip(names, values, strict=True))
    return f"get(transform(array(named_struct({cells})), p -> {body}), 0)"


def _ln_gamma(z: str) -> str:
    parts = " + ".join(f"{factor!r}D / ({z} + {at})" for at, factor in enumerate(_LANCZOS, 1))
    total = f"(0.99999999999980993D + {parts})"
    return f"(0.9189385332046727D + ({z} + 0.5D) * ln({z} + 7.5D) - ({z} + 7.5D) + ln({total}) - ln({z}))"


def _beta_fraction(a: str, b: str, x: str) -> str:
    even = f"(n div 2) * ({b} - (n div 2)) * {x} / (({a} - 1 + n) * ({a} + n))"
    m = "((n - 1) div 2)"
    odd = f"-({a} + {m}) * ({a} + {b} + {m}) * {x} / (({a} + n - 1) * ({a} + n))"
    step = f"(CASE WHEN n % 2 = 0 THEN {even} ELSE {odd} END)"
    d, c = f"(1 / (1 + {step} * s.d))", f"(1 + {step} / s.c)"
    start = f"(1 / (1 - ({a} + {b}) * {x} / ({a} + 1)))"
    state = f"named_struct('d', {start}, 'c', 1D, 'h', {start})"
    return f"aggregate(sequence(2, 301), {state}, (s, n) -> named_struct('d', {d}, 'c', {c}, 'h', s.h * {d} * {c}), s -> s.h)"


def _beta(a: str, b: str, x: str) -> str:
    """The regularized incomplete beta function."""
    front = f"exp({_ln_gamma(f'({a} + {b})')} - {_ln_gamma(a)} - {_ln_gamma(b)} + {a} * ln({x}) + {b} * ln(1 - {x}))"
    low = f"{front} * {_beta_fraction(a, b, x)} / {a}"
    high = f"1 - {front} * {_beta_fraction(b, a, f'(1 - {x})')} / {b}"
    return f"(CASE WHEN {x} <= 0 THEN 0D WHEN {x} >= 1 THEN 1D WHEN {x} < ({a} + 1) / ({a} + {b} + 2) THEN {low} ELSE {high} END)"


def _positive(made: Call, *values: str) -> str:
    wrong = " OR ".join(f"{value} <= 0" for value in values)
    return f"CASE WHEN {wrong} THEN raise_error('{made.name} takes parameters larger than 0') ELSE "


def _beta_cdf(made: Call) -> str:
    body = _positive(made, "p.a", "p.b") + _beta("p.a", "p.b", "p.x") + " END"
    return _let("abx", [value.sql for value in made.arguments], body)


def _bisected(low: str, high: str, rounds: int, function: str) -> str:
    """Where a growing function of `(w.l + w.h) / 2` reaches `p.y`."""
    middle = "((w.l + w.h) / 2)"
    less = f"{function} < p.y"
    step = f"named_struct('l', CASE WHEN {less} THEN {middle} ELSE w.l END, 'h', CASE WHEN {less} THEN w.h ELSE {middle} END)"
    return f"aggregate(sequence(1, {rounds}), named_struct('l', {low}, 'h', {high}), (w, i) -> {step}, w -> {middle})"


def _inverse_beta_cdf(made: Call) -> str:
    found = _bisected("0D", "1D", 60, _beta("p.a", "p.b", "((w.l + w.h) / 2)"))
    return _let("aby", [value.sql for value in made.arguments], _positive(made, "p.a", "p.b") + found + " END")


def _normal(z: str) -> str:
    """The standard normal distribution: a series near 0, a continued fraction in the tails."""
    density = f"(exp(- {z} * {z} / 2) / 2.5066282746310002D)"
    term = f"s.t * {z} * {z} / (2 * k + 1)"
    step = f"named_struct('t', {term}, 's', s.s + {term})"
    series = f"aggregate(sequence(1, 60), named_struct('t', {z}, 's', {z}), (s, k) -> {step}, s -> s.s)"
    tail = f"({density} / aggregate(reverse(sequence(1, 300)), abs({z}), (s, k) -> abs({z}) + k / s))"
    return f"(CASE WHEN {z} < -2 THEN {tail} WHEN {z} > 2 THEN 1 - {tail} ELSE 0.5D + {density} * {series} END)"


def _normal_cdf(made: Call) -> str:
    mean, deviation, value = (each.sql for each in made.arguments)
    return _let("dz", [deviation, f"(({value} - {mean}) / {deviation})"], _positive(made, "p.d") + _normal("p.z") + " END")


def _inverse_normal_cdf(made: Call) -> str:
    mean, deviation, probability = (each.sql for each in made.arguments)
    found = _bisected("-40D", "40D", 64, _normal("((w.l + w.h) / 2)"))
    failed = "raise_error('p must be 0 > p > 1')"
    body = f"CASE WHEN p.y <= 0 OR p.y >= 1 THEN {failed} ELSE p.m + p.d * {found} END"
    return _let("mdy", [mean, deviation, probability], _positive(made, "p.d") + body + " END")


def _t_pdf(made: Call) -> str:
    front = f"exp({_ln_gamma('((p.n + 1) / 2)')} - {_ln_gamma('(p.n / 2)')}) / sqrt(p.n * pi())"
    return _let("xn", [value.sql for value in made.arguments], f"{front} * pow(1 + p.x * p.x / p.n, - (p.n + 1) / 2)")


def _t_cdf(made: Call) -> str:
    tail = f"{_beta('(p.n / 2)', '0.5D', '(p.n / (p.n + p.x * p.x))')} / 2"
    return _let("xn", [value.sql for value in made.arguments], f"CASE WHEN p.x > 0 THEN 1 - {tail} ELSE {tail} END")


# Bits of floats: sign, exponent and fraction by arithmetic that is exact in doubles.


def _to_ieee754(bits: int) -> Writing:
    fraction, bias = (52, 1023) if bits == 64 else (23, 127)
    top = 2047 if bits == 64 else 255

    def write(made: Call) -> str:
        x = f"CAST({made[0].sql} AS DOUBLE)"
        guess = "floor(log2(p.a))"
        too_high, too_low = f"p.a < pow(2D, {guess})", f"p.a >= pow(2D, {guess} + 1)"
        exponent = f"(CASE WHEN {too_high} THEN {guess} - 1 WHEN {too_low} THEN {guess} + 1 ELSE {guess} END)"
        part = f"CAST((p.a / pow(2D, {exponent}) - 1) * {1 << fraction}D AS BIGINT)"
        normal = f"CAST({exponent} + {bias} AS BIGINT) * {1 << fraction}L + {part}"
        small = f"CAST(p.a * pow(2D, {fraction}) * pow(2D, {bias - 1}) AS BIGINT)"
        number = (
            f"CASE WHEN isnan(p.v) THEN {top << fraction | 1 << fraction - 1}L"
            f" WHEN p.a = double('Infinity') THEN {top << fraction}L"
            f" WHEN p.a < pow(2D, {1 - bias}) THEN {small} ELSE {normal} END"
        )
        sign = f"CASE WHEN p.v < 0 OR CAST(p.v AS STRING) = '-0.0' THEN {1 << bits - 1 if bits == 32 else -(1 << 63)} ELSE 0 END"
        body = f"unhex(right(lpad(hex(({number}) | CAST({sign} AS BIGINT)), 16, '0'), {bits // 4}))"
        return _let("va", [x, f"abs({x})"], body)

    return write


def _from_ieee754(bits: int) -> Writing:
    fraction, bias = (52, 1023) if bits == 64 else (23, 127)
    top = 2047 if bits == 64 else 255

    def write(made: Call) -> str:
        number = f"CAST(conv(hex({made[0].sql}), 16, -10) AS BIGINT)"
        exponent = f"(shiftright(p.n, {fraction}) & {top}L)"
        part = f"((p.n & {(1 << fraction) - 1}L) / {1 << fraction}D)"
        sign = f"(CASE WHEN (p.n & {1 << bits - 1 if bits == 32 else -(1 << 63)}L) <> 0 THEN -1D ELSE 1D END)"
        special = f"CASE WHEN {part} = 0 THEN {sign} * double('Infinity') ELSE double('NaN') END"
        value = (
            f"CASE WHEN {exponent} = {top} THEN {special} WHEN {exponent} = 0 THEN {sign} * {part} * pow(2D, {1 - bias})"
            f" ELSE {sign} * (1 + {part}) * pow(2D, {exponent} - {bias}) END"
        )
        failed = f"raise_error('Input must be {bits // 8} bytes')"
        made_ = f"CASE WHEN length({made[0].sql}) <> {bits // 8} THEN {failed} ELSE {_let('n', [number], value)} END"
        return f"CAST({made_} AS {made.result.spark})"

    return write


_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def _to_base32(made: Call) -> str:
    x = made[0].sql
    bits = f"array_join(transform(regexp_extract_all(hex({x}), '..', 0), h -> lpad(conv(h, 16, 2), 8, '0')), '')"
    whole = f"rpad({bits}, CAST(ceil(length({x}) * 8 / 5D) * 5 AS INT), '0')"
    letter = f"substr('{_ALPHABET}', CAST(conv(b, 2, 10) AS INT) + 1, 1)"
    letters = f"array_join(transform(regexp_extract_all({whole}, '.....', 0), b -> {letter}), '')"
    return f"CASE WHEN length({x}) = 0 THEN '' ELSE rpad({letters}, CAST(ceil(length({x}) / 5D) * 8 AS INT), '=') END"


def _from_base32(made: Call) -> str:
    text = made[0].sql if made[0].type.is_text else f"decode({made[0].sql}, 'UTF-8')"
    bare = f"trim(TRAILING '=' FROM {text})"
    place = f"instr('{_ALPHABET}', l) - 1"
    bits = (
        f"array_join(transform(regexp_extract_all({bare}, '.', 0), l -> lpad(conv(CAST({place} AS STRING), 10, 2), 5, '0')), '')"
    )
    bytes_ = f"array_join(transform(regexp_extract_all({bits}, '........', 0), b -> lpad(conv(b, 2, 16), 2, '0')), '')"
    failed = "raise_error('Invalid base 32')"
    return f"CASE WHEN {bare} RLIKE '^[A-Z2-7]*$' THEN unhex({bytes_}) WHEN {text} IS NOT NULL THEN {failed} END"


# Nanoseconds, as long as they are whole microseconds.


def _from_unixtime_nanos(made: Call) -> Value:
    n = f"CAST({made[0].sql} AS DECIMAL(38,0))"
    failed = "raise_error('The engine has microseconds')"
    micros = f"CASE WHEN {n} % 1000 <> 0 THEN {failed} ELSE CAST({n} / 1000 AS BIGINT) END"
    return Value(f"timestamp_micros({micros})", T.instant(9), made.compiler.context.zone)


def _from_iso8601_nanos(made: Call) -> Value:
    text = made[0].sql
    failed = "raise_error('The engine has microseconds')"
    fine = f"regexp_replace({text}, '([.][0-9]{{6}})0+', '$1')"
    cut = f"CASE WHEN {text} RLIKE '[.][0-9]{{6}}[0-9]*[1-9]' THEN {failed} ELSE {fine} END"
    zoned = f"CASE WHEN {text} RLIKE '{moments._ZONED}' THEN {cut} ELSE concat({cut}, {made.compiler.context.zone}) END"
    zone = None
    if made[0].text is not None:
        found = moments._MOMENT.fullmatch(made[0].text.replace("T", " ", 1))
        zone = f"'{moments.normal_zone(found[4])}'" if found and found[4] else made.compiler.context.zone
    return Value(f"CAST({zoned} AS TIMESTAMP)", T.instant(9), zone)


FUNCTIONS.update(
    {
        "beta_cdf": _beta_cdf,
        "from_base32": _from_base32,
        "from_ieee754_32": _from_ieee754(32),
        "from_ieee754_64": _from_ieee754(64),
        "from_iso8601_timestamp_nanos": _from_iso8601_nanos,
        "from_unixtime_nanos": _from_unixtime_nanos,
        "inverse_beta_cdf": _inverse_beta_cdf,
        "inverse_normal_cdf": _inverse_normal_cdf,
        "normal_cdf": _normal_cdf,
        "t_cdf": _t_cdf,
        "t_pdf": _t_pdf,
        "to_base32": _to_base32,
        "to_ieee754_32": _to_ieee754(32),
        "to_ieee754_64": _to_ieee754(64),
    }
)
for _name in list(MISSING):
    if _name in FUNCTIONS:
        del MISSING[_name]
