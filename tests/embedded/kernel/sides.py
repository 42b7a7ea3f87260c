"""The same statement by Spark alone and by the native kernel, and how their answers are compared."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from sqe.errors import ErrorCode, SqeError
from sqe.query.handler import QueryHandler
from sqe.session import Session
from tests.waiting import eventually

# Of a table that may have files of other tools, without field ids: Iceberg's reader has a rule for those, and decodes all of it.
FED = """TBLPROPERTIES ('schema.name-mapping.default' = '[{"field-id": 1, "names": ["id"]}]')"""


@dataclass
class Sides:
    """A session that can change sides."""

    handler: QueryHandler
    session: Session

    def run(self, text: str) -> pa.Table:
        with self.handler.submit(self.session, text, door="test") as query:
            return query.read_all()

    def native(self, mode: str) -> None:
        self.run(f"SET native = '{mode}'")

    def cancelled(self, text: str, *, when: Callable[[], bool], within: float = 30, mode: str = "require") -> ErrorCode:
        """Runs it natively, cancels it `when` that is so, and gives the code of its end, which comes `within` seconds."""
        self.native(mode)
        ends: list[ErrorCode] = []
        with self.handler.submit(self.session, text, door="test") as query:

            def read() -> None:
                try:
                    query.read_all()
                except SqeError as error:
                    ends.append(error.code)

            reader = threading.Thread(target=read)
            reader.start()
            eventually(when)
            query.cancel()
            reader.join(within)
        (end,) = ends
        return end

    def answer(self, mode: str, query: str) -> pa.Table | str:
        """The rows, or the code of the error."""
        self.native(mode)
        try:
            return self.run(query)
        except SqeError as error:
            return error.code.name

    def difference(self, query: str, *, ordered: bool = False) -> str | None:
        """None when both give the same; `auto` on the native side, so what is refused is compared with itself."""
        return difference(self.answer("off", query), self.answer("auto", query), ordered=ordered)

    def same_natively(self, query: str, *, ordered: bool = False) -> pa.Table:
        """Asserts that all of the query is native, and its answer Spark's."""
        expected, found = self.answer("off", query), self.answer("require", query)
        self.native("auto")
        assert isinstance(found, pa.Table), (query, found)
        unlike = difference(expected, found, ordered=ordered)
        assert unlike is None, (query, unlike)
        return found

    def fragments(self) -> int:
        health = self.session.driver.health()
        assert health is not None
        return health.native_fragments

    def fallbacks(self) -> int:
        health = self.session.driver.health()
        assert health is not None
        return sum(health.native_fallbacks.values())


def difference(expected: pa.Table | str, found: pa.Table | str, *, ordered: bool = False) -> str | None:
    if isinstance(expected, str) or isinstance(found, str):
        same = isinstance(expected, str) and expected == found
        return None if same else f"Spark: {_shown(expected)}, native: {_shown(found)}"
    if expected.schema != found.schema:
        return f"types: {expected.schema} and {found.schema}"
    left, right = rows(expected), rows(found)
    if not ordered:
        left, right = sorted(left), sorted(right)
    if left == right:
        return None
    unlike = [pair for pair in zip(left, right, strict=False) if pair[0] != pair[1]]
    return f"{len(left)} and {len(right)} rows, first unlike: {unlike[:1]}"


def rows(table: pa.Table) -> list[tuple[str, ...]]:
    """As text that tells types apart, NaN equal to itself, and -0.0 from 0.0."""
    columns = [[_cell(value) for value in _countable(column).to_pylist()] for column in table.columns]
    return list(zip(*columns, strict=True))


def _countable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Dates and times as numbers: Python has none beyond the year 9999."""
    counted = _counted(column.type)
    return column if counted == column.type else column.cast(counted)


def _counted(kind: pa.DataType) -> pa.DataType:
    """Also within structs, arrays and maps."""
    if pa.types.is_date(kind):
        return pa.int32()
    if pa.types.is_timestamp(kind):
        return pa.int64()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_counted(field.type)) for field in kind])
    if pa.types.is_map(kind):
        return pa.map_(kind.key_field.with_type(_counted(kind.key_type)), kind.item_field.with_type(_counted(kind.item_type)))
    return pa.list_(kind.value_field.with_type(_counted(kind.value_type))) if pa.types.is_list(kind) else kind


def _cell(value: object) -> str:
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return f"{type(value).__name__} {value!r}"


def _shown(answer: pa.Table | str) -> str:
    return answer if isinstance(answer, str) else f"{answer.num_rows} rows {rows(answer.slice(0, 1))}"
