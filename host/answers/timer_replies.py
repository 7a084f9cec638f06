"""Replies and announcements about timers and alarms, and the effect of the wearer's sentences on them."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import Any

from host.answers.timers import MOST, Now, Timer, Timers, next_at, of_name
from host.language.number_words import in_words
from host.language.router import Decision
from host.language.timers.names import ALONE, NAME

INTENTS = ("timer", "timer_left", "timer_off", "alarm", "alarm_when", "alarm_off")
AGAIN_S = 60.0
"""Seconds within which a repeated request to cancel means the first timer to end, after the question which
one; and within which a request to cancel may mean a timer that has just ended.
"""
LATE_S = 60.0
"""From this many seconds after its end, a timer is announced with how long ago it ended."""
_PARTS = (
    (21, "at night"), (18, "in the evening"), (12, "in the afternoon"), (1, "in the morning"),
    (0, "at night"),
)  # fmt: skip
"""(first hour, name) of the parts of the day, latest first."""
_HOUR = "o'clock"
_AN = re.compile(r"8|1[18] |(?!one\b|once|eu|u[nst]i)[aeiou]|hour|honest")
"""The beginning of what is called "an" and not "a"."""
NO_TIMER, NO_ALARM = "No timer is running.", "No alarm is set."
NO_SUCH_TIME, TOO_FAR = "I do not know that time of day.", "I can set an alarm for at most a day ahead."


def answer_timers(decision: Decision, timers: Timers, now: Now) -> tuple[str, Timers]:
    """The reply to one of `INTENTS` and the timers afterwards. Announced timers count as acknowledged."""
    timers = timers.acknowledged(now)
    slots = decision.slots
    counting = tuple(timer for timer in timers.running if not timer.alarm)
    alarms = tuple(timer for timer in timers.running if timer.alarm)
    match decision.intent:
        case "timer":
            return set_timer(_seconds(slots), timers, now, name_of(slots))
        case "alarm":
            return _set_alarm(slots, timers, now)
        case "timer_left" if ALONE in slots and _asked_which(timers, now):
            return _cancel(counting, slots, timers, now, NO_TIMER)
        case "timer_left":
            if name_of(slots) and counting:
                return _named_left(name_of(slots), counting, now), timers
            return (_left(counting, now) if counting or not alarms else _when(alarms)), timers
        case "alarm_when":
            return _when(alarms), timers
        case "timer_off":
            return _cancel(counting, slots, timers, now, NO_TIMER)
        case _ if "hour" in slots:
            return _cancel_alarm_at(alarms, slots, timers)
        case _:
            return _cancel(alarms, slots, timers, now, NO_ALARM)


def ended(due: tuple[Timer, ...], now: Now) -> str:
    """The announcement for the timers `due`."""
    return " ".join(_ended(timer, now) for timer in due)


def farewell(timers: Timers, now: Now, kept: bool) -> str:
    """What to tell the wearer about running timers before the headband switches off; "" without any. `kept`:
    whether they are saved on the disk.
    """
    running = [timer for timer in timers.running if timer.left_s(now) > 0]
    if not running:
        return ""
    several = len(running) > 1
    what = listed([timer_name(timer) for timer in running])
    if not kept:
        return f"Your {what} {'are' if several else 'is'} lost, because I cannot save {_it(several)}."
    first = min(timer.left_s(now) for timer in running)
    return (
        f"I keep your {what}, but I cannot tell you while I am off. "
        f"{'The first one' if several else 'It'} ends in {span(max(1.0, first))}."
    )


def span(seconds: float) -> str:
    """A duration as spoken text: "4 minutes and 30 seconds", "1 hour and 5 minutes"."""
    whole = max(0, round(seconds))
    if whole >= 600:
        whole = round(whole / 60) * 60
    parts = [
        f"{count} {unit}{'' if count == 1 else 's'}"
        for count, unit in ((whole // 3600, "hour"), (whole // 60 % 60, "minute"), (whole % 60, "second"))
        if count
    ]
    return listed(parts) or "no time"


def clock(wall_s: float) -> str:
    """The local time of day of `wall_s` (seconds since the epoch) as spoken text: "seven o'clock in the
    morning", "four oh five in the afternoon", "noon".
    """
    at = time.localtime(wall_s)
    if at.tm_min == 0 and at.tm_hour % 12 == 0:
        return "noon" if at.tm_hour else "midnight"
    part = next(part for first_hour, part in _PARTS if at.tm_hour >= first_hour)
    minute = f"oh {in_words(at.tm_min)}" if at.tm_min < 10 else in_words(at.tm_min)
    return f"{in_words(at.tm_hour % 12 or 12)} {minute if at.tm_min else _HOUR} {part}"


def next_time(hour: int, minute: int, part: str, now_s: float) -> float:
    """Seconds since the epoch of the next local time of day `hour`:`minute` after `now_s`. `part` is "am",
    "pm", "night" (six in the evening to six in the morning), or "" for whichever comes first. Raises
    `ValueError` for a time that does not exist.
    """
    if not (0 <= hour <= 23 and 0 <= minute <= 59):
        raise ValueError("There is no such time.")
    hours = [hour]
    if hour <= 12 and part:
        late = 6 <= hour < 12 if part == "night" else part == "pm"
        hours = [hour % 12 + (12 if late else 0)]
    elif 1 <= hour <= 12:
        hours = [hour % 12, hour % 12 + 12]
    return next_at(hours, minute, now_s)


def set_timer(seconds: int, timers: Timers, now: Now, name: str = "") -> tuple[str, Timers]:
    """The reply to a request for a timer, and the timers afterwards. name: "" for none."""
    if seconds < 1:
        return "I cannot set a timer for no time.", timers
    try:
        called = f"{name} timer" if name else "timer"
        return f"Your {called} for {span(seconds)} is running.", timers.with_timer(seconds, now, name)
    except ValueError:
        return f"I cannot keep more than {MOST} timers and alarms.", timers


def no_such_timer(seconds: int) -> str:
    """Said where none of that length runs."""
    return f"There is no timer for {span(seconds)}."


def name_of(slots: dict[str, Any]) -> str:
    """The name of the timer that is meant; "" where none is said."""
    return str(slots.get(NAME, ""))


def none_of_name(name: str, counting: tuple[Timer, ...], now: Now) -> str:
    """Said where no timer has that name: which there are."""
    return f"You have no {name} timer. {how_long(counting, now)}".rstrip()


def _named_left(name: str, counting: tuple[Timer, ...], now: Now) -> str:
    meant = of_name(name, counting)
    return how_long(meant, now) if meant else none_of_name(name, counting, now)


def how_long(counting: tuple[Timer, ...], now: Now) -> str:
    """How long each of some timers has left, with what it is called; "" for none."""
    if not counting:
        return ""
    if len(counting) == 1:
        left_s = counting[0].left_s(now)
        called = f"Your {timer_name(counting[0])}"
        return f"{called} has {span(left_s)} left." if left_s > 0 else _ended(counting[0], now)
    by_end = sorted(counting, key=lambda timer: timer.due_s)
    left = (f" with {span(timer.left_s(now))} left" for timer in by_end)
    return f"You have {listed(list(map(str.__add__, told_apart(by_end), left)))}."


def _set_alarm(slots: dict[str, Any], timers: Timers, now: Now) -> tuple[str, Timers]:
    hour, minute = hour_and_minute(slots)
    try:
        ends_s = next_time(hour, minute, str(slots.get("part", "")), now.wall_s)
    except ValueError:
        return NO_SUCH_TIME, timers
    if slots.get("tomorrow") and time.localtime(ends_s).tm_yday == time.localtime(now.wall_s).tm_yday:
        return TOO_FAR, timers
    said = f"Your alarm is set for {clock(ends_s)}."
    if any(each.alarm and each.ends_s == ends_s for each in timers.running):
        return said, timers  # one is enough, and is cancelled by one sentence
    try:
        return said, timers.with_alarm(ends_s, now)
    except ValueError:
        return f"I cannot keep more than {MOST} timers and alarms.", timers


def hour_and_minute(slots: dict[str, Any]) -> tuple[int, int]:
    """The time of day that the slots of an alarm name."""
    hour, minute = int(slots["hour"]), int(slots.get("minute", 0)) + int(slots.get("offset", 0))
    return ((hour - 1) % 24 or 12, minute + 60) if minute < 0 else (hour, minute)


def _cancel_alarm_at(alarms: tuple[Timer, ...], slots: dict[str, Any], timers: Timers) -> tuple[str, Timers]:
    hour, minute = hour_and_minute(slots)
    try:
        meant = [alarm for alarm in alarms if _rings_at(alarm, hour, minute, str(slots.get("part", "")))]
    except ValueError:
        meant = []
    if not meant:
        return (_no_such_alarm(alarms) if alarms else NO_ALARM), timers
    first = min(meant, key=lambda alarm: alarm.due_s)
    return f"I have cancelled your {timer_name(first)}.", timers.without(first)


def _rings_at(alarm: Timer, hour: int, minute: int, part: str) -> bool:
    return abs(next_time(hour, minute, part, alarm.ends_s - 1) - alarm.ends_s) < 1


def _no_such_alarm(alarms: tuple[Timer, ...]) -> str:
    return f"There is no alarm for that time. {_when(alarms)}"


def _left(counting: tuple[Timer, ...], now: Now) -> str:
    if not counting:
        return NO_TIMER
    left_s = counting[0].left_s(now)
    if len(counting) == 1 and not counting[0].name and left_s > 0:
        return f"There {_are(left_s)} {span(left_s)} left."
    return how_long(counting, now)


def _when(alarms: tuple[Timer, ...]) -> str:
    if not alarms:
        return NO_ALARM
    times = listed([clock(timer.ends_s) for timer in sorted(alarms, key=lambda timer: timer.ends_s)])
    return f"Your {'alarms are' if len(alarms) > 1 else 'alarm is'} set for {times}."


def _cancel(
    among: tuple[Timer, ...], slots: dict[str, Any], timers: Timers, now: Now, none: str
) -> tuple[str, Timers]:
    of_alarms, name, counting = none is NO_ALARM, name_of(slots), among
    among = of_name(name, among) if name else among
    by_end = sorted(among, key=lambda timer: timer.due_s)
    if among and "place" in slots:
        place = int(slots["place"])
        if place > len(by_end):
            return f"There are not so many. You have {listed([a_timer(timer) for timer in by_end])}.", timers
        return f"I have cancelled your {timer_name(by_end[place - 1])}.", timers.without(by_end[place - 1])
    named = "number" in slots or "span" in slots
    meant = _seconds(slots) if named else None
    off = tuple(each for each in timers.off if each.alarm == of_alarms and meant in (None, each.seconds))
    if name:
        off = tuple(each for each in of_name(name, off) if each.name or not counting)
    if off and now.mono_s - timers.off_s < AGAIN_S and not ("all" in slots and among):
        are = "are" if len(off) > 1 else "is"
        return f"Your {listed([timer_name(each) for each in off])} {are} off.", replace(timers, off=())
    if not among:
        return (none_of_name(name, counting, now) if counting else none), timers
    if slots.get("all"):
        return f"I have cancelled {_it(len(among) > 1)}.", timers.without(*among)
    if meant is not None:
        by_end = [timer for timer in among if timer.seconds == meant][:1]
        if not by_end:
            return no_such_timer(meant), timers
    again = _asked_which(timers, now, of_alarms=of_alarms)
    if len(by_end) > 1 and not again:
        several = listed(told_apart(by_end))
        ask = "Ask" if of_alarms else "Name the one to cancel, or ask"  # no wording names an alarm
        return (
            f"You have {several}. {ask} once more and I cancel the first to end.",
            replace(timers, asked_s=now.mono_s, asked_of_alarms=of_alarms),
        )
    after = timers.without(by_end[0])
    return f"I have cancelled your {timer_name(by_end[0])}.", replace(
        after, asked_s=now.mono_s
    ) if again else after


def _asked_which(timers: Timers, now: Now, *, of_alarms: bool = False) -> bool:
    """Whether the wearer was asked a moment ago which timer or alarm to cancel."""
    return now.mono_s - timers.asked_s < AGAIN_S and timers.asked_of_alarms == of_alarms


def _seconds(slots: dict[str, Any]) -> int:
    total = int(slots["span"]) if "span" in slots else int(slots["number"]) * int(slots["unit"])
    return total + int(slots.get("number2", 0)) * int(slots.get("unit2", 0))


def _ended(timer: Timer, now: Now) -> str:
    ago_s = -timer.left_s(now)
    if timer.alarm:
        late = f" It was set for {clock(timer.ends_s)}." if ago_s >= LATE_S else ""
        return f"This is your alarm. It is {clock(now.wall_s)}.{late}"
    if ago_s < LATE_S:
        return f"Your {timer_name(timer)} is done."
    return f"Your {timer_name(timer)} ended {span(ago_s if ago_s < 600 else ago_s // 60 * 60)} ago."


def told_apart(timers: list[Timer]) -> list[str]:
    """What they are called, with the article; with its length as well where several have one name."""
    names = [timer.name for timer in timers if timer.name]
    return [
        a_timer(replace(each, name=f"{_long(each)} {each.name}") if names.count(each.name) > 1 else each)
        for each in timers
    ]


def timer_name(timer: Timer) -> str:
    """What it is called: "pasta timer", "10 minute timer", "alarm for seven o'clock in the morning"."""
    if timer.alarm:
        return f"alarm for {clock(timer.ends_s)}"
    return f"{timer.name or _long(timer)} timer"


def _long(timer: Timer) -> str:
    return (
        span(timer.seconds).replace("hours", "hour").replace("minutes", "minute").replace("seconds", "second")
    )


def a_timer(timer: Timer) -> str:
    """What it is called, with the article."""
    name = timer_name(timer)
    return ("an " if _AN.match(name) else "a ") + name


def _are(seconds: float) -> str:
    return "is" if span(seconds).startswith(("1 ", "no ")) else "are"


def _it(several: bool) -> str:
    return "them" if several else "it"


def listed(parts: list[str]) -> str:
    """The parts as one list: "a, b and c"."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
