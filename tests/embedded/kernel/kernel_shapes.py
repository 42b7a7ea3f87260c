"""What all random queries are made with: columns, conditions, orders and limits over two tables."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass

from kernel_expressions import Expressions

KEYS = ("i", "t", "l", "s", "d", "e", "w", "day", "b", "x", "at", "here")


@dataclass(frozen=True)
class RandomQuery:
    """`ordered`: its rows are in one order only."""

    text: str
    ordered: bool


class Shapes:
    """Over the tables `left` and `right`, whose columns have the same names."""

    def __init__(self, seed: int, names: Mapping[str, str], left: str, right: str) -> None:
        self.draw = random.Random(seed)
        self.of = Expressions(self.draw, names)
        self.names = names
        self.left, self.right = left, right

    def one(self, *choices: str) -> str:
        return self.draw.choice(choices)

    def name(self, *kinds: str) -> str:
        return self.names[self.draw.choice(kinds)]

    def items(self, fewest: int, most: int, depth: int) -> str:
        return ", ".join(f"{self.of.any(depth)} AS v{n}" for n in range(self.draw.randint(fewest, most)))

    def key(self) -> str:
        """To group or order by: not a number, which would be the place of a column."""
        made = self.of.any(1)
        return self.key() if made.lstrip("-").isdigit() else made

    def more(self) -> str:
        """Columns that are passed on, and never compared."""
        return "".join(f", {self.of.nested()} AS n{n}" for n in range(self.draw.choice([0, 0, 1, 2])))

    def where(self) -> str:
        of = self.of
        return of.one(
            "",
            "",
            lambda: f" WHERE {of.total(2)}",
            lambda: f" WHERE {of.total(1)} OR {of.total(1)}",
            lambda: f" WHERE {of.condition(2)}",
            lambda: f" WHERE {of.both(2)}",
        )

    def direction(self) -> str:
        return self.one("", " DESC", " NULLS LAST", " DESC NULLS FIRST", " ASC NULLS FIRST", " DESC NULLS LAST")

    def limit(self) -> str:
        count, skipped = self.draw.randint(1, 30), self.draw.randint(1, 5)
        return self.one("", f" LIMIT {self.draw.randint(1, 9)}", f" LIMIT {count} OFFSET {skipped}", f" OFFSET {skipped}")
