"""The judges of answers about the last seconds, and the words of the questions."""

from __future__ import annotations

import random

import pytest

from host.answers.motion import ONLY_ONCE, TOO_DARK, UNSURE, ClipAsked, sentence
from models.clip import ClipAnswer
from tests.eval.stranger_clips.judges import verdict
from tests.eval.stranger_clips.truth import FAMILIES, Truth
from tests.eval.stranger_clips.wordings import DOCUMENTED, OWN, worded

ANSWERS = {
    "direction": ("left", "right", "up", "down", "still", "unseen"), "whether": ("yes", "no", "unseen"),
    "moved": ("cup", "medicine box", "nothing"), "first": ("cup", "book"),
    "flashes": tuple(map(str, range(7))), "blinked": ("yes", "no"), "appeared": ("keys", "nothing"),
    "gone": ("keys", "nothing"), "swapped": ("yes", "no", "unseen"),
    "speed": ("fast", "slow", "still", "unseen"),
}  # fmt: skip


def things_of(family: str) -> tuple[str, str]:
    if family in ("first", "swapped"):
        return "cup", "book"
    return ("cup", "") if family in ("direction", "whether", "speed") else ("", "")


@pytest.mark.parametrize("family", FAMILIES)
def test_the_sentence_of_each_answer_is_right_for_it_and_wrong_for_the_others(family: str) -> None:
    thing, other = things_of(family)
    for given in ANSWERS[family]:
        said = sentence(ClipAsked(family, thing, other), ClipAnswer(given, 1.0, 9), {})
        for true in ANSWERS[family]:
            wanted = "right" if true == given else "wrong"
            assert verdict(Truth(family, thing, other, true), said) == wanted, (said, true)


@pytest.mark.parametrize(
    ("truth", "said", "wanted"),
    [
        (Truth("direction", "cup", "", "left"), "The book went to the left.", "wrong"),
        (Truth("direction", "cup", "", "left"), "It moved left.", "right"),
        (Truth("whether", "", "", "yes"), "Yes, something moved.", "right"),
        (Truth("whether", "", "", "yes"), "No, nothing moved.", "wrong"),
        (Truth("whether", "", "", "no"), "Yes, nothing moved.", "wrong"),
        (Truth("flashes", "", "", "3"), "It flashed 3 times.", "right"),
        (Truth("first", "cup", "book", "cup"), "The book came first, then the cup.", "wrong"),
        (Truth("first", "", "", "cup"), "The cup came first.", "right"),
        (Truth("moved", "", "", "cup"), "The cup and the book moved.", "wrong"),
    ],
)
def test_other_sentences(truth: Truth, said: str, wanted: str) -> None:
    assert verdict(truth, said) == wanted


@pytest.mark.parametrize("said", ["", ONLY_ONCE, UNSURE, TOO_DARK, "Sorry, I did not catch that."])
def test_what_says_nothing_about_the_matter_is_withheld(said: str) -> None:
    assert verdict(Truth("direction", "cup", "", "left"), said) == "withheld"


def test_questions_agree_with_their_things() -> None:
    rng = random.Random(1)
    for family in FAMILIES:
        thing, other = things_of(family)
        for own in (False, True):
            assert "{" not in worded(Truth(family, thing, other, ""), rng, own)
    plural = {worded(Truth("direction", "keys", "", ""), rng, True) for _ in range(60)}
    assert any("have the keys been pushed" in text for text in plural)
    assert not any("has the keys" in text or "was my keys" in text for text in plural)
    assert set(OWN) == set(DOCUMENTED)
