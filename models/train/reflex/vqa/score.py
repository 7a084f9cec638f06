"""The official score of an answer, and the answers that a network chooses from with their scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from models.train.reflex.vqa.normalise import normalised

_ENOUGH = 3
"""People who gave the same answer, from which on it is right."""


def of_agreeing(agreeing: int, people: int) -> float:
    """Score of an answer that `agreeing` of `people` gave: min(n / 3, 1), averaged over the choices of all
    people but one.
    """
    if agreeing == 0:
        return 0.0
    without_other = min(agreeing / _ENOUGH, 1.0)
    without_same = min((agreeing - 1) / _ENOUGH, 1.0)
    return ((people - agreeing) * without_other + agreeing * without_same) / people


def score(said: str, answers: Sequence[str]) -> float:
    """Score of what was said, 0 to 1. answers: of the people, as their format's evaluation compares them."""
    return of_agreeing(answers.count(normalised(said)), len(answers))


def vocabulary(answers: Iterable[Sequence[str]], size: int) -> list[str]:
    """The `size` normalised answers that most people gave, most frequent first.

    answers: of each question. Equally frequent ones are in alphabetical order.
    """
    counts: Counter[str] = Counter(normalised(answer) for one in answers for answer in one)
    del counts[""]
    return sorted(counts, key=lambda answer: (-counts[answer], answer))[:size]


def soft_scores(answers: Sequence[str], numbers: Mapping[str, int]) -> dict[int, float]:
    """Number of each right answer of the vocabulary -> its score. numbers: answer -> its number."""
    counts = Counter(normalised(answer) for answer in answers)
    scored = {answer: of_agreeing(agreeing, len(answers)) for answer, agreeing in counts.items()}
    return {numbers[answer]: value for answer, value in scored.items() if answer in numbers and value > 0}
