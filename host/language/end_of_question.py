"""Probability that a question ends after given words, by the table of `models.train.intents.endings`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("end_of_question.txt")


def ending_probability(words: Sequence[str]) -> float | None:
    """Probability that a question ends after `words` (lower case), by the longest counted sequence of its
    last words; None when not even the last word was counted.
    """
    like = _table()[1]
    said = ["^", *(like.get(word, word) for word in words)]
    for start in range(len(said)):
        percent = _table()[0].get(" ".join(said[start:]))
        if percent is not None:
            return percent / 100
    return None


@cache
def _table() -> tuple[dict[str, int], dict[str, str]]:
    """The percentages by context, and the word that each of the words that are counted alike stands for."""
    lines = [line.partition(" ") for line in TABLE.read_text(encoding="utf-8").splitlines()]
    percents = {context: int(percent) for percent, _, context in lines if percent != "like"}
    alike = [words.split() for start, _, words in lines if start == "like"]
    return percents, {word: words[0] for words in alike for word in words}
