"""Times in the past that a question names: "an hour ago", "yesterday evening", "this week". Pure."""

from __future__ import annotations

import re
import time

from host.language.number_words import UP_TO_99, value_of
from host.language.past.days import DAY, DAYS, day_before, day_times, weekday_times
from host.language.past.set_phrases import PHRASE, phrase_times

_ABOUT = {
    "a": 1, "an": 1, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3, "half a": 0.5, "half an": 0.5,
    "quarter of an": 0.25, "a quarter of an": 0.25,
}  # fmt: skip
_AMOUNT = rf"(?:{UP_TO_99}|[0-9]{{1,3}}|{'|'.join(sorted(_ABOUT, key=len, reverse=True))})"
_UNIT_S = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86_400.0, "week": 7 * 86_400.0}
_LONG_AGO = (
    rf"(?:about |some )?(?P<amount>{_AMOUNT})(?P<half> and a half)? (?P<unit>{'|'.join(_UNIT_S)})s?"
    r"(?P<halves> and a half)? (?:ago|back)"
)
_WITHIN = (
    rf"(?:(?:in|within|during|over) the )?(?:last|past) (?:(?P<lately>{_AMOUNT}) )?"
    r"(?P<part>half hour|second|minute|hour|day)s?"
)
_AGO = (
    re.sub(r"\?P<[a-z]+>", "?:", rf"{_LONG_AGO}|{_WITHIN}") + r"|(?:just )?a (?:moment|minute) ago|just now"
)
TIME = (
    rf"(?:{PHRASE}|today|yesterday(?: morning| afternoon| evening| night)?|lately|recently|"
    rf"{_AGO}|this (?:morning|afternoon|evening|week)|last (?:night|week)|{DAY}|before|at all|tonight|"
    "a while ago)"
)
"""Any of them, as a regular expression without groups."""
_MOMENT_S = 300.0
"""How far back a moment ago may be."""
_SPREAD = 0.5
"""Part of the distance by which people err who say how long ago something was."""
_LEAST_SPREAD_S = 60.0
_PARTS_OF_DAY = {"morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
_SINCE = re.compile(rf"\b{_LONG_AGO}\b")
_LATELY = re.compile(rf"\b{_WITHIN}\b")
_PART = re.compile(r"\b(?P<day>this|yesterday|last) (?P<part>morning|afternoon|evening|night)\b")
_AT_END = re.compile(rf"(?:(?: |^){TIME})+$")


def without_time(words: str) -> str:
    """The words without the times at their end."""
    return _AT_END.sub("", words)


def times_of(words: str, now_s: float) -> tuple[float | None, float | None, str]:
    """What a time in words means: from, to (seconds since 1970; None: open), and how to say it, "" for none.
    So long ago means half as long before and after that.
    """
    now = time.localtime(now_s)
    midnight_s = time.mktime((now.tm_year, now.tm_mon, now.tm_mday, 0, 0, 0, 0, 0, -1))
    ago = _SINCE.search(words)
    if ago is not None and ago[0] != "a minute ago":
        unit_s = _UNIT_S[ago["unit"]]
        before_s = (_amount(ago["amount"]) + (0.5 if ago["half"] or ago["halves"] else 0.0)) * unit_s
        if unit_s == _UNIT_S["day"]:
            day_s = day_before(midnight_s, round(before_s / unit_s))
            return day_s, day_before(midnight_s, round(before_s / unit_s) - 1), ago[0]
        spread_s = max(_LEAST_SPREAD_S, _SPREAD * before_s)
        return now_s - before_s - spread_s, now_s - before_s + spread_s, ago[0]
    lately = _LATELY.search(words)
    if lately is not None:
        unit_s = 1800.0 if lately["part"] == "half hour" else _UNIT_S[lately["part"]]
        return now_s - (_amount(lately["lately"]) if lately["lately"] else 1.0) * unit_s, None, lately[0]
    if re.search(r"\ba (?:moment|minute) ago\b|\bjust now\b", words):
        return now_s - _MOMENT_S, None, "a moment ago"
    of_day = next((found for found in DAYS.finditer(words) if found["hour"] or found["meal"]), None)
    if of_day is not None:
        return (*_on_that_day(of_day, words, now_s, midnight_s), of_day[0])
    phrase = phrase_times(words, now_s, midnight_s)
    if phrase is not None:
        return phrase
    part = _PART.search(words)
    if part is not None:
        first, last = _PARTS_OF_DAY[part["part"]]
        day_s = midnight_s if part["day"] == "this" else day_before(midnight_s, 1)
        return day_s + first * 3600, day_s + last * 3600, part[0]
    named = DAYS.search(words)
    if named is not None:
        return (*day_times(named, now_s, midnight_s), named[0])
    if "yesterday" in words:
        return day_before(midnight_s, 1), midnight_s, "yesterday"
    for said, days in (("this week", 6), ("last week", 13)):
        if said in words:
            until_s = day_before(midnight_s, 7) if said == "last week" else None
            return day_before(midnight_s, days), until_s, said
    if "today" in words or "tonight" in words:
        return midnight_s, None, "today"
    return None, None, ""


def _on_that_day(
    of_day: re.Match[str], words: str, now_s: float, midnight_s: float
) -> tuple[float, float | None]:
    """From and to of a time of day, on the day that is named beside it ("yesterday at lunch"), if any."""
    weekday = next((found for found in DAYS.finditer(words) if found["weekday"]), None)
    if weekday is not None:
        day_s, end_s = weekday_times(weekday["weekday"], None, midnight_s)
    elif re.search(r"\byesterday\b", words):
        day_s, end_s = day_before(midnight_s, 1), midnight_s
    else:
        return day_times(of_day, now_s, midnight_s)
    since_s, until_s = day_times(of_day, end_s - 1, day_s)
    if until_s is None:
        return since_s, end_s
    shift_s = _half_of_day(of_day, words, (since_s + until_s) / 2)
    return since_s + shift_s, until_s + shift_s


def _half_of_day(of_day: re.Match[str], words: str, at_s: float) -> float:
    """Seconds to the other half of the day, where the words name that one ("yesterday morning at nine")."""
    if not of_day["hour"] or of_day["half"] or of_day["from"] == "before":
        return 0.0
    hour = time.localtime(at_s).tm_hour
    if hour >= 12 and re.search(r"\bmorning\b", words):
        return -12 * 3600.0
    return 12 * 3600.0 if hour < 12 and re.search(r"\b(?:afternoon|evening|night)\b", words) else 0.0


def _amount(words: str) -> float:
    """A number of units in words or digits."""
    if words.isdigit():
        return float(words)
    return _ABOUT[words] if words in _ABOUT else float(value_of(words))
