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
"""Below this cosine a view does not show what is asked for: on validation days the best view of a thing that
was in view had more in 98 of 100 cases, the best view where it never was had less in 95.
"""
EPISODE_S = 60.0
"""A view that comes so much later than the one before begins another episode."""


def episodes(found: Sequence[Match]) -> list[Match]:
    """The best view of each episode that fits about as well as the best of all, the latest first; empty where
    none fits. found: the best first. Where the best has the greatest depth among them, only views of that
    depth are compared with it.
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
    kept: list[Match] = []
    later_s: float | None = None
    for match in sorted(near, key=lambda match: (-match.row.time_s, -match.row.number)):
        if later_s is None or later_s - match.row.time_s > EPISODE_S:
            kept.append(match)
        elif match.score > kept[-1].score:
            kept[-1] = match
        later_s = match.row.time_s
    return kept
