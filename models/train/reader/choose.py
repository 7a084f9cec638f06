"""From which probability a word that is read counts, on pictures that no training has.

python -m models.train.reader.choose FILE.onnx [--pictures N]
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from host.answers.seen.written import is_whole, letters_of
from models.brick import Context
from models.bricks.reader import TextReader
from models.train.reflex.unseen import MIXES, with_designs
from models.train.sight.data.camera import plain
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import READABLE_PX, SEEN, truth_of
from models.train.world.scenes import random_scene
from models.train.world.variety.manner import USUAL, random_manner

RIGHT = 0.97
"""Share of the answers with such a word which have to be right."""
_LEAST_ANSWERS = 20
_PRICE = "950"
"""On the till of the drawn shop."""
_HOME_SHARE, _MANNER_SHARE, _DESIGN_SHARE = 0.7, 0.5, 0.5


@dataclass(frozen=True)
class Written:
    """A picture, uint8 [224, 224, 3]; readable: what everybody can read in it; there: all that is written."""

    rgb: NDArray[np.uint8]
    readable: tuple[str, ...]
    there: tuple[str, ...]


def pictures(count: int, seed: int) -> Iterable[Written]:
    """Validation pictures of both worlds that are neither dark nor blurred, half in a manner of their own."""
    rng = random.Random(f"written {seed}")
    for number in range(count):
        unseen = MIXES[number % len(MIXES)]
        manner = random_manner(rng, unseen.looks) if rng.random() < _MANNER_SHARE else USUAL
        shot = plain(224)
        if unseen.home_only or rng.random() < _HOME_SHARE:
            view = with_designs(random_view(rng, "validation", 0.0), rng, unseen, _DESIGN_SHARE)
            truth = truth_of(view)
            found = [(name, px, 1.0) for name, px in truth.signs]
            found += [(each.label, each.letter_px, each.visible) for each in truth.things if each.label]
            found += [(sign.spoken, 0.0, 0.0) for sign in view.layout.signs]
            found += [(_PRICE, 0.0, 0.0)] if view.place == "shop" else []
            rgb = manner.looked(manner.view(view, shot.drawn_px))
        else:
            scene = random_scene(rng, "validation", 0.0)
            found = [(sign.spoken, READABLE_PX, 1.0) for sign in scene.signs]
            rgb = manner.looked(manner.scene(scene, 0, shot.drawn_px))
        readable = tuple(name for name, px, seen in found if px >= READABLE_PX and seen >= SEEN)
        yield Written(rgb, readable, tuple(name for name, _, _ in found))


def chosen_from(graph: Path, count: int, seed: int) -> tuple[float, str]:
    """The least probability from which what is read is right where something can be read, and how it was
    chosen. Of several words that are read the right one counts: the language model says which is meant.
    """
    reader = TextReader(graph, Context(threads=1))
    asked: list[list[tuple[float, bool]]] = []
    for picture in pictures(count, seed):
        wanted = {letters_of(name) for name in picture.readable if len(letters_of(name)) > 1}
        if not wanted:
            continue
        there = {letters_of(name) for name in picture.there}
        words = [word for word in reader.read(picture.rgb).words if len(word.text) > 1 and is_whole(word)]
        read = [(word.probability, word.text in there) for word in words]
        right = [probability for probability, is_right in read if is_right]
        wrong = [probability for probability, is_right in read if not is_right]
        # one entry for each probability from which the picture has an answer, and whether that is right
        answers = [(max(right), True)] if right else []
        if wrong and (not right or max(wrong) > max(right)):
            answers.append((max(wrong), False))
        asked.append(answers)
    least = least_with(asked, RIGHT)
    given, good = _given(asked, least)
    return least, (
        f"On those of {count} validation pictures, half in manners that training never had, in which "
        f"something can be read: the least probability from which {RIGHT:.0%} of what is read stands there; "
        f"so {good / max(1, len(asked)):.1%} of {len(asked)} are read, and {given - good} otherwise."
    )


def _given(asked: list[list[tuple[float, bool]]], least: float) -> tuple[int, int]:
    """How many pictures have an answer from that probability on, and how many a right one."""
    given = [[right for probability, right in answers if probability >= least] for answers in asked]
    return sum(map(bool, given)), sum(map(any, given))


def least_with(asked: list[list[tuple[float, bool]]], right: float) -> float:
    """The least probability from which so many of the answers are right; 1.0 where there is none."""
    for least in sorted({probability for answers in asked for probability, _ in answers}):
        given, good = _given(asked, least)
        if given >= _LEAST_ANSWERS and good >= right * given:
            return least
    return 1.0


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("graph", type=Path)
    parser.add_argument("--pictures", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    least, told = chosen_from(options.graph, options.pictures, options.seed)
    print(f"{least:.3f}. {told}")


if __name__ == "__main__":
    main()
