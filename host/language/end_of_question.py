"""Does a question end after these words? `models.train.world.endings` counts it in training questions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("end_of_question.txt")


def ending_probability(words: Sequence[str]) -> float | None:
    """How probable it is that a question of these words is over, by the longest known run of last words; None
    where not even the last one is known.
    """
    said = ["^", *words]
    for start in range(len(said)):
        percent = _table().get(" ".join(said[start:]))
        if percent is not None:
            return percent / 100
    return None


@cache
def _table() -> dict[str, int]:
    lines = (line.partition(" ") for line in TABLE.read_text(encoding="utf-8").splitlines())
    return {context: int(percent) for percent, _, context in lines}
