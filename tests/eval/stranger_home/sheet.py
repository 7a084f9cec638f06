"""A contact sheet of a stranger's views of a home, to look at.

python -m tests.eval.stranger_home.sheet FILE [--seed 1] [--cutouts FOLDER]
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from PIL import Image, ImageDraw

from models.train.cutouts import read_cutouts
from tests.eval.arguments import counted
from tests.eval.stranger_home.compose import Cutouts, random_home
from tests.eval.stranger_home.facts import ABSENT, SEEN, THINGS
from tests.eval.stranger_home.look_at import facts_of
from tests.eval.stranger_home.render import render

CASES = ("", "", "held", "cut off", "covered", "", "dark", "blurred")
_CELL, _ACROSS, _DOWN = 250, 6, 5


def write_sheet(path: Path, seed: int, cutouts: Cutouts | None = None) -> None:
    """30 views with what they hold written below. cutouts: what the things look like."""
    rng = random.Random(f"home sheet {seed}")
    sheet = Image.new("RGB", (_ACROSS * _CELL, _DOWN * (_CELL + 26)), "white")
    pen = ImageDraw.Draw(sheet)
    for number in range(_ACROSS * _DOWN):
        picture = random_home(rng, CASES[number % len(CASES)], cutouts)
        facts = facts_of(picture)
        left, top = number % _ACROSS * _CELL, number // _ACROSS * (_CELL + 26)
        small = Image.fromarray(render(picture))
        small.thumbnail((_CELL - 4, _CELL - 4))
        sheet.paste(small, (left, top))
        known = {True: facts.place, False: "no place", None: facts.place + "?"}[facts.known]
        seen = [each for each in facts.items if each.state != ABSENT]
        items = [f"{each.name} {'' if each.state == SEEN else each.state} {each.side}" for each in seen]
        pen.text((left + 2, top + _CELL - 2), f"{known}, {facts.quality}", fill="black")
        pen.text((left + 2, top + _CELL + 10), ", ".join(items)[:46], fill="black")
    sheet.save(path)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=counted, default=1)
    parser.add_argument("--cutouts", type=Path, help="a folder with cutouts.tsv")
    options = parser.parse_args()
    cutouts = read_cutouts(options.cutouts, THINGS) if options.cutouts else None
    write_sheet(options.file, options.seed, cutouts)


if __name__ == "__main__":
    main()
