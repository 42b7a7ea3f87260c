"""Plots as inline SVG: bars by query and by engine, lines over time. No script, nothing from the network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

COLOURS = ("#1f6feb", "#d29922", "#2da44e", "#cf222e", "#8250df", "#57606a")

_WIDTH, _LEFT, _RIGHT = 920, 110, 60


def bars(title: str, rows: Mapping[str, Mapping[str, float]], unit: str) -> str:
    """One group of horizontal bars a row, one bar a series; all start at zero."""
    series = _series(rows)
    most = max((value for row in rows.values() for value in row.values()), default=0.0) or 1.0
    height, group, y = 9, 9 * len(series) + 8, 46
    parts = [_legend(series)]
    for name, row in rows.items():
        parts.append(_text(_LEFT - 8, y + group / 2, name, "end"))
        for index, engine in enumerate(series):
            if engine in row:
                width = (_WIDTH - _LEFT - _RIGHT) * row[engine] / most
                top = y + index * height
                tip = f"{name}, {engine}: {row[engine]:.3f} {unit}"
                parts.append(
                    f'<rect x="{_LEFT}" y="{top}" width="{max(width, 1):.1f}" height="{height - 1}" fill="{_colour(index)}">'
                    f"<title>{escape(tip)}</title></rect>"
                )
                parts.append(_text(_LEFT + width + 4, top + height - 1, f"{row[engine]:.3g}", "start", 8))
        y += group
    return _figure(title, y + 8, parts)


def lines(title: str, points: Mapping[str, Sequence[tuple[str, float]]], unit: str) -> str:
    """One line a series, over moments that all share, in the order of time."""
    moments = sorted({moment for series in points.values() for moment, _ in series})
    most = max((value for series in points.values() for _, value in series), default=0.0) or 1.0
    bottom, top = 220, 50
    place = {moment: _LEFT + (_WIDTH - _LEFT - _RIGHT) * index / max(len(moments) - 1, 1) for index, moment in enumerate(moments)}
    parts = [_legend(list(points)), _text(_LEFT - 8, top + 4, f"{most:.3g} {unit}", "end"), _text(_LEFT - 8, bottom, "0", "end")]
    for index, series in enumerate(points.values()):
        spots = [(place[moment], bottom - (bottom - top) * value / most, moment, value) for moment, value in series]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _, _ in spots)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{_colour(index)}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_colour(index)}"><title>{escape(moment)}: {value:.3f} {unit}'
            "</title></circle>"
            for x, y, moment, value in spots
        ]
    for moment in (moments[0], moments[-1]) if moments else ():
        parts.append(_text(place[moment], bottom + 16, moment[:16], "middle"))
    return _figure(title, bottom + 28, parts)


def _series(rows: Mapping[str, Mapping[str, float]]) -> list[str]:
    return list(dict.fromkeys(engine for row in rows.values() for engine in row))


def _legend(series: Sequence[str]) -> str:
    parts, x = [], float(_LEFT)
    for index, name in enumerate(series):
        parts.append(f'<rect x="{x}" y="26" width="10" height="10" fill="{_colour(index)}"/>')
        parts.append(_text(x + 14, 35, name, "start"))
        x += 32 + 7 * len(name)
    return "".join(parts)


def _figure(title: str, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        f'<text x="8" y="16" class="title">{escape(title)}</text>{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, text: str, anchor: str, size: int = 11) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'


def _colour(index: int) -> str:
    return COLOURS[index % len(COLOURS)]
