"""Functions on texts, patterns, bytes and URLs."""

from __future__ import annotations

import re

from sqlglot import exp

from sqe.sql.dialect.trino import types as T
from sqe.sql.dialect.trino.calls import FUNCTIONS, MISSING, RESULTS, TOTAL, Call, Modifiers, Writing, named, special
from sqe.sql.dialect.trino.casts import to_text
from sqe.sql.dialect.trino.compiler import Compiler, handles
from sqe.sql.dialect.trino.types import Type
from sqe.sql.dialect.trino.values import Value, literal, refused

# What Trino takes for white space (Java's Character.isWhitespace); Spark's trim takes the blank alone.
_WHITE = literal(
    " \t\n\x0b\f\r\x1c\x1d\x1e\x1f\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u2028\u2029\u205f\u3000"
)


def _trim(side: str) -> Writing:
    def write(made: Call) -> str:
        value = made[0].sql if made[0].type.base != "char" else f"rtrim({made[0].sql})"
        letters = made[1].sql if len(made) > 1 else _WHITE
        return f"trim({side} {letters} FROM {value})"

    return write


@handles(exp.Trim)
def _trim_form(c: Compiler, node: exp.Trim) -> Value:
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position") or "").upper(), "trim")
    return named(c, node, name, [each for each in (node.this, node.expression) if each is not None])


@handles(exp.StrPosition)
def _position(c: Compiler, node: exp.StrPosition) -> Value:
    return named(c, node, "strpos", [node.this, node.args["substr"]])


@handles(exp.DPipe)
def _concat(c: Compiler, node: exp.DPipe) -> Value:
    return named(c, node, "concat", [node.left, node.right])


def _concatenated(made: Call) -> str:
    """Texts, bytes, arrays, or an array and an element."""
    if made.result.base == "array":
        items = [v.sql if v.type.base == "array" and v.type == made.result else f"array({v.sql})" for v in _arrays(made)]
        return f"concat({', '.join(items)})"
    if made.result.base == "char":
        cells = (f"rpad(rtrim({v.sql}), {v.type.numbers[0]})" if v.type.base == "char" else v.sql for v in made.arguments)
        return f"concat({', '.join(cells)})"
    return f"concat({', '.join(value.sql for value in made.arguments)})"


def _arrays(made: Call) -> list[Value]:
    return [
        made.compiler.cast(value, made.result if value.type.base == "array" else made.result.inner[0]) for value in made.arguments
    ]


def _substring(made: Call) -> str:
    """From 1; 0 and what is before the beginning give nothing, where Spark gives the beginning."""
    x, start = made[0].sql, made[1]
    rest = f", {_int(made[2])}" if len(made) > 2 else ""
    if start.number is not None and start.number > 0:
        return f"substr({x}, {start.number}{rest})"
    at = _int(start)
    nothing = "X''" if made.result.base == "varbinary" else "''"
    null = f" WHEN {made[2].sql} IS NULL THEN NULL" if len(made) > 2 and made[2].number is None else ""
    null += f" WHEN {x} IS NULL THEN NULL"
    return f"CASE{null} WHEN {at} = 0 OR {at} < -length({x}) THEN {nothing} ELSE substr({x}, {at}{rest}) END"


def _int(value: Value) -> str:
    return str(value.number) if value.number is not None else f"CAST({value.sql} AS INT)"


def quoted_pattern(value: Value) -> str:
    """A regular expression that finds just this text."""
    if value.text is not None:
        return literal(re.escape(value.text))
    return f"concat('\\\\Q', {value.sql}, '\\\\E')"


def _split(made: Call) -> str:
    limit = f", {_int(made[2])}" if len(made) > 2 else ", -1"
    return f"split({made[0].sql}, {quoted_pattern(made[1])}{limit})"


def _split_part(made: Call) -> str:
    index = made[2].number - 1 if made[2].number else f"{_int(made[2])} - 1"
    failed = "raise_error('Index must be greater than zero')"
    parts = f"get(split({made[0].sql}, {quoted_pattern(made[1])}, -1), {index})"
    return parts if made[2].number else f"CASE WHEN {made[2].sql} <= 0 THEN {failed} ELSE {parts} END"


def _strpos(made: Call) -> str:
    if len(made) == 2:
        return f"CAST(instr({made[0].sql}, {made[1].sql}) AS BIGINT)"
    x, part, n = made[0].sql, made[1].sql, made[2]
    if n.number is None or n.number == 0:
        raise made.refuse("with an instance that is no literal")
    count = f"size(split({x}, {quoted_pattern(made[1])}, -1)) - 1"
    if n.number > 0:
        before = f"substring_index({x}, {part}, {n.number})"
        return f"CASE WHEN {count} >= {n.number} THEN CAST(length({before}) + 1 AS BIGINT) WHEN {count} IS NOT NULL THEN 0L END"
    after = f"substring_index({x}, {part}, {n.number})"
    place = f"length({x}) - length({after}) - length({part}) + 1"
    return f"CASE WHEN {count} >= {-n.number} THEN CAST({place} AS BIGINT) WHEN {count} IS NOT NULL THEN 0L END"


