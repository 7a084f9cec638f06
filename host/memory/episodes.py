"""Which of the views that fit a question are told of: the latest of those that show what is asked for.

The nearest view alone is often an earlier one of the same thing, and the next ones are of the same moment: a
thing that lies somewhere is seen for a while. So views are taken together that follow one another closely,
each such episode counts by its best view, and the latest that fits about as well as the best is told first.

The thresholds are those of the pack's recall space (`[brick.text.settings]`). Without a word of the pack they
are the micro pack's, which were chosen on validation days: `just eval memory-voice --split validation`.

What the object detector saw in a view counts for more than how well the view fits the words. Cosines tell a
wallet from a book badly that both look as in no training; the thing's own colours do. Where two of a kind
are seen about as often, none of the views has the usual colours, and the object detector alone decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from host.memory.values import Match
from models.pack.brick_settings import TextSettings

EPISODE_S = 60.0
"""A view that comes so much later than the one before begins another episode."""
MORE = 3
"""Views of an episode beside its best one, in case the thing cannot be made out there."""


SHOWS_FROM = 0.2
"""`shows` from which a view that the object detector saw is told of, where another does surely. It and the
two weights were chosen on days of things that look as in no training; a half more or less of each does nearly
as well.
"""
SURELY_FROM = 0.55
"""`shows` that one view has to have for any of them to be told of: else what is there looks a little like it.
Chosen on the same days: there 95 % of the things that were never in view are said to be unseen.
"""
ANY_COLOUR_FROM = 0.85
"""`shows_in_any_colour` that one view has to have for those of at least `SURELY_FROM` to be looked at where
none surely shows the thing: of two of a kind that are seen about as often neither has the usual colours. On
fourteen of the same days it leads to no look for a thing that was never in view.
"""
_COSINE_WEIGHS, _COLOURS_WEIGH = 2.0, 1.0


def shows_in_any_colour(match: Match, best_score: float) -> float:
    """How far a view counts as showing what is asked for, whatever its colours, 1 at most: the object
    detector's probability, less where its cosine is below that of the best. Of a view that the detector did
    not see: 0.
    """
    if match.seen is None:
        return 0.0
    return match.seen.probability + _COSINE_WEIGHS * (match.score - best_score)


def shows(match: Match, best_score: float) -> float:
    """The same, but less where the thing has not the colours that it usually has."""
    if match.seen is None:
        return 0.0
    return shows_in_any_colour(match, best_score) - _COLOURS_WEIGH * (1.0 - match.seen.alike)


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


def _episodes(
    found: Sequence[Match], nearness: Nearness, counts: Callable[[Match, float], float] = shows
) -> list[list[Match]]:
    """The views that show what is asked for, by episode, the latest first, the best of each first. One that
    no object detector saw does where it fits about as well as the best of all; where the best of these has
    the greatest depth among them, only views of that depth are compared with it. counts: how far one that the
    detector saw shows it.
    """
    if not found:
        return []
    best_score = found[0].score
    near = [match for match in found if match.seen is not None and counts(match, best_score) >= SHOWS_FROM]
    unseen = [match for match in found if match.seen is None]
    if unseen:
        best = unseen[0]
        whole = best.row.depth == max(match.row.depth for match in unseen)
        near += [
            match
            for match in unseen
            if match.score >= max(nearness.fits_from, best_score - nearness.about_as_well)
            and (match.row.depth == best.row.depth or not whole)
        ]
    told: list[list[Match]] = []
    for match in sorted(near, key=lambda match: (-match.row.time_s, -match.row.number)):
        if not told or told[-1][-1].row.time_s - match.row.time_s > EPISODE_S:
            told.append([])
        told[-1].append(match)
    return [sorted(each, key=lambda match: (-counts(match, best_score), -match.score)) for each in told]


def episodes(found: Sequence[Match], nearness: Nearness) -> list[Match]:
    """The best view of each episode that shows what is asked for, the latest first; empty where none does.
    found: those that fit best first.
    """
    return [each[0] for each in _episodes(found, nearness)]


def worth_a_look(found: Sequence[Match], nearness: Nearness, *, colour_asked: bool = False) -> list[Match]:
    """Views in the order in which they are looked at until one shows what is asked for: the best of each
    episode, the latest first, and then the next best `MORE` of each. None that the object detector saw is
    worth it unless one of them surely shows it, or shows it in other colours than the usual ones, where the
    wearer has not asked for a colour.
    """
    if not found:
        return []
    best_score = found[0].score
    counts = shows
    if not any(shows(match, best_score) >= SURELY_FROM for match in found):
        counts = shows_in_any_colour
        most = max(counts(match, best_score) for match in found)
        least = SURELY_FROM if most >= ANY_COLOUR_FROM and not colour_asked else math.inf
        found = [match for match in found if match.seen is None or counts(match, best_score) >= least]
    told = _episodes(found, nearness, counts)
    return [match for part in (slice(0, 1), slice(1, 1 + MORE)) for each in told for match in each[part]]
