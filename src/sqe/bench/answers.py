"""Whether two engines gave the same answer: cell by cell, in Arrow, with the differences told.

Numbers of columns and rows must be equal; names of columns are each engine's own. Integers, text, dates, times and booleans must
be equal. Decimals must be equal; of two scales, the finer is rounded to the coarser first (Trino's average has the scale of its
input, Spark's four digits more). Floating-point numbers may differ by the query's tolerance, but at least by FLOAT_TOLERANCE: the
order of a parallel sum is nobody's promise. Where one side has a decimal, half a unit of its last place comes to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

FLOAT_TOLERANCE = 1e-9
_SHOWN = 3


@dataclass(frozen=True)
class Comparison:
    differences: tuple[str, ...]  # the first few, for people

    @property
    def equal(self) -> bool:
        return not self.differences


def compare(ours: pa.Table, theirs: pa.Table, *, ordered: bool, tolerance: float = 0.0) -> Comparison:
    """`ordered`: places are compared, too; else the rows of both are brought into the same order first."""
    if ours.num_columns != theirs.num_columns:
        return Comparison((f"{ours.num_columns} columns and {theirs.num_columns}",))
    if ours.num_rows != theirs.num_rows:
        return Comparison((f"{ours.num_rows:,} rows and {theirs.num_rows:,}",))
    pairs = [_alike(_whole(left), _whole(right)) for left, right in zip(ours.columns, theirs.columns, strict=True)]
    for index, pair in enumerate(pairs):
        if pair.problem:
            return Comparison((f"column {index + 1} ({ours.column_names[index]}): {pair.problem}",))
    if not ordered:
        pairs = _sorted(pairs)
    allowed = max(tolerance, FLOAT_TOLERANCE)
    told = [text for index, pair in enumerate(pairs) for text in _differences(pair, index, ours.column_names[index], allowed)]
    return Comparison(tuple(told[:_SHOWN]))


@dataclass(frozen=True)
class _Pair:
    """The same column of both answers, in one type. `unit` is what a cell may differ by absolutely."""

    ours: pa.Array
    theirs: pa.Array
    exact: bool
    unit: float = 0.0
    problem: str = ""


def _whole(column: pa.ChunkedArray) -> pa.Array:
    combined = column.combine_chunks()
    array = pa.concat_arrays(combined.chunks) if isinstance(combined, pa.ChunkedArray) else combined
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _alike(ours: pa.Array, theirs: pa.Array) -> _Pair:
    left, right = ours.type, theirs.type
    if pa.types.is_null(left) or pa.types.is_null(right):
        return _nulls(ours, theirs)
    if _is_number(left) and _is_number(right):
        return _numbers(ours, theirs)
    for fits, common in _COMMON:
        if fits(left) and fits(right):
            return _Pair(_cast(ours, common), _cast(theirs, common), exact=True)
    if _is_moment(left) and _is_moment(right):
        return _Pair(_moments(ours), _moments(theirs), exact=True)
    if left == right:
        return _Pair(_as_text(ours), _as_text(theirs), exact=True)
    return _Pair(ours, theirs, exact=True, problem=f"{left} and {right}")


def _nulls(ours: pa.Array, theirs: pa.Array) -> _Pair:
    """An engine that knows no type for a column of NULLs gives none."""
    if ours.null_count == len(ours) and theirs.null_count == len(theirs):
        return _Pair(pa.nulls(len(ours), pa.string()), pa.nulls(len(theirs), pa.string()), exact=True)
    return _Pair(ours, theirs, exact=True, problem=f"{ours.type} and {theirs.type}")


def _numbers(ours: pa.Array, theirs: pa.Array) -> _Pair:
    if pa.types.is_integer(ours.type) and pa.types.is_integer(theirs.type):
        return _Pair(_cast(ours, pa.decimal128(38, 0)), _cast(theirs, pa.decimal128(38, 0)), exact=True)  # unsigned ones fit, too
    if pa.types.is_floating(ours.type) or pa.types.is_floating(theirs.type):
        # What an engine rounded to a decimal may be off by half a unit of its last place.
        rounded = [array.type.scale for array in (ours, theirs) if pa.types.is_decimal(array.type)]
        unit = 0.5 * 10.0 ** -rounded[0] if rounded else 0.0
        return _Pair(_cast(ours, pa.float64()), _cast(theirs, pa.float64()), exact=False, unit=unit)
    if _scale(ours) == _scale(theirs) or not (pa.types.is_decimal(ours.type) and pa.types.is_decimal(theirs.type)):
        scale = max(_scale(ours), _scale(theirs))
        common = pa.decimal256(76, scale)
        return _Pair(_cast(ours, common), _cast(theirs, common), exact=True)
    scale = min(_scale(ours), _scale(theirs))
    left, right = (pc.round(_wide(array), scale, round_mode="half_towards_infinity") for array in (ours, theirs))
    return _Pair(_cast(left, pa.decimal256(76, scale)), _cast(right, pa.decimal256(76, scale)), exact=True)


def _wide(array: pa.Array) -> pa.Array:
    return _cast(array, pa.decimal256(76, _scale(array)))


def _scale(array: pa.Array) -> int:
    """Digits behind the point."""
    return int(array.type.scale) if pa.types.is_decimal(array.type) else 0


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind))


def _is_moment(kind: pa.DataType) -> bool:
    return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))


_COMMON: tuple[tuple[Callable[[pa.DataType], bool], pa.DataType], ...] = (
    (_is_text, pa.string()),
    (_is_bytes, pa.binary()),
    (pa.types.is_boolean, pa.bool_()),
    (pa.types.is_date, pa.date32()),
)


def _cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    return array if array.type == kind else array.cast(kind, safe=False) if pa.types.is_floating(kind) else array.cast(kind)


def _moments(array: pa.Array) -> pa.Array:
    return array.cast(pa.timestamp("us", tz=array.type.tz if pa.types.is_timestamp(array.type) else None)).cast(pa.int64())


def _as_text(array: pa.Array) -> pa.Array:
    """Of nested types: few rows have them, and Python's own text of a value is the same for equal values."""
    return pa.array([None if value is None else repr(value) for value in array.to_pylist()], pa.string())


