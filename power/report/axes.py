"""Axes and legends of every diagram: limits, ticks, and what the colours stand for."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def ticks(low: float, high: float, most_steps: int) -> list[float]:
    """Round values from `low` to `high`, at most `most_steps` steps apart."""
    span = high - low
    step = next(
        each * 10.0**power
        for power in range(-6, 9)
        for each in (1, 2, 5)
        if span / (each * 10.0**power) <= most_steps
    )
    first = -int(-low / step + 1e-9) if low < 0 else int(low / step + 1 - 1e-9)
    return [round(n * step, 9) for n in range(first, int(high / step + 1e-9) + 1)]


def axis_limit(largest: float) -> float:
    """A round upper limit for an axis whose largest value is `largest`: at least 4 % above it."""
    return next(
        each * 10.0**power
        for power in range(-3, 7)
        for each in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)
        if each * 10.0**power >= largest * 1.04
    )


def legend(entries: Iterable[tuple[str, str]]) -> str:
    """The legend as HTML, for entries of name and colour."""
    items = "".join(
        f'<span><i style="background:{colour}"></i>{escape(name)}</span>' for name, colour in entries
    )
    return f'<div class="key">{items}</div>'
