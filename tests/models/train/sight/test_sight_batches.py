"""Batches: questions share a picture in slots of their own, and a batch is the same whenever it is made."""

from __future__ import annotations

import random

import numpy as np
import pytest

pytest.importorskip("PIL")
pytest.importorskip("tokenizers", reason="tokenizers is not installed")

from models.train.sight.data.batches import PICTURE_PX, pack, view_batch
from models.train.sight.data.camera import random_shot
from models.train.sight.data.training_batches import BatchPlan, training_batch
from models.train.sight.text_words import TextWords
from models.train.sight.vocabulary import Words
from models.train.world.home.random_views import random_view
from models.train.world.truth import TrueAnswer

TEXT_WORDS = TextWords(("", "?", "a", "cup", "keys", "kitchen", "on", "red", "table", "the"))


@pytest.fixture(scope="module")
def words() -> Words:
    return Words.train()


def test_questions_have_slots_of_their_own_and_answers_are_the_targets(words: Words) -> None:
    asked = [
        TrueAnswer("where are my keys", "I do not see your keys here.", "find", "cannot_tell"),
        TrueAnswer("what room is this", "This is the kitchen.", "room", "answerable"),
        TrueAnswer("what am i holding", "You are holding your cup.", "holding", "answerable"),
    ]
    rows = sum(len(words.prompt(a.question)) + len(words.encode(a.answer)) for a in asked[:2])
    packed = pack([(item, index < 1) for index, item in enumerate(asked)], words, rows, 64)
    assert set(packed["slot"]) == {0, 1}
    for index, item in enumerate(asked[:2]):
        here = packed["question"] == index
        said = [token for token in packed["target"][here] if token != words.end_id]
        assert words.tokenizer.decode(said) == item.answer
        assert packed["positions"][packed["slot"] == index].min() == (64 if index < 1 else 0)
    assert packed["sees"][packed["slot"] == 0].all() and not packed["sees"][packed["slot"] == 1].any()


def test_views_of_the_home_are_asked_about_in_training_sentences_only(words: Words) -> None:
    rng = random.Random(2)
    views = [random_view(rng, "train") for _ in range(4)]
    shots = [random_shot(rng, PICTURE_PX) for _ in views]
    arrays, shown, asked = view_batch(views, rng, ("train",), 6, words, 120, shots)
    assert arrays["pixels"].shape == (4, PICTURE_PX, PICTURE_PX, 3)
    assert len(shown) == len(asked) == 4
    assert all(asked)


def test_a_batch_depends_on_its_step_only_and_every_kind_occurs(words: Words) -> None:
    plan = BatchPlan(pictures=4, questions=3, home_questions=3, sight_pictures=8, sight_steps=1, rest_steps=1,
                     captions=12)  # fmt: skip
    kinds = set()
    for step in range(16):
        one, same = (training_batch(step, words, TEXT_WORDS, plan) for _ in range(2))
        assert one.keys() == same.keys()
        assert all(np.array_equal(one[key], same[key]) for key in one)
        kinds.add(("tokens" in one, "change" in one, "match" in one))
    assert kinds == {(False, False, True), (True, True, False), (True, False, True)}
