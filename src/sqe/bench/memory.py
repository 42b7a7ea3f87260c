"""What an engine holds while a crowd works: what grows for ten minutes is a leak, a heap that fills and is emptied is none."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from sqe.bench.engines.engine import Engine
from sqe.bench.processes import trees

PARTS = 10  # of the time; a part is long enough for a collection of the heap
_LOOKS_A_PART = 30


@dataclass
class Memory:
    """In MB: what its processes hold at the start and at the end of each part, and the least heap in use within each."""

    resident: list[float] = field(default_factory=list)
    heap: list[float] = field(default_factory=list)

    @classmethod
    def watched(cls, engine: Engine, seconds: float) -> Memory:
        """Waits for so long."""
        memory, started = cls([resident_megabytes(engine)]), time.monotonic()
        for part in range(PARTS):
            least: list[float] = []
            for look in range(_LOOKS_A_PART):
                due = started + seconds * (part + (look + 1) / _LOOKS_A_PART) / PARTS
                time.sleep(max(0.0, due - time.monotonic()))
                least += [used for used in [engine.heap_megabytes()] if used is not None]
            memory.resident.append(resident_megabytes(engine))
            memory.heap += [min(least)] if least else []
        return memory

    @property
    def growth(self) -> float | None:
        """Of what the heap holds, from the second fifth of the time to the last: the first one fills caches."""
        if len(self.heap) < PARTS:
            return None
        fifth = PARTS // 5
        return min(self.heap[-fifth:]) / min(self.heap[fifth : 2 * fifth])

    def json(self) -> dict[str, Any]:
        growth = self.growth
        return {
            "resident_mb": [round(value) for value in self.resident],
            "heap_mb": [round(value) for value in self.heap],
            "heap_growth": None if growth is None else round(growth, 3),
        }


def resident_megabytes(engine: Engine) -> float:
    return float(sum(process.memory_info().rss for process in trees(engine.processes()))) / (1 << 20)
