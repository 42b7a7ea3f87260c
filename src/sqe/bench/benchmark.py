"""The shape of a benchmark: a name, the figures it promises, its options, and the function that measures them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sqe.bench.figures import Declared, Figure


class BenchmarkError(Exception):
    """Nothing could be measured; the message is one sentence."""


@dataclass(frozen=True)
class Option:
    """A whole number that one benchmark takes."""

    name: str
    default: int
    what: str


@dataclass(frozen=True)
class Run:
    """One call of a benchmark: where it keeps its tables, and its options' values."""

    folder: Path
    options: argparse.Namespace

    def say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Benchmark:
    name: str
    what: str
    figures: tuple[Declared, ...]
    options: tuple[Option, ...]
    measure: Callable[[Run], Iterator[Figure]]


def fewest(name: str, values: list[float]) -> float:
    """The minimum: what the work costs when the machine does nothing else meanwhile."""
    print(f"  {name}: {', '.join(f'{value:.3f}' for value in values)}", file=sys.stderr, flush=True)
    return min(values)
