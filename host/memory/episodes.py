"""Which of the views that fit a question are told of: the latest of those that fit about as well as the best.

The nearest view alone is often an earlier one of the same thing, and the next ones are of the same moment: a
thing that lies somewhere is seen for a while. So views are taken together that follow one another closely,
each such episode counts by its best view, and the latest that fits about as well as the best is told first.

Both thresholds are those of the micro pack's recall space, the one with a text tower. They were chosen on
validation days: `just eval memory-voice --split validation`.
"""

from __future__ import annotations

from collections.abc import Sequence

from host.memory.values import Match

ABOUT_AS_WELL = 0.12
"""A cosine so much smaller than the best one's still fits about as well."""
FITS_FROM = 0.5
"""Below this cosine a view does not show what is asked for: on validation days few things that were in view
had no view above it, and few that never were had one.
"""
EPISODE_S = 60.0
"""A view that comes so much later than the one before begins another episode."""
MORE = 3
"""Views of an episode beside its best one, in case the thing cannot be made out there."""


def _episodes(found: Sequence[Match]) -> list[list[Match]]:
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
        if match.score >= max(FITS_FROM, best.score - ABOUT_AS_WELL)
        and (match.row.depth == best.row.depth or not whole)
    ]
    told: list[list[Match]] = []
    for match in sorted(near, key=lambda match: (-match.row.time_s, -match.row.number)):
        if not told or told[-1][-1].row.time_s - match.row.time_s > EPISODE_S:
            told.append([])
        told[-1].append(match)
    return [sorted(each, key=lambda match: -match.score) for each in told]


def episodes(found: Sequence[Match]) -> list[Match]:
    """The best view of each episode that fits about as well as the best of all, the latest first; empty where
    none fits. found: the best first.
    """
    return [each[0] for each in _episodes(found)]


def worth_a_look(found: Sequence[Match]) -> list[Match]:
    """Views in the order in which they are looked at until one shows what is asked for: the best of each
    episode, the latest first, and then the next best `MORE` of each.
    """
    told = _episodes(found)
    return [match for part in (slice(0, 1), slice(1, 1 + MORE)) for each in told for match in each[part]]
