"""Questions about the last seconds, for packs that understand several pictures in their order."""

from __future__ import annotations

import pytest

from host.answers.motion import ONLY_ONCE, UNSURE, ClipAsked, clip_asked, sentence
from host.language.router import Router
from models.clip import ClipAnswer
from models.train.world.clips.values import FAMILIES
from models.train.world.wording.clips import TRAINED

ROUTER = Router()


@pytest.mark.parametrize("family", TRAINED)
def test_every_wording_asks_its_family(family: str) -> None:
    for text in TRAINED[family]:
        decision = ROUTER.decide(text.format(item="my remote control", item2="the cup"), clips=True)
        asked = clip_asked(decision)
        thing = "remote control" if "{item}" in text else ""
        assert asked == ClipAsked(family, thing, "cup" if "{item2}" in text else ""), text
        assert decision.route == "frames"


def test_without_such_a_pack_and_of_drawn_shapes_they_are_asked_as_before() -> None:
    for text in ("which way did the cup go", "what moved", "did the light blink"):
        assert clip_asked(ROUTER.decide(text)) is None
    star = ROUTER.decide("which way did the star go", clips=True)
    assert star.route == "frames" and clip_asked(star) is None


def test_a_memory_that_is_on_is_asked_first() -> None:
    assert ROUTER.decide("what did the sign say", clips=True, remembers=True).route == "memory"
    assert clip_asked(ROUTER.decide("what did the sign say", clips=True)) == ClipAsked("read")


@pytest.mark.parametrize(
    ("asked", "label", "said"),
    [
        (ClipAsked("direction", "keys"), "left", "The keys went to the left."),
        (ClipAsked("direction", "cup"), "still", "The cup did not move."),
        (ClipAsked("direction", "cup"), "unseen", "I did not see the cup in the last seconds."),
        (ClipAsked("whether", "cup"), "no", "No, the cup did not move."),
        (ClipAsked("whether"), "yes", "Yes, something moved."),
        (ClipAsked("moved"), "medicine box", "The medicine box moved."),
        (ClipAsked("moved"), "nothing", "I saw none of your things move."),
        (ClipAsked("first", "cup", "book"), "book", "The book came first, then the cup."),
        (ClipAsked("first"), "book", "The book came first."),
        (ClipAsked("flashes"), "3", "The light flashed three times."),
        (ClipAsked("flashes"), "0", "The light did not flash."),
        (ClipAsked("blinked"), "yes", "Yes, the light flashed."),
        (ClipAsked("appeared"), "bag", "The bag appeared."),
        (ClipAsked("gone"), "nothing", "Nothing went away."),
        (ClipAsked("swapped", "cup", "book"), "yes", "Yes, the cup and the book changed places."),
        (ClipAsked("speed", "coat"), "slow", "The coat went slowly."),
    ],
)
def test_answers_are_sentences(asked: ClipAsked, label: str, said: str) -> None:
    assert sentence(asked, ClipAnswer(label, 0.9, 5), {asked.family: 0.8}) == said


def test_every_label_of_every_family_has_a_sentence() -> None:
    for family, labels in FAMILIES.items():
        for label in labels:
            for asked in (ClipAsked(family), ClipAsked(family, "cup", "book")):
                said = sentence(asked, ClipAnswer(label, 1.0, 5), {})
                assert said.endswith(".") and said[0].isupper()


def test_an_unsure_answer_and_a_single_picture_are_said_to_be_that() -> None:
    asked = ClipAsked("direction", "cup")
    assert sentence(asked, ClipAnswer("left", 0.5, 5), {"direction": 0.6}) == UNSURE
    assert sentence(asked, ClipAnswer("", 0.0, 1), {"direction": 0.6}) == ONLY_ONCE
