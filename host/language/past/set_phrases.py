"""Times in the past that are said in a set phrase: "first thing this morning", "the night before last",
"since midnight", "a little while ago". Pure.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from host.language.past.days import WEEK, day_before, weekday_times

_Span = tuple[float, float | None]
_Meaning = Callable[[re.Match[str], float, float], _Span]
_HOUR_S, _DAY_S = 3600.0, 86_400.0
_PARTS = {"day": 0.0, "morning": 0.0, "afternoon": 12.0, "evening": 18.0, "night": 18.0}
"""Hour of the day at which each begins."""
_NIGHTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def _today(first: float, last: float) -> _Meaning:
    """From one hour to another of today, or of yesterday where today's begin later."""

    def meaning(_: re.Match[str], now_s: float, midnight_s: float) -> _Span:
        day_s = midnight_s if midnight_s + first * _HOUR_S <= now_s else day_before(midnight_s, 1)
        return day_s + first * _HOUR_S, day_s + last * _HOUR_S

    return meaning


def _nights_ago(nights: int, midnight_s: float) -> _Span:
    start_s = day_before(midnight_s, nights)
    return start_s + 18 * _HOUR_S, start_s + 30 * _HOUR_S


def _since(found: re.Match[str], now_s: float, midnight_s: float) -> _Span:
    named = found["since"]
    if named in WEEK:
        return weekday_times(named, None, midnight_s)[0], None
    if named == "yesterday":
        return day_before(midnight_s, 1), None
    start_s = midnight_s + (_PARTS.get(named, 12.0 if named in ("noon", "midday") else 0.0)) * _HOUR_S
    return (start_s if start_s <= now_s else start_s - _DAY_S), None


def _all(found: re.Match[str], now_s: float, midnight_s: float) -> _Span:
    if found["all"] == "week":
        return day_before(midnight_s, 6), None
    start_s = midnight_s + _PARTS[found["all"]] * _HOUR_S
    return (start_s if start_s <= now_s else start_s - _DAY_S), None


def _last_month(_: re.Match[str], now_s: float, midnight_s: float) -> _Span:
    today = time.localtime(midnight_s)
    first, until = (
        time.mktime((today.tm_year, today.tm_mon - back, 1, 0, 0, 0, 0, 0, -1)) for back in (1, 0)
    )
    return first, until


_SINCE = rf"midnight|noon|midday|yesterday|morning|{'|'.join(WEEK)}"
_PHRASES: tuple[tuple[str, _Meaning], ...] = (
    (r"the night before last", lambda _, now_s, midnight_s: _nights_ago(2, midnight_s)),
    (
        rf"(?P<nights>{'|'.join(_NIGHTS)}) nights ago",
        lambda found, now_s, midnight_s: _nights_ago(_NIGHTS[found["nights"]], midnight_s),
    ),
    (
        r"(?:the )?day before yesterday",
        lambda _, now_s, midnight_s: (day_before(midnight_s, 2), day_before(midnight_s, 1)),
    ),
    (
        r"the other (?:day|night|evening|morning)",
        lambda _, now_s, midnight_s: (day_before(midnight_s, 7), midnight_s),
    ),
    (
        r"a fortnight ago",
        lambda _, now_s, midnight_s: (day_before(midnight_s, 16), day_before(midnight_s, 12)),
    ),
    (r"last month", _last_month),
    (r"first thing(?: (?:this|in the) morning| today)?", _today(5, 9)),
    (r"mid ?morning", _today(9.5, 11.5)),
    (r"mid ?afternoon", _today(14, 16.5)),
    (r"at (?:dawn|sunrise|sun ?up|first light|daybreak)", _today(5, 8)),
    (r"at (?:sunset|sundown|dusk|nightfall)", _today(17, 21.5)),
    (r"(?:at|before|just before|around) bed ?time", _today(20.5, 24)),
    (r"in the small hours", _today(0, 5)),
    (r"overnight|during the night|at night", lambda _, now_s, midnight_s: _nights_ago(1, midnight_s)),
    (rf"(?:ever )?since (?:this |the )?(?P<since>{_SINCE})(?! (?:at|on|in|was))", _since),
    (rf"all (?P<all>{'|'.join(_PARTS)}|week)(?: long)?", _all),
    (
        r"(?:not long|a (?:little|short) while|a (?:little )?bit) (?:ago|back)",
        lambda _, now_s, midnight_s: (now_s - 2 * _HOUR_S, None),
    ),
    (r"earlier(?: on)?(?: today)?", lambda _, now_s, midnight_s: (midnight_s, None)),
)
"""In the order in which they are looked for."""
_COMPILED = tuple((re.compile(rf"\b(?:{form})\b"), meaning) for form, meaning in _PHRASES)
PHRASE = re.sub(r"\?P<[a-z]+>", "?:", "|".join(form for form, _ in _PHRASES))
"""Any of them, as a regular expression without groups."""


def phrase_times(words: str, now_s: float, midnight_s: float) -> tuple[float, float | None, str] | None:
    """From and to, seconds since 1970 (None: until now), of the phrase in the words, and the phrase; None
    without one. midnight_s: of today.
    """
    for form, meaning in _COMPILED:
        found = form.search(words)
        if found is not None:
            return (*meaning(found, now_s, midnight_s), found[0])
    return None
