"""Times of day in the past: "after lunch", "at half past two", "first thing", "at bedtime".

A time of day is the last one that is over, or that of the day that is named beside it. A meal is when most
people have it. Pure.
"""

from __future__ import annotations

import re

from host.language.number_words import HOURS, UP_TO_99, value_of
from host.language.past.clock import at_hour, day_before, last_begun, midnight_of
from host.language.past.days import Day, Span

_MEALS = {"breakfast": (6.0, 10.0), "brunch": (10.0, 13.0), "elevenses": (10.5, 12.0), "lunch": (11.5, 14.5),
          "luncheon": (11.5, 14.5), "tea": (15.5, 19.0), "dinner": (17.5, 21.0),
          "supper": (17.5, 21.0)}  # fmt: skip
"""Hours of the day."""
_PHRASES = {
    r"first thing(?: (?:this|in the) morning| today)?": (5.0, 9.0),
    r"mid ?morning": (9.5, 11.5),
    r"mid ?afternoon": (14.0, 16.5),
    r"at (?:dawn|sunrise|sun ?up|first light|daybreak)": (5.0, 8.0),
    r"at (?:sunset|sundown|dusk|nightfall)": (17.0, 21.5),
    r"(?:at|before|just before|around) bed ?time": (20.5, 24.0),
    r"in the small hours": (0.0, 5.0),
}
"""Hours of the day of what is said in a set phrase."""
_NAMED_HOURS = {"noon": 12.0, "midday": 12.0, "midnight": 24.0}
_HALVES = {"am": (0.0, 12.0), "a m": (0.0, 12.0), "pm": (12.0, 24.0), "p m": (12.0, 24.0)}
_MINUTES = {"half past": 30, "half": 30, "quarter past": 15, "a quarter past": 15, "quarter to": -15,
            "a quarter to": -15}  # fmt: skip
_COUNTED = rf"(?:twenty five|twenty|ten|five|{UP_TO_99} minutes?) (?:past|to)"
_AFTER_HOUR = r"(?:oh five|five|ten|fifteen|twenty|thirty|forty|fifty)(?: five)?"
_NO_HOUR = (
    r"(?:and a half |or (?:two|three|four) )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|nights?|"
    r"people|men|women|things?|times?|steps?|of|percent|more|other|point|place|side|end|corner|stops?|streets?|doors?|fares?|patients?)\b"
)
"""What stands behind a number that is no time of day."""
_NO_MEAL = "(?:cup|pot|mug|towel|box|table|plate|bag|tray)s?"
"""What stands behind the name of a meal that is no time ("at the tea table")."""
_AROUND_S = 0.75 * 3600.0
"""How far from the time that is said what is meant may be."""

_BEFORE = "just before|right before|before|until|till|up to"
_AFTER = "just after|right after|after|ever since|since"
_FORM = (
    rf"(?P<side>{_BEFORE}|{_AFTER}|at|around|during|over) "
    rf"(?:the |my |our )?(?P<meal>{'|'.join(_MEALS)})(?: ?time)?(?! (?:break|{_NO_MEAL}))|"
    rf"(?P<from>(?:at )?(?:about|around|exactly)|at|by|towards|{_BEFORE}|{_AFTER}) "
    rf"(?:(?P<name>{'|'.join(_NAMED_HOURS)})|(?:(?P<minutes>{'|'.join(_MINUTES)}|{_COUNTED}) )?"
    rf"(?P<hour>{'|'.join(HOURS)})(?: (?P<minute>{_AFTER_HOUR}))?(?! {_NO_HOUR})(?: o'clock)?"
    r"(?: (?P<half>am|pm|a m|p m)| (?:in the |this )(?:morning|afternoon|evening)| at night| last night)?)|"
    rf"(?P<phrase>{'|'.join(_PHRASES)})"
)
TIMES_OF_DAY = re.compile(rf"\b(?:{_FORM})\b")
TIME_OF_DAY = re.sub(r"\?P<[a-z]+>", "?:", _FORM)
"""Any of them, as a regular expression without groups."""


