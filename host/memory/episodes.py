"""Which of the views that fit a question are told of: the latest of those that fit about as well as the best.

The nearest view alone is often an earlier one of the same thing, and the next ones are of the same moment: a
thing that lies somewhere is seen for a while. So views are taken together that follow one another closely,
each such episode counts by its best view, and the latest that fits about as well as the best is told first.

The thresholds are those of the pack's recall space (`[brick.text.settings]`). Without a word of the pack they
are the micro pack's, which were chosen on validation days: `just eval memory-voice --split validation`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from host.memory.values import Match
from models.pack.brick_settings import TextSettings

EPISODE_S = 60.0
"""A view that comes so much later than the one before begins another episode."""
MORE = 3
"""Views of an episode beside its best one, in case the thing cannot be made out there."""


@dataclass(frozen=True)
class Nearness:
    """What cosines mean in a pack's recall space."""

    fits_from: float = TextSettings.fits_from
    """Below this cosine a view does not show what is asked for: on the micro pack's validation days few
    things that were in view had no view above it, and few that never were had one.
    """
    about_as_well: float = TextSettings.about_as_well
    """A cosine so much smaller than the best one's still fits about as well."""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Nearness:
        """As the options of the pack's text brick say."""
        return cls(
            float(options.get("fits_from", cls.fits_from)),
            float(options.get("about_as_well", cls.about_as_well)),
        )


def _episodes(found: Sequence[Match], nearness: Nearness) -> list[list[Match]]:
    """The views that fit about as well as the best, by episode, the latest first, the best of each first.
    Where the best has the greatest depth among all, only views of that depth are compared with it.
    """
    if not found:
        return []
    best = found[0]
    whole = best.row.depth == max(match.row.depth for match in found)
    near = [
        match
        for match in found
        if match.score >= max(nearness.fits_from, best.score - nearness.about_as_well)
        and (match.row.depth == best.row.depth or not whole)
    ]
    told: list[list[Match]] = []
    for match in sorted(near, key=lambda match: (-match.row.time_s, -match.row.number)):
        if not told or told[-1][-1].row.time_s - match.row.time_s > EPISODE_S:
            told.append([])
        told[-1].append(match)
    return [sorted(each, key=lambda match: -match.score) for each in told]


def episodes(found: Sequence[Match], nearness: Nearness) -> list[Match]:
    """The best view of each episode that fits about as well as the best of all, the latest first; empty where
    none fits. found: the best first.
    """
    return [each[0] for each in _episodes(found, nearness)]


def worth_a_look(found: Sequence[Match], nearness: Nearness) -> list[Match]:
    """Views in the order in which they are looked at until one shows what is asked for: the best of each
    episode, the latest first, and then the next best `MORE` of each.
    """
    told = _episodes(found, nearness)
    return [match for part in (slice(0, 1), slice(1, 1 + MORE)) for each in told for match in each[part]]
