"""What is read on labels: the usual words, and words that no part of the pack was trained on.

    python -m tests.eval reading [--labels 150] [--seed 1]

Views of the held-out home and of a second renderer, whose letters and pictures no training has, with exactly
one label that can be read. Each is shown as it is drawn, and with a word in its place that stands in no
list that anything learns from. The pack's language model is asked "read the label", alone, which is the
baseline, and with its word checked by the text reader. Intervals are Wilson's.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated

from hw.settings import Range, argument
from models.pack.catalogue import Pack, load_pack
from models.train.world.home.truth import READABLE_PX
from models.train.world.home.truth import truth_of as truth_of_view
from models.train.world.home.views import View
from tests.eval.eye.held_home import held_out_view, picture_of
from tests.eval.eye.pieces import (
    Eye,
    Rgb,
    checked_answer,
    completed,
    decoder_of,
    detector_of,
    loaded,
    reader_of,
)
from tests.eval.intervals import wilson
from tests.eval.stranger_home.compose import random_home
from tests.eval.stranger_home.look_at import facts_of
from tests.eval.stranger_home.render import render
from tests.eval.stranger_home.scene import HomePicture, Thing

QUESTION = "read the label"
UNLEARNED = (
    "ACNE BREW CHIC DIAL ECHO FLUX GURU HYMN IRIS JAZZ KELP LYNX MYTH NOVA OPUS PRAM QUAY RUNE SOYA TUBA "
    "URGE VIAL WREN XYLO YETI ZINC AVID BIOS CORK DUNE EMUS FERN GNAT HUSK IDOL JUTE KILN LAVA MICA NEON "
    "OXEN PUMA QUIZ RASP SAGO TOFU UREA VEIL WICK YURT"
).split()
"""A test holds them to it that no training has them."""
_WHOLE = 0.98
_MOST_VIEWS = 4000


@dataclass(frozen=True)
class Label:
    """A picture and the word on the only label in it, in capitals."""

    rgb: Rgb
    word: str


def of_home(number: int, seed: int) -> Iterator[tuple[Label, Label]]:
    """Views of the held-out home with one label: as drawn, and with a word that nothing learned."""
    rng = random.Random(f"reading home {seed}")
    given = 0
    for _ in range(_MOST_VIEWS):
        view, _ = held_out_view(rng)
        truth = truth_of_view(view)
        labelled = [at for at, thing in enumerate(view.things) if thing.label]
        seen = [each for each in truth.things if each.label]
        clear = truth.quality == "clear" and len(labelled) == 1 and len(seen) == 1 and not view.layout.signs
        if not clear or seen[0].visible < _WHOLE or seen[0].letter_px < READABLE_PX:
            continue
        other = _relabelled(view, labelled[0], _unlearned(seen[0].label, rng))
        yield Label(picture_of(view), seen[0].label.upper()), Label(picture_of(other[0]), other[1])
        given += 1
        if given == number:
            return


def _relabelled(view: View, at: int, word: str) -> tuple[View, str]:
    things = list(view.things)
    things[at] = replace(things[at], label=word)
    return replace(view, things=tuple(things)), word


def of_stranger(number: int, seed: int) -> Iterator[tuple[Label, Label]]:
    """The same of the second renderer's home."""
    rng = random.Random(f"reading stranger {seed}")
    given = 0
    for _ in range(_MOST_VIEWS):
        picture = random_home(rng, rng.choice(("", "held")))
        items = [each for each in facts_of(picture).items if each.label]
        if len(items) != 1 or not items[0].read or not items[0].whole:
            continue
        word = items[0].label.upper()
        labelled = [thing.label for thing in (*picture.things, *filter(None, [picture.held]))]
        if labelled.count(word) != 1:
            continue
        other = _unlearned(word, rng)
        yield Label(render(picture), word), Label(render(_with_label(picture, word, other)), other)
        given += 1
        if given == number:
            return


def _with_label(picture: HomePicture, word: str, other: str) -> HomePicture:
    def changed(thing: Thing) -> Thing:
        return replace(thing, label=other) if thing.label == word else thing

    held = None if picture.held is None else changed(picture.held)
    return replace(picture, things=tuple(map(changed, picture.things)), held=held)


def _unlearned(word: str, rng: random.Random) -> str:
    """A word of as many letters, at most."""
    return rng.choice([each[: len(word)] if len(word) > 2 else each[:3] for each in UNLEARNED])


def says(sentence: str, word: str) -> bool:
    """Whether an answer says that the label says this word."""
    words = sentence.lower().rstrip(".").split()
    return "says" in words and words[-1] == word.lower()


class Judged:
    """Answers about labels: of the language model alone, and with the text reader."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self.alone: list[bool] = []
        self.read: list[bool] = []
        self.wrongly: list[bool] = []
        """Of the answers with the reader: another word was said."""

    def ask(self, label: Label, eye: Eye, decoder: object, detects: Callable, reads: Callable) -> None:
        """Asks about one label."""
        rows = eye.look(label.rgb)
        detection = detects(rows)
        said, probability = completed(decoder, QUESTION, rows)  # type: ignore[arg-type]
        reading = reads(QUESTION, label.rgb)
        final, _ = checked_answer(said, probability, QUESTION, detection, self._pack, reading)
        self.alone.append(says(said, label.word))
        self.read.append(says(final, label.word))
        self.wrongly.append("says" in final and not says(final, label.word))

    def row(self) -> str:
        """As text."""
        shares = []
        for values in (self.alone, self.read, self.wrongly):
            low, high = wilson(sum(values), len(values))
            shares.append(f"{sum(values) / len(values):6.1%} [{low:.1%}, {high:.1%}]")
        return "  ".join(shares)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.eval reading",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--pack", default="micro")
    parser.add_argument("--labels", type=argument(Annotated[int, Range(1, 2000)]), default=150)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    pack = load_pack(options.pack)
    print(f"reading: pack {pack.name} {pack.version}, seed {options.seed}, {options.labels} labels each")
    print(f"{'':44}{'language model alone':24}{'with the reader':24}another word")
    with (
        loaded(pack.bricks["vision"]) as brick,
        decoder_of(pack) as decoder,
        detector_of(pack) as detects,
    ):
        eye, reads = Eye(brick), reader_of(pack)
        for name, labels in (("held-out home", of_home), ("second renderer", of_stranger)):
            usual, unlearned = Judged(pack), Judged(pack)
            for known, other in labels(options.labels, options.seed):
                usual.ask(known, eye, decoder, detects, reads)
                unlearned.ask(other, eye, decoder, detects, reads)
            print(f"{name + ', usual words':44}{usual.row()}")
            print(f"{name + ', words that nothing learned':44}{unlearned.row()}")


if __name__ == "__main__":
    main()
