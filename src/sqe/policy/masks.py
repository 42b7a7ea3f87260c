"""Masks as functions that any policy may use. Each is written out as Spark SQL that keeps the column's type and cannot fail.

The column comes first and may be left out: `mask_show_last(4)` means the column that is masked. A mask that does not suit the
column's type shows NULL. All are deterministic; `mask_hmac` gives equal values equal hashes, so that joins still work.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Callable, Sequence

from sqe.policy.expressions import BadExpression, Function, expanded
from sqe.policy.facts import Column
from sqe.sql.tokens import Token, identifier, tokenize

NULL = "NULL"

# Without a key configured `mask_hmac` shows NULL: a hash without a secret can be guessed back for anything short.
Key = bytes

_FAMILIES = {
    "text": ("string", "varchar", "char"),
    "whole": ("tinyint", "smallint", "int", "bigint"),
    "decimal": ("decimal",),
    "float": ("float", "double"),
    "date": ("date",),
    "time": ("timestamp", "timestamp_ntz"),
    "binary": ("binary",),
}
_NUMBERS = ("whole", "decimal", "float")
_DATE_UNITS = ("year", "quarter", "month", "week")
_TIME_UNITS = (*_DATE_UNITS, "day", "hour")
_BLOCK = 64  # bytes of a block of SHA-256


def family(type_: str) -> str:
    """Which of the groups above a type belongs to; `other` for nested ones and the rest."""
    base = re.match(r"\w*", type_.strip().lower())
    return next((name for name, types in _FAMILIES.items() if base and base[0] in types), "other")


def masked(mask: str, column: Column | None, name: str, key: Key | None) -> str:
    """The mask as Spark SQL, for a column whose type is known if `column` is. Of a known type the result is that type too."""
    written = expanded(mask, _functions(column, name, key))
    if column is None:
        return written
    return f"try_cast({written} AS {column.type})"


def stronger(one: str, other: str) -> str:
    """The stronger of two masks: NULL, then constants, then all others; of two different ones of a kind, NULL."""
    if one == other:
        return one
    first, second = strength(one), strength(other)
    if first == second:
        return NULL
    return one if first > second else other


def strength(mask: str) -> int:
    """2 for NULL, 1 for a constant, 0 for whatever still depends on the value."""
    tokens = tokenize(mask)[:-1]
    if len(tokens) == 1 and tokens[0].says("NULL"):
        return 2
    name = tokens[0].text.lower() if tokens else ""
    if _is_one_call(tokens) and name == "mask_null":
        return 2
    if _is_one_call(tokens) and name == "mask_constant":
        tokens = tokens[2:-1]
    return 1 if is_constant(tokens) else 0


def is_constant(tokens: Sequence[Token]) -> bool:
    """Literals alone: whatever else stands there could show the value."""
    if len(tokens) == 2 and (tokens[0].says("DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIME", "X") or tokens[0].says("-")):
        return tokens[1].kind == ("number" if tokens[0].says("-") else "string")
    return len(tokens) == 1 and (tokens[0].kind in ("string", "number") or tokens[0].says("TRUE", "FALSE", "NULL"))


def _is_one_call(tokens: Sequence[Token]) -> bool:
    if len(tokens) < 3 or not tokens[1].says("("):
        return False
    depth = 0
    for index, token in enumerate(tokens[1:], 1):
        depth += 1 if token.says("(") else -1 if token.says(")") else 0
        if depth == 0:
            return index == len(tokens) - 1
    return False


class _Call:
    """The arguments of one call of a mask, after its value."""

    def __init__(self, function: str, value: str, type_: str | None, rest: Sequence[str], key: Key | None) -> None:
        self.function = function
        self.value = value
        self.family = family(type_) if type_ else None  # None: not known, and taken for one that suits
        self.type = type_ or ""
        self.key = key
        self._rest = rest

    def suits(self, *families: str) -> bool:
        return self.family is None or self.family in families

    @property
    def text(self) -> str:
        return f"CAST({self.value} AS STRING)" if self.family != "text" else f"({self.value})"

    def takes(self, least: int, most: int) -> None:
        if not least <= len(self._rest) <= most:
            count = str(least) if least == most else f"{least} to {most}"
            raise BadExpression(f"{self.function} takes {count} arguments after the column")

    def number(self, index: int, least: int, most: int) -> int:
        found = re.fullmatch(r"\s*(-?)\s*(\d{1,9})\s*", self._rest[index])
        value = int(found[1] + found[2]) if found else None
        if value is None or not least <= value <= most:
            raise BadExpression(f"{self.function} takes a whole number between {least} and {most}")
        return value

    def word(self, index: int) -> str:
        tokens = tokenize(self._rest[index])[:-1]
        if len(tokens) != 1 or tokens[0].kind != "string":
            raise BadExpression(f"{self.function} takes a text in quotes")
        return tokens[0].value

    def letter(self, index: int, default: str) -> str:
        if index >= len(self._rest):
            return f"'{default}'"
        if len(self.word(index)) != 1:
            raise BadExpression(f"{self.function} takes single letters")
        return self._rest[index].strip()


def _null(call: _Call) -> str:
    call.takes(0, 0)
    return NULL


def _constant(call: _Call) -> str:
    call.takes(1, 1)
    if not is_constant(tokenize(call._rest[0])[:-1]):
        raise BadExpression(f"{call.function} takes a literal")
    return call._rest[0].strip()


def _redact(call: _Call) -> str:
    """Letters, digits by class; whatever is not ASCII counts as a small letter, punctuation stays."""
    call.takes(0, 3)
    if not call.suits("text"):
        return NULL
    upper, lower, digit = call.letter(0, "X"), call.letter(1, "x"), call.letter(2, "n")
    return f"mask(regexp_replace({call.text}, '[^\\\\x00-\\\\x7F]', 'x'), {upper}, {lower}, {digit}, NULL)"


def _show(shown: str, call: _Call) -> str:
    call.takes(1, 1)
    count, text = call.number(0, 0, 1000), call.text
    if not call.suits("text"):
        return NULL
    stars = f"repeat('*', length({text}) - {count})"
    parts = f"left({text}, {count}), {stars}" if shown == "first" else f"{stars}, right({text}, {count})"
    # A value that is not longer than what may be shown would be shown whole.
    return f"CASE WHEN length({text}) > {count} THEN concat({parts}) ELSE repeat('*', length({text})) END"


def _hmac(call: _Call) -> str:
    """HMAC-SHA-256 by its definition: the padded keys are constants, so two SHA-256 of Spark's do it."""
    call.takes(0, 1)
    domain = call.word(0) if call._rest else ""
    if call.key is None or not call.suits("text", "whole", "binary"):
        return NULL
    key = hmac.new(call.key, b"sqe-mask:" + domain.encode(), hashlib.sha256).digest().ljust(_BLOCK, b"\0")
    inner, outer = (bytes(byte ^ pad for byte in key).hex() for pad in (0x36, 0x5C))
    message = f"({call.value})" if call.family == "binary" else f"CAST({call.text} AS BINARY)"
    digest = f"sha2(concat(X'{outer}', unhex(sha2(concat(X'{inner}', {message}), 256))), 256)"
    match call.family, call.type.strip().lower():
        case "binary", _:
            return f"unhex({digest})"
        case "whole", "bigint":
            return f"CAST(conv(left({digest}, 15), 16, 10) AS BIGINT)"
        case "whole", "int":
            return f"CAST(conv(left({digest}, 7), 16, 10) AS INT)"
        case "whole", _:  # so few values that each would be found by trying
            return NULL
        case _:
            return digest


