"""A timeline as a file: Chrome/Perfetto trace (JSON) or a picture (SVG) that any browser opens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from host.observe.timeline import Span
from hw.private_file import write_private

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
"""As `html.escape`, which brings all names of characters along: half a mebibyte."""
_ROWS = {
    "microphone": "wearer",
    "headband": "headband",
    "stt": "recogniser",
    "camera": "camera",
    "vision": "eyes",
    "recall": "memory's eye",
    "motion": "motion",
    "text": "phrases",
    "reflex": "reflex",
    "llm": "language",
    "tts": "voice",
    "speaker": "speaker",
}
"""Rows of the picture from top to bottom: track -> label."""
_COLOURS = {
    "wake word": "#c2408c", "button": "#c2408c", "speech": "#8f6bd1", "silence": "#d9cdef",
    "listening": "#b79be6", "thinking": "#e9825b", "speaking": "#2f9e6e", "follow_up": "#cfe5da",
    "clip": "#7d8a99", "load": "#f2b134", "execute": "#3b7dd8", "release": "#9aa5b1", "died": "#d64545",
}  # fmt: skip
_LEFT_OUT = ("standby", "stopping")
_WORDS = {"follow_up": "listens on", "execute": "at work", "clip": "looks on"}
_CHARACTER_PX = 6.2


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
    """Writes `chrome_trace` to `path`, for its owner alone; open it in ui.perfetto.dev or chrome://tracing."""
    write_private(path, json.dumps(chrome_trace(spans)))


def picture(chapters: Sequence[tuple[str, Sequence[Span]]], width: int = 1100) -> str:
    """An SVG with one block for each chapter (title, spans), all to the same time scale, each starting at 0
    s.
    """
    left, top = 100, 78
    longest_s = max((_length_s(spans) for _, spans in chapters), default=1.0) or 1.0
    scale = (width - left - 30) / longest_s
    body: list[str] = []
    y = top
    for title, spans in chapters:
        title = _escaped(_short(title, width))
        body.append(f'<text x="12" y="{y}" font-size="15" font-weight="bold">{title}</text>')
        bars, height = _rows(spans, left, y + 10, scale)
        ticks = [(left + second * scale, second) for second in _ticks(longest_s)]
        for x, second in ticks:
            body.append(
                f'<line x1="{x:.1f}" y1="{y + 10}" x2="{x:.1f}" y2="{y + 10 + height}" stroke="#e4e7ec"/>'
                f'<text x="{x:.1f}" y="{y + 22 + height}" font-size="10" fill="#667">{second:g} s</text>'
            )
        body += bars
        y += height + 56
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y - 20}" font-family="sans-serif">'
        f'<rect width="100%" height="100%" fill="white"/>{_legend(left)}{"".join(body)}</svg>'
    )


def _rows(spans: Sequence[Span], left: int, top: int, scale: float) -> tuple[list[str], int]:
    """SVG elements with one row for each track, and their total height in pixels."""
    row, y, elements = 22, top, []
    origin_s = min((span.start_s for span in spans), default=0.0)
    present = {span.track for span in spans if span.name not in _LEFT_OUT}
    for track in [*(name for name in _ROWS if name in present), *sorted(present - set(_ROWS))]:
        name = _ROWS.get(track, track)
        elements.append(f'<text x="12" y="{y + 15}" font-size="12" fill="#445">{_escaped(name)}</text>')
        for span in (span for span in spans if span.track == track and span.name not in _LEFT_OUT):
            x = left + (span.start_s - origin_s) * scale
            elements.append(
                _bar(span, name, x, y + 3, max(2.5, (span.end_s - span.start_s) * scale), row - 6)
            )
        y += row
    return elements, y - top


def _bar(span: Span, row: str, x: float, y: float, length: float, height: float) -> str:
    """A rectangle for a span, with its name inside if that fits, and its length as a tooltip."""
    colour = _COLOURS.get(span.name) or (_COLOURS["speaking"] if span.track == "speaker" else "#3b7dd8")
    what = _WORDS.get(span.name, span.name)
    bar = (
        f'<rect x="{x:.1f}" y="{y}" width="{length:.1f}" height="{height}" rx="2" fill="{colour}">'
        f"<title>{_escaped(row)}: {_escaped(what)}, {span.duration_ms:.0f} ms</title></rect>"
    )
    ms = f"{span.duration_ms:.0f} ms"
    texts = (what,) if span.track == "speaker" else (f"{what}, {ms}", what, ms)
    text = next((text for text in texts if len(text) * _CHARACTER_PX < length - 6), "")
    if not text or span.track not in ("microphone", "headband", "speaker"):
        return bar
    dark = span.name in ("silence", "follow_up", "listening")
    return bar + (
        f'<text x="{x + 4:.1f}" y="{y + height - 4}" font-size="11" pointer-events="none" '
        f'fill="{"#334" if dark else "white"}">{_escaped(text)}</text>'
    )


def _legend(left: int) -> str:
    """Two lines of colours: what the wearer notices, and what the models do."""
    lines = (
        ("wake word", "speech", "silence", "listening", "thinking", "speaking", "follow_up"),
        ("load", "execute", "release", "died", "clip"),
    )
    elements = []
    for line, names in enumerate(lines):
        x = left
        for name in names:
            text = "silence after it" if name == "silence" else _WORDS.get(name, name)
            elements.append(
                f'<rect x="{x}" y="{10 + 20 * line}" width="12" height="12" fill="{_COLOURS[name]}"/>'
                f'<text x="{x + 17}" y="{20 + 20 * line}" font-size="12">{text}</text>'
            )
            x += 40 + round(len(text) * _CHARACTER_PX * 1.1)
    return "".join(elements)


def _short(title: str, width: int) -> str:
    longest = width // 8
    return title if len(title) <= longest else f"{title[: longest - 3]}..."


def _length_s(spans: Sequence[Span]) -> float:
    return max((s.end_s for s in spans), default=0.0) - min((s.start_s for s in spans), default=0.0)


def _ticks(longest_s: float) -> list[float]:
    step = next(
        s for s in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 60, 600, 3600) if longest_s / s <= 12 or s == 3600
    )
    return [round(i * step, 3) for i in range(int(longest_s / step) + 1)]


def _escaped(text: str) -> str:
    """The same text within SVG."""
    return text.translate(_ENTITIES)
