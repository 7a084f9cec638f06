"""Questions about the view that were heard in doubt."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from host.language.doubt import asked_in_doubt
from host.language.misheard.view import misheard_view
from host.language.politeness import without_politeness
from host.language.router import Router
from host.language.usual.view import known_wording
from models.brick import UNKNOWN_WORD, Transcript
from models.train.world.grammar import SLOT_VALUES, TEMPLATES, fill, random_slots
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
    assert misheard_view(Transcript(heard, 0.9)) == asked
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
        "is it safe to ?? where is my cup", "call my ?? on my phone", "?? is my cup on the table",
        "?? did you last see my cup", "?? you find a white cross",
    ],
)  # fmt: skip
def test_what_may_have_been_missed_of_the_question_stays_unclear(heard: str) -> None:
    assert misheard_view(Transcript(heard, 0.9)) == ""
    assert asked_in_doubt(Transcript(heard, 0.9), 0.5, ROUTER.decide) is None


def doubted(text: str, *unsure: str) -> Transcript:
    """A doubtful transcript of which some words are improbable."""
    words = text.split()
    return Transcript(text, 0.75, doubtful=True, words=tuple(0.3 if w in unsure else 0.99 for w in words))


@pytest.mark.parametrize(
    ("heard", "unsure", "asked"),
    [
        ("could you set what colour my wallet is", "set", "what colour is my wallet"),
        ("which room am i in then", "then", "what room is this"),
        ("in thirty what does the sign say", "in thirty", "what does the sign say"),
        ("hey the how many stars are there", "the", "how many stars are there"),
    ],
)
def test_a_doubtful_word_that_does_not_matter_does_not_hide_a_question(
    heard: str, unsure: str, asked: str
) -> None:
    found = asked_in_doubt(doubted(heard, *unsure.split()), 0.5, ROUTER.decide)
    assert found is not None and found.question == asked and found.decision.route == "now"


@pytest.mark.parametrize(
    ("heard", "unsure"),
    [
        ("is my remote control in front of me", "remote"),
        ("well is my book here", "book"),
        ("do you see any circle at all", "circle"),
        ("what is left of the star", "left"),
        ("is the circle above the star", "above"),
        ("where is the red star", "red"),
        ("delete my phone right now", "delete"),
        ("set a timer for ten minutes", "ten"),
        ("is it safe to touch my cup", "is"),
        ("tell me what you see", "tell"),
    ],
)
def test_a_doubtful_word_that_matters_is_not_taken_as_heard(heard: str, unsure: str) -> None:
    assert asked_in_doubt(doubted(heard, unsure), 0.5, ROUTER.decide) is None


def test_a_recogniser_that_tells_nothing_of_words_is_asked_again() -> None:
    assert misheard_view(Transcript("where is my cup", 0.75, doubtful=True)) == ""


NAMES = {name for slot in ("shape", "shapes", "colour", "size", "big", "item") for name in SLOT_VALUES[slot]}
SENTENCES = [fill(each, random_slots(each, random.Random(each.text))) for each in TEMPLATES]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SENTENCES), st.integers(0, 11))
def test_a_gap_never_turns_a_question_into_another(text: str, at: int) -> None:
    """With any one word missed it stays unclear, or the word was before all that the question names."""
    words = text.split()
    index = at % len(words)
    heard = " ".join([*words[:index], UNKNOWN_WORD, *words[index + 1 :]])
    asked = misheard_view(Transcript(heard, 0.9))
    assert not asked or not NAMES & set(words[: index + 1]), (text, heard)
    find = "find" in words and asked.startswith("where")  # whether it is there, and where, as well
    assert not asked or find or known_wording(text) in ("", asked), (text, heard)


@given(st.randoms(use_true_random=False), st.integers(0, 11))
def test_other_speech_with_a_gap_asks_nothing(rng: random.Random, at: int) -> None:
    words = out_of_grammar_sentence(rng).split()
    assume(not known_wording(" ".join(words)))  # "what colour is the bottle of wine" asks about a bottle
    words[at % len(words)] = UNKNOWN_WORD
    assert misheard_view(Transcript(" ".join(words), 0.9)) == ""


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(SENTENCES), st.integers(0, 11), st.sampled_from(("cup", "red", "left", "star", "no")))
def test_a_doubtful_sentence_asks_what_its_sure_words_ask(text: str, at: int, other: str) -> None:
    """A word that was taken for another changes nothing: without it the sentence asks the same."""
    words = text.split()
    index = at % len(words)
    words[index] = other
    sure = tuple(0.3 if each == index else 0.99 for each in range(len(words)))
    asked = misheard_view(Transcript(" ".join(words), 0.75, doubtful=True, words=sure))
    left = " ".join([*words[:index], *words[index + 1 :]])
    assert asked in ("", known_wording(without_politeness(left)))


@pytest.mark.parametrize(
    "text", ["they opened ?? jacket without thinking", "valley ?? but wednesday bottle december"]
)
def test_a_thing_that_is_only_named_after_a_gap_is_not_asked_about(text: str) -> None:
    assert misheard_view(Transcript(text, 0.9)) == ""