def _replace(made: Call) -> str:
    """An empty text is found before and after each letter; Spark finds it nowhere."""
    x, part, new = made[0].sql, made[1], made[2].sql if len(made) > 2 else literal("")
    plain = f"replace({x}, {part.sql}, {new})"
    if part.text or len(made) < 3:
        return plain
    between = f"concat({new}, array_join(transform(filter(split({x}, ''), l -> l <> ''), l -> concat(l, {new})), ''))"
    return between if part.text == "" else f"CASE WHEN {part.sql} = '' THEN {between} ELSE {plain} END"


def _pad(name: str) -> Writing:
    def write(made: Call) -> str:
        empty = "raise_error('Padding string must not be empty')" if made[2].text is None else None
        padded = f"{name}({made[0].sql}, {_int(made[1])}, {made[2].sql})"
        negative = "raise_error('Target length must be in the range [0..2147483647]')"
        if made[1].number is not None and made[1].number >= 0 and made[2].text:
            return padded
        tests = f"WHEN {made[1].sql} < 0 THEN {negative} "
        tests += f"WHEN length({made[2].sql}) = 0 THEN {empty or negative} "
        return f"CASE {tests}ELSE {padded} END"

    return write


def pattern(made: Call, at: int = 1) -> str:
    """Joni's patterns are Java's for almost all that people write."""
    text = made[at].text
    if text is not None and ("[[:" in text or ("(?<" in text and "(?<=" not in text and "(?<!" not in text)):
        raise made.refuse("with this pattern")
    return made[at].sql


def _extract(made: Call) -> str:
    group = _int(made[2]) if len(made) > 2 else "0"
    found = f"regexp_extract({made[0].sql}, {pattern(made)}, {group})"
    return f"CASE WHEN {made[0].sql} RLIKE {pattern(made)} THEN {found} END"


def _extract_all(made: Call) -> str:
    return f"regexp_extract_all({made[0].sql}, {pattern(made)}, {_int(made[2]) if len(made) > 2 else '0'})"


def _regexp_replace(made: Call) -> str:
    if len(made) > 2 and made[2].sql.startswith("`"):
        raise made.refuse("with a function")
    replacement = made[2].sql if len(made) > 2 else literal("")
    return f"regexp_replace({made[0].sql}, {pattern(made)}, {replacement})"


def _regexp_position(made: Call) -> str:
    if len(made) > 2:
        raise made.refuse("with a start")
    found = f"regexp_instr({made[0].sql}, {pattern(made)})"
    return f"CASE WHEN {found} = 0 THEN -1 ELSE {found} END"


def _levenshtein(made: Call) -> str:
    return f"CAST(levenshtein({made[0].sql}, {made[1].sql}) AS BIGINT)"


_HAMMING = (
    "CASE WHEN length({0}) <> length({1}) THEN raise_error('hamming_distance takes texts of the same length')"
    " ELSE CAST(size(filter(zip_with(split({0}, ''), split({1}, ''), (a, b) -> a <> b), d -> d)) AS BIGINT) END"
)

_LUHN = (
    "CASE WHEN {0} = '' THEN false WHEN {0} RLIKE '^[0-9]+$' THEN aggregate(transform(reverse(split({0}, '')), (d, i) ->"
    " CASE WHEN i % 2 = 0 THEN CAST(d AS INT) ELSE CAST(d AS INT) * 2 - CASE WHEN CAST(d AS INT) > 4 THEN 9 ELSE 0 END END), 0,"
    " (a, d) -> a + d) % 10 = 0 WHEN {0} IS NOT NULL THEN raise_error('Input is not a number') END"
)


def _map_of_pairs(many: bool) -> Writing:
    """split_to_map: pairs parted by one text, keys and values by another."""

    def write(made: Call) -> str:
        x, between = made[0].sql, quoted_pattern(made[1])
        parts = f"transform(filter(split({x}, {between}, -1), p -> p <> ''), p -> split(p, {quoted_pattern(made[2])}, 2))"
        failed = "raise_error('Key-value delimiter must appear exactly once in each entry')"
        pairs = f"transform({parts}, p -> CASE WHEN size(p) = 2 THEN struct(p[0], p[1]) ELSE {failed} END)"
        if not many:
            return f"map_from_entries({pairs})"
        keys = f"array_distinct(transform({parts}, p -> p[0]))"
        return f"map_from_arrays({keys}, transform({keys}, k -> transform(filter({parts}, p -> p[0] = k), p -> p[1])))"

    return write


