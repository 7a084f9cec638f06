"""Questions to the memory in the words of many people."""

from __future__ import annotations

import random

import pytest

from host.language.past import questions
from host.language.past.questions import past_question
from host.language.past.time_marks import with_marks
from host.language.politeness import without_politeness
from host.language.router import Router, plain_words
from models.train.world.said.clips import clip_sentence
from models.train.world.sentences import sample_sentence

ROUTER = Router()


@pytest.mark.parametrize(
    ("said", "intent", "rest"),
    [
        ("didn't i leave my keys in the hall", "memory", "my keys"),
        ("did i not put my wallet on the shelf", "memory", "my wallet"),
        ("the taxi is here where did i leave my bag", "memory", "my bag"),
        ("my book where did i put it", "memory", "my book"),
        ("i've only gone and lost my cup where did i put it", "memory", "my cup"),
        ("i am looking for my phone that i had an hour ago", "memory", "my phone an hour ago"),
        ("in the kitchen an hour ago did i see my cup", "memory", "my cup an hour ago"),
        ("have you ten minutes ago seen my keys", "memory", "my keys ten minutes ago"),
        ("on which shelf did i put my glasses", "memory", "my glasses"),
        ("you saw where i put my wallet did you not", "memory", "my wallet"),
        ("did somebody take my umbrella", "memory", "my umbrella"),
        ("did i have my coat on me when i left the park", "memory", "my coat"),
        ("have you seen my keys half an hour ago", "memory", "my keys half an hour ago"),
        ("lamp on or off when i left", "memory", "the lamp"),
        ("there was a label on the bottle and what did it say", "said", "label on the bottle"),
        ("just say what i saw ten minutes ago", "looked_at", "ten minutes ago"),
        ("where did i put my bag just now", "memory", "my bag just"),
        ("where did i put my bag now", "memory", "my bag"),
        ("was my book not on the sofa", "memory", "my book"),
        ("where did i take off my glasses", "memory", "my glasses"),
        ("where did i hang up my coat yesterday", "memory", "my coat yesterday"),
        ("has my bag moved since lunch", "memory", "my bag since lunch"),
        ("did my bag move this morning", "memory", "my bag this morning"),
        ("where was i an hour ago", "where_i_was", "an hour ago"),
        ("where did we go yesterday morning", "where_i_was", "yesterday morning"),
    ],
)
def test_what_is_asked_of_the_memory(said: str, intent: str, rest: str) -> None:
    decision = ROUTER.decide(said, remembers=True)
    assert (decision.route, decision.intent, decision.slots["rest"]) == ("memory", intent, rest)


@pytest.mark.parametrize(
    "said",
    [
        "i have lost my keys", "do you see where i left my keys", "is there a red star",
        "was there a red square", "tell me in which colour you see my bottle", "set a timer for ten minutes",
        "what moved a moment ago", "did my bag move a moment ago", "did my bag move just now",
    ],
)  # fmt: skip
def test_other_questions_ask_nothing_of_it(said: str) -> None:
    assert past_question(said) is None


def test_plainer_words_of_other_questions_ask_nothing_of_it() -> None:
    rng = random.Random(4)
    said = [sample_sentence(rng, "train")[0] for _ in range(400)]
    said += [clip_sentence(rng, "train")[0] for _ in range(300)]
    said = [plain_words(without_politeness(text)) for text in said]
    marked = [(text, with_marks(text)) for text in said]
    others = [text for text, asked in marked if questions._as_it_stands(asked.words, asked) is None]
    assert len(others) > 500
    assert [text for text in others if past_question(text) is not None] == []
