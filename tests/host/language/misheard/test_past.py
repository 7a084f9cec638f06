"""A question to the memory of which not every word was heard is understood by its form and its thing."""

from __future__ import annotations

import random

import pytest

from host.language.misheard.past import misheard_past
from host.language.past.questions import PastQuestion
from models.train.world import grammar
from models.train.world.home import questions as home


@pytest.mark.parametrize(
    ("heard", "rest"),
    [
        ("where did i ?? my keys", "my keys"),
        ("where did i last my coat please", "my coat"),
        ("where have i last the coat right now", "the coat"),
        ("can you remember i where i left my cup", "my cup"),
        ("where can i have left my remote control", "my remote control"),
        ("i cannot ?? where i ?? my wallet", "my wallet"),
        ("where did my umbrella ??", "my umbrella"),
        ("do you ?? where my umbrella is", "my umbrella"),
        ("?? me where my glasses", "my glasses"),
        ("how long ?? did i see my glasses", "my glasses"),
        ("when was the last i saw my bag", "my bag"),
        ("do you see my coat yesterday", "my coat yesterday"),
        ("has the ?? my phone this morning", "my phone this morning"),
    ],
)
def test_the_thing_and_the_form_are_enough(heard: str, rest: str) -> None:
    assert misheard_past(heard) == PastQuestion("memory", rest)


@pytest.mark.parametrize("heard", ["tell me what i ?? yesterday", "what do i see yesterday"])
def test_what_was_looked_at(heard: str) -> None:
    assert misheard_past(heard) == PastQuestion("looked_at", "yesterday")


@pytest.mark.parametrize(
    "heard",
    [
        "where did i ?? my ??",
        "where is my ??",
        "where did the star ??",
        "where can i find the sign",
        "do you see my coat",
        "do you know where my keys are",
        "what do you see today",
        "did i ?? the stove this morning",
        "?? me ??",
        "",
    ],
)
def test_too_little_or_something_else_was_heard(heard: str) -> None:
    assert misheard_past(heard) is None


@pytest.mark.parametrize("template", home.TEMPLATES, ids=lambda template: template.text)
def test_the_present_view_is_still_asked_about(template: grammar.Template) -> None:
    rng = random.Random(template.text)
    for text, _ in rng.choices(home.forms(template), k=3):
        said = grammar.as_spoken(text, rng)
        assert misheard_past(said, timeless=False) is None, said
