"""Chooses how sure a pack's decoder has to be of an answer about pictures, by level of caution.

    python -m models.train.sight.caution .cache/train/vlm/out

Writes `caution.json` beside the decoder: its settings `caution`, `looks`, `certain_from` and `chosen` in a
pack. The questions and views are of the validation split of the home, and of the shapes such as training
draws, newly drawn: a quarter as usual, the others in manners and with designs that training never has. Where
the decoder is not certain it is asked about further looks at the picture (`models.sensing.looking_again`). A
level is the highest support that withholds no more right answers than `LOST`: the rate of wrong answers
elsewhere is higher than on such views, so a threshold that aims at a rate of wrong answers would be too low
for the pictures of others.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.sensing.looking_again import Looks, other_looks, support
from models.train.pack import CAUTION
from models.train.sight.data.batches import shown_scene, shown_view
from models.train.sight.data.camera import plain
from models.train.sight.runtime import AnswerDecoder, Encoder, encoder_in
from models.train.world.home import questions as home_questions
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import Truth, truth_of
from models.train.world.home.views import View
from models.train.world.questions import ask_many
from models.train.world.scenes import random_scene
from models.train.world.truth import TrueAnswer
from models.train.world.variety.designs.redesign import redesigned
from models.train.world.variety.manner import USUAL, Manner, random_manner

LOST = {"low": 0.01, "normal": 0.04, "high": 0.1}
"""Most right answers that are withheld, share of all right ones, by level of caution."""
LOOKS = Looks(3, 0.95)
"""Two further looks halve the wrong answers among those that are given, a third hardly helps; of those whose
words are all more probable than this, others would change few.
"""
_STEPS = [step / 100 for step in range(100)]
_EACH = 3


@dataclass(frozen=True)
class Answered:
    """An answer. probability: the least of its tokens', or the support of the answer where it was asked about
    other looks; at_first: without those.
    """

    right: bool
    probability: float
    at_first: float = 0.0


def levels(answers: Sequence[Answered]) -> dict[str, float]:
    """The highest threshold in hundredths, by level, that withholds no more right answers than allowed."""
    right = [each.probability for each in answers if each.right]
    return {
        level: max(step for step in _STEPS if sum(p < step for p in right) <= lost * len(right))
        for level, lost in LOST.items()
    }


def validation_pictures(
    rng: random.Random, views: int, side_px: int
) -> Iterator[tuple[NDArray[np.uint8], list[TrueAnswer]]]:
    """As many views of the home and as many scenes of shapes, with questions."""
    shot = plain(side_px)
    for number in range(views):
        manner = _manner(rng, number)
        view, scene = random_view(rng, "validation"), random_scene(rng, "train")
        view = _in_designs(view, rng, number)
        at_home = home_questions.ask_many(truth_of(view, side_px), rng, "validation", _EACH)
        yield shown_view(view, shot, manner)[0].pixels, at_home
        yield shown_scene(scene, shot, 0, manner).pixels, ask_many(scene, rng, "train", _EACH)


def validation_views(
    rng: random.Random, views: int, side_px: int
) -> Iterator[tuple[NDArray[np.uint8], Truth]]:
    """As many views of the home, dressed in the same ways, with their truth."""
    shot = plain(side_px)
    for number in range(views):
        manner = _manner(rng, number)
        view = _in_designs(random_view(rng, "validation"), rng, number)
        yield shown_view(view, shot, manner)[0].pixels, truth_of(view, side_px)


def _manner(rng: random.Random, number: int) -> Manner:
    """Of every second picture one that training never has."""
    return random_manner(rng, unseen=True) if number % 4 > 1 else USUAL


def _in_designs(view: View, rng: random.Random, number: int) -> View:
    """Three in four views with designs that training never has."""
    return redesigned(view, rng, unseen=True) if number % 4 else view


def asked(encoder: Encoder, decoder: AnswerDecoder, rng: random.Random, views: int) -> list[Answered]:
    """Answers about as many views of the home and as many scenes of shapes."""
    found: list[Answered] = []
    for picture, truths in validation_pictures(rng, views, encoder.side_px):
        found += _about(picture, truths, encoder, decoder)
    return found


def _about(
    picture: NDArray[np.uint8], truths: Sequence[TrueAnswer], encoder: Encoder, decoder: AnswerDecoder
) -> list[Answered]:
    by_look: list[list[tuple[str, float]]] = []
    for look in (picture, *other_looks(picture, LOOKS.number)):
        decoder.prefill_images([encoder.encode(look)])
        by_look.append([decoder.answer_with_probability(truth.question) for truth in truths])
    found = []
    for truth, (first, *others) in zip(truths, zip(*by_look, strict=True), strict=True):
        said, least = first
        after = support(said, least, others) if LOOKS.wanted(least, said) else least
        found.append(Answered(said == truth.answer, after, least))
    return found


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="exported files, or a pack")
    parser.add_argument("--out", type=Path, help="the file to write (default: caution.json in the folder)")
    parser.add_argument("--views", type=int, default=400)
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args()
    answers = asked(
        encoder_in(options.folder), AnswerDecoder(options.folder / "decoder.gguf"),
        random.Random(options.seed), options.views,
    )  # fmt: skip
    chosen = levels(answers)
    how = (
        f"On {len(answers)} questions about validation views (seed {options.seed}), three quarters of them "
        "in manners or with designs that training never had, so that at most "
        f"{', '.join(f'{lost:.0%}' for lost in LOST.values())} of the right answers are withheld."
    )
    out = options.out or options.folder / CAUTION
    settings = {"caution": chosen, "looks": LOOKS.number, "certain_from": LOOKS.certain_from, "chosen": how}
    out.write_text(json.dumps(settings))
    print(f"{chosen}; {how}")
    once = [replace(each, probability=each.at_first) for each in answers]
    for name, same, given_from in (
        ("further looks", answers, chosen),
        ("first look only", once, levels(once)),
    ):
        for level, least in given_from.items():
            given = [each for each in same if each.probability >= least]
            right = sum(each.right for each in given)
            print(f"  {name}, {level} ({least:.2f}): right {right / max(1, len(same)):.1%} of all, wrong "
                f"{(len(given) - right) / max(1, len(given)):.1%} of {len(given)} given")  # fmt: skip


if __name__ == "__main__":
    main()
