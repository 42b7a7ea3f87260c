"""What a benchmark promises and what it measured: one JSON line a figure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Bound(Enum):
    AT_MOST = "at most"
    EXACTLY = "exactly"


@dataclass(frozen=True)
class Declared:
    """One figure. With a peer the target is for the ratio ours / peer, without one for our own value."""

    name: str
    what: str
    target: float
    unit: str
    peer: str = ""  # what we are compared with
    bound: Bound = Bound.AT_MOST

    def measured(self, ours: float, peer: float | None = None) -> Figure:
        if (peer is None) != (not self.peer):
            raise ValueError(f"{self.name} is declared {'with' if self.peer else 'without'} a peer")
        return Figure(self, ours, peer)


@dataclass(frozen=True)
class Figure:
    declared: Declared
    ours: float
    peer: float | None

    @property
    def ratio(self) -> float | None:
        if self.peer is None:
            return None
        return self.ours / self.peer if self.peer else float("inf")

    @property
    def ok(self) -> bool:
        value = self.ours if self.ratio is None else self.ratio
        return value == self.declared.target if self.declared.bound is Bound.EXACTLY else value <= self.declared.target

    def json(self) -> str:
        line: dict[str, Any] = {
            "name": self.declared.name,
            "ours": rounded(self.ours),
            "peer": rounded(self.peer),
            "ratio": rounded(self.ratio),
            "target": self.declared.target,
            "ok": self.ok,
        }
        return json.dumps(line)

    def sentence(self) -> str:
        declared = self.declared
        text = f"{declared.name}: {rounded(self.ours):,} {declared.unit}".rstrip()
        if self.peer is not None:
            text += f", {declared.peer} {rounded(self.peer):,} {declared.unit}".rstrip() + f", ratio {rounded(self.ratio)}"
        return f"{text} ({declared.bound.value} {declared.target:g}: {'ok' if self.ok else 'MISSED'})"


def rounded(value: float | None) -> Any:
    """Four significant digits; whole numbers stay whole. JSON has no infinity: a peer of zero gives no ratio to show."""
    if value is None or value == float("inf"):
        return None
    return int(value) if float(value).is_integer() else float(f"{value:.4g}")
