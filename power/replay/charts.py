"""Line charts over a day, and a scatter with a path, as inline SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from power.report.axes import ticks

_LEFT, _RIGHT, _TOP, _FOOT = 62, 18, 26, 34
Point = tuple[float, float]


@dataclass(frozen=True)
class Series:
    """One line, or a cloud of dots."""

    name: str
    colour: str
    points: Sequence[Point]
    step: bool = False
    """Draw steps: a value holds until the next point."""
    dots: bool = False
    """Dots instead of a line."""
    both: bool = False
    """A line with a dot at each point."""
    radius: float = 4.5
    """Radius of its dots."""
    ring: bool = False
    """Hollow dots, which do not cover those under them."""
    notes: Sequence[str] = ()
    """Tooltip of each point."""


@dataclass(frozen=True)
class Axis:
    """One axis: its title with the unit, and the values it spans."""

    title: str
    low: float
    high: float
    clock_from_h: float | None = None
    """Seconds of a day, to be shown as the hour of the clock."""


def chart(
    series: Sequence[Series], x: Axis, y: Axis, *, label: str, width: int = 1100, height: int = 190
) -> str:
    """The SVG; `label` says in words what it shows."""
    plot_w, foot = width - _LEFT - _RIGHT, _TOP + height

    def at(point: Point) -> tuple[float, float]:
        return (
            _LEFT + plot_w * (point[0] - x.low) / (x.high - x.low),
            foot - height * (point[1] - y.low) / (y.high - y.low),
        )

    body = []
    for value in ticks(y.low, y.high, 5):
        _, top = at((x.low, value))
        body.append(
            f'<line x1="{_LEFT}" x2="{width - _RIGHT}" y1="{top:.1f}" y2="{top:.1f}" stroke="#dde3ea"/>'
            f'<text x="{_LEFT - 8}" y="{top + 4:.1f}" text-anchor="end" class="a">{value:g}</text>'
        )
    for value, text in _x_ticks(x):
        left, _ = at((value, y.low))
        body.append(
            f'<line x1="{left:.1f}" x2="{left:.1f}" y1="{foot}" y2="{foot + 5}" stroke="#8b96a3"/>'
            f'<text x="{left:.1f}" y="{foot + 18}" text-anchor="middle" class="a">{text}</text>'
        )
    body.append(f'<line x1="{_LEFT}" x2="{width - _RIGHT}" y1="{foot}" y2="{foot}" stroke="#8b96a3"/>')
    body.append(f'<text x="4" y="{_TOP - 10}" class="t">{escape(y.title)}</text>')
    body.append(
        f'<text x="{width - _RIGHT}" y="{foot + 31}" text-anchor="end" class="a">{escape(x.title)}</text>'
    )
    for each in series:
        body.append(_drawn(each, at))
    return _svg(width, foot + _FOOT, label, body)


def lanes(
    rows: Sequence[tuple[str, Sequence[tuple[float, float, str, str]]]],
    x: Axis,
    *,
    label: str,
    width: int = 1100,
) -> str:
    """One lane per name with (start, end, colour, what) blocks."""
    plot_w, body, row_h = width - _LEFT - _RIGHT, [], 22
    for number, (name, blocks) in enumerate(rows):
        top = 6 + number * row_h
        body.append(f'<text x="{_LEFT - 8}" y="{top + 13}" text-anchor="end" class="a">{escape(name)}</text>')
        for start, end, colour, what in blocks:
            left = _LEFT + plot_w * (start - x.low) / (x.high - x.low)
            wide = plot_w * (end - start) / (x.high - x.low)
            body.append(
                f'<rect x="{left:.1f}" y="{top}" width="{max(0.6, wide):.1f}" height="{row_h - 5}" '
                f'fill="{colour}"><title>{escape(what)}</title></rect>'
            )
    foot = 6 + len(rows) * row_h
    for value, text in _x_ticks(x):
        left = _LEFT + plot_w * (value - x.low) / (x.high - x.low)
        body.append(f'<text x="{left:.1f}" y="{foot + 12}" text-anchor="middle" class="a">{text}</text>')
    return _svg(width, foot + 18, label, body)


def _x_ticks(x: Axis) -> list[tuple[float, str]]:
    if x.clock_from_h is None:
        return [(value, f"{value:g}") for value in ticks(x.low, x.high, 10)]
    first = math.ceil(x.clock_from_h + x.low / 3600)
    last = math.floor(x.clock_from_h + x.high / 3600)
    return [((hour - x.clock_from_h) * 3600, f"{hour % 24}:00") for hour in range(first, last + 1, 2)]


def _drawn(series: Series, at) -> str:  # type: ignore[no-untyped-def]
    spots = [at(point) for point in series.points]
    parts = []
    if not series.dots and spots:
        path = [f"M{spots[0][0]:.1f} {spots[0][1]:.1f}"]
        for left, top in spots[1:]:
            path.append(f"H{left:.1f}V{top:.1f}" if series.step else f"L{left:.1f} {top:.1f}")
        parts.append(
            f'<path d="{"".join(path)}" fill="none" stroke="{series.colour}" stroke-width="2" '
            f'stroke-linejoin="round"/>'
        )
    if series.dots or series.both:
        fill = (
            f'fill="none" pointer-events="all" stroke="{series.colour}" '
            f'stroke-width="{series.radius / 4:.1f}"'
            if series.ring
            else f'fill="{series.colour}" fill-opacity="0.8"'
        )
        for index, (left, top) in enumerate(spots):
            note = series.notes[index] if index < len(series.notes) else ""
            title = f"<title>{escape(note)}</title>" if note else ""
            parts.append(
                f'<circle cx="{left:.1f}" cy="{top:.1f}" r="{series.radius}" {fill}>{title}</circle>'
            )
    return "".join(parts)


def _svg(width: int, height: int, label: str, body: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}" '
        f'xmlns="http://www.w3.org/2000/svg"><style>.a{{font:12px system-ui,sans-serif;fill:#5b6876}}'
        f".t{{font:600 12px system-ui,sans-serif;fill:#1d2630}}</style>{''.join(body)}</svg>"
    )
