"""The driver's heap as it is really held: after a collection."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.bench.benchmark import BenchmarkError

if TYPE_CHECKING:
    from sqe.engine.driver import Driver, DriverHealth


def after_collection(driver: Driver) -> DriverHealth:
    """The least of a few readings. Spark's cleaner gives things back after a first collection has found them unreachable, and
    what other threads have just made counts as held in some of them (50 MB were seen)."""
    return min((_collected(driver) for _ in range(4)), key=lambda health: health.heap_used)


def _collected(driver: Driver) -> DriverHealth:
    driver.call("collectGarbage")
    health = driver.health()
    if health is None:
        raise BenchmarkError("The driver does not answer")
    time.sleep(0.1)
    return health


def held_megabytes(driver: Driver) -> float:
    return after_collection(driver).heap_used / (1 << 20)


@dataclass(frozen=True)
class Held:
    """MB in the end, and at the worst moment before it."""

    stable: float
    largest: float


def when_stable(driver: Driver, *, within: float = 2.0, samples: int = 4, seconds: float = 120.0) -> Held:
    """Looks until that many samples in a row differ by less than `within` MB."""
    taken: list[float] = []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        taken.append(held_megabytes(driver))
        recent = taken[-samples:]
        if len(recent) == samples and max(recent) - min(recent) < within:
            return Held(max(recent), max(taken))
        time.sleep(1)
    raise BenchmarkError(f"The driver's heap was still moving after {seconds:.0f} s")
