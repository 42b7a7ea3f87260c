"""The driver's heap as it is really held: after a collection."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqe.bench.benchmark import BenchmarkError

if TYPE_CHECKING:
    from sqe.engine.driver import Driver, DriverHealth


def after_collection(driver: Driver) -> DriverHealth:
    """Twice, with a pause: Spark's cleaner gives things back after the first one has found them unreachable."""
    for _ in range(2):
        driver.call("collectGarbage")
        time.sleep(0.2)
    driver.call("collectGarbage")
    health = driver.health()
    if health is None:
        raise BenchmarkError("The driver does not answer")
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
