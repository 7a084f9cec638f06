"""Replies to sentences that change a timer or an alarm which is set, and what becomes of it. The changed one
is another in place of the old one, so that it is the last that was set, and taking back knows both.
"""

from __future__ import annotations

import time
from typing import Any

from host.answers.timer_replies import (
    AGAIN_S,
    NO_ALARM,
    NO_SUCH_TIME,
    NO_TIMER,
    TOO_FAR,
    a_timer,
    clock,
    hour_and_minute,
    listed,
    name_of,
    next_time,
    no_such_timer,
    none_of_name,
    set_timer,
    span,
    timer_name,
)
from host.answers.timers import Now, Timer, Timers, next_at, of_name
from host.language.further.times import ALARM_BY, ALARM_TO, TIMER_BY, TIMER_TO
from host.language.router import Decision
from host.language.timers.names import CALL, CALLED, NAME

INTENTS = (TIMER_TO, TIMER_BY, ALARM_TO, ALARM_BY, CALL)
ENDED = "That timer has ended."
_DAY_S = 24 * 3600.0
_HOUR_S, _MINUTE_S = 3600, 60
_MOST_HOURS = 12
"""A larger number than this is of minutes, though the timer was set in hours."""


def change_timers(
    decision: Decision, timers: Timers, now: Now, last: Timer | None, unit_s: int
) -> tuple[str, Timers]:
    """The reply to one of `INTENTS`, and the timers afterwards. Announced timers count as acknowledged. last:
    the timer or alarm of the last command, if that was a moment ago. unit_s: of a number without one.
    """
    timers = timers.acknowledged(now)
    slots = decision.slots
    if decision.intent == CALL:
        return _called(slots, timers, now, last)
    if decision.intent == TIMER_TO:
        return _timer_to(_seconds(slots, unit_s), slots, timers, now, last)
    if decision.intent == TIMER_BY:
        return _timer_by(_seconds(slots, unit_s), slots, timers, now)
    alarm = _last_of(timers, last, alarms=True)
    if alarm is None:
        return NO_ALARM, timers
    if decision.intent == ALARM_BY:
        return _alarm_at(alarm, alarm.ends_s + int(slots["seconds"]), timers, now)
    return _alarm_to(alarm, slots, timers, now)


def to_be_changed(timers: Timers, now: Now) -> bool:
    """Whether a timer runs, or one or an alarm ended so shortly before that more time may be meant for it."""
    return any(not timer.alarm for timer in timers.running) or _just_ended(timers.acknowledged(now), now)


