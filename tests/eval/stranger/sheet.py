"""A contact sheet of a stranger's pictures, to look at."""

from __future__ import annotations

import random
from pathlib import Path

from PIL import Image, ImageDraw

from tests.eval.stranger.compose import EVERYDAY_WORDS, OTHER_WORDS, random_pair, random_picture
from tests.eval.stranger.render import render
from tests.eval.stranger.truth import Picture

_CELL, _ACROSS, _DOWN = 220, 6, 4


def write_sheet(path: Path, seed: int) -> None:
    """24 pictures with what they hold written below; the last rows are pairs of two changes."""
    rng = random.Random(f"sheet {seed}")
    shown: list[tuple[Picture, int, str]] = []
    for number in range(_ACROSS * _DOWN // 2):
        text = rng.choice(EVERYDAY_WORDS + OTHER_WORDS + ("42",)) if number % 3 == 2 else ""
        picture = random_picture(rng, text=text)
        shown.append((picture, 0, ", ".join(item.name for item in picture.items) or "nothing"))
    for _ in range(_ACROSS * _DOWN // 4):
        pair = random_pair(rng, 2)
        told = ", ".join(f"{change.item.kind} {change.how} {change.direction}" for change in pair.changes)
        shown += [(pair.first, 0, "before"), (pair.second, 1, told)]
    sheet = Image.new("RGB", (_ACROSS * _CELL, _DOWN * (_CELL + 14)), "white")
    pen = ImageDraw.Draw(sheet)
    for place, (picture, frame, words) in enumerate(shown):
        left, top = place % _ACROSS * _CELL, place // _ACROSS * (_CELL + 14)
        small = Image.fromarray(render(picture, frame))
        small.thumbnail((_CELL - 4, _CELL - 4))
        sheet.paste(small, (left, top))
        pen.text((left + 2, top + _CELL - 2), words[:38], fill="black")
    sheet.save(path)
