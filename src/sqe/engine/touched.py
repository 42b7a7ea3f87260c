"""Which tables and catalogs a statement had to do with, as the driver tells it (jvm: TouchedTables)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Touched:
    """Names as the session has them, `catalog.schema.table`. Views and the tables behind them are both there."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    catalogs: tuple[str, ...] = ()
    written_rows: int = 0  # of the whole table after the commit, in its files; 0 when nothing was committed
    written_bytes: int = 0

    @staticmethod
    def of(facts: Mapping[str, Any]) -> Touched:
        reads, writes, catalogs = (tuple(facts.get(name) or ()) for name in ("reads", "writes", "catalogs"))
        return Touched(reads, writes, catalogs, int(facts.get("written_rows") or 0), int(facts.get("written_bytes") or 0))


NOTHING = Touched()
