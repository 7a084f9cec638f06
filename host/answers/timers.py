"""Timers and alarms as values: which run, which are due, and how a restart or a changed clock affects them.

A timer counts seconds, so it follows the monotonic clock, which also runs while the computer is suspended;
its wall-clock end is needed only after a restart of the computer. An alarm means a time of day, so it follows
the wall clock. It is never more than a day ahead: where the clock was set back by more than that, as an empty
real-time clock is, it means the next such time of day.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from host.language.timers.names import is_name, same_name, short_for

MOST = 10
"""Largest number of timers and alarms at once."""
TIMES = 4
"""Number of announcements of a timer that is not acknowledged."""
REPEAT_S = 30.0
"""Seconds between the beginnings of two announcements of the same timer."""
_DAY_S = 25 * 3600.0
"""The longest day: the one on which summer time ends."""
WEARERS_WORDS = {"wearer's words": True}
"""Metadata of a field that no journal may have."""
_SAME_S = 1.0  # a larger difference of the two clocks means that one of them was set


@dataclass(frozen=True)
class Now:
    """One moment on both clocks."""

    mono_s: float
    """Monotonic seconds, from an arbitrary start."""
    wall_s: float
    """Seconds since 1970-01-01 UTC."""


@dataclass(frozen=True)
class Timer:
    """A timer, or an alarm when `seconds` is 0."""

    number: int
    """Unique among all timers and alarms ever set on this headband."""
    seconds: int
    """Requested duration; a timer without a name is called by it."""
    ends_s: float
    """End on the wall clock."""
    due_s: float
    """End on the monotonic clock."""
    again_s: float
    """Monotonic time of the next announcement; `due_s` before the first."""
    said: int = 0
    """Announcements begun so far."""
    name: str = field(default="", metadata=WEARERS_WORDS)
    """What the wearer calls the timer ("pasta"); "" for an alarm and for a timer without a name."""

    @property
    def alarm(self) -> bool:
        """True for an alarm."""
        return self.seconds == 0

    def left_s(self, now: Now) -> float:
        """Seconds to its end; negative afterwards."""
        return self.due_s - now.mono_s


@dataclass(frozen=True)
class Timers:
    """All timers and alarms. Each method that changes something returns a new value."""

    running: tuple[Timer, ...] = ()
    """In the order they were set, including those that are announced but not acknowledged."""
    next_number: int = 1
    off: tuple[Timer, ...] = ()
    """The timers that ended last: they were acknowledged, or announced for the last time, at `off_s`."""
    off_s: float = -math.inf
    """Monotonic seconds."""
    asked_s: float = -math.inf
    """Monotonic seconds at which the wearer was last asked which timer or alarm to cancel."""
    asked_of_alarms: bool = False
    """True where that was asked about alarms, False where it was about timers."""

    @property
    def next_s(self) -> float | None:
        """Monotonic time of the next announcement; None without timers."""
        return min((timer.again_s for timer in self.running), default=None)

    def with_timer(self, seconds: int, now: Now, name: str = "") -> Timers:
        """Adds a timer. Raises `ValueError` for less than a second, or when there are `MOST`."""
        if seconds < 1:
            raise ValueError("A timer counts at least one second.")
        return self._with(seconds, now.wall_s + seconds, now, name)

    def with_alarm(self, ends_s: float, now: Now) -> Timers:
        """Adds an alarm at wall-clock time `ends_s`. Raises `ValueError` as `with_timer` does."""
        return self._with(0, ends_s, now)

    def without(self, *gone: Timer) -> Timers:
        """Removes the timers `gone`."""
        numbers = [timer.number for timer in gone]
        return replace(self, running=tuple(t for t in self.running if t.number not in numbers))

    def instead(self, old: Timer, seconds: int, ends_s: float, now: Now) -> Timers:
        """With another timer or alarm of the same name in place of one, which ends at wall-clock time
        `ends_s`. It is the last that was set.
        """
        return self.without(old)._with(seconds, ends_s, now, old.name)

    def renamed(self, old: Timer, name: str, now: Now) -> Timers:
        """With the same timer by another name in place of one. It is the last that was set."""
        return self.without(old)._with(old.seconds, now.wall_s + old.left_s(now), now, name)

    def with_again(self, gone: tuple[Timer, ...], now: Now) -> Timers:
        """With timers and alarms that were removed, except those for which there is no place."""
        known = {timer.number for timer in self.running}
        again = tuple(timer for timer in gone if timer.number not in known)[: MOST - len(self.running)]
        return replace(self, running=(*self.running, *again)).adjusted(now)

    def due(self, now: Now) -> tuple[Timer, ...]:
        """The timers to announce now, the longest overdue first."""
        due = (timer for timer in self.running if timer.again_s <= now.mono_s)
        return tuple(sorted(due, key=lambda timer: (timer.due_s, timer.number)))

    def after_announcement(self, announced: tuple[Timer, ...], now: Now) -> Timers:
        """Counts one more announcement of these timers; after `TIMES` announcements a timer is removed."""
        numbers = [timer.number for timer in announced]
        after = tuple(
            replace(timer, said=timer.said + 1, again_s=now.mono_s + REPEAT_S)
            if timer.number in numbers
            else timer
            for timer in self.running
        )
        return replace(self, running=after)._ended(tuple(t for t in after if t.said >= TIMES), now)

    def acknowledged(self, now: Now) -> Timers:
        """Removes the timers that were announced, because the wearer has noticed them."""
        return self._ended(tuple(timer for timer in self.running if timer.said), now)

    def adjusted(self, now: Now) -> Timers:
        """Adjusts to a clock that was set: timers keep their remaining seconds, alarms their time of day."""
        adjusted = tuple(_adjusted(timer, now) for timer in self.running)
        return self if adjusted == self.running else replace(self, running=adjusted)

    def _with(self, seconds: int, ends_s: float, now: Now, name: str = "") -> Timers:
        if len(self.running) >= MOST:
            raise ValueError(f"There are {MOST} timers already.")
        due_s = now.mono_s + ends_s - now.wall_s
        timer = Timer(self.next_number, seconds, ends_s, due_s, due_s, name=name)
        return replace(self, running=(*self.running, timer), next_number=self.next_number + 1)

    def _ended(self, ended: tuple[Timer, ...], now: Now) -> Timers:
        return replace(self.without(*ended), off=ended, off_s=now.mono_s) if ended else self


def of_name(name: str, among: Iterable[Timer]) -> tuple[Timer, ...]:
    """Those of some timers that a name means: of that name, else of a longer one that it may be short for. A
    single timer without a name is meant by any.
    """
    among = tuple(among)
    exactly = tuple(timer for timer in among if same_name(name, timer.name))
    if exactly:
        return exactly
    longer = tuple(timer for timer in among if short_for(name, timer.name))
    return longer or (among if len(among) == 1 and not among[0].name else ())


def checked_name(value: object) -> str:
    """A value that is the name of a timer; "" for any other: such a timer rings without a name."""
    return value if isinstance(value, str) and is_name(value) else ""


def after_restart(timer: Timer, saved: Now, now: Now, same_clock: bool) -> Timer:
    """Converts a timer that was saved at `saved` to the clocks of `now`.

    `same_clock`: the monotonic clock has gone on since then, so only this program restarted. Otherwise the
    wall clock tells how long the computer was off; in case that clock was set back, a timer has at most the
    seconds left that it had when it was saved.
    """
    due_s = timer.due_s
    if not same_clock:
        left_s = timer.ends_s - now.wall_s
        if not timer.alarm:
            left_s = min(left_s, timer.due_s - saved.mono_s)
        due_s = now.mono_s + left_s
    return _adjusted(replace(timer, due_s=due_s, again_s=due_s), now)


def next_at(hours: Iterable[int], minute: int, now_s: float) -> float:
    """Seconds since the epoch of the next local time of day with one of the hours, after `now_s`. A time that
    summer time leaves out is an hour later.
    """
    today = time.localtime(now_s)
    times = (
        time.mktime((today.tm_year, today.tm_mon, today.tm_mday + day, hour, minute, 0, 0, 0, -1))
        for hour in hours
        for day in (0, 1)
    )
    return min(each for each in times if each > now_s)


def _adjusted(timer: Timer, now: Now) -> Timer:
    if timer.alarm and not timer.said and timer.ends_s - now.wall_s > _DAY_S:
        at = time.localtime(timer.ends_s)
        timer = replace(timer, ends_s=next_at((at.tm_hour,), at.tm_min, now.wall_s))
    ahead_s = (timer.ends_s - now.wall_s) - (timer.due_s - now.mono_s)
    if abs(ahead_s) <= _SAME_S or (timer.alarm and timer.said):
        return timer
    if timer.alarm:
        return replace(timer, due_s=timer.due_s + ahead_s, again_s=timer.due_s + ahead_s)
    return replace(timer, ends_s=timer.ends_s - ahead_s)
