"""Chooses what an object detector decides about answers, on validation pictures that no training has.

    python -m models.train.detector.choose --pack models/packs/micro

prints the table `detection` of the reflex brick's settings, and with --write puts it into the pack. The
pictures are those of `models.train.sight.caution`, with another seed: the pack's decoder and reflex brick are
asked about each, and the detector says what it makes of their answers.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from host.answers.reflex import closed
from host.answers.seen.check import About, Checked, checked
from models.brick import Embedding
from models.caution import Caution
from models.closed_question import ClosedAnswer, ClosedQuestion
from models.detection import Detect, Detection
from models.pack.catalogue import load_pack, seal
from models.train.pack import PACK
from models.train.recall.views import loaded
from models.train.sight.caution import validation_pictures, validation_views
from models.train.sight.runtime import AnswerDecoder, encoder_in
from models.train.world.home.answers import true_answer
from models.train.world.home.captions import PLURALS

RIGHT_LEAST = {"backs": 0.975, "corrects": 0.85}
"""Of the answers that are backed, and of those that are said in place of the decoder's, as many are right."""
WRONG_MOST: dict[Caution, float] = {"low": 0.03, "normal": 0.015, "high": 0.0075}
"""Of the guesses that are given, by caution; twice as many as of what the reflex brick gives alone."""
ABOUT: tuple[About, ...] = ("shapes", "things")
THIRD, TWO_THIRDS = 1 / 3, 2 / 3
"""What is right more often is not doubted; what a thing is beside is told from there on."""
REMEMBERED = {"remembered_from": 0.4, "remembered_least": 0.2}
"""Chosen by questions about four validation days and five of designs (`just eval memory-voice --split`)."""
_DIFFERENT = 0.2
"""An answer that is so in fewer of the scenes is another than the detector's."""
_NEARLY = 4 / 24
_STEPS = [step / 24 for step in range(1, 25)]


@dataclass(frozen=True)
class Answered:
    """One question. right: the decoder's answer is; instead: what the detector says in its place is.
    understood, guess_right: of the reflex brick's guess, as the detector tells it; guessed: its check.
    closed: the reflex brick was asked; answered: it answers or advises alone, at normal caution.
    """

    right: bool
    found: Checked | None
    instead: bool
    understood: float = 0.0
    guessed: Checked | None = None
    guess_right: bool = False
    closed: bool = False
    answered: bool = False


def asked(folder: Path, views: int, seed: int) -> Iterator[Answered]:
    """What decoder, reflex brick and detector make of the questions about as many views and scenes."""
    pack, encoder = load_pack(folder), encoder_in(folder)
    decoder, rng = AnswerDecoder(folder / "decoder.gguf"), random.Random(f"detector {seed}")
    with loaded(pack.bricks["reflex"]) as reflex:
        for picture, truths in validation_pictures(rng, views, encoder.side_px):
            rows = encoder.encode(picture)
            decoder.prefill_images([rows])
            (detection,) = reflex.execute(Detect(Embedding(rows=rows)))
            assert isinstance(detection, Detection)
            for truth in truths:
                said = decoder.answer(truth.question)
                found = checked(said, truth.question, detection)
                instead = found is not None and found.sentence == truth.answer
                answered = Answered(said == truth.answer, found, instead)
                if closed(truth.question):
                    (guess,) = reflex.execute(ClosedQuestion(truth.question, Embedding(rows=rows)))
                    assert isinstance(guess, ClosedAnswer)
                    told = checked(guess.guess, truth.question, detection) if guess.guess else None
                    answered = Answered(
                        answered.right, found, instead, guess.understood, told,
                        told is not None and told.sentence == truth.answer, True, bool(guess.text),
                    )  # fmt: skip
                yield answered


def lowest(chosen: Sequence[tuple[float, bool]], right_least: float) -> float:
    """The lowest share from which on so many are right; 1 where none is."""
    for least in _STEPS:
        above = [right for share, right in chosen if share >= least]
        if above and sum(above) >= right_least * len(above):
            return round(least - 0.5 / 24, 3)
    return 1.0


