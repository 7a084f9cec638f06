"""Questions in other words than a small decoder was taught: what they become, and what stays as it is."""

from __future__ import annotations

import re

import pytest

from host.language.router import Router
from host.language.understanding import understand
from host.language.usual_wording import usual_wording
from models.train.world.wording import home, places, things

SLOTS = {
    "item": "cup", "are": "is", "surface": "shelf", "place": "kitchen", "shape": "circle", "shape2": "star",
    "shapes": "circles", "shapes2": "stars", "colour": "red", "colour2": "blue", "size": "large",
    "big": "big", "relation": "left of", "where": "to the left of", "corner": "top left corner",
}  # fmt: skip
NEIGHBOURS = {("in hand", "here"), ("find", "here"), ("exist", "position"), ("describe", "see")}
"""Families between which a wording may change: "am I holding my cup" is "do I have my cup in my hand"."""
TAUGHT = {**home.TRAINED, **things.THINGS, **places.PLACES}


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("in which part of my flat am i standing", "what room is this"),
        ("have you got any idea where my mug could be", "where is my cup"),
        ("what have i got hold of in my fingers", "what am i holding"),
        ("any chance you can see my red jacket", "do you see my red coat"),
        ("would you please name everything on the sofa", "what is on the sofa"),
        ("what are the words printed on that sign", "what does the sign say"),
        ("what is the object standing alongside my bottle", "what is next to my bottle"),
        ("what shade are my spectacles", "what colour are my glasses"),
        ("what figure has the blue one", "what shape is the blue thing"),
        ("is there a purple doughnut somewhere", "is there a purple ring"),
        ("what stands underneath the star", "what is below the star"),
        ("out of the circle and the star which is larger", "which is bigger the circle or the star"),
        ("to which side did the star travel", "which way did the star move"),
        ("any difference that you notice", "what changed"),
        ("which thing have you got in the upper right corner", "what is at the top right corner"),
        ("count me the green squares", "how many green squares are there"),
        ("would you say there more stars than hearts", "are there more stars than hearts"),
        ("which of the is larger the ring or the heart", "which is bigger the ring or the heart"),
    ],
)
def test_other_words_ask_the_same(said: str, asked: str) -> None:
    assert usual_wording(said) == asked
    assert usual_wording(asked) == asked


@pytest.mark.parametrize(
    "said",
    [
        "is there no cup on the table",
        "where was my cup",
        "where is my cup or my book",
        "what is behind the cup",
        "is the star as large as the circle",
        "is the circle left or right of the star",
        "how many stars are not red",
        "where is the blue dog",
        "tell me a story",
        "did the light change colour",
    ],
)
def test_what_may_mean_something_else_stays_as_it_is(said: str) -> None:
    assert usual_wording(said) == said


def form(text: str) -> str:
    """A wording with things and shapes left out, to find its family."""
    return re.sub(r"\s+", " ", re.sub(r"\b(the|my|a|an|red|large|big|is|are)\b", "", text)).strip()


FAMILIES: dict[str, set[str]] = {}
for _family, _texts in TAUGHT.items():
    for _text in _texts:
        FAMILIES.setdefault(form(_text.format(**SLOTS)), set()).add(_family.partition(",")[0])


@pytest.mark.parametrize("family", sorted(TAUGHT))
def test_no_wording_that_was_taught_changes_its_family(family: str) -> None:
    own = family.partition(",")[0]
    for text in (each.format(**SLOTS) for each in TAUGHT[family]):
        asked = usual_wording(text)
        if asked != text:
            found = FAMILIES[form(asked)]
            assert own in found or any((own, other) in NEIGHBOURS for other in found), (text, asked)


def test_only_a_pack_that_was_taught_a_grammar_is_asked_in_its_words() -> None:
    said, router = "In which part of my home am I?", Router()
    assert understand(said, router).question == said
    understood = understand(said, router, usual=True)
    assert (understood.question, understood.decision.route) == ("what room is this", "now")


def test_commands_and_questions_of_safety_are_not_put_into_other_words() -> None:
    router = Router()
    for said in ("set a timer for ten minutes", "is it safe to cross the street", "what time is it"):
        plain, usual = understand(said, router), understand(said, router, usual=True)
        assert plain == usual and plain.decision.route == "device"
