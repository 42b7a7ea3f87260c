"""What all random expressions are made with: columns of a kind, and a choice of them."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

Make = Callable[[int], str]

SIGNS = ["=", "<>", "<", "<=", ">", ">="]


class Kinds(ABC):
    """Each maker takes the depth that is left and gives SQL of its kind."""

    def __init__(self, draw: random.Random, names: Mapping[str, str]) -> None:
        self.draw = draw
        self._names = names
        self.alias = ""

    @abstractmethod
    def whole(self, depth: int) -> str: ...

    @abstractmethod
    def decimal(self, depth: int) -> str: ...

    @abstractmethod
    def double(self, depth: int) -> str: ...

    @abstractmethod
    def text(self, depth: int) -> str: ...

    @abstractmethod
    def day(self, depth: int) -> str: ...

    @abstractmethod
    def moment(self, depth: int) -> str: ...

    @abstractmethod
    def condition(self, depth: int) -> str:
        """May fail."""

    @abstractmethod
    def total(self, depth: int) -> str:
        """A condition that never fails."""

    def column(self, *kinds: str) -> str:
        return self.alias + self._names[self.draw.choice(kinds)]

    def any_column(self) -> str:
        return self.column("t", "h", "i", "l", "d", "e", "w", "z", "x", "g", "s", "u", "b", "day", "far", "at", "here", "n", "v")

    def number(self, least: int, most: int) -> str:
        return str(self.draw.randint(least, most))

    def one(self, *choices: str | Callable[[], str]) -> str:
        """One of them; those that are made are made only when chosen."""
        chosen = self.draw.choice(choices)
        return chosen if isinstance(chosen, str) else chosen()

    def ends(self, depth: int) -> bool:
        return depth <= 0 or self.draw.random() < 0.3

    def truth(self, depth: int) -> str:
        return self.one(lambda: self.total(depth), lambda: self.condition(depth))

    def chosen(self, make: Make, depth: int) -> str:
        left = depth - 1
        return self.one(
            lambda: f"CASE WHEN {self.total(left)} THEN {make(left)} ELSE {make(left)} END",
            lambda: f"CASE WHEN {self.total(1)} THEN {make(left)} WHEN {self.condition(left)} THEN {make(left)} END",
            lambda: f"CASE {self.column('i', 't')} WHEN 1 THEN {make(left)} WHEN 2 THEN {make(left)} ELSE {make(left)} END",
            lambda: f"coalesce({make(left)}, {make(left)})",
            lambda: f"nvl({make(left)}, {make(left)})",
            lambda: f"nullif({make(left)}, {make(left)})",
            lambda: f"nvl2({self.any_column()}, {make(left)}, {make(left)})",
            lambda: f"if({self.total(left)}, {make(left)}, NULL)",
        )
