"""Finds the latest remembered view that shows a thing, with few looks.

The language model takes one thing for another at times, and is sure of it. So a view in which the object
detector does not see the thing either gives way to the next one; it is told of where there is no time to look
at all views that fit, or where the detector holds it possible.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from host.memory.values import Match


@dataclass(frozen=True)
class Found:
    """What is said of a thing that a view shows. borne_out: the share of the scenes that the object detector
    holds possible in which the thing is there, whatever is beside it, 0 to 1; 1 where nothing is checked.
    """

    text: str
    borne_out: float = 1.0


@dataclass(frozen=True)
class BorneOut:
    """at_once_from: from this share on nothing further is looked at; least: below it a view is not told of,
    unless others that fit could not be looked at.
    """

    at_once_from: float = 0.0
    least: float = 0.0


@dataclass(frozen=True)
class LastShown:
    """shown: the view with what is said of it, None for none; doubtful: the object detector hardly sees it;
    looked: views that were looked at; agreeing: those in which the thing was found.
    """

    shown: tuple[Match, Found] | None
    doubtful: bool
    looked: int
    agreeing: int


async def last_shown(
    views: Sequence[Match], looks: int, look: Callable[[Match], Awaitable[Found | None]], wanted: BorneOut
) -> LastShown:
    """Looks at so many views at most, in their order."""
    doubtful: list[tuple[Match, Found]] = []
    for looked, match in enumerate(views[:looks], 1):
        found = await look(match)
        if found is None:
            continue
        if found.borne_out >= wanted.at_once_from:
            return LastShown((match, found), False, looked, len(doubtful) + 1)
        doubtful.append((match, found))
    least = wanted.least if len(views) <= looks else 0.0
    told = next((each for each in doubtful if each[1].borne_out >= least), None)
    return LastShown(told, told is not None, len(views[:looks]), len(doubtful))
