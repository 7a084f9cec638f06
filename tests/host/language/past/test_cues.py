"""A question to the memory in any words is understood by those that it cannot do without."""

from __future__ import annotations

import random

import pytest

from host.language.doubt import sure_enough
from host.language.past.cues import past_by_cues, without_what_follows
from host.language.past.questions import PastQuestion
from host.language.router import Router, plain_words
from models.brick import Transcript
from models.train.world import grammar
from models.train.world.home import questions as home
from models.train.world.home.splits import KINDS
from tests.eval.hearing.past_wordings import WORDINGS
from tests.eval.memory_voice.wordings import WORDINGS as MEASURED

ROUTER = Router()


@pytest.mark.parametrize(
    ("heard", "rest"),
    [
        ("was my book ?? this morning", "my book this morning"),
        ("was the light ?? this morning", "the light this morning"),
        ("did i ?? my bag this morning", "my bag this morning"),
        ("did my wallet ?? you saw ?? this afternoon", "my wallet this afternoon"),
        ("when did i last ?? my bottle in my hand", "my bottle"),
        ("can you tell me where my bottle my bottle last see", "my bottle"),
        ("please tell me where you last are my keys", "my keys"),
        ("do you know when i last you my wallet", "my wallet"),
        ("do you happen to know where i left my keys please", "my keys"),
        ("how ?? did i see the umbrella", "the umbrella"),
        ("where did i leave my remote control go", "my remote control"),
        ("did i ?? my keys on the ??", "my keys"),
    ],
)
def test_the_thing_and_a_word_of_the_past_are_enough(heard: str, rest: str) -> None:
    assert past_by_cues(heard) == PastQuestion("memory", rest)


@pytest.mark.parametrize(
    ("heard", "intent", "rest"),
    [
        ("which thing did i look at this afternoon", "looked_at", "this afternoon"),
        ("do you remember what i hold this morning", "looked_at", "this morning"),
        ("tell me what the sign at the shop say", "said", "sign at the shop"),
        ("do you remember what the sign is the kitchen say", "said", "sign in the kitchen"),
        ("what ?? was on the sign in the hall today", "said", "sign in the hall today"),
    ],
)
def test_views_and_signs_of_the_past(heard: str, intent: str, rest: str) -> None:
    assert past_by_cues(heard) == PastQuestion(intent, rest)


@pytest.mark.parametrize(
    "heard",
    [
        "where is my ??",
        "do you see my coat on the chair",
        "do i have my wallet in my hand",
        "could you tell me if my umbrella is on the floor",
        "can you tell me what the sign in the shop says",
        "which way did my cup go ??",
        "did my cup and the book change places today",
        "was the lamp ??",
        "did i ?? the stove this morning",
        "did i take my medicine today",
        "?? my keys ??",
        "forget what you saw this morning",
        "forget where i put my keys",
        "",
    ],
)
def test_what_is_seen_now_what_happens_and_safety_are_not_asked_of_the_memory(heard: str) -> None:
    assert past_by_cues(heard) is None


def test_a_thing_that_was_not_surely_heard_is_asked_again() -> None:
    text = "did i ?? my bag this morning"
    unsure, sure = (Transcript(text, 0.9, words=(0.9, 0.9, 0.5, 0.9, bag, 0.9, 0.9)) for bag in (0.3, 0.9))
    assert [_decided(heard) for heard in (unsure, sure)] == [
        ("unclear", None),
        ("memory", "my bag this morning"),
    ]


def test_beside_the_present_view_more_than_a_tense_must_tell() -> None:
    assert past_by_cues("have i left my bag on the desk", timeless=False) is None
    assert past_by_cues("did i leave my bag on the desk", timeless=False) == PastQuestion("memory", "my bag")


@pytest.mark.parametrize(
    ("said", "thing"),
    [
        ("where did i put my keys down", "my keys"),
        ("where was my cup the last time you saw it", "my cup"),
        ("when did my umbrella last appear", "my umbrella"),
        ("did i leave the lamp on this morning", "the lamp this morning"),
        ("where did i put my book about cats", "my book about cats"),
        ("where did i put my blue coat", "my blue coat"),
    ],
)
def test_the_memory_is_asked_for_the_thing_alone(said: str, thing: str) -> None:
    assert ROUTER.decide(said, remembers=True).slots["rest"] == thing


def test_what_is_no_thing_of_the_past_stays_as_it_is() -> None:
    others = PastQuestion("looked_at", "today"), PastQuestion("before"), PastQuestion("memory", "my car")
    for past in others:
        assert without_what_follows(past, "said") == past


@pytest.mark.parametrize("template", home.TEMPLATES, ids=lambda template: template.text)
def test_the_present_view_is_still_asked_about(template: grammar.Template) -> None:
    rng = random.Random(template.text)
    for text, _ in rng.choices(home.forms(template), k=3):
        said = grammar.as_spoken(text, rng)
        if ROUTER.decide(said, remembers=True).route == "now" and not _of_what_was_done(said):
            assert past_by_cues(said, timeless=False) is None, said


def _of_what_was_done(said: str) -> bool:
    """Asks where somebody put a thing, which is seen now or was seen."""
    return any(each in plain_words(said) for each in (" i put ", " i left ", "did i ", "have i "))


def test_other_wordings_than_those_that_measure() -> None:
    measured = {text for groups in MEASURED.values() for texts in groups.values() for text in texts}
    assert not measured & {text for texts in WORDINGS.values() for text in texts}


def test_most_validation_wordings_are_understood_in_text() -> None:
    rng, found, of = random.Random(1), 0, 0
    for texts in WORDINGS.values():
        for text in texts:
            thing = f"my {rng.choice(KINDS)}"
            said = text.format(item=thing, time="today", place="shop", spot="hall hook", are="is", were="was")
            route, rest = _decided(Transcript(said, 1.0))
            of += 1
            found += route == "memory" and ("{item}" not in text or str(rest).startswith(thing))
    assert found >= 0.9 * of


def _decided(heard: Transcript) -> tuple[str, object]:
    asked = ROUTER.decide(heard.text, remembers=True)
    found = sure_enough(asked, heard, 0.5, remembers=True)
    return found.route, found.slots.get("rest")
