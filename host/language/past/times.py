"""Times in the past that a question names: "an hour ago", "on monday before noon". Pure."""

from __future__ import annotations

import re

from host.language.past.clock import day_before, midnight_of
from host.language.past.days import DAY, Day, Span, day_in
from host.language.past.how_long_ago import AGO, ago_times, days_ago
from host.language.past.set_phrases import PHRASE, phrase_times
from host.language.past.times_of_day import TIME_OF_DAY, TIMES_OF_DAY, of_day

_A_TIME = rf"{TIME_OF_DAY}|{AGO}|{PHRASE}|{DAY}|lately|recently"
_ROUGHLY = r"(?:late|early|later|sometime|some time)(?= (?:on|in|this|last|yesterday|today|tonight)\b)"
"""Before a time; the whole of that time is meant."""
TIME = rf"(?:{_A_TIME}|{_ROUGHLY}|before|at all|a while ago)"
"""Any of them, as a regular expression without groups."""
_AT_END = re.compile(rf"(?:(?: |^){TIME})+$")
_UNTIL = re.compile(r"\b(?:until|till|up to)\b")


def without_time(words: str) -> str:
    """The words without the times at their end."""
    return _AT_END.sub("", words)


def times_of(words: str, now_s: float) -> tuple[float | None, float | None, str]:
    """What a time in words means: from, to (seconds since 1970; None: open), and how to say it, "" for none.
    A time of day is of the day that is named beside it. What is before a day or until then is over as it
    begins, what is since then or after it goes on.
    """
    midnight_s = midnight_of(now_s)
    ago = ago_times(words, now_s)
    if ago is not None:
        return ago
    back, place = days_ago(words) or (None, None)
    day = day_in(words, now_s, midnight_s, back)
    places = [*(day.places if day is not None else ()), *((place,) if place else ())]
    hours = next(TIMES_OF_DAY.finditer(words), None)
    if day is not None and (hours is None or day.long):
        from_s, to_s = day.spans[0]
        today_ends_s = day_before(midnight_s, -1)
        span: Span = (from_s, None if from_s <= midnight_s and to_s >= today_ends_s else to_s)
    elif hours is not None:
        span = of_day(hours, day, now_s, midnight_s)
        places.append(hours.span())
    else:
        return phrase_times(words, now_s, midnight_s) or (None, None, "")
    return (*_on_its_side(span, day), _said(words, places))


def _on_its_side(span: Span, day: Day | None) -> Span:
    """What is before, since or after that time, where the words say so of the day."""
    from_s, to_s = span
    match day.side if day is not None else "":
        case "before":
            return None, from_s
        case "since":
            return from_s, None
        case "after":
            return (from_s if to_s is None else to_s), None
    return span


def _said(words: str, places: list[tuple[int, int]]) -> str:
    """The words at these places, each once and in their order."""
    told, end = list[str](), 0
    for first, last in sorted(places, key=lambda place: (place[0], -place[1])):
        if first >= end:
            told.append(words[first:last])
            end = last
    return _UNTIL.sub("before", " ".join(told))
