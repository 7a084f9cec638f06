"""Times in the past that calendar or clock tell: "on tuesday evening", "after lunch", "at half past two".

A time of day is the last one that is over. A meal is when most people have it. Pure.
"""

from __future__ import annotations

import re
import time

from host.language.number_words import HOURS

WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MEALS = {"breakfast": (6.0, 10.0), "brunch": (10.0, 13.0), "elevenses": (10.5, 12.0), "lunch": (11.5, 14.5),
          "luncheon": (11.5, 14.5), "tea": (15.5, 19.0), "dinner": (17.5, 21.0),
          "supper": (17.5, 21.0)}  # fmt: skip
"""Hours of the day."""
_PARTS = {"morning": (0.0, 12.0), "afternoon": (12.0, 18.0), "evening": (18.0, 24.0), "night": (18.0, 30.0)}
_NAMED_HOURS = {"noon": 12.0, "midday": 12.0, "midnight": 24.0}
_MINUTES = {"half past": 0.5, "half": 0.5, "quarter past": 0.25, "a quarter past": 0.25, "quarter to": -0.25,
            "a quarter to": -0.25, "ten past": 1 / 6, "twenty past": 1 / 3, "ten to": -1 / 6,
            "twenty to": -1 / 3}  # fmt: skip
_NO_HOUR = (
    r"(?:and a half |or (?:two|three|four) )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|nights?|"
    r"people|men|women|things?|times?|steps?|of|percent|more|other|point|place|side|end|corner|stops?|streets?|doors?|fares?|patients?)\b"
)
"""What stands behind a number that is no time of day."""
_NO_MEAL = "(?:cup|pot|mug|towel|box|table|plate|bag|tray)s?"
"""What stands behind the name of a meal that is no time ("at the tea table")."""
_AROUND_H = 0.75
"""How far from the time that is said what is meant may be."""
_HOUR_S = 3600.0

_FORM = (
    rf"(?:on |last |this past )?(?P<weekday>{'|'.join(WEEK)})(?: (?P<ofday>{'|'.join(_PARTS)}))?|"
    r"(?:over|at|on|during) the (?P<weekend>weekend)|"
    r"(?P<side>just before|right before|before|just after|right after|after|since|at|around|during|over) "
    rf"(?:the |my |our )?(?P<meal>{'|'.join(_MEALS)})(?: ?time)?(?! (?:break|{_NO_MEAL}))|"
    rf"in (?:the )?(?P<then>{'|'.join(_PARTS)})|"
    r"(?P<from>at|around|about|by|towards|just before|before|just after|after|since) "
    rf"(?:(?P<name>{'|'.join(_NAMED_HOURS)})|(?:(?P<minutes>{'|'.join(_MINUTES)}) )?"
    rf"(?P<hour>{'|'.join(HOURS)})(?! {_NO_HOUR})(?: o'clock)?(?: (?P<half>am|pm|a m|p m|"
    r"(?:in the |this )(?:morning|afternoon|evening)|at night|last night))?)"
)
DAY = re.sub(r"\?P<[a-z]+>", "?:", _FORM)
"""Any of them, as a regular expression without groups."""
DAYS = re.compile(rf"\b(?:{_FORM})\b")


def day_times(named: re.Match[str], now_s: float, midnight_s: float) -> tuple[float, float | None]:
    """From and to, seconds since 1970 (None: until now), of a match of `DAYS`. midnight_s: of today."""
    if named["weekday"]:
        return weekday_times(named["weekday"], named["ofday"], midnight_s)
    if named["weekend"]:
        sunday_s = weekday_times("sunday", None, midnight_s)[0]
        return day_before(sunday_s, 1), day_before(sunday_s, -1)
    if named["meal"]:
        first, last = _MEALS[named["meal"]]
        day_s = _over(midnight_s, first, now_s)
        start_s, end_s = day_s + first * _HOUR_S, day_s + last * _HOUR_S
        side = named["side"].removeprefix("just ").removeprefix("right ")
        if side == "before":
            return day_s, start_s + _HOUR_S
        return (start_s + _HOUR_S, None) if side in ("after", "since") else (start_s, end_s)
    if named["then"]:
        first, last = _PARTS[named["then"]]
        day_s = day_before(midnight_s, 1) if named["then"] == "night" else _over(midnight_s, first, now_s)
        return day_s + first * _HOUR_S, day_s + last * _HOUR_S
    at_s = _clock(named, now_s, midnight_s)
    if named["from"] in ("since", "after"):
        return at_s, None
    if named["from"] == "before":
        return day_before(midnight_s, 1) if at_s < midnight_s else midnight_s, at_s
    return at_s - _AROUND_H * _HOUR_S, at_s + _AROUND_H * _HOUR_S


def day_before(midnight_s: float, days: int) -> float:
    """The midnight so many days before, also where a day has not 24 hours."""
    day = time.localtime(midnight_s)
    return time.mktime((day.tm_year, day.tm_mon, day.tm_mday - days, 0, 0, 0, 0, 0, -1))


def weekday_times(name: str, part: str | None, midnight_s: float) -> tuple[float, float]:
    """The last such day before today, or a part of it."""
    back = (time.localtime(midnight_s).tm_wday - WEEK.index(name)) % 7 or 7
    day_s = day_before(midnight_s, back)
    if not part:
        return day_s, day_before(midnight_s, back - 1)
    first, last = _PARTS[part]
    return day_s + first * _HOUR_S, day_s + last * _HOUR_S


def _over(midnight_s: float, hour: float, now_s: float) -> float:
    """The midnight of today, or of yesterday where that hour of today is not over."""
    return midnight_s if midnight_s + hour * _HOUR_S <= now_s else day_before(midnight_s, 1)


def _clock(named: re.Match[str], now_s: float, midnight_s: float) -> float:
    """The last time that a clock showed it."""
    if named["name"]:
        hours = [_NAMED_HOURS[named["name"]] % 24]
    else:
        hour = (HOURS.index(named["hour"]) + 1) % 12 + _MINUTES.get(named["minutes"] or "", 0.0)
        half = named["half"] or ""
        hours = (
            [hour]
            if half in ("am", "a m") or half.endswith("morning")
            else [hour + 12]
            if half
            else [hour, hour + 12]
        )
    yesterday_s = day_before(midnight_s, 1)
    times = [day_s + hour * _HOUR_S for day_s in (yesterday_s, midnight_s) for hour in hours]
    return max((each for each in times if each <= now_s), default=times[0])
