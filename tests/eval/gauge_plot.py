"""A day of the gauge as a picture: the truth, what was shown, and what one voltage sample says."""

from __future__ import annotations

from collections.abc import Sequence

_WIDTH, _HEIGHT, _LEFT, _TOP, _ERROR_HEIGHT = 1100, 420, 52, 40, 140
_TRUE, _SHOWN, _NAIVE = "#22303c", "#d64545", "#9cc3ec"


def picture(
    hours: Sequence[float], truth: Sequence[float], shown: Sequence[float], naive: Sequence[float]
) -> str:
    """An SVG: percent over hours above, error of the shown value in points below (its band is the goal)."""
    span_h = max(hours[-1], 1e-6)
    inner = _WIDTH - _LEFT - 20
    below = _TOP + _HEIGHT + 40

    def line(
        values: Sequence[float], colour: str, width: float, top: float, height: float, high: float
    ) -> str:
        step = max(1, len(values) // 2200)
        points = " ".join(
            f"{_LEFT + hour / span_h * inner:.1f},{top + (1 - value / high) * height:.1f}"
            for hour, value in list(zip(hours, values, strict=True))[::step]
        )
        return f'<polyline fill="none" stroke="{colour}" stroke-width="{width}" points="{points}"/>'

    body = []
    for percent in range(0, 101, 20):
        y = _TOP + (1 - percent / 100) * _HEIGHT
        body.append(_rule(y) + _label(12, y + 4, f"{percent} %"))
    for points in (-6, -3, 0, 3, 6):
        y = below + (0.5 - points / 12) * _ERROR_HEIGHT
        body.append(_rule(y) + _label(12, y + 4, f"{points:+d}" if points else "0"))
    band = _ERROR_HEIGHT / 2
    body.append(
        f'<rect x="{_LEFT}" y="{below + band / 2:.1f}" width="{inner}" height="{band:.1f}" fill="#2f9e6e" '
        'opacity="0.15"/>'
    )
    for hour in range(int(span_h) + 1):
        x = _LEFT + hour / span_h * inner
        body.append(_label(x - 6, below + _ERROR_HEIGHT + 22, f"{hour} h"))
    errors = [min(6.0, max(-6.0, a - b)) + 6 for a, b in zip(shown, truth, strict=True)]
    body.append(line(naive, _NAIVE, 0.8, _TOP, _HEIGHT, 100))
    body.append(line(truth, _TRUE, 2.6, _TOP, _HEIGHT, 100))
    body.append(line(shown, _SHOWN, 1.4, _TOP, _HEIGHT, 100))
    body.append(line(errors, _SHOWN, 1.2, below, _ERROR_HEIGHT, 12))
    body.append(_label(_LEFT, below - 8, "error of the shown value, points (band: goal)"))
    names = (("true charge", _TRUE), ("shown by the gauge", _SHOWN), ("one voltage sample", _NAIVE))
    for index, (name, colour) in enumerate(names):
        x = _LEFT + 190 * index
        body.append(
            f'<rect x="{x}" y="12" width="14" height="12" fill="{colour}"/>' + _label(x + 20, 23, name)
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{below + _ERROR_HEIGHT + 36}" '
        f'font-family="sans-serif"><rect width="100%" height="100%" fill="white"/>{"".join(body)}</svg>'
    )


def _rule(y: float) -> str:
    return f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - 20}" y2="{y:.1f}" stroke="#dde3ea"/>'


def _label(x: float, y: float, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="12" fill="#445">{text}</text>'