def _chr(made: Call) -> str:
    """Spark's own knows 256 letters."""
    n = made[0].sql
    # UTF-32 in bytes, decoded.
    return f"decode(unhex(lpad(hex({n}), 8, '0')), 'UTF-32')"


def _codepoint(made: Call) -> str:
    return f"CAST(conv(hex(encode({made[0].sql}, 'UTF-32')), 16, 10) AS INT)"


def _utf8(made: Call) -> str:
    if len(made) > 1:
        raise made.refuse("with a replacement")
    return f"decode({made[0].sql}, 'UTF-8')"


def _big_endian(bits: int, made: Call) -> str:
    digits = bits // 4
    failed = f"raise_error('expected {bits // 8}-byte input')"
    number = f"CAST(conv(hex({made[0].sql}), 16, -10) AS BIGINT)"
    if bits == 32:
        number = f"CAST(shiftright(shiftleft({number}, 32), 32) AS INT)"
    return f"CASE WHEN length({made[0].sql}) <> {digits // 2} THEN {failed} ELSE {number} END"


def _format(c: Compiler, node: exp.Anonymous, modifiers: Modifiers) -> Value:
    """Java's Formatter is behind both."""
    values = c.values(node.expressions)
    if values[0].text is None or re.search(r"%[^%]*[tT]", values[0].text):
        raise refused(node, "format with dates in the format, or with a format that is no literal,")
    values = [values[0], *(Value(to_text(c, node, v), T.VARCHAR) if _not_simple(v) else v for v in values[1:])]
    return Value(f"format_string({', '.join(value.sql for value in values)})", T.VARCHAR, fallible=True)


def _not_simple(value: Value) -> bool:
    return not (value.type.is_integer or value.type.is_text or value.type.base in ("boolean", "decimal", "double"))


special("format")(_format)


@special("concat_ws")
def _concat_ws(c: Compiler, node: exp.Anonymous, modifiers: Modifiers) -> Value:
    values = c.values(node.expressions)
    joined = f"concat_ws({', '.join(value.sql for value in values)})"
    return Value(joined, T.VARCHAR)


@handles(exp.Normalize)
def _normalize(c: Compiler, node: exp.Normalize) -> Value:
    raise refused(node, "Function normalize", MISSING["normalize"])


# Only what the URL has: Trino gives '' where a URL has no such part, NULL where it is none.
def _url(part: str) -> str:
    found = f"coalesce(try_parse_url({{0}}, '{part}'), '')"
    if part in ("PATH", "QUERY", "REF"):
        found = f"url_decode(replace({found}, '+', '%2B'))"
    return f"CASE WHEN {{0}} IS NOT NULL THEN {found} END"


_PORT = "CAST(nullif(regexp_extract({0}, '^[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*?:([0-9]+)(?:[/?#]|$)', 1), '') AS BIGINT)"

FUNCTIONS.update(
    {
        "chr": _chr,
        "codepoint": _codepoint,
        "concat": _concatenated,
        "crc32": "crc32({0})",
        "from_base64": "unbase64({0})",
        "from_base64url": "unbase64(translate({0}, '-_', '+/'))",
        "from_big_endian_32": lambda made: _big_endian(32, made),
        "from_big_endian_64": lambda made: _big_endian(64, made),
        "from_hex": "CASE WHEN length({0}) % 2 = 1 THEN raise_error('An odd number of digits') ELSE unhex({0}) END",
        "from_utf8": _utf8,
        "hamming_distance": _HAMMING,
        "length": "CAST(length({0}) AS BIGINT)",
        "levenshtein_distance": _levenshtein,
        "lower": "lower({0})",
        "lpad": _pad("lpad"),
        "ltrim": _trim("LEADING"),
        "luhn_check": _LUHN,
        "md5": "unhex(md5({0}))",
        "regexp_count": lambda made: f"CAST(regexp_count({made[0].sql}, {pattern(made)}) AS BIGINT)",
        "regexp_extract": _extract,
        "regexp_extract_all": _extract_all,
        "regexp_like": lambda made: f"({made[0].sql} RLIKE {pattern(made)})",
        "regexp_position": _regexp_position,
        "regexp_replace": _regexp_replace,
        "regexp_split": lambda made: f"split({made[0].sql}, {pattern(made)}, -1)",
        "replace": _replace,
        "rpad": _pad("rpad"),
        "rtrim": _trim("TRAILING"),
        "sha1": "unhex(sha1({0}))",
        "sha256": "unhex(sha2({0}, 256))",
        "sha512": "unhex(sha2({0}, 512))",
        "soundex": "CASE WHEN {0} = '' THEN '' ELSE soundex({0}) END",
        "split": _split,
        "split_part": _split_part,
        "split_to_map": _map_of_pairs(False),
        "split_to_multimap": _map_of_pairs(True),
        "starts_with": "startswith({0}, {1})",
        "strpos": _strpos,
        "substr": _substring,
        "substring": _substring,
        "to_base64": "base64({0})",
        "to_base64url": "translate(base64({0}), '+/', '-_')",
        "to_big_endian_32": "unhex(lpad(right(hex(CAST({0} AS BIGINT)), 8), 8, '0'))",
        "to_big_endian_64": "unhex(lpad(hex({0}), 16, '0'))",
        "to_hex": "hex({0})",
        "to_utf8": "encode({0}, 'UTF-8')",
        "translate": "translate({0}, {1}, {2})",
        "trim": _trim("BOTH"),
        "upper": "upper({0})",
        "url_decode": "url_decode({0})",
        "url_encode": "url_encode({0})",
        "url_extract_fragment": _url("REF"),
        "url_extract_host": _url("HOST"),
        "url_extract_parameter": "try_parse_url({0}, 'QUERY', {1})",
        "url_extract_path": _url("PATH"),
        "url_extract_port": _PORT,
        "url_extract_protocol": _url("PROTOCOL"),
        "url_extract_query": _url("QUERY"),
        "uuid": "uuid()",
    }
)

