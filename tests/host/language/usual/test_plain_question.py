"""Negated questions, and statements that are questions: what they ask plainly, and what they keep."""

from __future__ import annotations

from pathlib import Path

import pytest

from host.language.router import plain_words
from host.language.usual.plain_question import plain_question
from host.language.usual.view import usual_wording
from models.train.world.said.negation import negated
from models.train.world.truth import TrueAnswer


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("is there no cup on the table", "is my cup on the table"),
        ("isn't my phone here any more", "do you see my phone"),
        ("you can't see my coat can you", "do you see my coat"),
        ("my wallet isn't on the sofa is it", "is my wallet on the sofa"),
        ("am i not holding my keys", "am i holding my keys"),
        ("this is not the kitchen right", "is this the kitchen"),
        ("is there nowhere a red heart to be seen", "is there a red heart"),
        ("are there no blue rings", "are there any blue rings"),
        ("is the diamond not left of the ring", "is the diamond left of the ring"),
        ("the circle doesn't look orange does it", "is the circle orange"),
        ("is the cross no purple one", "is the cross purple"),
        ("i don't think that heart is white", "is the heart white"),
        ("isn't the colour of the square black", "is the square black"),
        ("my umbrella is on the hook right", "is my umbrella on the hook"),
        ("surely there is a green star", "is there a green star"),
        ("don't suppose you can spot my phone on the counter can you", "is my phone on the counter"),
    ],
)
def test_a_negated_question_or_a_statement_asks_plainly(said: str, asked: str) -> None:
    assert usual_wording(said) == asked
    assert usual_wording(asked) == asked


@pytest.mark.parametrize(
    "said",
    [
        "is there a star that is not red",
        "is there anything not red",
        "is there a circle but no star",
        "which one is not on the table",
        "why is my phone not on the table",
        "is there nothing but a red star",
        "is it not true that there is no star",
        "i do not want the red star",
        "do not look at the red star",
        "no there is a red star",
        "are there no more stars than circles",
        "is the star not as big as the circle",
        "is the star not red or blue",
        "is there a not so large red star",
        "never mind the star",
    ],
)
def test_what_may_ask_something_else_stays(said: str) -> None:
    assert usual_wording(said) == said


def test_a_plain_question_is_none_of_these() -> None:
    assert plain_question("is my cup on the table") == ""
    assert plain_question("is the star red") == ""


@pytest.mark.parametrize(
    ("question", "family"),
    [
        ("is there a red star", "exist"),
        ("is the heart white", "check"),
        ("do you see my cup", "where"),
        ("is my cup on the shelf", "where"),
        ("am i holding my keys", "in hand"),
    ],
)
def test_every_way_in_which_training_negates_asks_the_same(question: str, family: str) -> None:
    class First:
        """Gives each choice in turn."""

        at = 0

        def choice(self, options: list[str]) -> str:
            return options[self.at % len(options)]

    rng = First()
    for rng.at in range(6):
        made = negated(TrueAnswer(question, "", family, ""), rng, "train")  # type: ignore[arg-type]
        assert made is not None
        assert usual_wording(made.question) in (question, made.question), made.question


_SLOTS = {"a": "a", "name": "red star", "kind": "star", "colour": "red", "item": "keys", "are": "are",
          "surface": "table"}  # fmt: skip
_ASKED = {
    "shape": ("is there a red star",),
    "colour": ("is the star red", "is there a red star"),
    "thing": ("do you see my keys", "where are my keys"),
    "surface": ("are my keys on the table",),
}


def test_wordings_of_others_ask_the_same_or_stay() -> None:
    lines = Path(__file__).with_name("negated_wordings.txt").read_text(encoding="utf-8").splitlines()
    kind, asked = "", []
    for line in lines:
        if line.startswith("["):
            kind = line[1:-1]
            continue
        text = plain_words(line.format(**_SLOTS))
        found = usual_wording(text)
        assert found == text or found in _ASKED[kind], (text, found)
        asked.append(found != text)
    assert sum(asked) >= 0.85 * len(asked)
