"""Lengths of time, times of day and numbers that a sentence says anywhere in it, in words."""

from __future__ import annotations

import re
from typing import Any

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
         "ninety": 90}  # fmt: skip
_VALUES = {word: value for value, word in enumerate(_UNITS)} | _TENS
_ONES = "|".join(_UNITS[1:10])
_UP_TO_99 = rf"(?:(?:{'|'.join(_TENS)})(?: (?:{_ONES}))?|{'|'.join(sorted(_UNITS, key=len, reverse=True))})"
_NUMBER = rf"(?:(?:a|one) hundred|{_UP_TO_99})"
_UNIT_S = {"second": 1, "minute": 60, "hour": 3600}
_UNIT = rf"(?:{'|'.join(_UNIT_S)})"
_LENGTH = re.compile(
    rf"\b(?:(?P<quarters>three quarters|(?:a )?quarter) of an hour|(?:a )?half (?:an |a )?(?P<half>{_UNIT})|"
    rf"(?:(?P<one>an?|one) (?P<oneunit>{_UNIT})|(?P<number>{_NUMBER}) (?P<unit>{_UNIT})s?)"
    rf"(?: (?P<more>and a half)|(?: and)? (?P<number2>{_NUMBER}) (?P<unit2>{_UNIT})s?)?|"
    rf"(?P<halves>{_NUMBER}) and a half (?P<halfunit>{_UNIT})s?)\b"
)
_LAST = re.compile(rf"\b(?:last|past|the) (?P<unit>{_UNIT})\b")
_HOUR = rf"(?:{'|'.join(_UNITS[1:13])})"
_PARTS = {"am": r"(?:in the |this )?morning|a ?m", "pm": r"(?:in the |this )?(?:afternoon|evening)|p ?m",
          "night": "at night|tonight"}  # fmt: skip
_AT = rf"(?P<hour>{_UP_TO_99})(?: o'clock| hours?)?(?: (?:oh |o )?(?P<minute>{_UP_TO_99}))?"
_CLOCK = re.compile(
    rf"\b(?:(?P<noon>noon|midday|midnight)|(?:(?:a )?(?P<offset>half|quarter|five|ten|twenty(?: five)?)(?: "
    rf"minutes)? (?P<side>past|to|after|before)|(?P<halfsaid>half)) (?P<whole>{_HOUR})|{_AT})\b"
)
_OFFSETS = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20, "twenty five": 25}
_EARLY = range(1, 12)


def number(words: str) -> int:
    """The value of a number from zero to a hundred."""
    if words.endswith("hundred"):
        return 100
    return sum(_VALUES[word] for word in words.split())


def only_number(text: str) -> int | None:
    """The one number that a text says, 0 to 100; None for none or several."""
    found = re.findall(rf"\b{_NUMBER}\b", text)
    return number(found[0]) if len(found) == 1 else None


def only_length_s(text: str) -> int | None:
    """The seconds of the one length of time that a text says; None for none or several, or where a number
    beside it may belong to it.
    """
    found = list(_LENGTH.finditer(text))
    if len(found) != 1:
        return None
    if re.search(rf"\b(?:{_NUMBER}|hundreds?|half|quarter|couple|few)\b", _LENGTH.sub(" ", text)):
        return None
    said = found[0].groupdict()
    if said["quarters"]:
        return 2700 if said["quarters"].startswith("three") else 900
    if said["half"]:
        return _UNIT_S[said["half"]] // 2
    if said["halves"]:
        return round((number(said["halves"]) + 0.5) * _UNIT_S[said["halfunit"]])
    unit_s = _UNIT_S[said["oneunit"] or said["unit"]]
    total_s = unit_s if said["one"] else number(said["number"]) * unit_s
    if said["more"]:
        total_s += unit_s // 2
    if said["number2"]:
        total_s += number(said["number2"]) * _UNIT_S[said["unit2"]]
    return total_s


def last_length_s(text: str) -> int | None:
    """The same for how much of the time that is over: also "the last hour"."""
    found = _LAST.findall(text)
    said = only_length_s(text)
    return _UNIT_S[found[0]] if said is None and len(found) == 1 and not _LENGTH.search(text) else said


def only_clock(text: str) -> dict[str, Any] | None:
    """The one time of day that a text says, as the slots of an alarm: hour, and where said minute, offset
    (minutes) and part. "Tomorrow" without a part is the morning. None for none or several.
    """
    part = next((name for name, form in _PARTS.items() if re.search(rf"\b(?:{form})\b", text)), "")
    found = list(_CLOCK.finditer(text))
    if len(found) != 1:
        return None
    said = found[0].groupdict()
    if said["noon"]:
        return {"hour": 0} if said["noon"] == "midnight" else {"hour": 12, "part": "pm"}
    slots: dict[str, Any] = {"hour": number(said["whole"] or said["hour"])}
    if said["halfsaid"]:
        slots["offset"] = 30
    elif said["offset"]:
        minutes = _OFFSETS[said["offset"]]
        slots["offset"] = minutes if said["side"] in ("past", "after") else -minutes
    elif said["minute"]:
        slots["minute"] = number(said["minute"])
    if slots["hour"] > 23 or slots.get("minute", 0) > 59:
        return None
    if not part and "tomorrow" in text.split() and slots["hour"] in _EARLY:
        part = "am"
    return slots | {"part": part} if part else slots
