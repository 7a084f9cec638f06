"""What many people say about the present view, in their own words, and what they say of the same things
without asking: `asked_of_view.txt` and `not_of_view.txt`, for training only.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

from models.train.world.grammar import COLOURS
from models.train.world.home.captions import PLURALS
from models.train.world.home.questions import SURFACE_NAMES
from models.train.world.home.splits import KINDS, PLACES

_FOLDER = Path(__file__).parents[1] / "wording"
ASKED, NOT_ASKED = _FOLDER / "asked_of_view.txt", _FOLDER / "not_of_view.txt"
HEARD = _FOLDER / "heard_of_view.txt"
"""What a recogniser made of both and of other speech, said aloud (`models.train.intents.heard`)."""


@cache
def read_lines(path: Path) -> tuple[tuple[str, str], ...]:
    """Kind and text of each line, "kind | text"."""
    lines = path.read_text(encoding="utf-8").splitlines()
    parts = [line.partition(" | ") for line in lines if line and not line.startswith("#")]
    return tuple((kind, text) for kind, _, text in parts)


def filled(text: str, rng: random.Random) -> str:
    """A wording with a random thing, surface, place and colour."""
    item = rng.choice(sorted(KINDS))
    return text.format(
        item=item, are="are" if item in PLURALS else "is", surface=rng.choice(sorted(SURFACE_NAMES)),
        place=rng.choice([place for place in PLACES if place != "desk"]), colour=rng.choice(COLOURS),
    )  # fmt: skip
