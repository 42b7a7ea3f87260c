"""The rules that a policy written for Trino has, wherever they are evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

ALLOW = "allow"
ROW_FILTERS = "rowFilters"
COLUMN_MASK = "columnMask"
BATCH = "batch"
BATCH_COLUMN_MASKS = "batchColumnMasks"
RULES = (ALLOW, ROW_FILTERS, COLUMN_MASK, BATCH, BATCH_COLUMN_MASKS)


class Asked(NamedTuple):
    rule: str
    input: dict[str, Any]


class Undefined:
    """What a rule answers that has no value for an input: no value at all, which is not `null`."""


UNDEFINED = Undefined()


class Rules(Protocol):
    def has(self, rule: str) -> bool: ...

    def version(self) -> str:
        """Changes when the rules did, where that can be seen from here."""

    def ask(self, asked: Sequence[Asked]) -> list[Any]:
        """The values for all inputs, in order; asked at once where that saves time. Raises `Outage` or `ValueError`."""

    def close(self) -> None: ...
