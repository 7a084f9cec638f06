"""Questions about the past go to the memory while it is on, those about the present view do not."""

from __future__ import annotations

import random

import pytest

from host.language.past.questions import PastQuestion, of_the_world, past_question
from host.language.router import Router
from models.train.world import grammar
from models.train.world.home import questions as home
from tests.eval.memory_voice.wordings import DOCUMENTED, OWN, WORDINGS

ROUTER = Router()
_SLOTS = {
    "item": "my keys",
    "are": "are",
    "were": "were",
    "time": "today",
    "place": "shop",
    "spot": "hall hook",
}


@pytest.mark.parametrize("kind", WORDINGS)
def test_documented_questions_and_a_strangers_are_asked_of_the_memory(kind: str) -> None:
    for text in (*WORDINGS[kind][DOCUMENTED], *WORDINGS[kind][OWN]):
        decision = ROUTER.decide(text.format(**_SLOTS), remembers=True)
        assert (decision.route == "memory") is (kind != "why"), text
        if kind in ("where", "when", "seen", "was on"):
            assert decision.slots["rest"] in ("my keys", "my keys today"), text
    assert ROUTER.decide("where did i leave my keys").route == "now", "the memory is off"


@pytest.mark.parametrize("template", home.TEMPLATES, ids=lambda template: template.text)
def test_the_present_view_is_still_asked_about_while_the_memory_is_on(template: grammar.Template) -> None:
    rng = random.Random(template.text)
    past = ("where did i", "where have i", "did i leave")
    for text, _ in rng.choices(home.forms(template), k=3):
        said = grammar.as_spoken(text, rng)
        route = ROUTER.decide(said, remembers=True).route
        assert route == "now" or any(each in said for each in past), said


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("was the stove on this morning", "safety"),
        ("did i leave the iron on", "safety"),
        ("was the candle still burning", "safety"),
        ("was the lamp still burning when i left", "memory"),
        ("were the lights left burning", "memory"),
        ("where did i put my pills", "memory"),
        ("what was on the sign in the shop this morning", "said"),
        ("remind me what i saw yesterday", "looked_at"),
        ("and where was it before that", "before"),
        ("remind me where my keys were", "memory"),
        ("was it on the table that i put my cup", "memory"),
        ("did my umbrella turn up yesterday", "memory"),
        ("did you see the star move", None),
        ("read the sign in the shop", None),
        ("do you know where my keys are", None),
        ("have you seen my keys", None),
        ("where was it", None),
    ],
)
def test_what_is_asked_of_the_past(text: str, intent: str | None) -> None:
    found = past_question(text)
    assert (None if found is None else found.intent) == intent


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("was my cup on the shelf two hours ago", "my cup two hours ago"),
        ("did i leave my keys on the table last night", "my keys last night"),
        ("did i leave the hall lamp lit on tuesday night", "the hall lamp on tuesday night"),
        ("was the lamp on when i left this morning", "the lamp this morning"),
        ("was my book there last night", "my book last night"),
        ("was the exam lamp lit at two in the morning", "the exam lamp at two in the morning"),
        ("which shop did i leave my umbrella in on friday", "my umbrella on friday"),
        ("was the light on yesterday evening yes or no", "the light yesterday evening"),
    ],
)
def test_a_time_after_a_place_or_a_state_is_not_lost(text: str, rest: str) -> None:
    assert past_question(text) == PastQuestion("memory", rest)


def test_just_then_is_a_moment_ago() -> None:
    assert past_question("what did you see just then") == PastQuestion("looked_at", "just")


def test_what_happens_in_the_world_is_nothing_that_a_wearer_saw() -> None:
    assert of_the_world("when was the telephone invented")
    assert not of_the_world("where did i leave the boat that my brother built")
    assert not of_the_world("when was the telephone last seen")