def of_day(found: re.Match[str], day: Day | None, now_s: float, midnight_s: float) -> Span:
    """From and to of a match of `TIMES_OF_DAY`, on the day that is named beside it, if any. midnight_s: of
    today.
    """
    dated = day is not None and day.dated
    from_s, to_s = day.spans[0] if day is not None and dated else (None, None)
    if found["phrase"]:
        first, last = next(hours for form, hours in _PHRASES.items() if re.fullmatch(form, found["phrase"]))
        day_s = _day_of(first, last, day, now_s, midnight_s)
        return at_hour(day_s, first), at_hour(day_s, last)
    side = found["side"] or found["from"]
    before, after = re.fullmatch(_BEFORE, side), re.fullmatch(_AFTER, side)
    if found["meal"]:
        first, last = _MEALS[found["meal"]]
        day_s = _day_of(first, last, day, now_s, midnight_s, ahead=before is not None)
        if not before and not after:
            return at_hour(day_s, first), at_hour(day_s, last)
        at_s = at_hour(day_s, first + 1)
    else:
        at_s = _clock(found, day, now_s, midnight_s, ahead=before is not None)
        if not before and not after:
            return at_s - _AROUND_S, at_s + _AROUND_S
        if before and found["name"] == "midnight" and not dated:
            return None, at_s
    if before:
        return (from_s if from_s is not None and from_s < at_s else midnight_of(at_s)), at_s
    ends = to_s is not None and at_s < to_s <= now_s and not side.endswith("since")
    return at_s, (to_s if ends else None)


def _day_of(
    first: float, last: float, day: Day | None, now_s: float, midnight_s: float, *, ahead: bool = False
) -> float:
    """The midnight of the day on which these hours are meant. ahead: they may still be to come."""
    if day is None:
        return last_begun(midnight_s, first, now_s)
    day_s = midnight_of(day.spans[0][0])
    if at_hour(day_s, last) <= day.spans[0][0] and at_hour(day_s, first + 24) < day.spans[0][1]:
        return day_before(day_s, -1)  # the small hours of a night
    return day_s if ahead or at_hour(day_s, first) <= now_s else day_before(day_s, 1)


def _clock(found: re.Match[str], day: Day | None, now_s: float, midnight_s: float, *, ahead: bool) -> float:
    """The last time that a clock showed it, in the day or the part of a day that is named, if any. ahead: in
    a day that is named it may still be to come.
    """
    hours = _hours(found)
    if ahead and day is not None and day.dated:
        from_s, to_s = day.spans[0]
        within = [at_s for at_s in _shown(hours, from_s, 2) if from_s < at_s <= to_s]
        if within and min(within) > now_s:
            return min(within)
    spans = ((day_before(midnight_s, 1), day_before(midnight_s, -1)),) if day is None else day.spans
    for from_s, to_s in sorted(spans, reverse=True):
        shown = _shown(hours, from_s, 2)
        for until_s in (to_s - 1, to_s):
            within = [at_s for at_s in shown if from_s <= at_s <= min(until_s, now_s)]
            if within:
                return max(within)
    # No clock shows it then, as in "this afternoon at nine".
    return max(at_s for at_s in _shown(hours, day_before(spans[0][0], 1), 2) if at_s <= now_s)


def _shown(hours: list[float], day_s: float, days: int) -> list[float]:
    """When a clock shows one of the hours, on that day and the days after."""
    return [at_hour(day_s, hour + 24 * later) for later in range(days) for hour in hours]


def _hours(found: re.Match[str]) -> list[float]:
    """The hours of the day that are meant."""
    if found["name"]:
        return [_NAMED_HOURS[found["name"]]]
    minutes = _minutes(found["minutes"]) if found["minutes"] else 0
    if found["minute"]:
        minutes = value_of(found["minute"].removeprefix("oh "))
    hour = (HOURS.index(found["hour"]) + 1) % 12 + minutes / 60
    first, last = _HALVES.get(found["half"] or "", (0.0, 24.0))
    return [each for each in (hour % 24, (hour + 12) % 24) if first <= each < last]


def _minutes(said: str) -> int:
    """Minutes after the hour, less than none before it."""
    if said in _MINUTES:
        return _MINUTES[said]
    number = re.sub(r" minutes?", "", said.rsplit(" ", 1)[0])
    return value_of(number) * (1 if said.endswith("past") else -1)