def unit_of(slots: dict[str, Any]) -> int:
    """The unit in seconds of a number that is said instead of the length of a timer with these slots."""
    if "unit" in slots:
        return int(slots.get("unit2", slots["unit"]))
    seconds = abs(int(slots.get("span", slots.get("seconds", _MINUTE_S))))
    if seconds < _MINUTE_S:
        return 1
    return _HOUR_S if seconds % (_HOUR_S // 4) == 0 and seconds >= _HOUR_S else _MINUTE_S


def _seconds(slots: dict[str, Any], unit_s: int) -> int:
    if "seconds" in slots:
        return int(slots["seconds"])
    number = int(slots["number"])
    return number * (_MINUTE_S if unit_s == _HOUR_S and abs(number) > _MOST_HOURS else unit_s)


def _last_of(timers: Timers, last: Timer | None, *, alarms: bool) -> Timer | None:
    """The timer or alarm of the last command, where it is one of these, or the last that was set."""
    if last is not None and last.alarm == alarms:
        return next((timer for timer in timers.running if timer.number == last.number), None)
    return next((timer for timer in reversed(timers.running) if timer.alarm == alarms), None)


def _says_which(slots: dict[str, Any]) -> bool:
    return not {"place", "span", NAME}.isdisjoint(slots)


def _named(slots: dict[str, Any], timers: Timers, now: Now) -> Timer | str:
    """The timer that the slots name; a sentence where there is none."""
    counting = [timer for timer in timers.running if not timer.alarm]
    if not counting:
        return NO_TIMER
    name = name_of(slots)
    if name:
        of_all, counting = tuple(counting), list(of_name(name, counting))
        if not counting:
            return none_of_name(name, of_all, now)
    if "place" in slots:
        by_end, place = sorted(counting, key=lambda timer: timer.due_s), int(slots["place"])
        if place > len(by_end):
            return f"There are not so many. You have {listed([a_timer(timer) for timer in by_end])}."
        return by_end[place - 1]
    if "span" in slots:
        meant = [timer for timer in counting if timer.seconds == int(slots["span"])]
        return meant[-1] if meant else no_such_timer(int(slots["span"]))
    return counting[-1]


def _timer_to(
    seconds: int, slots: dict[str, Any], timers: Timers, now: Now, last: Timer | None
) -> tuple[str, Timers]:
    if not _says_which(slots) and last is not None and not last.alarm:
        old = _last_of(timers, last, alarms=False)
        if old is None:  # it has ended: what was meant runs all the same
            return set_timer(seconds, timers, now, last.name)
    else:
        found = _named(slots, timers, now)
        if isinstance(found, str):
            return set_timer(seconds, timers, now, name_of(slots)) if slots.get("or_new") else (found, timers)
        old = found
    said = f"Your timer for {span(seconds)} is running instead of your {timer_name(old)}."
    if old.name:
        said = f"Your {timer_name(old)} is set for {span(seconds)} instead of {span(old.seconds)}."
    return said, timers.instead(old, seconds, now.wall_s + seconds, now)


def _timer_by(seconds: int, slots: dict[str, Any], timers: Timers, now: Now) -> tuple[str, Timers]:
    if seconds > 0 and _just_ended(timers, now):
        ended = _ended_of(slots, timers)
        if ended is not None:
            return set_timer(seconds, timers, now, ended)
    old = _named(slots, timers, now)
    if isinstance(old, str):
        return old, timers
    left_s = old.left_s(now)
    if left_s + seconds < 1:
        return f"Your {timer_name(old)} has only {span(left_s)} left.", timers
    after = timers.instead(old, old.seconds + seconds, now.wall_s + left_s + seconds, now)
    new = after.running[-1]
    if old.name:
        return f"Your {timer_name(old)} has {span(new.left_s(now))} left now.", after
    return f"Your {timer_name(old)} is now {a_timer(new)} with {span(new.left_s(now))} left.", after


def _ended_of(slots: dict[str, Any], timers: Timers) -> str | None:
    """The name of the new timer for which more time is meant after one or an alarm has ended; None where
    another timer is meant.
    """
    name = name_of(slots)
    if not name and not _says_which(slots):
        return timers.off[0].name if len(timers.off) == 1 else ""
    counting = [timer for timer in timers.running if not timer.alarm]
    runs = any(timer.name for timer in of_name(name, counting))
    if not name or "place" in slots or "span" in slots or runs:
        return None
    ended = of_name(name, timers.off)
    return (ended[0].name or name) if ended else None


def _called(slots: dict[str, Any], timers: Timers, now: Now, last: Timer | None) -> tuple[str, Timers]:
    """last: of the last command, which is not meant where it has ended, and no later timer is set."""
    which = {key: value for key, value in slots.items() if key != CALLED}
    old = _named(which, timers, now)
    if isinstance(old, str):
        return old, timers
    if not _says_which(which) and last is not None and not last.alarm and old.number < last.number:
        return ENDED, timers
    after = timers.renamed(old, str(slots[CALLED]), now)
    return f"Your {timer_name(old)} is now your {timer_name(after.running[-1])}.", after


def _just_ended(timers: Timers, now: Now) -> bool:
    return bool(timers.off) and now.mono_s - timers.off_s < AGAIN_S


def _alarm_to(old: Timer, slots: dict[str, Any], timers: Timers, now: Now) -> tuple[str, Timers]:
    at = time.localtime(old.ends_s)
    if "hour" not in slots:
        return _alarm_at(old, next_at((at.tm_hour,), int(slots["minute"]), now.wall_s), timers, now)
    hour, minute = hour_and_minute(slots)
    parts = [str(slots["part"])] if slots.get("part") else ["am", "pm"]
    try:
        times = [next_time(hour, minute, part, now.wall_s) for part in parts]
    except ValueError:
        return NO_SUCH_TIME, timers
    if slots.get("tomorrow"):
        today = time.localtime(now.wall_s).tm_yday
        times = [each for each in times if time.localtime(each).tm_yday != today]
        if not times:
            return TOO_FAR, timers
    nearest = min(times, key=lambda each: abs(each - old.ends_s))
    return _alarm_at(old, nearest, timers, now)


def _alarm_at(old: Timer, ends_s: float, timers: Timers, now: Now) -> tuple[str, Timers]:
    if ends_s <= now.wall_s:
        return f"That time is over, so your alarm stays set for {clock(old.ends_s)}.", timers
    if ends_s - now.wall_s > _DAY_S:
        return TOO_FAR, timers
    if abs(ends_s - old.ends_s) < 1:
        return f"Your alarm is set for {clock(ends_s)}.", timers
    said = f"Your alarm is set for {clock(ends_s)} instead of {clock(old.ends_s)}."
    if any(each.alarm and abs(each.ends_s - ends_s) < 1 for each in timers.running):
        return said, timers.without(old)
    return said, timers.instead(old, 0, ends_s, now)
