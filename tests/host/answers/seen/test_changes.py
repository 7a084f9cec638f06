"""What a sentence about two pictures claims, told anew from scenes whose truth the drawn world knows."""

from __future__ import annotations

import random

import pytest

from host.answers.seen.about_changes import claim_of, comparable
from host.answers.seen.check import checked_change
from host.answers.seen.scene import Item, Scene
from models.train.world.grammar import COLOURS, SHAPES
from models.train.world.home.splits import KINDS
from models.train.world.questions import ask_many
from models.train.world.scenes import SIDE_PX, random_clip
from models.train.world.scenes import Scene as Drawn
from tests.host.answers.seen.test_check import candidate, detection


def scene(*items: Item) -> Scene:
    return Scene(items, (), None, "", COLOURS, SHAPES, KINDS)


def _of(drawn: Drawn) -> Scene:
    return scene(
        *(
            Item(one.shape, one.colour, one.x / SIDE_PX, one.y / SIDE_PX, *(one.radius_px / SIDE_PX,) * 2)
            for one in drawn.things
        )
    )


def test_a_true_answer_is_claimed_of_the_true_pictures() -> None:
    rng, untold = random.Random(4), 0
    for _ in range(80):
        clip = random_clip(rng, "train", 0.0)
        for answer in ask_many(clip, rng, "train", 8):
            claim = claim_of(answer.answer, answer.question)
            if claim is None:
                assert answer.family == "motion", "what one thing did is the language model's"
                untold += 1
            else:
                assert claim(_of(clip.first), _of(clip.second)) == answer.answer, answer
    assert untold


STAR, RING = Item("star", "red", 0.2, 0.5, 0.1, 0.1), Item("ring", "blue", 0.7, 0.5, 0.1, 0.1)
MOVED, GREEN = Item("star", "red", 0.2, 0.8, 0.1, 0.1), Item("ring", "green", 0.7, 0.5, 0.1, 0.1)


@pytest.mark.parametrize(
    ("question", "said", "later", "instead"),
    [
        ("what changed", "Nothing changed.", (MOVED, RING), "The star moved down."),
        ("did anything change", "No, nothing changed.", (STAR, GREEN),
         "Yes, the ring changed from blue to green."),
        ("what is gone", "Nothing is gone.", (STAR,), "The blue ring is gone."),
        ("what is new", "A red star is new.", (STAR, RING), "Nothing is new."),
        ("is the star still there", "No, the star is gone.", (STAR, RING), "Yes, the star is still there."),
        ("did the ring change colour", "No, the ring did not change its colour.", (STAR, GREEN),
         "Yes, the ring changed from blue to green."),
        ("where did the star go", "The star is gone.", (MOVED, RING), ""),
        ("is the blue star still there", "I see a red star, no blue one.", (STAR, RING),
         "I see a red star, no blue one."),
    ],
)  # fmt: skip
def test_a_wrong_answer_is_told_rightly(
    question: str, said: str, later: tuple[Item, ...], instead: str
) -> None:
    claim = claim_of(said, question)
    assert claim is not None and claim(scene(STAR, RING), scene(*later)) == instead


def test_two_of_one_shape_are_not_told_apart() -> None:
    other = Item("star", "blue", 0.8, 0.8, 0.1, 0.1)
    assert comparable(scene(STAR, RING), scene(MOVED, RING))
    assert not comparable(scene(STAR, other), scene(STAR))
    twice = detection(candidate(0.2, 0.5, "star", "red"), candidate(0.8, 0.8, "star", "blue"))
    assert checked_change("Nothing changed.", "what changed", twice, twice) is None


def test_two_detections_are_compared() -> None:
    before = detection(candidate(0.2, 0.5, "star", "red"))
    after = detection(candidate(0.2, 0.9, "star", "red"))
    found = checked_change("Nothing changed.", "what changed", before, after)
    assert found is not None and (found.sentence, found.agrees) == ("The star moved down.", 0.0)
    assert checked_change("The sign says stop.", "what changed", before, after) is None
