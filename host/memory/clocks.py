"""When a view was taken, although a headband's wall clock may jump or begin in 1970.

Within a boot the monotonic clock orders, between boots their number does. What the wall clock showed last in
a boot holds for the whole boot: it is set at most from wrong to right. Where boots contradict each other, the
clocks of as many as can be right together with the last one are believed. A boot whose clock was never set,
or is not believed because it is behind, is placed directly after the boot before it; before the first whose
clock was set, directly before the next one. A boot that would end after the next one began is moved back.
Pure.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SET_FROM_S = 1_735_689_600.0
"""A wall clock before 2025-01-01 has not been set, seconds since 1970."""
DOUBTED_S = 3600.0
"""So long into a boot its clock may still be put right. A pause before it cannot be told from a clock that is
ahead, so until then nothing is too old because of what this clock shows.
"""


@dataclass(frozen=True)
class Boot:
    """One boot. number: rises from boot to boot; first_s, last_s: its first and last known monotonic time;
    offset_s: what to add to it for the wall clock, as last shown.
    """

    number: int
    first_s: float
    last_s: float
    offset_s: float

    @property
    def set(self) -> bool:
        """Whether the wall clock was set."""
        return self.last_s + self.offset_s >= SET_FROM_S


def offsets(boots: Sequence[Boot]) -> Mapping[int, float]:
    """Boot number -> seconds to add to its monotonic time; `boots` in the order of their numbers. Times of a
    later boot are never before those of an earlier one.
    """
    believed = _believed(boots)
    found: list[float] = []
    end_s: float | None = None
    for boot in boots:
        offset_s = boot.offset_s
        if boot.number not in believed and end_s is not None:
            offset_s = max(offset_s, end_s - boot.first_s)
        found.append(offset_s)
        end_s = boot.last_s + offset_s
    first_set = next((index for index, boot in enumerate(boots) if boot.set), 0)
    for index in range(len(boots) - 2, -1, -1):
        latest_s = boots[index + 1].first_s + found[index + 1] - boots[index].last_s
        found[index] = latest_s if index < first_set else min(found[index], latest_s)
    return {boot.number: offset_s for boot, offset_s in zip(boots, found, strict=True)}


def _believed(boots: Sequence[Boot]) -> set[int]:
    """The most boots, by number, whose clocks can all be right: each ends before the next begins, and the
    last one whose clock was set is one of them. Of as many those with the later times.
    """
    begins: list[float] = []  # negated, so that they rise: the latest of all series of 1, 2, 3 .. boots
    firsts: list[Boot] = []
    next_to: dict[int, Boot] = {}
    for boot in (boot for boot in reversed(boots) if boot.set):
        length = bisect_right(begins, -(boot.last_s + boot.offset_s))
        begin = -(boot.first_s + boot.offset_s)
        if length:
            next_to[boot.number] = firsts[length - 1]
        elif firsts:
            continue  # it ends after the last boot began
        if length == len(firsts):
            begins.append(begin)
            firsts.append(boot)
        elif begin < begins[length]:
            begins[length], firsts[length] = begin, boot
    found: set[int] = set()
    each = firsts[-1] if firsts else None
    while each is not None:
        found.add(each.number)
        each = next_to.get(each.number)
    return found


def newer_offset(boot: Boot | None, monotonic_s: float, wall_s: float) -> float:
    """The offset after the wall clock was read once more: a clock that was set and shows 1970 again is not
    believed.
    """
    offset_s = wall_s - monotonic_s
    return boot.offset_s if boot is not None and boot.set and wall_s < SET_FROM_S else offset_s