def _date(call: _Call) -> str:
    call.takes(1, 1)
    unit = call.word(0).lower()
    if unit not in (_DATE_UNITS if call.family == "date" else _TIME_UNITS):
        raise BadExpression(f"{call.function} truncates to {', '.join(_TIME_UNITS)} (a date not to day or hour)")
    if not call.suits("date", "time"):
        return NULL
    return f"trunc({call.value}, '{unit}')" if call.family == "date" else f"date_trunc('{unit}', {call.value})"


def _round(call: _Call) -> str:
    call.takes(1, 1)
    digits = call.number(0, -18, 18)
    return f"round({_wide(call)}, {digits})" if call.suits(*_NUMBERS) else NULL


def _bucket(call: _Call) -> str:
    call.takes(1, 1)
    width = call.number(0, 1, 999_999_999)
    return f"({_wide(call)} - pmod({_wide(call)}, {width}))" if call.suits(*_NUMBERS) else NULL


def _wide(call: _Call) -> str:
    """Whole numbers as decimals: rounding the largest one must not overflow."""
    return f"CAST({call.value} AS DECIMAL(20, 0))" if call.family == "whole" else f"({call.value})"


def _email(call: _Call) -> str:
    call.takes(0, 0)
    if not call.suits("text"):
        return NULL
    text = call.text
    first = f"CASE WHEN locate('@', {text}) > 2 THEN left({text}, 1) ELSE '' END"
    shape = f"concat({first}, '***@', substring_index({text}, '@', -1))"
    return f"CASE WHEN {text} RLIKE '^[^@]+@[^@]+$' THEN {shape} ELSE repeat('*', length({text})) END"


