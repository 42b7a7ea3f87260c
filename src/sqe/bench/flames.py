"""A flame graph of folded stacks as inline SVG: width is time, callees stand on their callers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape

_WIDTH, _ROW = 1400.0, 15
_NARROWEST = 0.7  # below a pixel nobody sees anything


@dataclass
class _Frame:
    name: str
    count: int = 0
    callees: dict[str, _Frame] = field(default_factory=dict)


def flame_graph(stacks: Mapping[str, int]) -> str:
    root = _Frame("all")
    for stack, count in stacks.items():
        root.count += count
        frame = root
        for name in stack.split(";"):
            frame = frame.callees.setdefault(name, _Frame(name))
            frame.count += count
    parts: list[str] = []
    depth = _draw(root, 0.0, 0, _WIDTH / max(root.count, 1), root.count, parts)
    height = (depth + 1) * _ROW + 4
    size = f"0 0 {_WIDTH:.0f} {height}"
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" font-family="monospace">{"".join(parts)}</svg>'


def _draw(frame: _Frame, x: float, depth: int, scale: float, total: int, parts: list[str]) -> int:
    """The deepest row that was drawn."""
    width = frame.count * scale
    if width < _NARROWEST:
        return depth
    y = depth * _ROW
    tip = f"{frame.name}: {100 * frame.count / max(total, 1):.1f} %"
    parts.append(
        f'<g><title>{escape(tip)}</title><rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_ROW - 1}" '
        f'fill="{_colour(frame.name)}"/>{_label(frame.name, x, y, width)}</g>'
    )
    deepest = depth
    for callee in sorted(frame.callees.values(), key=lambda one: one.name):
        deepest = max(deepest, _draw(callee, x, depth + 1, scale, total, parts))
        x += callee.count * scale
    return deepest


def _label(name: str, x: float, y: float, width: float) -> str:
    short = ".".join(name.split(".")[-2:])
    letters = int(width / 6.5)
    return f'<text x="{x + 2:.1f}" y="{y + 11}" font-size="10">{escape(short[:letters])}</text>' if letters > 3 else ""


def _colour(name: str) -> str:
    """By package, so that one sees who it is."""
    for prefix, colour in (
        ("org.apache.spark.sql.sqe", "#8ecae6"),
        ("org.apache.spark", "#f4a261"),
        ("org.apache.iceberg", "#90be6d"),
        ("org.apache.parquet", "#90be6d"),
        ("java", "#e9c46a"),
    ):
        if name.startswith(prefix):
            return colour
    return "#d9d9d9"
