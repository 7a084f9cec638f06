"""A day of the gauge as a diagram: true charge, shown charge, and charge by a single voltage sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

GOAL_POINTS = 3
_WIDTH, _LEFT, _RIGHT = 1100, 76, 24
_INNER = _WIDTH - _LEFT - _RIGHT
_TOP, _HEIGHT = 92, 400
_BELOW, _ERROR_HEIGHT = _TOP + _HEIGHT + 60, 150
_BOTTOM = _BELOW + _ERROR_HEIGHT
_ERROR_LIMIT = 6
_TRUE, _SHOWN, _NAIVE, _CHARGER, _GOAL, _RESET = (
    "#22303c", "#d64545", "#9cc3ec", "#f2d28b", "#2f9e6e", "#7a4fb5",
)  # fmt: skip
_MOST_POINTS = 2200


@dataclass(frozen=True)
class Trace:
    """One day. The sequences have a value for each comparison."""

    hours: Sequence[float]
    truth: Sequence[float]
    """Percent."""
    shown: Sequence[float]
    naive: Sequence[float]
    powered: Sequence[bool]
    """Was the charger connected?"""
    resets: Sequence[tuple[float, str]]
    """(hours, what kind) of every restart of the PMU."""


def picture(day: Trace) -> str:
    """An SVG: above, percent over hours; below, the error in percentage points."""
    span_h = max(day.hours[-1], 1e-6)
    errors = [shown - true for shown, true in zip(day.shown, day.truth, strict=True)]
    names = (
        ("true charge of the simulated cell", _TRUE),
        ("shown by the gauge", _SHOWN),
        ("one voltage sample, for comparison", _NAIVE),
        ("charger connected", _CHARGER),
        ("restart of the PMU", _RESET),
    )
    body = [
        _text(_LEFT, 26, "A simulated day with the battery gauge, from full to the cut-off", size=18),
        *_legend(names),
        *(
            _box(_x(start_h, span_h), _TOP, _x(end_h, span_h), _BOTTOM, _CHARGER, 0.35)
            for start_h, end_h in _powered_intervals(day.hours, day.powered)
        ),
        *_percent_axis(),
        *_error_axis(),
        *_hour_axis(span_h),
        _line(day.hours, day.naive, span_h, _NAIVE, 0.8, _percent_y),
        _line(day.hours, day.truth, span_h, _TRUE, 2.6, _percent_y),
        _line(day.hours, day.shown, span_h, _SHOWN, 1.4, _percent_y),
        _line(day.hours, errors, span_h, _SHOWN, 1.2, _error_y),
        *_resets(day.resets, span_h),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_BOTTOM + 56}" '
        f'viewBox="0 0 {_WIDTH} {_BOTTOM + 56}" font-family="sans-serif" role="img">'
        "<title>Charge shown by the battery gauge and true charge over one simulated day</title>"
        f'<rect width="100%" height="100%" fill="white"/>{"".join(body)}</svg>'
    )


def _x(hour: float, span_h: float) -> float:
    return _LEFT + hour / span_h * _INNER


def _percent_y(percent: float) -> float:
    return _TOP + (1 - percent / 100) * _HEIGHT


def _error_y(points: float) -> float:
    held = min(_ERROR_LIMIT, max(-_ERROR_LIMIT, points))
    return _BELOW + (0.5 - held / (2 * _ERROR_LIMIT)) * _ERROR_HEIGHT


def _line(
    hours: Sequence[float],
    values: Sequence[float],
    span_h: float,
    colour: str,
    width: float,
    y: Callable[[float], float],
) -> str:
    step = max(1, len(values) // _MOST_POINTS)
    points = " ".join(
        f"{_x(hour, span_h):.1f},{y(value):.1f}"
        for hour, value in list(zip(hours, values, strict=True))[::step]
    )
    return f'<polyline fill="none" stroke="{colour}" stroke-width="{width}" points="{points}"/>'


def _legend(names: Sequence[tuple[str, str]]) -> Iterator[str]:
    for index, (name, colour) in enumerate(names):
        x = _LEFT + 205 * index
        yield _box(x, 44, x + 14, 56, colour, 1)
        yield _text(x + 20, 55, name)


def _percent_axis() -> Iterator[str]:
    yield _text(_LEFT, _TOP - 12, "charge, percent of a full one")
    for percent in range(0, 101, 20):
        y = _percent_y(percent)
        yield _rule(y) + _text(_LEFT - 8, y + 4, f"{percent} %", anchor="end")


def _error_axis() -> Iterator[str]:
    yield _text(
        _LEFT,
        _BELOW - 12,
        f"error: shown less true charge, percentage points; green: the goal of {GOAL_POINTS} or less; "
        f"drawn up to {_ERROR_LIMIT}",
    )
    yield _box(_LEFT, _error_y(GOAL_POINTS), _LEFT + _INNER, _error_y(-GOAL_POINTS), _GOAL, 0.15)
    for points in range(-_ERROR_LIMIT, _ERROR_LIMIT + 1, 3):
        y = _error_y(points)
        yield _rule(y) + _text(_LEFT - 8, y + 4, f"{points:+d}" if points else "0", anchor="end")


def _hour_axis(span_h: float) -> Iterator[str]:
    every_h = 1 if span_h <= 18 else 2 if span_h <= 36 else 6
    for hour in range(0, int(span_h) + 1, every_h):
        x = _x(hour, span_h)
        for top, bottom in ((_TOP, _TOP + _HEIGHT), (_BELOW, _BOTTOM)):
            yield f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" stroke="#eef1f5"/>'
        yield _text(x, _BOTTOM + 20, str(hour), anchor="middle")
    yield _text(_LEFT + _INNER / 2, _BOTTOM + 42, "hours since the overnight charge", anchor="middle")


def _resets(resets: Sequence[tuple[float, str]], span_h: float) -> Iterator[str]:
    for hour, kind in resets:
        x = _x(hour, span_h)
        yield (
            f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{_BOTTOM}" stroke="{_RESET}" '
            'stroke-dasharray="4 4"/>'
        )
        yield _text(x + 4, _TOP + 14, kind, colour=_RESET)


def _powered_intervals(hours: Sequence[float], powered: Sequence[bool]) -> Iterator[tuple[float, float]]:
    """(start, end) of every interval with external power."""
    begin_h: float | None = None
    for hour, on in zip(hours, powered, strict=True):
        if on and begin_h is None:
            begin_h = hour
        elif not on and begin_h is not None:
            yield begin_h, hour
            begin_h = None
    if begin_h is not None:
        yield begin_h, hours[-1]


def _box(left: float, top: float, right: float, bottom: float, colour: str, opacity: float) -> str:
    return (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}" '
        f'fill="{colour}" opacity="{opacity}"/>'
    )


def _rule(y: float) -> str:
    return f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_LEFT + _INNER}" y2="{y:.1f}" stroke="#dde3ea"/>'


def _text(
    x: float, y: float, text: str, *, size: int = 12, anchor: str = "start", colour: str = "#445"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">'
        f"{escape(text)}</text>"
    )