def _card(call: _Call) -> str:
    call.takes(0, 0)
    if not call.suits("text"):
        return NULL
    text = call.text
    shape = f"concat(regexp_replace(left({text}, length({text}) - 4), '[^ -]', '*'), right({text}, 4))"
    return f"CASE WHEN {text} RLIKE '^[0-9](?:[ -]?[0-9]){{11,18}}$' THEN {shape} ELSE repeat('*', length({text})) END"


# name → (how it is written out, its line in docs/policy.md)
MASKS: dict[str, tuple[Callable[[_Call], str], str]] = {
    "mask_null": (_null, "`mask_null()`: NULL. Any type."),
    "mask_constant": (_constant, "`mask_constant(value)`: always this value. Any type that it can be cast to."),
    "mask_redact": (
        _redact,
        "`mask_redact([column] [, 'X' [, 'x' [, 'n']]])`: capitals, small letters and digits replaced, punctuation kept. Text.",
    ),
    "mask_show_first": (
        lambda call: _show("first", call),
        "`mask_show_first([column,] n)`: the first n characters, then stars. Text.",
    ),
    "mask_show_last": (
        lambda call: _show("last", call),
        "`mask_show_last([column,] n)`: stars, then the last n characters. Text.",
    ),
    "mask_hmac": (
        _hmac,
        "`mask_hmac([column] [, 'domain'])`: HMAC-SHA-256 with `policy.mask_key`, a key of its own for each domain. "
        "Text (64 hex digits), BINARY, BIGINT (60 bits), INT (28 bits).",
    ),
    "mask_date": (_date, "`mask_date([column,] 'month')`: cut to year, quarter, month, week; timestamps to day and hour too."),
    "mask_round": (_round, "`mask_round([column,] digits)`: rounded; -3 gives thousands. Numbers."),
    "mask_bucket": (_bucket, "`mask_bucket([column,] width)`: the lower end of the value's bucket. Numbers."),
    "mask_email": (_email, "`mask_email([column])`: `a***@example.com`. Text."),
    "mask_card": (_card, "`mask_card([column])`: `**** **** **** 1234` for 12 to 19 digits, else stars. Text."),
}
# These have no value to mask.
_WITHOUT_COLUMN = ("mask_null", "mask_constant")


def _functions(column: Column | None, name: str, key: Key | None) -> dict[str, Function]:
    def written_out(function: str) -> Function:
        def call(arguments: Sequence[str]) -> str:
            value, rest = identifier(name), list(arguments)
            if rest and function not in _WITHOUT_COLUMN and not _is_literal(rest[0]):
                value = rest.pop(0).strip()
            own = column if _names(value, name) else None
            return MASKS[function][0](_Call(function, value, own.type if own else None, rest, key))

        return call

    return {function: written_out(function) for function in MASKS}


def _is_literal(text: str) -> bool:
    tokens = tokenize(text)[:-1]
    if len(tokens) == 2 and tokens[0].says("-"):
        tokens = tokens[1:]
    return len(tokens) == 1 and tokens[0].kind in ("string", "number")


def _names(value: str, name: str) -> bool:
    tokens = tokenize(value)[:-1]
    return len(tokens) == 1 and tokens[0].is_name and tokens[0].value.lower() == name.lower()
