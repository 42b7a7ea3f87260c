"""One table in two engines: SQE writes or reads it, PyIceberg, which shares no code with Spark, reads or writes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table

Row = tuple[Any, ...]

MERGE_ON_READ = ", ".join(f"'write.{what}.mode' = 'merge-on-read'" for what in ("delete", "update", "merge"))


@dataclass(frozen=True)
class BothEngines:
    """In a statement `{t}` is the table; `{v}` its format version as a table property."""

    run: Callable[[str], pa.Table]
    catalog: SqlCatalog
    table: str
    version: int

    def sql(self, *statements: str) -> list[Row]:
        """The rows of the last statement."""
        rows: list[Row] = []
        for statement in statements:
            text = statement.replace("{t}", self.table).replace("{v}", f"'format-version' = '{self.version}'")
            rows = _rows(self.run(text))
        return rows

    def theirs(self) -> Table:
        return self.catalog.load_table(f"default.{self.table}")

    def they_read(self, **scan: Any) -> list[Row]:
        return sorted(_rows(self.theirs().scan(**scan).to_arrow()), key=repr)

    def agreed(self) -> list[Row]:
        """What both read: never nothing, of the version that was asked for, columns and rows the same."""
        ours = self.run(f"SELECT * FROM {self.table}")
        theirs = self.theirs()
        read = theirs.scan().to_arrow()
        assert theirs.format_version == self.version
        assert read.column_names == ours.column_names
        assert sorted(_rows(read), key=repr) == sorted(_rows(ours), key=repr)
        assert ours.num_rows > 0
        return sorted(_rows(ours), key=repr)


def _rows(table: pa.Table) -> list[Row]:
    return [tuple(_plain(value) for value in row.values()) for row in table.to_pylist()]


def _plain(value: Any) -> Any:
    """Maps come as lists of pairs, in any order."""
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return dict(sorted(value))
    return value
