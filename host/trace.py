"""A timeline as a file: Chrome/Perfetto trace (JSON) or a picture (SVG) that any browser opens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from host.timeline import Span

_COLOURS = {"load": "#f2b134", "execute": "#3b7dd8", "release": "#9aa5b1", "died": "#d64545"}
_TRACK_COLOURS = {"speaker": "#2f9e6e", "microphone": "#8f6bd1", "turn": "#6b7785"}


def chrome_trace(spans: Sequence[Span]) -> dict[str, Any]:
    """The Trace Event Format object: one thread per track, complete events, microseconds from the first
    span.
    """
    if not spans:
        return {"traceEvents": []}
    origin_s = min(span.start_s for span in spans)
    tracks = {
        name: number for number, name in enumerate(dict.fromkeys(span.track for span in spans), start=1)
    }
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": number, "args": {"name": name}}
        for name, number in tracks.items()
    ]
    for span in spans:
        events.append(
            {
                "ph": "X",
                "name": span.name,
                "cat": span.track,
                "pid": 1,
                "tid": tracks[span.track],
                "ts": round((span.start_s - origin_s) * 1e6),
                "dur": max(1, round((span.end_s - span.start_s) * 1e6)),
                "args": span.details,
            }
        )
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def write_trace(spans: Sequence[Span], path: Path) -> None:
    """Writes `chrome_trace` to `path`; open it in ui.perfetto.dev or chrome://tracing."""
    path.write_text(json.dumps(chrome_trace(spans)), encoding="utf-8")


def picture(chapters: Sequence[tuple[str, Sequence[Span]]], width: int = 1100) -> str:
    """An SVG with one block per chapter (title, spans), all to the same time scale."""
    left, row, top = 110, 22, 46
    longest_s = max((_length_s(spans) for _, spans in chapters), default=1.0) or 1.0
    scale = (width - left - 30) / longest_s
    body: list[str] = []
    y = top
    for title, spans in chapters:
        origin_s = min((span.start_s for span in spans), default=0.0)
        body.append(f'<text x="12" y="{y}" font-size="15" font-weight="bold">{escape(title)}</text>')
        y += 10
        for track in dict.fromkeys(span.track for span in spans):
            body.append(f'<text x="12" y="{y + 15}" font-size="12" fill="#445">{escape(track)}</text>')
            for span in (span for span in spans if span.track == track):
                x = left + (span.start_s - origin_s) * scale
                length = max(1.5, (span.end_s - span.start_s) * scale)
                colour = _COLOURS.get(span.name) or _TRACK_COLOURS.get(track, "#3b7dd8")
                body.append(
                    f'<rect x="{x:.1f}" y="{y + 3}" width="{length:.1f}" height="{row - 6}" rx="2" '
                    f'fill="{colour}">'
                    f"<title>{escape(track)}: {escape(span.name)}, {span.duration_ms:.0f} ms</title></rect>"
                )
            y += row
        y += 30
    legend = "".join(
        f'<rect x="{left + 110 * i}" y="10" width="12" height="12" fill="{colour}"/>'
        f'<text x="{left + 110 * i + 17}" y="20" font-size="12">{name}</text>'
        for i, (name, colour) in enumerate({**_COLOURS, "speaking": "#2f9e6e"}.items())
    )
    axis = "".join(
        f'<text x="{left + second * scale:.0f}" y="{y}" font-size="11" fill="#667">{second:g} s</text>'
        for second in _ticks(longest_s)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y + 16}" font-family="sans-serif">'
        f'<rect width="100%" height="100%" fill="white"/>{legend}{"".join(body)}{axis}</svg>'
    )


def _length_s(spans: Sequence[Span]) -> float:
    return max((s.end_s for s in spans), default=0.0) - min((s.start_s for s in spans), default=0.0)


def _ticks(longest_s: float) -> list[float]:
    step = next(
        s for s in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 60, 600, 3600) if longest_s / s <= 12 or s == 3600
    )
    return [round(i * step, 3) for i in range(int(longest_s / step) + 1)]
