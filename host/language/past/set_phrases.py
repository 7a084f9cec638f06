"""Times in the past that are said in a set phrase: "the other day", "all afternoon", "a little while ago".
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from host.language.past.clock import PARTS, at_hour, day_before, last_begun

_Span = tuple[float, float | None]
_Meaning = Callable[[re.Match[str], float, float], _Span]
_WHILE_S = 2 * 3600.0
"""How far back a little while ago may be."""


def _all(found: re.Match[str], now_s: float, midnight_s: float) -> _Span:
    if found["all"] == "week":
        return day_before(midnight_s, 6), None
    first = PARTS.get(found["all"], (0.0, 24.0))[0]
    return at_hour(last_begun(midnight_s, first, now_s), first), None


_PHRASES: tuple[tuple[str, _Meaning], ...] = (
    (
        r"the other (?:day|night|evening|morning)",
        lambda _, now_s, midnight_s: (day_before(midnight_s, 7), midnight_s),
    ),
    (
        r"a fortnight ago",
        lambda _, now_s, midnight_s: (day_before(midnight_s, 16), day_before(midnight_s, 12)),
    ),
    (rf"all (?P<all>day|{'|'.join(PARTS)}|week)(?: long)?", _all),
    (
        r"(?:not long|a (?:little|short) while|a (?:little )?bit) (?:ago|back)",
        lambda _, now_s, midnight_s: (now_s - _WHILE_S, None),
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