def beside(folder: Path, views: int, seed: int) -> Iterator[Answered]:
    """What decoder and detector make of where each thing is in as many views of the home, where the decoder
    names a neighbour; such answers are rare among those of `asked`.
    """
    pack, encoder = load_pack(folder), encoder_in(folder)
    decoder, rng = AnswerDecoder(folder / "decoder.gguf"), random.Random(f"beside {seed}")
    with loaded(pack.bricks["reflex"]) as reflex:
        for picture, truth in validation_views(rng, views, encoder.side_px):
            kinds = [thing.kind for thing in truth.seen]
            answers = {kind: true_answer("find", {"item": kind}, truth) for kind in kinds}
            rows = encoder.encode(picture)
            decoder.prefill_images([rows])
            (detection,) = reflex.execute(Detect(Embedding(rows=rows)))
            assert isinstance(detection, Detection)
            for kind, answer in answers.items():
                question = f"where {'are' if kind in PLURALS else 'is'} my {kind}"
                said = decoder.answer(question)
                found = checked(said, question, detection)
                if answer is not None and found is not None and found.shorter:
                    yield Answered(said == answer, found, False)


def beside_from(answers: Sequence[Answered]) -> float:
    """The share of the scenes below which fewer than two in three of the answers that name a neighbour are
    right.
    """
    below = (most for most in _STEPS if _mostly_wrong(answers, most, TWO_THIRDS))
    return round(max(below, default=0.0), 3)


def settings_of(answers: Sequence[Answered], neighbours: Sequence[Answered] = ()) -> dict[str, Any]:
    """The settings `detection`."""
    wrong = ", ".join(f"{100 * share:g} %" for share in WRONG_MOST.values())
    tables: dict[str, Any] = {about: table(answers, about) for about in ABOUT}
    tables["things"]["beside_from"] = beside_from(neighbours)
    return {
        **tables,
        **REMEMBERED,
        "chosen": (
            f"On {len(answers)} questions about validation views, three quarters of them in manners or with "
            f"designs that training never had: of what is backed {RIGHT_LEAST['backs']:.1%} are right, of "
            f"what is said instead {RIGHT_LEAST['corrects']:.0%} and more than before; of what is doubted "
            f"less than a third; of given guesses at most {wrong} are wrong at low, normal and high caution; "
            f"of {len(neighbours)} neighbours those are told of which two in three are right."
        ),
    }


def table(answers: Sequence[Answered], about: About) -> dict[str, Any]:
    """What is decided of answers about shapes, or about things."""
    told = [each for each in answers if each.found is not None and each.found.about == about]

    def pairs(
        share: Callable[[Checked], float], right: Callable[[Answered], bool]
    ) -> list[tuple[float, bool]]:
        return [(share(each.found), right(each)) for each in told if each.found is not None]

    backs = lowest(pairs(lambda found: found.agrees, lambda each: each.right), RIGHT_LEAST["backs"])
    differ = [
        (each.found.share, each.instead, each.right)
        for each in told
        if each.found is not None and each.found.sentence and each.found.agrees < _DIFFERENT
    ]
    corrects = lowest([(share, instead) for share, instead, _ in differ], RIGHT_LEAST["corrects"])
    above = [(instead, right) for share, instead, right in differ if share >= corrects]
    if sum(instead for instead, _ in above) <= sum(right for _, right in above):
        corrects = 1.0
    guesses = [
        (min(each.understood, each.guessed.share), each.guess_right)
        for each in answers
        if each.guessed is not None and each.guessed.about == about and each.guessed.sentence
    ]
    gives = {caution: lowest(guesses, 1 - wrong) for caution, wrong in WRONG_MOST.items()}
    doubts = max((most for most in _STEPS if most <= backs and _mostly_wrong(told, most)), default=0.0)
    return {
        "backs_from": backs,
        "corrects_from": corrects,
        "doubts_below": round(doubts, 3),
        "gives_from": gives,
    }


