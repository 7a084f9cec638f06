"""From which exit on a view is good enough, told by the view itself: no caption and no truth take part.

A view's place at full depth stands for a question about it. At an exit that is good enough, few other views
of the same day are nearer to that place than the view is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from models.train.recall.views import Places


def ranks(places: Places) -> NDArray[np.int64]:
    """Of one day's places: how many other views are nearer to a view's full depth than it is, [exits,
    views].
    """
    asked = places[-1]
    found = np.empty(places.shape[:2], np.int64)
    for number, at_exit in enumerate(places):
        scores = asked @ at_exit.T
        found[number] = (scores > np.diagonal(scores)[:, None] + 1e-6).sum(axis=1)
    return found


def good_enough(places: Places, most_nearer: int) -> NDArray[np.bool_]:
    """[views, exits]: whether an exit, or one before it, leaves at most so many views nearer. The last exit
    always does.
    """
    good = np.logical_or.accumulate(ranks(places) <= most_nearer, axis=0)
    good[-1] = True
    return np.ascontiguousarray(good.T)


def first_exits(places: Places, most_nearer: int) -> NDArray[np.intp]:
    """The number of the first exit that is good enough, for each view; exits count from 0."""
    return good_enough(places, most_nearer).argmax(axis=1)
