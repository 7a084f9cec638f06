"""Days, parts of a day and longer times that the calendar tells: "on tuesday evening", "last night", "the
weekend". Pure.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from host.language.past.clock import PARTS, at_hour, day_before, last_begun

WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
Span = tuple[float | None, float | None]
"""From and to, seconds since 1970; None: open."""
_NIGHTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_PART = "|".join(PARTS)
_FORM = (
    r"(?:(?P<side>(?:just |right )?(?:before|after)|until|till|up to|(?:ever )?since) (?:the )?)?(?:"
    rf"(?:on |last |this past )?(?P<weekday>{'|'.join(WEEK)})(?: (?P<of_weekday>{_PART}))?|"
    rf"(?P<yesterday>(?:the )?day before yesterday|yesterday)(?: (?P<of_yesterday>{_PART}))?|"
    r"(?P<today>today)|(?P<tonight>tonight)|this (?P<this>morning|afternoon|evening)|"
    r"last (?P<last>evening|night)|(?P<second>the night before last)|"
    rf"(?P<ago>{'|'.join(_NIGHTS)}) (?P<of_ago>{_PART})s ago|"
    r"(?:of )?(?P<longer>last month|last week|this week)|(?P<weekend>(?:last|this) weekend)|"
    r"(?:over|at|on|during) the (?P<the_weekend>weekend)|"
    rf"(?:(?:in|during) (?:the )?(?P<part>{_PART})|at (?P<at_night>night)|(?P<overnight>overnight)))|"
    r"(?:ever )?since (?:the )?(?P<since>morning)"
)
_FOUND = re.compile(rf"\b(?<!\bnot )(?:{_FORM})\b")
DAY = re.sub(r"\?P<[a-z_]+>", "?:", _FORM)
"""Any of them, as a regular expression without groups."""
_LAST_WEEK = re.compile(r"\blast week\b")
_LONGEST_S = 36 * 3600.0
"""No day or night is longer."""


@dataclass(frozen=True)
class Day:
    """A time that is named. spans: what it means, then what else it may mean where a clock's time in it is
    still to come or another one; dated: whether a day is named, and not only a part of any; side: the word
    directly before it, "before", "after", "since" or ""; places: where it stands in the words.
    """

    spans: tuple[tuple[float, float], ...]
    dated: bool
    side: str
    places: tuple[tuple[int, int], ...]

    @property
    def long(self) -> bool:
        """Whether it is of several days."""
        return self.spans[0][1] - self.spans[0][0] > _LONGEST_S


def day_in(words: str, now_s: float, midnight_s: float, back: int | None = None) -> Day | None:
    """The day, part of a day or longer time that the words name; None for none. midnight_s: of today;
    back: days back to the day where the words name it otherwise ("two days ago").
    """
    backs = {each: _back(each, now_s, midnight_s, words) for each in _FOUND.finditer(words)}
    dated = next((each for each in backs if back is None and backs[each] is not None), None)
    back = backs[dated] if dated is not None else back
    found = [each for each in backs if each == dated or backs[each] is None]
    if not found and back is None:
        return None
    side = next((each["side"] or "since" for each in found if each["side"] or each["since"]), "")
    side = "since" if side.endswith("since") else "after" if side.endswith("after") else side and "before"
    places = tuple(each.span() for each in found)
    part = next(filter(None, map(_part, found)), "")
    if back is not None:
        day_s = day_before(midnight_s, back)
        first, last = PARTS.get(part, (0.0, 24.0))
        spans = tuple((at_hour(day_s, first - h), at_hour(day_s, last - h)) for h in (0, 24))
        return Day(spans, True, side, places)
    longer = next((each for each in found if each["longer"] or each["weekend"] or each["the_weekend"]), None)
    if longer is not None:
        name = longer["longer"] or longer["weekend"] or "the weekend"
        return Day((_longer(name, now_s, midnight_s),), True, side, places)
    first, last = PARTS[part]
    begun_s = day_before(midnight_s, 1) if part == "night" else last_begun(midnight_s, first, now_s)
    spans = tuple((at_hour(begun_s, first - h), at_hour(begun_s, last - h)) for h in (0, -24, 24))
    return Day(spans, False, side, places)


def _part(found: re.Match[str]) -> str:
    """The part of the day that a match names, "" for none."""
    if found["tonight"] or found["second"] or found["overnight"]:
        return "night"
    of = ("of_weekday", "of_yesterday", "this", "last", "of_ago", "part", "at_night", "since")
    return next((found[name] for name in of if found[name]), "")


def _back(found: re.Match[str], now_s: float, midnight_s: float, words: str) -> int | None:
    """How many days ago the day was that a match names; None where it names none."""
    if found["weekday"]:
        today, named = time.localtime(midnight_s).tm_wday, WEEK.index(found["weekday"])
        return today + 7 - named if _LAST_WEEK.search(words) else (today - named) % 7 or 7
    if found["yesterday"]:
        return 1 if found["yesterday"] == "yesterday" else 2
    if found["today"]:
        return 0
    if found["this"] or found["tonight"]:  # of the day before, where it is still to come
        first = PARTS[_part(found)][0]
        return 0 if last_begun(midnight_s, first, now_s) == midnight_s else 1
    if found["last"]:
        return 1
    if found["second"]:
        return 2
    if found["ago"]:
        return _NIGHTS[found["ago"]]
    return 0 if found["since"] else None


def _longer(name: str, now_s: float, midnight_s: float) -> tuple[float, float]:
    """From and to of several days."""
    today = time.localtime(midnight_s)
    if name == "last month":
        first, until = (
            time.mktime((today.tm_year, today.tm_mon - back, 1, 0, 0, 0, 0, 0, -1)) for back in (1, 0)
        )
        return first, until
    if name == "last week":
        return day_before(midnight_s, today.tm_wday + 7), day_before(midnight_s, today.tm_wday)
    if name == "this week":
        return day_before(midnight_s, 6), day_before(midnight_s, -1)
    back = (today.tm_wday - 5) % 7  # days since saturday
    if back < 2 and name != "this weekend":
        back += 7
    return day_before(midnight_s, back), day_before(midnight_s, back - 2)
