"""Random numbers by position: every column has its own sequence, and the number of any row can be asked for alone.

SplitMix64 (Steele, Lea, Flood 2014) as a counter-based generator, in whole numbers only. numpy's own distributions may change
between its versions, and logarithms differ in their last bit between machines; here a row is the same everywhere, in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from math import gcd

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]
Bits = npt.NDArray[np.uint64]

_STEP, _FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def splitmix64(seed: np.uint64, places: Numbers) -> Bits:
    """The numbers at these places of the sequence that begins with `seed`; the first is at 1."""
    mixed = places.astype(np.uint64)
    mixed *= _STEP
    mixed += seed
    mixed ^= mixed >> np.uint64(30)
    mixed *= _FIRST
    mixed ^= mixed >> np.uint64(27)
    mixed *= _SECOND
    mixed ^= mixed >> np.uint64(31)
    return mixed


class Draw:
    """The random numbers of one column, named so that no two columns share them: `ssb.customer.city`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._key = np.uint64(int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little"))

    def bits(self, rows: Numbers) -> Bits:
        return splitmix64(self._key, rows)

    def below(self, rows: Numbers, limit: int | Numbers) -> Numbers:
        """Even in 0 … limit - 1; a limit has at most 32 bits."""
        scaled = (self.bits(rows) >> np.uint64(32)) * np.asarray(limit, dtype=np.uint64)
        return (scaled >> np.uint64(32)).astype(np.int64)

    def between(self, rows: Numbers, low: int, high: int) -> Numbers:
        """Even in low … high, both included."""
        return self.below(rows, high - low + 1) + low

    def share(self, rows: Numbers, percent: float) -> Truths:
        """True for so many rows of a hundred."""
        return self.below(rows, 1_000_000) < round(percent * 10_000)

    def weighted(self, rows: Numbers, weights: Sequence[int]) -> Numbers:
        """Positions in `weights`, as often as they say; their sum is a few thousand at most."""
        places = np.repeat(np.arange(len(weights), dtype=np.int64), weights)
        return places[self.below(rows, len(places))]

    def skewed(self, rows: Numbers, count: int) -> Numbers:
        """Zipf's law in 0 … count - 1: 0 is the most frequent, place n is met 1/(n + 1) times as often."""
        bounds = _harmonic(count)
        at = (self.bits(rows) >> np.uint64(11)).astype(np.float64) * (2.0**-53 * float(bounds[-1]))
        return np.minimum(np.searchsorted(bounds, at, side="right"), count - 1).astype(np.int64)


@lru_cache(maxsize=32)
def _harmonic(count: int) -> npt.NDArray[np.float64]:
    # Division and a running sum are exact to the bit on every machine; powers and logarithms are not.
    return np.cumsum(1.0 / np.arange(1, count + 1, dtype=np.float64))


def scattered(rows: Numbers, count: int) -> Numbers:
    """Another order of 0 … count - 1: neighbours are far apart, and every number is met once."""
    step = max(int(count * 0.6180339887), 1)
    while gcd(step, count) != 1:
        step += 1
    return (rows * step + count // 3) % count


class FanOut:
    """How many lines each parent has, `low` to `high` equally often, so that any line knows its parent without its predecessors.

    Parents come in groups that have each number of lines once, in an order of their own: the sum of a group is always the same.
    """

    _ORDERS = 64

    def __init__(self, name: str, low: int, high: int) -> None:
        self._draw = Draw(f"{name}.order")
        self._members = high - low + 1
        self.group = (low + high) * self._members // 2
        shuffle = Draw(f"{name}.shuffle").bits(np.arange(self._ORDERS * self._members)).reshape(self._ORDERS, self._members)
        sizes = np.argsort(shuffle, axis=1, kind="stable").astype(np.int64) + low
        self._sizes = sizes
        self._first = np.cumsum(sizes, axis=1) - sizes
        every = np.arange(self.group)
        self._member = np.stack([np.searchsorted(np.cumsum(one), every, side="right") for one in sizes]).astype(np.int64)

    def lines(self, parents: int) -> int:
        whole, rest = divmod(parents, self._members)
        if not rest:
            return whole * self.group
        return whole * self.group + int(self._first[self._order(np.array([whole]))[0], rest])

    def sizes(self, parents: Numbers) -> Numbers:
        """Lines of each parent."""
        return self._sizes[self._order(parents // self._members), parents % self._members]

    def first(self, parents: Numbers) -> Numbers:
        """The first line of each parent."""
        group = parents // self._members
        return group * self.group + self._first[self._order(group), parents % self._members]

    def of(self, lines: Numbers) -> tuple[Numbers, Numbers]:
        """The parent of each line, and the line's number in it, from 0."""
        group, place = lines // self.group, lines % self.group
        order = self._order(group)
        member = self._member[order, place]
        return group * self._members + member, place - self._first[order, member]

    def _order(self, group: Numbers) -> Numbers:
        return self._draw.below(group, self._ORDERS)
