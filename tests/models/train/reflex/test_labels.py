"""True answers become forms and values, and the same sentences again."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest

from models.bricks.closed_sentence import sentence
from models.train.reflex.forms import CAUSES, answer_table
from models.train.reflex.labels import OFF_TOPIC_FAMILIES, OPEN, OPEN_FAMILIES, Labels, cause_of
from models.train.world import questions as shape_questions
from models.train.world.home import questions as home_questions
from models.train.world.home.random_views import random_view
from models.train.world.home.truth import truth_of
from models.train.world.questions import chat
from models.train.world.scenes import random_scene
from models.train.world.truth import TrueAnswer

TABLE = answer_table()
LABELS = Labels(TABLE)


@cache
def _asked(split: str) -> list[TrueAnswer]:
    rng = random.Random(f"labels {split}")
    asked: list[TrueAnswer] = []
    for _ in range(220):
        asked += shape_questions.ask_many(random_scene(rng, split, 0.05), rng, split, 8)
        asked += home_questions.ask_many(truth_of(random_view(rng, split, 0.05)), rng, split, 6)
        asked.append(chat(rng, split))
    return asked


def _is_long(answer: TrueAnswer) -> bool:
    """A list of three things, or of several of a kind beside another."""
    listed = answer.family in ("on", "next") and answer.answer.count(" and ") + answer.answer.count(",") > 0
    return answer.family in OPEN_FAMILIES or listed


@pytest.mark.parametrize("split", ["train", "held"])
def test_every_closed_answer_can_be_said_with_a_form_and_its_values(split: str) -> None:
    forms: Counter[int] = Counter()
    for answer in _asked(split):
        label = LABELS.of(answer)
        if label == OPEN:
            assert _is_long(answer) or answer.family in OFF_TOPIC_FAMILIES, answer
        else:
            assert LABELS.sentence(label) == answer.answer
            forms[label.form] += 1
    assert len(forms) > 0.75 * len(TABLE.forms)


def test_lists_of_two_are_closed_and_of_three_are_not() -> None:
    two = TrueAnswer("", "Your keys and your cup are on the table.", "on", "answerable")
    three = TrueAnswer("", "Your keys, your cup and your book are on the table.", "on", "answerable")
    assert TABLE.forms[LABELS.of(two).form] == "Your {item} and your {item2} are on the {surface}."
    assert LABELS.of(three) == OPEN


@pytest.mark.parametrize(
    "text",
    [
        "Your glasses are on the living room shelf, left of the remote control.",
        "I see an orange heart and two red hearts, no blue one.",
        "I see only part of your keys, something is in front of them.",
        "I see your red glasses, no blue ones.",
        "There are no crosses.",
        "There is one orange thing.",
        "The number on the sign is thirty.",
        "The number on the sign is zero.",
        "The sign says ninety four.",
    ],
)
def test_articles_plurals_and_verbs_follow_the_values(text: str) -> None:
    label = LABELS.of_sentence(text)
    assert label is not None and LABELS.sentence(label) == text


def test_a_sentence_with_a_wrong_verb_has_no_label() -> None:
    assert LABELS.of_sentence("Your glasses is on the table.") is None


def test_each_cause_is_told_from_true_answers() -> None:
    found = Counter(cause_of(answer) for answer in _asked("train"))
    assert set(found) <= set(CAUSES)
    assert set(CAUSES) - set(found) <= {"cut up", "cut down", "small"}
    assert found[""] > 0.5 * found.total()


@pytest.mark.parametrize(
    ("question", "answer", "family", "cause"),
    [
        ("what room is this", "I cannot tell which place this is.", "room", "no place"),
        ("is this the hall", "I cannot tell which place this is.", "place", "no place"),
        ("what is on the table", "I do not see any of your things here.", "on", ""),
        ("what is bigger", "Which is bigger than what?", "incomplete", "off topic"),
        ("which one is bigger", "Which is bigger than what?", "incomplete", ""),
    ],
)
def test_what_has_no_answer_and_why(question: str, answer: str, family: str, cause: str) -> None:
    assert cause_of(TrueAnswer(question, answer, family, "")) == cause


def test_every_form_of_the_table_is_a_whole_sentence() -> None:
    for number, form in enumerate(TABLE.forms):
        if number:
            values = {name: TABLE.blanks[name][-1] for name in TABLE.blanks}
            said = sentence(form, values, TABLE.plurals)
            assert said[0].isupper() and said.endswith((".", "?")) and "{" not in said and "  " not in said