TOTAL |= {
    "length",
    "lower",
    "upper",
    "trim",
    "ltrim",
    "rtrim",
    "concat",
    "substr",
    "substring",
    "strpos",
    "replace",
    "split",
    "to_utf8",
}
TOTAL |= {"regexp_like", "starts_with", "to_hex", "md5", "sha256"}

MISSING.update(
    {
        "from_base32": "the engine has no base 32",
        "to_base32": "the engine has no base 32",
        "murmur3": "another hash than the engine's",
        "spooky_hash_v2_32": "a hash that the engine does not have",
        "spooky_hash_v2_64": "a hash that the engine does not have",
        "xxhash64": "the engine's has another seed",
        "word_stem": "the engine has no stemming",
        "normalize": "the engine has no Unicode normal forms",
        "bar": "the terminal's colours are not made here",
        "color": "the terminal's colours are not made here",
        "render": "the terminal's colours are not made here",
        "rgb": "the terminal's colours are not made here",
        "index": "a function of the Teradata plugin",
        "char2hexint": "a function of the Teradata plugin",
        "to_char": "a function of the Teradata plugin",
        "to_date": "a function of the Teradata plugin",
        "to_timestamp": "a function of the Teradata plugin",
    }
)

# Lengths that follow from the arguments' lengths are only shown, never used: the unbounded type says less and is never wrong.
RESULTS.update(
    {
        "concat": lambda kinds, values: _concat_type(kinds),
        "replace": lambda kinds, values: T.VARCHAR if len(kinds) > 2 else kinds[0],
        "chr": lambda kinds, values: T.varchar(1),
    }
)


def _concat_type(kinds: list[Type]) -> Type:
    arrays = [kind for kind in kinds if kind.base == "array"]
    if arrays:
        element = arrays[0].inner[0]
        for kind in kinds:
            element = T.common(element, kind.inner[0] if kind.base == "array" else kind) or element
        return T.array(element)
    if kinds[0].base == "varbinary":
        return T.VARBINARY
    if any(kind.base == "char" for kind in kinds) and all(kind.numbers for kind in kinds):
        return Type("char", numbers=(sum(kind.numbers[0] for kind in kinds),))
    return T.VARCHAR


def _hmac(block: int, digest: str) -> Writing:
    """H((key ^ opad) || H((key ^ ipad) || text)), byte by byte: the engine has hashes, but no keyed ones."""

    def write(made: Call) -> str:
        text, key = made[0].sql, made[1].sql
        short = f"CASE WHEN length({key}) > {block} THEN {digest.format(key)} ELSE {key} END"
        digits = f"rpad(hex({short}), {block * 2}, '0')"

        def mixed(pad: int) -> str:
            byte = f"lpad(hex(CAST(conv(substr({digits}, 2 * i + 1, 2), 16, 10) AS INT) ^ {pad}), 2, '0')"
            return f"unhex(array_join(transform(sequence(0, {block - 1}), i -> {byte}), ''))"

        inner = digest.format(f"concat({mixed(0x36)}, {text})")
        return digest.format(f"concat({mixed(0x5C)}, {inner})")

    return write


FUNCTIONS.update(
    {
        "hmac_md5": _hmac(64, "unhex(md5({0}))"),
        "hmac_sha1": _hmac(64, "unhex(sha1({0}))"),
        "hmac_sha256": _hmac(64, "unhex(sha2({0}, 256))"),
        "hmac_sha512": _hmac(128, "unhex(sha2({0}, 512))"),
    }
)
for _name in ("to_ieee754_32", "to_ieee754_64", "from_ieee754_32", "from_ieee754_64"):
    MISSING[_name] = "the engine does not show the bits of a float"
