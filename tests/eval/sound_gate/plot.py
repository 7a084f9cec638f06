"""Diagrams of the sound gate's decisions as SVG: a panel for each clip, all with the same axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from firmware.pmu.sound_loops import BLOCK
from firmware.pmu.sound_onset import Onset
from hw.device import MICROPHONE_RATE_HZ

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 1000, 320, 70, 20, 46, 58
LEGEND = 34
LOW_DB, HIGH_DB = -100, -20
BLOCK_S = BLOCK / MICROPHONE_RATE_HZ
STYLE = (
    "text{font:13px sans-serif;fill:#222}.title{font-weight:bold}.grid{stroke:#ddd}"
    ".mark{stroke:#222;stroke-dasharray:4 3}.level{fill:none;stroke:#4477aa}"
    ".floor{fill:none;stroke:#228833;stroke-width:2}.threshold{fill:none;stroke:#cc6677;stroke-width:1.5}"
    ".voice{stroke:#ddaa33;stroke-width:3}.wake{stroke:#aa3377;stroke-width:3}"
)
NAMES = {
    "level": "loudness, 250-1500 Hz",
    "floor": "floor",
    "threshold": "threshold",
    "voice": "block that counts as a voice",
    "wake": "wake, and the onset it reports",
}


@dataclass(frozen=True)
class Panel:
    """A clip as int16 [n] at 16 kHz, and its events: seconds and text."""

    title: str
    pcm: NDArray[np.int16]
    marks: tuple[tuple[float, str], ...] = ()


def draw(panels: Sequence[Panel], measures: Callable[[NDArray[np.int16]], list[tuple[int, int]]]) -> str:
    """The SVG of all panels, one below the other."""
    height = LEGEND + HEIGHT * len(panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"><style>{STYLE}</style>',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        *_legend(),
    ]
    for number, panel in enumerate(panels):
        parts.append(f'<g transform="translate(0 {LEGEND + HEIGHT * number})">')
        parts += _panel(panel, measures(panel.pcm))
        parts.append("</g>")
    return "\n".join([*parts, "</svg>\n"])


def _legend() -> list[str]:
    parts = []
    x = LEFT
    for name, words in NAMES.items():
        parts.append(f'<line class="{name}" x1="{x}" x2="{x + 24}" y1="18" y2="18"/>')
        parts.append(f'<text x="{x + 30}" y="22">{words}</text>')
        x += 50 + 7 * len(words)
    return parts


def _panel(panel: Panel, measured: list[tuple[int, int]]) -> list[str]:
    onset = Onset()
    rows, voiced, wakes = [], [], []
    for index, (loudness, hiss) in enumerate(measured):
        since = onset.judge(loudness, hiss)
        rows.append([_db(value) for value in (loudness, onset.floor, onset.threshold)])
        if onset.voice:
            voiced.append(index)
        if since:
            wakes.append((index + 1, index + 1 - since))
    seconds = len(rows) * BLOCK_S
    ground = HEIGHT - BOTTOM

    def x(index: float) -> float:
        return LEFT + index / len(rows) * (WIDTH - LEFT - RIGHT)

    def y(level: float) -> float:
        share = (min(max(level, LOW_DB), HIGH_DB) - LOW_DB) / (HIGH_DB - LOW_DB)
        return ground - share * (ground - TOP)

    parts = [f'<text class="title" x="{LEFT}" y="16">{escape(panel.title)}</text>']
    for level in range(LOW_DB, HIGH_DB + 1, 20):
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(level)}" y2="{y(level)}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(level) + 4}" text-anchor="end">{level}</text>')
    middle = (ground + TOP) / 2
    parts.append(f'<text transform="translate(18 {middle}) rotate(-90)" text-anchor="middle">dBFS</text>')
    for second in range(0, int(seconds) + 1, 2 if seconds > 12 else 1):
        place = x(second / BLOCK_S)
        parts.append(f'<text x="{place:.0f}" y="{ground + 26}" text-anchor="middle">{second}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{ground + 44}" text-anchor="middle">seconds</text>')
    for at_s, words in panel.marks:
        place = x(at_s / BLOCK_S)
        parts.append(
            f'<line class="mark" x1="{place:.1f}" x2="{place:.1f}" y1="{TOP - 14}" y2="{ground}"/>'
            f'<text x="{place + 4:.1f}" y="{TOP - 6}">{escape(words)}</text>'
        )
    for column, name in enumerate(("level", "floor", "threshold")):
        points = " ".join(f"{x(index + 0.5):.1f},{y(row[column]):.1f}" for index, row in enumerate(rows))
        parts.append(f'<polyline class="{name}" points="{points}"/>')
    for index in voiced:
        parts.append(_line("voice", x(index + 0.5), x(index + 0.5), ground + 3, ground + 11))
    for index, begun in wakes:
        parts.append(_line("wake", x(index), x(index), TOP + 6, ground))
        parts.append(_line("wake", x(begun), x(index), TOP + 6, TOP + 6))
    return parts


def _line(name: str, x1: float, x2: float, y1: float, y2: float) -> str:
    return f'<line class="{name}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1}" y2="{y2}"/>'


def _db(value: int) -> float:
    """The sum over a block as the level of a tone of 800 Hz, for which the filter's gain is 9.2."""
    return float(20 * np.log10(max(value, 1) / (BLOCK / 3) / 9.2 / 32768))
