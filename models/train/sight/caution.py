"""Chooses how sure a pack's decoder has to be of an answer about pictures, by level of caution.

    python -m models.train.sight.caution .cache/train/vlm/out

Writes `caution.json` beside the decoder: its settings `caution` and `chosen` in a pack. The questions and
views are of the validation split of the home, and of the shapes such as training draws, newly drawn. A level
is the highest probability that withholds no more right answers than `LOST`: the rate of wrong answers
elsewhere is higher than on such views, so a threshold that aims at a rate of wrong answers would be too low
for the pictures of others.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from models.train.pack import CAUTION
from models.train.sight.runtime import AnswerDecoder, Encoder, encoder_in
from models.train.world.drawing import render
from models.train.world.home import questions as home_questions
from models.train.world.home.picture.render import render as render_view
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import truth_of
from models.train.world.questions import ask_many
from models.train.world.scenes import random_scene

LOST = {"low": 0.002, "normal": 0.01, "high": 0.03}
"""Most right answers that are withheld, share of all right ones, by level of caution."""
_STEPS = [step / 100 for step in range(100)]
_EACH = 3


@dataclass(frozen=True)
class Answered:
    """An answer. probability: the least of its tokens'."""

    right: bool
    probability: float


def levels(answers: Sequence[Answered]) -> dict[str, float]:
    """The highest threshold in hundredths, by level, that withholds no more right answers than allowed."""
    right = [each.probability for each in answers if each.right]
    return {
        level: max(step for step in _STEPS if sum(p < step for p in right) <= lost * len(right))
        for level, lost in LOST.items()
    }


def asked(encoder: Encoder, decoder: AnswerDecoder, rng: random.Random, views: int) -> list[Answered]:
    """Answers about as many views of the home and as many scenes of shapes."""
    found: list[Answered] = []
    for _ in range(views):
        view, scene = random_view(rng, "validation"), random_scene(rng, "train")
        for picture, truths in (
            (
                render_view(view, encoder.side_px),
                home_questions.ask_many(truth_of(view, encoder.side_px), rng, "validation", _EACH),
            ),
            (render(scene, 0, encoder.side_px), ask_many(scene, rng, "train", _EACH)),
        ):
            decoder.prefill_images([encoder.encode(picture)])
            for truth in truths:
                said, probability = decoder.answer_with_probability(truth.question)
                found.append(Answered(said == truth.answer, probability))
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
    wrong = [each.probability for each in answers if not each.right]
    caught = ", ".join(f"{level} {sum(p < least for p in wrong)}" for level, least in chosen.items())
    how = (
        f"On {len(answers)} questions about validation views (seed {options.seed}), so that at most "
        f"{', '.join(f'{lost:.1%}' for lost in LOST.values())} of the right answers are withheld."
    )
    out = options.out or options.folder / CAUTION
    out.write_text(json.dumps({"caution": chosen, "chosen": how}))
    print(f"{chosen}; {how} Withheld of {len(wrong)} wrong answers: {caught}.")


if __name__ == "__main__":
    main()
