"""How well healed exits find a held-out day's views again, in three ways of asking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from tests.eval.eye.days import found_within
from tests.eval.memory.days import Places, as_stored
from tests.eval.memory.healing.days import HeldDay

WORDS, OWN, NEAR = "words", "own full depth", "a repetition's full depth"
ASKED = (WORDS, OWN, NEAR)
"""A view is asked for by a sentence, by where full depth places it, and by where full depth places a view
that the gate refused as the same; all three by the pack's own full depth, whatever is healed.
"""


@dataclass(frozen=True)
class Figures:
    """One trial. percent: R@1 by exit and way of asking; onward: R@1 by words of activations stored at the
    exit and taken to full depth with nothing recomputed; recomputed: blocks that exactness would need.
    """

    percent: Mapping[tuple[int, str], float]
    onward: Mapping[int, float]
    recomputed: Mapping[int, int]


@dataclass(frozen=True, eq=False)
class Placed:
    """What a trial's file has (`models.train.recall.heal.trial`) of all days' views, day after day."""

    places: Places
    onward: Places
    recomputed: Sequence[int]


def figures(found: Placed, days: Sequence[HeldDay], texts: Sequence[Places], exits: Sequence[int]) -> Figures:
    """R@1 over all queries of all days. texts: float32 [queries, embedding] of each day."""
    percent = {
        (depth, asked): 100 * float(np.mean(hits))
        for number, depth in enumerate(exits)
        for asked, hits in _hits(found.places[number], days, texts).items()
        if len(hits)
    }
    onward = {
        depth: 100 * float(np.mean(_hits(found.onward[number], days, texts)[WORDS]))
        for number, depth in enumerate(exits)
    }
    recomputed = dict(zip(exits, map(int, found.recomputed), strict=True))
    return Figures(percent, onward, recomputed)


def _hits(places: Places, days: Sequence[HeldDay], texts: Sequence[Places]) -> dict[str, np.ndarray]:
    """places: of all days' views, [views, embedding]."""
    found: dict[str, list[np.ndarray]] = {asked: [] for asked in ASKED}
    start = 0
    for day, words in zip(days, texts, strict=True):
        views = as_stored(places[start : start + len(day.full)])
        start += len(views)
        found[WORDS].append(found_within(words @ views.T, day.right, 1))
        found[OWN].append((day.full @ views.T).argmax(axis=1) == np.arange(len(views)))
        found[NEAR].append((day.near @ views.T).argmax(axis=1) == day.repeats)
    return {asked: np.concatenate(each) for asked, each in found.items()}


def spread(values: Sequence[float], digits: int = 1, unit: str = " %") -> str:
    """The median, and the least and the largest of several."""
    told = f"{median(values):.{digits}f}{unit}"
    if len(values) < 2:
        return told
    return f"{told} [{min(values):.{digits}f}, {max(values):.{digits}f}]"


def relative(values: Sequence[float], before: float) -> str:
    """By how much more is found than before, percent of that."""
    return spread([100 * (value / max(before, 1e-9) - 1) for value in values])
