"""The threshold below which a transcript is doubtful, from what was heard of validation questions."""

from __future__ import annotations

import numpy as np
import pytest

from models.train.recogniser.doubt import threshold
from models.train.recogniser.evaluate import Transcription
from models.train.sound.utterances import LabelledClip

SILENCE = np.zeros(1, np.float32)


def heard(said: str, text: str, probability: float, family: str = "find") -> Transcription:
    clip = LabelledClip(SILENCE, said, family, "en", None)
    return Transcription(clip, text, probability, 0.1)


def test_one_in_two_hundred_of_the_rightly_heard_questions_lies_below() -> None:
    right = [heard("where is my cup", "where is my cup", 0.5 + number / 1000) for number in range(500)]
    wrong = [heard("where is my cup", "where is my cap", 0.01) for _ in range(50)]
    other = [heard("", "where", 0.02, "other speech") for _ in range(50)]
    found = threshold(right + wrong + other)
    assert found == pytest.approx(0.5)
    assert sum(each.probability < found + 0.01 for each in right) / len(right) == pytest.approx(
        0.02, abs=0.01
    )


def test_a_recogniser_that_hears_nothing_rightly_has_no_threshold() -> None:
    assert threshold([heard("where is my cup", "", 0.9)]) == 0.0
