"""Finds the last view of a thing at another spot, with few looks, among views of which most show the same.

A thing lies where it lies for hours, in many views, and looks at them are dear. So the looks go back in
growing steps while the spot is the same, and once it is another one, the middle of what lies between is
looked at, until both are neighbours (galloping search, Bentley and Yao 1976).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Shows = Literal["same", "elsewhere", "nothing"]


@dataclass(frozen=True)
class Found:
    """Numbers of views. elsewhere: the last one that is known to show the thing elsewhere, None for none;
    same: those that show it at the same spot, the latest first; looked: how many were looked at.
    """

    elsewhere: int | None
    same: tuple[int, ...]
    looked: int


async def last_elsewhere(
    views: int, looks: int, look: Callable[[int], Awaitable[Shows]], likely: Sequence[int] = ()
) -> Found:
    """Searches views 0 (the latest) to `views` - 1 with at most so many looks. likely: those that seem to
    show it elsewhere, the latest first, which are looked at before all others. Where the spot changes more
    than once within one step, it may be an earlier change that is found; where the oldest view shows the same
    spot again, looks that are left go to the middle of what nobody has looked at.
    """
    seen: dict[int, Shows] = {}
    for number in likely[:looks]:
        seen[number] = await look(number)
        if seen[number] == "elsewhere":
            return Found(number, _same(seen), len(seen))
    oldest, step = views, 1
    while len(seen) < looks and len(seen) < views:
        newest = max((each for each in seen if each < oldest and seen[each] == "same"), default=-1)
        left = [number for number in range(newest + 1, oldest) if number not in seen]
        if left:
            aim = newest + step if oldest == views else (newest + oldest) // 2
            number = min(left, key=lambda each: (abs(each - aim), -each))
        elif oldest < views:
            break
        else:
            number = _farthest(seen, views)
        seen[number] = await look(number)
        if seen[number] == "same":
            step *= 2
        elif seen[number] == "elsewhere":
            oldest = number
    return Found(oldest if oldest < views else None, _same(seen), len(seen))


def _same(seen: Mapping[int, Shows]) -> tuple[int, ...]:
    return tuple(sorted(number for number, shows in seen.items() if shows == "same"))


def _farthest(seen: Collection[int], views: int) -> int:
    """The number that is farthest from all that were looked at."""
    left = (number for number in range(views) if number not in seen)
    return max(left, key=lambda number: min(abs(number - each) for each in seen))