def _sorted(pairs: Sequence[_Pair]) -> list[_Pair]:
    """By the exact columns first: two neighbours that differ by a tolerance must not change places before others."""
    order = sorted(range(len(pairs)), key=lambda index: not pairs[index].exact)
    if not order:
        return []
    ours, theirs = (
        pc.sort_indices(
            pa.table([_sortable(getattr(pairs[index], side)) for index in order], [str(place) for place in range(len(order))]),
            sort_keys=[(str(place), "ascending") for place in range(len(order))],
        )
        for side in ("ours", "theirs")
    )
    return [_Pair(pair.ours.take(ours), pair.theirs.take(theirs), pair.exact, pair.unit) for pair in pairs]


def _sortable(array: pa.Array) -> pa.Array:
    return array.cast(pa.float64()) if pa.types.is_decimal256(array.type) else array


def _differences(pair: _Pair, index: int, name: str, tolerance: float) -> list[str]:
    same = _same(pair, tolerance)
    places = pc.indices_nonzero(pc.invert(same)).slice(0, _SHOWN).to_pylist()
    return [
        f"column {index + 1} ({name}), row {place + 1}: {pair.ours[place].as_py()!r} and {pair.theirs[place].as_py()!r}"
        for place in places
    ]


def _same(pair: _Pair, tolerance: float) -> pa.Array:
    both_null = pc.and_(pc.is_null(pair.ours), pc.is_null(pair.theirs))
    if pair.exact:
        return pc.or_(both_null, pc.fill_null(pc.equal(pair.ours, pair.theirs), False))
    left, right = pair.ours, pair.theirs
    size = pc.max_element_wise(pc.abs(left), pc.abs(right))
    # A hair more than the unit: a decimal's value is none of a binary fraction.
    bound = pc.add(pc.multiply(size, tolerance), pair.unit * 1.000001)
    near = pc.less_equal(pc.abs(pc.subtract(left, right)), bound)
    alike = pc.or_(pc.equal(left, right), pc.and_(pc.is_nan(left), pc.is_nan(right)))
    return pc.or_(both_null, pc.or_(pc.fill_null(near, False), pc.fill_null(alike, False)))