def _mostly_wrong(told: Sequence[Answered], most: float, right_most: float = THIRD) -> bool:
    """Whether fewer than so many of the answers are right that are so in nearly that share of the scenes, and
    of all that are so in fewer.
    """
    for least in (0.0, max(0.0, most - _NEARLY)):
        some = [each.right for each in told if each.found is not None and least <= each.found.agrees < most]
        if sum(some) >= len(some) * right_most:
            return False
    return True


def given(each: Answered, settings: Mapping[str, Any], caution: Caution = "normal") -> bool:
    """Whether the guess is given, as the detector tells it."""
    if each.guessed is None or not each.guessed.sentence:
        return False
    least: float = settings[each.guessed.about]["gives_from"][caution]
    return min(each.understood, each.guessed.share) >= least


def answered_share(answers: Sequence[Answered], settings: Mapping[str, Any]) -> float:
    """Share of closed questions that need no decoder at normal caution, 0 to 1."""
    closed = [each for each in answers if each.closed]
    return sum(each.answered or given(each, settings) for each in closed) / max(1, len(closed))


def report(answers: Sequence[Answered]) -> list[str]:
    """How many are right, and how many the detector has something to say of."""
    told = [each for each in answers if each.found is not None]
    right = sum(each.right for each in answers) / len(answers)
    lines = [
        f"{len(answers)} questions, the decoder right in {right:.1%}, told of {len(told) / len(answers):.1%}"
    ]
    for low, high in ((0.0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 0.95), (0.95, 1.01)):
        some = [each for each in told if each.found is not None and low <= each.found.agrees < high]
        if some:
            lines.append(
                f"  so in {low:.0%} to {min(high, 1):.0%} of the scenes: {len(some)}, right "
                f"{sum(each.right for each in some) / len(some):.1%}, what is told instead "
                f"{sum(each.instead for each in some) / len(some):.1%}"
            )
    return lines


def _share(answers: Sequence[Answered]) -> str:
    return f"{sum(each.right for each in answers) / max(1, len(answers)):.1%}"


def with_table(manifest: str, settings: Mapping[str, Any]) -> str:
    """The manifest of a pack with these settings in the table of its reflex brick."""

    def value(each: object) -> str:
        if isinstance(each, dict):
            return f"{{ {', '.join(f'{key} = {value(one)}' for key, one in each.items())} }}"
        return json.dumps(each)

    line = f"detection = {value(settings)}"
    text = re.sub(r"(?m)^detection = .*\n", "", manifest)
    return re.sub(r"(?m)^(\[brick\.reflex\.settings\])$", lambda found: f"{found[1]}\n{line}", text, count=1)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pack", type=Path, default=PACK)
    parser.add_argument("--views", type=int, default=500)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="put the table into the pack")
    options = parser.parse_args()
    answers = list(asked(options.pack, options.views, options.seed))
    print("\n".join(report(answers)))
    neighbours = list(beside(options.pack, options.views, options.seed))
    kept = [each for each in neighbours if each.found and each.found.agrees >= beside_from(neighbours)]
    print(
        f"{len(neighbours)} answers name a neighbour, right {_share(neighbours)}; still told of {len(kept)}, "
        f"right {_share(kept)}"
    )
    chosen = settings_of(answers, neighbours)
    print(json.dumps(chosen, indent=1))
    share, alone = answered_share(answers, chosen), [each.answered for each in answers if each.closed]
    by_reflex = sum(alone) / max(1, len(alone))
    print(f"closed questions without the decoder: {share:.1%}, by the reflex brick alone {by_reflex:.1%}")
    for caution in WRONG_MOST:
        guesses = [each.guess_right for each in answers if given(each, chosen, caution)]
        right = sum(guesses) / max(1, len(guesses))
        print(f"  guesses given at {caution} caution: {len(guesses)}, right {right:.1%}")
    if options.write:
        path = options.pack / "pack.toml"
        path.write_text(with_table(path.read_text(encoding="utf-8"), chosen), encoding="utf-8")
        seal(options.pack)


if __name__ == "__main__":
    main()
