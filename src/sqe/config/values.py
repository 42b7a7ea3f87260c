"""Values that a bare `str` or `int` would not say enough about: secrets, durations, sizes."""

from __future__ import annotations

import re
from typing import ClassVar

HIDDEN = "***"


class Secret:
    """A value that may be used but never shown: `repr`, `str` and format specs all say `***`."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The value itself. The name is long on purpose: every caller of it is worth a look in a review."""
        return self._value

    def matches(self, candidate: str) -> bool:
        """Compares in a time that depends neither on where the first difference is nor on the secret's length."""
        import hashlib  # loads OpenSSL: not at start-up
        import hmac

        digests = (hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in (self._value, candidate))
        return hmac.compare_digest(*digests)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self.matches(other._value)

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __repr__(self) -> str:
        return HIDDEN

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return HIDDEN

    def __reduce__(self) -> str:
        raise TypeError("a Secret is not written down")


class Duration(float):
    """Seconds. Reads `250ms`, `30s`, `15m`, `8h`, `7d`; works wherever Python wants seconds."""

    UNITS: ClassVar[dict[str, float]] = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}

    @classmethod
    def parse(cls, text: str) -> Duration:
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)\s*", text)
        if not found:
            raise ValueError(f"{text!r} is not a duration")
        return cls(float(found[1]) * cls.UNITS[found[2]])

    def __str__(self) -> str:
        for unit in ("d", "h", "m", "s"):
            if self and self % self.UNITS[unit] == 0:
                return f"{int(self // self.UNITS[unit])}{unit}"
        return f"{round(self * 1000)}ms" if self else "0s"

    __repr__ = __str__


class Size(int):
    """Bytes. Reads `512k`, `512m`, `3g`, `1t` (powers of 1024, as Java and Spark count) and plain numbers of bytes."""

    UNITS: ClassVar[dict[str, int]] = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}

    @classmethod
    def parse(cls, text: str) -> Size:
        found = re.fullmatch(r"\s*(\d+)\s*(?:([kmgt])(?:i?b)?|b)?\s*", text.lower())
        if not found:
            raise ValueError(f"{text!r} is not a size")
        return cls(int(found[1]) * cls.UNITS.get(found[2] or "", 1))

    def __str__(self) -> str:
        """The form that `-Xmx` and Spark's settings take."""
        for unit in ("t", "g", "m", "k"):
            if self and self % self.UNITS[unit] == 0:
                return f"{self // self.UNITS[unit]}{unit}"
        return int.__repr__(self)

    __repr__ = __str__
