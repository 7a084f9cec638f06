"""What is said to the headband: numbers mean what the router understands, every word is in the vocabulary,
safety is declined, and nothing that is held out is trained.
"""

from __future__ import annotations

import random
import re

import pytest

pytest.importorskip("PIL")

from host.answers.declined import DECLINED, UNSAFE
from host.answers.timer_replies import _seconds
from host.language.router import Decision, Router
from host.turn.steps import NOT_CAUGHT
from models.train.world import grammar, unanswered
from models.train.world.home import questions as home
from models.train.world.home.captions import captions
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import truth_of
from models.train.world.numbers import clock_times, durations, number_sentence
from models.train.world.out_of_grammar import TEST_SENTENCES, out_of_grammar_sentence
from models.train.world.questions import ask_many
from models.train.world.scenes import random_clip, random_scene
from models.train.world.sentences import all_words, answer_words, question_words, sample_sentence

ROUTER = Router()


def minutes(decision: Decision) -> int:
    slots = decision.slots
    said = 60 * int(slots["hour"]) + int(slots.get("minute", 0)) + int(slots.get("offset", 0))
    return said % 720 if "offset" in slots else said


@pytest.mark.parametrize("split", ["train", "held"])
def test_numbers_are_understood_as_they_are_meant(split: str) -> None:
    rng = random.Random(split)
    for _ in range(600):
        said = number_sentence(rng, split)
        decision = ROUTER.decide(said.text)
        assert (decision.route, decision.intent) == ("device", said.intent), said
        assert grammar.is_held_out(said.text) == (split == "held")
        if said.intent == "volume":
            assert int(decision.slots["number"]) == said.value
        elif said.intent == "alarm":
            assert (minutes(decision), decision.slots.get("part", "")) == (said.value, said.part), said
        else:
            assert _seconds(decision.slots) == said.value, said


def test_every_duration_and_time_of_day_is_understood() -> None:
    for text, seconds in durations():
        assert _seconds(ROUTER.decide(f"set a timer for {text}").slots) == seconds, text
    for text, value in clock_times()[::7]:
        assert minutes(ROUTER.decide(f"wake me at {text}")) == value, text


def test_every_word_that_is_asked_or_answered_is_in_the_vocabulary() -> None:
    rng = random.Random(4)
    asked, answered = question_words(other_speech=False), answer_words()
    assert asked | answered <= all_words()
    for index in range(600):
        split = ("train", "held")[index % 2]
        view = random_clip(rng, split) if index % 3 == 0 else random_scene(rng, split)
        found = ask_many(view, rng, split, 4)
        truth = truth_of(random_view(rng, split)) if index % 5 == 0 else None
        if truth is not None:
            found += home.ask_many(truth, rng, split, 4)
            words = {word for text in captions(truth, rng) for word in re.findall(r"[A-Za-z']+", text)}
            assert words <= answered
        declined = unanswered.unanswered(rng, split)
        texts = [each.question for each in found] + [sample_sentence(rng, split)[0]]
        assert {word for text in texts for word in text.split()} <= asked
        answers = [each.answer for each in (*found, declined)]
        assert {word for text in answers for word in re.findall(r"[A-Za-z']+", text)} <= answered


def test_questions_of_safety_are_declined_whatever_their_words() -> None:
    rng = random.Random(5)
    for split in ("train", "held"):
        for _ in range(400):
            asked = unanswered.safety(rng, split)
            assert asked.answer == UNSAFE
            decision = ROUTER.decide(asked.question)
            assert DECLINED.get(decision.intent) == UNSAFE, asked.question


@pytest.mark.parametrize(
    "text", ["what colour is the", "where is my", "how many", "is there a", "what is next to the"]
)
def test_a_question_that_breaks_off_is_asked_back(text: str) -> None:
    assert DECLINED[ROUTER.decide(text).intent] == unanswered.INCOMPLETE[text]


def test_what_is_asked_back_is_one_of_the_trained_answers() -> None:
    assert set(DECLINED.values()) - {UNSAFE} <= set(unanswered.INCOMPLETE.values())
    assert unanswered.UNSAFE == UNSAFE
    assert unanswered.NOT_CAUGHT == NOT_CAUGHT


def test_held_out_speech_without_an_answer_is_never_trained() -> None:
    rng = random.Random(6)
    trained = {grammar.core(unanswered.unanswered(rng, "train").question) for _ in range(6000)}
    held = {grammar.core(unanswered.unanswered(rng, "held").question) for _ in range(2000)}
    assert not trained & held
    assert not trained & set(TEST_SENTENCES)
    families = {unanswered.unanswered(rng, "train").family for _ in range(200)}
    assert families == {"safety", "incomplete", "other"}


def test_other_speech_asks_nothing_that_the_grammar_answers() -> None:
    rng = random.Random(7)
    for text in (*(out_of_grammar_sentence(rng) for _ in range(3000)), *TEST_SENTENCES):
        assert not grammar.reads(text), text
        assert home.parsed(text) is None, text


def test_a_sentence_of_one_split_is_in_no_other() -> None:
    rng = random.Random(8)
    train, held = ({sample_sentence(rng, split)[0] for _ in range(6000)} for split in ("train", "held"))
    assert not train & held


def test_what_the_old_grammar_held_out_is_still_held_out() -> None:
    for text in ("what colour is the", "is there a red", "where is the blue"):
        for shape in grammar.SHAPES:
            question = f"{text} {shape}"
            assert grammar.is_held_out(question) == grammar.is_held_out(f"please {question}")
            assert grammar.is_held_out(f"what's left of the {shape}") == grammar.is_held_out(
                f"what is left of the {shape}"
            )
