"""Timers and alarms as values: what runs, what is due, and what a restart or a clock that jumps makes of it.

A timer counts seconds, so it goes by the monotonic clock, which counts on while the computer is suspended;
its wall-clock end is only for the time after a restart of the computer. An alarm means a time of day, so it
goes by the wall clock.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

MOST = 10
"""So many timers and alarms at once."""
TIMES = 4
"""A timer that nobody acknowledges is announced so many times."""
REPEAT_S = 30.0
"""Between the beginnings of two announcements of the same timer."""
_SAME_S = 1.0  # by which two clocks may drift apart before one of them counts as set anew


@dataclass(frozen=True)
class Now:
    """One moment on both clocks."""

    mono_s: float
    """Monotonic, from an arbitrary start."""
    wall_s: float
    """Since 1970-01-01 UTC."""


@dataclass(frozen=True)
class Timer:
    """One timer, or with `seconds` 0 one alarm."""

    number: int
    """Tells it from every other one ever set on this headband."""
    seconds: int
    """What was asked for, which is also its name."""
    ends_s: float
    """Wall-clock end."""
    due_s: float
    """Monotonic end."""
    again_s: float
    """Monotonic time of the next announcement; `due_s` before the first."""
    said: int = 0
    """Announcements begun so far."""

    @property
    def alarm(self) -> bool:
        """Is it for a time of day?"""
        return self.seconds == 0

    def left_s(self, now: Now) -> float:
        """Seconds to its end; negative afterwards."""
        return self.due_s - now.mono_s


@dataclass(frozen=True)
class Timers:
    """Everything that is set. Every change is a new value."""

    running: tuple[Timer, ...] = ()
    """In the order they were set; those announced but not acknowledged are among them."""
    next_number: int = 1
    off: tuple[Timer, ...] = ()
    """Those that were acknowledged, or announced for the last time, at `off_s`."""
    off_s: float = -math.inf
    """Monotonic."""
    asked_s: float = -math.inf
    """When the wearer was last asked which timer is meant; monotonic."""

    @property
    def next_s(self) -> float | None:
        """Monotonic time of the next announcement; None when nothing is set."""
        return min((timer.again_s for timer in self.running), default=None)

    def with_timer(self, seconds: int, now: Now) -> Timers:
        """With one more timer. Raises `ValueError` for less than a second, or when there are `MOST`."""
        if seconds < 1:
            raise ValueError("A timer counts at least one second.")
        return self._with(seconds, now.wall_s + seconds, now)

    def with_alarm(self, ends_s: float, now: Now) -> Timers:
        """With one more alarm at that wall-clock time. Raises `ValueError` as `with_timer` does."""
        return self._with(0, ends_s, now)

    def without(self, *gone: Timer) -> Timers:
        """Without these."""
        numbers = [timer.number for timer in gone]
        return replace(self, running=tuple(t for t in self.running if t.number not in numbers))

    def due(self, now: Now) -> tuple[Timer, ...]:
        """What has to be announced now, the longest overdue first."""
        due = (timer for timer in self.running if timer.again_s <= now.mono_s)
        return tuple(sorted(due, key=lambda timer: (timer.due_s, timer.number)))

    def after_announcement(self, announced: tuple[Timer, ...], now: Now) -> Timers:
        """With one more announcement of these begun; the last one ends a timer."""
        numbers = [timer.number for timer in announced]
        after = tuple(
            replace(timer, said=timer.said + 1, again_s=now.mono_s + REPEAT_S)
            if timer.number in numbers
            else timer
            for timer in self.running
        )
        return replace(self, running=after)._ended(tuple(t for t in after if t.said >= TIMES), now)

    def acknowledged(self, now: Now) -> Timers:
        """The wearer has noticed: without those that were announced."""
        return self._ended(tuple(timer for timer in self.running if timer.said), now)

    def anchored(self, now: Now) -> Timers:
        """After one of the clocks was set: timers keep their seconds, alarms their time of day."""
        anchored = tuple(_anchored(timer, now) for timer in self.running)
        return self if anchored == self.running else replace(self, running=anchored)

    def _with(self, seconds: int, ends_s: float, now: Now) -> Timers:
        if len(self.running) >= MOST:
            raise ValueError(f"There are {MOST} timers already.")
        due_s = now.mono_s + ends_s - now.wall_s
        timer = Timer(self.next_number, seconds, ends_s, due_s, due_s)
        return replace(self, running=(*self.running, timer), next_number=self.next_number + 1)

    def _ended(self, ended: tuple[Timer, ...], now: Now) -> Timers:
        return replace(self.without(*ended), off=ended, off_s=now.mono_s) if ended else self


def after_restart(timer: Timer, saved: Now, now: Now, same_clock: bool) -> Timer:
    """The timer as it was saved at that moment, on the clocks of `now`.

    `same_clock`: the monotonic clock is the one of `saved`, so only this program restarted. Else the wall
    clock tells how long the computer was gone; where that clock was set back meanwhile, a timer has at most
    what it had left when it was saved.
    """
    due_s = timer.due_s
    if not same_clock:
        left_s = timer.ends_s - now.wall_s
        if not timer.alarm:
            left_s = min(left_s, timer.due_s - saved.mono_s)
        due_s = now.mono_s + left_s
    return _anchored(replace(timer, due_s=due_s, again_s=due_s), now)


def _anchored(timer: Timer, now: Now) -> Timer:
    ahead_s = (timer.ends_s - now.wall_s) - (timer.due_s - now.mono_s)
    if abs(ahead_s) <= _SAME_S or (timer.alarm and timer.said):
        return timer
    if timer.alarm:
        return replace(timer, due_s=timer.due_s + ahead_s, again_s=timer.due_s + ahead_s)
    return replace(timer, ends_s=timer.ends_s - ahead_s)
