"""The table of question endings is that of the training sentences, and tells incomplete from complete
questions.
"""

from __future__ import annotations

import random

from host.language.end_of_question import TABLE, ending_probability
from models.train.intents.endings import lines
from models.train.world.grammar import sample_text


def test_the_table_is_the_counted_one() -> None:
    assert TABLE.read_text(encoding="utf-8").splitlines() == lines()


def test_held_out_questions_are_whole_and_their_halves_are_not() -> None:
    """Some held-out questions have wordings of which the table has counted nothing."""
    rng = random.Random(3)
    whole, halves = [], []
    for _ in range(400):
        words = sample_text(rng, "held")[0].split()
        whole.append(ending_probability(words))
        halves += [ending_probability(words[:cut]) for cut in range(2, len(words) - 1)]
    assert sum(p is not None and p >= 0.3 for p in whole) / len(whole) > 0.9
    assert sum(p == 0.0 for p in halves) / len(halves) > 0.87


def test_a_word_that_nobody_counted_says_nothing() -> None:
    assert ending_probability(["why", "do", "cats", "purr"]) is None
