"""Power over time as inline SVG, with the states and stages of the headband on the same time axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from power.report.axes import axis_limit, legend, ticks
from power.report.mode_colours import MODE_COLOURS

STATES = {
    "asleep": "#2b3440",
    "dozing": "#7b8794",
    "changing": "#efe3c2",
    "standby": "#c3ccd6",
    "listening": "#4c9be8",
    "thinking": "#f0a63c",
    "speaking": "#3aa76d",
    "follow_up": "#8fc7f5",
    "fault": "#d64545",
    "stopping": "#2b3440",
}
STAGES = {
    "stt": "#2d6cc0",
    "vision": "#8f5bd0",
    "recall": "#b08be0",
    "text": "#6f7fd6",
    "reflex": "#c2408c",
    "motion": "#5f3fa0",
    "memory": "#8a6a4a",
    "llm": "#d9731a",
    "tts": "#128577",
    "speak": "#3aa76d",
    "load": "#d8a800",
    "capture": "#7d8a99",
}
_BAND_OPACITY = 0.15
"""Opacity of a mode's colour behind the curve."""
_UNKNOWN = "#8b96a3"
_ROW = 16
_LEFT, _RIGHT, _TOP, _FOOT = 62, 12, 24, 26


def power_chart(view: Mapping[str, Any], *, width: int = 1100, height: int = 230, named: bool = True) -> str:
    """The SVG of one view of `power.rig.drawing_data`. `named`: write the modes above it."""
    length_s = view["length_s"] or 1.0
    lanes = [name for name in STAGES if any(_lane(stage) == name for stage in view["stages"])]
    plot_w = width - _LEFT - _RIGHT
    top_mw = axis_limit(max(view["high_mw"], default=1.0))
    foot = _TOP + height
    first_lane = 2 if view["questions"] else 1
    total = foot + 8 + (first_lane + len(lanes)) * _ROW + _FOOT

    def x(seconds: float) -> float:
        return _LEFT + plot_w * seconds / length_s

    def y(mw: float) -> float:
        return foot - height * mw / top_mw

    body = [_mode_bands(view["states"], x, foot, named)]
    body += [
        f'<line x1="{_LEFT}" x2="{width - _RIGHT}" y1="{y(mw):.1f}" y2="{y(mw):.1f}" stroke="#dde3ea"/>'
        f'<text x="{_LEFT - 8}" y="{y(mw) + 4:.1f}" text-anchor="end" class="a">{mw:g}</text>'
        for mw in ticks(0.0, top_mw, 5)
    ]
    body.append(f'<text x="{_LEFT - 8}" y="{_TOP - 9}" text-anchor="end" class="a">mW</text>')
    body.append(_curve(view, x, y, length_s))
    body += [
        f'<text x="{x(second):.1f}" y="{total - 8}" text-anchor="middle" class="a">{second:g} s</text>'
        f'<line x1="{x(second):.1f}" x2="{x(second):.1f}" y1="{foot}" y2="{total - _FOOT + 4}" '
        f'stroke="#dde3ea"/>'
        for second in ticks(0.0, length_s, width // 90)
    ]
    lane_y = foot + 8
    body.append(_row("state", lane_y))
    body += [_block(x, s, lane_y, STATES.get(s[1], "#999"), s[1].replace("_", " ")) for s in view["states"]]
    if view["questions"]:
        lane_y = foot + 8 + _ROW
        body.append(_row("question", lane_y))
        body += [_question(x, question, lane_y) for question in view["questions"]]
    for number, name in enumerate(lanes, first_lane):
        lane_y = foot + 8 + number * _ROW
        body.append(_row(name, lane_y))
        body += [
            _block(x, s, lane_y, STAGES[name], f"{s[0]} {s[1]}") for s in view["stages"] if _lane(s) == name
        ]
    return (
        f'<svg viewBox="0 0 {width} {total}" role="img" xmlns="http://www.w3.org/2000/svg">'
        f"<style>.a{{font:12px system-ui,'DejaVu Sans',sans-serif;fill:#5b6876}}"
        f".q{{font:11px system-ui,'DejaVu Sans',sans-serif;fill:#fff}}</style>{''.join(body)}</svg>"
    )


def chart_legend(views: Sequence[Mapping[str, Any]]) -> str:
    """The legend of the states and stages that occur in the views."""
    states = {span[1] for view in views for span in view["states"]}
    stages = {_lane(stage) for view in views for stage in view["stages"]}
    entries = [("state: " + n.replace("_", " "), c) for n, c in STATES.items() if n in states]
    entries += [("stage: " + n, c) for n, c in STAGES.items() if n in stages]
    return legend(entries)


def interval_bar(value: float, ci95: Sequence[float] | None, p95: float | None, most: float) -> str:
    """A small bar of the value with its 95 % interval as a whisker and the 95th percentile as a dot."""
    width, middle = 190, 8
    scale = (width - 6) / most if most > 0 else 0.0
    parts = [f'<rect x="0" y="3" width="{max(1.0, value * scale):.1f}" height="10" rx="2" fill="#9cc3ec"/>']
    if ci95 is not None:
        low, high = max(0.0, ci95[0]) * scale, ci95[1] * scale
        parts.append(
            f'<path d="M{low:.1f} 4v8M{low:.1f} {middle}H{high:.1f}M{high:.1f} 4v8" stroke="#0b3a6b"/>'
        )
    if p95 is not None:
        parts.append(f'<circle cx="{p95 * scale:.1f}" cy="{middle}" r="2.5" fill="#b3261e"/>')
    return f'<svg class="bar" viewBox="0 0 {width} 16">{"".join(parts)}</svg>'


def _lane(stage: Sequence[Any]) -> str:
    return "load" if stage[1] == "load" else str(stage[0])


def _mode_bands(states: Sequence[Sequence[Any]], x: Any, foot: float, named: bool) -> str:
    bands: list[list[Any]] = []
    for mode, _, start_s, end_s in states:
        if bands and bands[-1][0] == mode:
            bands[-1][2] = end_s
        else:
            bands.append([mode, start_s, end_s])
    parts = []
    for mode, start_s, end_s in bands:
        left, right = x(start_s), x(end_s)
        parts.append(
            f'<rect x="{left:.1f}" y="{_TOP}" width="{max(0.0, right - left):.1f}" height="{foot - _TOP}" '
            f'fill="{MODE_COLOURS.get(mode, _UNKNOWN)}" fill-opacity="{_BAND_OPACITY}"/>'
        )
        if named and right - left > 70:
            parts.append(f'<text x="{left + 6:.1f}" y="{_TOP - 9}" class="a">{escape(mode)}</text>')
    return "".join(parts)


def _curve(view: Mapping[str, Any], x: Any, y: Any, length_s: float) -> str:
    count = len(view["mean_mw"])
    at = [x(length_s * (n + 0.5) / count) for n in range(count)]
    upper = " ".join(f"{px:.1f},{y(mw):.1f}" for px, mw in zip(at, view["high_mw"], strict=True))
    lower = " ".join(
        f"{px:.1f},{y(mw):.1f}" for px, mw in reversed(list(zip(at, view["low_mw"], strict=True)))
    )
    mean = " ".join(f"{px:.1f},{y(mw):.1f}" for px, mw in zip(at, view["mean_mw"], strict=True))
    return (
        f'<polygon points="{upper} {lower}" fill="#c0392b" fill-opacity="0.18"/>'
        f'<polyline points="{mean}" fill="none" stroke="#a32d22" stroke-width="1.3" stroke-linejoin="round"/>'
    )


def _row(name: str, top: float) -> str:
    return f'<text x="{_LEFT - 8}" y="{top + 11}" text-anchor="end" class="a">{escape(name)}</text>'


def _block(x: Any, span: Sequence[Any], top: float, colour: str, what: str) -> str:
    start_s, end_s = span[2], span[3]
    left, right = x(start_s), x(end_s)
    title = f"{what}, {start_s:.2f} to {end_s:.2f} s"
    return (
        f'<rect x="{left:.1f}" y="{top + 1}" width="{max(0.8, right - left):.1f}" height="{_ROW - 3}" '
        f'fill="{colour}"><title>{escape(title)}</title></rect>'
    )


def _question(x: Any, question: Sequence[Any], top: float) -> str:
    """Its block, with the route written on it where there is room."""
    name, start_s, end_s = question
    mode, _, route = name.partition("/")
    block = _block(x, ["", "", start_s, end_s], top, "#5b6876", f"{route} question in {mode}")
    if x(end_s) - x(start_s) < 7 * len(route) + 6:
        return block
    middle = (x(start_s) + x(end_s)) / 2
    return (
        f'{block}<text x="{middle:.1f}" y="{top + 11}" text-anchor="middle" class="q">{escape(route)}</text>'
    )
