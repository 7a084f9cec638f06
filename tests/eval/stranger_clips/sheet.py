"""Film strips of a stranger's clips with what they decide, to look at.

python -m tests.eval.stranger_clips.sheet FILE [--seed 1]
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from PIL import Image, ImageDraw

from tests.eval.arguments import counted
from tests.eval.stranger_clips.compose import random_film
from tests.eval.stranger_clips.film import developed
from tests.eval.stranger_clips.truth import decided

_CELL, _ACROSS, _DOWN = 130, 12, 9


def write_sheet(path: Path, seed: int) -> None:
    """Nine clips, one in each row, with at most twelve pictures of each."""
    rng = random.Random(f"clip sheet {seed}")
    sheet = Image.new("RGB", (_ACROSS * _CELL, _DOWN * (_CELL + 14)), "white")
    pen = ImageDraw.Draw(sheet)
    for row in range(_DOWN):
        film = random_film(rng)
        top = row * (_CELL + 14)
        for column, pixels in enumerate(developed(film)[:_ACROSS]):
            small = Image.fromarray(pixels)
            small.thumbnail((_CELL - 2, _CELL - 2))
            sheet.paste(small, (column * _CELL, top))
        asked = [f"{each.family} {each.thing} {each.other}: {each.answer}" for each in decided(film, rng)]
        head = f"{film.event}{', turned' if film.turned else ''}, {film.times_s[-1]:.1f} s; "
        pen.text((2, top + _CELL - 2), (head + "; ".join(asked))[:240], fill="black")
    sheet.save(path)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=counted, default=1)
    options = parser.parse_args()
    write_sheet(options.file, options.seed)


if __name__ == "__main__":
    main()
