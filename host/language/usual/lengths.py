"""Lengths of time and times of day as recognisers write them, to how they are said: "150 minutes" is "2 hours
and 30 minutes", "at 0730" is "at 07:30". Pure. Only in sentences about timers, alarms and the like; of others
the words stay, as a language model may be asked about them.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from host.language.number_words import SMALL, UP_TO_99, VALUES, value_of
from models.brick import Transcript

_SETS = re.compile(
    r"\b(?:timers?|alarms?|wake|waken|remind|alert|nudge|buzz|beep|ping|call me|let me know|"
    r"tell me (?:in|after|at)|count(?:down)?|snooze|forget|erase|delete)\b"
)
_UNIT_S = {"hour": 3600, "minute": 60, "second": 1}
_UNIT = "hours?|minutes?|seconds?"
_SHORT = {"h": "hour", "hr": "hour", "min": "minute", "s": "second", "sec": "second"}
"""Units as they are written after a number, without the "s" of several."""
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_ABBREVIATED = re.compile(r"(?<=\d)[ -]?(?:(?P<one>hr|min|sec)s?|(?P<letter>[hs]))(?:\b\.?(?!')|(?=\d))")
_HOUR_WITH_H = re.compile(r"\b([01]?\d|2[0-3])h([0-5]\d)\b")
_SHARES = (
    (re.compile(r"\b3/4(?: of an)? hour\b"), "three quarters of an hour"),
    (re.compile(r"\b1/2(?: of)?(?: an)? hour\b"), "half an hour"),
    (re.compile(r"\b1/4(?: of)?(?: an)? hour\b"), "quarter of an hour"),
)
_WHOLE_DAY_CLOCK = re.compile(
    rf"(?<=\b(?:at|by) )([01]\d|2[0-3])([0-5]\d)(?: hours)?\b(?! (?:{_UNIT})\b)|"
    rf"(?<=\balarm for )([01]\d|2[0-3])([0-5]\d)(?: hours)?\b(?! (?:{_UNIT})\b)"
)
"""A time of day in four digits without a colon."""
_HOURS_AFTER = re.compile(r"(\b\d{1,2}:\d{2}) hours\b")
_HUNDREDS = rf"(?:an?|{'|'.join(SMALL[1:10])}) hundred(?: and)?(?: {UP_TO_99})?"
_FRACTION = re.compile(rf"\b(?P<number>\d+\.\d+)[ -](?P<unit>{_UNIT})\b")
_LONG = re.compile(rf"(?<![\d.])\b(?P<number>\d{{3,5}}|{_HUNDREDS})[ -](?P<unit>{_UNIT})\b")
"""Of a hundred or more of a unit."""


def with_usual_lengths(heard: Transcript) -> Transcript:
    """The transcript with its lengths and times as they are said. Where it changes, no word's probability is
    told.
    """
    text = heard.text.lower()
    if _SETS.search(text) is None:
        return heard
    found = _THOUSANDS.sub("", text)
    found = _HOUR_WITH_H.sub(r"\1:\2", found)
    found = _ABBREVIATED.sub(lambda each: f" {_SHORT[each['one'] or each['letter']]}s ", found)
    for share, said in _SHARES:
        found = share.sub(said, found)
    found = " ".join(_HOURS_AFTER.sub(r"\1", found).split())
    found = _WHOLE_DAY_CLOCK.sub(lambda each: ":".join(filter(None, each.groups())), found)
    found = _LONG.sub(_divided, _FRACTION.sub(_divided, found))
    return heard if found == " ".join(text.split()) else replace(heard, text=found, words=())


def _divided(length: re.Match[str]) -> str:
    """A length in hours, minutes and seconds; as it was where it is no whole number of seconds."""
    written = length["number"]
    number = Fraction(written) if written[0].isdigit() else Fraction(_value_of_hundreds(written))
    left_s = number * _UNIT_S[length["unit"].removesuffix("s")]
    if left_s.denominator != 1 or left_s == 0:
        return length[0]
    parts = []
    for unit, unit_s in _UNIT_S.items():
        count, left_s = divmod(left_s, Fraction(unit_s))
        if count:
            parts.append(f"{count} {unit}{'s' if count > 1 else ''}")
    return " and ".join(parts)


def _value_of_hundreds(words: str) -> int:
    hundreds, _, rest = words.partition(" hundred")
    rest = rest.removeprefix(" and").strip()
    return 100 * VALUES.get(hundreds, 1) + (value_of(rest) if rest else 0)
