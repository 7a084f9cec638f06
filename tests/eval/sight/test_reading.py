"""What `python -m tests.eval reading` asks about: one label that can be read; words that nothing learned."""

from __future__ import annotations

import pytest

from models.train.reader.crops import words
from models.train.world.grammar import SIGN_WORDS
from tests.eval.sight.reading import UNLEARNED, of_home, of_stranger, says


def test_no_training_has_these_words() -> None:
    assert not set(UNLEARNED) & set(words())
    assert not {word.lower() for word in UNLEARNED} & set(SIGN_WORDS)


@pytest.mark.parametrize("labels", [of_home, of_stranger])
def test_a_view_is_shown_twice_with_another_word(labels) -> None:  # type: ignore[no-untyped-def]
    for known, other in labels(2, 1):
        assert known.word != other.word and known.rgb.shape == other.rgb.shape
        assert (known.rgb != other.rgb).any() and (known.rgb != other.rgb).mean() < 0.4


@pytest.mark.parametrize(
    ("sentence", "right"),
    [("The label says jazz.", True), ("The label says milk.", False), ("I cannot read jazz.", False)],
)
def test_an_answer_is_right_where_it_says_the_word(sentence: str, right: bool) -> None:
    assert says(sentence, "JAZZ") is right
