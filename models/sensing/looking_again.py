"""Other looks at one picture, to find out whether an answer about it is a guess. Pure.

What a network knows of a picture it also says of the picture moved by a few hundredths; what it guesses, it
often does not (test-time augmentation, Ayhan and Berens 2018). The support of an answer is the mean, over all
looks, of the least probability of its words where the look gave the same answer up to its first comma, and 0
where it did not. An answer that claims nothing (that the thing is not in view, or only a part of it) is not
looked at again: a moved picture has other things at its border, and the wearer loses such an answer's advice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

_MOVES = ((0.031, 0.021, 1.05), (-0.026, -0.031, 0.96), (0.021, -0.026, 1.0))
"""Of each further look: to the right and down, parts of the picture's shorter side, and the brightness."""
MOST = 1 + len(_MOVES)
"""Looks at one picture."""
_CLAIMS_NOTHING = re.compile(
    r"(?:I (?:cannot|can't|do not|don't|did not|have no|see only part)|It is too dark|"
    r"The picture is blurred)\b"
)

_SAYS_WHY = re.compile(r"(?:I (?:cannot|can't) tell|I did not|It is too dark|The picture is blurred)\b")


@dataclass(frozen=True)
class Looks:
    """How often a pack's decoder is asked about one picture. number: looks in all; certain_from: from this
    least probability of a word on, the first is enough.
    """

    number: int = 1
    certain_from: float = 0.0

    def wanted(self, probability: float, said: str) -> bool:
        """Whether an answer whose words have this least probability is worth other looks."""
        return self.number > 1 and probability < self.certain_from and not claims_nothing(said)


def says_why(said: str) -> bool:
    """Whether an answer says only why nothing can be told, which is no more or less sure."""
    return _SAYS_WHY.match(said) is not None


def claims_nothing(said: str) -> bool:
    """Whether an answer says only that something is not in view, or why it cannot be told."""
    return _CLAIMS_NOTHING.match(said) is not None


def other_looks(picture: Picture, number: int) -> Iterator[Picture]:
    """The further looks at a picture, uint8 [height, width, 3], that make `number` with the first. Its edge
    is repeated where it was moved away.
    """
    height, width = picture.shape[:2]
    for across, down, brightness in _MOVES[: number - 1]:
        side = min(height, width)
        rows = np.clip(np.arange(height) - round(down * side), 0, height - 1)
        columns = np.clip(np.arange(width) - round(across * side), 0, width - 1)
        moved = picture[rows][:, columns]
        if brightness != 1.0:
            moved = np.clip(moved * np.float32(brightness), 0, 255).astype(np.uint8)
        yield np.ascontiguousarray(moved)


def support(said: str, probability: float, others: Iterable[tuple[str, float]]) -> float:
    """The support of an answer, 0 to 1. probability: the least of its words'; others: what each further look
    gave, with that of its words.
    """
    parts = [probability, *(least if agrees(text, said) else 0.0 for text, least in others)]
    return sum(parts) / len(parts)


def agrees(text: str, said: str) -> bool:
    """Whether two answers say the same first: "Your keys are on the table", whatever is beside them."""
    first, second = (each.partition(",")[0].rstrip(". ") for each in (text, said))
    return first == second
