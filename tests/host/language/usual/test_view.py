"""Questions in other words than a small decoder was taught: what they become, and what stays as it is."""

from __future__ import annotations

import random
import re

import pytest

from host.language.router import Router
from host.language.understanding import understand
from host.language.usual.view import usual_names, usual_wording
from models.train.world.grammar import SLOT_VALUES, TEMPLATES, Template, fill, meaning, random_slots
from models.train.world.wording import home


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


def pattern(template: Template) -> re.Pattern[str]:
    """What the sentences of a template look like; a slot that comes twice has one value."""
    seen, parts = set(), []
    for part in re.split(r"(\{\w+\})", template.text):
        name = part[1:-1]
        if not part.startswith("{"):
            parts.append(re.escape(part))
        elif name in seen:
            parts.append(f"(?P={name})")
        else:
            values = sorted(SLOT_VALUES[name], key=len, reverse=True)
            parts.append(f"(?P<{name}>{'|'.join(map(re.escape, values))})")
            seen.add(name)
    return re.compile("".join(parts).replace(r"a\ (?P<colour>", r"an?\ (?P<colour>"))


TAUGHT = [
    (template, pattern(template))
    for template in TEMPLATES
    if template.route == "now" and template.family != "follow_up" and "item" not in template.slots
]


def meant(text: str) -> list[tuple[str, dict[str, str]]]:
    """Family and meaning by every template that a sentence fits."""
    return [
        (template.family, meaning(match.groupdict()))
        for template, shape in TAUGHT
        if (match := shape.fullmatch(text))
    ]


def test_no_question_about_shapes_that_was_taught_changes_its_meaning() -> None:
    rng = random.Random(5)
    for template, _ in TAUGHT:
        for _ in range(4):
            slots = random_slots(template, rng)
            text = fill(template, slots)
            asked = usual_wording(text)
            assert asked == text or (template.family, meaning(slots)) in meant(asked), (text, asked)


NEIGHBOURS = {("in hand", "here"), ("find", "here")}
"""Families between which a wording may change: "am I holding my cup" is "do I have my cup in my hand"."""
SLOTS = {"item": "cup", "are": "is", "surface": "shelf", "place": "kitchen", "colour": "red"}


@pytest.mark.parametrize("family", sorted(home.TRAINED))
def test_no_question_about_the_home_that_was_taught_changes_its_family(family: str) -> None:
    families: dict[str, set[str]] = {}
    for name, texts in home.TRAINED.items():
        for text in texts:
            families.setdefault(_form(text), set()).add(name)
    for text in home.TRAINED[family]:
        asked = usual_wording(text.format(**SLOTS))
        if asked != text.format(**SLOTS):
            found = families[_form(asked)]
            assert family in found or any((family, other) in NEIGHBOURS for other in found), (text, asked)


def _form(text: str) -> str:
    """A wording with things left out, to find its family."""
    filled = text.format(**SLOTS) if "{" in text else text
    return " ".join(re.sub(r"\b(the|my|red|is|are)\b", "", filled).split())


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


@pytest.mark.parametrize(
    ("said", "usual"),
    [
        ("my mobile phone", "my phone"),
        ("my key ring", "my keys"),
        ("the bunch of keys", "the keys"),
        ("my reading specs", "my reading glasses"),
        ("my tv remote", "my remote control"),
        ("the box of pills", "the medicine box"),
        ("my bookshelf", "my bookshelf"),
    ],
)
def test_a_thing_by_its_usual_name(said: str, usual: str) -> None:
    assert usual_names(said) == usual
