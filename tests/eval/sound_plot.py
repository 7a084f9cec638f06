"""How the sound gate decides, drawn as SVG: loudness, floor, threshold, voice, wakes."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from firmware.pmu.loops import BLOCK
from firmware.pmu.onset import Onset

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 1000, 420, 60, 40, 50
LOW_DB, HIGH_DB = 0.0, 75.0
STYLE = (
    "text{font:13px sans-serif;fill:#222}.grid{stroke:#ddd}.level{fill:none;stroke:#4477aa}"
    ".floor{fill:none;stroke:#228833;stroke-width:2}.threshold{fill:none;stroke:#cc6677;stroke-width:1.5}"
    ".voice{stroke:#ddaa33;stroke-width:2}.wake{stroke:#aa3377;stroke-width:3}"
)


def draw(pcm: NDArray[np.int16], measures: Callable[[NDArray[np.int16]], list[tuple[int, int]]]) -> str:
    """The SVG of int16 [n] at 16 kHz."""
    onset = Onset()
    rows, voiced, wakes = [], [], []
    for index, (loudness, hiss) in enumerate(measures(pcm)):
        since = onset.judge(loudness, hiss)
        rows.append([_db(value) for value in (loudness, onset.floor, onset.threshold)])
        if onset.voice:
            voiced.append(index)
        if since:
            wakes.append((index, index - since))
    seconds = len(rows) * BLOCK / 16_000

    def x(index: float) -> float:
        return LEFT + index / len(rows) * (WIDTH - LEFT - 20)

    def y(level: float) -> float:
        share = (min(max(level, LOW_DB), HIGH_DB) - LOW_DB) / (HIGH_DB - LOW_DB)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def curve(column: int, name: str) -> str:
        points = " ".join(f"{x(index):.1f},{y(row[column]):.1f}" for index, row in enumerate(rows))
        return f'<polyline class="{name}" points="{points}"/>'

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"><style>{STYLE}</style>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="{LEFT}" y="20">Loudness of 250-1500 Hz (blue), floor (green), threshold (red), '
        "blocks with voice (yellow), wake (purple, from the onset it reports)</text>",
    ]
    for level in range(int(LOW_DB), int(HIGH_DB) + 1, 15):
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - 20}" y1="{y(level)}" y2="{y(level)}"/>')
        parts.append(f'<text x="10" y="{y(level) + 4}">{level} dB</text>')
    for second in range(0, int(seconds) + 1, 2):
        place = x(second / seconds * len(rows))
        parts.append(f'<text x="{place:.0f}" y="{HEIGHT - 18}" text-anchor="middle">{second} s</text>')
    parts += [curve(0, "level"), curve(1, "floor"), curve(2, "threshold")]
    parts += _ticks("voice", ((x(index), x(index)) for index in voiced), HEIGHT - BOTTOM + 4, 8)
    for index, begun in wakes:
        top = TOP + 6
        parts.append(
            f'<line class="wake" x1="{x(index):.1f}" x2="{x(index):.1f}" y1="{top}" y2="{HEIGHT - BOTTOM}"/>'
        )
        parts.append(f'<line class="wake" x1="{x(begun):.1f}" x2="{x(index):.1f}" y1="{top}" y2="{top}"/>')
    return "\n".join([*parts, "</svg>\n"])


def _ticks(name: str, places: Iterable[tuple[float, float]], top: float, length: float) -> list[str]:
    return [
        f'<line class="{name}" x1="{a:.1f}" x2="{b:.1f}" y1="{top}" y2="{top + length}"/>' for a, b in places
    ]


def _db(value: int) -> float:
    return float(20 * np.log10(max(value, 1) / 78 / 2.8))
