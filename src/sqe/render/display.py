"""Text as a terminal shows it: how wide it is, folded to a width, and with nothing in it that moves the cursor."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
from wcwidth import wcswidth, wcwidth

# Every character of these ranges takes one cell (Latin letters; the soft hyphen is not among them), so lengths and padding
# can stay in kernels. Everything else is measured by wcwidth, a value at a time.
_ONE_CELL = r"^[\x20-\x7e\x{a0}-\x{ac}\x{ae}-\x{2ff}]*$"
_CONTROL = r"[\x00-\x1f\x7f\x{80}-\x{9f}]"

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: pa.StringArray) -> pa.StringArray:
    """Control characters as escapes: a value must neither break the table nor talk to the terminal."""
    strange = pc.fill_null(pc.match_substring_regex(text, _CONTROL), False)
    if not pc.any(strange).as_py():
        return text
    clean = [escaped(value) for value in text.filter(strange).to_pylist()]
    return pc.replace_with_mask(text, strange, pa.array(clean, pa.string()))


def escaped(value: str) -> str:
    if value.isprintable():
        return value
    return "".join(_NAMED.get(c, f"\\x{ord(c):02x}") if ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 else c for c in value)


def is_one_cell(text: pa.StringArray) -> bool:
    """Whether every character of the column takes one cell."""
    if pc.all(pc.string_is_ascii(text)).as_py() is not False:
        return True
    return pc.all(pc.match_substring_regex(text, _ONE_CELL)).as_py() is not False


def widest(text: pa.StringArray) -> int:
    """The cells that the widest value takes; NULL takes four."""
    null = 4 if text.null_count else 0
    if is_one_cell(text):
        return max(null, pc.max(pc.utf8_length(text)).as_py() or 0)
    return max([null, *(width_of(value) for value in text.drop_null().unique().to_pylist())])


def width_of(value: str) -> int:
    if value.isascii():
        return len(value)
    width = wcswidth(value)
    return width if width >= 0 else len(value)


def padded(text: pa.StringArray, width: int, *, right: bool) -> pa.StringArray:
    """Filled with blanks up to the width; wider values stay whole."""
    if is_one_cell(text):
        return pc.utf8_lpad(text, width=width) if right else pc.utf8_rpad(text, width=width)
    return pa.array([pad(value, width, right=right) for value in text.to_pylist()], pa.string())


def pad(value: str, width: int, *, right: bool) -> str:
    blanks = " " * (width - width_of(value))
    return blanks + value if right else value + blanks


def folded(value: str, width: int) -> list[str]:
    """The value in lines of at most `width` cells, broken at a blank where there is one."""
    if width_of(value) <= width:
        return [value]
    lines = []
    rest = value
    while width_of(rest) > width:
        fit = _fitting(rest, width)
        blank = rest.rfind(" ", 1, fit + 1)
        cut = blank if blank > fit // 2 else fit
        lines.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    if rest:
        lines.append(rest)
    return lines


def _fitting(value: str, width: int) -> int:
    """How many characters fit in the width: at least one, so that folding always comes to an end."""
    used = 0
    for position, character in enumerate(value):
        used += max(0, wcwidth(character))
        if used > width:
            return max(1, position)
    return len(value)
