"""The words of spoken questions about the last seconds: none that training has."""

from __future__ import annotations

import random
import re

from models.train.world.clips.draw import random_clip
from models.train.world.wording.clips import HELD_OUT, TRAINED
from tests.eval.motion.__main__ import worded
from tests.eval.motion.heard import random_question


def known(texts: tuple[str, ...], sentence: str) -> bool:
    """Whether a sentence is one of these wordings with things in it."""
    forms = (re.sub(r"\\{item2?\\}", "(the|my) [a-z ]+", re.escape(text)) for text in texts)
    return any(re.fullmatch(form, sentence) for form in forms)


def test_what_is_asked_about_a_clip_is_in_words_that_no_training_has() -> None:
    rng = random.Random(1)
    for seed in range(60):
        for question in random_clip(random.Random(seed), "held").questions:
            text = worded(question, rng)
            assert known(HELD_OUT[question.family], text) and not known(TRAINED[question.family], text)
            assert question.thing in text and question.other in text


def test_what_is_asked_of_the_recogniser_too() -> None:
    rng = random.Random(2)
    for family in tuple(TRAINED) * 20:
        text = random_question(family, rng)
        assert known(HELD_OUT[family], text) and not known(TRAINED[family], text)
