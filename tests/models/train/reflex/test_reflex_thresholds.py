"""From which confidence on a closed question is answered, and which questions are asked at all."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is in the training environment only")
pytest.importorskip("onnx", reason="onnx is not installed")

from models.bricks.closed_sentence import AnswerTable
from models.train.reflex.asked import KEPT, asked_by_words, different_words
from models.train.reflex.batches import Examples
from models.train.reflex.examples import Example, Shard
from models.train.reflex.labels import Label
from models.train.reflex.predict import Predictions
from models.train.reflex.thresholds import choose, outcome
from tests.models.train.reflex.tiny_training import SOURCE, examples


def test_questions_whose_words_are_seldom_answered_are_not_asked() -> None:
    held, validation = examples("score"), examples("validation")
    by_its_first_word = [each.words[:, 0] == np.median(validation.words[:, 0]) for each in (held, validation)]
    count = int(max(held.words.max(), validation.words.max())) + 1
    asked = asked_by_words((held, by_its_first_word[0]), (validation, by_its_first_word[1]), count)
    sums = different_words(validation, count) @ asked.weights
    answered = by_its_first_word[1]
    assert asked.kept >= KEPT and asked.share == pytest.approx((sums >= 0).mean())
    assert (sums[answered] >= 0).mean() == pytest.approx(asked.kept)


def _found(confidence: np.ndarray, right: np.ndarray, mixes: list[str], read: bool = True) -> Predictions:
    """One layer's answers "red", each with a confidence, and whether it is right."""
    table = AnswerTable(("", "{colour}"), {"colour": ("red", "blue")}, frozenset(), ("", "dark"), {})
    count = len(confidence)
    logits = np.stack([np.full(count, -30.0), np.zeros(count), np.log(confidence), np.log1p(-confidence)], -1)
    return Predictions(
        table,
        np.ones(count, np.float32),
        np.tile(np.array([1, 0], np.float32), (count, 1)),
        logits[None].astype(np.float16),
        np.zeros((1, count, 1), np.float32),
        np.ones((1, count), np.float32),
        np.stack([np.ones(count, int), 1 - right], -1),
        np.zeros(count, np.int64),
        right[None].astype(np.float32),
        np.full(count, read),
        np.asarray(mixes),
    )


def test_caution_is_chosen_where_something_is_unseen() -> None:
    """Known pictures are right from the least confidence on, unseen ones from 0.8 on."""
    confidence = np.tile(np.linspace(0.55, 0.99, 200), 2)
    mixes = ["known"] * 200 + ["looks"] * 200
    right = np.where(np.arange(400) < 200, 1, confidence > 0.8).astype(int)
    chosen = choose(_found(confidence, right, mixes), 1.0)
    assert 0.7 < chosen.caution["low"] <= chosen.caution["normal"] <= chosen.caution["high"] < 0.9
    known = choose(_found(confidence, np.ones(400, int), mixes), 1.0)
    assert known.caution["high"] == 0.02 and "looks" in known.sentence


def test_a_question_with_words_that_are_not_known_is_not_answered() -> None:
    found = _found(np.full(5, 0.9), np.ones(5, int), ["known"] * 5, read=False)
    chosen = choose(_found(np.full(5, 0.9), np.ones(5, int), ["known"] * 5), 1.0)
    assert outcome(found, chosen, 0.0).coverage == 0
    shard = SOURCE.shard("train", 0)
    strange = Example(0, "what colour is the zebra", Label(0), 0)
    both = Examples([Shard(shard.rows, (shard.examples[0], strange))], SOURCE.table, SOURCE.words)
    assert both.read.tolist() == [True, False]
