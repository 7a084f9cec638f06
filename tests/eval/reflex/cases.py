"""A closed question with its picture and judge, and sets of them in wanted shares."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rgb = NDArray[np.uint8]
ANSWERABLE = ""
CAUSES = (
    "dark", "blurred", "cut left", "cut right", "cut up", "cut down", "occluded", "small", "absent",
    "false premise", "off topic",
)  # fmt: skip
"""Why a picture has no answer to a question, as the packs' causes are called."""
UNANSWERABLE_SHARE = 0.28
_KINDS = 6
"""Families or causes that a world has at least."""


@dataclass(frozen=True)
class Case:
    """A question about one picture. world: shapes, home, or the stranger's of each; cause: one of `CAUSES`,
    "" where there is an answer; truth: what is so, for people; group: number of the picture, the same for
    all its questions.
    """

    world: str
    family: str
    text: str
    judge: Callable[[str], bool]
    cause: str
    truth: str
    picture: Callable[[], Rgb]
    group: int = 0

    @property
    def answerable(self) -> bool:
        """Whether the picture has an answer."""
        return self.cause == ANSWERABLE


@dataclass(frozen=True)
class Exactly:
    """Right with exactly this sentence; capitals do not count."""

    sentence: str

    def __call__(self, said: str) -> bool:
        return said.strip().lower() == self.sentence.strip().lower()


def composed(
    drawn: Iterable[Case], number: int, unanswerable: float = UNANSWERABLE_SHARE, per_group: int = 3
) -> list[Case]:
    """`number` cases, that share of them unanswerable; fewer where too few are drawn. No cause and no family
    takes more than twice its equal share, and no picture more than `per_group`.
    """
    wanted = {False: round(number * unanswerable)}
    wanted[True] = number - wanted[False]
    found: list[Case] = []
    kinds: Counter[tuple[bool, str]] = Counter()
    groups: Counter[int] = Counter()
    seen: dict[bool, set[str]] = {True: set(), False: set()}
    for case in drawn:
        if not any(wanted.values()):
            break
        kind = case.family if case.answerable else case.cause
        seen[case.answerable].add(kind)
        total = wanted[case.answerable] + sum(
            count for (one, _), count in kinds.items() if one == case.answerable
        )
        most = math.ceil(2 * total / max(len(seen[case.answerable]), _KINDS))
        if not wanted[case.answerable] or groups[case.group] >= per_group:
            continue
        if kinds[case.answerable, kind] >= most:
            continue
        wanted[case.answerable] -= 1
        kinds[case.answerable, kind] += 1
        groups[case.group] += 1
        found.append(case)
    return found


def unanswerable_share(cases: Sequence[Case]) -> float:
    """Share of cases whose picture has no answer."""
    return sum(not case.answerable for case in cases) / max(1, len(cases))
