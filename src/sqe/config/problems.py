"""What is wrong with a configuration: all of it at once, each with the place to change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Problem(NamedTuple):
    """One sentence and where it comes from: `sqe.toml:12`, an environment variable or a flag."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class ConfigErrors(Exception):
    """The configuration cannot be used; `problems` has every reason found."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


def nearest(name: str, known: Iterable[str]) -> str:
    """` (did you mean 'x'?)`, or nothing when no known name is close."""
    import difflib  # only bad files pay for it

    close = difflib.get_close_matches(name.lower(), list(known), n=1, cutoff=0.6)
    return f" (did you mean {close[0]!r}?)" if close else ""
