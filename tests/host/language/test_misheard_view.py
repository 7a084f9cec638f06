"""Questions about the view of which only words before them were missed."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host.language.doubt import asked_in_doubt
from host.language.misheard_view import misheard_view
from host.language.router import Router
from host.language.usual_wording import known_wording
from models.brick import UNKNOWN_WORD, Transcript
from models.train.world.grammar import TEMPLATES, fill, random_slots
from models.train.world.out_of_grammar import out_of_grammar_sentence

ROUTER = Router()


@pytest.mark.parametrize(
    ("heard", "asked"),
    [
        ("would you ?? me where my wallet is", "where is my wallet"),
        ("do you ?? where my keys are", "where are my keys"),
        ("i would ?? to know the colour of the square", "what colour is the square"),
        ("?? me a ?? of what is on the bed", "what is on the bed"),
        ("could you ?? me how many circles there are", "how many circles are there"),
        ("i ?? if there is a red star", "is there a red star"),
        ("I am ?? to find my bag.", "where is my bag"),
    ],
)
def test_words_missed_before_a_question_do_not_hide_it(heard: str, asked: str) -> None:
    assert misheard_view(heard) == asked
    found = asked_in_doubt(Transcript(heard, 0.8), 0.5, ROUTER.decide)
    assert found is not None and found.question == asked and found.decision.route == "now"
    assert asked_in_doubt(Transcript(heard, 0.4), 0.5, ROUTER.decide) is None, "much too improbable"


@pytest.mark.parametrize(
    "heard",
    [
        "where is the ??", "what colour is the ??", "where is the ?? cup", "is the ?? control in my hand",
        "which ?? is next to the cross", "what can you see on the ??", "describe the ?? of ??",
        "what happened to the ??", "when did i ?? have my book", "why ?? where is my cup",
        "i do not ?? where is my cup", "?? holding", "turn ?? the light",
        "my ?? went to what happened next week", "where is my cup", "is the cup on the shelf", "", "??",
        "is it safe to ?? where is my cup", "call my ?? on my phone",
    ],
)  # fmt: skip
def test_what_may_have_been_missed_of_the_question_stays_unclear(heard: str) -> None:
    assert misheard_view(heard) == ""
    assert asked_in_doubt(Transcript(heard, 0.9), 0.5, ROUTER.decide) is None


SENTENCES = [fill(each, random_slots(each, random.Random(each.text))) for each in TEMPLATES]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SENTENCES), st.integers(0, 11))
def test_a_gap_never_turns_a_question_into_another(text: str, at: int) -> None:
    """With any one word missed it stays unclear, or asks what the words after the gap ask."""
    words = text.split()
    index = at % len(words)
    heard = " ".join([*words[:index], UNKNOWN_WORD, *words[index + 1 :]])
    asked = misheard_view(heard)
    assert asked in ("", known_wording(text)), (text, heard)


@given(st.randoms(use_true_random=False), st.integers(0, 11))
def test_other_speech_with_a_gap_asks_nothing(rng: random.Random, at: int) -> None:
    words = out_of_grammar_sentence(rng).split()
    words[at % len(words)] = UNKNOWN_WORD
    assert misheard_view(" ".join(words)) == ""
