"""What the engines' answers to one query are worth: only one that another engine gave, too, and that has rows, is a pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

import pyarrow as pa

from sqe.bench.answers import Comparison, compare
from sqe.bench.suites.suite import Query


class Verdict(Enum):
    OK = "ok"  # equal to another engine's, not empty
    VACUOUS = "vacuous"  # equal and empty: says nothing
    DIFFERENT = "different"
    ALONE = "alone"  # nobody to compare with
    FAILED = "failed"
    SKIPPED = "skipped"  # the engine has no words for it


@dataclass(frozen=True)
class Judged:
    verdict: Verdict
    why: tuple[str, ...] = ()


def judge(query: Query, answers: Mapping[str, pa.Table]) -> dict[str, Judged]:
    """Answers that are equal form a camp. Engines outside the largest one differ; when two are the largest, nobody is right."""
    camps: list[list[str]] = []
    differences: dict[str, tuple[str, ...]] = {}
    for name, table in answers.items():
        for camp in camps:
            seen = compared(query, table, answers[camp[0]])
            if seen.equal:
                camp.append(name)
                break
            differences.setdefault(name, tuple(f"{name} and {camp[0]}: {text}" for text in seen.differences))
        else:
            camps.append([name])
    if len(answers) == 1:
        return {name: Judged(Verdict.ALONE) for name in answers}
    largest = max(map(len, camps), default=0)
    right = [camp for camp in camps if len(camp) == largest and largest > 1]
    winners = right[0] if len(right) == 1 else []
    told = next(iter(differences.values()), ())
    return {
        name: Judged(_of(table)) if name in winners else Judged(Verdict.DIFFERENT, differences.get(name, told))
        for name, table in answers.items()
    }


def compared(query: Query, ours: pa.Table, theirs: pa.Table) -> Comparison:
    if query.any_rows:
        shapes = (ours.num_rows, ours.num_columns), (theirs.num_rows, theirs.num_columns)
        return Comparison(() if shapes[0] == shapes[1] else (f"rows and columns: {shapes[0]} and {shapes[1]}",))
    return compare(ours, theirs, ordered=query.ordered, tolerance=query.tolerance)


def _of(table: pa.Table) -> Verdict:
    return Verdict.OK if _says_something(table) else Verdict.VACUOUS


def _says_something(table: pa.Table) -> bool:
    """A single row of NULLs and zeros is what an aggregate makes of no rows."""
    if table.num_rows != 1:
        return bool(table.num_rows > 0)
    return bool(any(column[0].as_py() not in (None, 0) for column in table.columns))
