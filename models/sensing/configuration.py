"""The ways in which a clip can be looked at (E6 of MMEdge): 81 of them with three depths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

INTERVALS_S = (0.2, 0.4, 0.8)
"""Between two pictures."""
UNITS = (4, 8, 16)
"""Newest pictures that an answer is read from."""
TOGETHER = 4
"""Most pictures that pass the encoder in one request: the ring has room for twice so many beside what it
keeps, as those that pass further blocks lie there before and after these.
"""
AT_THE_END = 16
LENGTHS = (1, TOGETHER, AT_THE_END)
"""Pictures that are waited for: none but the one that comes, four, or all until the question ends."""


@dataclass(frozen=True, order=True)
class Configuration:
    """One way. interval_s: between pictures, seconds. depth: blocks of the encoder that each passes. units:
    newest pictures that the answer is read from. length: pictures that are waited for before any is encoded.

    The recogniser's part of a paper's space is left out: the recogniser chooses its audio context by the
    length of the sound, and no choice here changes it.
    """

    interval_s: float
    depth: int
    units: int
    length: int


def space(depths: Sequence[int]) -> tuple[Configuration, ...]:
    """All ways with an encoder that may stop after these blocks, the least work first of each kind."""
    return tuple(Configuration(*each) for each in product(INTERVALS_S, depths, UNITS, LENGTHS))


def allowed(
    configurations: Sequence[Configuration], shortest_s: float, *, on_arrival: bool
) -> tuple[Configuration, ...]:
    """Those that a power plan permits: no picture sooner than `shortest_s` after another and, unless
    `on_arrival`, none encoded before the question ends.
    """
    return tuple(
        each
        for each in configurations
        if each.interval_s >= shortest_s - 1e-6 and (on_arrival or each.length == AT_THE_END)
    )
