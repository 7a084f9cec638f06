"""Questions about the view in any words, as a headband whose model knows usual wordings asks them."""

from __future__ import annotations

import pytest

from host.language.classifier.view import read_view
from host.language.meaning import Abilities, meaning
from host.language.router import Router
from models.brick import Transcript

ROUTER = Router()
CAN = Abilities(0.5, clips=True, usual=True)


def understood(text: str, can: Abilities = CAN) -> tuple[str, str]:
    found = meaning(Transcript(text, 0.95), ROUTER, can)
    return found.decision.route, found.question


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("can you point out which spot my brolly is sitting in", "where is my umbrella"),
        ("would you happen to be looking at my red cup at all", "do you see my red cup"),
        ("run me through whatever is sitting up on that shelf", "what is on the shelf"),
        ("tell us would the specs be lying on the sofa", "are my glasses on the sofa"),
        ("i seem to have grabbed something what might it be", "what am i holding"),
        ("which sort of room have i wandered into", "what room is this"),
        ("tell me am i in the bathroom at all now", "is this the bathroom"),
        ("what's sitting right up beside my wallet", "what is next to my wallet"),
        ("please be so kind and read off what the sticker says", "what does the label say"),
        ("what shade would you say my coat comes in", "what colour is my coat"),
        ("give us a rundown of everything you've got in view", "what do you see"),
    ],
)
def test_a_question_in_any_words_is_put_into_the_usual_ones(said: str, asks: str) -> None:
    assert understood(said) == ("now", asks)


@pytest.mark.parametrize(
    "said",
    [
        "put the cup back into the kitchen would you darling",
        "why is my bag on the floor",
        "when did i put the book on the desk",
        "don't tell me where my keys are",
        "how many cups are on the table",
        "the cup was on the table and then he dropped it",
        "where are my keys and my wallet",
        "is my wife's coat here",
        "what colour is her bag",
        "where is his purse",
        "is she holding my cup",
        "who is in the kitchen",
        "am i outside the kitchen",
        "am i near the kitchen",
        "is my bag open",
        "is my cup hot",
        "what is in my bag",
        "what am i not holding",
        "what is not on the table",
        "what is on the other table",
    ],
)
def test_other_sentences_with_the_same_words_are_none(said: str) -> None:
    assert read_view(said) is None


def test_a_word_that_the_recogniser_does_not_know_is_left_out() -> None:
    assert understood("could you ?? tell me what is lying over on the bench") == (
        "now",
        "what is on the bench",
    )
    assert understood("?? ?? the bench")[0] == "unclear"


def test_a_transcript_in_doubt_asks_nothing_of_the_view() -> None:
    said = Transcript("run me through whatever is sitting up on that shelf", 0.4)
    assert meaning(said, ROUTER, CAN).decision.route == "unclear"


@pytest.mark.parametrize(
    "said",
    ["is the street ?? to cross", "is it say to cross the street now", "may i cross the road here then"],
)
def test_what_may_be_a_question_of_safety_is_never_asked_of_the_view(said: str) -> None:
    words = tuple(0.2 if word in ("??", "say") else 0.95 for word in said.split())
    assert meaning(Transcript(said, 0.75, doubtful=True, words=words), ROUTER, CAN).decision.route != "now"


def test_a_pack_that_knows_all_words_is_asked_in_the_wearers_own() -> None:
    said = "run me through whatever is sitting up on that shelf"
    assert understood(said, Abilities(0.5))[1] == said


def test_with_the_memory_on_what_is_lost_is_asked_of_the_memory() -> None:
    remembers = Abilities(0.5, remembers=True, clips=True, usual=True)
    assert understood("oh god where have i gone and put my keys", remembers)[0] == "memory"
    assert understood("oh god where have i gone and put my keys") == ("now", "where are my keys")
    assert understood("have a squint and tell me where my brolly has got to")[1] == "where is my umbrella"


def test_usual_words_in_doubt_are_asked_where_the_classifier_agrees() -> None:
    words = "what shade would you call my coat love".split()
    probable = tuple(0.2 if word == "love" else 0.95 for word in words)
    said = Transcript(" ".join(words), 0.7, doubtful=True, words=probable)
    assert meaning(said, ROUTER, CAN).question == "what colour is my coat"
    words = "name all the things you can see".split()
    said = Transcript(" ".join(words), 0.8, doubtful=True, words=(0.6, *(0.8,) * 6))
    assert meaning(said, ROUTER, CAN).question == "what do you see"


@pytest.mark.parametrize(("doubtful", "route"), [("shelf", "unclear"), ("sitting", "now")])
def test_a_word_that_was_hardly_heard_does_not_decide_it(doubtful: str, route: str) -> None:
    words = "run me through whatever is sitting up on that shelf".split()
    probable = tuple(0.4 if word == doubtful else 0.95 for word in words)
    said = Transcript(" ".join(words), 0.8, words=probable)
    assert meaning(said, ROUTER, CAN).decision.route == route


def test_the_decision_tells_how_sure_the_classifier_was() -> None:
    found = meaning(Transcript("run me through whatever is sitting up on that shelf", 0.95), ROUTER, CAN)
    assert found.decision.certainty is not None
    assert 0.45 <= found.decision.certainty <= 1
