"""Questions about the last seconds in other words: what they ask, and what is none."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from host.answers.motion import ClipAsked, clip_asked
from host.language import matcher
from host.language.awaited import LENGTH
from host.language.doubt import sure_enough
from host.language.router import CLIP, Router
from host.language.understanding import understand
from host.language.usual.motion import usual_motion
from models.brick import Transcript
from models.train.world.said.device import expanded, templates_of
from models.train.world.wording import (
    changes,
    clips,
    device,
    everyday,
    held_out,
    home,
    memory,
    places,
    things,
)
from tests.eval.memory_voice.wordings import WORDINGS as from_memory
from tests.eval.stranger.all_questions import questions
from tests.eval.stranger_home.questions import WORDINGS as at_home
from tests.host.language.usual.motion_sentences import OTHERS, SAID

ROUTER = Router()
NOW_OF_THE_LAST_SECONDS = ("change, new", "change, gone")
"""Taught questions about two views, of which the documented wordings of the last seconds are some."""


@pytest.fixture(autouse=True, scope="module")
def _each_sentence_is_matched_once() -> Iterator[None]:
    """The tests ask for the same decisions by several ways, and matching takes most of their time."""
    known: dict[tuple[str, int], Any] = {}
    match = matcher.recognize

    def recognize(text: str, intents: matcher.Intents) -> Any:
        key = text, id(intents)
        if key not in known:
            known[key] = match(text, intents)
        return known[key]

    patch = pytest.MonkeyPatch()
    patch.setattr(matcher, "recognize", recognize)
    yield
    patch.undo()


class Slots(dict[str, str]):
    """What fills the slots of a taught sentence."""

    def __missing__(self, name: str) -> str:
        return {"item": "my cup", "are": "is", "time": "", "relation": "next to", "place": "kitchen"}.get(
            name, "red star"
        )


def asked(text: str, *, remembers: bool = False) -> ClipAsked | None:
    return clip_asked(understand(text, ROUTER, clips=True, usual=True, remembers=remembers).decision)


@pytest.mark.parametrize("meant", SAID, ids="-".join)
def test_other_words_ask_the_same(meant: tuple[str, ...]) -> None:
    said = SAID[meant].split(" / ")
    family, thing, other = (*meant, "", "")[:3]
    assert {text: asked(text) for text in said if asked(text) != ClipAsked(family, thing, other)} == {}


def test_what_is_no_question_about_the_last_seconds_stays_as_it_is() -> None:
    for text in OTHERS.split(" / "):
        assert understand(text, ROUTER, clips=True, usual=True) == understand(text, ROUTER, usual=True), text


@pytest.mark.parametrize("family", clips.TRAINED)
def test_documented_wordings_are_decided_as_before(family: str) -> None:
    for text in (*clips.TRAINED[family], *clips.HELD_OUT[family]):
        said = text.format(item="my cup", item2="the book")
        documented = ROUTER.decide(said, clips=True)
        assert understand(said, ROUTER, clips=True, usual=True).decision == documented
        assert documented.intent == f"{CLIP} {family}"


def taught() -> Iterator[tuple[str, str]]:
    """Family and sentence of everything else that was taught, and of the commands."""
    for table in (
        changes.CHANGES,
        held_out.HELD_OUT,
        home.TRAINED,
        home.HELD_OUT,
        places.PLACES,
        things.THINGS,
    ):
        for family, texts in table.items():
            yield from ((family, text) for text in texts)
    of_the_device = (*device.MEMORY, *device.DEVICE, *device.SMALL_TALK)
    yield from (("device", text) for text in of_the_device)
    yield from (("memory", text.replace("{time}", time)) for text in memory.TRAINED for time in memory.TIMES)
    rng = random.Random(1)
    for text in (*everyday.PATTERNS, *everyday.HELD_OUT) * 4:
        slots = {name: rng.choice(values) for name, values in everyday.SLOTS.items()}
        yield "talk", text.format(**slots)
    yield from ((question.family, question.text) for question in questions(600, 1))
    for family, both in at_home.items():
        yield from ((family, text) for texts in both for text in texts)
    for kind, families in from_memory.items():
        yield from ((kind, text) for texts in families.values() for text in texts)
    for group in ("device", "recall", "memory"):
        for templates in templates_of(group).values():
            yield from ((group, expanded(text, rng)) for text in templates for _ in range(2))


def test_no_sentence_that_was_taught_is_taken_for_one() -> None:
    for family, said in dict.fromkeys((family, text.format_map(Slots())) for family, text in taught()):
        for remembers in (False, True):
            before = ROUTER.decide(said, clips=True, remembers=remembers)
            after = understand(said, ROUTER, clips=True, remembers=remembers).decision
            of_a_pair = family in NOW_OF_THE_LAST_SECONDS and after.intent.startswith(CLIP)
            no_length = after.intent == LENGTH and "minutes" in said  # "set a timer for red star minutes"
            of_itself = no_length or after.intent == "help"
            assert after == before or of_a_pair or before.intent == "follow_up" or of_itself, said


def test_a_memory_that_is_on_is_asked_first() -> None:
    for text in (
        "what did you see moving",
        "did the cup turn up",
        "where was the cup",
        "what was on that sign",
    ):
        assert ROUTER.decide(text, clips=True, remembers=True).route == "memory"
        assert asked(text, remembers=True) is None
    assert asked("what did you see moving") == ClipAsked("moved")


def test_a_pack_without_motion_is_asked_as_before() -> None:
    for text in ("have my specs shifted", "what turned up", "how often did the bulb flicker"):
        decision = understand(text, ROUTER).decision
        assert decision == ROUTER.decide(text) and clip_asked(decision) is None


def test_the_question_goes_on_in_usual_words() -> None:
    first = understand("Did you notice which way my mug was heading?", ROUTER, clips=True)
    assert first.question == "which way did the cup go"
    then = understand("and the keys", ROUTER, first.question, clips=True)
    assert clip_asked(then.decision) == ClipAsked("direction", "keys")
    assert understand("are you sure", ROUTER, first.question, clips=True).decision.intent == "sure"


def test_questions_of_safety_are_declined_before() -> None:
    for text in ("did the traffic light flash", "have my pills moved", "has the car been moving towards me"):
        assert clip_asked(understand(text, ROUTER, clips=True).decision) is None


def test_what_was_surely_heard_in_other_words_is_not_put_into_others_again() -> None:
    decision = understand("was the mug shifted left or right", ROUTER, clips=True).decision
    heard = Transcript("was the mug shifted left or right", 0.9, False)
    assert sure_enough(decision, heard, 0.3, remembers=False, clips=ROUTER.decide) == decision
    doubted = Transcript(heard.text, 0.9, True)
    assert sure_enough(decision, doubted, 0.3, remembers=False, clips=ROUTER.decide).route == "unclear"


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("what is no longer on the table", "what disappeared"),
        ("what is not on the table any more", "what disappeared"),
        ("what is not on the table now", "what disappeared"),
        ("what is not there", "what disappeared"),
        ("what is not on the table", ""),
        ("did anything besides the cup move", ""),
        ("did anything apart from the cup move", ""),
        ("did the cup and the book swap places with each other", "did the cup and the book swap places"),
    ],
)
def test_what_lies_elsewhere_has_not_gone(said: str, asks: str) -> None:
    assert usual_motion(said) == asks
