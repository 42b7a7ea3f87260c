"""How busy the machine was with other things while engines were measured."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

# Of all cores' time. Above these, figures are told as those of a loaded machine.
FOREIGN_SHARE = 0.10
STEAL_SHARE = 0.03


@dataclass(frozen=True)
class Noise:
    load_before: float
    load_after: float
    foreign_share: float  # of the cores' time, used by processes that are neither engines nor the harness
    steal_share: float  # taken by the machine below this virtual one
    seconds: float

    @property
    def loaded(self) -> bool:
        return self.foreign_share > FOREIGN_SHARE or self.steal_share > STEAL_SHARE

    def json(self) -> dict[str, Any]:
        return {**{key: round(value, 4) for key, value in asdict(self).items()}, "loaded": self.loaded}

    def sentence(self) -> str:
        share = f"{100 * self.foreign_share:.0f} % of the cores' time went to other processes"
        return f"LOADED MACHINE: {share}; compare ratios only" if self.loaded else f"the machine was quiet: {share}"


class Watch:
    """From its making to `read`; `own_cpu` tells the CPU-seconds of the engines so far."""

    def __init__(self, own_cpu: Callable[[], float]) -> None:
        self._own_cpu = own_cpu
        self._load = os.getloadavg()[0]
        self._started, self._at_start = time.monotonic(), self._used()

    def read(self) -> Noise:
        seconds = max(time.monotonic() - self._started, 1e-3)
        busy, steal, own = (after - before for after, before in zip(self._used(), self._at_start, strict=True))
        cores_seconds = seconds * (os.cpu_count() or 1)
        return Noise(
            self._load, os.getloadavg()[0], max(busy - own, 0.0) / cores_seconds, max(steal, 0.0) / cores_seconds, seconds
        )

    def _used(self) -> tuple[float, float, float]:
        """CPU-seconds since ever: busy, stolen, and of those that are measured (the harness is `os.times`)."""
        import psutil

        times = psutil.cpu_times()
        idle = times.idle + getattr(times, "iowait", 0.0)
        steal = getattr(times, "steal", 0.0)
        # A guest's time is part of `user` already.
        total = sum(times) - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)
        harness = os.times()
        return total - idle - steal, steal, self._own_cpu() + harness.user + harness.system


def machine() -> dict[str, Any]:
    import psutil

    return {
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / (1 << 30), 1),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
    }
